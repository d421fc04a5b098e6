"""Analyses: verdicts of published tests, each with bounds, assumptions and source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from schedlab import _native
from schedlab.core import display, plugins
from schedlab.core.conclusion import conclusion
from schedlab.core.scenario import Scenario, Schedulers, expect_scenario, listed
from schedlab.errors import BadInput
from schedlab.outputs.answers import AnalysisDict
from schedlab.outputs.results import (
    Advice,
    AnalysisOfScheduler,
    Blocking,
    Conclusion,
    Explanation,
    LateJob,
    TestSteps,
    VerdictDict,
    Way,
)


@dataclass(frozen=True)
class Verdict:
    """One test's answer about one scheduler."""

    test: str
    source: str
    #: "hard": no deadline is missed; "soft": tardiness is bounded.
    kind: str
    #: "schedulable", "unschedulable" or "unknown".
    answer: str
    reason: str
    assumptions: tuple[str, ...]
    #: Bounds by task, None where nothing is proved; None altogether if the test has no such bounds.
    response_time_bounds_ns: tuple[int | None, ...] | None
    tardiness_bounds_ns: tuple[int | None, ...] | None
    #: The test's computation, if `analyze` was asked for `steps` and the test hands it out.
    steps: TestSteps | None = None

    def _repr_html_(self) -> str:
        return display.html(self)

    def __repr__(self) -> str:
        return f"<Verdict of {self.test} ({self.kind}): {self.answer}, {self.reason}>"

    def to_dict(self) -> VerdictDict:
        """Returns plain values, for JSON."""
        return cast(VerdictDict, _thawed(self))


class Advised(display.ShownDict):
    """An `Advice` for type checkers; in a notebook a table of the best ways."""


@dataclass(frozen=True)
class Analysis:
    """Everything that was found about a scenario under one scheduler."""

    scheduler: str
    #: The reason why the scheduler could not be applied at all, such as a task set that does not fit its partitions.
    error: str | None
    #: The cluster of each task; None if the scheduler is global.
    placement: tuple[int, ...] | None
    #: Tasks that fit nowhere and are placed best-effort: the verdicts are about that placement.
    overflowed: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    #: Bounds on blocking by task under the scenario's locking protocol; None if jobs share nothing or no bound is
    #: known.
    blocking: Blocking | None = None
    #: Bounds on blocking by further methods, such as linear programs (their `remote_ns` is the whole blocking).
    more_blocking: tuple[Blocking, ...] = ()
    #: For each cluster that is refuted, a late job that the simulator found.
    evidence: tuple[LateJob, ...] = ()
    #: The parts of bounds, and how far costs may grow, if asked for.
    explanation: Explanation | None = None
    #: What the answer leaves out, such as places of tasks that the scheduler does not heed, a line each.
    left_out: tuple[str, ...] = ()
    #: Conditions of the answer besides the scenario's own numbers, a line each.
    rests_on: tuple[str, ...] = ()
    #: Overheads for which the scenario's source has no value under this scheduler: they are taken for zero.
    overheads_unknown: tuple[str, ...] = ()
    #: The scenario, where bounds have their names from.
    _scenario: Scenario | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<Analysis {self.in_short}>"

    @property
    def in_short(self) -> str:
        """The strongest answer, and the tests that give it, in one line."""
        # Hard guarantees first; bounds by task would fill a screen.
        hard, soft = self.conclusion["hard"], self.conclusion["soft"]
        told = self.error or "nothing is proved"
        if hard and hard["answer"] != "unknown":
            told = f"{hard['answer']} ({', '.join(hard['tests'])})"
        elif soft and soft["answer"] == "schedulable":
            told = f"tardiness bounded ({', '.join(soft['tests'])})"
        return f"under {self.scheduler}: {told}"

    @property
    def conclusion(self) -> Conclusion:
        """The strongest answer of all verdicts together, by kind, and the tests that give it."""
        return conclusion(vars(one) for one in self.verdicts)

    def _repr_html_(self) -> str:
        return display.html(self)

    @property
    def answer(self) -> str:
        """The answer about deadlines: schedulable, unschedulable or unknown."""
        hard = self.conclusion["hard"]
        return "unknown" if hard is None else hard["answer"]

    @property
    def has_clusters(self) -> bool:
        """True if tasks are on several clusters, each of which is analysed alone."""
        return len(set(self.placement or ())) > 1

    @property
    def schedulable(self) -> bool:
        """True if it is proved that no deadline is missed: by a test, or by several together."""
        return self.answer == "schedulable"

    @property
    def tardiness_is_bounded(self) -> bool:
        """True if a test proves that tardiness is bounded, or that there is none."""
        soft = self.conclusion["soft"]
        return self.schedulable or (soft is not None and soft["answer"] == "schedulable")

    def name_of(self, task: int) -> str:
        """Returns the name of the task at the index `task` of bounds; `T0` and so on where tasks are split."""
        names = [] if self._scenario is None else self._scenario.tasks["name"]
        whole = all(len(found.response_time_bounds_ns or names) == len(names) for found in self.verdicts)
        return names[task] if names and whole else f"T{task}"

    def response_time_bound_ns(self, task: int) -> int | None:
        """Returns the smallest proved bound on the response time of `task`; None if there is none."""
        return _smallest([found.response_time_bounds_ns for found in self.verdicts], task)

    def tardiness_bound_ns(self, task: int) -> int | None:
        """Returns the smallest proved bound on the tardiness of `task`; None if there is none."""
        return _smallest([found.tardiness_bounds_ns for found in self.verdicts], task)

    def to_dict(self) -> AnalysisDict:
        """Returns plain values, for JSON."""
        told = {"verdicts": [found.to_dict() for found in self.verdicts], "conclusion": self.conclusion}
        return cast(AnalysisDict, _thawed(self) | told)


