"""What the scheduling figures of chronos-scalability-2011 share: two machines, their task sets, schedulers, placements.

Section 3.2: periods uniform in [10, 100] ms, implicit deadlines, utilizations of six distributions; tasks are added
until their total exceeds the load, then the last is dropped. The text has no length of a run. Its numbers of jobs and
tasks come to runs of about a second, which is the horizon here; all tasks begin together.

Section 3.3: P-EDF and the partitioned utility-accrual schedulers place first fit by decreasing utilization, up to 0.95
of a processor, P-RM and C-EDF by least utilization. What fits nowhere goes to the least loaded processor. Clusters get
the tasks of their processors.

What is simulated has no overheads. The paper's machine had them, and two ways to schedule globally, which are not
modelled: claims that rest on them are not evaluated.

SCHED_FIFO is the model of Linux's class. The text says that it approximates G-FIFO, and that it bounds tardiness: so
all its threads have one priority.

The text has no time/utility functions. Here each is a step at the deadline, and all are worth the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedlab import BadInput, Scenario, generate, simulate_many
from schedlab.outputs.schedules import SimulationRow
from schedlab.studies import Study, Unit, grid

SOURCE = "Dellinger, Lindsay, Ravindran: An experimental evaluation of the scalability of real-time scheduling, 2011"
PERIODS = "uniform 10ms 100ms"
HORIZON = "1 s"
#: Most runs that miss a deadline do so early: a short run spares the rest.
EARLY = "100 ms"

#: By the paper's name: how utilizations are drawn, and the heading of the inset.
DISTRIBUTIONS = {
    "BHU": ("uniform 0.5 0.9", "(a) heavy uniform"),
    "BHB": ("bimodal 0.001 0.5 0.5 0.9 4:5", "(b) heavy bimodal"),
    "BMU": ("uniform 0.1 0.4", "(c) medium uniform"),
    "BMB": ("bimodal 0.001 0.5 0.5 0.9 6:3", "(d) medium bimodal"),
    "BLU": ("uniform 0.001 0.1", "(e) light uniform"),
    "BLB": ("bimodal 0.001 0.5 0.5 0.9 8:1", "(f) light bimodal"),
}

#: By our name the paper's, where it is another.
PAPER_NAMES = {"NG-EDF": "G-NP-EDF", "G-RM": "G-RMS", "P-RM": "P-RMS"}

FIRST_FIT = "first_fit_decreasing bound=0.95 least_loaded"
LEAST_UTILIZATION = "worst_fit_decreasing bound=1 least_loaded"


@dataclass(frozen=True)
class Machine:
    """One of the two machines."""

    processors: int
    cluster: int
    #: Those of the figures of schedulability and tardiness.
    schedulers: tuple[str, ...]


PRIORITY_DRIVEN = ("P-EDF", "C-EDF", "G-EDF", "NG-EDF", "G-FIFO", "P-RM", "G-RM", "SCHED_FIFO")
UTILITY_ACCRUAL = ("gMUA", "G-GUA", "NG-GUA", "P-LBESA", "P-DASA-ND")
#: What figures 3 and 11 have besides, to compare with.
REFERENCES = ("P-EDF", "G-EDF")

LARGE = Machine(48, 12, PRIORITY_DRIVEN)
SMALL = Machine(16, 8, (*PRIORITY_DRIVEN, "G-NP-HVDF"))


def met(scheduler: str) -> str:
    """The column that says whether a set missed no deadline."""
    return f"{scheduler} met"


def tardiness(scheduler: str) -> str:
    """The column of a set's largest tardiness, that of late jobs which are not complete included, in milliseconds."""
    return f"{scheduler} tardiness"


def migrations(scheduler: str) -> str:
    """The column that says how often a job went on elsewhere."""
    return f"{scheduler} migrations"


#: Default sets of a point. Those of the larger machine take ten times as long, utility accrual ten times again.
SETS = {LARGE: (100, 12), SMALL: (100, 60)}


def schedules_study(machine: Machine, name: str, title: str, **parts: Any) -> Study:
    """A figure of what the paper's other schedulers do; all of a machine look at the same results."""

    def evaluate(unit: Unit) -> Mapping[str, Sequence[Any]]:
        found: dict[str, list[Any]] = {"tasks": []}
        for index in unit.sets:
            drawn = _drawn(unit, index, machine)
            found["tasks"].append(len(drawn.tasks))
            for scheduler, row in _simulated(_scenarios(drawn, machine, machine.schedulers)).items():
                longest = row["max_tardiness_ns"]
                found.setdefault(met(scheduler), []).append(_misses_nothing(row))
                found.setdefault(tardiness(scheduler), []).append(None if longest is None else longest / 1e6)
                found.setdefault(migrations(scheduler), []).append(row["migrations"])
        return found

    sets = SETS[machine][0]
    return _study(machine, name, title, evaluate, machine.schedulers, sets=sets, family=_family(machine), **parts)


