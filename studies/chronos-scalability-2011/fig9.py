"""Figure 9 of chronos-scalability-2011: how many sets miss no deadline on 16 processors, by load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import floor, log
from pathlib import Path

from schedlab.studies import Claim, Results, judge

from ._scheduling import DISTRIBUTIONS, SMALL, Variant, schedules_study
from ._shares import Shares, in_both, paper_name, plot_shares, without_overheads

#: Section 3.4.1: the loads up to which all sets are scheduled.
ALL_SETS = {
    "P-EDF": {"BHU": 10, "BHB": 12, "BMB": 13, "BLB": 14, "BLU": 15},
    "G-EDF": {"BHU": 11, "BHB": 8, "BMB": 8, "BLB": 7},
}
LOW = 4
#: In percentage points.
WIDE = 10.0
#: From the heaviest tasks, on average, to the lightest: 0.7, 0.5, 0.4, 0.3, 0.25, 0.05.
BY_WEIGHT = ("BHU", "BHB", "BMB", "BLB", "BMU", "BLU")
#: What no task exceeds.
LARGEST = {"BHU": 0.9, "BHB": 0.9, "BMU": 0.4, "BMB": 0.9, "BLU": 0.1, "BLB": 0.9}
#: By scheduler: the load that is proved schedulable, by the largest utilization.
BOUNDS: dict[str, Callable[[float], float]] = {
    "G-EDF": lambda largest: 16 - 15 * largest,
    "G-RM": lambda largest: 8 * (1 - largest) + largest,
    "P-EDF": lambda largest: 16 * (0.95 - largest) + largest,
    "P-RM": lambda largest: max(16 * (log(2) - largest) + largest, 17 * log(2) / 2),
}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig9", SMALL.schedulers)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.1, sentence by sentence."""

    def judged(variant: Variant) -> list[Claim]:
        shares = Shares(results, SMALL.schedulers, variant)
        return [*_by_deadline(shares), *_at_low_loads(shares), *_partitioned(shares), *_non_preemptive(shares)]

    free = Shares(results, SMALL.schedulers)
    return [*without_overheads([*_achieve_bounds(free), _expected(free)]), *in_both(results, judged)]


def _achieve_bounds(free: Shares) -> list[Claim]:
    """Whether all sets are scheduled up to what is proved for 16 processors and tasks of at most so much.

    G-EDF: Goossens, Funk and Baruah 2003. G-RMS: Bertogna, Cirinei and Lipari 2005. P-EDF: on a processor of at most
    0.95 all are in time, and a task of u fits nowhere only if each processor holds more than 0.95 - u. P-RMS: the least
    loaded processor of m holds U/m + u (1 - 1/m) at most once it has a task of u, which is to be at most ln 2. If it
    had a task before, m + 1 tasks are at least as large, so that this is 2 U / (m + 1) at most.
    """
    found = []
    for scheduler, bound in BOUNDS.items():
        proved = {name: bound(largest) for name, largest in LARGEST.items()}
        last = {name: free.all_up_to(name, scheduler) for name in LARGEST}
        found.append(
            judge(
                f"{paper_name(scheduler)} achieves its theoretical bound in all cases",
                all(last[name] >= floor(proved[name]) for name in LARGEST),
                "all sets up to, and bound: "
                + ", ".join(f"{name} {last[name]} and {proved[name]:.1f}" for name in LARGEST),
            )
        )
    return found


def _expected(free: Shares) -> Claim:
    """Those of the sentence before: P-EDF up to larger loads in the bimodal cases, G-EDF in BHU."""
    last = {name: [free.all_up_to(name, one) for one in ("P-EDF", "G-EDF")] for name in ALL_SETS["G-EDF"]}
    return judge(
        "the differences of P-EDF and G-EDF are not due to scaling problems: they are there without overheads",
        all(ours > other if name != "BHU" else ours < other for name, (ours, other) in last.items()),
        "all sets up to, P-EDF and G-EDF: "
        + ", ".join(f"{name} {ours} and {other}" for name, (ours, other) in last.items()),
    )


def _by_deadline(shares: Shares) -> list[Claim]:
    clustered = [
        shares.never_fewer(f"C-EDF outperforms G-EDF: in {name}", name, "C-EDF", "G-EDF") for name in DISTRIBUTIONS
    ]
    others = ("NG-EDF", "G-FIFO", "G-RM", "G-NP-HVDF")
    both = [
        judge(
            f"C-EDF and G-EDF outperform all other global algorithms: in {name}",
            set(shares.ranked(name, ("C-EDF", "G-EDF", *others))[:2]) == {"C-EDF", "G-EDF"},
            shares.means(name, ("C-EDF", "G-EDF", *others)),
        )
        for name in ("BHB", "BHU", "BMB", "BLB")
    ]
    return [*clustered, *both]


