"""Random task sets by the million: drawn, placed and judged in Rust, on as many processors as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from schedlab import _native, measures
from schedlab.base.defaults import NO_ACCESSES
from schedlab.core import display, plugins
from schedlab.errors import BadInput

Progress = Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Task sets to draw, as ``schedlab.generate`` does, and the questions to ask of each: ``sets`` of ``seed``.

    Tasks share resources by the rule ``accesses``, not at all by default. A WCET that is shorter than the sections of
    its task grows to their length. After ``keep``, as in ``"independent 4 0.5 long keep"``, it stays, as in SchedCAT's
    generators: such a task cannot execute, so its bounds promise nothing. ``overheads`` is the text of an overheads
    file, which questions call ``given``.

    The answers do not depend on ``threads``; 0 means one for each processor. ``progress`` is called a few times a
    second with the number of sets that are done, and once more at the end. An exception of it ends the batch, as Ctrl-C
    does.
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
                    "allowed: names; `misses_nothing` and `sweep` simulate sets under a class"
                )

    def told(self, measure: str = "proof") -> dict[str, Any]:
        """Returns the batch as the native module takes it, with the measure of each question."""
        parts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "sets"}
        own = {"questions": list(self.questions), "first": self.sets.start, "end": self.sets.stop}
        return {**parts, **own, "measure": measure}


#: Number of columns before those of the questions.
_OF_SETS = 3


def _measured(batch: Batch, measure: str) -> pa.Table:
    """Returns the table of ``batch``, with this measure of each question.

    An installed package knows its own entry alone, so each question goes to the module that knows it. All modules draw
    the same sets.
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
    """Returns the module that knows all names in ``question``: an installed package's, or the native one."""
    words = question.split()
    found = [known for word in words for kind in plugins.GROUPS if (known := plugins.find(kind, word)) is not None]
    if len(found) > 1:
        raise BadInput(
            f"questions: {found[0].name} and {found[1].name} are installed by themselves and do not know each other; "
            "allowed: one of them in a question"
        )
    return found[0].module if found else _native


