"""Table I of chronos-scalability-2011: the load at which overload begins on 48 processors.

The knee that stands for "begins to rise rapidly" is defined in `_tardiness`, with two other readings, which are drawn
beside it. The paper's numbers have the overheads of its machine. Ours have none, or those of decisions. These are
fitted to three things of the table (`_fitted`): the lost share to P-EDF's row, hand-overs to G-EDF's row, the queue's
lock to the number of G-NP-EDF for light uniform sets. That these agree with the table was made so, and says nothing:
they cannot fail. How near the numbers are is no sentence of the paper either, so these are checks of our own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Any

from schedlab.plots import CURVES, PAGE, footnote, paper_style, save_figure
from schedlab.studies import Claim, Results
from schedlab.studies.bootstrap import Interval
from schedlab.studies.checks import Settled
from schedlab.studies.claims import Sentence, judged
from schedlab.studies.mutants import Mutant, by_row, is_named, scaled

from ._scheduling import DECIDING, FREE, LARGE, charges_of, schedules_study, sets_with, variants
from ._shares import by_variant, paper_name, with_decisions, without_overheads
from ._tardiness import DEFINITIONS, KNEE, LOOKS, Definition, Tardiness, told_interval

#: By scheduler and distribution.
COLUMNS = ("BHB", "BHU", "BMB", "BMU", "BLB", "BLU")
PAPER = {
    "SCHED_FIFO": (44, 45, 44, 43, 43, 36),
    "G-FIFO": (44, 45, 44, 44, 44, 40),
    "G-EDF": (36, 37, 35, 33, 33, 24),
    "NG-EDF": (46, 46, 46, 46, 46, 42),
    "C-EDF": (39, 39, 44, 43, 44, 42),
    "P-EDF": (39, 31, 44, 43, 44, 46),
}


#: From the fewest tasks of a load to the most.
BY_TASKS = ("BHU", "BHB", "BMB", "BLB", "BMU", "BLU")
#: "About the same" as the paper's load.
NEAR = 2

#: By scheduler: what of its row the costs of decisions are fitted to, so that it cannot fail.
FITTED = {
    "G-EDF": "whose row the costs are fitted to",
    "P-EDF": "whose row the lost share is fitted to",
    "NG-EDF": "whose BLU the queue's lock is fitted to",
}

#: Loads: an interval may be so wide.
WIDE = 2
#: By distribution: the load at which overload begins under a scheduler.
Row = Mapping[str, Interval]


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The table as dots, once for each definition: the paper's filled, ours with overheads hollow, without them
    crosses, each with its interval; above all loads where overload does not begin.
    """
    import matplotlib.pyplot as plt

    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    with paper_style():
        figure, rows = plt.subplots(len(DEFINITIONS), 1, figsize=(PAGE, 8.4), sharex=True, sharey=True)
        for axes, definition in zip(rows, DEFINITIONS, strict=True):
            _draw(axes, definition, free, deciding)
        rows[-1].set_xticks(range(len(COLUMNS)), COLUMNS)
        figure.legend(*rows[0].get_legend_handles_labels(), loc="outside upper center", ncols=6)
        sets = results.provenance["sets"]
        footnote(
            figure,
            f"filled: the paper's table I, by eye; hollow: here with {deciding.variant.heading}; crosses: here without "
            f"overheads; intervals: {_said_confidence()}; {sets} sets per load, {sets_with(results)}; "
            f"{charges_of(results)}",
        )
        return save_figure(figure, directory / "2011-table1")


def _draw(axes: Any, definition: Definition, free: Tardiness, deciding: Tardiness) -> None:
    never = free.loads[-1] + 2
    for place, (scheduler, stated) in enumerate(PAPER.items()):
        style = {key: value for key, value in CURVES[place].items() if key != "linestyle"}
        at = [column + 0.14 * (place - 2.5) for column in range(len(COLUMNS))]
        axes.plot(at, stated, linestyle="", label=paper_name(scheduler), **style)
        crosses = {**style, "marker": "x"}
        for found, shift, look in ((free, -0.025, crosses), (deciding, 0.025, {**style, "markerfacecolor": "white"})):
            if scheduler not in found.variant.of(LARGE.schedulers):
                continue
            for middle, name in zip(at, COLUMNS, strict=True):
                seen = found.interval(name, scheduler, definition)
                low, value, high = (min(load, never) for load in (seen.low, seen.value, seen.high))
                axes.vlines(middle + shift, low, high, color=style["color"], linewidth=0.7)
                axes.plot([middle + shift], [value], linestyle="", **look)
    axes.set_title(f"overload begins: {definition.heading}")
    axes.set_yticks([24, 30, 36, 42, 48, never], ["24", "30", "36", "42", "48", "never"])
    axes.set_ylabel("load where overload begins")