def _smallest(columns: Sequence[tuple[int | None, ...] | None], task: int) -> int | None:
    bounds = [column[task] for column in columns if column is not None]
    return min((bound for bound in bounds if bound is not None), default=None)


def analyze(
    scenario: Scenario,
    *,
    schedulers: Schedulers | None = None,
    tests: str | Sequence[str] | None = None,
    explain: bool = False,
    steps: bool = False,
    task: str | None = None,
) -> list[Analysis]:
    """Applies every test that speaks of each scheduler (else of the scenario's own), or only `tests`.

    One name, or one class, stands for a list of it. Of a scheduler of the user's own, installed or a class, nothing is
    proved unless it declares what tests may rely on: `unknown`. Refutations come with `evidence`; with `explain`,
    bounds come with their parts, and with `steps`, verdicts come with the computations of their tests: those about
    `task` and about all tasks together, if it is given. Raises `BadInput` for a name that is not known.
    """
    expect_scenario(scenario)
    chosen = [None] if schedulers is None else listed(schedulers)
    asked = [tests] if isinstance(tests, str) else tests
    if task is not None and not steps:
        raise BadInput("`task` chooses among `steps`, which are not asked for")
    return display.Shown(_analysis(scenario.under(one), asked, explain, steps, task) for one in chosen)


def _analysis(
    scenario: Scenario,
    tests: Sequence[str] | None,
    explain: bool = False,
    steps: bool = False,
    task: str | None = None,
) -> Analysis:
    ours, others = _by_origin(tests)
    # Of an installed package, the native scenario may be older than steps.
    shown = (steps, task) if steps else ()
    return _read(scenario._native.analyze(ours, explain, *shown), scenario, others)


def _by_origin(tests: Sequence[str] | None) -> tuple[list[str] | None, list[str]]:
    """Divides `tests`, or all tests, into the library's own and installed ones of others."""
    installed = plugins.installed("test")
    if tests is None:
        return None, sorted(installed)
    return [name for name in tests if name not in installed], [name for name in tests if name in installed]


