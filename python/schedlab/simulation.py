"""What a simulated machine does with a scenario."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.files import beside
from schedlab.metrics import Checked, Metrics
from schedlab.scenario import Scenario, expect_scenario
from schedlab.schedule import Schedule

if TYPE_CHECKING:
    from schedlab import _native
    from schedlab.policy import Policy

__all__ = ["measure", "simulate"]

Progress = Callable[[float], None]


def simulate(
    scenario: Scenario,
    *,
    scheduler: str | type[Policy] | None = None,
    protocol: str | None = None,
    into: Path | str | None = None,
    progress: Progress | None = None,
) -> Schedule:
    """Simulates `scenario` under its own scheduler, another by name, or a policy written in Python.

    `protocol` is another locking protocol than the scenario's, also an installed one.

    The trace is kept in memory, or in the file `into`, which is whole or absent. `progress` is called now and
    then with the share done. The same scenario gives the same bytes.
    """
    expect_scenario(scenario)
    given = scenario.replace(scheduler=scheduler, protocol=protocol)._native
    return Schedule(given.simulate(progress)) if into is None else _into(given, Path(into), progress)


def measure(
    scenario: Scenario,
    *,
    scheduler: str | type[Policy] | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> tuple[Metrics, list[Checked]]:
    """As `simulate`, but keeps no trace: memory does not grow with the horizon. Metrics, and what was checked."""
    expect_scenario(scenario)
    found = scenario.under(scheduler)._native.measure(check, progress)
    return Metrics.of(found["metrics"]), [Checked(**row) for row in found["checks"]]


def _into(given: _native.Scenario, path: Path, progress: Progress | None) -> Schedule:
    """The trace goes into a file beside `path`, which takes its place at the end."""
    with beside(path) as part:
        given.simulate_into(str(part), str(path), progress)
    return Schedule.read(path)
