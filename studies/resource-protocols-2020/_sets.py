"""What the studies of resource-protocols-2020, section IV-C, share: its task sets, its protocols, its words.

Sets are drawn task by task until the cap on the total utilization is exceeded; the last one is discarded (as SchedCAT
does, which the paper used; it does not say so). A task uses each of ``n_res`` resources with probability ``p_acc``,
once a job. Partitioned by worst fit by decreasing utilization. Fixed priorities are rate-monotonic.

The paper inflates WCETs by overheads that stood in its figure 2, whose numbers the text lacks: they are unknown, none
is charged, and what the paper says of overheads is not evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from schedlab.studies import Claim, Results, Unit, not_evaluated
from schedlab.studies.batch import judge_locks
from schedlab.studies.study import Scalar

PERIODS = {"homogeneous": "2020-homogeneous", "heterogeneous": "2020-heterogeneous"}
UTILIZATIONS = ("light", "medium", "heavy")
RESOURCES = (1, 2, 4, 8, 16)
PROBABILITIES = (0.25, 0.5, 0.75, 1.0)
LENGTHS = ("short", "medium", "long")
PROCESSORS = (1, 2, 4, 8)

#: By column. "PIP" is the published bound, "PIP handed over" that which also covers locks handed to a waiting job.
ONE = {
    "PIP": "P-RM pip-published hard",
    "PIP handed over": "P-RM pip hard",
    "PCP": "P-RM pcp hard",
    "IPCP": "P-RM ipcp hard",
    "SRP": "P-EDF srp hard",
}
SEVERAL = {"MPCP": "P-RM mpcp hard", "MSRP": "P-EDF msrp hard"}
FREE = {"P-RM, nothing shared": "P-RM none hard", "P-EDF, nothing shared": "P-EDF none hard"}

SOURCE = "dos Santos et al.: On the Design and Implementation of Real-Time Resource Access Protocols, SBESC 2020"
UNKNOWN = "overheads are unknown: the numbers of figure 2 are not in the text"
NOTE = "overheads unknown, none charged"


def judge_unit(
    unit: Unit, parameters: Mapping[str, Scalar], questions: Mapping[str, str], cap: float
) -> dict[str, list[Any]]:
    """Columns: the number of tasks, and for each question whether it is proved."""
    p = parameters
    answers = judge_locks(
        utilizations=f"2020-{p['utilization']}",
        periods=PERIODS[str(p["periods"])],
        deadlines="implicit",
        stop=f"discard-above {cap}",
        accesses=f"independent {p['resources']} {p['probability']} {p['lengths']}",
        seed=unit.seed,
        sets=unit.sets,
        processors=int(p["processors"]),
        questions=list(questions.values()),
    )
    return {"tasks": answers.tasks, **dict(zip(questions, answers.proved, strict=True))}


def share(results: Results, column: str) -> tuple[int, int]:
    """In how many of the rows, in which it was asked, ``column`` is proved."""
    values = results.table.column(column)
    return sum(value is True for value in values.to_pylist()), len(values) - values.null_count


def percent(counted: tuple[int, int]) -> float:
    """A count as a percentage."""
    return 100 * counted[0] / counted[1] if counted[1] else float("nan")


def say(shares: Mapping[Any, tuple[int, int]] | Sequence[tuple[Any, tuple[int, int]]]) -> str:
    """Names and percentages."""
    items = shares.items() if isinstance(shares, Mapping) else shares
    return ", ".join(f"{name} {percent(counted):.1f}%" for name, counted in items)


def overhead_claim(text: str) -> Claim:
    """A claim that turns on overheads."""
    return not_evaluated(text, UNKNOWN)
