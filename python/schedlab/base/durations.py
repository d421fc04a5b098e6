"""Lengths of time as people read them: a number, a space, a unit as scenarios have it."""

from __future__ import annotations

#: Relative deadline of a task whose jobs have none, such as a client of a budget server: a second more than a year, the
#: longest that a scenario can state, in nanoseconds.
NO_DEADLINE_NS = (365 * 24 * 3_600 + 1) * 10**9

_UNITS = ((10**9, "s"), (10**6, "ms"), (10**3, "us"))


def duration(ns: int | float | None) -> str:
    """Returns a length of time as text for people, in four digits and a fitting unit; a dash for an unknown one."""
    if ns is None:
        return "-"
    for size, unit in _UNITS:
        if abs(ns) >= size:
            # Rounding to four digits never gives a power of ten.
            return f"{ns / size:.4g} {unit}" if abs(ns) < 1e4 * size else f"{ns / size:.0f} {unit}"
    return f"{ns:g} ns"


def deadline(ns: int) -> str:
    """Returns a relative deadline as text, as `duration` does; a dash for a task whose jobs have none."""
    return "-" if ns >= NO_DEADLINE_NS else duration(ns)


def at_least(ns: int | None) -> str:
    """Returns a length of time that is promised, such as a margin, as `duration` does but rounded towards less."""
    return duration(ns if ns is None else ns // _step(ns) * _step(ns))


def at_most(ns: int | None) -> str:
    """Returns a length of time that bounds others, such as of responses, as `duration` does but rounded up."""
    return duration(ns if ns is None else -(-ns // _step(ns)) * _step(ns))


def _step(ns: int) -> int:
    """Returns the weight of the last of the four digits of a length of time."""
    for size, _ in _UNITS:
        if abs(ns) >= size:
            return size // (1000, 100, 10, 1)[min(len(str(abs(ns) // size)), 4) - 1]
    return 1


def exact_duration(ns: int) -> str:
    """Returns a length of time as text, to the nanosecond, for a command."""
    for size, unit in _UNITS:
        if ns % size == 0 and ns:
            return f"{ns // size} {unit}"
    return f"{ns} ns"


def share_of(part: int, whole: int) -> str:
    """Returns a time, rounded up, and its whole as text, with one unit if both have the same: "2.5 of 10 ms"."""
    (first, unit), last = at_most(part).split(" "), duration(whole)
    return f"{first} of {last}" if last.endswith(f" {unit}") else f"{first} {unit} of {last}"


def long_duration(seconds: float) -> str:
    """Returns seconds of work as text for people, in the largest unit that makes more than one and a half of them."""
    for name, size in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.1f} s"
