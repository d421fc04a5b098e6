"""Proofs about a scenario for people: a sentence first, then a row for each task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schedlab.base.durations import NO_DEADLINE_NS, at_least, at_most, deadline, duration
from schedlab.cli.shared.experience import print_overflowed, print_same, print_unknown_overheads
from schedlab.cli.shared.options import table
from schedlab.cli.shared.screen import Styled, letter, say
from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.margins import by_task, deadlines_by, margin_in_words, resource_in_words, resources_of, tasks_of
from schedlab.core.scenario import Scenario
from schedlab.core.sentence import evidence_in_words, strongest
from schedlab.core.sentence import sentence as in_words
from schedlab.outputs.results import Demand

#: Number of letters of a bar that shows how much of a relative deadline the bound leaves.
BAR = 10

#: Colours of answers.
_COLOURS = {"schedulable": "green", "unschedulable": "red", "unknown": "yellow"}

#: Largest number of resources whose costs are printed.
MOST_RESOURCES = 5


def print_guarantee(analysis: Analysis, scenario: Scenario, *, has_margin: bool) -> None:
    """Prints the answer, the margin if there may be one, then the tasks' parameters and what is proved of each."""
    say(sentence(analysis, scenario))
    print_same(scenario)
    print_overflowed(analysis.overflowed)
    for found in analysis.evidence:
        say(evidence_in_words(found))
    if analysis.error:
        return
    told = margin_in_words(analysis, scenario) if has_margin else None
    if told is not None:
        say(told)
    _tasks(analysis, scenario).print()
    _resources(analysis, scenario)
    print_unknown_overheads(analysis.overheads_unknown)


def _resources(analysis: Analysis, scenario: Scenario) -> None:
    """Prints what each shared resource costs, the most important first."""
    found = resources_of(analysis)
    for one in found[:MOST_RESOURCES]:
        say(resource_in_words(one, proved=analysis.schedulable, deadlines_by=deadlines_by(analysis, scenario)))
    if len(found) > MOST_RESOURCES:
        say(f"... and {len(found) - MOST_RESOURCES} more resources: --json")


def sentence(analysis: Analysis, scenario: Scenario) -> Styled:
    """Returns the answer in a sentence, with the answer itself in its colour."""
    answer, rest = in_words(analysis, scenario)
    colour = "red" if analysis.error else _COLOURS[analysis.answer]
    return Styled(answer, colour, rest)


def _tasks(analysis: Analysis, scenario: Scenario) -> Any:
    """Makes a row for each task: its parameters, the least bound that is proved, and what that leaves."""
    tasks = list(tasks_of(analysis, scenario))
    # If no deadline is missed, no tardiness is of interest.
    late = not analysis.schedulable and any(analysis.tardiness_bound_ns(index) for index, _ in enumerate(tasks))
    margins = [row["margin_ns"] for row in by_task(analysis, scenario)]
    has_margins = any(margin is not None for margin in margins)
    more = [*(["margin"] if has_margins else []), *(["tardy"] if late else [])]
    columns = ["task", "cost", "period", "deadline", "bound", "slack", *more, "by", "used"]
    rows = table("", *columns, text=("by",))
    for index, task in enumerate(tasks):
        due = task["relative_deadline_ns"]
        bound, by = _least_bound(analysis, index)
        slack = None if bound is None or due >= NO_DEADLINE_NS else due - bound
        cells = [duration(task["wcet_ns"]), duration(task["period_ns"]), deadline(due)]
        told = at_least(slack) if slack is None or slack >= 0 else Styled(at_least(slack), "yellow")
        tardy = [at_most(analysis.tardiness_bound_ns(index))] if late else []
        grows = [at_least(margins[index])] if has_margins else []
        rows.row(task["name"], *cells, at_most(bound), told, *grows, *tardy, by, _bar(bound, due))
    return rows


