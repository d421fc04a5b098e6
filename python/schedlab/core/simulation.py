"""Simulations of scenarios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schedlab.base.files import beside, is_special
from schedlab.core import display
from schedlab.core.metrics import Checked, Metrics
from schedlab.core.scenario import Scenario, expect_scenario
from schedlab.core.schedule import Schedule
from schedlab.errors import BadInput
from schedlab.outputs.results import SimulationRow

if TYPE_CHECKING:
    from schedlab import _native
    from schedlab.core.policy import Policy

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

    The trace is kept in memory, or in the file `into`, which is whole or absent. `progress` is called now and then with
    the share that is done, from 0 to 1. The same scenario gives the same bytes. Raises `BadInput` if the scheduler or
    protocol refuses the tasks.
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
    """Simulates as `simulate` does, but keeps no trace, so that memory is bounded. Returns metrics and checks."""
    expect_scenario(scenario)
    found = scenario.under(scheduler)._native.measure(check, progress)
    return Metrics.of(found["metrics"]), display.Shown(Checked(**row) for row in found["checks"])


def simulate_many(
    scenarios: Sequence[Scenario],
    *,
    check: bool = True,
    threads: int = 0,
    progress: Callable[[int], None] | None = None,
) -> list[SimulationRow | BadInput]:
    """Simulates each scenario under its own scheduler, on `threads` threads (0: one for each processor).

    Keeps no traces. The result has the error of a scenario that cannot be simulated in its place, and does not depend
    on `threads`. `progress` is called now and then with the number of scenarios that are done.
    """
    begun = Begun(scenarios, check=check, threads=threads)
    try:
        return begun.wait(progress)
    finally:
        begun.stop()


class Begun:
    """Simulations that go on in the background, until `wait` returns their rows."""

    def __init__(self, scenarios: Sequence[Scenario], *, check: bool, threads: int) -> None:
        if threads < 0:
            raise BadInput(f"threads: {threads}; allowed: from 1, or 0 (one for each processor)")
        for one in scenarios:
            expect_scenario(one)
        self._count = len(scenarios)
        # Scenarios of an installed package are values of its own library, which simulates them.
        places: dict[type[_native.Scenario], list[int]] = {}
        for index, one in enumerate(scenarios):
            places.setdefault(type(one._native), []).append(index)
        self._parts: list[tuple[list[int], _native.Simulations]] = []
        for kind, own in places.items():
            self._parts.append((own, kind.simulations([scenarios[index]._native for index in own], check, threads)))

    def wait(self, progress: Callable[[int], None] | None = None) -> list[SimulationRow | BadInput]:
        """Returns the rows in the order of the scenarios, once all are done."""
        rows: dict[int, SimulationRow | BadInput] = {}
        for own, part in self._parts:
            before = len(rows)
            tell = None if progress is None else lambda done, before=before: progress(before + done)
            rows |= zip(own, part.wait(tell), strict=True)
        return display.Shown(rows[index] for index in range(self._count))

    def stop(self) -> None:
        """Ends the simulations that still go on."""
        for _, part in self._parts:
            part.stop()


def _into(given: _native.Scenario, path: Path, progress: Progress | None) -> Schedule:
    """Simulates into a file beside `path`, which takes its place at the end; into a device or a pipe directly."""
    if is_special(path):
        schedule = Schedule(given.simulate(progress))
        schedule.write(path)
        return schedule
    with beside(path) as part:
        given.simulate_into(str(part), str(path), progress)
    return Schedule.read(path)