def _share(batch: Batch, index: int, parts: int) -> Progress | None:
    """Returns the progress function of part ``index`` of ``parts``, each of which judges all sets."""
    if batch.progress is None:
        return None
    tell, sets = batch.progress, len(batch.sets)
    return lambda done: tell((index * sets + done) // parts)


@dataclass(frozen=True)
class Answers:
    """The answers of a batch of sets, in the order of the sets."""

    #: `set`, `tasks` (their number), `utilization` (their total), and a column for each question, named like it. The
    #: column of a question without a protocol is true if the guarantee is proved. The column of a question with a
    #: protocol is a bound on tardiness in nanoseconds, 0 where no deadline is missed; null if nothing is proved. The
    #: columns are the native module's own, not copies.
    table: pa.Table

    def _repr_html_(self) -> str:
        return display.html(self)

    @property
    def questions(self) -> list[str]:
        """The questions, in the order in which they were asked."""
        return list(self.table.column_names[_OF_SETS:])

    @property
    def tasks(self) -> list[int]:
        """Number of tasks of each set."""
        found: list[int] = self.table.column(1).to_pylist()
        return found

    @property
    def utilizations(self) -> list[float]:
        """The total utilization of each set."""
        found: list[float] = self.table.column(2).to_pylist()
        return found

    @property
    def schedulable_sets(self) -> list[int]:
        """Number of schedulable sets (NST), by question."""
        return [measures.schedulable_sets(proved) for proved in self.proved]

    @property
    def weighted_schedulability(self) -> list[Fraction | None]:
        """Share of schedulable sets, each weighted by its total utilization, by question."""
        return [measures.weighted_schedulability(self.utilizations, proved) for proved in self.proved]

    @property
    def proved(self) -> list[list[bool]]:
        """True where the guarantee is proved, by question, then by set."""
        columns = self.table.columns[_OF_SETS:]
        return [(one if pa.types.is_boolean(one.type) else one.is_valid()).to_pylist() for one in columns]

    @property
    def tardiness(self) -> list[list[int | None]]:
        """Bound on tardiness in nanoseconds, by question, then by set; None where there is none.

        Questions without a protocol give no bounds.
        """
        columns = self.table.columns[_OF_SETS:]
        return [[None] * len(one) if pa.types.is_boolean(one.type) else one.to_pylist() for one in columns]


def judge_sets(batch: Batch) -> Answers:
    """Draws the sets of ``batch`` and asks each of them all questions.

    A question is ``SCHEDULER [PROTOCOL] hard|soft WORDS``. ``hard``: no deadline is missed; ``soft``: tardiness is
    bounded. The protocol determines the method:

    * Without a protocol, tasks are judged as if nothing were shared. The words may name the tests that may answer, any
      if none is named: ``"G-EDF hard gfb baker"``. Partitioned schedulers place worst fit by decreasing utilization.
      Where that is not proved, they place first fit with the tests at each step. The words may name another placement:
      ``"P-EDF hard qpa worst_fit_decreasing"``. Clustered schedulers need the number of processors that share a queue,
      ``"C-EDF hard cluster=2"``, and clusters of that size must share out all processors. They place as a scenario
      does: worst fit on single processors, which join their clusters, or else in clusters as wholes. A named test that
      does not speak of the scheduler is refused. Pfair schedulers have quanta
      of 1 ms and tasks that arrive periodically, all first at time 0.
    * With a protocol, the method that bounds its blocking answers: ``"P-RM mpcp hard"``. Partitioned schedulers place
      worst fit by decreasing utilization. The protocol ``none`` is this method as if nothing were shared. The scheduler
      is preemptive: EDF, or a partitioned one whose priorities follow from the tasks.

    Overheads are charged if the words name them: a shipped profile, or ``given``, the file of the batch (``"P-EDF hard
    paper-2008-4k"``). A colon precedes another scheduler whose overheads are charged (``paper-2008-4k:G-EDF``), or
    ``locks`` for those of locks and context switches alone. With a protocol, the overheads must include its locks, and
    soft guarantees are charged mean values; all other questions the largest.

    An installed scheduler, protocol or test may stand where a shipped one may. Raises ``BadInput`` for names that are
    neither.
    """
    return Answers(_measured(batch, "proof"))


def fits(tasks: Sequence[tuple[int, int]], processors: int) -> bool:
    """True if first fit by decreasing utilization places tasks (WCET, period) on this many processors."""
    rows = [(cost, period, period) for cost, period in tasks]
    _, misfits = _native.pack(rows, processors, "first_fit_decreasing")
    return not misfits


def required_processors(batch: Batch, most: int) -> list[list[int | None]]:
    """Returns the least number of processors for which the guarantee is proved (RNP), by question, then by set.

    Numbers are tried from ``batch.processors`` up to ``most``; None where none of them is enough. Overheads are those
    of the profile whatever the number. Source: litmus-rt-2006, section 4.2.
    """
    if most < batch.processors:
        raise BadInput(f"most: {most}; allowed: from the batch's {batch.processors} processors up")
    found = _measured(batch, f"processors {most}")
    return [column.to_pylist() for column in found.columns[_OF_SETS:]]


def breakdown(batch: Batch) -> list[list[Fraction]]:
    """Returns the breakdown, a factor of all costs with which the guarantee is proved, by question, then by set.

    It is not proved with costs that are a ten-thousandth larger. The search ends at a factor of 16. Sections grow with
    costs. The result is 0 if hardly any cost is accepted. The factor times the utilization is the breakdown utilization
    of Lehoczky, Sha and Ding, RTSS 1989. If tests accept some costs and not all smaller ones, smaller factors may fail.
    """
    found = _measured(batch, "breakdown")
    return [[Fraction(one, 10_000) for one in column.to_pylist()] for column in found.columns[_OF_SETS:]]
