"""What a certificate says and rests on, in words for whoever signs off the budget."""

from quorate.certify.picking import Certified, Pick
from quorate.certify.search import Search
from quorate.certify.terms import Assume, Vote
from quorate.wording import counted, printable


def percent(share: float) -> str:
    """A share as a percentage, rounded down: a promise must not grow by rounding."""
    # The first rounding removes the dust of a binary fraction: .29 * 100 is 28.999999999999996.
    return f"{int(round(share * 1_000, 6)) / 10:.1f}%"


def plain_percent(share: float) -> str:
    """A share that someone chose, as they would write it: 95%."""
    return f"{share * 100:.6g}%"


def amount(price: float) -> str:
    """A price in the unit of the price file, four significant digits."""
    return f"{price:,.4g}" if 1e-4 <= price < 1e6 or price == 0 else f"{price:.3e}"


def voters(certified: Certified) -> str:
    """The jury as a subject: "the jury of 3", "this worker alone"."""
    return "this worker alone" if len(certified.jury) == 1 else f"this jury of {len(certified.jury)}"


def headline(pick: Pick) -> str:
    """The answer in one sentence."""
    if pick.chosen is not None:
        return f"Ask {_names(pick.chosen)}: the cheapest certified choice, {amount(pick.chosen.price)} per task."
    if pick.best is None:
        return f"No jury can be certified at {plain_percent(pick.target)}: the gold certifies nothing at all."
    return (
        f"No jury can be certified at {plain_percent(pick.target)}. The most that can be certified is"
        f" {percent(pick.best.certified_accuracy)}, by {_names(pick.best)}."
    )


def _names(certified: Certified) -> str:
    return ", ".join(map(printable, certified.jury))


def promise(pick: Pick) -> str:
    """What is certified, with its probability."""
    shown = pick.chosen or pick.best
    if shown is None:
        return "There are too few gold tasks, or nobody is right often enough, to certify any accuracy."
    sentence = (
        f"With confidence {plain_percent(pick.confidence)}, {voters(shown)} gives the right answer on at least"
        f" {percent(shown.certified_accuracy)} of tasks like these."
    )
    if shown.tasks:
        sentence += f" On the gold tasks it was right on {shown.right:,} of {shown.tasks:,} ({_rate(shown)})."
    return sentence


def _rate(shown: Certified) -> str:
    return percent(shown.right / shown.tasks)


def how_it_votes(shown: Certified) -> str:
    """The rule to deploy."""
    if len(shown.jury) == 1:
        return "Its answer is the verdict."
    if shown.vote is Vote.MAJORITY:
        return "The answer that most of the members give is the verdict."
    weights = ", ".join(
        f"{printable(name)} {weight:.4g}" for name, weight in zip(shown.jury, shown.weights or (), strict=True)
    )
    return f"The answer whose members weigh more is the verdict; a tie follows the heaviest. Weights: {weights}."


def assumption(pick: Pick) -> str:
    """What the promise rests on, and what it does not cover."""
    search = pick.search
    if search.assume is Assume.NOTHING:
        rests = (
            "Nothing is assumed about how workers' errors hang together: what was tested on the gold tasks is the"
            f" jury's own verdict. The choice was among {counted(search.considered, 'jury', 'juries')}, listed before"
            " looking at answers or prices, and the confidence covers that choice."
        )
        if search.learned is not None:
            rests += (
                f" Weighted juries use weights learned on {search.learned.teaching:,} gold tasks drawn with seed"
                f" {search.seed}, and were tested on the other {search.learned.certifying.tasks:,}."
            )
    else:
        rests = (
            "The promise assumes that workers err independently of each other, and as often where one answer is true as"
            " where the other is. Each worker was tested alone on the gold tasks, and the jury's accuracy was computed"
            " from that. If errors hang together (similar models, a common difficulty, one answer that is harder to"
            " see), the true accuracy can be far lower."
        )
    return (
        f"{rests} Tasks to come must be like the gold tasks, drawn from the same source, and the workers must stay as"
        " they are: a new version of a model is a new worker."
    )


def missing(pick: Pick) -> str | None:
    """How missing answers were treated, if there are any."""
    gold = pick.search.gold
    if not gold.missing:
        return None
    if pick.search.assume is Assume.INDEPENDENT:
        return (
            f"Of the answers {gold.missing:,} are missing. Each worker is judged on the gold tasks that it answered, so"
            " the promise takes for granted that whether a worker answers has nothing to do with how hard the task is."
        )
    return (
        f"Of the answers {gold.missing:,} are missing. A jury is judged on the gold tasks that all its members"
        " answered, so its promise is for tasks that they all answer."
    )


def warning(pick: Pick) -> str | None:
    """What must not be overlooked."""
    pool = pick.dependence
    if pick.search.assume is not Assume.INDEPENDENT or not pool.contradicted:
        return None
    return (
        "The data contradict independence: errors of these workers occur together far more often than independent"
        f" errors would (test at level 5%; mean correlation of errors {pool.mean:.2f}). Do not rely on this promise:"
        " use --assume nothing."
    )


def more_gold(pick: Pick) -> str | None:
    """What a refusal would need."""
    if pick.feasible:
        return None
    if pick.more_gold_tasks is None:
        return (
            f"More gold tasks alone would not help: {never_seen(pick.search, pick.target)}."
            " Lower the target, add better workers, or allow larger juries (--max-size)."
        )
    return (
        f"About {counted(rounded_up(pick.more_gold_tasks), 'more gold task')}, answered by the same workers as"
        f" accurately as so far, would certify {plain_percent(pick.target)}."
    )


def rounded_up(number: int) -> int:
    """To two significant digits: an estimate must not look like a count."""
    step = int(10 ** max(0, len(str(number)) - 2))
    return -(-number // step) * step


def never_seen(search: Search, target: float) -> str:
    """Why no number of gold tasks certifies this much."""
    share = plain_percent(target)
    if search.assume is Assume.INDEPENDENT:
        return f"even if every worker is just as accurate as it was seen to be, no jury computes to more than {share}"
    which = "that all its members answered" if search.gold.missing else "there are"
    return f"no jury was right on more than {share} of the gold tasks {which}"


def votes_left(pick: Pick) -> str:
    """The effective number of votes, of all and of the jury."""
    pool, workers = pick.dependence, len(pick.search.gold)
    if workers == 1:
        return "There is one worker, so one vote."
    text = (
        f"The {workers:,} workers are worth about {pool.effective:.1f} independent votes (mean correlation of errors"
        f" {pool.mean:.2f})"
    )
    shown = pick.chosen or pick.best
    if shown is not None and len(shown.jury) > 1 and pick.effective_votes is not None:
        text += f"; the {len(shown.jury)} of the jury, {pick.effective_votes:.1f}"
    return f"{text}."
