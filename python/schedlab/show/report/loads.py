"""Utility over load as pictures: the lines that the template draws, in units of the picture."""

from __future__ import annotations

from typing import Any

from schedlab.outputs.comparison import UtilityOverLoad

#: Size of the picture, and position of its axes.
WIDTH, HEIGHT = 620, 300
LEFT, RIGHT, TOP, BOTTOM = 46, 520, 14, 254

#: Least distance between the names of two curves.
APART = 13

#: Largest number of ticks along the load.
MOST_TICKS = 7


def load_pictures(found: UtilityOverLoad | None, processors: int) -> dict[str, Any] | None:
    """Returns a picture of each ratio, and the names of the curves; None where no task states its utility."""
    if found is None:
        return None
    loads = [utilization / processors for utilization in found["utilizations"]]
    return {
        "horizon_ns": found["horizon_ns"],
        "loads": loads,
        "size": (WIDTH, HEIGHT),
        "axes": (LEFT, RIGHT, TOP, BOTTOM),
        "names": [row["name"] for row in found["schedulers"]],
        "own": _x(loads[found["costs_times"].index(1.0)], loads[-1]),
        "ticks": [(_x(tick, loads[-1]), f"{tick:g}") for tick in _ticks(loads[-1])],
        "heights": [(_y(share), f"{share:g}") for share in (0, 0.25, 0.5, 0.75, 1)],
        "pictures": [
            {"title": title, "curves": _labelled([_curve(loads, ratios) for ratios in curves])}
            for title, curves in (
                ("accrued utility ratio", [row["accrued_utility_ratios"] for row in found["schedulers"]]),
                ("deadline satisfaction ratio", [row["deadline_satisfaction_ratios"] for row in found["schedulers"]]),
            )
        ],
    }


def _curve(loads: list[float], ratios: list[float | None]) -> dict[str, Any]:
    known = [(load, ratio) for load, ratio in zip(loads, ratios, strict=True) if ratio is not None]
    return {"points": [(_x(load, loads[-1]), _y(ratio)) for load, ratio in known], "ratios": ratios}


def _labelled(curves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Adds to each curve the height of its name beside its end; names keep their distance, and stay in the picture."""
    ends = sorted((curve["points"][-1][1], index) for index, curve in enumerate(curves) if curve["points"])
    step = min(APART, (BOTTOM - TOP) / max(len(ends) - 1, 1))
    heights: dict[int, float] = {}
    lowest = TOP - step
    for number, (y, index) in enumerate(ends):
        # Those that follow need room, too.
        room = BOTTOM - step * (len(ends) - 1 - number)
        lowest = min(max(y, lowest + step), room)
        heights[index] = round(lowest, 1)
    return [curve | {"label": heights.get(index)} for index, curve in enumerate(curves)]


def _ticks(last: float) -> list[float]:
    """Returns round loads up to `last`, 0 first."""
    step = next(step for step in (0.1, 0.25, 0.5, 1, 2, 5, 10, 100, last) if last / step < MOST_TICKS)
    return [step * number for number in range(int(last / step) + 1)]


def _x(load: float, last: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * load / last, 1)


def _y(ratio: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * ratio, 1)