def _at_low_loads(shares: Shares) -> list[Claim]:
    means = {
        scheduler: [shares.mean(name, scheduler) for name in DISTRIBUTIONS] for scheduler in ("G-FIFO", "G-NP-HVDF")
    }
    varying = [
        judge(
            f"{scheduler} shows widely varying performance (mean shares {WIDE:.0f} points apart)",
            max(found) - min(found) >= WIDE,
            "mean over loads: "
            + ", ".join(f"{name} {mean:.1f}%" for name, mean in zip(DISTRIBUTIONS, found, strict=True)),
        )
        for scheduler, found in means.items()
    ]
    low = [
        judge(
            f"{scheduler} meets all deadlines consistently only under low loads (of at most {LOW})",
            max(found.values()) <= LOW,
            "all sets up to " + ", ".join(f"{name} {last}" for name, last in found.items()),
        )
        for scheduler in ("G-FIFO", "G-NP-HVDF")
        for found in ({name: shares.all_up_to(name, scheduler) for name in DISTRIBUTIONS},)
    ]
    return [*varying, *low]


def _partitioned(shares: Shares) -> list[Claim]:
    stated = [
        shares.all_sets_up_to(
            f"{scheduler} schedules all sets up to a load of {load} in {name} (give or take one)", scheduler, name, load
        )
        for scheduler, loads in ALL_SETS.items()
        for name, load in loads.items()
    ]
    bimodal = [
        shares.more_on_average(f"P-EDF performs better than {paper_name(other)} in {name}", name, "P-EDF", other)
        for name in ("BHB", "BMB", "BLB")
        for other in ("G-EDF", "NG-EDF")
    ]
    heavy = [
        shares.more_on_average(f"P-EDF performs worse than {paper_name(other)} in BHU", "BHU", other, "P-EDF")
        for other in ("G-EDF", "NG-EDF")
    ]
    last = [shares.all_up_to(name, "P-EDF") for name in BY_WEIGHT]
    proportional = judge(
        "the load up to which P-EDF schedules all sets goes with the average weight of tasks: the heavier, the lower",
        all(later >= earlier for earlier, later in pairwise(last)),
        "all sets up to: " + ", ".join(f"{name} {load}" for name, load in zip(BY_WEIGHT, last, strict=True)),
    )
    return [*stated, proportional, *bimodal, *heavy]


def _non_preemptive(shares: Shares) -> list[Claim]:
    below = [
        shares.more_on_average(f"{other} outperforms G-NP-EDF in {name}", name, scheduler, "NG-EDF")
        for name in ("BHB", "BHU", "BMB")
        for scheduler, other in (("G-EDF", "G-EDF"), ("C-EDF", "C-EDF"), ("G-RM", "G-RMS"))
    ]
    high = [
        shares.at_least_the_rest(f"G-NP-EDF demonstrates high performance in {name}", name, ["NG-EDF"])
        for name in DISTRIBUTIONS
    ]
    everywhere = [
        shares.never_fewer(f"G-NP-EDF outperforms {paper_name(other)} for all loads in BMU", "BMU", "NG-EDF", other)
        for other in ("G-EDF", "G-RM")
    ]
    above = [
        shares.more_on_average(f"G-NP-EDF outperforms {paper_name(other)} in BLU", "BLU", "NG-EDF", other)
        for other in ("G-EDF", "G-RM", "C-EDF")
    ]
    some = [
        _at_some_loads(shares, f"G-NP-EDF outperforms {paper_name(other)} at some loads in {name}", name, other)
        for name, other in (("BLB", "G-RM"), ("BLB", "G-EDF"), ("BMU", "C-EDF"))
    ]
    return [*high, _unpredictable(shares), *below, *everywhere, *above, *some]


def _unpredictable(shares: Shares) -> Claim:
    others = ("G-EDF", "C-EDF", "G-RM")
    places = {name: shares.ranked(name, ("NG-EDF", *others)).index("NG-EDF") + 1 for name in DISTRIBUTIONS}
    return judge(
        "G-NP-EDF's performance is unpredictable: among G-EDF, C-EDF and G-RMS it is the best here and the worst there",
        {1, 4} <= set(places.values()),
        "its place by the mean over loads: " + ", ".join(f"{name} {at}" for name, at in places.items()),
    )


def _at_some_loads(shares: Shares, text: str, name: str, other: str) -> Claim:
    better = [load for load in shares.loads if shares.percent(name, load, "NG-EDF") > shares.percent(name, load, other)]
    told = f"more at {len(better)} of {len(shares.loads)} loads"
    return judge(text, bool(better), f"{told}; {shares.means(name, ('NG-EDF', other))}")


study = schedules_study(SMALL, "2011-fig9", "figure 9: sets without a miss", plot=plot, claims=claims)
