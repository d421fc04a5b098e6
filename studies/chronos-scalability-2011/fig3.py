"""Figure 3 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 48 processors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from schedlab.studies import Claim, Results, judge, not_evaluated

from ._scheduling import DISTRIBUTIONS, LARGE, MOST_TASKS, REFERENCES, UTILITY_ACCRUAL, utility_study, variants
from ._shares import Shares, as_by_deadline, plot_shares, rests_on_overheads, with_decisions

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)
#: The test of Goossens, Funk and Baruah for 48 processors and tasks of at most 0.1: 48 - 47 * 0.1.
GFB_LIGHT = 43.3
#: Of the tasks of a unit of load: "about the same", and "many".
SAME, MANY = 0.1, 4


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig3", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 48 processors, sentence by sentence."""
    free, shares = (Shares(results, SCHEDULERS, variant) for variant in variants(results))

    def up_to(schedulers: Sequence[str], where: Sequence[str]) -> dict[str, int]:
        return {f"{name} in {one}": shares.all_up_to(one, name) for name in schedulers for one in where}

    def told(found: Mapping[str, int]) -> str:
        return "all sets are scheduled up to: " + ", ".join(f"{name} {last}" for name, last in found.items())

    def none_above(text: str, load: int, found: Mapping[str, int]) -> Claim:
        return judge(text, max(found.values()) <= load, told(found))

    globally = ("gMUA", "G-GUA", "NG-GUA")
    others = [name for name in DISTRIBUTIONS if name != "BLU"]
    apart = told(up_to(("P-DASA-ND", "P-LBESA"), ["BLU"]))
    return [
        *as_by_deadline(free),
        *with_decisions(
            results,
            [
                none_above(
                    "no global utility-accrual algorithm provides full schedulability above a load of 19",
                    19,
                    up_to(globally, others),
                ),
                none_above("in BLU none provides it above a load of 7", 7, up_to(globally, ["BLU"])),
                judge(
                    "in BLU NG-GUA and gMUA miss their theoretical bound by over 500%: GFB's is six times as high",
                    6 * max(shares.all_up_to("BLU", name) for name in ("NG-GUA", "gMUA")) < GFB_LIGHT,
                    f"{told(up_to(('NG-GUA', 'gMUA'), ['BLU']))}; GFB's bound for tasks of at most 0.1 is {GFB_LIGHT}",
                ),
                judge(
                    "no such effect occurs under P-EDF: in BLU it schedules all sets above a load of 19, too",
                    shares.all_up_to("BLU", "P-EDF") > 19,
                    told(up_to(("P-EDF",), ["BLU"])),
                ),
            ],
        ),
        _as_many_each(results),
        _many_light(results),
        rests_on_overheads(
            "in BLU neither P-LBESA nor P-DASA-ND provides it above a load of 19",
            f"what the algorithm takes on a processor with many light tasks has no number; {apart}",
        ),
        rests_on_overheads(
            "P-DASA-ND fails at a lower load than P-LBESA, whose overheads in underload are lower",
            f"the decision's time by number of tasks is not in the text; {apart}",
        ),
    ]


def _light(results: Results, load: int, column: str) -> float:
    """Of light uniform sets: the mean of a number that each has."""
    rows = results.where(distribution="BLU").where(load=load).table
    return fmean(rows.column(column).to_pylist())


def _as_many_each(results: Results) -> Claim:
    """A load has the same sets on both machines."""
    text = "in BLU a processor has as many tasks on average as one of 16 at full load (give or take a tenth)"
    loads = results.values("load")
    if not {16, 48} <= set(loads):
        return not_evaluated(text, "loads of 16 and 48 are not among the results")
    small, large = (_light(results, load, "tasks") / load for load in (16, 48))
    return judge(text, abs(large / small - 1) <= SAME, f"of 48: {large:.1f} tasks, of 16: {small:.1f}")


def _many_light(results: Results) -> Claim:
    """Beside the tasks of a unit of load."""
    found = {
        load: _light(results, load, MOST_TASKS) / _light(results, load, "tasks") * load
        for load in results.values("load")
        if load > 1
    }
    worst = max(found, key=lambda load: found[load])
    return judge(
        f"first fit puts many very light tasks on a processor in some cases: in BLU {MANY} times the average",
        found[worst] >= MANY,
        f"at load {worst} the fullest has {_light(results, worst, MOST_TASKS):.0f} tasks, "
        f"a unit of load {_light(results, worst, 'tasks') / worst:.0f}",
    )


study = utility_study(LARGE, "2011-fig3", "figure 3: sets without a miss, utility accrual", plot=plot, claims=claims)
