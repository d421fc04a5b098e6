"""What the scheduling figures of chronos-scalability-2011 share: two machines, their task sets, schedulers, placements.

Section 3.2: periods uniform in [10, 100] ms, implicit deadlines, utilizations of six distributions; tasks are added
until their total exceeds the load, then the last is dropped. The text has no length of a run. Its numbers of jobs and
tasks come to runs of about a second, which is the horizon here; all tasks begin together.

Section 3.3: P-EDF and the partitioned utility-accrual schedulers place first fit by decreasing utilization, up to 0.95
of a processor, P-RM and C-EDF by least utilization. What fits nowhere goes to the least loaded processor. Clusters get
the tasks of their processors.

Every figure has two variants beside one another. One has no overheads. The other has decisions as section 2 builds
them: G-FIFO and G-NP-EDF are concurrent under a ticket lock, G-EDF, G-RMS and C-EDF stop the world under an MCS lock
(`_fitted`). That profile says of each number whether it is the paper's, was measured elsewhere, or is fitted.
The text has no architecture for the global utility-accrual schedulers. In the authors' code they stop the world, too.
What choosing takes the utility-accrual schedulers is their own, by the number of ready jobs. SCHED_FIFO is neither
architecture: it has run queues of its own, and pays for its pushes and pulls. Claims that rest on the machine alone are
judged by the second variant; those that rest on what no variant has are not.

With a file (`--overheads FILE`) the second variant charges what the file says of each scheduler, in place of fitted
decisions. A file that lacks what a scheduler's decisions take is refused. Only SCHED_FIFO is left out instead, where
the file lacks what scheduling, a push or a pull takes under it.

SCHED_FIFO is the model of Linux's class. The text says that it approximates G-FIFO, and that it bounds tardiness: so
all its threads have one priority.

The text has no time/utility functions. Here each is a step at the deadline, and all are worth the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schedlab import BadInput, Scenario, generate, place, simulate_many
from schedlab.outputs.schedules import SimulationRow
from schedlab.studies import Parameter, Point, Results, Settings, Study, StudyError, Unit, grid

from ._fitted import NAME, PROFILE

SOURCE = "Dellinger, Lindsay, Ravindran: An experimental evaluation of the scalability of real-time scheduling, 2011"
PERIODS = "uniform 10ms 100ms"
HORIZON = Parameter("horizon", 1.0, "length of a simulation", unit="s", low=0.2, high=3600)
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


@dataclass(frozen=True)
class Variant:
    """What decisions cost."""

    #: After the name of a column.
    suffix: str
    #: A shipped set of overheads, or the path of a file.
    overheads: str
    heading: str
    #: Whether it has costs for SCHED_FIFO, which has run queues.
    has_run_queues: bool = True

    def of(self, schedulers: Sequence[str]) -> tuple[str, ...]:
        """Those that it has costs for."""
        return tuple(name for name in schedulers if self.has_run_queues or name != "SCHED_FIFO")


FREE = Variant("", "none", "no overheads")
#: The path of its file, as that of a given one, is that of the moment.
DECIDING = Variant(" with decisions", "", "decisions")
#: In place of the second, where a file of overheads is given.
GIVEN = Variant(" with given overheads", "", "given overheads")
#: The second variant takes several times as long: so many sets for one.
DECIDING_EVERY = 4
#: What every figure says of it.
FITTED = (
    "decisions as in section 2; fitted to table I: a lost share of each processor (P-EDF's row), hand-overs and "
    "descriptors (G-EDF's row), holding the queue's lock (G-NP-EDF, BLU); pushes and pulls of SCHED_FIFO: table II"
)
#: Without these a file says nothing of SCHED_FIFO.
OF_RUN_QUEUES = {"scheduling", "push", "pull"}

#: By our name the paper's, where it is another.
PAPER_NAMES = {"NG-EDF": "G-NP-EDF", "G-RM": "G-RMS", "P-RM": "P-RMS"}

FIRST_FIT = "first_fit_decreasing bound=0.95 least_loaded"
LEAST_UTILIZATION = "worst_fit_decreasing bound=1 least_loaded by_processor"


@dataclass(frozen=True)
class Machine:
    """One of the two machines."""

    processors: int
    cluster: int
    #: Those of the figures of schedulability and tardiness.
    schedulers: tuple[str, ...]

    @property
    def parameters(self) -> tuple[Parameter[int], Parameter[int]]:
        """What a run may change of it."""
        return (
            Parameter("processors", self.processors, "processors, and the largest load", low=1, high=256),
            Parameter("cluster", self.cluster, "processors of a cluster under C-EDF", low=1, high=256),
        )

    def under(self, settings: Settings) -> Machine:
        """The machine that a run has."""
        processors, cluster = (settings[one] for one in self.parameters)
        if processors % cluster:
            raise StudyError(
                f"processors is {processors} and cluster {cluster}; allowed: a number of processors that clusters of "
                "one size share out, such as --set processors=8 --set cluster=4"
            )
        return replace(self, processors=processors, cluster=cluster)


PRIORITY_DRIVEN = ("P-EDF", "C-EDF", "G-EDF", "NG-EDF", "G-FIFO", "P-RM", "G-RM", "SCHED_FIFO")
UTILITY_ACCRUAL = ("gMUA", "G-GUA", "NG-GUA", "P-LBESA", "P-DASA-ND")
#: What figures 3 and 11 have besides, to compare with.
REFERENCES = ("P-EDF", "G-EDF")

LARGE = Machine(48, 12, PRIORITY_DRIVEN)
SMALL = Machine(16, 8, (*PRIORITY_DRIVEN, "G-NP-HVDF"))


def met(scheduler: str, variant: Variant = FREE) -> str:
    """The column that says whether a set missed no deadline."""
    return f"{scheduler} met{variant.suffix}"


def tardiness(scheduler: str, variant: Variant = FREE) -> str:
    """The column of a set's largest tardiness, that of late jobs which are not complete included, in milliseconds."""
    return f"{scheduler} tardiness{variant.suffix}"


