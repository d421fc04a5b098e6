"""Task sets as JSON records, one a line: verdicts and simulations of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, NamedTuple, cast

from schedlab import measures
from schedlab.base.defaults import SCHEDULER
from schedlab.core.analysis import Analysis, analyze_many
from schedlab.core.conclusion import deciding
from schedlab.core.policy import Policy
from schedlab.core.scenario import Scenario
from schedlab.core.simulation import Begun
from schedlab.errors import BadInput
from schedlab.lines import json_lines
from schedlab.lines.coming_lines import ComingLines
from schedlab.outputs.answers import Measures
from schedlab.outputs.results import SimulationRow
from schedlab.outputs.tables import SimulatedLine

#: The fields that a record may have.
FIELDS = ("id", "m", "scheduler", "tasks", "offsets", "jitter")


#: Largest number of scenarios that are analysed or simulated together: few at first, so that answers come soon.
MOST_TOGETHER = 256


class Judged(NamedTuple):
    """A line's task set under a scheduler, with its analysis."""

    #: The record's own id, or the line's number.
    id: Any
    scenario: Scenario
    analysis: Analysis


def judged_lines(
    lines: ComingLines,
    source: str,
    schedulers: Sequence[str | type[Policy]] | None,
    tests: Sequence[str] | None,
    overrides: Mapping[str, Any],
) -> Iterator[Judged]:
    """Analyses each line under each scheduler, in their order, some lines at a time on all processors.

    No line waits for the next one: the lines that are there are analysed. A line that cannot be read raises `BadInput`
    with its number, after the results of the lines before it.
    """
    settings = {name: value for name, value in overrides.items() if value is not None}
    together = 1
    asked = _asked(lines, source, schedulers, settings)
    while batch := _some(asked, lines, together, waits=True):
        scenarios = [one.scenario for one in batch if isinstance(one.scenario, Scenario)]
        answers = iter(analyze_many(scenarios, tests=tests))
        for place, _, key, scenario in batch:
            if isinstance(scenario, BadInput):
                raise BadInput(f"{place}: {scenario}") from scenario
            found = next(answers)
            if isinstance(found, BadInput):
                raise BadInput(f"{place}: {found}") from found
            yield Judged(key, scenario, found)
        together = min(2 * together, MOST_TOGETHER)


def verdict_records(judged: Iterable[Judged]) -> Iterator[dict[str, Any]]:
    """Yields the verdict about each line as a record."""
    for one in judged:
        supposed = {"what_if": one.scenario.what_if} if one.scenario.what_if else {}
        yield {"id": one.id, **_verdict(one.analysis), **supposed}


def measures_by_scheduler(judged: Iterable[Judged], tests: Sequence[str] | None) -> list[Measures]:
    """Returns `schedlab.measures` of all task sets together for each scheduler, in the order in which these appear.

    Means are over the sets that have the value, and the number of these sets is given too. The values are a number of
    processors up to `MOST_PROCESSORS` times those given, a breakdown above 0, and bounds on the tardiness of all tasks.
    """
    by_scheduler: dict[str, list[_Set]] = {}
    for _, scenario, found in judged:
        tardiness = measures.tardiness_mean(_tardiness_bounds_ns(scenario, found))
        one = _Set(scenario, found, found.schedulable, tardiness)
        by_scheduler.setdefault(found.scheduler, []).append(one)
    return [_measured(name, sets, tests) for name, sets in by_scheduler.items()]


class _Set(NamedTuple):
    scenario: Scenario
    analysis: Analysis
    accepted: bool
    tardiness: Fraction | None


def _measured(scheduler: str, sets: Sequence[_Set], tests: Sequence[str] | None) -> Measures:
    utilizations, accepted = [one.scenario.utilization for one in sets], [one.accepted for one in sets]
    weighted = measures.weighted_schedulability(utilizations, accepted)
    bounded = [one.tardiness for one in sets if one.tardiness is not None]
    needed, broken = _reach([one.scenario for one in sets], tests)
    return {
        "scheduler": scheduler,
        "left_out": _first(_once(one.analysis.left_out for one in sets)),
        "rests_on": _first(_once(one.analysis.rests_on for one in sets)),
        "overheads_unknown": _once(one.analysis.overheads_unknown for one in sets),
        "sets": len(sets),
        "schedulable_sets": measures.schedulable_sets(accepted),
        "weighted_schedulability": None if weighted is None else float(weighted),
        "bounded": len(bounded),
        "tardiness_mean_ns": _mean(bounded),
        "enough_processors": len(needed),
        "required_processors_mean": _mean(needed),
        "broken": len(broken),
        "breakdown_utilization_mean": _mean(broken),
    }


