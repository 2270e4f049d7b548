"""`quorate audit`: try to break what is said to be truthful, or replay one explicit case."""

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from quorate.mechanism.audit.case_file import Instead
    from quorate.mechanism.audit.report import Report
    from quorate.mechanism.audit.search import Question

DEFAULT_OUT = Path("out/audit")
LOG = "chunks.jsonl"
# Hexadecimal digits that tell a search.
HEX = 8
# What a case takes from the command line; the rest stands in its file.
OF_A_CASE = {"case", "policy", "selector", "payment", "error", "as_json"}


def audit(
    context: typer.Context,
    policy: Annotated[
        str | None, typer.Option(metavar="NAME", help="ccb-s, ccb-se, ccb-ns, assured or assured-joint.")
    ] = None,
    selector: Annotated[
        str | None, typer.Option(metavar="NAME", help="greedy or exact. Default: greedy for the paper's policies.")
    ] = None,
    payment: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="randomised, threshold or pay-as-bid. Default: the allocation alone."),
    ] = None,
    case: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Replay one case (JSON; docs/counterexamples.md); --policy, --selector, --payment and --error then "
            "replace what it says.",
        ),
    ] = None,
    instances: Annotated[int, typer.Option(min=1, help="How many random small worlds to search.")] = 20_000,
    first: Annotated[int, typer.Option(min=0, help="The number of the first world.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Draws the worlds.")] = 1,
    slack: Annotated[bool, typer.Option("--slack", help="Solve the optimistic problem with slack.")] = False,
    pool: Annotated[bool, typer.Option("--pool", help="assured: only the lowest bidders take part.")] = False,
    elimination: Annotated[bool, typer.Option(help="assured: drop dominated workers while exploring.")] = True,
    stopping: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="assured: price-gap or head-count ends exploration. Default: what goes with the payment.",
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Error model. Default: margin, a bare requirement on sum(2q - 1)."),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where violations found are written as cases.")
    ] = DEFAULT_OUT,
    resume: Annotated[bool, typer.Option("--resume", help="Skip what an interrupted run in DIR finished.")] = False,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads that search. Default: one per core.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Search small random worlds for violations of ex-post monotonicity, truthfulness and individual rationality.

    All bids of one worker are tried over one and the same realization. What is found is shrunk to a small case,
    confirmed by the plain policies, and written as JSON that --case replays. Exit code 1: a violation was found; 2:
    nothing was tested, since no run ended exploration.

    Example: quorate audit --policy ccb-s --selector greedy --instances 100000
    """
    if case is not None:
        from quorate.mechanism.audit.case_file import Instead

        _refuse_search_options(context)
        _replay_case(case, Instead(policy, selector, error, payment), as_json=as_json)
        return
    if policy is None:
        raise typer.BadParameter("name a --policy to search, or a --case to replay", param_hint="--policy")
    from quorate.cli.console import NEGATIVE

    _refuse_unread(policy, selector=selector, error=error, stopping=stopping)
    question = _question(policy, selector, payment, seed, slack, pool, elimination, stopping, error)
    report = _search(question, instances, first, threads, out, resume=resume)
    _tell(report, _write_cases(report, out), as_json=as_json)
    if not report.passed:
        raise typer.Exit(NEGATIVE)


def _refuse_search_options(context: typer.Context) -> None:
    """What a search takes and a case does not must not be passed over in silence."""
    for option in context.command.params:
        name = option.name or ""
        source = context.get_parameter_source(name)
        if name not in OF_A_CASE and source is not None and source.name != "DEFAULT":
            raise typer.BadParameter(
                "this is for searches; a --case says everything itself, but for --policy, --selector, --payment and "
                "--error: leave it out",
                param_hint=option.opts[0],
            )


def _refuse_unread(policy: str, **named: str | None) -> None:
    """What the policy would pass over, as a case file's keys: a report must not show it as a fact."""
    from quorate.mechanism.audit.case import UNREAD

    for option, given in named.items():
        if given is not None and option in UNREAD.get(policy, ()):
            raise typer.BadParameter(f"{given!r} means nothing to {policy!r}; leave it out", param_hint=f"--{option}")


