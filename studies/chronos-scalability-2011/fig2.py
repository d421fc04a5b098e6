"""Figure 2 of chronos-scalability-2011: mean maximum tardiness on 48 processors, from load 20 on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, judge, not_evaluated

from ._scheduling import DISTRIBUTIONS, LARGE, schedules_study
from ._shares import paper_name, rests_on_overheads
from ._tardiness import Tardiness, plot_tardiness

FIRST = 20
LOWEST = ("NG-EDF", "C-EDF", "P-EDF")


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_tardiness(results, directory / "2011-fig2", LARGE.schedulers, FIRST)


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraph on figure 2, sentence by sentence."""
    found = Tardiness(results, LARGE.schedulers)
    loads = [load for load in found.loads if load >= FIRST]
    return [*_lowest(found, loads), *_fixed_priorities(found, loads), *_on_overheads(found)]


def _ranked(found: Tardiness, name: str, loads: Sequence[int]) -> list[str]:
    return sorted(LARGE.schedulers, key=lambda scheduler: found.mean(name, scheduler, loads))


def _numbers(found: Tardiness, name: str, loads: Sequence[int], schedulers: Sequence[str]) -> str:
    return f"mean from load {loads[0]} on: " + ", ".join(
        f"{paper_name(scheduler)} {found.mean(name, scheduler, loads):.1f} ms" for scheduler in schedulers
    )


def _lowest(found: Tardiness, loads: Sequence[int]) -> list[Claim]:
    lowest = [
        judge(
            f"G-NP-EDF, C-EDF and P-EDF provide the lowest tardiness in {name}",
            set(_ranked(found, name, loads)[:3]) == set(LOWEST),
            _numbers(found, name, loads, _ranked(found, name, loads)),
        )
        for name in DISTRIBUTIONS
        if name != "BHU"
    ]
    begins = {name: found.overload("BHU", name) for name in LARGE.schedulers}
    never = loads[-1] + 1
    globally, others = (
        [begins[name] or never for name in names] for names in (("G-EDF", "NG-EDF", "G-FIFO"), ("C-EDF", "P-EDF"))
    )
    told = ", ".join(f"{paper_name(name)} {load or 'never'}" for name, load in begins.items())
    exception = judge(
        "in BHU C-EDF and P-EDF enter overload earlier than several of the global algorithms",
        max(others) < min(globally),
        f"overload begins at: {told}",
    )
    return [*lowest, exception]


def _fixed_priorities(found: Tardiness, loads: Sequence[int]) -> list[Claim]:
    return [
        judge(
            f"the RMS-based algorithms show high tardiness in {name}: the two highest",
            set(_ranked(found, name, loads)[-2:]) == {"G-RM", "P-RM"},
            _numbers(found, name, loads, _ranked(found, name, loads)[::-1]),
        )
        for name in DISTRIBUTIONS
    ]


def _in_overload(found: Tardiness, name: str) -> Claim:
    text = f"once tardiness rises rapidly, G-FIFO provides lower tardiness than SCHED_FIFO: in {name}"
    first = found.overload(name, "SCHED_FIFO")
    if first is None:
        return not_evaluated(text, "without overheads it does not begin to rise up to the largest load")
    pairs = {load: (found.at(name, "G-FIFO", load), found.at(name, "SCHED_FIFO", load)) for load in found.loads}
    risen = {load: pair for load, pair in pairs.items() if load >= first}
    told = ", ".join(f"{ours:.0f} and {linux:.0f} ms at load {load}" for load, (ours, linux) in risen.items())
    return judge(text, all(ours < linux for ours, linux in risen.values()), told)


def _on_overheads(found: Tardiness) -> list[Claim]:
    last = found.loads[-1]

    def at_the_end(scheduler: str) -> str:
        return ", ".join(f"{name} {found.at(name, scheduler, last):.0f} ms" for name in DISTRIBUTIONS)

    return [
        rests_on_overheads(
            "G-FIFO's tardiness is low until overheads bring overload, then rises rapidly",
            f"at load {last} it is {at_the_end('G-FIFO')}",
        ),
        *(_in_overload(found, name) for name in DISTRIBUTIONS),
        rests_on_overheads(
            "G-EDF's tardiness in most cases jumps to about 300 ms, significantly below load 48, then rises linearly",
            f"at load {last} it is {at_the_end('G-EDF')}",
        ),
    ]


study = schedules_study(LARGE, "2011-fig2", "figure 2: mean maximum tardiness", plot=plot, claims=claims)