def migrations(scheduler: str, variant: Variant = FREE) -> str:
    """The column that says how often a job went on elsewhere."""
    return f"{scheduler} migrations{variant.suffix}"


#: The column of how many tasks first fit places on the processor that has most.
MOST_TASKS = "most tasks"

#: Default sets of a point. Those of the larger machine take ten times as long, utility accrual ten times again.
SETS = {LARGE: (100, 12), SMALL: (100, 60)}


def schedules_study(machine: Machine, name: str, title: str, **parts: Any) -> Study:
    """A figure of what the paper's other schedulers do; all of a machine look at the same results."""

    def evaluate(unit: Unit) -> Mapping[str, Sequence[Any]]:
        found: dict[str, list[Any]] = {"tasks": []}
        here = machine.under(unit.settings)
        for index in unit.sets:
            drawn = _drawn(unit, index, here)
            found["tasks"].append(len(drawn.tasks))
            scenarios = _scenarios(drawn, here, machine.schedulers)
            with _variants(unit) as variants:
                for variant in variants:
                    rows = _simulated(_charged(scenarios, variant)) if _is_simulated(index, variant) else {}
                    for scheduler in variant.of(machine.schedulers):
                        for column, value in _measured(scheduler, rows.get(scheduler), variant).items():
                            found.setdefault(column, []).append(value)
        return found

    sets = SETS[machine][0]
    return _study(machine, name, title, evaluate, machine.schedulers, sets=sets, family=_family(machine), **parts)


def utility_study(machine: Machine, name: str, title: str, **parts: Any) -> Study:
    """A figure of the utility-accrual schedulers, with the same task sets: only whether a deadline is missed."""

    def evaluate(unit: Unit) -> Mapping[str, Sequence[Any]]:
        found: dict[str, list[Any]] = {"tasks": [], MOST_TASKS: []}
        here = machine.under(unit.settings)
        for index in unit.sets:
            drawn = _drawn(unit, index, here)
            found["tasks"].append(len(drawn.tasks))
            scenarios = _scenarios(drawn, here, (*UTILITY_ACCRUAL, *REFERENCES))
            found[MOST_TASKS].append(_most_tasks(scenarios["P-LBESA"]))
            with _variants(unit) as variants:
                for variant in variants:
                    answers = _all_met(_charged(scenarios, variant)) if _is_simulated(index, variant) else {}
                    for scheduler in scenarios:
                        found.setdefault(met(scheduler, variant), []).append(answers.get(scheduler))
        return found

    schedulers = (*UTILITY_ACCRUAL, *REFERENCES)
    return _study(machine, name, title, evaluate, schedulers, sets=SETS[machine][1], stream=_family(machine), **parts)


