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

__all__ = ["Installed", "find", "installed"]

GROUP = "schedlab.policies"

#: The version of the interface between schedlab and installed policies.
INTERFACE = 1


@dataclass(frozen=True)
class Installed:
    """An installed scheduler."""

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
    if point is None:
        return None
    try:
        module = point.load()
    except Exception as error:
        raise CannotRun(f"the installed scheduler {name} ({point.value}) cannot be loaded: {error}") from error
    found = module.describe()
    if found.get("interface") != INTERFACE:
        raise CannotRun(
            f"the installed scheduler {name} ({point.value}) was built for another version of schedlab; build it again"
        )
    return Installed(name=found["name"], description=found["description"], simulate=module.simulate)
