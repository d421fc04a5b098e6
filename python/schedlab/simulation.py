"""What a simulated machine does with a scenario."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from schedlab import plugins
from schedlab.scenario import Scenario
from schedlab.schedule import Schedule

if TYPE_CHECKING:
    from schedlab.policy import Policy

__all__ = ["simulate"]


def simulate(
    scenario: Scenario,
    *,
    scheduler: str | type[Policy] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Schedule:
    """Simulates `scenario` under its own scheduler, another by name, or a policy written in Python.

    `progress` is called now and then with the share done. The same scenario gives the same bytes.
    """
    if scheduler is None:
        scheduler = scenario.scheduler
    if not isinstance(scheduler, str):
        return Schedule(_with_policy(scenario, scheduler, progress))
    installed = plugins.find(scheduler)
    if installed is not None:
        return Schedule.from_bytes(installed.simulate(scenario.to_toml(), progress))
    return Schedule(scenario._native.simulate(scheduler, progress))


def _with_policy(scenario: Scenario, policy: type[Policy], progress: Callable[[float], None] | None):  # type: ignore[no-untyped-def]
    return scenario._native.simulate_policy(policy, progress)
