"""What figures 2, 11 and 12 of staggered-pfair-2005 share: processors that load their arrays over one bus.

Section V-A simulated 200 MHz processors with quanta of 10 ms, direct-mapped caches of 256 KB and lines of 32 bytes. At
each preemption a task exchanges its array for another one, which is in no cache. Each task here writes as there.

Two numbers are not in the text: how long a line takes the bus, and what a processor computes between two writes. The
defaults are argued where `Slots::OF_2005` of the crate `membus` states them: 12 cycles for each line that is loaded and
12 for each dirty one that goes to memory first, 4 cycles between writes. A line then takes 24 cycles, as each victim is
dirty.

Three slots are seen after a first one, in which staggered processors begin one after the other. So all processors
execute in all that is seen.
"""

from __future__ import annotations

from typing import Any

from schedlab.membus import BusSeen, bus_slots
from schedlab.studies import Parameter, Results

SOURCE = "Holman, Anderson: Adapting Pfair scheduling for symmetric multiprocessors, JEC 1(4), 2005"
MODELS = {"aligned": "aligned model", "staggered": "staggered model"}
SLOTS, WARM_UP = 3, 1
QUANTUM = 2_000_000
CACHE_BYTES, CELL_BYTES = 256 * 1024, 4
#: Lines of 32 bytes that one quantum has to load on each processor.
LINES = 8192
#: Cycles of the bus for a line: half to load it, half for the victim that goes to memory. The middle is the default.
LINE_CYCLES = 24
#: Cycles between two writes, by default.
GAP = 4

LINE = Parameter(
    "line_cycles", LINE_CYCLES, "how long a line takes the bus, half of it for the victim", unit="cycles", low=2,
    high=1000,
)  # fmt: skip
BETWEEN = Parameter("gap", GAP, "what a processor computes between two writes", unit="cycles", low=0, high=10_000)


def see(model: str, processors: int, *, parts: int = 1, **machine: Any) -> BusSeen:
    """What a machine shows in three slots."""
    staggered = model == "staggered"
    return bus_slots(SLOTS, warm_up=WARM_UP, parts=parts, processors=processors, staggered=staggered, **machine)


def line_of(cycles: int) -> dict[str, int]:
    """A bus on which a line takes so many cycles, half of them for the victim."""
    return {"write_miss": cycles - cycles // 2, "write_back": cycles // 2}


def random_cells(alpha: float, seed: int) -> dict[str, int]:
    """Random writes to a fraction of an array of the cache's size."""
    return {"cells": round(alpha * CACHE_BYTES) // CELL_BYTES, "cell_bytes": CELL_BYTES, "random_seed": seed}


def lost_per_task(seen: BusSeen) -> float:
    """Cycles that a task waited for the bus in the three slots, on average."""
    return sum(seen["lost_cycles"]) / len(seen["lost_cycles"])


def conditions(results: Results, *, ranged: bool = False) -> str:
    """What to say below a figure: above all what the paper does not."""
    first = results.table.slice(0, 1).to_pylist()[0]
    bus = (
        ""
        if ranged
        else f"a line takes {first['line_cycles']} cycles of the bus, {first['gap']} cycles between writes; "
    )
    return (
        f"Simulated by schedlab: 200 MHz, quanta of 10 ms, direct-mapped caches of 256 KB, lines of 32 bytes; {bus}"
        "three slots after a first one. The paper says neither what a line takes nor what is between writes."
    )