#: Largest number of lines of a kind about many sets; one more states the number of the others.
MOST_LINES = 5


def _once(lines: Iterable[Sequence[str]]) -> list[str]:
    """Returns each line about some set once."""
    return list(dict.fromkeys(line for of_set in lines for line in of_set))


def _first(lines: list[str]) -> list[str]:
    """Returns the lines; of many, the first few and the number of the others."""
    more = len(lines) - MOST_LINES
    return lines if more <= 1 else [*lines[:MOST_LINES], f"{more} more lines, each in the verdicts of --jsonl"]


#: Largest number of processors that is tried, as a multiple of those given.
MOST_PROCESSORS = 10


def _reach(scenarios: Sequence[Scenario], tests: Sequence[str] | None) -> tuple[list[int], list[Fraction]]:
    """Returns the processors that sets need, and their breakdown utilizations, without sets of an installed package."""
    needed: list[int] = []
    broken: list[Fraction] = []
    shipped = [scenario for scenario in scenarios if not scenario.own]
    for processors, alike in groupby(shipped, key=lambda scenario: scenario.processors):
        together = list(alike)
        most = MOST_PROCESSORS * processors
        needed += [one for one in measures.required_processors(together, most, tests=tests) if one is not None]
        factors = measures.breakdown(together, tests=tests)
        broken += [factor * one.utilization for factor, one in zip(factors, together, strict=True) if factor]
    return needed, broken


def _mean(values: Sequence[int | Fraction]) -> float | None:
    return float(sum(values, Fraction(0)) / len(values)) if values else None


def _tardiness_bounds_ns(scenario: Scenario, found: Analysis) -> list[int | None]:
    """Returns what is proved of each task's tardiness, by a bound on it or by one on its response time."""
    bounds = []
    for index, task in enumerate(scenario.tasks):
        response = found.response_time_bound_ns(index)
        late = None if response is None else max(0, response - task["relative_deadline_ns"])
        known = [bound for bound in (found.tardiness_bound_ns(index), late) if bound is not None]
        bounds.append(min(known, default=None))
    return bounds


