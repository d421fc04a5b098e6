"""Advice for stock Linux: its ways, and words for them."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.core.scenario import Scenario, expect_scenario
from schedlab.outputs.results import LinuxAdvice, LinuxMutex, LinuxWay

#: Names of the schedulers that stand for stock Linux.
LINUX_SCHEDULERS = ("P-SCHED_FIFO", "SCHED_FIFO", "SCHED_DEADLINE")


def linux_advice(scenario: Scenario, *, threads: int = 0) -> LinuxAdvice:
    """Tries every way of stock Linux to run the tasks as threads, on `threads` threads (0: one for each processor).

    The `ways` come ranked, the best first, each with the settings of its threads and mutexes; `scenario` is the best
    proved one as text.
    """
    expect_scenario(scenario)
    return scenario._native.advise_linux(threads)


def mutexes_in_words(mutexes: Sequence[LinuxMutex]) -> str | None:
    """Returns the protocols of mutexes, like "map inherit; log none"; None if there are no mutexes."""
    if not mutexes:
        return None
    protocols = {mutex["protocol"] for mutex in mutexes}
    if len(protocols) == 1:
        [protocol] = protocols
        return {"none": "mutexes without protocol"}.get(protocol, f"mutexes that {protocol}")
    return "; ".join(f"{mutex['name']} {mutex['protocol']}" for mutex in mutexes)


def best_of_kinds(ways: Sequence[LinuxWay]) -> list[tuple[LinuxWay, int]]:
    """Returns the first of the ranked ways of each kind, and how many others of that kind follow it.

    Proved ways are of one kind if their mutexes and their margin are; others if they fail for one reason.
    """
    kinds: dict[tuple[object, ...], list[LinuxWay]] = {}
    for way in ways:
        mutexes = tuple(mutex["protocol"] for mutex in way["mutexes"])
        proved = (way["scheduler"], way["margin_percent"], mutexes, tuple(way["unheeded"]))
        key = proved if way["schedulable"] else (way["scheduler"], way["reason"], way["is_own"])
        kinds.setdefault(key, []).append(way)
    return [(same[0], len(same) - 1) for same in kinds.values()]
