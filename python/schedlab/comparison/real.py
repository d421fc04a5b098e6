"""Real runs beside simulations: each scheduler that can run here, one strictly after the other.

`run_beside` adds the real run to each row of a comparison (`schedlab.outputs.comparison.Real`), and counts the
simulated response times anew, in bins that both distributions share.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from schedlab import runtime
from schedlab.comparison import observed
from schedlab.comparison.over_bound import over_bound
from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.errors import CannotRun
from schedlab.outputs.comparison import ComparedScheduler, Real
from schedlab.outputs.results import Findings

#: The error of schedulers that did not run because an interrupt came before.
INTERRUPTED = "not run: interrupted before"

_NOT_RUN: Real = {"error": INTERRUPTED, "ending": "not_run"}

Keep = Callable[[str, Schedule], None]


def run_beside(
    scenarios: Sequence[Scenario],
    rows: Sequence[ComparedScheduler],
    simulated: dict[str, Schedule],
    keep: Keep = lambda name, schedule: None,
    progress: Callable[[float], None] = lambda share: None,
) -> None:
    """Runs each row's scheduler for real and adds the run to the row.

    `simulated` has the simulated schedules by scheduler. An interrupt ends the current run, whose beginning is kept,
    and the schedulers after it are not run.
    """
    for index, (scenario, row) in enumerate(zip(scenarios, rows, strict=True)):
        if index and is_interrupted(rows[index - 1]):
            row["real"] = _NOT_RUN.copy()
        elif reason := _unable(scenario, row):
            row["real"] = {"error": reason}
        else:
            row["real"] = _run(scenario, row, simulated.get(row["name"]), keep)
        progress((index + 1) / len(rows))


def is_interrupted(row: ComparedScheduler) -> bool:
    """True if the row's real run was ended by an interrupt, or not begun because of one."""
    real = row.get("real")
    return real is not None and real.get("ending") in ("stopped", "not_run")


def how_it_ended(findings: Findings) -> str:
    """Returns, in words, how a real run ended."""
    return f"crashed: {findings['crashed']}" if findings["crashed"] else findings["ending"].replace("_", " ")


def _unable(scenario: Scenario, row: ComparedScheduler) -> str | None:
    if not row.get("modelled", True):
        # The scheduler is not simulated, but the kernel can run it.
        return None
    if row["error"] is None and scenario.own:
        return runtime.only_simulated(scenario)
    return None if row["error"] is None else str(row["error"])


def _run(scenario: Scenario, row: ComparedScheduler, simulated: Schedule | None, keep: Keep) -> Real:
    with tempfile.TemporaryDirectory(prefix="schedlab-") as folder:
        trace = Path(folder) / "run.trace"
        try:
            findings = runtime.run_checked(scenario, trace)
        except CannotRun as error:
            return {"error": str(error)}
        except KeyboardInterrupt:
            return _NOT_RUN.copy()
        schedule = Schedule.from_bytes(trace.read_bytes())
    keep(row["name"], schedule)
    ran = schedule._native.observed(None if simulated is None else simulated._native)
    if simulated is not None:
        again = simulated._native.observed(schedule._native)
        for task, spread in zip(row["tasks"], again["tasks"], strict=True):
            task["histogram"] = spread["histogram"]
    return {
        "error": None,
        "ending": findings["ending"],
        "until_ns": findings["end_ns"],
        "tasks": ran["tasks"],
        "totals": ran["totals"],
        "deadlocks": schedule.metrics().deadlocks,
        "over_bound": over_bound(observed.bounds(row, ran["tasks"]), ran["tasks"], findings),
        "findings": findings,
    }
