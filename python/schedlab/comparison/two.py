"""Two scenarios beside each other: how verdicts, bounds and simulated schedules differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from schedlab.core.analysis import Analysis, analyze
from schedlab.core.mutexes import sections_of
from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.core.simulation import simulate
from schedlab.errors import BadInput
from schedlab.outputs.comparison import ComparedTwo, OneOfTwo, StatedDifference, TaskOfTwo

if TYPE_CHECKING:
    from schedlab.core.policy import Policy

#: Columns of tasks that say what they are, not what they ask for.
_NAMES = ("index", "name", "utilization")


def compare_two(
    first: Scenario,
    second: Scenario,
    scheduler: str | type[Policy] | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> ComparedTwo:
    """Analyses and simulates two scenarios, each under `scheduler`, else under its own.

    `tasks` are those in which the scenarios differ: in what they state, or in a bound or an observation. `schedule` is
    the first difference of the simulated schedules; None if there is none, or if the scenarios have other tasks.
    """
    both = [one.under(scheduler) for one in (first, second)]
    analyses = [found for one in both for found in analyze(one)]
    schedules = [
        _simulated(one, analysis, lambda share, part=part: progress((part + share) / 2))  # type: ignore[misc]
        for part, (one, analysis) in enumerate(zip(both, analyses, strict=True))
    ]
    names = [list(one.tasks["name"]) for one in both]
    simulated = [schedule for schedule, _ in schedules if schedule is not None]
    comparable = names[0] == names[1] and len(simulated) == len(both)
    return {
        "scenarios": [
            _one(analysis, schedule, error) for analysis, (schedule, error) in zip(analyses, schedules, strict=True)
        ],
        "only": [_without(names[0], names[1]), _without(names[1], names[0])],
        "tasks": _tasks(both, analyses, [schedule for schedule, _ in schedules]),
        "comparable": comparable,
        "horizons_ns": [one.horizon_ns for one in both],
        "schedule": simulated[0].difference(simulated[1])["schedule"] if comparable else None,
    }


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Returns those of `names` that are not among `others`."""
    known = set(others)
    return [name for name in names if name not in known]


def _simulated(
    scenario: Scenario, analysis: Analysis, progress: Callable[[float], None]
) -> tuple[Schedule | None, str | None]:
    """Simulates a scenario; returns the schedule, or the reason why there is none."""
    if analysis.error is not None:
        return None, analysis.error
    try:
        return simulate(scenario, progress=progress), None
    except BadInput as error:
        return None, str(error)


def _one(analysis: Analysis, schedule: Schedule | None, error: str | None) -> OneOfTwo:
    hard = analysis.conclusion["hard"]
    metrics = None if schedule is None else schedule.metrics()
    return {
        "scheduler": analysis.scheduler,
        "answer": analysis.answer,
        "tests": [] if hard is None else hard["tests"],
        "error": error,
        "jobs": None if metrics is None else metrics.jobs,
        "misses": None if metrics is None else metrics.misses,
        "deadlocks": [] if metrics is None else metrics.deadlocks,
        "left_out": list(analysis.left_out),
        "rests_on": list(analysis.rests_on),
    }


def _tasks(
    both: Sequence[Scenario], analyses: Sequence[Analysis], schedules: Sequence[Schedule | None]
) -> list[TaskOfTwo]:
    """Returns the tasks of both scenarios, by their names, that differ in anything."""
    rows: list[dict[str, dict[str, Any]]] = [
        {row["name"]: {**row, "sections": taken[row["name"]]} for row in one.tasks}
        for one, taken in zip(both, map(sections_of, both), strict=True)
    ]
    seen = [_observed(schedule) for schedule in schedules]
    found: list[TaskOfTwo] = []
    for name, row in rows[0].items():
        if name not in rows[1]:
            continue
        other = rows[1][name]
        differs: list[StatedDifference] = [
            {"field": field, "values": [row[field], other[field]]}
            for field in row
            if field not in _NAMES and row[field] != other[field]
        ]
        bounds = [
            analysis.response_time_bound_ns(at["index"]) for analysis, at in zip(analyses, (row, other), strict=True)
        ]
        observed = [times.get(name) for times in seen]
        if differs or bounds[0] != bounds[1] or observed[0] != observed[1]:
            found.append({"name": name, "differs": differs, "bounds_ns": bounds, "observed_ns": observed})
    return found


def _observed(schedule: Schedule | None) -> dict[str, Any]:
    """Returns the largest simulated response time by the name of the task."""
    if schedule is None:
        return {}
    tasks = schedule.metrics().tasks
    return dict(zip(tasks["name"], tasks["max_response_time_ns"], strict=True))
