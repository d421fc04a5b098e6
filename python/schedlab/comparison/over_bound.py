"""Real responses above their proved bounds, and the reasons.

A bound holds for jobs that execute for at most their WCETs, on processors that nothing else takes beyond the overheads.
Time that others took meanwhile may explain the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from schedlab import _native
from schedlab.outputs.results import Findings, OfTask, OverBound

NOT_ASKED = "unexplained: the kernel was not asked who took the processor"

Item = TypeVar("Item", bound=OverBound)


class NamedOverBound(OverBound):
    """A response above its bound, with the name of its task."""

    name: str


def over_bound(bounds: Sequence[int | None], real: Sequence[OfTask], findings: Findings) -> list[OverBound]:
    """Returns the tasks whose longest real response was above its bound, and why; see `schedlab.comparison.real`."""
    longest = [None if ran["response_time_ns"] is None else ran["response_time_ns"]["max"] for ran in real]
    return _native.over_bound(list(zip(bounds, longest, strict=True)), findings["longest_responses"])


def why_over_bound(found: OverBound, name: str, readable: Callable[[int], str]) -> str:
    """Returns an item of "over_bound" as a line; `readable` writes nanoseconds."""
    above = readable(found["response_time_ns"] - found["bound_ns"])
    said = f"{name}: {readable(found['response_time_ns'])} is {above} above its bound"
    if found["explained"] is None:
        return f"{said}; {NOT_ASKED} (CAP_PERFMON or root), or decides itself"
    most = sorted(found["taken_ns"].items(), key=lambda item: -item[1])[:3]
    others = ", ".join(f"{readable(ns)} by {who}" for who, ns in most) or "nothing"
    return f"{said}; {'' if found['explained'] else 'UNEXPLAINED: only '}taken of its processors meanwhile: {others}"


def worst_first(found: Sequence[Item]) -> list[Item]:
    """Sorts items of "over_bound": unexplained ones first, then by how far each is above its bound, as a share."""
    return sorted(
        found, key=lambda item: (item["explained"] is not False, -item["response_time_ns"] / item["bound_ns"])
    )


def sum_over_bound(found: Sequence[OverBound]) -> str:
    """Returns a sentence: how many items of "over_bound" are explained, and how many are not."""
    kinds = {
        True: "explained by what took their processors",
        False: "UNEXPLAINED",
        None: f"{NOT_ASKED}, or decides itself",
    }
    counts = {why: sum(item["explained"] is why for item in found) for why in kinds}
    return ", ".join(f"{number} {kinds[why]}" for why, number in counts.items() if number)
