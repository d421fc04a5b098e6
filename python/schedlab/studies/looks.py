"""When a run has enough task sets: it looks at planned sizes alone, and its intervals hold wherever it stops.

These are repeated confidence intervals (Jennison and Turnbull, Interim analyses: the repeated confidence interval
approach, Journal of the Royal Statistical Society B 51, 1989): intervals at the planned sizes that are all right at
once with the probability that is asked for. So the interval at which a run stops is right with at least that
probability, whatever made it stop, also if someone stopped it by hand. Each of the K looks gets an equal part of the
error (Bonferroni), which needs no assumption about how the looks depend on one another.
"""

from __future__ import annotations

from dataclasses import dataclass

from schedlab.studies.errors import StudyError


@dataclass(frozen=True)
class Looks:
    """The sizes, in task sets of a point, at which a run may stop, and the confidence at all of them together."""

    sizes: tuple[int, ...]
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if not self.sizes or self.sizes[0] < 1 or any(b <= a for a, b in zip(self.sizes, self.sizes[1:], strict=False)):
            raise StudyError(f"the sizes of looks are {self.sizes}; allowed: one or more that increase, from 1 on")
        if not 0 < self.confidence < 1:
            raise StudyError(f"the confidence of looks is {self.confidence}; allowed: above 0 and below 1")

    @property
    def of_one(self) -> float:
        """The confidence that the intervals of one look need, so that those of all hold together."""
        return 1 - (1 - self.confidence) / len(self.sizes)

    def up_to(self, most: int | None) -> tuple[int, ...]:
        """Returns the sizes of at most `most` sets; all if it is None. Raises `StudyError` if there is none."""
        sizes = tuple(size for size in self.sizes if most is None or size <= most)
        if not sizes:
            raise StudyError(f"{most} sets are fewer than the first size at which the run may stop: {self.sizes[0]}")
        return sizes
