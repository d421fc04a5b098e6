"""The answer of an analysis in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.base.durations import NO_DEADLINE_NS, at_most, duration, share_of
from schedlab.base.words import count
from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.margins import tasks_of
from schedlab.core.scenario import Scenario
from schedlab.outputs.results import LateJob, Strongest


def sentence(analysis: Analysis, scenario: Scenario) -> tuple[str, str]:
    """Returns a sentence in two parts: the strongest answer; what proves it and which task is closest to its deadline.

    The first part is the answer, or says that the scheduler cannot be applied.
    """
    under = f"under {analysis.scheduler}"
    if analysis.error:
        return (f"{analysis.scheduler} cannot be applied", f": {analysis.error}")
    hard = [found for found in analysis.verdicts if found.kind == "hard"]
    answer, tests = strongest(analysis.conclusion["hard"])
    if answer == "schedulable":
        told = _proved(analysis, tests)
        return ("schedulable", f" {under}: {told}{_closest(analysis, scenario)}")
    late = _tardiness(analysis, scenario)
    if answer == "unschedulable":
        return ("unschedulable", f" {under}: {_refuted(tests)}{_assumed(hard)}{late}")
    # For a scheduler of the user's own no test is known, as a verdict states.
    unknown = [found.reason for found in hard if found.test == "scheduler"]
    asked = f"none of {count(len(hard), 'test')} decides" if hard else "no test of those asked speaks of it"
    undecided = unknown[0] if unknown else asked
    return ("unknown", f" {under}: {undecided}{_blocked(analysis)}{late}")


def _blocked(analysis: Analysis) -> str:
    """Returns, as text, why blocking is not bounded: no method is known, or the one that was asked proves nothing."""
    if unbounded := [found.reason for found in analysis.verdicts if found.test == "blocking"]:
        return f"; {unbounded[0]}"
    blocking = analysis.blocking
    if blocking is None or blocking["reason"] is None:
        return ""
    is_asked = any(found.test == blocking["method"] for found in analysis.verdicts)
    return f"; {blocking['reason']}" if is_asked else ""


def _proved(analysis: Analysis, tests: list[str]) -> str:
    """Returns, as text, which tests prove that deadlines are met, each alone or together."""
    hard = [found for found in analysis.verdicts if found.kind == "hard"]
    if any(found.answer == "schedulable" for found in hard):
        return f"{len(tests)} of {count(len(hard), 'test')} prove{'s' * (len(tests) == 1)} it"
    if len(tests) == 1:
        return f"{tests[0]} bounds tardiness by 0"
    by_cluster = [(cluster, _test_of(analysis, tests, cluster)) for cluster in sorted(set(analysis.placement or ()))]
    if by_cluster and all(test for _, test in by_cluster):
        return ", ".join(f"cluster {cluster} by {test}" for cluster, test in by_cluster)
    return f"each task by one of {', '.join(tests)}"


def _test_of(analysis: Analysis, tests: list[str], cluster: int) -> str | None:
    """Returns the first of `tests` that proves all tasks of a cluster."""
    of_it = [task for task, place in enumerate(analysis.placement or ()) if place == cluster]
    bounds = {found.test: found.tardiness_bounds_ns for found in analysis.verdicts}
    proving = (test for test in tests if _has_none(bounds[test], of_it))
    return next(proving, None)


def _has_none(tardiness: Sequence[int | None] | None, tasks: Sequence[int]) -> bool:
    return tardiness is not None and all(tardiness[task] == 0 for task in tasks)


def _tardiness(analysis: Analysis, scenario: Scenario) -> str:
    """Returns, as text, what is known of tardiness if deadlines may be missed."""
    answer, tests = strongest(analysis.conclusion["soft"])
    if answer == "schedulable":
        bounds = [analysis.tardiness_bound_ns(index) for index, _ in enumerate(tasks_of(analysis, scenario))]
        known = [bound for bound in bounds if bound is not None]
        most = f" by {at_most(max(known))}" if len(known) == len(bounds) else ""
        return f"; tardiness is bounded{most} ({', '.join(tests)})"
    if answer == "unschedulable":
        return f"; tardiness is not bounded ({', '.join(tests)})"
    return ""


def strongest(found: Strongest | None) -> tuple[str, list[str]]:
    """Returns an answer and the tests that give it; unknown, and none, if no test speaks of it."""
    return (found["answer"], found["tests"]) if found else ("unknown", [])


def _assumed(verdicts: Sequence[Verdict]) -> str:
    """Returns, as text, the overheads under which the scenario's own run was late."""
    assumed = [found.assumptions[1:] for found in verdicts if found.test == "simulation"]
    return f", if {assumed[0][0]}" if assumed and assumed[0] else ""


def _refuted(tests: list[str]) -> str:
    if tests == ["simulation"]:
        return "it misses a deadline in its own run"
    return f"{', '.join(tests)} {'refutes' if len(tests) == 1 else 'refute'} it"


def _closest(analysis: Analysis, scenario: Scenario) -> str:
    """Returns, as text, the task whose bound leaves the least time before its deadline."""
    left = []
    for index, task in enumerate(tasks_of(analysis, scenario)):
        bound, due = analysis.response_time_bound_ns(index), task["relative_deadline_ns"]
        if bound is not None and due < NO_DEADLINE_NS:
            left.append((due - bound, index, f"; closest: {task['name']}, {share_of(bound, due)}"))
    return min(left)[2] if left else ""


def lines_after(analysis: Analysis, other_placement: str | None) -> list[str]:
    """Returns lines that follow the sentence: late jobs, tasks that fit nowhere, a placement that proves all."""
    lines = [evidence_in_words(found) for found in analysis.evidence]
    if analysis.overflowed:
        lines.append(f"placed best-effort, because they fit nowhere: {', '.join(analysis.overflowed)}")
    if other_placement is not None:
        lines.append(f"another placement proves it: {other_placement}")
    return lines


def evidence_in_words(found: LateJob) -> str:
    """Returns a simulated late job in a sentence."""
    job, due = f"T{found['task']}J{found['job']}", duration(found["absolute_deadline_ns"])
    listed = f"; {count(len(found['jobs']), 'job')}, see --json" if found["jobs"] else ""
    whose = f"{found['name']}'s job {found['job']} ({job})"
    by = found["late_by_ns"]
    what = "misses its deadline" if by is None else f"was late by {duration(by)}: its deadline was"
    return f"simulated: {whose} {what} at {due} ({found['rule']}{listed})"
