"""What figures 3 and 4 of block-or-not-2008 share: their task sets, the costs of table 2, and the questions.

Sets are those of section 4.2, soft (`_sets.py`). Up to K accesses a task, none nested, to ``K n / (alpha m)`` objects
of one kind. An access costs what table 2 has on average. Sets of all schemes are the same but for these costs.

Overheads of table 1 are not charged: batches know none for tasks that try again. They would add the same to all three
schemes, but for the lock's own operations. Short is the FMLP's short resources; a lock-free access is tried again as
often as others may come between; wait-free tasks are judged as if they shared nothing.
"""

from __future__ import annotations

from typing import Any

from schedlab.studies import Results, Unit
from schedlab.studies.batch import Batch, judge_sets

PROCESSORS = 4
ALPHA = 1
FREQUENCIES = list(range(1, 10))
LOADS = {"low": "uniform-light", "medium": "uniform-medium", "high": "uniform-heavy"}
KINDS = ("buffer", "heap")
SCHEDULERS = ("G-EDF", "P-EDF")
#: By what the paper calls a scheme: the protocol, and what an access costs on average by table 2: for itself, and for
#: each task that shares the object.
SCHEMES = {"Short": "fmlp-short", "LF": "lock-free", "WF": "wait-free"}
COSTS = {
    ("buffer", "Short"): ("380ns", "0ns"),
    ("buffer", "LF"): ("840ns", "0ns"),
    ("buffer", "WF"): ("2620ns", "10ns"),
    ("heap", "Short"): ("1040ns", "0ns"),
    ("heap", "LF"): ("11310ns", "40ns"),
    ("heap", "WF"): ("16280ns", "80ns"),
}
#: Of the total utilization, in processors: 80%.
CAP = round(0.8 * PROCESSORS, 2)
CHARGED = "accesses cost the averages of table 2; overheads of table 1 are not charged"


def column(scheduler: str, scheme: str) -> str:
    """The column that says whether a set is schedulable."""
    return f"{scheduler} {scheme}"


def tardiness_column(scheme: str) -> str:
    """The column of the bound on tardiness under G-EDF, in microseconds."""
    return f"tardiness {scheme}"


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """All schemes under both schedulers."""
    p = unit.parameters
    columns: dict[str, list[Any]] = {}
    for scheme, protocol in SCHEMES.items():
        cost, each = COSTS[str(p["kind"]), scheme]
        batch = Batch(
            utilizations=LOADS[str(p["load"])],
            periods="uniform 10ms 100ms",
            deadlines="implicit",
            stop=f"discard-at-cap {CAP} max-tasks 100",
            seed=unit.seed,
            sets=unit.sets,
            processors=PROCESSORS,
            questions=[f"{scheduler} {protocol} soft" for scheduler in SCHEDULERS],
            accesses=f"objects {p['K']} {ALPHA} {PROCESSORS} {cost} {each}",
        )
        answers = judge_sets(batch)
        for scheduler, proved in zip(SCHEDULERS, answers.proved, strict=True):
            columns[column(scheduler, scheme)] = proved
        columns[tardiness_column(scheme)] = [
            None if bound is None else bound / 1000 for bound in answers.tardiness[SCHEDULERS.index("G-EDF")]
        ]
    return columns


def mean_tardiness(results: Results, scheme: str) -> dict[int, float]:
    """By K: the mean bound of those sets that have one, where there are any."""
    means = {}
    for frequency in results.values("K"):
        found = results.where(K=frequency).table.column(tardiness_column(scheme)).to_pylist()
        known = [value for value in found if value is not None]
        if known:
            means[int(frequency)] = sum(known) / len(known)
    return means


def shares(results: Results, scheduler: str, scheme: str) -> dict[int, tuple[int, int]]:
    """By K: how many sets are schedulable, of how many."""
    name = column(scheduler, scheme)
    return {int(frequency): counts[name] for frequency, counts in results.counts("K", [name]).items()}
