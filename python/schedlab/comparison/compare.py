"""Compare schedulers on one scenario: what theory guarantees beside what a simulation observes.

`compare` returns one plain dictionary, a *comparison*, which is stored as JSON. `summary` makes one typed value of
it, from which the table, the page and the JSON are made; none of them runs anything again.
`schedlab.outputs.comparison.ComparisonDict` documents its contents. A reader ignores keys that it does not know; keys
are only ever added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

from schedlab import _native
from schedlab.comparison.loads import states_utility, utility_over_load
from schedlab.comparison.real import Keep, run_beside
from schedlab.core import display
from schedlab.core.analysis import analyze
from schedlab.core.linux import LINUX_SCHEDULERS
from schedlab.core.scenario import Scenario, Schedulers, expect_scenario, listed
from schedlab.core.schedule import Schedule
from schedlab.core.simulation import simulate
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.policy import Policy
    from schedlab.outputs.comparison import ComparedScheduler, Modelled
    from schedlab.outputs.results import Drawing, ScenarioTask, Totals, Utilization

#: The schedulers that are compared by default.
SCHEDULERS = ("P-EDF", "G-EDF", "NG-EDF", "C-EDF", "P-RM", "G-RM", "G-FIFO")
#: The schedulers that are also compared by default if tasks state utilities.
UTILITY_ACCRUAL = ("P-DASA-ND", "P-LBESA", "gMUA", "G-GUA")


def unless_said(scenario: Scenario) -> tuple[str, ...]:
    """Returns the schedulers that are compared on `scenario` by default: also its own one if that is Linux itself."""
    own = tuple(name for name in LINUX_SCHEDULERS if name == scenario.scheduler)
    return (*own, *SCHEDULERS, *(UTILITY_ACCRUAL if states_utility(scenario) else ()))


_Text = Literal["title", "schedlab_version", "scenario", "overheads", "overheads_source", "overheads_statistic"]
_Whole = Literal["processors", "horizon_ns", "drawn_until_ns"]


class Comparison(dict[str, Any]):
    """A `schedlab.outputs.comparison.ComparisonDict` for type checkers; in a notebook a table."""

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, key: _Text) -> str: ...
        @overload
        def __getitem__(self, key: _Whole) -> int: ...
        @overload
        def __getitem__(self, key: Literal["seed"]) -> int | str: ...
        @overload
        def __getitem__(self, key: Literal["overheads_unknown", "overheads_not_simulated"]) -> list[str]: ...
        @overload
        def __getitem__(self, key: Literal["utilization"]) -> Utilization: ...
        @overload
        def __getitem__(self, key: Literal["tasks"]) -> list[ScenarioTask]: ...
        @overload
        def __getitem__(self, key: Literal["schedulers"]) -> list[ComparedScheduler]: ...
        @overload
        def __getitem__(self, key: str) -> Any: ...
        def __getitem__(self, key: str) -> Any: ...

    def __repr__(self) -> str:
        title = f" for {self['title']}" if self["title"] else ""
        return f"<Comparison of {', '.join(row['name'] for row in self['schedulers'])}{title}>"

    def _repr_html_(self) -> str:
        return display.html(self)


def compare(
    scenario: Scenario,
    *,
    schedulers: Schedulers | None = None,
    until: str | int = "200 ms",
    run: str | int | None = None,
    modelled: Path | str | None = None,
    progress: Callable[[float], None] = lambda share: None,
    keep: Keep = lambda name, schedule: None,
    keep_real: Keep = lambda name, schedule: None,
) -> Comparison:
    """Analyses and simulates `scenario` under each scheduler.

    A scheduler is a name, shipped or installed, or a class derived from `Policy`; one stands for a list of it. The
    result holds each schedule up to `until`.

    With `run`, each scheduler that can run here also runs for real for that long, after all simulations, which are as
    long. `modelled` is an overheads file of `schedlab membus`: its delays are listed beside the charged ones, and
    change nothing. `keep` is called with each simulated schedule before it is dropped, for instance to write its trace,
    `keep_real` with each real one. A scheduler that refuses what the scenario states has a row with the error. Raises
    `BadInput` for a scheduler that is not known, and if all refuse.
    """
    expect_scenario(scenario)
    if run is not None:
        scenario = scenario.replace(horizon=run)
    parts = 1 if run is None else 2
    chosen = listed(unless_said(scenario) if schedulers is None else schedulers)
    under = [_under(scenario, one) for one in chosen]
    scenarios = [one for one in under if isinstance(one, Scenario)]
    if not scenarios:
        raise BadInput("\n".join(dict.fromkeys(row["error"] or "" for row in under if not isinstance(row, Scenario))))
    drawn_until_ns = min(_native.nanoseconds("until", until), scenario.horizon_ns)
    rows = []
    simulated: dict[str, Schedule] = {}
    for index, one in enumerate(under):
        if not isinstance(one, Scenario):
            rows.append(one)
            continue
        rows.append(
            _row(
                one,
                drawn_until_ns,
                lambda share, index=index: progress((index + share) / len(under) / parts),  # type: ignore[misc]
                keep,
                None if run is None else simulated,
            )
        )
    taken = [row for one, row in zip(under, rows, strict=True) if isinstance(one, Scenario)]
    if run is not None:
        run_beside(scenarios, taken, simulated, keep_real, lambda share: progress((1 + share) / parts))
    utilization = scenario.utilization
    found = {
        "format": "schedlab-comparison",
        "version": 1,
        **scenario._native.compared(str(utilization), float(utilization)),
        "overheads_unknown": _unknown_overheads(scenarios),
        "overheads_not_simulated": scenario.overheads_not_simulated,
        "drawn_until_ns": drawn_until_ns,
        "schedulers": rows,
    }
    found |= _caveats(rows)
    if scenario.what_if:
        found["what_if"] = scenario.what_if
    if modelled is not None:
        found["modelled"] = _modelled(scenarios, str(modelled))
    able = [one for one, row in zip(scenarios, taken, strict=True) if row["error"] is None]
    if states_utility(scenario) and able:
        found["utility_over_load"] = utility_over_load(scenario, able)
    return Comparison(found)


def _modelled(scenarios: Sequence[Scenario], file: str) -> Modelled:
    """Lists the cache-related delays of a file beside those that the schedulers are charged."""
    models = [charged.replace(overheads=file) for charged in scenarios]
    return {
        "source": models[-1].overheads_source if models else "",
        "cache_delays": [
            row
            for charged, model in zip(scenarios, models, strict=True)
            for row in charged._native.delays_beside(model._native)
        ],
    }


def _unknown_overheads(scenarios: Sequence[Scenario]) -> list[str]:
    """Lists the kinds that some scheduler is not charged because their source lacks them."""
    return _once(kind for scenario in scenarios for kind in scenario.overheads_unknown)


def _caveats(rows: Sequence[ComparedScheduler]) -> dict[str, list[str]]:
    """Returns what the answers under the schedulers leave out and rest on, each line once."""
    told = {
        "left_out": _once(line for row in rows for line in row.get("left_out", ())),
        "rests_on": _once(line for row in rows for line in row.get("rests_on", ())),
    }
    return {key: lines for key, lines in told.items() if lines}


def _once(words: Iterable[str]) -> list[str]:
    """Returns each of the words once, in their order."""
    return list(dict.fromkeys(words))


def _description(scenario: Scenario) -> str:
    """Describes the scheduler's order; with clusters of one processor, adds which partitioned scheduler it equals."""
    same = scenario._native.same_as_partitioned
    also = "" if same is None else f"; with clusters of one processor this is {same}"
    return scenario._native.scheduler_description + also


