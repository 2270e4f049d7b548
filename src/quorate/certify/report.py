"""The report: one self-contained HTML page for whoever pays for the answers, readable on a phone and on paper."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage

from quorate import __version__
from quorate.certify import charts, words
from quorate.certify.bounds import lower_bound
from quorate.certify.dependence import ENOUGH_TASKS, NEAR_DUPLICATE, Dependence
from quorate.certify.frontier import EVERYTHING, Jury
from quorate.certify.more_gold import Outlook, needed
from quorate.certify.picking import Certified, Pick, certificate, certified_alone
from quorate.certify.report_style import STYLE
from quorate.certify.scan import Progress
from quorate.certify.search import Group, Search
from quorate.certify.terms import Assume, Vote
from quorate.certify.words import amount, percent, plain_percent
from quorate.errors import InvalidInput
from quorate.model.fixed_point import BILLIONTHS
from quorate.model.interval.base import Counts
from quorate.wording import counted

# A phone shows this many rows of a long list before it is folded.
ROWS = 30
# Accuracies for which the page says how much gold they would take.
MILESTONES = (0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99)
# A jury certified at no more than a coin's accuracy is of no use to anyone.
COIN = 0.5


def write_report(found: Pick, file: Path | str, progress: Progress | None = None) -> None:
    """The page, into a file."""
    page = report_html(found, progress)
    try:
        Path(file).write_text(page, encoding="utf-8")
    except OSError as error:
        raise InvalidInput(
            f"the report {file} cannot be written ({error.strerror}); make room there, or give another path"
        ) from error


def report_html(found: Pick, progress: Progress | None = None) -> str:
    """The page as text. It searches again, for the whole frontier."""
    search = found.search
    frontier = [certificate(search, jury) for jury in search.frontier(EVERYTHING, progress)]
    sections = [
        _verdict(found),
        _assumption(found),
        _frontier(found, [jury for jury in frontier if jury.certified_accuracy > COIN]),
        _qualities(found),
        _dependence(found),
        _gold(found),
        _method(found),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(words.headline(found))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        "<h1>Certified jury: whom to ask, at what price, with what certainty</h1>\n"
        + "\n".join(section for section in sections if section)
        + f"\n<footer>Made by quorate {escape(__version__)}.</footer>\n</main>\n</body>\n</html>\n"
    )


def _section(heading: str, *parts: str, css: str = "") -> str:
    kind = f' class="{css}"' if css else ""
    return f"<section{kind}>\n<h2>{escape(heading)}</h2>\n{''.join(parts)}\n</section>"


def _p(content: str | None, css: str = "") -> str:
    if not content:
        return ""
    kind = f' class="{css}"' if css else ""
    return f"<p{kind}>{escape(content)}</p>\n"


def _table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int, chosen: Sequence[bool] = ()
) -> str:
    """A table whose columns from `numbers_from` on are numbers."""

    def cells(tag: str, values: Sequence[str]) -> str:
        return "".join(
            f'<{tag} class="n">{escape(value)}</{tag}>' if i >= numbers_from else f"<{tag}>{escape(value)}</{tag}>"
            for i, value in enumerate(values)
        )

    marked = list(chosen) or [False] * len(rows)
    body = "".join(
        f"<tr{' class=chosen' if mark else ''}>{cells('td', row)}</tr>" for row, mark in zip(rows, marked, strict=True)
    )
    head = f"<thead><tr>{cells('th', headings)}</tr></thead>"
    return f'<div class="scroll"><table>{head}<tbody>{body}</tbody></table></div>\n'


def _verdict(found: Pick) -> str:
    shown = found.chosen or found.best
    doubtful = words.warning(found) is not None
    badge = f"{'certified' if found.feasible else 'not certified'} at {plain_percent(found.target)}"
    if found.feasible and doubtful:
        badge += ", if errors were independent: they are not"
    parts = [
        f'<span class="badge">{escape(badge)}</span>\n',
        f'<p class="answer">{escape(words.headline(found))}</p>\n',
        _p(words.promise(found)),
        _p(words.warning(found), "warning"),
        _p(words.more_gold(found)),
    ]
    if shown is not None:
        figures = [
            (percent(shown.certified_accuracy), "certified accuracy, at least"),
            (percent(shown.empirical_accuracy or 0.0) if shown.tasks else "none", "seen on the gold tasks"),
            (amount(shown.price), "price per task"),
            (str(len(shown.jury)), "asked per task"),
        ]
        boxes = "".join(f"<div><b>{escape(value)}</b><span>{escape(name)}</span></div>" for value, name in figures)
        parts += [f'<div class="figures">{boxes}</div>\n', _p(words.how_it_votes(shown), "note")]
    return f'<section class="verdict {"yes" if found.feasible and not doubtful else "no"}">\n{"".join(parts)}</section>'


def _assumption(found: Pick) -> str:
    return _section("What this promise rests on", _p(words.assumption(found)), _p(words.missing(found)))


def _frontier(found: Pick, frontier: Sequence[Certified]) -> str:
    """Every certified jury that no other dominates."""
    if not frontier:
        return _section("What money buys", _p("No jury can be certified at more than a coin's accuracy."))
    spots = [_spot(jury) for jury in frontier]
    chosen = None if found.chosen is None else _spot(found.chosen)
    explain = (
        "Each step is a jury that no other beats: cheaper ones are certified at less, and anything certified at"
        " more costs more. Open circles are single workers. Only juries certified above 50% are shown."
    )
    rows = [
        [
            ", ".join(jury.jury),
            amount(jury.price),
            percent(jury.certified_accuracy),
            percent(jury.empirical_accuracy or 0.0) if jury.tasks else "none",
        ]
        for jury in frontier
    ]
    marks = [found.chosen is not None and jury.jury == found.chosen.jury for jury in frontier]
    table = _table(["Jury", "Price", "Certified", "Seen"], rows, 1, marks)
    if len(rows) > ROWS // 2:
        table = f"<details><summary>All {len(rows):,} juries of the steps</summary>{table}</details>\n"
    return _section(
        "What money buys",
        _p(explain, "note"),
        charts.frontier_chart(spots, _singles(found.search), chosen, found.target),
        table,
    )


def _spot(jury: Certified) -> charts.Spot:
    return charts.Spot(jury.price, jury.certified_accuracy, ", ".join(jury.jury), len(jury.jury))


def _singles(search: Search) -> list[charts.Spot]:
    """Every worker alone, at what it is certified."""
    return [
        charts.Spot(price / BILLIONTHS, value / BILLIONTHS, name, 1)
        for name, price, value in zip(
            search.gold.workers, search.prices.tolist(), certified_alone(search).tolist(), strict=True
        )
    ]


def _qualities(found: Pick) -> str:
    """Every worker with its interval: two-sided Clopper-Pearson, all of them together at the report's confidence."""
    search, gold = found.search, found.search.gold
    level = search.mu / (2 * len(gold))
    low = lower_bound(gold.rights, gold.answers, level)
    high = 1.0 - lower_bound(gold.answers - gold.rights, gold.answers, level)
    seen = gold.rights / gold.answers
    mine = set((found.chosen or found.best or found.best_single).jury)
    rows = [
        charts.Quality(gold.workers[i], float(low[i]), float(seen[i]), float(high[i]), int(gold.answers[i]),
                       gold.workers[i] in mine)
        for i in np.lexsort((-gold.answers, -seen)).tolist()
    ]  # fmt: skip
    explain = (
        f"Dots: right answers on the gold tasks. Bars: what is plausible, for all workers at once with confidence"
        f" {plain_percent(found.confidence)}. Green: the jury above."
    )
    folded = ""
    if len(rows) > ROWS:
        more = charts.quality_chart(rows[ROWS:])
        folded = f"<details><summary>The other {len(rows) - ROWS:,} workers</summary>{more}</details>\n"
    return _section(
        "How good each worker is", _p(explain, "note"), charts.quality_chart(rows[:ROWS]), folded, css="long"
    )


