"""Durations as people read them."""

from __future__ import annotations

_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"), (1, "ns"))


def readable_duration(nanoseconds: int | float | None) -> str:
    """A duration with its unit, four significant digits at most: ``12.35 ms``; an unknown one is a dash."""
    if nanoseconds is None:
        return "–"
    if nanoseconds == 0:
        return "0"
    size, unit = next((pair for pair in _UNITS if abs(nanoseconds) >= pair[0]), _UNITS[-1])
    value = nanoseconds / size
    digits = max(0, 4 - len(str(int(abs(value)))))
    text = f"{value:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {unit}"