def _under(scenario: Scenario, scheduler: str | type[Policy]) -> Scenario | ComparedScheduler:
    """Returns the scenario under a scheduler, or a row that says why this one refuses what the scenario states.

    Raises `BadInput` for a scheduler that is not known.
    """
    try:
        return scenario.under(scheduler)
    except BadInput as error:
        if not isinstance(scheduler, str) or not _native.is_scheduler(scheduler):
            raise
        return _refused(scheduler, str(error))


def _refused(name: str, error: str) -> ComparedScheduler:
    """Returns the row of a scheduler that does not take the scenario."""
    return {
        "name": name,
        "description": "",
        "modelled": True,
        "error": error,
        "overheads_unknown": [],
        "left_out": [],
        "rests_on": [],
        "placement": None,
        "overflowed": [],
        "same_as_partitioned": None,
        "verdicts": [],
        "tasks": [],
        "totals": cast("Totals", {}),
        "invariants": [],
        "schedule": cast("Drawing", {}),
    }


def _row(
    scenario: Scenario,
    drawn_until_ns: int,
    progress: Callable[[float], None],
    keep: Keep,
    simulated: dict[str, Schedule] | None,
) -> ComparedScheduler:
    [analysis] = analyze(scenario)
    row: ComparedScheduler = {
        "name": analysis.scheduler,
        "description": _description(scenario),
        "modelled": scenario._native.is_modelled,
        "error": analysis.error,
        "overheads_unknown": list(analysis.overheads_unknown),
        "left_out": list(analysis.left_out),
        "rests_on": list(analysis.rests_on),
        "placement": None if analysis.placement is None else list(analysis.placement),
        "overflowed": list(analysis.overflowed),
        "same_as_partitioned": scenario._native.same_as_partitioned,
        "verdicts": [found.to_dict() for found in analysis.verdicts],
        "tasks": [],
        "totals": cast("Totals", {}),
        "invariants": [],
        "schedule": cast("Drawing", {}),
    }
    if analysis.error is not None:
        return row
    try:
        schedule = simulate(scenario, progress=progress)
    except BadInput as error:
        # What this scheduler refuses, others may take.
        return {**row, "error": str(error)}
    metrics = schedule.metrics()
    if len(metrics.tasks) != len(scenario.tasks):
        raise BadInput(
            f"{analysis.scheduler}: the placement splits tasks, and a comparison is by task; allowed: "
            "`schedlab place SCENARIO --out FILE`, and a comparison of that file"
        )
    keep(analysis.scheduler, schedule)
    if simulated is not None:
        simulated[analysis.scheduler] = schedule
    bounds = [
        (analysis.response_time_bound_ns(task), analysis.tardiness_bound_ns(task))
        for task in range(len(scenario.tasks))
    ]
    seen = schedule._native.compared(bounds, drawn_until_ns)
    row["deadlocks"], row["resources"] = metrics.deadlocks, schedule._native.resources()
    row["tasks"], row["totals"] = seen["tasks"], seen["totals"]
    row["invariants"], row["schedule"] = seen["invariants"], seen["schedule"]
    return row
