"""Whether the promise is being kept, in words for a manager: one sign, one title, and what the verdicts rest on."""

from dataclasses import dataclass, replace

from quorate.campaign.views import Keeping, Stage, Status


@dataclass(frozen=True)
class Kept:
    """`sign` is good, even (neither good nor bad), wait, warn or bad; `short` fits into a list of campaigns."""

    sign: str
    short: str
    title: str
    text: str


NOT_YET = Kept("wait", "not yet", "Nothing is decided yet", "The promise begins with the first verdict.")
KEPT = Kept("good", "kept", "The promise is being kept", "Every verdict so far is covered by it.")
ASSUMED = Kept(
    "even",
    "if the pool is good",
    "Covered, if the pool together is good enough",
    "That everybody together is good enough for the target is assumed, and cannot be shown by the campaign itself.",
)
KEPT_SINCE = Kept(
    "good",
    "kept",
    "The promise is being kept",
    "Verdicts are now those of juries that are surely good enough. The first ones were everybody's in the pool, before "
    "that was known of anybody.",
)
OUT_OF_REACH = Kept(
    "warn",
    "target out of reach",
    "No jury of this pool can reach the target",
    "Even if every worker were as good as the truths so far allow, no jury of them would be right often enough. More "
    "tasks will not change that: each goes to everybody, at the price of exploring. Close this campaign and open "
    "another with more or better workers, or with a lower target.",
)
PARTLY = Kept(
    "warn",
    "in part",
    "Some verdicts are not covered",
    "Answers were missing, and nobody could replace them. The notes on the promise say which; all other verdicts are "
    "covered.",
)
STALLED = Kept(
    "bad",
    "tasks wait",
    "Tasks wait: no jury is good enough",
    "No jury of those who are left can be shown to be good enough, and no task is decided without that. Close this "
    "campaign, and open another with new workers.",
)
NONE = Kept(
    "warn",
    "nothing promised",
    "This policy promises nothing",
    "Its verdicts rest on estimates of the workers, which nothing bounds.",
)

WORDS: dict[Keeping, Kept] = {
    Keeping.NOT_YET: NOT_YET,
    Keeping.KEPT: KEPT,
    Keeping.ASSUMED: ASSUMED,
    Keeping.PARTLY: PARTLY,
    Keeping.STALLED: STALLED,
    Keeping.OUT_OF_REACH: OUT_OF_REACH,
    Keeping.NONE: NONE,
}
AT_THE_END: dict[Keeping, Kept] = {
    Keeping.NOT_YET: Kept("wait", "no verdict", "It ended without a verdict", "So there was nothing to promise."),
    Keeping.KEPT: Kept("good", "kept", "The promise was kept", "Every verdict is covered by it."),
    Keeping.ASSUMED: replace(ASSUMED, title="Covered, if the pool together was good enough"),
    Keeping.OUT_OF_REACH: replace(
        OUT_OF_REACH,
        title="No jury of this pool could reach the target",
        text="Even if every worker was as good as the truths still allowed, no jury of them would have been right "
        "often enough. Another campaign needs more or better workers, or a lower target.",
    ),
}
KEPT_SINCE_AT_THE_END = replace(
    KEPT_SINCE,
    title="The promise was kept",
    text="Verdicts were those of juries that are surely good enough. Only the first ones were everybody's in the pool, "
    "before that was known of anybody.",
)

# For one verdict and for more: what it rests on, in the order of the dashboard.
RESTS_ON: dict[str, tuple[str, str]] = {
    "certified": (
        "verdict of a jury that is surely good enough",
        "verdicts of juries that are surely good enough",
    ),
    "everybody": (
        "verdict of everybody in the pool while exploring: it rests on the pool being good enough together",
        "verdicts of everybody in the pool while exploring: they rest on the pool being good enough together",
    ),
    "estimated": (
        "verdict of a jury chosen on estimates: nothing is promised of it",
        "verdicts of juries chosen on estimates: nothing is promised of them",
    ),
    "short": (
        "verdict that lacks answers nobody could replace: the promise does not cover it",
        "verdicts that lack answers nobody could replace: the promise does not cover them",
    ),
    "none": ("task that nobody answered: it has no verdict", "tasks that nobody answered: they have no verdict"),
}


def kept(status: Status) -> Kept:
    ended = status.stage is Stage.CLOSED
    if status.keeping is Keeping.KEPT and status.verdicts["everybody"]:
        return KEPT_SINCE_AT_THE_END if ended else KEPT_SINCE
    return AT_THE_END.get(status.keeping, WORDS[status.keeping]) if ended else WORDS[status.keeping]


def basis(status: Status) -> list[tuple[int, str]]:
    """How many verdicts rest on what; only what there is."""
    counts = ((status.verdicts[name], words) for name, words in RESTS_ON.items())
    return [(count, one if count == 1 else more) for count, (one, more) in counts if count]