def _question(
    policy: str,
    selector: str | None,
    payment: str | None,
    seed: int,
    slack: bool,
    pool: bool,
    elimination: bool,
    stopping: str | None,
    error: str | None,
) -> "Question":
    from quorate.mechanism import payment_named, stopping_for
    from quorate.mechanism.audit.search import Question
    from quorate.mechanism.audit.variant import Variant
    from quorate.money import MILLIONTHS
    from quorate.policy import PAPER_POLICIES, Stopping
    from quorate.policy.pool import stopping_rule

    paper = policy in PAPER_POLICIES
    paid = None if payment is None else payment_named(payment)
    usual = Stopping.PRICE_GAP if paper or paid is None else stopping_for(paid)
    variant = Variant(
        policy,
        selector or ("greedy" if paper else "exact"),
        error=error or "margin",
        interval="hoeffding" if error in (None, "margin") or paper else "anytime",
        slack=slack,
        pool=pool,
        eliminates=elimination,
        stopping=usual if stopping is None else stopping_rule(stopping),
        # Mode R's expectation runs over every bid: money of 0, 1, ..., cap millionths has them all in the grid.
        unit=1 if payment == "randomised" else MILLIONTHS,
    )
    return Question(variant, payment, seed)


def _search(
    question: "Question", instances: int, first: int, threads: int | None, out: Path, *, resume: bool
) -> "Report":
    """The report, if it is one: a search in which exploration never ended has no answer."""
    from quorate.cli.console import progress
    from quorate.errors import InvalidInput
    from quorate.mechanism.audit.report import audit as run_audit
    from quorate.mechanism.audit.search import forget

    out.mkdir(parents=True, exist_ok=True)
    log = out / LOG
    if not resume:
        forget(question, log)
    report = run_audit(question, instances, first=first, threads=threads, done=log, watch=progress)
    if not (report.tested or report.violated):
        raise InvalidInput(
            f"in none of {report.tally.worlds:,} worlds did exploration end at any bid, so nothing was tested; search "
            f"more with --instances, or take another --error"
        )
    return report


def _tell(report: "Report", written: list[str], *, as_json: bool) -> None:
    from quorate.cli.audit_output import print_report, report_json
    from quorate.cli.console import print_json

    if as_json:
        print_json(report_json(report, written))
    else:
        print_report(report, written)


def _write_cases(report: "Report", out: Path) -> list[str]:
    from quorate.mechanism.audit.case_file import case_to_json

    stem = _stem(report.question)
    written = []
    for finding in report.findings:
        path = out / f"{stem}-{finding.name}.json"
        path.write_text(case_to_json(finding.case, about=finding.text), encoding="utf-8")
        written.append(str(path))
    return written


def _stem(asked: "Question") -> str:
    """How the names of a search's cases begin; the digest keeps searches apart that differ in another option."""
    parts = [asked.variant.policy, asked.variant.selector, *([asked.payment] if asked.payment else [])]
    digest = hashlib.sha256(asked.key.encode()).hexdigest()[:HEX]
    return f"{'-'.join(parts)}-seed{asked.seed}-{digest}"


def _replay_case(file: Path, instead: "Instead", *, as_json: bool) -> None:
    from quorate.cli.audit_output import print_replay
    from quorate.cli.console import NEGATIVE, print_json, progress
    from quorate.mechanism.audit.case_file import load_case, replay_to_json
    from quorate.mechanism.audit.replay import replay

    given = load_case(file, instead)
    with progress("Replaying bids", len(given.grid)) as advance:
        replayed = replay(given, advance)
    if as_json:
        print_json(replay_to_json(given, replayed))
    else:
        print_replay(given, replayed)
    if not replayed.passed:
        raise typer.Exit(NEGATIVE)
