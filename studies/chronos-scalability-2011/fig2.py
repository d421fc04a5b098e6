"""Figure 2 of chronos-scalability-2011: mean maximum tardiness on 48 processors, from load 20 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import correlation

from schedlab.studies import Claim, Results, judge, not_evaluated, sentence
from schedlab.studies.checks import Check, Every, Fact, Open, more
from schedlab.studies.claims import Sentence, judged
from schedlab.studies.estimates import means_apart
from schedlab.studies.mutants import Mutant, Row, by_row, is_named, scaled

from ._scheduling import DISTRIBUTIONS, LARGE, Variant, schedules_study, tardiness, variants
from ._shares import by_variant, paper_name
from ._tardiness import Tardiness, plot_tardiness

FIRST = 20
LOWEST = ("NG-EDF", "C-EDF", "P-EDF")
#: Those that should bound tardiness in underload.
BOUNDING = ("G-FIFO", "SCHED_FIFO", "G-EDF", "NG-EDF", "C-EDF", "P-EDF")
#: The part of the variance that a straight line explains.
LINEAR = 0.9
#: In loads.
SIGNIFICANT = 5


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_tardiness(results, directory / "2011-fig2", LARGE.schedulers, FIRST)


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraph on figure 2, sentence by sentence."""

    def sentences(variant: Variant) -> list[Sentence]:
        found = Tardiness(results, LARGE.schedulers, variant)
        late = Late(results, variant)
        fifo = [_in_overload(found, late)] if variant.has_run_queues else []
        return [_lowest(late), _overload_in_bhu(found, variant), _fixed_priorities(late), *fifo]

    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    return [
        *judged(by_variant(results, sentences)),
        _bounds_tardiness(free),
        *(check(deciding, variants(results)[1]) for check in (_fifo_rises, _jumps, _then_rises, _below_full, _grows)),
        not_evaluated(
            "where tardiness begins to rise is quite distinct for the RMS-based algorithms, and not so for the others",
            "it is seen by eye; the text has no measure of it",
        ),
    ]


class Late:
    """The largest tardiness of each set, by distribution and scheduler, in milliseconds."""

    def __init__(self, results: Results, variant: Variant) -> None:
        self.variant = variant
        self.schedulers = variant.of(LARGE.schedulers)
        self.tables = {name: results.where(distribution=name).table for name in DISTRIBUTIONS}

    def of(self, name: str, scheduler: str, first: int = FIRST) -> list[float | None]:
        """By set of the loads from ``first`` on."""
        table = self.tables[name]
        found = zip(
            table.column("load").to_pylist(), table.column(tardiness(scheduler, self.variant)).to_pylist(), strict=True
        )
        return [value for load, value in found if load >= first]

    def more(self, name: str, high: str, low: str, first: int = FIRST) -> Check:
        """Whether the first is later than the second, on the same sets."""
        later, sooner = (self.of(name, scheduler, first) for scheduler in (high, low))
        return more(means_apart(later, sooner, (paper_name(high), paper_name(low)), " ms"))

    def split(self, name: str, high: Sequence[str]) -> Check:
        """Whether each of ``high`` is later than each of the others."""
        low = [other for other in self.schedulers if other not in high]
        return Every({
            f"{paper_name(one)} above {paper_name(other)}": self.more(name, one, other) for one in high for other in low
        })  # fmt: skip


def _late(words: str, *schedulers: str) -> Mutant:
    """The mutant of schedulers whose jobs are all a second late."""
    columns = tuple(f"{scheduler} tardiness" for scheduler in schedulers)

    def changed(row: Row) -> Row:
        return {name: 1000.0 * row["load"] for name in row if is_named(name, columns) and row[name] is not None}

    return by_row(words, changed)


def _punctual(words: str, *schedulers: str) -> Mutant:
    """The mutant of schedulers no job of which is late."""
    return scaled(words, 0, *(f"{scheduler} tardiness" for scheduler in schedulers))


def _lowest(late: Late) -> Sentence:
    return Sentence(
        "G-NP-EDF, C-EDF and P-EDF provide the lowest tardiness, but in BHU",
        {
            name: late.split(name, [other for other in late.schedulers if other not in LOWEST])
            for name in DISTRIBUTIONS
            if name != "BHU"
        },
        _late("a G-NP-EDF, a C-EDF and a P-EDF whose jobs are seconds late", *LOWEST),
    )


def _overload_in_bhu(found: Tardiness, variant: Variant) -> Sentence:
    begins = {name: found.overload("BHU", name) for name in variant.of(LARGE.schedulers)}
    never = found.loads[-1] + 1
    others = [begins[name] or never for name in ("C-EDF", "P-EDF")]
    later = [
        name for name in ("G-EDF", "NG-EDF", "G-FIFO", "SCHED_FIFO") if name in begins
        and (begins[name] or never) > max(others)
    ]  # fmt: skip
    told = ", ".join(f"{paper_name(name)} {load or 'never'}" for name, load in begins.items())
    return Sentence(
        "in BHU C-EDF and P-EDF enter overload earlier than several (two or more) of the global algorithms",
        {"": Fact(len(later) > 1, f"overload begins at: {told}")},
        _punctual("a C-EDF and a P-EDF no job of which is late", "C-EDF", "P-EDF"),
    )


