"""`schedlab compare A B`: how verdicts, bounds and schedules of two scenarios differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.base.durations import duration
from schedlab.cli.diff import occupant_in_words
from schedlab.cli.shared.linux import on_linux
from schedlab.cli.shared.options import print_answer, progress, read_scenarios, table
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.statuses import DONE, strict_status
from schedlab.cli.shared.what_if import refuse_both
from schedlab.comparison.two import compare_two
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.scenario import Scenario
    from schedlab.outputs.comparison import ComparedTwo, OneOfTwo, StatedDifference

#: The colour of each answer.
_COLOURS = {"schedulable": "green", "unschedulable": "red", "unknown": "yellow"}


def print_two(
    files: Sequence[Path],
    schedulers: Sequence[Any],
    overrides: Mapping[str, Any],
    *,
    of_linux: bool,
    as_json: bool,
    strict: bool,
) -> int:
    """Compares two scenarios under each of `schedulers`, else each under its own; returns the exit status.

    Scenarios `of_linux` have the kernel's throttling where they state none.
    """
    if len(files) > 2:
        raise BadInput(f"compare: {len(files)} scenarios; allowed: one scenario, or two that are compared")
    if files[0] == files[1]:
        raise BadInput(f"{files[0]} is the same file twice; allowed: two scenarios")
    refuse_both(overrides, schedulers)
    scenarios = [one for file in files for one in read_scenarios(file, [], **overrides)]
    if of_linux:
        scenarios = on_linux(scenarios)
    names = [file.name for file in files] if files[0].name != files[1].name else [str(file) for file in files]
    asked = list(schedulers) or [None]
    pairs = []
    for index, scheduler in enumerate(asked):
        with progress(f"comparing {index + 1} of {len(asked)}", quiet=as_json) as report:
            pairs.append(compare_two(scenarios[0], scenarios[1], scheduler, report))
    if as_json:
        print_answer("compare two", files=[str(file) for file in files], pairs=pairs)
    else:
        for pair in pairs:
            _print(pair, names, scenarios)
    answers = [_judged(one) for pair in pairs for one in pair["scenarios"]]
    return strict_status(answers) if strict else DONE


def _judged(one: OneOfTwo) -> str:
    """Returns the answer of proofs and simulation together."""
    return "unschedulable" if one["misses"] or one["deadlocks"] else one["answer"]


def _print(pair: ComparedTwo, names: Sequence[str], scenarios: Sequence[Scenario]) -> None:
    first, second = pair["scenarios"]
    say(_verdicts(first, second, names))
    for one, name in zip(pair["scenarios"], names, strict=True):
        if one["error"] is not None:
            say(Styled(f"{name} was not simulated", "red", f": {one['error']}"))
        for deadlock in one["deadlocks"]:
            say(Styled(f"{name}: {deadlock['text']}", "red"))
    for only, name in zip(pair["only"], names, strict=True):
        if only:
            say(f"only in {name}: {', '.join(only)}")
    if pair["tasks"]:
        both = ("bound", "simulated")
        rows = table("tasks that differ", "task", "states", *(f"{word}, {name}" for word in both for name in names))
        for task in pair["tasks"]:
            times = [*task["bounds_ns"], *task["observed_ns"]]
            rows.row(task["name"], "; ".join(map(_stated, task["differs"])) or "the same", *map(duration, times))
        rows.print()
    elif not any(pair["only"]):
        say("the bounds and the simulated response times are the same")
    say(_schedules(pair, names, scenarios))


def _verdicts(first: OneOfTwo, second: OneOfTwo, names: Sequence[str]) -> Styled:
    """Returns a sentence: the answers about both, with what was late in simulation."""
    told = [_verdict(one) for one in (first, second)]
    if told[0] == told[1]:
        return Styled("the verdicts are the same", _COLOURS[first["answer"]], f": {told[0]}")
    differ = first["answer"] != second["answer"]
    same = "the verdicts differ" if differ else f"both are {first['answer']}"
    beside = "; ".join(f"{name} is {verdict}" for name, verdict in zip(names, told, strict=True))
    return Styled(same, "yellow" if differ else _COLOURS[first["answer"]], f": {beside}")


def _verdict(one: OneOfTwo) -> str:
    tests = f" ({', '.join(one['tests'])})" if one["answer"] == "schedulable" and len(one["tests"]) == 1 else ""
    late = f", {one['misses']} of {one['jobs']} jobs late" if one["misses"] else ""
    return f"{one['answer']} under {one['scheduler']}{tests}{late}"


def _stated(one: StatedDifference) -> str:
    """Returns what a task states in both, such as "wcet 2.5 ms, then 5 ms"."""
    is_time = one["field"].endswith("_ns")
    values = [duration(value) if is_time and isinstance(value, int) else str(value) for value in one["values"]]
    return f"{one['field'].removesuffix('_ns').replace('_', ' ')} {values[0]}, then {values[1]}"


def _schedules(pair: ComparedTwo, names: Sequence[str], scenarios: Sequence[Scenario]) -> str:
    """Returns a sentence: where the simulated schedules differ first."""
    if not pair["comparable"]:
        other = any(one["error"] for one in pair["scenarios"])
        return "the schedules are not compared" if other else "the schedules are of other tasks, and are not compared"
    found = pair["schedule"]
    if found is None:
        return f"the schedules are the same until {duration(min(pair['horizons_ns']))}"
    does = [
        f"{occupant_in_words(occupant, one)} in {name}"
        for occupant, one, name in zip(found["occupants"], scenarios, names, strict=True)
    ]
    return f"the schedules differ from {duration(found['at_ns'])} on, on cpu {found['cpu']}: {does[0]}, {does[1]}"
