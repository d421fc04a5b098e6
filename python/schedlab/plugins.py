"""Schedulers of others: installed packages that offer entry points of the group `schedlab.policies`.

`schedlab new policy NAME` makes such a package. Its entry point is a module with the functions

* `describe() -> dict`: `name`, `description`, `interface` (its version, see `INTERFACE`);
* `simulate(scenario_toml: str, progress) -> bytes`: the trace.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from schedlab.errors import CannotRun

__all__ = ["Installed", "find", "find_protocol", "installed", "installed_protocols"]

GROUP = "schedlab.policies"

#: Locking protocols of others: modules with the same functions; `schedlab new protocol NAME` makes one.
PROTOCOLS = "schedlab.protocols"

#: The version of the interface between schedlab and installed policies.
INTERFACE = 1


@dataclass(frozen=True)
class Installed:
    """An installed scheduler or locking protocol."""

    name: str
    description: str
    simulate: Callable[[str, Callable[[float], None] | None], bytes]


@cache
def installed() -> dict[str, EntryPoint]:
    """The entry points by scheduler name."""
    return {point.name: point for point in entry_points(group=GROUP)}


def find(name: str) -> Installed | None:
    """The installed scheduler of that name, loaded; None if there is none."""
    point = installed().get(name)
    return None if point is None else _load("scheduler", name, point)


@cache
def installed_protocols() -> dict[str, EntryPoint]:
    """The entry points by protocol name."""
    return {point.name: point for point in entry_points(group=PROTOCOLS)}


def find_protocol(name: str) -> Installed | None:
    """The installed locking protocol of that name, loaded; None if there is none."""
    point = installed_protocols().get(name)
    return None if point is None else _load("locking protocol", name, point)


def _load(what: str, name: str, point: EntryPoint) -> Installed:
    try:
        module = point.load()
    except Exception as error:
        raise CannotRun(f"the installed {what} {name} ({point.value}) cannot be loaded: {error}") from error
    found = module.describe()
    if found.get("interface") != INTERFACE:
        raise CannotRun(
            f"the installed {what} {name} ({point.value}) was built for another version of schedlab; build it again"
        )
    return Installed(name=found["name"], description=found["description"], simulate=module.simulate)
