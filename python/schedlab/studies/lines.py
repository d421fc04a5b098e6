"""Trends of costs in the number of tasks: a line by least squares, and whether the costs rise clearly.

Block-or-not-2008, appendix A and section 4.4, states a cost with a clear linear trend as a line in N, and any other
cost as a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from schedlab.show.plots.intervals import student_quantile

CONFIDENCE = 0.99
#: Share of its first value by which a line has to rise to be worth writing.
WORTH = 0.1


@dataclass(frozen=True)
class Line:
    """A least-squares line through costs by number of tasks."""

    intercept: float
    slope: float
    #: Half the width of the slope's confidence interval.
    margin: float

    def rises(self, first: float, last: float, by: float = WORTH) -> bool:
        """True if the slope's interval is above 0, and `last` tasks cost more than `first` by at least that share."""
        few, many = (self.intercept + self.slope * tasks for tasks in (first, last))
        return self.slope > self.margin and many >= (1 + by) * few


def line(sizes: Sequence[float], costs: Sequence[float]) -> Line:
    """Returns the line through at least three costs of at least two sizes."""
    count = len(sizes)
    middle, mean = sum(sizes) / count, sum(costs) / count
    spans = sum((size - middle) ** 2 for size in sizes)
    slope = sum((size - middle) * (cost - mean) for size, cost in zip(sizes, costs, strict=True)) / spans
    intercept = mean - slope * middle
    rest = sum((cost - intercept - slope * size) ** 2 for size, cost in zip(sizes, costs, strict=True))
    freedom = count - 2
    error = sqrt(rest / freedom / spans)
    return Line(intercept, slope, student_quantile(freedom, (1 + CONFIDENCE) / 2) * error)
