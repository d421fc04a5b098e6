"""Schedules: the contents of traces, whatever produced them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from schedlab import _native
from schedlab.base.files import write_whole
from schedlab.core import display
from schedlab.core.metrics import Checked, Metrics
from schedlab.core.naming import job_id
from schedlab.core.scenario import Scenario
from schedlab.core.tables import Table
from schedlab.core.window import MOST, Time, part
from schedlab.errors import BadInput
from schedlab.outputs.answers import Why
from schedlab.outputs.results import Account, Difference, Drawing
from schedlab.outputs.tables import JobRow, SegmentRow


class Explained(display.ShownDict):
    """A `Why` for type checkers; a notebook shows its `text`, as a terminal does."""

    def __init__(self, found: Mapping[str, Any], text: str) -> None:
        super().__init__(found)
        self.text = text


class Schedule:
    """A trace, simulated or recorded: check it, measure it, draw it, export it.

    It draws itself in a notebook.
    """

    def __init__(self, native: _native.Trace) -> None:
        self._native = native

    @classmethod
    def read(cls, path: Path | str) -> Schedule:
        """Opens the trace in a file, which stays there: each question reads it anew, so it may be long."""
        return cls(_native.Trace.read(str(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Schedule:
        """Reads the trace in `content`."""
        return cls(_native.Trace(content))

    def to_bytes(self) -> bytes:
        """Returns the trace as the bytes of a file."""
        return self._native.to_bytes()

    def write(self, path: Path | str) -> None:
        """Writes the trace to a file."""
        write_whole(path, self.to_bytes())

    @cached_property
    def header(self) -> dict[str, str]:
        """The header of the trace: `scenario`, `scheduler`, `producer`, `promises`, ..."""
        return dict(self._native.header())

    @property
    def backend(self) -> str | None:
        """The backend of the run: `simulation`, `threads` (the engine, for threads of Linux), `scx` (the engine,
        by a scheduler in the kernel), `scx-native` (a scheduler in the kernel, as the engine would) or `class` (Linux
        itself).

        None if a trace of an older format does not state it.
        """
        return self._native.backend()

    def check(self, invariants: Sequence[str] | None = None) -> list[Checked]:
        """Checks the universal invariants and those that the policy promises, or only those named.

        Of a real run, what the kernel ran is checked, too: whether decisions came true, and whether every missed
        deadline is explained (see `account`). Raises `BadInput` for a name that is not an invariant's.
        """
        asked = None if invariants is None else list(invariants)
        checks = display.Shown(Checked(**found) for found in self._native.check(asked))
        if invariants is None and self.header.get("source") == "kernel":
            contradicted = self.header.get("contradicted")
            checks.append(Checked("decisions_came_true", contradicted is None, contradicted))
        if invariants is None and self.account is not None:
            checks += [Checked(**found) for found in self.account["judgements"]]
        return checks

    @cached_property
    def account(self) -> Account | None:
        """Users of processor time in a real run, and causes of missed deadlines: as `schedlab run --check --json`.

        None for a simulation, for a run whose trace does not contain what the kernel ran, and if the scheduler or
        protocol is not installed.
        """
        scenario = self._real_scenario()
        return None if scenario is None else self._native.account(scenario._native)

    def _real_scenario(self) -> Scenario | None:
        """Returns the scenario of a run whose trace contains what the kernel ran; else None, as `account`."""
        if "threads" not in self.header:
            return None
        scenario = self.scenario
        try:
            if not scenario._native.has_scheduler(scenario.scheduler):
                scenario = scenario.under(scenario.scheduler)
        except BadInput:
            return None
        return scenario

    def metrics(self) -> Metrics:
        """Returns response times, tardiness, preemptions, migrations and load."""
        return Metrics.of(self._native.metrics())

    @property
    def jobs(self) -> Table[JobRow]:
        """One row per job, by task and number: response time, lateness, whether its deadline was missed, ..."""
        return Table(self._native.jobs(), JobRow)

    def segments(self, until_ns: int | None = None) -> Table[SegmentRow]:
        """Returns which job occupied which processor when, up to `until_ns`."""
        return Table(self._native.segments(until_ns), SegmentRow)

    def drawing(self, until_ns: int | None = None, start_ns: int = 0, *, most: int | None = None) -> Drawing:
        """Returns the contents of a picture: segments, overheads, arrivals, deadlines, completions, misses.

        Raises `BadInput` if these are more than `most` boxes, lines and arrows.
        """
        return self._native.drawing(start_ns, until_ns, most)

    def why(self, job: str | None = None) -> Why:
        """Returns the response time of a job as parts that sum to it exactly.

        `job` is an id such as "T3J7", a task ("control": its worst job), or a task and a number ("control 3"). If it is
        None, the job is the one that was latest, or else came closest to its deadline. Of a real run, `lost` has the
        time that others took, and why the job missed its deadline.
        """
        return self.explained(job)[0]

    def why_text(self, job: str | None = None) -> str:
        """Returns the parts of a job's response time for people, as `why` computes them."""
        return self.explained(job)[1]

    def explained(self, job: str | None) -> tuple[Why, str]:
        """Returns the results of `why` and `why_text`, by one reading of the trace."""
        scenario = self._real_scenario()
        parts, lost, text = self._native.why(
            job_id(self._native, self.scenario, job), None if scenario is None else scenario._native
        )
        return cast("Why", Explained({**parts, "lost": lost}, text)), text

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario that the trace came from."""
        return Scenario.parse(self.header["scenario"], "scenario")

    def difference(self, other: Schedule, tolerance: str | int = 0) -> Difference:
        """Returns where this schedule and `other` first differ.

        `schedule` is about what a processor does: `at_ns`, `cpu` and the `occupants` of both; instants that lie no
        further apart than `tolerance` count as equal there. `record` is the first record that is not in both traces:
        its `number` and the `lines` of both. Each is None where there is no difference.
        """
        found = self._native.difference(other._native, _native.nanoseconds("tolerance", tolerance))
        return cast("Difference", display.ShownDict(found))

    def to_text(
        self, start: Time = None, until: Time = None, lanes: str = "processors", width: int | None = None
    ) -> str:
        """Draws the schedule with letters: a lane for each of the `processors` or of the `tasks`.

        It is folded to lines of at most `width` letters, if that is given; labels are never cut. Like the other
        drawings, raises `BadInput` if there is too much to read.
        """
        return self._native.draw("text", lanes, start, until, MOST, width)

    def to_svg(self, start: Time = None, until: Time = None, lanes: str = "tasks") -> str:
        """Draws the schedule as SVG."""
        return self._native.draw("svg", lanes, start, until, MOST, None)

    def to_tikz(self, start: Time = None, until: Time = None, lanes: str = "tasks") -> str:
        """Draws the schedule as TikZ, for papers."""
        return self._native.draw("tikz", lanes, start, until, MOST, None)

    def plot(
        self, ax: Any = None, *, start: Time = None, until: Time = None, around: str | None = None,
        jobs: int | None = None, lanes: str = "tasks",
    ) -> Any:  # fmt: skip
        """Draws the schedule with matplotlib on the axes `ax`, or on new ones; returns the axes.

        The part that is shown is as in `save`.
        """
        return display.plotted(self, ax, start=start, until=until, around=around, jobs=jobs, lanes=lanes)

    def save(
        self, path: Path | str, *, start: Time = None, until: Time = None, around: str | None = None,
        jobs: int | None = None, lanes: str | None = None,
    ) -> Path:  # fmt: skip
        """Writes a picture in the format of the ending of `path`: .svg, .png, .pdf, .tex (TikZ), .txt, or .html (a
        page).

        It shows the schedule from `start` until `until`, or for a number of `jobs`, or `around` a job such as "T3J7".
        Without these, a picture shows the first hyperperiod or the first 100 jobs, and a page everything.
        """
        return display.saved(self, path, start=start, until=until, around=around, jobs=jobs, lanes=lanes)

    @property
    def beginning_ns(self) -> int:
        """Length of the part that is drawn by default, in nanoseconds: two longest periods, or eight shortest."""
        periods: list[int] = self.scenario.tasks["period_ns"]
        return min(self.scenario.horizon_ns, 2 * max(periods), 8 * min(periods))

    def export(self, format: str, write: Callable[[bytes], object], **shown: Any) -> None:
        """Passes the trace in pieces to `write`, such as that of a file, because it may be longer than memory.

        `perfetto` is for ui.perfetto.dev, `csv` has one line per job, `records` one line per record. Records may be
        those of a part, both of its ends included: `shown` are `start`, `until`, `around` and `jobs`, as in `save`.
        """
        given = {name: value for name, value in shown.items() if value is not None}
        self._native.export(format, write, part(self._native, self.scenario, **given) if given else None)

    def _exported(self, format: str, **shown: Any) -> bytes:
        pieces: list[bytes] = []
        self.export(format, pieces.append, **shown)
        return b"".join(pieces)

    def to_perfetto(self) -> bytes:
        """Returns the trace for ui.perfetto.dev."""
        return self._exported("perfetto")

    def to_csv(self) -> str:
        """Returns one line per job."""
        return self._exported("csv").decode()

    def to_records(self, **shown: Any) -> str:
        """Returns one line per record, or per record of a part, as `export` takes it."""
        return self._exported("records", **shown).decode()

    def _repr_html_(self) -> str:
        return display.html(self)

    def __repr__(self) -> str:
        found = self.metrics()
        return f"<Schedule under {found.scheduler}: {found.jobs} jobs, {found.misses} deadlines missed>"
