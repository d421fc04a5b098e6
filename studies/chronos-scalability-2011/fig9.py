"""Figure 9 of chronos-scalability-2011: how many sets miss no deadline on 16 processors, by load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from schedlab.studies import Claim, Results, judge

from ._scheduling import DISTRIBUTIONS, SMALL, Variant, schedules_study
from ._shares import Shares, in_both, paper_name, plot_shares

#: Section 3.4.1: the loads up to which all sets are scheduled.
ALL_SETS = {
    "P-EDF": {"BHU": 10, "BHB": 12, "BMB": 13, "BLB": 14, "BLU": 15},
    "G-EDF": {"BHU": 11, "BHB": 8, "BMB": 8, "BLB": 7},
}
LOW = 4


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig9", SMALL.schedulers)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.1, sentence by sentence."""

    def judged(variant: Variant) -> list[Claim]:
        shares = Shares(results, SMALL.schedulers, variant)
        return [*_by_deadline(shares), *_at_low_loads(shares), *_partitioned(shares), *_non_preemptive(shares)]

    return in_both(judged)


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
    return [
        judge(
            f"{scheduler} meets all deadlines consistently only under low loads (of at most {LOW})",
            max(found.values()) <= LOW,
            "all sets up to " + ", ".join(f"{name} {last}" for name, last in found.items()),
        )
        for scheduler in ("G-FIFO", "G-NP-HVDF")
        for found in ({name: shares.all_up_to(name, scheduler) for name in DISTRIBUTIONS},)
    ]


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
    return [*stated, *bimodal, *heavy]


def _non_preemptive(shares: Shares) -> list[Claim]:
    below = [
        shares.more_on_average(f"{other} outperforms G-NP-EDF in {name}", name, scheduler, "NG-EDF")
        for name in ("BHB", "BHU", "BMB")
        for scheduler, other in (("G-EDF", "G-EDF"), ("C-EDF", "C-EDF"), ("G-RM", "G-RMS"))
    ]
    above = [
        shares.more_on_average(f"G-NP-EDF outperforms {paper_name(other)} in {name}", name, "NG-EDF", other)
        for name, others in (("BMU", ("G-EDF", "G-RM")), ("BLU", ("G-EDF", "G-RM", "C-EDF")))
        for other in others
    ]
    some = [
        _at_some_loads(shares, f"G-NP-EDF outperforms {paper_name(other)} at some loads in {name}", name, other)
        for name, other in (("BLB", "G-RM"), ("BLB", "G-EDF"), ("BMU", "C-EDF"))
    ]
    return [*below, *above, *some]


def _at_some_loads(shares: Shares, text: str, name: str, other: str) -> Claim:
    better = [load for load in shares.loads if shares.percent(name, load, "NG-EDF") > shares.percent(name, load, other)]
    told = f"more at {len(better)} of {len(shares.loads)} loads"
    return judge(text, bool(better), f"{told}; {shares.means(name, ('NG-EDF', other))}")


study = schedules_study(SMALL, "2011-fig9", "figure 9: sets without a miss", plot=plot, claims=claims)
