"""Random task sets by the million: drawn, placed and judged in Rust, on as many processors as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import pyarrow as pa

from schedlab import _native, plugins
from schedlab.errors import BadInput

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What is drawn, as ``schedlab.generate`` draws it, and asked: ``sets`` of ``seed``, each of them all questions.

    The answers do not depend on ``threads``; 0 means one for each processor. ``progress`` is told a few times a second
    how many sets are done, and once more at the end; what it raises ends the batch, as Ctrl-C does.
    """

    utilizations: str
    periods: str
    deadlines: str
    stop: str
    seed: int
    sets: range
    processors: int
    questions: Sequence[str]
    threads: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.sets.step != 1:
            raise BadInput(f"sets: {self.sets} leaves sets out; allowed: a range of step 1")
        if self.threads < 0:
            raise BadInput(f"threads: {self.threads} is not allowed; allowed: 0 (one for each processor) and above")
        for question in self.questions:
            if not isinstance(question, str):
                raise BadInput(
                    f"questions: {question!r} is no text, and a batch only asks what is proved; "
                    "allowed: names, or `schedlab.simulate` of each set under a class"
                )

    def told(self) -> dict[str, Any]:
        """The batch as the native module takes it."""
        parts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "sets"}
        return {**parts, "questions": list(self.questions), "first": self.sets.start, "end": self.sets.stop}


def _judged(batch: Batch, judge: Callable[[Any, dict[str, Any]], Any]) -> pa.Table:
    """The table of ``batch``, where ``judge`` asks the questions of one module that holds the library.

    An installed package knows its own entry alone, so the questions go to the modules that know them. Each draws the
    same sets.
    """
    asked: dict[Any, list[int]] = {}
    for at, question in enumerate(batch.questions):
        asked.setdefault(_knowing(question), []).append(at)
    if len(asked) <= 1:
        return pa.table(judge(next(iter(asked), _native), batch.told()))
    columns: dict[int, pa.ChunkedArray] = {}
    for part, (module, places) in enumerate(asked.items()):
        questions = [batch.questions[at] for at in places]
        own = replace(batch, questions=questions, progress=_share(batch, part, len(asked)))
        table = pa.table(judge(module, own.told()))
        columns |= zip(places, table.columns[2:], strict=True)
    return pa.table(
        [*table.columns[:2], *(columns[at] for at in range(len(batch.questions)))],
        names=[*table.column_names[:2], *batch.questions],
    )


def _knowing(question: str) -> Any:
    """The module that knows all that ``question`` names: that of an installed package, or the native one."""
    finds = (plugins.find, plugins.find_protocol, plugins.find_test)
    found = [known for word in question.split() for find in finds if (known := find(word)) is not None]
    if len(found) > 1:
        raise BadInput(
            f"questions: {found[0].name} and {found[1].name} are installed by themselves and do not know each other; "
            "allowed: one of them in a question"
        )
    return found[0].module if found else _native


def _share(batch: Batch, at: int, parts: int) -> Progress | None:
    """What tells ``batch.progress`` of part ``at`` of ``parts``, each of which judges all sets."""
    if batch.progress is None:
        return None
    tell, sets = batch.progress, len(batch.sets)
    return lambda done: tell((at * sets + done) // parts)


@dataclass(frozen=True)
class Answers:
    """What a batch of sets answered, in the order of the sets."""

    #: `set`, `tasks` (how many it has), and a column for each question, named like it: whether the guarantee is
    #: proved. The native module's own columns, not a copy of them.
    table: pa.Table

    @property
    def tasks(self) -> list[int]:
        """How many tasks each set has."""
        found: list[int] = self.table.column(1).to_pylist()
        return found

    @property
    def proved(self) -> list[list[bool]]:
        """By question, then by set: whether the guarantee is proved."""
        return [column.to_pylist() for column in self.table.columns[2:]]


@dataclass(frozen=True)
class LockAnswers(Answers):
    """What a batch of sets with shared resources answered.

    The columns of questions are bounds on tardiness in nanoseconds, 0 where no deadline is missed; null if nothing is
    proved.
    """

    @property
    def tardiness(self) -> list[list[int | None]]:
        """By question, then by set: the bound on tardiness."""
        return [column.to_pylist() for column in self.table.columns[2:]]

    @property
    def proved(self) -> list[list[bool]]:
        """By question, then by set: whether the guarantee is proved."""
        return [column.is_valid().to_pylist() for column in self.table.columns[2:]]


def judge_sets(batch: Batch) -> Answers:
    """Draws the sets of ``batch`` and asks each of them all questions.

    A question is a scheduler, ``hard`` (no deadline is missed) or ``soft`` (tardiness is bounded), and the tests
    that may answer it, any if none is named: ``"G-EDF hard gfb baker"``. Partitioned schedulers place first fit by
    decreasing utilization, or as is said: ``"P-EDF hard qpa worst_fit_decreasing"``. Overheads are charged where a
    shipped profile is named, ``"P-EDF hard paper-2008-4k"``, or what it charges another scheduler,
    ``"PD2 hard paper-2008-4k:G-EDF"``: largest values. Pfair schedulers have quanta of 1 ms and tasks that arrive
    periodically, all first at time 0. An installed scheduler or test may stand where a shipped one may.
    """
    return Answers(_judged(batch, lambda module, told: module.judge_sets(told)))


def judge_locks(batch: Batch, accesses: str, overheads: str | None = None) -> LockAnswers:
    """As :func:`judge_sets`, of sets whose tasks share resources as ``accesses`` says.

    A WCET that is shorter than the sections of its task grows to their length. After ``keep``, as in ``"independent 4
    0.5 long keep"``, it stays, as in SchedCAT's generators: such a task cannot execute, so its bounds promise nothing.

    A question is a preemptive scheduler, a locking protocol (``none``: as if nothing were shared), ``hard`` or
    ``soft``, and perhaps overheads. The scheduler is EDF's, or a partitioned one whose priorities follow from the
    tasks. The overheads say what the protocol's locks take: a shipped profile, ``"G-EDF fmlp-short soft
    paper-2008-4k"``, or ``given``, the overheads file whose text ``overheads`` is. Of ``given:locks`` only what locks
    and context switches take is charged. Partitioned schedulers place worst fit by decreasing utilization.
    """
    return LockAnswers(_judged(batch, lambda module, told: module.judge_locks(told, accesses, overheads)))


def fits(tasks: Sequence[tuple[int, int]], processors: int) -> bool:
    """Whether first fit by decreasing utilization places tasks (WCET, period) on so many processors."""
    rows = [(cost, period, period) for cost, period in tasks]
    _, misfits = _native.pack(rows, processors, "first_fit_decreasing")
    return not misfits