def _fixed_priorities(late: Late) -> Sentence:
    return Sentence(
        "the RMS-based algorithms show high tardiness: the two highest",
        {name: late.split(name, ("G-RM", "P-RM")) for name in DISTRIBUTIONS},
        _punctual("a G-RMS and a P-RMS no job of which is late", "G-RM", "P-RM"),
    )


def _bounds_tardiness(free: Tardiness) -> Claim:
    checks = {}
    for scheduler in BOUNDING:
        begins = _begins(free, scheduler)
        checks[paper_name(scheduler)] = Fact(not any(begins.values()), f"overload begins at: {_told(begins)}")
    return sentence(
        f"{', '.join(checks)} bound tardiness in underload: overload never begins",
        checks,
        _late("schedulers whose jobs are seconds late", *BOUNDING),
    )


def _in_overload(found: Tardiness, late: Late) -> Sentence:
    def check(name: str) -> Check:
        first = found.overload(name, "SCHED_FIFO")
        if first is None:
            return Open("SCHED_FIFO's does not begin to rise up to the largest load")
        return late.more(name, "SCHED_FIFO", "G-FIFO", first + 1)

    return Sentence(
        "once tardiness rises rapidly, G-FIFO provides lower tardiness than SCHED_FIFO",
        {name: check(name) for name in DISTRIBUTIONS},
        _late("a G-FIFO whose jobs are seconds late", "G-FIFO"),
    )


def _begins(found: Tardiness, scheduler: str) -> dict[str, int | None]:
    return {name: found.overload(name, scheduler) for name in DISTRIBUTIONS}


def _told(begins: Mapping[str, int | None]) -> str:
    return ", ".join(f"{name} {load or 'never'}" for name, load in begins.items())


def _fifo_rises(found: Tardiness, variant: Variant) -> Claim:
    both = variant.of(("G-FIFO", "SCHED_FIFO"))
    begins = {scheduler: _begins(found, scheduler) for scheduler in both}
    return sentence(
        f"the tardiness of {' and '.join(both)} is low until overheads bring overload, then rises rapidly: it does so "
        "in each distribution",
        {one: Fact(all(of.values()), f"overload begins at: {_told(of)}") for one, of in begins.items()},
        _punctual("a G-FIFO no job of which is late", "G-FIFO"),
    )


def _jumps(found: Tardiness, variant: Variant) -> Claim:
    """From the knee to two loads on."""
    begins = _begins(found, "G-EDF")
    after = {}
    for name, first in begins.items():
        risen = [load for load in found.loads if first is not None and load > first]
        if risen:
            after[name] = found.at(name, "G-EDF", risen[min(1, len(risen) - 1)])
    told = ", ".join(f"{name} {value:.0f} ms" for name, value in after.items())
    return judge(
        "G-EDF's tardiness in most cases jumps to around 300 ms (within two loads, give or take 100)",
        sum(200 <= value <= 400 for value in after.values()) > len(DISTRIBUTIONS) // 2,
        f"overload begins at: {_told(begins)}; two loads on: {told or 'nothing'}",
        _punctual("a G-EDF no job of which is late", "G-EDF"),
    )


def _then_rises(found: Tardiness, variant: Variant) -> Claim:
    """How well a straight line explains tardiness by load, from two loads after overload begins on."""
    explained = {}
    for name, first in _begins(found, "G-EDF").items():
        risen = [load for load in found.loads if first is not None and load >= first + 2]
        if len(risen) > 2:
            explained[name] = correlation(risen, [found.at(name, "G-EDF", load) for load in risen]) ** 2
    told = ", ".join(f"{name} {part:.2f}" for name, part in explained.items())
    return judge(
        "after the jump G-EDF's tardiness rises linearly in most cases (a line explains 0.9 of its variance)",
        sum(part >= LINEAR for part in explained.values()) > len(DISTRIBUTIONS) // 2,
        f"explained: {told or 'too few loads'}",
        _punctual("a G-EDF no job of which is late", "G-EDF"),
    )


def _below_full(found: Tardiness, variant: Variant) -> Claim:
    begins = _begins(found, "G-EDF")
    return judge(
        f"G-EDF's jump occurs significantly below 48 in all cases (by {SIGNIFICANT} loads)",
        all(first is not None and first <= found.loads[-1] - SIGNIFICANT for first in begins.values()),
        f"overload begins at: {_told(begins)}",
        _punctual("a G-EDF no job of which is late", "G-EDF"),
    )


def _grows(found: Tardiness, variant: Variant) -> Claim:
    begins = {scheduler: _begins(found, scheduler) for scheduler in ("G-EDF", "NG-EDF", "G-FIFO")}
    never = found.loads[-1] + 1
    earlier = all(
        (begins["G-EDF"][name] or never) < min(begins[other][name] or never for other in ("NG-EDF", "G-FIFO"))
        for name in DISTRIBUTIONS
    )
    told = "; ".join(f"{paper_name(scheduler)}: {_told(found)}" for scheduler, found in begins.items())
    return judge(
        "G-EDF does not scale as well as G-NP-EDF or G-FIFO: it is in overload earlier", earlier, told,
        _punctual("a G-EDF no job of which is late", "G-EDF"),
    )  # fmt: skip


study = schedules_study(LARGE, "2011-fig2", "figure 2: mean maximum tardiness", plot=plot, claims=claims)