def undecided(results: Results) -> list[str]:
    """The loads of which an interval is wider than `WIDE`, in words."""
    found = []
    for variant in variants(results):
        tardiness = Tardiness(results, LARGE.schedulers, variant)
        never = tardiness.loads[-1] + 1
        for scheduler in variant.of(list(PAPER)):
            for where, load in _row(tardiness, scheduler).items():
                if min(load.high, never) - min(load.low, never) > WIDE:
                    found.append(f"{paper_name(scheduler)} {where} [{variant.heading}]: {told_interval(load)}")
    return found


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraph on table I, and how near its numbers are."""
    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    both = by_variant(results, lambda variant: [_partitioned(free if variant is FREE else deciding)])
    near = [_near(deciding, name) for name in deciding.variant.of(list(PAPER))]
    return [
        *judged(both),
        *with_decisions(results, judged([_concurrent(deciding), _by_tasks(deciding)])),
        *without_overheads(judged([*map(partial(_near, free), PAPER), _shifted(free)])),
        *with_decisions(results, judged(near)),
    ]


def _partitioned(found: Tardiness) -> Sentence:
    row = _row(found, "P-EDF")
    return Sentence(
        "partitioned algorithms have difficulties with heavy sets and perform well with lighter ones",
        {"": Settled(row["BLU"].is_after(row["BHU"]), f"P-EDF: overload begins at {_told(row)}")},
        _punctual("P-EDF"),
    )


def _concurrent(deciding: Tardiness) -> Sentence:
    stopped = _row(deciding, "G-EDF")
    together = {scheduler: _row(deciding, scheduler) for scheduler in ("G-FIFO", "NG-EDF")}
    parts = {
        paper_name(scheduler): Settled(
            _all(row[where].is_after(stopped[where]) for where in COLUMNS),
            f"overload begins at {_told(row)}; G-EDF: {_told(stopped)}",
        )
        for scheduler, row in together.items()
    }
    return Sentence(
        "the concurrent architecture (G-FIFO, G-NP-EDF) scales reasonably well: overload begins after G-EDF's",
        parts,
        _punctual("G-EDF"),
    )


def _by_tasks(deciding: Tardiness) -> Sentence:
    row = _row(deciding, "G-EDF")
    told = "from the fewest tasks to the most: " + _told({where: row[where] for where in BY_TASKS})
    return Sentence(
        "G-EDF's scaling is almost directly proportional to the number of tasks: the more, the earlier",
        {"": Settled(_all(_is_not(row[more].is_after(row[fewer])) for fewer, more in pairwise(BY_TASKS)), told)},
        _late_where(BY_TASKS[0], "G-EDF"),
    )


def _punctual(scheduler: str) -> Mutant:
    return scaled(f"a {paper_name(scheduler)} no job of which is late", 0, f"{scheduler} tardiness")


def _late_where(distribution: str, scheduler: str) -> Mutant:
    """The mutant in whose sets of one distribution jobs are seconds late from the first load on."""

    def changed(row: Mapping[str, Any]) -> Mapping[str, Any]:
        return {
            name: 1000.0 * row["load"]
            for name in row
            if row["distribution"] == distribution and is_named(name, (f"{scheduler} tardiness",))
        }

    return by_row(f"a {paper_name(scheduler)} whose jobs are seconds late in {distribution}", changed)


def _row(found: Tardiness, scheduler: str, definition: Definition = KNEE) -> Row:
    return {where: found.interval(where, scheduler, definition) for where in COLUMNS}


def _told(row: Row) -> str:
    return ", ".join(f"{where} {told_interval(load)}" for where, load in row.items())


def _said_confidence() -> str:
    return f"{100 * LOOKS.confidence:g}%, at whichever of {', '.join(map(str, LOOKS.sizes))} sets a run stops"


def _is_not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _all(answers: Iterable[bool | None]) -> bool | None:
    """Returns whether all answers are yes: one that is no decides; without one, an open one leaves all of them open."""
    found = set(answers)
    return False if False in found else None if None in found else True


def _near(found: Tardiness, scheduler: str) -> Sentence:
    """A check of our own: how near the table's numbers are."""
    ours, stated = _row(found, scheduler), dict(zip(COLUMNS, PAPER[scheduler], strict=True))
    fitted = FITTED.get(scheduler, "") if found.variant.suffix == DECIDING.suffix else ""
    near = _all(ours[where].is_within(load - NEAR, load + NEAR) for where, load in stated.items())
    told = f"{_told(ours)}; paper: {', '.join(f'{where} {load}' for where, load in stated.items())}"
    return Sentence(
        f"overload begins within {NEAR} loads of the paper's: {paper_name(scheduler)}{f', {fitted}' if fitted else ''}",
        {"": Settled(near, told)},
        _punctual(scheduler),
        is_own=True,
    )


def _shifted(free: Tardiness) -> Sentence:
    """A check of our own: P-EDF's row, in which no processor waits for another, is the paper's but for a constant."""
    rows = {definition.heading: _row(free, "P-EDF", definition) for definition in DEFINITIONS}
    pairs = zip(rows[KNEE.heading].values(), PAPER["P-EDF"], strict=True)
    later = [(found.low - stated, found.high - stated) for found, stated in pairs if isfinite(found.value)]
    lows, highs = ([ends[place] for ends in later] for place in (0, 1))
    # At most and at least so far apart are the differences, wherever in their intervals the loads are.
    most, least = (max(highs) - min(lows), max(lows) - min(highs)) if later else (inf, inf)
    told = "; ".join(f"{heading}: {_told(row)}" for heading, row in rows.items())
    return Sentence(
        f"P-EDF's row is the paper's, later by a constant (give or take {NEAR - 1}), where overload begins at all",
        {
            "": Settled(
                True if most <= 2 * (NEAR - 1) else False if least > 2 * (NEAR - 1) else None,
                f"{told}; paper: {', '.join(map(str, PAPER['P-EDF']))}",
            )
        },
        _punctual("P-EDF"),
        is_own=True,
    )


study = schedules_study(
    LARGE, "2011-table1", "table I: where overload begins", plot=plot, claims=claims, looks=LOOKS, undecided=undecided
)
