"""Does a cost rise with the number of tasks? A line by least squares, and when it is one.

Block-or-not-2008, appendix A and section 4.4, gives what shows a clear linear trend as a line in N, and anything else
as a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from schedlab.show.plots.intervals import student_quantile

CONFIDENCE = 0.99
#: By how much of its first value a line has to rise, to be worth writing.
WORTH = 0.1


@dataclass(frozen=True)
class Line:
    """A least-squares line through costs by number of tasks."""

    intercept: float
    slope: float
    #: Half of the slope's confidence interval.
    margin: float

    def rises(self, first: float, last: float, by: float = WORTH) -> bool:
        """A clear trend: the slope's interval is above 0, and `last` tasks cost that share more than `first`."""
        few, many = (self.intercept + self.slope * tasks for tasks in (first, last))
        return self.slope > self.margin and many >= (1 + by) * few


def line(sizes: Sequence[float], costs: Sequence[float]) -> Line:
    """The line through at least three costs of at least two sizes."""
    count = len(sizes)
    middle, mean = sum(sizes) / count, sum(costs) / count
    spans = sum((size - middle) ** 2 for size in sizes)
    slope = sum((size - middle) * (cost - mean) for size, cost in zip(sizes, costs, strict=True)) / spans
    intercept = mean - slope * middle
    rest = sum((cost - intercept - slope * size) ** 2 for size, cost in zip(sizes, costs, strict=True))
    freedom = count - 2
    error = sqrt(rest / freedom / spans)
    return Line(intercept, slope, student_quantile(freedom, (1 + CONFIDENCE) / 2) * error)
