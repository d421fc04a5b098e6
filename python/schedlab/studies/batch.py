"""Random task sets by the thousand: drawn, placed and judged in Rust, a batch at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schedlab import _native


@dataclass(frozen=True)
class Answers:
    """What a batch of sets answered, in the order of the sets."""

    #: How many tasks each set has.
    tasks: list[int]
    #: By question, then by set: whether the guarantee is proved.
    proved: list[list[bool]]


def judge_sets(
    *,
    utilizations: str,
    periods: str,
    deadlines: str,
    stop: str,
    seed: int,
    sets: range,
    processors: int,
    questions: Sequence[str],
) -> Answers:
    """Draws ``sets`` of ``seed`` as ``schedlab.generate`` does and asks each of them all questions.

    A question is a scheduler, ``hard`` (no deadline is missed) or ``soft`` (tardiness is bounded), and the tests
    that may answer it, any if none is named: ``"G-EDF hard gfb baker"``. Partitioned schedulers place first fit by
    decreasing utilization.
    """
    tasks, proved = _native.judge_sets(
        utilizations, periods, deadlines, stop, seed, sets.start, sets.stop, processors, list(questions)
    )
    return Answers(list(tasks), [list(row) for row in proved])


def fits(tasks: Sequence[tuple[int, int]], processors: int) -> bool:
    """Whether first fit by decreasing utilization places tasks (WCET, period) on so many processors."""
    rows = [(cost, period, period) for cost, period in tasks]
    _, misfits = _native.pack(rows, processors, "first_fit_decreasing")
    return not misfits
