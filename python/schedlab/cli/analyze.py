"""`schedlab analyze`: what theory guarantees."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab import schemas
from schedlab.base.defaults import NO_PROTOCOL
from schedlab.base.durations import duration
from schedlab.cli.shared.experience import print_unknown_overheads
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.guarantees import print_details, print_explanation, print_guarantee, print_reasons
from schedlab.cli.shared.margins import by_task, is_searched, margin_of
from schedlab.cli.shared.options import (
    json_option,
    names,
    next_step,
    policies_of,
    policies_option,
    print_answer,
    read_scenarios,
    say_caveats,
    scenario_options,
    schedulers_option,
    settings_of,
    strict_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.statuses import DONE, strict_status
from schedlab.core.analysis import analyze
from schedlab.core.placement import other_placement
from schedlab.core.simulation import measure
from schedlab.errors import BadInput
from schedlab.lines.coming_lines import ComingLines
from schedlab.lines.records import Judged, judged_lines, measures_by_scheduler, verdict_records

if TYPE_CHECKING:
    from schedlab.outputs.answers import Measures


@click.command("analyze", cls=Command)
@scenario_options
@schedulers_option()
@policies_option
@click.option("--tests", metavar="NAME[,NAME...]", help="Only these tests (see `schedlab schema names`).")
@click.option("--all-tests", is_flag=True, help="Name the tests that do not speak of the scheduler, too.")
@click.option("--details", is_flag=True, help="Each test with its answer, bounds and reason, and what it rests on.")
@click.option("--explain", is_flag=True, help="Reasons of the answers, and what bounds are made of.")
@click.option(
    "--jsonl",
    is_flag=True,
    help="SCENARIO has one task set a line (`-`: standard input): write one verdict record a line.",
)
@click.option(
    "--measures",
    is_flag=True,
    help="With --jsonl, by scheduler: sets it can do, weighted schedulability, mean tardiness, processors that sets "
    "need, how far costs may grow.",
)
@json_option
@strict_option
def command(
    scenario: Path,
    schedulers: list[str],
    policies: tuple[str, ...],
    tests: str | None,
    all_tests: bool,
    details: bool,
    explain: bool,
    jsonl: bool,
    measures: bool,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Prove what can be proved about SCENARIO under one scheduler or several.

    Prints the answer, then the margin: how much all costs may grow, or each alone. For each task follow its least bound
    and the test that proves it. Each test answers
    schedulable, unschedulable or unknown. Unschedulable is only said when a job was late in simulation: which one is
    printed.
    """
    if measures and not jsonl:
        raise BadInput("--measures are of many task sets: they need --jsonl")
    if jsonl:
        chosen = [*schedulers, *policies_of(policies)] or None
        settings = settings_of(overrides, chosen or ())
        answers: set[str] = set()
        judged = _noting(answers, judged_lines(ComingLines(scenario), str(scenario), chosen, names(tests), settings))
        if measures:
            _print_measures(measures_by_scheduler(judged, names(tests)), as_json)
        else:
            for record in verdict_records(judged):
                click.echo(json.dumps(record, separators=(",", ":")))
        return strict_status(answers) if strict else DONE
    if all_tests and tests is not None:
        raise BadInput("--all-tests and --tests exclude each other")
    given = read_scenarios(scenario, [*schedulers, *policies_of(policies)], **overrides)
    found = [
        analysis
        for one in given
        for analysis in analyze(one, tests=names(tests), explain=explain or (tests is None and is_searched(one)))
    ]
    if len(found) == 1 and found[0].error and (refusal := given[0]._native.refusal):
        # As a file of this scenario would be refused when it is read.
        raise BadInput(refusal)
    others = [_other_placement(analysis, one, tests) for analysis, one in zip(found, given, strict=True)]
    status = strict_status(analysis.answer for analysis in found) if strict else DONE
    if as_json:
        rows = [
            analysis.to_dict()
            | ({} if explain else {"explanation": None})
            | {"other_placement": other, "answer": analysis.answer}
            | {"margin": margin_of(analysis), "by_task": by_task(analysis, one)}
            for analysis, one, other in zip(found, given, others, strict=True)
        ]
        print_answer("analyze", analyses=rows)
        return status
    for analysis, one, other in zip(found, given, others, strict=True):
        print_guarantee(analysis, one, has_margin=tests is None)
        if other is not None:
            say(Styled("another placement proves it", "green", f": {other}"))
        if one.own and not analysis.error:
            _print_observed(one)
        if (details or all_tests) and not analysis.error:
            print_details(analysis, _silent(analysis, one) if all_tests else {})
        elif explain:
            print_reasons(analysis)
        if explain:
            print_explanation(analysis)
    proved = all(analysis.schedulable for analysis in found)
    _print_next(proved, details, others[0] if len(others) == 1 else None)
    return status


