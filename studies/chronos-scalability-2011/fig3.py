"""Figure 3 of chronos-scalability-2011: how many sets utility-accrual schedulers schedule on 48 processors."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path

from schedlab.studies import Claim, Results, not_evaluated, sentence
from schedlab.studies.checks import Lies, Some, more
from schedlab.studies.estimates import less, mean
from schedlab.studies.mutants import scaled

from ._scheduling import DISTRIBUTIONS, LARGE, MOST_TASKS, REFERENCES, UTILITY_ACCRUAL, utility_study, variants
from ._shares import Shares, as_by_deadline, meets, misses, plot_shares

SCHEDULERS = (*UTILITY_ACCRUAL, *REFERENCES)
#: The test of Goossens, Funk and Baruah for 48 processors and tasks of at most 0.1: 48 - 47 * 0.1.
GFB_LIGHT = 43.3
#: Of the tasks of a unit of load: "about the same", and "many".
SAME, MANY = 0.1, 4


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig3", SCHEDULERS)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.2, the paragraph on 48 processors, sentence by sentence.

    What choosing takes utility-accrual schedulers is that of schedlab's algorithms, on another machine: the text lacks
    its own.
    """
    free, shares = (Shares(results, SCHEDULERS, variant) for variant in variants(results))
    globally = ("gMUA", "G-GUA", "NG-GUA")
    others = [name for name in DISTRIBUTIONS if name != "BLU"]
    meeting = meets("utility-accrual schedulers that meet all deadlines", *globally)

    partitioned = ("P-LBESA", "P-DASA-ND")
    return [
        as_by_deadline(free).judged(),
        sentence(
            "no global utility-accrual algorithm provides full schedulability above a load of 19",
            {f"{one} in {name}": shares.not_above(name, one, 19) for one in globally for name in others},
            meeting,
        ),
        sentence(
            "in BLU none provides it above a load of 7",
            {one: shares.not_above("BLU", one, 7) for one in globally},
            meeting,
        ),
        sentence(
            "in BLU NG-GUA and gMUA miss their theoretical bound by over 500%: GFB's is six times as high",
            {one: Lies(shares.last("BLU", one), high=GFB_LIGHT / 6) for one in ("NG-GUA", "gMUA")},
            meeting,
        ),
        sentence(
            "no such effect occurs under P-EDF: in BLU it schedules all sets above a load of 19, too",
            {shares.variant.heading: shares.up_to("BLU", "P-EDF", 20)},
            misses("a P-EDF that misses a deadline in every set", "P-EDF"),
        ),
        _as_many_each(results),
        _many_light(results),
        sentence(
            "in BLU neither P-LBESA nor P-DASA-ND provides it above a load of 19",
            {one: shares.not_above("BLU", one, 19) for one in partitioned},
            meets("a P-LBESA and a P-DASA-ND that meet all deadlines", *partitioned),
        ),
        sentence(
            "P-DASA-ND fails at a lower load than P-LBESA, whose overheads in underload are lower",
            {"in BLU": more(less(shares.last("BLU", "P-LBESA"), shares.last("BLU", "P-DASA-ND")))},
            misses("a P-LBESA that misses a deadline in every set", "P-LBESA"),
        ),
    ]


def _light(results: Results, load: int, column: str) -> list[float]:
    """Of light uniform sets: a number that each has."""
    rows = results.where(distribution="BLU").where(load=load).table
    found: list[float] = rows.column(column).to_pylist()
    return found


def _as_many_each(results: Results) -> Claim:
    """A load has the same sets on both machines."""
    text = "in BLU a processor has as many tasks on average as one of 16 at full load (give or take a tenth)"
    if not {16, 48} <= set(results.values("load")):
        return not_evaluated(text, "loads of 16 and 48 are not among the results")
    small, large = (
        mean([n / load for n in _light(results, load, "tasks")], f"of {load}", " tasks", (0, inf)) for load in (16, 48)
    )
    return sentence(
        text,
        {
            "not more": more(less(small.scaled(1 + SAME), large)),
            "not less": more(less(large, small.scaled(1 - SAME))),
        },
        scaled("sets of full load with half of the tasks", 0.5, "tasks", where=lambda row: row["load"] == 48),
    )


def _many_light(results: Results) -> Claim:
    """Beside the tasks of a unit of load: at the load where the fullest processor has most, by the mean."""
    checks = {}
    for load in results.values("load"):
        if load > 1:
            fullest, tasks = (_light(results, load, column) for column in (MOST_TASKS, "tasks"))
            by_unit = [most * load / of for most, of in zip(fullest, tasks, strict=True) if of]
            checks[f"load {load}"] = Lies(mean(by_unit, "fullest by a unit of load", " times"), low=MANY)
    return sentence(
        f"first fit puts many very light tasks on a processor in some cases: in BLU {MANY} times the average",
        Some(checks),
        scaled("a first fit that puts a tenth of the tasks on a processor", 0.1, MOST_TASKS),
    )


study = utility_study(LARGE, "2011-fig3", "figure 3: sets without a miss, utility accrual", plot=plot, claims=claims)