def _dependence(found: Pick) -> str:
    pool, gold = found.dependence, found.search.gold
    if len(gold) == 1:
        return ""
    verdict = (
        "The data contradict independent errors (test at level 5%): errors occur together more often than chance"
        " allows."
        if pool.contradicted
        else "The data do not contradict independent errors (test at level 5%); that is not proof of independence."
    )
    explain = (
        "Errors that occur together make votes worth less: when one of two alike workers is wrong, so is the other."
        " Orange: errors occur together; blue: they avoid each other. Like workers stand side by side; columns"
        " are in the order of the rows."
    )
    unsure = f"Struck through: fewer than {ENOUGH_TASKS} common tasks, too few to tell." if _few_pairs(pool) else ""
    order = _like_beside_like(pool)
    return _section(
        "Do their errors hang together?",
        _p(words.votes_left(found)),
        _p(verdict, "warning" if pool.contradicted and found.search.assume is Assume.INDEPENDENT else ""),
        _p(explain, "note"),
        charts.heat_map(pool, order, gold.workers),
        charts.shade_key(),
        _p(unsure, "note"),
        _in_map_order(order, gold.workers),
        _duplicates(found),
    )


def _few_pairs(pool: Dependence) -> int:
    return int(np.triu(pool.few, 1).sum())


def _in_map_order(order: Counts, names: Sequence[str]) -> str:
    """Who the rows of the map are: names do not fit beside many of them, or on a phone."""
    rows = "".join(f"<li>{escape(names[i])}</li>" for i in order.tolist())
    return f'<details><summary>The workers in the order of the map</summary><ol class="workers">{rows}</ol></details>\n'


def _like_beside_like(pool: Dependence) -> Counts:
    """Workers in the order of an average-linkage tree on 1 - correlation."""
    n = len(pool.correlation)
    if n < 3:
        return np.arange(n)
    distance = 1.0 - np.nan_to_num(pool.correlation, nan=0.0)
    return np.asarray(leaves_list(linkage(distance[np.triu_indices(n, 1)], method="average")), dtype=np.int64)