def simulated_lines(
    lines: ComingLines,
    source: str,
    schedulers: Sequence[str | type[Policy]] | None,
    overrides: Mapping[str, Any],
    *,
    check: bool = True,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Iterator[SimulatedLine | BadInput]:
    """Simulates each line under each scheduler, in their order, some lines at a time on `threads` threads.

    No line waits for the next one: the lines that are there are simulated. A line that cannot be read or simulated
    gives an error with its number; the others go on. `progress` is called now and then with the number of the last line
    that is done.
    """
    settings = {name: value for name, value in overrides.items() if value is not None}
    asked = _asked(lines, source, schedulers, settings)
    together, batch, begun = 1, list[_Asked](), None
    try:
        while True:
            # Lines are read while those before them are simulated, and results do not wait for lines still to come.
            coming = _some(asked, lines, together, waits=not batch)
            if not batch and not coming:
                return
            answers: Iterator[SimulationRow | BadInput] = iter([] if begun is None else begun.wait())
            given = [one.scenario for one in coming if isinstance(one.scenario, Scenario)]
            begun = Begun(given, check=check, threads=threads)
            for one in batch:
                found = one.scenario if isinstance(one.scenario, BadInput) else next(answers)
                yield BadInput(f"{one.place}: {found}") if isinstance(found, BadInput) else _simulated(one, found)
            if batch and progress is not None:
                progress(batch[-1].line)
            batch, together = coming, min(2 * together, MOST_TOGETHER)
    finally:
        if begun is not None:
            begun.stop()


def _simulated(asked: _Asked, row: SimulationRow) -> SimulatedLine:
    own = asked.id if isinstance(asked.id, str) else json.dumps(asked.id)
    found: Any = {"line": asked.line, "id": own, **row}
    return cast(SimulatedLine, {name: found[name] for name in SimulatedLine.__annotations__})


class _Asked(NamedTuple):
    """A line's task set under a scheduler."""

    #: The source and the line's number, for errors.
    place: str
    line: int
    #: The record's own id, or the line's number.
    id: Any
    #: The scenario, or the reason why there is none.
    scenario: Scenario | BadInput


def _some(asked: Iterator[list[_Asked]], lines: ComingLines, most: int, *, waits: bool) -> list[_Asked]:
    """Returns the lines that are there, up to `most` scenarios or those of one line more.

    If it `waits`, returns at least one line; nothing after the last line.
    """
    found: list[_Asked] = []
    while len(found) < most and (lines.is_there() or (waits and not found)):
        of_line = next(asked, None)
        if of_line is None:
            break
        found += of_line
    return found


def _asked(
    lines: Iterable[str],
    source: str,
    schedulers: Sequence[str | type[Policy]] | None,
    settings: Mapping[str, Any],
) -> Iterator[list[_Asked]]:
    """Yields each line under each scheduler; nothing for an empty line. An error ends a line, not those after it."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            yield []
            continue
        of_line: list[_Asked] = []
        place = f"{source}:{number}"
        try:
            record = _record(line)
            for scheduler in schedulers or [record.get("scheduler", SCHEDULER)]:
                named = scheduler if isinstance(scheduler, str) else SCHEDULER
                scenario = _scenario(record, named, place)
                given = scenario.replace(**settings) if settings else scenario
                # No record can name a class.
                under = given if isinstance(scheduler, str) else given.under(scheduler)
                of_line.append(_Asked(place, number, record.get("id", number), under))
        except BadInput as error:
            of_line.append(_Asked(place, number, None, error))
        yield of_line


def _record(line: str) -> dict[str, Any]:
    record = json_lines.parsed(line)
    if not isinstance(record, dict) or not isinstance(record.get("tasks"), list) or not record["tasks"]:
        raise BadInput(f"expected an object with `tasks`; it may have {', '.join(FIELDS)}")
    json_lines.refuse_unknown(record, FIELDS)
    if not isinstance(record.get("scheduler", ""), str):
        raise BadInput("scheduler: expected a name")
    return record


def _scenario(record: Mapping[str, Any], scheduler: str, place: str) -> Scenario:
    """Reads tasks as `[wcet, period, relative deadline]` or objects with the columns of task tables, in nanoseconds."""
    rows = []
    for index, task in enumerate(record["tasks"]):
        if isinstance(task, dict):
            row = dict(task)
        elif isinstance(task, list) and len(task) in (2, 3):
            row = dict(zip(("wcet_ns", "period_ns", "relative_deadline_ns"), task, strict=False))
        else:
            raise BadInput(f"tasks[{index}]: expected [wcet, period, relative deadline] or an object")
        for field, column in (("offsets", "offset_ns"), ("jitter", "jitter_ns")):
            if field in record:
                if not isinstance(record[field], list) or len(record[field]) != len(record["tasks"]):
                    raise BadInput(f"{field}: expected one value for each task")
                if column in row:
                    raise BadInput(f"tasks[{index}].{column}: stands in {field}, too; allowed: in one of the two")
                row[column] = record[field][index]
        rows.append(row)
    processors = record.get("m", 1)
    if not json_lines.is_whole(processors) or processors < 1:
        raise BadInput("m: expected a number of processors from 1")
    return Scenario.from_tasks(rows, processors=processors, scheduler=scheduler, name=place)


def _verdict(found: Analysis) -> dict[str, Any]:
    strongest = found.conclusion["hard"]
    answer = "unknown" if strongest is None else strongest["answer"]
    tests = [] if answer == "unknown" else deciding("hard", [vars(verdict) for verdict in found.verdicts])
    told = [verdict for verdict in found.verdicts if verdict.test in tests or (not tests and verdict.kind == "hard")]
    reasons = [verdict.reason if len(tests) == 1 else f"{verdict.test}: {verdict.reason}" for verdict in told]
    tasks = max((len(v.response_time_bounds_ns or ()) for v in found.verdicts), default=0)
    late = found.evidence[0] if found.evidence else None
    return {
        "scheduler": found.scheduler,
        "answer": answer,
        "left_out": list(found.left_out),
        "rests_on": list(found.rests_on),
        "overheads_unknown": list(found.overheads_unknown),
        "test": ", ".join(tests) or None,
        "reason": found.error or "; ".join(reasons),
        "tardiness_bounded": found.tardiness_is_bounded,
        "response_time_bounds_ns": [found.response_time_bound_ns(task) for task in range(tasks)],
        "late": None if late is None else {key: late[key] for key in ("task", "job", "absolute_deadline_ns")},
    }
