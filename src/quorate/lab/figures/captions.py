"""What every caption must say: the setting, and our choice wherever the paper leaves one open (MATHS 5)."""

from quorate.lab.figures.settings import CONFIDENCE, SLACK, TARGET, Settings

BANDS = (
    "Lines are means over the samples; dark shades are 95% confidence intervals of the mean, light ones hold the "
    "middle 80% of the samples."
)
MU = f"The paper does not state μ; here μ = {1 - CONFIDENCE:.2g}."
TIES = (
    "Ties in GA's order go to the lower index, and its S₀ is empty where the first worker alone is enough. The loop "
    "goes on at f = α, and its first check, at t = 2, uses the bounds after one answer."
)
MINIMAL = (
    "MINIMAL adds the highest pessimistic quality first until the target holds; if it never does, everybody is asked."
)
CLIP = "Hoeffding intervals are clipped to [1/2, 1], where Algorithm 1 starts them, and are not nested."
INFEASIBLE = "Where no jury reaches the optimistic target, everybody is asked and learning goes on."
ELIMINATION = (
    "CCB-SE eliminates for good, and its k is the last place, in the order of price per pessimistic value, that GA "
    "uses."
)
EPSILON = "ε-greedy learns in every round, clips its estimates to [1/2, 1] and takes no slack."
OURS = (
    "assured: pool of the 60 lowest bids, log-odds bound, exact selection with random keys for ties, nested anytime "
    "intervals, {stopping} stopping, no slack."
)


def setting(settings: Settings, *, workers: str | None = None) -> str:
    """Samples, workers, tasks and the promise; prices are true costs."""
    crowd = workers or f"{settings.workers:,} workers"
    samples = "1 sample" if settings.samples == 1 else f"{settings.samples:,} samples"
    return (
        f"{samples} (seed {settings.seed}), {crowd}: six in eleven with price 20 and quality 2/3, the others with "
        f"price U[10, 20] and quality U[2/3, 1]; {settings.tasks:,} tasks, α = {1 - TARGET:.2g}, slack ξ = "
        f"{SLACK:g}. Selection is GA on Σ(2q−1) ≥ 6 ln(1/α)."
    )


def choices(*, assured: bool, stopping: str = "price-gap") -> str:
    """Everything about the policies that the paper leaves open; `stopping` is that of `assured`."""
    said = [MU, TIES, MINIMAL, CLIP, INFEASIBLE, ELIMINATION, EPSILON]
    return " ".join([*said, OURS.format(stopping=stopping)] if assured else said)


def caption(*paragraphs: str) -> str:
    return "\n".join(paragraphs)
