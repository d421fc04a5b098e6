"""What a simulated machine does with a scenario."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab import plugins
from schedlab.errors import BadInput
from schedlab.scenario import Scenario, expect_scenario
from schedlab.schedule import Checked, Metrics, Schedule

if TYPE_CHECKING:
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
    foreign = None if protocol is None else plugins.find_protocol(protocol)
    if foreign is not None:
        return _under_foreign_protocol(scenario, scheduler, foreign, into, progress)
    if protocol is not None:
        scenario = scenario.replace(protocol=protocol)
    name = scenario.scheduler if scheduler is None else scheduler
    installed = plugins.find(name) if isinstance(name, str) else None
    if isinstance(name, str) and installed is None and into is not None:
        return _into(scenario, name, Path(into), progress)
    if not isinstance(name, str):
        schedule = Schedule(scenario._native.simulate_policy(name, progress))
    elif installed is not None:
        schedule = Schedule.from_bytes(installed.simulate(scenario.to_toml(), progress))
    else:
        schedule = Schedule(scenario._native.simulate(name, progress))
    if into is None:
        return schedule
    schedule.write(into)
    return Schedule.read(into)


def _under_foreign_protocol(
    scenario: Scenario,
    scheduler: str | type[Policy] | None,
    protocol: plugins.Installed,
    into: Path | str | None,
    progress: Progress | None,
) -> Schedule:
    if scheduler is not None:
        if not isinstance(scheduler, str) or plugins.find(scheduler) is not None:
            raise BadInput("an installed protocol goes with schedlab's own schedulers")
        scenario = scenario.replace(scheduler=scheduler)
    plain = scenario.replace(protocol="none")
    schedule = Schedule.from_bytes(protocol.simulate(plain.to_toml(), progress))
    if into is not None:
        schedule.write(into)
    return schedule


def measure(
    scenario: Scenario,
    *,
    scheduler: str | type[Policy] | None = None,
    check: bool = True,
    progress: Progress | None = None,
) -> tuple[Metrics, list[Checked]]:
    """As `simulate`, but keeps no trace: memory does not grow with the horizon. Metrics, and what was checked."""
    expect_scenario(scenario)
    name = scenario.scheduler if scheduler is None else scheduler
    if not isinstance(name, str) or plugins.find(name) is not None:
        schedule = simulate(scenario, scheduler=name, progress=progress)
        return schedule.metrics(), schedule.check() if check else []
    found = scenario._native.measure(name, check, progress)
    return Metrics.of(found["metrics"]), [Checked(**row) for row in found["checks"]]


def _into(scenario: Scenario, scheduler: str, path: Path, progress: Progress | None) -> Schedule:
    """The trace goes into a file beside `path`, which takes its place at the end."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from error
    part = Path(name)
    try:
        scenario._native.simulate_into(scheduler, name, progress)
        part.chmod(0o644)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return Schedule.read(path)
