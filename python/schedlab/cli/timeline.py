"""Schedules drawn with letters, folded where they are wider than the terminal."""

from __future__ import annotations

import re
import textwrap

from schedlab import _native
from schedlab.cli.screen import width
from schedlab.durations import duration

#: The line below the lanes: `0 ns to 66 ms, one letter is 500 us`.
_AXIS = re.compile(r"(?P<blanks> +)(?P<start>.+) to .+, one letter is (?P<unit>.+)")

#: Narrower than this, a part shows too little.
_LEAST = 10


def folded(drawn: str) -> str:
    """The drawing in parts that fit the terminal, each with the time at which it begins."""
    most = width()
    lines = drawn.splitlines()
    found = [(at, match) for at, line in enumerate(lines) if (match := _AXIS.fullmatch(line))]
    if most is None or not found:
        return drawn
    at, axis = found[-1]
    label = len(axis["blanks"])
    lanes, rest = lines[:at], lines[at:]
    room = max(most - label, _LEAST)
    longest = max(len(lane) for lane in lanes) - label
    out = []
    for begin in range(0, longest, room):
        if longest > room:
            start = _native.nanoseconds("start", axis["start"]) + begin * _native.nanoseconds("unit", axis["unit"])
            out.append(f"from {duration(start)}")
        parts = [lane[:label] + lane[label + begin : label + begin + room] for lane in lanes]
        out += [part.rstrip() for part in parts]
    for line in rest:
        out += textwrap.wrap(line, most, subsequent_indent=axis["blanks"], drop_whitespace=True) or [""]
    return "\n".join(out) + "\n"
