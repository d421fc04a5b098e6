"""Placement of tasks: places, splits and priorities by rule, and whether the processors can hold the tasks at all."""

from __future__ import annotations

from typing import Literal, cast

from schedlab.core import display
from schedlab.core.analysis import Analysis, analyze
from schedlab.core.scenario import Scenario
from schedlab.core.simulation import simulate
from schedlab.core.tables import Table
from schedlab.outputs.answers import PlacementDict, SplitTask
from schedlab.outputs.results import Feasibility, LeastServers, Placed, TaskRow


class Placement(PlacementDict):
    """The result of placing a scenario's tasks."""

    #: The scenario with all places and priorities stated; None if nothing can be placed.
    scenario: Scenario | None


class ServerBandwidths(LeastServers):
    """The least bandwidths of servers with subsystems."""

    #: The scenario with the best servers; None if one of them has none.
    scenario: Scenario | None


def least_servers(
    scenario: Scenario, periods: tuple[str | int, str | int, str | int] | None = None
) -> ServerBandwidths:
    """Searches the least bandwidth and the best period of each budget server whose clients have their own scheduler.

    `periods` are the first one, the last one and the step, as texts with units or in nanoseconds; without them,
    twentieths of the shortest period or relative deadline of a server's clients are tried. For each period the least
    budget is found exactly, in whole nanoseconds, by bisection; a server that states a deadline gets the latest one
    with that budget. `servers` has a row for each server: what was `tried`, and the index of the `best`, the least
    bandwidth and of equal ones the longest period. `answer` is the analysis of the scenario with the best servers,
    `toml` their tables. Raises `BadInput` if there is no such server, or the periods are none.

    Shin and Lee, RTSS 2003; Easwaran, Anand and Lee, RTSS 2007.
    """
    found, made = scenario._native.least_servers(periods)
    told = {**found, "scenario": None if made is None else Scenario(made)}
    return cast("ServerBandwidths", display.ShownDict(told))


def place(scenario: Scenario, *, simulated: bool = False) -> Placement:
    """Applies the scenario's placement, split and rule for priorities, and returns the result.

    `tasks` has a row for each task, with its `processors` and `priority`. Of a split task it has a row for each piece:
    `of`, `piece` of `pieces`, `offset_ns` after the job's arrival. `error` is the reason why nothing can be placed.
    `split` has a row for each split task: `bound_ns` on its response time, by the bounds of its last piece where pieces
    are tasks of their own, and, if `simulated`, the longest one `observed_ns`. `scenario` is the scenario with all
    places and priorities stated.
    """
    found, made = scenario._native.placement()
    resolved = None if made is None else Scenario(made)
    is_split = resolved is not None and any(row["pieces"] > 1 for row in found["tasks"])
    split = _split(scenario, found, resolved, simulated) if is_split and resolved is not None else []
    told = {**found, "split": split, "scenario": resolved}
    return cast("Placement", display.ShownDict(told))


def other_placement(scenario: Scenario) -> str | None:
    """Returns another placement with which all deadlines are proved to be met, as `--placement` takes it; or None.

    A short list is tried: first, worst, best and next fit, and first fit with the test of one processor at each step.
    """
    return scenario._native.other_placement()


def proving_placement(analysis: Analysis, scenario: Scenario) -> str | None:
    """Returns `other_placement` where the scenario's own placement proves nothing, else None."""
    return None if analysis.schedulable or scenario.own else other_placement(scenario)


def executed(scenario: Scenario, number: int) -> Table[TaskRow]:
    """Returns the tasks that are executed and analysed, `number` of them: each piece of a split task is one."""
    if number == len(scenario.tasks):
        return scenario.tasks
    made = place(scenario)["scenario"]
    assert made is not None, "what is executed was placed"
    return made.tasks


def _split(scenario: Scenario, found: Placed, resolved: Scenario, simulated: bool) -> list[SplitTask]:
    [analysis] = analyze(scenario)
    observed = None
    if simulated and found["only_analysis"] is None:
        observed = simulate(scenario).metrics().tasks["max_response_time_ns"]
    rows: list[SplitTask] = []
    names = [task["name"] for task in resolved.tasks]
    are_tasks = len(names) == len(found["tasks"])
    for place, row in enumerate(found["tasks"]):
        if row["pieces"] == 1 or row["piece"] != row["pieces"] - 1:
            continue
        # A piece that is a task of its own begins later than its job arrives.
        index, later = (place, row["offset_ns"]) if are_tasks else (names.index(row["of"]), 0)
        bound = analysis.response_time_bound_ns(index)
        seen = None if observed is None else observed[index]
        rows.append(
            {
                "task": row["of"],
                "pieces": row["pieces"],
                "bound_ns": None if bound is None else later + bound,
                "observed_ns": None if seen is None else later + seen,
            }
        )
    return rows


def feasible(scenario: Scenario, method: Literal["run", "affinities"] = "run") -> Feasibility:
    """Decides whether some scheduler keeps all deadlines of tasks with implicit deadlines.

    `run`: by the reduction to one processor (Regnier et al., RTSS 2011). The result has `levels` of servers, the number
    of `reductions`, and the number of `preemptions_per_job` at most on average. `affinities`: each task on the
    processors of its `affinity` only (Baruah and Brandenburg, RTSS 2013), with `tasks` and their `shares`. If
    `feasible` is false, `reason` is given. Both are off-line constructions: no scheduler here executes them, so they
    are not simulated.
    """
    return cast("Feasibility", display.ShownDict(scenario._native.feasibility(method)))
