"""What waiting for memory is: types of plain values, generated from structs of Rust.

`make renew` writes it anew.
"""

# Not `from __future__ import annotations`: under it, Python 3.11 does not see `NotRequired`.

from typing import Literal, TypedDict


class JobMemory(TypedDict):
    """What a job did to memory, and what it waited for it."""

    task: int
    name: str
    job: int
    accesses: int
    requests: int
    #: The bus served it.
    served_ns: int
    #: It waited while the bus served another processor.
    lost_ns: int


class CacheDelay(TypedDict):
    """How long jobs loaded a working set again."""

    kind: Literal["cache_related_preemption", "cache_related_migration"]
    working_set_bytes: int
    #: Other processors that executed jobs when the job went on.
    co_runners: int
    samples: int
    max_ns: int
    mean_ns: int


class MemoryUse(TypedDict):
    """What became of the working sets in a schedule."""

    scheduler: str
    jobs: list[JobMemory]
    delays: list[CacheDelay]
    #: How often a job went on after others had executed.
    resumptions: int
    #: Those of them whose working set exceeds the cache: no delay is known.
    beyond_the_cache: int


class BusMachine(TypedDict):
    """Processors that execute slots, each with a cache, on one bus. Durations are cycles."""

    processors: int
    staggered: bool
    #: Of a slot.
    quantum_cycles: int
    cache_bytes: int
    line_bytes: int
    ways: int
    read_miss: int
    write_miss: int
    upgrade: int
    #: More for each dirty line that goes to memory first.
    write_back: int
    #: Else the oldest request is served first.
    round_robin: bool
    #: Of each array.
    cells: int
    cell_bytes: int
    #: Of the order of writes; None of arrays that are written cell after cell.
    random_seed: int | None
    #: Between two accesses.
    gap: int


class BusSeen(TypedDict):
    """What was seen of such a machine: by processor, and by part of a slot."""

    machine: BusMachine
    #: Cycles in which the own request waited.
    lost_cycles: list[int]
    #: Cycles in which it was served.
    served_cycles: list[int]
    requests: list[int]
    accesses: list[int]
    part_cycles: int
    #: Requests that were pending, summed over the part's cycles.
    pending_sum: list[int]
    #: In the part's worst cycle.
    pending_max: list[int]
