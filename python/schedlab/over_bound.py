"""Real responses that took longer than what was proved, and why.

A bound holds for jobs that execute for at most their WCETs, on processors that nothing else takes beyond the overheads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from schedlab.outputs.comparison import BoundedTask, OverBound, RealTask
from schedlab.outputs.runs import Findings, LongestResponse

NOT_ASKED = "unexplained: the kernel was not asked who took the processor"

Item = TypeVar("Item", bound=OverBound)


class NamedOverBound(OverBound):
    """The same with a name for its task."""

    name: str


def over_bound(simulated: Sequence[BoundedTask], real: Sequence[RealTask], findings: Findings) -> list[OverBound]:
    """The tasks whose longest real response was above the bound that `simulated` has for it; see `schedlab.real`.

    What was taken meanwhile explains a response in two ways. Either it is at most the bound and the lost time together.
    Or the lost time shifted decisions. Then no response of the task is above the bound in the schedule without it, and
    this one is in the same schedule with it.
    """
    found: list[OverBound] = []
    by_task = findings.get("longest_responses") or [None] * len(real)
    for bounded, ran, longest in zip(simulated, real, by_task, strict=True):
        bound, seen = bounded["response_time_bound_ns"], ran["response_time_ns"]
        if bound is None or not seen or seen["max"] <= bound:
            continue
        found.append({
            "index": ran["index"],
            "job": longest["job"] if longest else None,
            "response_time_ns": seen["max"],
            "bound_ns": bound,
            "explained": _is_explained(longest, bound) if longest else None,
            "taken_ns": longest["lost_to_ns"] if longest else {},
        })  # fmt: skip
    return found


def _is_explained(longest: LongestResponse, bound: int) -> bool:
    shifted = longest["lost_ns"] > 0 and longest["longest_in_schedule_ns"] <= bound < longest["reconstructed_ns"]
    return longest["longest_less_lost_ns"] <= bound or shifted


def why_over_bound(found: OverBound, name: str, readable: Callable[[int], str]) -> str:
    """An item of "over_bound" in a line; `readable` writes nanoseconds."""
    above = readable(found["response_time_ns"] - found["bound_ns"])
    said = f"{name}: {readable(found['response_time_ns'])} is {above} above its bound"
    if found["explained"] is None:
        return f"{said}; {NOT_ASKED} (CAP_PERFMON or root), or decides itself"
    most = sorted(found["taken_ns"].items(), key=lambda item: -item[1])[:3]
    others = ", ".join(f"{readable(ns)} by {who}" for who, ns in most) or "nothing"
    return f"{said}; {'' if found['explained'] else 'UNEXPLAINED: only '}taken of its processors meanwhile: {others}"


def worst_first(found: Sequence[Item]) -> list[Item]:
    """Items of "over_bound": first what nothing explains, then by how far each is above its bound, as a share of it."""
    return sorted(
        found, key=lambda item: (item["explained"] is not False, -item["response_time_ns"] / item["bound_ns"])
    )


def sum_over_bound(found: Sequence[OverBound]) -> str:
    """How many items of "over_bound" are explained, and how many not."""
    kinds = {
        True: "explained by what took their processors",
        False: "UNEXPLAINED",
        None: f"{NOT_ASKED}, or decides itself",
    }
    counts = {why: sum(item["explained"] is why for item in found) for why in kinds}
    return ", ".join(f"{number} {kinds[why]}" for why, number in counts.items() if number)