def analyze_many(
    scenarios: Sequence[Scenario], *, tests: Sequence[str] | None = None, threads: int = 0
) -> list[Analysis | BadInput]:
    """Analyses each scenario under its own scheduler, as `analyze` does, on `threads` threads (0: one for each
    processor).

    The result has the error of a scenario that cannot be analysed in its place. It does not depend on `threads`.
    """
    ours, others = _by_origin(tests)
    # Scenarios of an installed package are values of its own library, which analyses them one by one.
    together = [one._native for one in scenarios if isinstance(one._native, _native.Scenario)]
    rows = iter(_native.analyze_many(together, ours, threads))
    found: list[Analysis | BadInput] = []
    for scenario in scenarios:
        if not isinstance(scenario._native, _native.Scenario):
            try:
                found.append(_analysis(scenario, tests))
            except BadInput as error:
                found.append(error)
            continue
        row = next(rows)
        found.append(row if isinstance(row, BadInput) else _read(row, scenario, others))
    return found


def _read(found: AnalysisOfScheduler, scenario: Scenario, others: Sequence[str]) -> Analysis:
    """Makes an analysis of what was found of `scenario`, with the verdicts of installed tests of others."""
    # Installed tests read the scenario's text, which names only what is shipped.
    asked = [] if scenario.own else [(name, plugins.find("test", name)) for name in others]
    rows = list(found["verdicts"])
    for name, test in asked:
        if test is not None:
            rows += test.scenario(scenario._native).analyze([name], False)["verdicts"]
    known = _frozen(found) | {"verdicts": tuple(Verdict(**_frozen(row)) for row in rows)}
    return Analysis(**known, _scenario=scenario)


def _frozen(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _thawed(value: Verdict | Analysis) -> dict[str, Any]:
    plain = {name: part for name, part in vars(value).items() if not name.startswith("_")}
    return {name: list(part) if isinstance(part, tuple) else part for name, part in plain.items()}


def advise(scenario: Scenario, *, schedulers: Schedulers = (), threads: int = 0) -> Advice:
    """Tries every scheduler, placement, priority rule and locking protocol that applies, on `threads` threads.

    Objects are tried with other schemes: with one for all, and then with mixes of them (`mixes` describes that search).

    `schedulers` are classes, and at most one installed name, that are tried in addition. They count as observed in a
    simulation, unless they declare what tests may rely on.

    The `ways` come ranked, the best first. If the scenario itself is not proved (`as_it_is`), `single_changes` are
    those each of which alone would prove it.
    """
    given = listed(schedulers)
    names = [one for one in given if isinstance(one, str) and not scenario._native.has_scheduler(one)]
    if len(names) > 1:
        raise BadInput(f"{' and '.join(names)}: installed packages do not know each other; allowed: one at a time")
    tried = scenario
    for name in names:
        tried = tried.under(name)
    for one in given:
        if not isinstance(one, str):
            tried = tried.under(one)
    # Each scheduler that was chosen once stays in the catalogue.
    return cast("Advice", Advised(tried.under(scenario.scheduler)._native.advise(threads)))


def best_ways(ways: Sequence[Way]) -> list[tuple[Way, int]]:
    """Returns the first of the ranked ways for each scheduler, and how many ways of that scheduler follow it."""
    by_scheduler: dict[str, list[Way]] = {}
    for way in ways:
        by_scheduler.setdefault(way["scheduler"], []).append(way)
    return [(same[0], len(same) - 1) for same in by_scheduler.values()]


def schemes_in_words(schemes: Mapping[str, str] | None) -> str | None:
    """Returns a way's schemes, like "readings wait-free; commands, events locked"; None if they are the scenario's."""
    if not schemes:
        return None
    together: dict[str, list[str]] = {}
    for name, scheme in schemes.items():
        together.setdefault(scheme, []).append(name)
    if len(together) == 1 and len(schemes) > 1:
        return f"all {next(iter(together))}"
    return "; ".join(f"{', '.join(names)} {scheme}" for scheme, names in together.items())
