"""`schedlab simulate --jsonl`: many task sets, one a line, on all processors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedlab.base.words import count
from schedlab.cli.shared.options import progress, settings_of
from schedlab.cli.shared.screen import say
from schedlab.cli.shared.statuses import BAD_INPUT, DONE, FOUND, strict_status
from schedlab.core.scenario import Scenario
from schedlab.errors import BadInput
from schedlab.lines.coming_lines import ComingLines
from schedlab.lines.records import simulated_lines
from schedlab.outputs.tables import SimulatedLine

if TYPE_CHECKING:
    from schedlab.core.policy import Policy
    from schedlab.outputs.tables import SimulatedLine

#: Function that takes a row.
Take = Callable[[Mapping[str, Any]], object]


def simulate_lines(
    source: Path,
    schedulers: Sequence[str | type[Policy]],
    overrides: Mapping[str, Any],
    *,
    out: Path | None,
    check: bool,
    threads: int,
    strict: bool,
) -> int:
    """Writes a row for each simulation; returns the exit status, for bad lines and violated invariants."""
    # Rows need Arrow, which is slow to import, and one simulation has none.
    from schedlab.store.rows import expect_ending

    file = None if out is None or str(out) == "-" else out
    if file is not None:
        expect_ending(file)
    settings = settings_of(overrides, schedulers)
    _expect_known(schedulers, settings)
    rows = bad = 0
    fine = True
    answers: set[str] = set()
    lines = _number_of_lines(source)
    with progress("simulating", quiet=lines == 0) as report, _taking(file) as take:
        simulated = simulated_lines(
            ComingLines(source), str(source), list(schedulers) or None, settings, check=check, threads=threads,
            progress=lambda line: report(line / max(lines, 1)),
        )  # fmt: skip
        for found in simulated:
            if isinstance(found, BadInput):
                bad += 1
                print(f"schedlab: {found}", file=sys.stderr)
                continue
            rows += 1
            fine = fine and not found["violated"]
            answers |= {_answer(found)}
            take(found)
    if file is not None:
        say(f"{count(rows, 'simulation')} in {file}")
    if bad:
        others = "; the others were simulated" if rows else ""
        print(f"schedlab: {count(bad, 'bad line')}{others}", file=sys.stderr)
    if bad:
        return BAD_INPUT
    return FOUND if not fine else strict_status(answers) if strict else DONE


def _answer(found: SimulatedLine) -> str:
    """Returns, of one simulation, the answer for --strict: nothing is known where the scheduler cannot be applied."""
    if found["error"]:
        return "unknown"
    return "unschedulable" if found["misses"] or found["deadlocks"] else "schedulable"


def _taking(out: Path | None) -> AbstractContextManager[Take]:
    """Yields the function that takes rows for the file, or for standard output."""
    # Rows need Arrow, which is slow to import, and one simulation has none.
    from schedlab.store.rows import writing_rows

    if out is not None:
        return writing_rows(out, SimulatedLine)
    return nullcontext(_print_row)


def _print_row(row: Mapping[str, Any]) -> None:
    """Prints a row at once, because the sender of its line may wait for it."""
    # Rows need Arrow, which is slow to import, and one simulation has none.
    from schedlab.store.rows import json_line

    sys.stdout.write(json_line(row))
    sys.stdout.flush()


#: Largest number of processors that a line can have.
_MOST_PROCESSORS = 4096


def _expect_known(schedulers: Sequence[str | type[Policy]], settings: Mapping[str, Any]) -> None:
    """Raises for a name or a value that no line could use, before any line is read."""
    # The task has everything that some scheduler needs, and as much room as any line has for other settings.
    task = {"wcet_ns": 1, "period_ns": 10**9, "fixed_priority": 0, "priority_point_ns": 0}
    trial = Scenario.from_tasks([task], processors=settings.get("processors", _MOST_PROCESSORS))
    for name in schedulers:
        trial.under(name)
    for name, value in settings.items():
        # Each line has tasks of its own to set.
        if name != "settings":
            trial.replace(**{name: value})


def _number_of_lines(source: Path) -> int:
    """Returns the number of lines of a file, for a bar on a terminal; 0 if there is no bar."""
    if not sys.stderr.isatty() or not source.is_file():
        return 0
    with source.open("rb") as stream:
        return sum(1 for _ in stream)
