"""What the demo says at the end: promised, kept, paid and saved, beside the paper's policies.

Everywhere *asked* is the sum of the bids of those who answered, and *paid* what they get for it, which is more where
the payment makes asking one's true price best.
"""

from typing import Any

from quorate.cli.console import print_table, progress, promised, say
from quorate.cli.demo_live import Live, Play
from quorate.lab.demo import CONFIDENCE, PAPER_ORDER, TARGET, Outcome, breaks_promise, paper_outcome


def close_and_tell(live: Live, status: dict[str, Any], play: Play, seed: int) -> dict[str, Any]:
    """Close the campaign; everything that the demo has to say, in JSON's own types. Amounts are decimal strings.

    The paper's policies play as many tasks as were decided, which are fewer where the campaign was closed on its page.
    """
    jury = live.requester.get("/jury")
    below = sum(count for count, members, weights in live.votes() if breaks_promise(play.world, members, weights))
    statement = live.close()
    lived = Outcome(
        policy="assured",
        kept=status["verdicts_right"] / (status["verdicts_right"] + status["verdicts_wrong"]),
        violations=below,
        explored=status["exploration_tasks"],
        jury=len(jury["workers"]) if jury else 0,
        asked=float(statement["as_bid"]),
        paid=float(statement["earned"]),
    )
    outcomes = [lived]
    with progress("The paper's policies", len(PAPER_ORDER)) as advance:
        for name in PAPER_ORDER:
            outcomes.append(paper_outcome(name, play.world, play.realization, tasks=status["decided"], seed=seed))
            advance(1)
    cheapest = min(outcomes[1:], key=lambda outcome: outcome.paid)
    return {
        "workers": len(play.world),
        "tasks": play.tasks,
        "seed": seed,
        "promised": {"target": TARGET, "confidence": CONFIDENCE},
        "kept": {
            "keeping": status["keeping"],
            "decided": status["decided"],
            "right": status["verdicts_right"],
            "wrong": status["verdicts_wrong"],
            "below_promise": below,
        },
        "spent": {
            "paid": statement["earned"],
            "asked": statement["as_bid"],
            "exploring": status["spend"]["exploring"],
            "working": status["spend"]["exploiting"],
        },
        "saved": {"against": cheapest.policy, "share": 1.0 - lived.paid / cheapest.paid, "paid": cheapest.paid},
        "policies": [outcome.to_dict() for outcome in outcomes],
    }


def show(told: dict[str, Any]) -> None:
    """The same for people."""
    kept, spent, saved = (told[name] for name in ("kept", "spent", "saved"))
    asked, paid = float(spent["asked"]), float(spent["paid"])
    below = kept["below_promise"]
    say(f"Promised: {promised(**told['promised'])}.")
    say(
        f"Kept:     {kept['right']:,} of {kept['right'] + kept['wrong']:,} verdicts are right; "
        + (f"{below:,} votes were less sure than promised." if below else "every vote was as sure as promised.")
    )
    say(
        f"Paid:     {paid:,.0f}: the {asked:,.0f} asked, and {paid - asked:,.0f} added so that asking one's true price "
        f"is best."
    )
    say(
        f"Saved:    {saved['share']:.0%} of the {saved['paid']:,.0f} that {saved['against']} pays, the cheapest of the "
        f"paper's policies, although {saved['against']} pays only what is asked."
    )
    say()
    rows = [Outcome(**one) for one in told["policies"]]
    dearest = max(row.paid for row in rows)
    print_table(
        "What was kept, asked and paid",
        [
            ("policy", "left"),
            ("right", "right"),
            ("below promise", "right"),
            ("explored", "right"),
            ("jury then", "right"),
            ("asked", "right"),
            ("paid", "right"),
            ("of dearest", "right"),
        ],
        [
            [
                row.policy,
                f"{row.kept:.1%}",
                f"{row.violations:,}",
                f"{row.explored:,}",
                f"{row.jury}",
                f"{row.asked:,.0f}",
                f"{row.paid:,.0f}",
                f"{row.paid / dearest:.1%}",
            ]
            for row in rows
        ],
        caption="Right: share of the verdicts. Below promise: tasks where the exact error of the vote exceeds 0.1 at "
        "the true qualities. Explored: tasks that the whole pool answered. Asked: the sum of the bids of those who "
        "answered; here everybody asks the true price. Paid: assured adds what makes that best; the paper's policies "
        "are paid what is asked, use the paper's bound (linear) and slack .05.",
        first_to_go=("of dearest", "asked", "jury then", "explored"),
    )