def _duplicates(found: Pick) -> str:
    pool, names = found.dependence, found.search.gold.workers
    pairs = pool.near_duplicates
    what = f"correlation of errors of {NEAR_DUPLICATE} or more on {ENOUGH_TASKS} or more common tasks"
    few = _few_pairs(pool)
    unknown = f" Of {counted(few, 'pair')} with fewer nothing is said." if few else ""
    if not pairs:
        return _p(f"No two workers are near-duplicates ({what}).{unknown}")
    rows = [[f"{names[p.first]} and {names[p.second]}", f"{p.correlation:.2f}"] for p in pairs]
    count = "1 pair is" if len(pairs) == 1 else f"{len(pairs):,} pairs are"
    say = f"{count} nearly one worker ({what}): paying both buys little.{unknown}"
    headings = ["Workers", "Correlation"]
    table = _table(headings, rows[:10], 1)
    if len(rows) > 10:
        rest = _table(headings, rows[10:], 1)
        table += f"<details><summary>The other {len(rows) - 10:,} pairs</summary>{rest}</details>\n"
    return _p(say) + table


def _gold(found: Pick) -> str:
    """What more gold tasks would buy."""
    search = found.search
    outlook = Outlook.of(search)
    if not outlook.leaders:
        return ""
    tasks = search.gold.tasks
    totals = np.unique(np.round(np.geomspace(max(10.0, tasks / 8.0), tasks * 32.0, 33)))
    curves = [
        charts.Curve(_group_name(group), outlook.curve(group, jury, totals), _ceiling(search, group, jury))
        for group, jury in outlook.leaders
    ]
    explain = (
        "Curves: what the most accurate jury of each size would be certified at, if it stayed as accurate as it was"
        " seen to be. More gold brings a certificate closer to what is seen, never above it. The best of many looks"
        " a little better than it is, so take these as round numbers."
    )
    certified_now = max(jury.certified for _, jury in outlook.leaders) / BILLIONTHS
    return _section(
        "What more gold would buy",
        _p(explain, "note"),
        charts.gold_chart(totals, curves, tasks, found.target),
        _milestones(search, certified_now),
    )


def _group_name(group: Group) -> str:
    if group.size == 1:
        return "one worker"
    return f"{group.size} by {'weight' if group.vote is Vote.WEIGHTED else 'majority'}"


def _ceiling(search: Search, group: Group, jury: Jury) -> float:
    """What endless gold would certify."""
    if search.assume is Assume.INDEPENDENT:
        return jury.certified / BILLIONTHS
    return jury.right / jury.tasks


def _milestones(search: Search, certified_now: float) -> str:
    rows, beyond, tasks = [], "", search.gold.tasks
    ahead = [accuracy for accuracy in MILESTONES if accuracy > certified_now]
    for accuracy, total in zip(ahead, needed(search, ahead), strict=True):
        if total is None:
            never = words.never_seen(search, accuracy)
            beyond = _p(f"{plain_percent(accuracy)} is out of reach of gold alone: {never}.")
            break
        more = words.rounded_up(total - tasks)
        rows.append([plain_percent(accuracy), f"{tasks + more:,}", f"{more:,}"])
    table = _table(["To certify", "Gold tasks in all, about", "More than today"], rows, 1) if rows else ""
    return table + beyond


def _method(found: Pick) -> str:
    """The numbers that an auditor asks for."""
    search, gold = found.search, found.search.gold
    facts = [
        ["Target, confidence", f"{found.target:g}, {found.confidence:g}"],
        ["Assumption", search.assume.value],
        ["Workers", f"{len(gold):,} ({len(gold.left_out):,} left out for too few answers on gold tasks)"],
        ["Gold tasks", f"{gold.tasks:,} ({gold.dropped_tasks:,} dropped: without truth, or without answers)"],
        ["Answers", f"{int(gold.answers.sum()):,} ({gold.missing:,} missing)"],
        ["Labels", " and ".join(gold.classes)],
        ["Juries considered", f"{search.considered:,}"],
    ]
    if search.assume is Assume.NOTHING:
        facts += [
            [f"Level of each test, {_group_name(group)}", f"{group.level:.3g} ({group.juries:,} juries)"]
            for group in search.groups
        ]
        bound = (
            "Clopper-Pearson lower bound on the jury's own verdicts, the error probability shared equally by the"
            " sizes and, within a size, by all juries of that size."
        )
    else:
        facts.append(["Level of each worker's test", f"{search.mu / len(gold):.3g}"])
        bound = (
            "Clopper-Pearson lower bound on each worker's accuracy, the error probability shared equally by the"
            " workers; the jury's accuracy at those bounds is computed exactly."
        )
    return _section("How it was computed", _p(bound, "note"), _table(["", ""], facts, 2), css="long")
