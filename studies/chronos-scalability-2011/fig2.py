"""Figure 2 of chronos-scalability-2011: mean maximum tardiness on 48 processors, from load 20 on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import correlation

from schedlab.studies import Claim, Results, judge, not_evaluated

from ._scheduling import DISTRIBUTIONS, LARGE, Variant, schedules_study, variants
from ._shares import in_both, paper_name, with_decisions, without_overheads
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

    def judged(variant: Variant) -> list[Claim]:
        found = Tardiness(results, LARGE.schedulers, variant)
        schedulers = variant.of(LARGE.schedulers)
        loads = [load for load in found.loads if load >= FIRST]
        return [*_lowest(found, schedulers, loads), *_fixed_priorities(found, schedulers, loads)]

    free, deciding = (Tardiness(results, LARGE.schedulers, variant) for variant in variants(results))
    overhead = [_fifo_rises(deciding), _jumps(deciding), _then_rises(deciding), _below_full(deciding), _grows(deciding)]
    return [
        *in_both(results, judged),
        *without_overheads([_bounds_tardiness(free, name) for name in BOUNDING]),
        *(_in_overload(free, name) for name in DISTRIBUTIONS),
        *with_decisions(results, overhead),
        not_evaluated(
            "where tardiness begins to rise is quite distinct for the RMS-based algorithms, and not so for the others",
            "it is seen by eye; the text has no measure of it",
        ),
    ]


def _ranked(found: Tardiness, name: str, schedulers: Sequence[str], loads: Sequence[int]) -> list[str]:
    return sorted(schedulers, key=lambda scheduler: found.mean(name, scheduler, loads))


def _numbers(found: Tardiness, name: str, loads: Sequence[int], schedulers: Sequence[str]) -> str:
    return f"mean from load {loads[0]} on: " + ", ".join(
        f"{paper_name(scheduler)} {found.mean(name, scheduler, loads):.1f} ms" for scheduler in schedulers
    )


def _lowest(found: Tardiness, schedulers: Sequence[str], loads: Sequence[int]) -> list[Claim]:
    lowest = [
        judge(
            f"G-NP-EDF, C-EDF and P-EDF provide the lowest tardiness in {name}",
            set(_ranked(found, name, schedulers, loads)[:3]) == set(LOWEST),
            _numbers(found, name, loads, _ranked(found, name, schedulers, loads)),
        )
        for name in DISTRIBUTIONS
        if name != "BHU"
    ]
    begins = {name: found.overload("BHU", name) for name in schedulers}
    never = loads[-1] + 1
    others = [begins[name] or never for name in ("C-EDF", "P-EDF")]
    later = [
        name for name in ("G-EDF", "NG-EDF", "G-FIFO", "SCHED_FIFO") if name in begins
        and (begins[name] or never) > max(others)
    ]  # fmt: skip
    told = ", ".join(f"{paper_name(name)} {load or 'never'}" for name, load in begins.items())
    exception = judge(
        "in BHU C-EDF and P-EDF enter overload earlier than several (two or more) of the global algorithms",
        len(later) > 1,
        f"overload begins at: {told}",
    )
    return [*lowest, exception]


def _fixed_priorities(found: Tardiness, schedulers: Sequence[str], loads: Sequence[int]) -> list[Claim]:
    return [
        judge(
            f"the RMS-based algorithms show high tardiness in {name}: the two highest",
            set(_ranked(found, name, schedulers, loads)[-2:]) == {"G-RM", "P-RM"},
            _numbers(found, name, loads, _ranked(found, name, schedulers, loads)[::-1]),
        )
        for name in DISTRIBUTIONS
    ]


def _bounds_tardiness(free: Tardiness, scheduler: str) -> Claim:
    begins = _begins(free, scheduler)
    return judge(
        f"{paper_name(scheduler)} bounds tardiness in underload: overload never begins",
        not any(begins.values()),
        f"overload begins at: {_told(begins)}",
    )


def _in_overload(found: Tardiness, name: str) -> Claim:
    text = f"once tardiness rises rapidly, G-FIFO provides lower tardiness than SCHED_FIFO: in {name}"
    first = found.overload(name, "SCHED_FIFO")
    if first is None:
        return not_evaluated(text, "without overheads it does not begin to rise up to the largest load")
    pairs = {load: (found.at(name, "G-FIFO", load), found.at(name, "SCHED_FIFO", load)) for load in found.loads}
    risen = {load: pair for load, pair in pairs.items() if load > first}
    told = ", ".join(f"{ours:.0f} and {linux:.0f} ms at load {load}" for load, (ours, linux) in risen.items())
    return judge(text, all(ours < linux for ours, linux in risen.values()), told)


def _begins(found: Tardiness, scheduler: str) -> dict[str, int | None]:
    return {name: found.overload(name, scheduler) for name in DISTRIBUTIONS}


def _told(begins: Mapping[str, int | None]) -> str:
    return ", ".join(f"{name} {load or 'never'}" for name, load in begins.items())


def _fifo_rises(found: Tardiness) -> Claim:
    begins = _begins(found, "G-FIFO")
    return judge(
        "G-FIFO's tardiness is low until overheads bring overload, then rises rapidly: it does so in each distribution",
        all(begins.values()),
        f"overload begins at: {_told(begins)}",
    )


def _jumps(found: Tardiness) -> Claim:
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
    )


def _then_rises(found: Tardiness) -> Claim:
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
    )


def _below_full(found: Tardiness) -> Claim:
    begins = _begins(found, "G-EDF")
    return judge(
        f"G-EDF's jump occurs significantly below 48 in all cases (by {SIGNIFICANT} loads)",
        all(first is not None and first <= found.loads[-1] - SIGNIFICANT for first in begins.values()),
        f"overload begins at: {_told(begins)}",
    )


def _grows(found: Tardiness) -> Claim:
    begins = {scheduler: _begins(found, scheduler) for scheduler in ("G-EDF", "NG-EDF", "G-FIFO")}
    never = found.loads[-1] + 1
    earlier = all(
        (begins["G-EDF"][name] or never) < min(begins[other][name] or never for other in ("NG-EDF", "G-FIFO"))
        for name in DISTRIBUTIONS
    )
    told = "; ".join(f"{paper_name(scheduler)}: {_told(found)}" for scheduler, found in begins.items())
    return judge("G-EDF does not scale as well as G-NP-EDF or G-FIFO: it is in overload earlier", earlier, told)


study = schedules_study(LARGE, "2011-fig2", "figure 2: mean maximum tardiness", plot=plot, claims=claims)
