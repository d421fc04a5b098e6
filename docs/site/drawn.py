"""Schedules that the pages of schedulers and protocols show, drawn by the simulator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import schedlab

MS = 1_000_000
#: Tasks on two processors that are enough to tell most schedulers apart: cost and period in milliseconds.
TASKS = {"A": (2, 5), "B": (3, 6), "C": (4, 10), "D": (2, 12)}

#: Three tasks that share R. On two processors, C is alone on the second one.
SHARING = """
schedlab = 1
horizon = "40 ms"
{settings}
platform.processors = {processors}

[[resource]]
name = "R"
length = "{length}"

[[task]]
name = "A"
period = "20 ms"
offset = "2 ms"
priority = 1
{first}
program = ["execute 1 ms", "request R", "execute 1 ms", "release R", "execute 1 ms"]

[[task]]
name = "B"
wcet = "4 ms"
period = "20 ms"
offset = "3 ms"
priority = 2
{first}

[[task]]
name = "C"
period = "40 ms"
priority = 3
{second}
program = ["execute 1 ms", "request R", "execute 4 ms", "release R", "execute 1 ms"]
"""


def under(scheduler: str, *, scale: float = 1) -> schedlab.Scenario:
    """Returns the tasks of `TASKS` on two processors; raises `BadInput` if the scheduler does not take them.

    All costs are times `scale`: some tests need little load, and some judge overloads alone.
    """
    rows: list[dict[str, Any]] = [
        {
            "name": name, "wcet_ns": int(cost * MS * scale), "period_ns": period * MS, "fixed_priority": place,
            "priority_point_ns": period * MS,
        }
        for place, (name, (cost, period)) in enumerate(TASKS.items())
    ]  # fmt: skip
    return schedlab.Scenario.from_tasks(rows, processors=2, scheduler=scheduler, horizon=60 * MS, name=scheduler)


def sharing(protocol: str, scheduler: str, *, length: str = "long", alone: bool | None = None) -> schedlab.Scenario:
    """Returns the tasks of `SHARING` under the protocol; raises `BadInput` if it does not take them.

    They are on one processor if `alone`, else on two; by default as the protocol is meant.
    """
    if alone is None:
        alone = scheduler == "P-FP" and protocol in ("npcs", "pcp", "ipcp", "srp", "by-schedule")
    pinned = scheduler.startswith("P-") and not alone
    text = SHARING.format(
        settings=f'scheduler = "{scheduler}"\nprotocol = "{protocol}"',
        processors=1 if alone else 2, length=length,
        first="processor = 0" if pinned else "", second="processor = 1" if pinned else "",
    )  # fmt: skip
    return schedlab.Scenario.read_text(text, f"{protocol}.toml")


def draw(scenario: schedlab.Scenario, file: Path, until: str) -> None:
    """Simulates the scenario and draws the beginning of its schedule, as SVG."""
    schedlab.simulate(scenario).save(str(file), until=until)
