"""Schedulers, locking protocols and tests of others: installed packages with entry points of the groups below.

`schedlab new policy NAME`, `new protocol` and `new test` make such packages. The entry point is a module with

* `describe() -> dict`: `name`, `description`, `interface` (its version, see `INTERFACE`);
* `simulate(scenario_toml: str, progress) -> bytes`: the trace; or of a test,
* `analyze(scenario_toml: str) -> dict | None`: a verdict, None where it does not speak of the scheduler.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from schedlab.errors import CannotRun

__all__ = ["Installed", "find", "find_protocol", "find_test", "installed", "installed_protocols", "installed_tests"]

GROUP = "schedlab.policies"
PROTOCOLS = "schedlab.protocols"
TESTS = "schedlab.tests"

#: The version of the interface between schedlab and what is installed.
INTERFACE = 1


@dataclass(frozen=True)
class Installed:
    """An installed scheduler, locking protocol or test."""

    name: str
    description: str
    module: Any

    def simulate(self, scenario: str, progress: Callable[[float], None] | None) -> bytes:
        """The trace under this scheduler or protocol."""
        trace: bytes = self.module.simulate(scenario, progress)
        return trace

    def analyze(self, scenario: str) -> dict[str, Any] | None:
        """What this test says; None where it does not speak of the scheduler."""
        found: dict[str, Any] | None = self.module.analyze(scenario)
        return found


@cache
def installed() -> dict[str, EntryPoint]:
    """The entry points by scheduler name."""
    return _points(GROUP)


@cache
def installed_protocols() -> dict[str, EntryPoint]:
    """The entry points by protocol name."""
    return _points(PROTOCOLS)


@cache
def installed_tests() -> dict[str, EntryPoint]:
    """The entry points by test name."""
    return _points(TESTS)


def find(name: str) -> Installed | None:
    """The installed scheduler of that name; None if there is none."""
    return _load("scheduler", name, installed())


def find_protocol(name: str) -> Installed | None:
    """The installed locking protocol of that name; None if there is none."""
    return _load("locking protocol", name, installed_protocols())


def find_test(name: str) -> Installed | None:
    """The installed test of that name; None if there is none."""
    return _load("test", name, installed_tests())


def _points(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}


def _load(what: str, name: str, points: dict[str, EntryPoint]) -> Installed | None:
    point = points.get(name)
    if point is None:
        return None
    try:
        module = point.load()
    except Exception as error:
        raise CannotRun(f"the installed {what} {name} ({point.value}) cannot be loaded: {error}") from error
    found = module.describe()
    if found.get("interface") != INTERFACE:
        raise CannotRun(
            f"the installed {what} {name} ({point.value}) was built for another version of schedlab; build it again"
        )
    return Installed(name=found["name"], description=found["description"], module=module)