def _least_bound(analysis: Analysis, task: int) -> tuple[int | None, str]:
    """Returns the least bound on the response time, and the first test that proves it."""
    bound = analysis.response_time_bound_ns(task)
    for found in analysis.verdicts:
        if bound is not None and found.response_time_bounds_ns and found.response_time_bounds_ns[task] == bound:
            return bound, found.test
    return bound, "-"


def _bar(bound: int | None, deadline: int) -> str:
    """Draws how much of the time until the deadline the bound takes; the light part is slack."""
    if bound is None or deadline <= 0:
        return ""
    full = min(-(-bound * BAR // deadline), BAR)
    return letter("█", "#") * full + letter("░", ".") * (BAR - full)


def print_details(analysis: Analysis, silent: Mapping[str, str]) -> None:
    """Prints each test's answer and bounds, its reason and its assumptions; `silent` maps other tests to reasons."""
    rows = table(f"tests under {analysis.scheduler}", "test", "answer", "largest response", "largest tardiness")
    for verdict in analysis.verdicts:
        response, tardiness = _largest(verdict.response_time_bounds_ns), _largest(verdict.tardiness_bounds_ns)
        rows.row(verdict.test, _answer(verdict), at_most(response), at_most(tardiness))
    for test, reason in silent.items():
        rows.note(test, Styled(reason, "dim"))
    rows.print()
    print_reasons(analysis)
    # A proof by several tests together rests on the assumptions of all of them.
    used = {test for _, tests in _decided(analysis) for test in tests}
    for verdict in analysis.verdicts:
        if verdict.answer != "unknown" or verdict.test in used:
            say(f"{verdict.test}: {verdict.source}; assumes: {'; '.join(verdict.assumptions)}", indent="  ")


def print_reasons(analysis: Analysis) -> None:
    """Prints the reason of each test's answer."""
    for verdict in analysis.verdicts:
        answer = _answer(verdict)
        say(Styled(answer.text, answer.style, f" by {verdict.test}: {verdict.reason}"), indent="  ")


def print_explanation(analysis: Analysis) -> None:
    """Prints the parts of bounds."""
    if analysis.explanation is None:
        return
    explanation = analysis.explanation
    for one in explanation["bounds"]:
        parts = " + ".join(f"{part['what']} {duration(part['length_ns'])}" for part in one["parts"])
        grows = explanation["margins_ns"][one["task"]]
        margin = "" if grows is None else f"; margin {at_least(grows)}"
        say(f"{one['name']}: at most {at_most(one['bound_ns'])} = {parts}{margin}", indent="  ")
    for found in explanation["demands"]:
        say(_demand(found), indent="  ")


def _decided(analysis: Analysis) -> list[tuple[str, list[str]]]:
    """Returns the answers that are not unknown, with the tests that give them."""
    hard, soft = analysis.conclusion["hard"], analysis.conclusion["soft"]
    return [found for found in (strongest(hard), strongest(soft)) if found[0] != "unknown"]


def _answer(verdict: Verdict) -> Styled:
    soft = (verdict.kind, verdict.answer) == ("soft", "schedulable")
    return Styled("tardiness bounded" if soft else verdict.answer, _COLOURS[verdict.answer])


def _demand(found: Demand) -> str:
    """Returns, as text, the interval in which EDF on a processor has the least room."""
    parts = " + ".join(f"{part['name']} {duration(part['demand_ns'])}" for part in found["parts"])
    within, demand = duration(found["within_ns"]), duration(found["demand_ns"])
    said = "more than that" if found["exceeds"] else "the fullest interval"
    return f"processor {found['cluster']}: within {within}, {demand} of work may be due, {said}: {parts}"


def _largest(bounds: tuple[int | None, ...] | None) -> int | None:
    """Returns the largest bound, if every task has one."""
    if not bounds or any(bound is None for bound in bounds):
        return None
    return max(bound for bound in bounds if bound is not None)
