"""What a scenario's text says of shared resources: protocols of their own, and who takes them."""

from __future__ import annotations

import tomllib
from typing import Any

from schedlab.core.scenario import Scenario


def locks_in_words(scenario: Scenario) -> str:
    """Returns the protocol of each resource that states its own, such as "map inherit", then that of the others."""
    stated: list[dict[str, Any]] = tomllib.loads(scenario.to_toml()).get("resource", [])
    own = [f"{one['name']} {one['protocol']}" for one in stated if "protocol" in one]
    others = [scenario.protocol] if len(own) < len(stated) or not own else []
    return ", ".join([*own, *(f"others {name}" if own else name for name in others)])


def sections_of(scenario: Scenario) -> dict[str, str]:
    """Returns the resources that each task takes, as text, by the name of the task; "nothing" if it takes none."""
    tasks: list[dict[str, Any]] = tomllib.loads(scenario.to_toml())["task"]
    return {task["name"]: ", ".join(_taken(task.get("program", []))) or "nothing" for task in tasks}


def _taken(program: list[str]) -> list[str]:
    """Returns the names of the resources that a program requests, each once."""
    return list(dict.fromkeys(step.removeprefix("request ") for step in program if step.startswith("request ")))