def horizon(settings: Settings) -> str:
    """When simulations end."""
    return f"{settings[HORIZON]:g} s"


@contextmanager
def _variants(unit: Unit) -> Iterator[tuple[Variant, Variant]]:
    """Without overheads, and with those of the file or fitted ones."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "overheads.toml"
        file.write_text(unit.overheads or PROFILE, encoding="utf-8")
        charged = replace(GIVEN if unit.overheads else DECIDING, overheads=str(file))
        yield FREE, replace(charged, has_run_queues=_knows_run_queues(str(file)))


def _knows_run_queues(overheads: str) -> bool:
    row = {"wcet_ns": 1_000, "period_ns": 1_000_000, "fixed_priority": 1}
    asked = Scenario.from_tasks([row], processors=2, scheduler="SCHED_FIFO").replace(overheads=overheads)
    return OF_RUN_QUEUES.isdisjoint(asked.overheads_unknown)


def variants(results: Results) -> tuple[Variant, Variant]:
    """Those that results have: without overheads, and with those of a file or fitted ones."""
    charged = DECIDING if results.provenance["overheads"] is None else GIVEN
    return FREE, replace(charged, has_run_queues=met("SCHED_FIFO", charged) in results.table.column_names)


def sets_with(results: Results) -> str:
    """How many sets of a point the second variant has."""
    return f"{-(-results.provenance['sets'] // DECIDING_EVERY)} with {variants(results)[1].heading}"


def charges_of(results: Results) -> str:
    """What the second variant charges, for the foot of a figure."""
    title = results.provenance["overheads"]
    told = FITTED if title is None else f'overheads of "{title}"'
    lacks = met("SCHED_FIFO") in results.table.column_names and not variants(results)[1].has_run_queues
    return f"{told}; SCHED_FIFO without" if lacks else told


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
    def points(settings: Settings) -> list[Point]:
        loads = range(1, machine.under(settings).processors + 1)
        return grid(distribution=list(DISTRIBUTIONS), load=list(loads))

    return Study(
        name=name,
        title=f"chronos-scalability-2011, {title}, on {machine.processors} processors",
        source=SOURCE,
        points=points(Settings()),
        evaluate=evaluate,
        sets_per_unit=4,
        full_sets=1000,
        takes_overheads=True,
        settable=(*machine.parameters, HORIZON),
        regrid=points,
        parameters={
            "processors": machine.processors,
            "cluster": machine.cluster,
            "periods": PERIODS,
            "horizon": horizon(Settings()),
            "schedulers": list(schedulers),
            "overheads": f"none; beside it {NAME} (decisions), of one set in {DECIDING_EVERY}",
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
    ).replace(horizon=horizon(unit.settings))


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


def _most_tasks(scenario: Scenario) -> int:
    counted = Counter(row["cluster"] for row in place(scenario)["tasks"])
    return max(counted.values(), default=0)


def _is_simulated(index: int, variant: Variant) -> bool:
    return variant is FREE or index % DECIDING_EVERY == 0


def _charged(scenarios: Mapping[str, Scenario], variant: Variant) -> dict[str, Scenario]:
    charged = {name: scenarios[name].replace(overheads=variant.overheads) for name in variant.of(list(scenarios))}
    for name, scenario in charged.items():
        if variant is not FREE and "scheduling" in scenario.overheads_unknown:
            raise BadInput(f"the overheads do not say what scheduling takes under {name}; a section may stand for it")
    return charged


def _measured(scheduler: str, row: SimulationRow | None, variant: Variant) -> dict[str, Any]:
    """The columns of one scheduler; without values if it was not simulated."""
    longest = None if row is None else row["max_tardiness_ns"]
    return {
        met(scheduler, variant): None if row is None else _misses_nothing(row),
        tardiness(scheduler, variant): None if longest is None else longest / 1e6,
        migrations(scheduler, variant): None if row is None else row["migrations"],
    }


def _of_one_priority(drawn: Scenario, machine: Machine) -> Scenario:
    columns = zip(drawn.tasks["wcet_ns"], drawn.tasks["period_ns"], strict=True)
    rows = [{"wcet_ns": cost, "period_ns": period, "fixed_priority": 1} for cost, period in columns]
    return Scenario.from_tasks(rows, processors=machine.processors, scheduler="SCHED_FIFO", horizon=drawn.horizon_ns)


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
