"""A scenario: everything that a number depends on."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from schedlab import _native
from schedlab.base.defaults import NO_OVERHEADS, SCHEDULER
from schedlab.base.files import write_whole
from schedlab.core import display, plugins
from schedlab.core.tables import Table, rows_of
from schedlab.errors import BadInput, no_such
from schedlab.outputs.answers import Exported, ScenarioDict, Supposed
from schedlab.outputs.results import Supertask, TaskRow

if TYPE_CHECKING:
    from schedlab.core.policy import Policy

#: One scheduler, or several: each a name, shipped or installed, or a class derived from `Policy`.
Schedulers: TypeAlias = "str | type[Policy] | Sequence[str | type[Policy]]"


class OtherSettings(TypedDict, total=False):
    """Further arguments of `Scenario.from_tasks`; None is as if an argument were not given."""

    #: Number of processors that share a ready queue, under clustered schedulers.
    cluster_size: int | None
    #: Number of copies of the task set.
    copies: int | None
    #: A locking protocol, shipped or installed.
    protocol: str | None
    #: Other schemes by object, such as {"events": "wait-free"}.
    schemes: Mapping[str, str] | None
    #: A placement such as "worst_fit_decreasing qpa" or "C=D".
    placement: str | None
    #: A rule for priorities such as "RM-US" or "Audsley".
    priorities: str | None
    #: Overheads: a shipped name or a file.
    overheads: str | None
    #: The statistic of the overheads that is charged: "max", "mean", "p99".
    statistic: str | None
    #: Lengths of time such as "2.5 ms", or nanoseconds.
    horizon: str | int | None
    quantum: str | int | None
    seed: int | None
    #: Kinds of losses of overhead tables that are ignored, such as ["overheads"].
    ignore: Sequence[str] | None
    #: Fields by their paths, such as {"task.odom.wcet": "5 ms"}; what the scenario left to a default follows them.
    settings: Mapping[str, object] | Sequence[tuple[str, object]] | None
    #: Factor of all costs, after `settings`.
    scale: Fraction | float | None


class Settings(OtherSettings, total=False):
    """Arguments of `Scenario.replace`."""

    name: str | None
    processors: int | None
    #: A name, shipped or installed, or a class derived from `Policy`.
    scheduler: str | type[Policy] | None
    #: Throttling in the model of `SCHED_FIFO`: runtime and period, such as ("950 ms", "1 s"), or nanoseconds.
    throttling: tuple[str | int, str | int] | None


class Scenario:
    """A task set, a platform, a scheduler, overheads, a seed and a horizon. Immutable.

    >>> scenario = Scenario.from_tasks([{"wcet_ns": 2, "period_ns": 10}] * 3, processors=2, scheduler="G-EDF")
    >>> scenario.processors
    2
    """

    def __init__(self, native: _native.Scenario, lost: Sequence[str] = ()) -> None:
        self._native = native
        #: Contents of another tool's file that have no place here and change no answer, a line each; see `left_out`.
        self.lost = tuple(lost)

    @classmethod
    def read(cls, path: Path | str, *, ignore: Sequence[str] = ()) -> Scenario:
        """Reads the scenario in a file: TOML, or by its content CSV, the XML of SchedCAT or SimSo, or rt-app's JSON.

        Content of another tool's file that could make an answer too good if it were dropped raises `BadInput`, such as
        the speed of a processor. `ignore` lets it pass by the name of its kind, as in ["speed"]; `left_out` then lists
        it.
        """
        return cls(*_native.Scenario.read(str(path), list(ignore)))

    @classmethod
    def read_text(cls, text: str | bytes, file: str = "<string>", *, ignore: Sequence[str] = ()) -> Scenario:
        """Reads a scenario from a text, which refers to no other file, as `read` does; errors name `file`."""
        content = text.encode() if isinstance(text, str) else text
        return cls(*_native.Scenario.read_text(content, file, list(ignore)))

    @classmethod
    def parse(cls, text: str, file: str = "<string>") -> Scenario:
        """Reads the scenario in a TOML text; errors name `file`."""
        return cls(_native.Scenario.parse(text, file))

    @classmethod
    def from_tasks(
        cls,
        tasks: Any,
        *,
        processors: int,
        scheduler: str | type[Policy] = SCHEDULER,
        name: str = "tasks",
        **settings: Unpack[OtherSettings],
    ) -> Scenario:
        """Makes a scenario of a task set given as an Arrow, pandas or polars table, or a sequence of mappings.

        The columns are those of `tasks`, of which `index` and `utilization` are not read. `wcet_ns` and `period_ns` are
        required; other missing columns have the defaults of the scenario file. `settings` are those of `replace`.
        Raises `BadInput` for other columns and for values out of range.
        """
        rows = rows_of(tasks)
        for row in rows:
            for column in row:
                if column not in TaskRow.__annotations__:
                    raise no_such("column", column, TaskRow.__annotations__)
        known = scheduler if isinstance(scheduler, str) and plugins.find("scheduler", scheduler) is None else None
        # Rows may name clusters, whose size must be known here.
        clusters = settings.get("cluster_size")
        native = _native.Scenario.from_tasks(rows, name, processors, SCHEDULER if known is None else known, clusters)
        scenario = cls(native)
        if known is None:
            scenario = scenario.under(scheduler)
        return scenario.replace(**settings) if settings else scenario

    def replace(self, **settings: Unpack[Settings]) -> Scenario:
        """Returns this scenario with other settings.

        `Settings` lists them: another name raises `TypeError`, and a type checker finds it.
        """
        scheduler, protocol = settings.get("scheduler"), settings.get("protocol")
        # Schedulers and protocols that the scenario does not know come last, because they see all other settings.
        if isinstance(scheduler, str) and self._native.has_scheduler(scheduler):
            scheduler = None
        if protocol is not None and self._native.has_protocol(protocol):
            protocol = None
        later = {name for name, value in (("scheduler", scheduler), ("protocol", protocol)) if value is not None}
        now: dict[str, Any] = {name: value for name, value in settings.items() if name not in later}
        now["ignore"] = list(settings.get("ignore") or ())
        fields = settings.get("settings") or ()
        pairs = fields.items() if isinstance(fields, Mapping) else fields
        now["settings"] = [(path, value if isinstance(value, str) else json.dumps(value)) for path, value in pairs]
        scale = settings.get("scale")
        now["scale"] = None if scale is None else _factor(scale)
        native = self._native.replace(**now)
        if protocol is not None:
            native = plugins.sharing(native, protocol)
        return Scenario(native if scheduler is None else plugins.under(native, scheduler))

    def under(self, scheduler: str | type[Policy] | None) -> Scenario:
        """Returns this scenario under another scheduler: a name, shipped or installed, or a class derived from
        `Policy`.

        `None` stands for the scenario's own scheduler.
        """
        return self if scheduler is None else self.replace(scheduler=scheduler)

    def with_accesses(self, accesses: str, *, seed: int | None = None, index: int = 0) -> Scenario:
        """Returns this scenario with critical sections drawn for its tasks, which must have no programs.

        `accesses` is a rule such as "independent 4 0.25 short" or "shared 5 1 4 14us"; `schedlab schema names` lists
        them. The sections are set number `index` of `seed`, or of the scenario's seed. A WCET that is shorter than its
        sections grows to their length.
        """
        return Scenario(self._native.with_accesses(accesses, self.seed if seed is None else seed, index))

    def with_utility(self, utility: str, *, seed: int | None = None, index: int = 0) -> Scenario:
        """Returns this scenario with time/utility functions drawn for its tasks.

        `utility` is a rule such as "uniform 1 10" or "by-cost 1 10 linear"; `schedlab schema names` lists them. The
        functions end at relative deadlines. They are set number `index` of `seed`, or of the scenario's seed.
        """
        return Scenario(self._native.with_utility(utility, self.seed if seed is None else seed, index))

    def with_costs_times(self, factor: Fraction | float) -> Scenario:
        """Returns this scenario with the costs of all jobs times `factor`, rounded up: the same tasks at another load.

        A task may then need more than its deadline allows. Suspensions and abort handlers stay as they are. Raises
        `BadInput` for a factor that is not from 0.000001 to 1,000,000.
        """
        return Scenario(self._native.with_costs_times(*_factor(factor)))

    def on_linux(self) -> Scenario:
        """Returns this scenario on a kernel without other settings: with its default throttling, unless it states one.

        `what_if` then says so, as options of the command line do (`--for linux`).
        """
        return Scenario(self._native.on_linux())

    @property
    def name(self) -> str:
        """The scenario's name."""
        return self._native.name

    @property
    def what_if(self) -> list[Supposed]:
        """Fields that were set by `replace`, by `settings`, `scale` and `processors`, or by options; the last one last.

        Such as {"path": "task.odom.wcet", "value": "5ms", "before": "3ms"}.
        """
        return self._native.what_if

    @property
    def left_out(self) -> list[str]:
        """What answers leave out although they may be too good without it, a line each.

        That is what was ignored of another tool's file, what the scheduler does not heed, such as places of tasks, and
        measured overheads that nothing charges.
        """
        return self._native.left_out

    @property
    def rests_on(self) -> list[str]:
        """Conditions on every promise about the scenario besides its own numbers, a line each.

        Such as overheads of which not the largest values are charged, and costs that were observed only.
        """
        return self._native.rests_on

    @property
    def processors(self) -> int:
        """Number of processors."""
        return self._native.processors

    @property
    def scheduler(self) -> str:
        """The scheduler's name."""
        return self._native.scheduler

    @property
    def protocol(self) -> str:
        """The locking protocol's name."""
        return self._native.protocol

    @property
    def overheads(self) -> str:
        """The name of the overheads."""
        return self._native.overheads

    @property
    def overheads_source(self) -> str:
        """Place or publication from which the overheads come; empty if there are none."""
        return self._native.overheads_source

    @property
    def overheads_statistic(self) -> str:
        """The statistic of the overheads that is charged: `max`, `mean` or a percentile such as `p99`."""
        return self._native.overheads_statistic

    @property
    def overheads_charged(self) -> str:
        """The overheads in words: their name, the statistic that is charged, and their source."""
        if self.overheads == NO_OVERHEADS:
            return NO_OVERHEADS
        source = f"; {self.overheads_source}" if self.overheads_source else ""
        name = self.overheads or "the scenario's own"
        return f"{name} (statistic {self.overheads_statistic}{source})"

    @property
    def overheads_unknown(self) -> list[str]:
        """Kinds of overheads without a value in their source: the scenario's scheduler is not charged for them."""
        return self._native.overheads_unknown

    @property
    def overflowed(self) -> list[str]:
        """The tasks that fit nowhere and are placed best-effort, on the least loaded processor."""
        return self._native.overflowed

    @property
    def overheads_not_simulated(self) -> list[str]:
        """Kinds of overheads of requests for locks that analyses charge and simulations do not."""
        return self._native.overheads_not_simulated

    @property
    def utilization(self) -> Fraction:
        """The sum of cost over period of the tasks that are present together: the largest such sum over time."""
        shares = [Fraction(task["wcet_ns"], task["period_ns"]) for task in self.tasks]
        stays = self._native.presence_ns

        def together(at: int) -> Fraction:
            here = (join <= at and (leave is None or at < leave) for join, leave in stays)
            return sum((share for share, is_here in zip(shares, here, strict=True) if is_here), Fraction(0))

        return max(map(together, {join for join, _ in stays}))

    @property
    def seed(self) -> int:
        """The seed of everything that is random."""
        return self._native.seed

    @property
    def horizon_ns(self) -> int:
        """End of the simulation, in nanoseconds."""
        return self._native.horizon_ns

    @property
    def tasks(self) -> Table[TaskRow]:
        """The task set; `Scenario.from_tasks` takes it back."""
        return Table(self._native.tasks(), TaskRow)

    @property
    def own(self) -> list[str]:
        """The scheduler and the protocol of the user's own, which no file can name, such as "scheduler EDZL"."""
        return self._native.own

    def supertasks(self, scheduler: str | None = None) -> list[Supertask]:
        """Returns the supertasks that a scheduler (else the scenario's own) knows: `name`, `weight`, `components`, ...

        `doubt` is the reason why the deadlines of the components are not guaranteed; None if they are.
        """
        return self.under(scheduler)._native.supertasks()

    def to_toml(self) -> str:
        """Returns the canonical file: equal scenarios have equal texts.

        A scheduler or a protocol of the user's own is named in a comment, with a shipped one in its place.
        """
        return self._native.to_toml()

    def export(self, format: str, *, unproved: bool = False) -> str:
        """Returns the scenario in another format: `toml`; its task set as `csv`, `schedcat` or `simso`.

        `systemd`, `sched_deadline` and `rt-app` are settings of Linux's own schedulers; see `exported`. So are
        `threads` (a script), `threads.h` (C) and `threads.hpp` (C++), for tasks that are threads of one program.
        """
        return self.exported(format, unproved=unproved)["text"]

    def exported(self, format: str, *, unproved: bool = False) -> Exported:
        """Returns what `export` writes, what it has no place for, and the proof of settings.

        Settings of Linux's own schedulers are refused where Linux would act otherwise than the scenario's scheduler and
        protocol. Settings of tasks that are not proved schedulable are refused too, unless `unproved` is set; the file
        then says so. Refusals raise `BadInput`.
        """
        text, lost, services, proof = self._native.export(format, unproved)
        return {"to": format, "text": text, "lost": lost, "services": dict(services), "proof": proof}

    def losses(self, format: str) -> list[str]:
        """Returns what `export(format)` has no place for, a line each."""
        return self.exported(format, unproved=True)["lost"]

    def write(self, path: Path | str) -> None:
        """Writes the canonical file."""
        write_whole(path, self.to_toml())

    def to_dict(self) -> ScenarioDict:
        """Returns plain values, for JSON."""
        return {
            "name": self.name,
            "processors": self.processors,
            "scheduler": self.scheduler,
            "protocol": self.protocol,
            "overheads": self.overheads,
            "seed": plain_seed(self.seed),
            "horizon_ns": self.horizon_ns,
            "left_out": self.left_out,
            "rests_on": self.rests_on,
            "tasks": list(self.tasks),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.to_toml() == other.to_toml()

    def __hash__(self) -> int:
        return hash(self.to_toml())

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {len(self.tasks)} tasks, {self.processors} processors, {self.scheduler}>"

    def _repr_html_(self) -> str:
        return display.html(self)


def supposed_in_words(one: Supposed) -> str:
    """Returns what was set from outside, such as "task.odom.wcet = 5ms (before 3ms)"."""
    if one["path"] == "scale":
        return f"all costs times {one['value']}"
    before = "not stated before" if one["before"] is None else f"before {one['before']}"
    return f"{one['path']} = {one['value']} ({before})"


def _factor(factor: Fraction | float) -> tuple[int, int]:
    """Returns a factor of costs as a fraction."""
    exact = Fraction(factor).limit_denominator(1_000_000)
    if not 0 < exact <= 1_000_000:
        raise BadInput(f"factor: {factor} is not allowed; allowed: from 0.000001 to 1000000")
    return exact.numerator, exact.denominator


def plain_seed(seed: int) -> int | str:
    """Returns a seed for JSON, as in a scenario file: text from 2^63 on, where integers of many readers end."""
    return seed if seed < 2**63 else str(seed)


def listed(given: Schedulers) -> list[str | type[Policy]]:
    """Returns a list of schedulers: one name or class stands for a list of it."""
    return [given] if isinstance(given, str | type) else list(given)


def expect_scenario(given: object) -> None:
    """Raises a `TypeError` that helps a caller who hands over a path or a table."""
    if not isinstance(given, Scenario):
        raise TypeError(
            f"not a scenario: {given!r}; schedlab.Scenario.read reads a file, Scenario.from_tasks takes tasks"
        )