def utility_study(machine: Machine, name: str, title: str, **parts: Any) -> Study:
    """A figure of the utility-accrual schedulers, with the same task sets: only whether a deadline is missed."""

    def evaluate(unit: Unit) -> Mapping[str, Sequence[Any]]:
        found: dict[str, list[Any]] = {"tasks": []}
        for index in unit.sets:
            drawn = _drawn(unit, index, machine)
            found["tasks"].append(len(drawn.tasks))
            scenarios = _scenarios(drawn, machine, (*UTILITY_ACCRUAL, *REFERENCES))
            for scheduler, all_met in _all_met(scenarios).items():
                found.setdefault(met(scheduler), []).append(all_met)
        return found

    schedulers = (*UTILITY_ACCRUAL, *REFERENCES)
    return _study(machine, name, title, evaluate, schedulers, sets=SETS[machine][1], stream=_family(machine), **parts)


def _family(machine: Machine) -> str:
    return f"2011-{machine.processors}-processors"


def _study(
    machine: Machine,
    name: str,
    title: str,
    evaluate: Callable[[Unit], Mapping[str, Sequence[Any]]],
    schedulers: Sequence[str],
    **parts: Any,
) -> Study:
    return Study(
        name=name,
        title=f"chronos-scalability-2011, {title}, on {machine.processors} processors",
        source=SOURCE,
        points=grid(distribution=list(DISTRIBUTIONS), load=list(range(1, machine.processors + 1))),
        evaluate=evaluate,
        sets_per_unit=4,
        full_sets=1000,
        parameters={
            "processors": machine.processors,
            "cluster": machine.cluster,
            "periods": PERIODS,
            "horizon": HORIZON,
            "schedulers": list(schedulers),
        },
        **parts,
    )


def _drawn(unit: Unit, index: int, machine: Machine) -> Scenario:
    return generate(
        utilizations=DISTRIBUTIONS[str(unit.parameters["distribution"])][0],
        periods=PERIODS,
        stop=f"discard-above {unit.parameters['load']}",
        seed=unit.seed,
        index=index,
        processors=machine.processors,
    ).replace(horizon=HORIZON)


def _scenarios(drawn: Scenario, machine: Machine, schedulers: Sequence[str]) -> dict[str, Scenario]:
    """The set under each scheduler, placed as the paper places it."""
    least = drawn.replace(scheduler="P-RM", placement=LEAST_UTILIZATION)
    made = {}
    for scheduler in schedulers:
        if scheduler == "C-EDF":
            # The tasks of a processor go to its cluster.
            made[scheduler] = least.replace(scheduler=scheduler, cluster_size=machine.cluster)
        elif scheduler == "P-RM":
            made[scheduler] = least
        elif scheduler == "SCHED_FIFO":
            made[scheduler] = _of_one_priority(drawn, machine)
        elif scheduler.startswith("P-"):
            made[scheduler] = drawn.replace(scheduler=scheduler, placement=FIRST_FIT)
        else:
            made[scheduler] = drawn.under(scheduler)
    return made


def _of_one_priority(drawn: Scenario, machine: Machine) -> Scenario:
    columns = zip(drawn.tasks["wcet_ns"], drawn.tasks["period_ns"], strict=True)
    rows = [{"wcet_ns": cost, "period_ns": period, "fixed_priority": 1} for cost, period in columns]
    return Scenario.from_tasks(rows, processors=machine.processors, scheduler="SCHED_FIFO", horizon=HORIZON)


def _simulated(scenarios: Mapping[str, Scenario]) -> dict[str, SimulationRow]:
    found = {}
    for scheduler, row in zip(scenarios, simulate_many(list(scenarios.values()), check=False, threads=1), strict=True):
        if isinstance(row, BadInput):
            raise row
        if row["error"] is not None:
            raise BadInput(f"{scheduler}: {row['error']}")
        found[scheduler] = row
    return found


def _all_met(scenarios: Mapping[str, Scenario]) -> dict[str, bool]:
    """Whether no deadline is missed until the horizon; a miss ends the question."""
    early = _simulated({name: given.replace(horizon=EARLY) for name, given in scenarios.items()})
    open_ = {name: scenarios[name] for name, row in early.items() if _misses_nothing(row)}
    late = _simulated(open_)
    return {name: name in late and _misses_nothing(late[name]) for name in scenarios}


def _misses_nothing(row: SimulationRow) -> bool:
    return row["misses"] == 0 and row["aborts"] == 0
