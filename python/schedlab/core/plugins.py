"""Additions to the shipped schedulers, locking protocols and tests: installed packages, and classes in Python.

`schedlab new policy NAME`, `new protocol` and `new test` make packages with entry points of the groups below. The entry
point is a module that holds the whole library with one more entry:

* `describe() -> dict`: `name`, `description`, `interface` (its version, see `INTERFACE`);
* `scenario(toml: str) -> Scenario`: the scenario in the text, under this scheduler or protocol, or with this test to
  ask. It has the methods of `schedlab._native.Scenario`;
* `judge_sets`: the function of `schedlab._native`, which also knows this entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from schedlab.errors import BadInput, CannotRun

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from schedlab import _native
    from schedlab.core.policy import Policy

Kind = Literal["scheduler", "locking protocol", "test"]

#: The groups of entry points, by kind.
GROUPS: dict[Kind, str] = {
    "scheduler": "schedlab.policies",
    "locking protocol": "schedlab.protocols",
    "test": "schedlab.tests",
}

#: The version of the interface between schedlab and installed packages.
INTERFACE = 7


@dataclass(frozen=True)
class Installed:
    """An installed scheduler, locking protocol or test."""

    name: str
    description: str
    module: Any

    def scenario(self, given: _native.Scenario) -> _native.Scenario:
        """Returns `given` with this entry: under this scheduler or protocol, or with this test to ask."""
        made: _native.Scenario = self.module.scenario(given.to_toml())
        return made


def under(given: _native.Scenario, scheduler: str | type[Policy]) -> _native.Scenario:
    """Returns `given` under any scheduler: a known or installed name, or a class derived from `Policy`."""
    if not isinstance(scheduler, str):
        return given.with_policy(scheduler)
    if given.has_scheduler(scheduler) or (found := find("scheduler", scheduler)) is None:
        return given.replace(scheduler=scheduler)
    _expect_alone(given, "protocol", found)
    return found.scenario(given)


def sharing(given: _native.Scenario, protocol: str) -> _native.Scenario:
    """Returns `given` with any locking protocol: a known or installed name."""
    if given.has_protocol(protocol) or (found := find("locking protocol", protocol)) is None:
        return given.replace(protocol=protocol)
    _expect_alone(given, "scheduler", found)
    return found.scenario(given)


def _expect_alone(given: _native.Scenario, kind: str, found: Installed) -> None:
    """Raises `BadInput` if `given` needs another package: an installed one knows what is shipped and its own entry."""
    for other in given.own:
        if other.startswith(kind):
            raise BadInput(
                f"{found.name} is installed and does not know the {other}; allowed: a shipped {kind}, "
                "or a policy in Python chosen after an installed protocol"
            )


@cache
def installed(kind: Kind) -> dict[str, EntryPoint]:
    """Returns the entry points of that kind, by name."""
    # The metadata of packages is slow to import, and a shipped name needs none.
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUPS[kind])}


def find(kind: Kind, name: str) -> Installed | None:
    """Returns the installed entry of that kind and name, or None; raises `CannotRun` if it cannot be loaded."""
    wanted = name.strip().casefold()
    point = next((point for known, point in installed(kind).items() if known.casefold() == wanted), None)
    if point is None:
        return None
    try:
        module = point.load()
    except Exception as error:
        raise CannotRun(f"the installed {kind} {name} ({point.value}) cannot be loaded: {error}") from error
    found = module.describe()
    if found.get("interface") != INTERFACE:
        raise CannotRun(
            f"the installed {kind} {name} ({point.value}) was built for another version of schedlab; build it again"
        )
    return Installed(name=found["name"], description=found["description"], module=module)
