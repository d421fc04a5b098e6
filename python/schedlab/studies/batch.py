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
    decreasing utilization. Overheads are charged where a shipped profile is named, ``"P-EDF hard paper-2008-4k"``,
    or what it charges another scheduler, ``"PD2 hard paper-2008-4k:G-EDF"``: largest values. Pfair schedulers have
    quanta of 1 ms and tasks that arrive periodically, all first at time 0.
    """
    tasks, proved = _native.judge_sets(
        utilizations, periods, deadlines, stop, seed, sets.start, sets.stop, processors, list(questions)
    )
    return Answers(list(tasks), [list(row) for row in proved])


@dataclass(frozen=True)
class LockAnswers:
    """What a batch of sets with shared resources answered, in the order of the sets."""

    #: How many tasks each set has.
    tasks: list[int]
    #: By question, then by set: a bound on tardiness in nanoseconds, 0 where no deadline is missed; None if
    #: nothing is proved.
    tardiness: list[list[int | None]]

    @property
    def proved(self) -> list[list[bool]]:
        """By question, then by set: whether the guarantee is proved."""
        return [[bound is not None for bound in row] for row in self.tardiness]


def judge_locks(
    *,
    utilizations: str,
    periods: str,
    deadlines: str,
    stop: str,
    accesses: str,
    seed: int,
    sets: range,
    processors: int,
    questions: Sequence[str],
) -> LockAnswers:
    """As :func:`judge_sets`, of sets whose tasks share resources as ``accesses`` says.

    A question is ``P-RM``, ``P-EDF`` or ``G-EDF``, a locking protocol (``none``: as if nothing were shared),
    ``hard`` or ``soft``, and for the FMLP the overheads: ``"G-EDF fmlp-short soft paper-2008-4k"``. Partitioned
    schedulers place worst fit by decreasing utilization.
    """
    tasks, tardiness = _native.judge_locks(
        utilizations, periods, deadlines, stop, accesses, seed, sets.start, sets.stop, processors, list(questions)
    )
    return LockAnswers(list(tasks), [list(row) for row in tardiness])


def fits(tasks: Sequence[tuple[int, int]], processors: int) -> bool:
    """Whether first fit by decreasing utilization places tasks (WCET, period) on so many processors."""
    rows = [(cost, period, period) for cost, period in tasks]
    _, misfits = _native.pack(rows, processors, "first_fit_decreasing")
    return not misfits
