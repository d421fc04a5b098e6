"""Random task sets by the million: drawn, placed and judged in Rust, on as many processors as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from schedlab import _native, measures
from schedlab.base.defaults import NO_ACCESSES
from schedlab.core import plugins
from schedlab.errors import BadInput

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """What is drawn, as ``schedlab.generate`` draws it, and asked: ``sets`` of ``seed``, each of them all questions.

    Tasks share resources as ``accesses`` says, not at all by default. A WCET that is shorter than the sections of its
    task grows to their length. After ``keep``, as in ``"independent 4 0.5 long keep"``, it stays, as in SchedCAT's
    generators: such a task cannot execute, so its bounds promise nothing. ``overheads`` is the text of an overheads
    file, which questions call ``given``.

    The answers do not depend on ``threads``; 0 means one for each processor. ``progress`` is told a few times a second
    how many sets are done, and once more at the end. What it raises ends the batch, as Ctrl-C does.
    """

    utilizations: str
    periods: str
    deadlines: str
    stop: str
    seed: int
    sets: range
    processors: int
    questions: Sequence[str]
    accesses: str = NO_ACCESSES
    overheads: str | None = None
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

    def told(self, measure: str = "proof") -> dict[str, Any]:
        """The batch as the native module takes it, with what it is to tell of each question."""
        parts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "sets"}
        own = {"questions": list(self.questions), "first": self.sets.start, "end": self.sets.stop}
        return {**parts, **own, "measure": measure}


#: Columns before those of the questions.
_OF_SETS = 3


def _measured(batch: Batch, measure: str) -> pa.Table:
    """The table of ``batch``, with this told of each question.

    An installed package knows its own entry alone, so the questions go to the modules that know them. Each draws the
    same sets.
    """
    asked: dict[Any, list[int]] = {}
    for index, question in enumerate(batch.questions):
        asked.setdefault(_knowing(question), []).append(index)
    if len(asked) <= 1:
        return pa.table(next(iter(asked), _native).judge_sets(batch.told(measure)))
    columns: dict[int, pa.ChunkedArray] = {}
    for part, (module, places) in enumerate(asked.items()):
        questions = [batch.questions[index] for index in places]
        own = replace(batch, questions=questions, progress=_share(batch, part, len(asked)))
        table = pa.table(module.judge_sets(own.told(measure)))
        columns |= zip(places, table.columns[_OF_SETS:], strict=True)
    return pa.table(
        [*table.columns[:_OF_SETS], *(columns[index] for index in range(len(batch.questions)))],
        names=[*table.column_names[:_OF_SETS], *batch.questions],
    )


def _knowing(question: str) -> Any:
    """The module that knows all that ``question`` names: that of an installed package, or the native one."""
    words = question.split()
    found = [known for word in words for kind in plugins.GROUPS if (known := plugins.find(kind, word)) is not None]
    if len(found) > 1:
        raise BadInput(
            f"questions: {found[0].name} and {found[1].name} are installed by themselves and do not know each other; "
            "allowed: one of them in a question"
        )
    return found[0].module if found else _native


def _share(batch: Batch, index: int, parts: int) -> Progress | None:
    """What tells ``batch.progress`` of part ``index`` of ``parts``, each of which judges all sets."""
    if batch.progress is None:
        return None
    tell, sets = batch.progress, len(batch.sets)
    return lambda done: tell((index * sets + done) // parts)


@dataclass(frozen=True)
class Answers:
    """What a batch of sets answered, in the order of the sets."""

    #: `set`, `tasks` (how many it has), `utilization` (their total), and a column for each question, named like it.
    #: That of a question without a protocol says whether the guarantee is proved. That of a question with one is a
    #: bound on tardiness in nanoseconds, 0 where no deadline is missed; null if nothing is proved. The native module's
    #: own columns, not a copy of them.
    table: pa.Table

    @property
    def tasks(self) -> list[int]:
        """How many tasks each set has."""
        found: list[int] = self.table.column(1).to_pylist()
        return found

    @property
    def utilizations(self) -> list[float]:
        """The total utilization of each set."""
        found: list[float] = self.table.column(2).to_pylist()
        return found

    @property
    def schedulable_sets(self) -> list[int]:
        """By question: how many sets are schedulable (NST)."""
        return [measures.schedulable_sets(proved) for proved in self.proved]

    @property
    def weighted_schedulability(self) -> list[Fraction | None]:
        """By question: the share of the sets that are schedulable, each weighted by its total utilization."""
        return [measures.weighted_schedulability(self.utilizations, proved) for proved in self.proved]

    @property
    def proved(self) -> list[list[bool]]:
        """By question, then by set: whether the guarantee is proved."""
        columns = self.table.columns[_OF_SETS:]
        return [(one if pa.types.is_boolean(one.type) else one.is_valid()).to_pylist() for one in columns]

    @property
    def tardiness(self) -> list[list[int | None]]:
        """By question, then by set: the bound on tardiness in nanoseconds, None where there is none.

        Questions without a protocol give no bounds.
        """
        columns = self.table.columns[_OF_SETS:]
        return [[None] * len(one) if pa.types.is_boolean(one.type) else one.to_pylist() for one in columns]


def judge_sets(batch: Batch) -> Answers:
    """Draws the sets of ``batch`` and asks each of them all questions.

    A question is ``SCHEDULER [PROTOCOL] hard|soft WORDS``. ``hard``: no deadline is missed; ``soft``: tardiness is
    bounded. The protocol decides the method:

    * Without one, tasks are judged as if nothing were shared. The words may name the tests that may answer, any if none
      is named: ``"G-EDF hard gfb baker"``. Partitioned schedulers place worst fit by decreasing utilization. Where
      that is not proved, they place first fit with the tests at each step. The words may name another placement:
      ``"P-EDF hard qpa worst_fit_decreasing"``. Pfair schedulers have quanta of 1 ms and tasks that arrive
      periodically, all first at time 0.
    * With one, the method that bounds its blocking answers: ``"P-RM mpcp hard"``. Partitioned schedulers place worst
      fit by decreasing utilization. The protocol ``none`` is this method as if nothing were shared. The scheduler is
      preemptive: EDF's, or a partitioned one whose priorities follow from the tasks.

    Overheads are charged where the words name them: a shipped profile, or ``given``, the file of the batch
    (``"P-EDF hard paper-2008-4k"``). After a colon stands another scheduler that they are charged for
    (``paper-2008-4k:G-EDF``), or ``locks``: what locks and context switches take alone. With a protocol they must say
    what its locks take, and soft guarantees are charged mean values; all other questions the largest.

    An installed scheduler, protocol or test may stand where a shipped one may. Raises ``BadInput`` for what is
    neither.
    """
    return Answers(_measured(batch, "proof"))


def fits(tasks: Sequence[tuple[int, int]], processors: int) -> bool:
    """Whether first fit by decreasing utilization places tasks (WCET, period) on so many processors."""
    rows = [(cost, period, period) for cost, period in tasks]
    _, misfits = _native.pack(rows, processors, "first_fit_decreasing")
    return not misfits


def required_processors(batch: Batch, most: int) -> list[list[int | None]]:
    """By question, then by set: the least number of processors for which the guarantee is proved (RNP).

    It is looked for from ``batch.processors`` up to ``most``; None where no such number is enough. Overheads are those
    of the profile whatever the number. Source: litmus-rt-2006, section 4.2.
    """
    if most < batch.processors:
        raise BadInput(f"most: {most}; allowed: from the batch's {batch.processors} processors up")
    found = _measured(batch, f"processors {most}")
    return [column.to_pylist() for column in found.columns[_OF_SETS:]]


def breakdown(batch: Batch) -> list[list[Fraction]]:
    """By question, then by set: the breakdown, a factor of all costs with which the guarantee is proved.

    It is not proved with costs that are a ten-thousandth larger; 16 is the largest factor that is looked at. Sections
    grow with costs. 0 where hardly any cost is accepted. The factor times the utilization is the breakdown utilization
    of Lehoczky, Sha and Ding, RTSS 1989. Where tests accept some costs and not all smaller ones, smaller factors may
    fail.
    """
    found = _measured(batch, "breakdown")
    return [[Fraction(one, 10_000) for one in column.to_pylist()] for column in found.columns[_OF_SETS:]]
