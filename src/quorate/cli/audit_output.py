"""What `quorate audit` says: a report and a replayed case, as JSON and for people."""

import math
from fractions import Fraction
from typing import Any

from quorate.cli.console import print_table, say
from quorate.mechanism import Pairing
from quorate.mechanism.audit.case import Case
from quorate.mechanism.audit.case_file import lie_to_json, units
from quorate.mechanism.audit.findings import Finding, loss_told
from quorate.mechanism.audit.replay import Lie, Replay, Result
from quorate.mechanism.audit.report import Coins, Report
from quorate.money import MILLIONTHS, show


def report_json(report: Report, written: list[str]) -> dict[str, Any]:
    """`worst` is in `worst_unit`; what lies gain is in units of the currency, as in the cases written."""
    tally, variant, payment = report.tally, report.question.variant, report.question.payment
    told: dict[str, Any] = {
        "policy": variant.policy,
        "selector": variant.selector,
        "variant": variant.name,
        "payment": payment,
        "truthful": None if report.pairing is None else report.pairing.truthful,
        "why": None if report.pairing is None else report.pairing.why,
        "seed": report.question.seed,
        "first": report.first,
        "instances": tally.worlds,
        "runs": tally.runs,
        "runs_that_stopped": tally.stopped,
        "violations": tally.violating,
        "below_cost": tally.below_cost,
        "worst": tally.worst,
        "worst_unit": _worst_unit(report),
        "found": [_found_json(finding, path) for finding, path in zip(report.findings, written, strict=True)],
        "passed": report.passed,
    }
    if report.coins is not None:
        told["coins"] = _coins_json(report.coins)
    return told


def _worst_unit(report: Report) -> str:
    return "tasks" if report.question.payment is None else "millionths"


def _found_json(finding: Finding, path: str) -> dict[str, Any]:
    told = {"world": finding.violation.world, "case": path, "confirmed": finding.confirmed, "text": finding.text}
    if finding.case.payment is None:
        return told | {"worker": finding.case.vary}
    if finding.violation.loses:
        bids = [units(result.bid) for result in finding.replayed.losses]
        return told | {"worker": finding.case.vary, "paid_below_bid": bids}
    return told | lie_to_json(finding.case, finding.replayed.best_lie)


def _coins_json(coins: Coins) -> dict[str, Any]:
    best = coins.best_lie
    low, high = coins.interval(best)
    return {
        "worlds": len(coins.sampled),
        # Where every draw is off by the same there is no error to measure it in, and JSON has no infinity.
        "largest_z": coins.largest_z if math.isfinite(coins.largest_z) else None,
        "largest_z_in_world": coins.farthest.world,
        "allowed_z": coins.allowed_z,
        "beyond_three_standard_errors": coins.beyond_three,
        "lies_that_gain": coins.lies_that_gain,
        "best_lie": {
            "world": best.world,
            "cost": units(best.cost),
            "lie": units(best.lie),
            "gain": best.mean / MILLIONTHS,
            "low": low / MILLIONTHS,
            "high": high / MILLIONTHS,
        },
        "paid_below_bid": coins.below.count,
    }


def print_report(report: Report, written: list[str]) -> None:
    tally, payment = report.tally, report.question.payment
    say(f"{report.question.variant.name}" + (f" with {payment}" if payment else ""))
    if report.pairing is not None:
        say(_claim(report.pairing))
    if payment is None:
        what = "raising a bid got its worker more tasks"
    else:
        what = f"a lie gained; {tally.below_cost:,} bids were paid below cost"
    worst = f" (at most {tally.worst:,.6g} {_worst_unit(report)})" if tally.violating else ""
    say(
        f"{tally.worlds:,} worlds, {tally.runs:,} runs ({tally.stopped / tally.runs:.0%} ended exploration): "
        f"in {tally.violating:,} worlds {what}{worst}"
    )
    if report.coins is not None:
        _print_coins(report.coins)
    for finding, path in zip(report.findings, written, strict=True):
        say(f"  {path}: {finding.text}")


def _print_coins(coins: Coins) -> None:
    best, worlds = coins.best_lie, len(coins.sampled)
    low, high = coins.interval(best)
    say(
        f"coins of {worlds} worlds: Myerson's identity off by at most {coins.largest_z:.2f} standard errors "
        f"({coins.allowed_z:.2f} allowed: what 3 is for one world); {coins.below.count} bids paid below themselves"
    )
    say(
        f"lies gain on average in {coins.lies_that_gain} of them: the best, of cost {best.cost} bidding {best.lie}, by "
        f"{best.mean:.2f} ({low:.2f} to {high:.2f}) millionths"
    )


def _claim(pairing: Pairing) -> str:
    return f"claimed: {'truthful' if pairing.truthful else 'NOT truthful'}: {pairing.why}"


def print_replay(case: Case, replayed: Replay) -> None:
    columns = [("bid", "right"), *((f"tasks of {i}", "right") for i in range(case.workers))]
    columns += [("exploits from", "right"), ("last jury", "left"), *_earning_columns(case)]
    rows = [
        [
            show(result.bid),
            *map(str, result.tasks),
            "never" if result.stop is None else str(result.stop),
            ", ".join(map(str, result.jury)),
            *_earning_cells(case, result),
        ]
        for result in replayed.results
    ]
    paid = f", paid {case.payment}" if case.payment else ""
    print_table(f"Worker {case.vary} bids, {case.policy} with {case.selector} selection{paid}", columns, rows)
    if replayed.pairing is not None:
        say(_claim(replayed.pairing))
    for low, high in replayed.rises:
        say(
            f"Not monotone: raising its bid from {show(low.bid)} to {show(high.bid)} gets worker {case.vary} "
            f"{high.tasks[case.vary]} tasks instead of {low.tasks[case.vary]}."
        )
    if replayed.best_lie is not None:
        say(_told(case, replayed.best_lie))
    for loss in replayed.losses:
        say(f"Not individually rational: {loss_told(case, loss)}.")
    if replayed.passed:
        say(_passed(case, replayed))


def _earning_columns(case: Case) -> list[tuple[str, str]]:
    if case.payment is None:
        return []
    if case.averages:
        return [("mean tasks", "right"), ("mean pay", "right"), ("mean utility", "right")]
    return [("pay", "right"), ("utility", "right")]


def _earning_cells(case: Case, result: Result) -> list[str]:
    """Means over coins to two digits after the point, settled amounts to the unit."""
    if result.earning is None:
        return []
    money = [result.earning.pay, result.earning.utility]
    if case.averages:
        return [f"{float(result.earning.tasks):,.2f}", *(show(round(amount), 2) for amount in money)]
    return [show(round(amount)) for amount in money]


def _told(case: Case, lie: Lie) -> str:
    average = " on average" if case.averages else ""
    share = "" if lie.share is None else f", {lie.share:.1%} of what the truth earns,"
    return (
        f"Not truthful: of cost {show(case.cost or 0)}, it gains {_money(lie.gain)}{share}{average} by bidding "
        f"{show(lie.bid)}."
    )


def _money(amount: Fraction) -> str:
    return show(round(amount))


def _passed(case: Case, replayed: Replay) -> str:
    if replayed.pairing is None:
        return "Monotone: no higher bid gets it more tasks."
    if case.coins is not None:
        return "No bid of the grid is paid less than it asks under these coins."
    if replayed.pairing.truthful:
        return "No bid of the grid beats the truth."
    return "No bid of the grid beats the truth in this case; with others it may."
