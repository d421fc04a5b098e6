"""A schedule: what a trace says, whatever produced it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from schedlab import _native
from schedlab.base.files import write_whole
from schedlab.core import display
from schedlab.core.metrics import Checked, Metrics
from schedlab.core.naming import job_id
from schedlab.core.scenario import Scenario
from schedlab.core.tables import Table
from schedlab.core.window import MOST, Time, part, window
from schedlab.errors import BadInput
from schedlab.outputs.answers import Why
from schedlab.outputs.results import Account, Difference, Drawing
from schedlab.outputs.tables import JobRow, SegmentRow


class Schedule:
    """A trace, simulated or recorded: check it, measure it, draw it, export it.

    In a notebook it draws itself.
    """

    def __init__(self, native: _native.Trace) -> None:
        self._native = native

    @classmethod
    def read(cls, path: Path | str) -> Schedule:
        """The trace in a file, which stays there: whatever is asked reads it anew, so it may be long."""
        return cls(_native.Trace.read(str(path)))

    @classmethod
    def from_bytes(cls, content: bytes) -> Schedule:
        """The trace in `content`."""
        return cls(_native.Trace(content))

    def to_bytes(self) -> bytes:
        """The trace as it stands in a file."""
        return self._native.to_bytes()

    def write(self, path: Path | str) -> None:
        """Writes the trace to a file."""
        write_whole(path, self.to_bytes())

    @cached_property
    def header(self) -> dict[str, str]:
        """What the trace is about: `scenario`, `scheduler`, `producer`, `promises`, ..."""
        return dict(self._native.header())

    @property
    def backend(self) -> str | None:
        """Who decided in the run: `simulation`, `threads` (the engine, for threads of Linux) or `class` (Linux itself).

        None if a trace of an older format does not say it.
        """
        return self._native.backend()

    def check(self, invariants: Sequence[str] | None = None) -> list[Checked]:
        """Checks the universal invariants and those that the policy promises, or only those named.

        Of a real run, what the kernel ran is checked, too: whether decisions came true, and whether every missed
        deadline is explained (see `account`).
        """
        checks = [Checked(**found) for found in self._native.check(None if invariants is None else list(invariants))]
        if invariants is None and self.header.get("source") == "kernel":
            contradicted = self.header.get("contradicted")
            checks.append(Checked("decisions_came_true", contradicted is None, contradicted))
        if invariants is None and self.account is not None:
            checks += [Checked(**found) for found in self.account["judgements"]]
        return checks

    @cached_property
    def account(self) -> Account | None:
        """What took processor time in a real run, and why its deadlines were missed: as `schedlab run --check --json`.

        There is none of a simulation, and of a run whose trace does not say what the kernel ran. Nor is there one if
        the scheduler or protocol is not installed.
        """
        scenario = self._real_scenario()
        return None if scenario is None else self._native.account(scenario._native)

    def _real_scenario(self) -> Scenario | None:
        """The scenario of a run whose trace says what the kernel ran; None where `account` is."""
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
        """Response times, tardiness, preemptions, migrations and load."""
        return Metrics.of(self._native.metrics())

    @property
    def jobs(self) -> Table[JobRow]:
        """One row per job, by task and number: response time, lateness, whether its deadline was missed, ..."""
        return Table(self._native.jobs(), JobRow)

    def segments(self, until_ns: int | None = None) -> Table[SegmentRow]:
        """Which job occupied which processor when."""
        return Table(self._native.segments(until_ns), SegmentRow)

    def drawing(self, until_ns: int | None = None, start_ns: int = 0, *, most: int | None = None) -> Drawing:
        """What a picture needs: segments, overheads, arrivals, deadlines, completions, misses.

        `BadInput` if that is more than `most` boxes, lines and arrows.
        """
        return self._native.drawing(start_ns, until_ns, most)

    def why(self, job: str | None = None) -> Why:
        """The response time of a job as parts that sum to it exactly.

        `job` is an id such as "T3J7", a task ("control": its worst job), or a task and a number ("control 3"). If it is
        not given, the job that was latest, or else came closest to its deadline. Of a real run, `lost` says what others
        took, and why the job missed its deadline.
        """
        return self.explained(job)[0]

    def why_text(self, job: str | None = None) -> str:
        """The same for people."""
        return self.explained(job)[1]

    def explained(self, job: str | None) -> tuple[Why, str]:
        """Both, by one reading of the trace."""
        scenario = self._real_scenario()
        parts, lost, text = self._native.why(
            job_id(self._native, self.scenario, job), None if scenario is None else scenario._native
        )
        return {**parts, "lost": lost}, text

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario that the trace came from."""
        return Scenario.parse(self.header["scenario"], "scenario")

    def difference(self, other: Schedule, tolerance: str | int = 0) -> Difference:
        """Where the two differ first.

        `schedule` says what a processor does: `at_ns`, `cpu` and the `occupants` of both. Instants that lie no further
        apart than `tolerance` are the same there. `record` is the first that is not in both traces: its `number` and
        the `lines` of both. None where there is no difference.
        """
        return self._native.difference(other._native, _native.nanoseconds("tolerance", tolerance))

    def to_text(
        self, start: Time = None, until: Time = None, lanes: str = "processors", width: int | None = None
    ) -> str:
        """The schedule drawn with letters: a lane for each of the `processors` or of the `tasks`.

        It is folded to lines of at most `width` letters, if that is given; labels are never cut.
        Like the other drawings, `BadInput` if there is too much to read.
        """
        return self._native.draw("text", lanes, start, until, MOST, width)

    def to_svg(self, start: Time = None, until: Time = None, lanes: str = "tasks") -> str:
        """The schedule drawn as SVG."""
        return self._native.draw("svg", lanes, start, until, MOST, None)

    def to_tikz(self, start: Time = None, until: Time = None, lanes: str = "tasks") -> str:
        """The schedule drawn as TikZ, for papers."""
        return self._native.draw("tikz", lanes, start, until, MOST, None)

    def plot(
        self, ax: Any = None, *, start: Time = None, until: Time = None, around: str | None = None,
        jobs: int | None = None, lanes: str = "tasks",
    ) -> Any:  # fmt: skip
        """Draws it with matplotlib on the axes `ax`, or on new ones; returns the axes.

        What is shown is as in `save`.
        """
        return display.plotted(self, ax, start=start, until=until, around=around, jobs=jobs, lanes=lanes)

    def save(
        self, path: Path | str, *, start: Time = None, until: Time = None, around: str | None = None,
        jobs: int | None = None, lanes: str | None = None,
    ) -> Path:  # fmt: skip
        """Writes a picture as the ending of `path` says: .svg, .png, .pdf, .tex (TikZ), .txt, or .html (a page).

        It shows what happens from `start` until `until`, or to so many `jobs`, or `around` a job such as "T3J7".
        Without these, a picture shows the first hyperperiod or the first 100 jobs, and a page everything.
        """
        return display.saved(self, path, start=start, until=until, around=around, jobs=jobs, lanes=lanes)

    @property
    def beginning_ns(self) -> int:
        """How much of a schedule is drawn where nothing else is said: two longest periods, or eight shortest."""
        periods: list[int] = self.scenario.tasks["period_ns"]
        return min(self.scenario.horizon_ns, 2 * max(periods), 8 * min(periods))

    def export(self, format: str, write: Callable[[bytes], object], **shown: Any) -> None:
        """Hands the trace to `write` in pieces, such as to that of a file: it may be longer than memory.

        `perfetto` is for ui.perfetto.dev, `csv` has one line per job, `records` one line per record. Records may be
        those of a part, both of its ends among them: `shown` are `start`, `until`, `around` and `jobs`, as in `save`.
        """
        given = {name: value for name, value in shown.items() if value is not None}
        self._native.export(format, write, part(self._native, self.scenario, **given) if given else None)

    def _exported(self, format: str, **shown: Any) -> bytes:
        pieces: list[bytes] = []
        self.export(format, pieces.append, **shown)
        return b"".join(pieces)

    def to_perfetto(self) -> bytes:
        """The trace for ui.perfetto.dev."""
        return self._exported("perfetto")

    def to_csv(self) -> str:
        """One line per job."""
        return self._exported("csv").decode()

    def to_records(self, **shown: Any) -> str:
        """One line per record, or per record of a part, as `export` takes it."""
        return self._exported("records", **shown).decode()

    def _repr_svg_(self) -> str:
        return self.to_svg(*window(self._native, self.scenario))

    def __repr__(self) -> str:
        found = self.metrics()
        return f"<Schedule under {found.scheduler}: {found.jobs} jobs, {found.misses} deadlines missed>"
