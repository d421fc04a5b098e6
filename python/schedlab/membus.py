"""Caches on one bus: how long tasks that execute side by side wait for memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from schedlab import _native
from schedlab.core.scenario import Scenario, expect_scenario
from schedlab.core.simulation import simulate
from schedlab.errors import BadInput
from schedlab.outputs.results import BusSeen, MemoryUse

__all__ = ["BusSeen", "MemoryUse", "bus_slots", "memory_use"]


def bus_slots(slots: int = 3, *, warm_up: int = 1, parts: int = 1, **machine: Any) -> BusSeen:
    """Runs the experiment of staggered-pfair-2005, section V-A: in each slot each processor writes to another array.

    Counts `slots` slots after `warm_up` others, in `parts` parts of each slot. `machine` replaces numbers of the paper:
    `processors`, `staggered`, `quantum_cycles`, `cache_bytes`, `line_bytes`, `ways`, `read_miss`, `write_miss`,
    `upgrade`, `write_back`, `round_robin`, `cells`, `cell_bytes`, `random_seed`, `gap`. The answer contains all of
    them.
    """
    for name, value in {"slots": slots, "warm_up": warm_up, "parts": parts, **machine}.items():
        if name == "random_seed" and value is None:
            continue
        if not isinstance(value, int) or not 0 <= value < 2**64:
            raise BadInput(f"{name}: {value!r}; allowed: a whole number from 0 to 2^64 - 1")
    return _native.bus_slots(machine, slots, warm_up, parts)


def memory_use(scenario: Scenario, schedulers: Sequence[str] | None = None) -> tuple[list[MemoryUse], str]:
    """Returns how long the jobs of a scenario wait for memory in a simulation under each scheduler, and an overheads
    file.

    Each task has a `working_set` and the workload `writes`, `reads` or `backtest`; the scenario's `platform.memory` has
    the caches and the bus. The numbers of the file are modelled, and the file states that.
    """
    expect_scenario(scenario)
    names = [scenario.scheduler] if schedulers is None else list(schedulers)
    traces = [simulate(scenario, scheduler=name)._native for name in names]
    return _native.memory_use(scenario._native, traces)