def _noting(answers: set[str], judged: Iterable[Judged]) -> Iterator[Judged]:
    """Yields what is judged, and adds each answer to `answers`."""
    for one in judged:
        answers.add(one.analysis.answer)
        yield one


def _other_placement(analysis: Any, scenario: Any, tests: str | None) -> str | None:
    """Returns a placement that proves what the scenario's own does not, if all tests were asked."""
    is_open = tests is None and not analysis.schedulable and not scenario.own
    return other_placement(scenario) if is_open else None


def _print_next(proved: bool, details: bool, other: str | None) -> None:
    """Prints the next command: proofs or a picture of what is proved; else a way that is proved."""
    if other is not None:
        next_step("analyze", "--placement", other, why="that proves it")
    elif not proved:
        next_step("advise", why="which schedulers and changes meet the deadlines", chosen=False)
    elif not details:
        next_step("analyze", "--details", why="every test, its source and assumptions")
    else:
        next_step("simulate", "--draw", why="what happens meanwhile")


def _silent(analysis: Any, scenario: Any) -> dict[str, str]:
    """Returns the tests that do not speak of the scheduler, with the case in which they do not."""
    told = {verdict.test for verdict in analysis.verdicts}
    machine = "one processor" if scenario.processors == 1 else f"{scenario.processors} processors"
    locks = "" if scenario.protocol == NO_PROTOCOL else f" with protocol {scenario.protocol}"
    reason = f"does not speak of {analysis.scheduler} on {machine}{locks}"
    return {test: reason for test in schemas.names()["tests"] if test not in told}


def _print_observed(scenario: Any) -> None:
    """Prints what a simulation shows, for schedulers of which little can be proved."""
    metrics, _ = measure(scenario, check=False)
    seen = metrics.tasks["max_response_time_ns"]
    largest = duration(max((one for one in seen if one is not None), default=None))
    late = f"{metrics.misses} of {metrics.jobs} jobs late"
    say(f"observed until {duration(metrics.horizon_ns)}: {late}, largest response {largest}")
    for deadlock in metrics.deadlocks:
        say(Styled(deadlock["text"], "red"))


def _told(mean: float | None, counted: int, sets: int) -> str:
    """Returns a mean as text, with the number of sets that it is over if these are not all."""
    if mean is None:
        return "-"
    return f"{mean:.2f}" if counted == sets else f"{mean:.2f} (of {counted})"


def _print_measures(found: list[Measures], as_json: bool) -> None:
    if as_json:
        print_answer("measures", schedulers=found)
    else:
        rows = table(
            "measures",
            "scheduler",
            "sets",
            "schedulable",
            "weighted schedulability",
            "tardiness bounded",
            "mean of bounds",
            "processors needed",
            "breakdown utilization",
        )
        for one in found:
            weighted, tardiness = one["weighted_schedulability"], one["tardiness_mean_ns"]
            rows.row(
                one["scheduler"],
                str(one["sets"]),
                str(one["schedulable_sets"]),
                "-" if weighted is None else f"{weighted:.3f}",
                str(one["bounded"]),
                duration(None if tardiness is None else round(tardiness)),
                _told(one["required_processors_mean"], one["enough_processors"], one["sets"]),
                _told(one["breakdown_utilization_mean"], one["broken"], one["sets"]),
            )
        rows.print()
        for one in found:
            say_caveats(left_out=one["left_out"], rests_on=one["rests_on"])
            print_unknown_overheads(one["overheads_unknown"], f"{one['scheduler']}: ")
