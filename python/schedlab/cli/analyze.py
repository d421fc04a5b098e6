"""`schedlab analyze`: what theory guarantees."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from schedlab import schemas
from schedlab.base.defaults import NO_PROTOCOL
from schedlab.base.durations import duration
from schedlab.cli.shared.answered import Answered, checks_of, exit_status, write_answers
from schedlab.cli.shared.checks import growth, print_github, write_junit
from schedlab.cli.shared.experience import print_unknown_overheads
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.guarantees import print_details, print_explanation, print_guarantee, print_reasons
from schedlab.cli.shared.linux import expect_linux, for_option
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    names,
    next_step,
    override_options,
    policies_of,
    policies_option,
    print_answer,
    read_scenarios,
    say_caveats,
    schedulers_option,
    settings_of,
    strict_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.statuses import DONE, UNKNOWN, strict_status
from schedlab.cli.shared.steps import print_steps
from schedlab.cli.shared.what_if import say_now
from schedlab.core.analysis import analyze
from schedlab.core.margins import is_searched
from schedlab.core.placement import proving_placement
from schedlab.core.simulation import measure
from schedlab.errors import BadInput
from schedlab.lines.coming_lines import ComingLines
from schedlab.lines.records import Judged, judged_lines, measures_by_scheduler, verdict_records

if TYPE_CHECKING:
    from schedlab.outputs.answers import Measures


class Shown(NamedTuple):
    """Parts of an answer that take time, or many lines."""

    #: Margins of any number of tasks.
    margins: bool
    #: Computations of the tests; with a `task`, of that one.
    steps: bool
    task: str | None


@click.command("analyze", cls=Command)
@click.argument("scenario", type=FILE)
@click.argument("others", type=FILE, nargs=-1, metavar="[OTHER]...")
@override_options
@schedulers_option()
@policies_option
@click.option("--tests", metavar="NAME[,NAME...]", help="Ask only these tests (`schedlab schema names` lists them).")
@click.option("--all-tests", is_flag=True, help="Also name the tests that do not speak of the scheduler.")
@click.option("--details", is_flag=True, help="Print each test with its answer, bounds, reason and assumptions.")
@click.option("--explain", is_flag=True, help="Print the reasons of the answers, and what bounds are made of.")
@click.option("--steps", is_flag=True, help="Print the computation of each test that textbooks have, step by step.")
@click.option("--task", metavar="NAME", help="With --steps: print the steps of this task alone.")
@for_option("`linux`: refuse a scenario that asks for what stock Linux lacks, with what it has instead.")
@click.option(
    "--out",
    "-o",
    type=FileOf(".html", ".pdf", ".tex"),
    help="Write the answer as a page (.html), or print it (.pdf); with --steps, write these as LaTeX (.tex).",
)
@click.option(
    "--margin",
    "asked",
    metavar="GROWTH",
    callback=lambda context, option, given: None if given is None else growth(given),
    help="Check that all costs may grow by this, such as 10%: exit with status 1 if the margin is smaller, with 5 if "
    "none is proved.",
)
@click.option(
    "--jsonl",
    is_flag=True,
    help="SCENARIO has one task set a line (`-`: standard input): write one verdict record a line.",
)
@click.option(
    "--measures",
    is_flag=True,
    help="With --jsonl, by scheduler: the sets that are proved, weighted schedulability, mean tardiness, the "
    "processors that sets need, and how far costs may grow.",
)
@click.option(
    "--output-format",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    help="`github`: annotations of GitHub's workflows, and its summary of the step; `json` is --json.",
)
@click.option("--junit", type=FileOf(".xml"), help="Write the answers as test cases, in JUnit's XML.")
@json_option
@strict_option
def command(
    scenario: Path,
    others: tuple[Path, ...],
    schedulers: list[str],
    policies: tuple[str, ...],
    tests: str | None,
    all_tests: bool,
    details: bool,
    explain: bool,
    steps: bool,
    task: str | None,
    target: str | None,
    out: Path | None,
    asked: float | None,
    jsonl: bool,
    measures: bool,
    output_format: str,
    junit: Path | None,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Prove what can be proved about SCENARIO, or several, under one scheduler or several.

    Prints the answer, then the margin: by how much all costs may grow together, or one alone. A row for each task has
    its least bound and the test that proves it. Below stands what shared resources cost. Each test answers schedulable,
    unschedulable or unknown. The answer is unschedulable only if a job was late in a simulation, which is printed.
    """
    chosen = [*schedulers, *policies_of(policies)]
    if measures and not jsonl:
        raise BadInput("--measures are of many task sets: they need --jsonl")
    if jsonl:
        beside = {"others": others, "for": target, "out": out, "steps": steps, "margin": asked, "junit": junit}
        _refuse_beside_lines(**beside, github=output_format == "github")
        return _lines(scenario, chosen, tests, measures, as_json, strict, overrides)
    if all_tests and tests is not None:
        raise BadInput("--all-tests and --tests exclude each other")
    if asked is not None and tests is not None:
        raise BadInput("--margin and --tests exclude each other: a margin takes all tests")
    if task is not None and not steps:
        raise BadInput("--task chooses among the steps: it needs --steps")
    if out is not None and out.suffix.lower() == ".tex" and not steps:
        raise BadInput(f"{out}: LaTeX is written of the steps: it needs --steps")
    context = click.get_current_context()
    if as_json and output_format == "github":
        raise BadInput("--json and --output-format github exclude each other: both are all that standard output has")
    as_json = context.params["as_json"] = as_json or output_format == "json"
    in_checks = output_format == "github"
    files = list(dict.fromkeys((scenario, *others)))
    shown = Shown(explain or asked is not None, steps, task)
    found: list[Answered] = []
    refused: dict[str, str] = {}
    for file in files:
        try:
            found += _answered(file, chosen, names(tests), shown, target, quiet=in_checks, **overrides)
        except BadInput as error:
            # Of several files, the others are judged nevertheless.
            if len(files) == 1 and junit is None and not in_checks:
                raise
            refused[str(file)] = str(error)
            print(f"schedlab: {error}", file=sys.stderr)
    checks = checks_of(found, refused, asked, is_strict=strict)
    page = write_answers(found, out)
    if junit is not None:
        write_junit(checks, junit)
    if in_checks:
        print_github(checks)
    elif as_json:
        rows = [one.to_dict(explained=explain) for one in found]
        print_answer("analyze", analyses=rows, errors=refused, page=None if page is None else str(page))
    else:
        _print(found, several=len(files) > 1, tests=tests, asked=asked, details=details, all_tests=all_tests,
               explain=explain, steps=steps)  # fmt: skip
        if page is not None:
            say_now()
            click.echo(page)
        elif len(files) == 1 and found:
            proved = all(one.analysis.schedulable for one in found)
            _print_next(proved, details, found[0].other_placement if len(found) == 1 else None)
    return exit_status(found, refused, asked, is_strict=strict)


def _refuse_beside_lines(**given: Any) -> None:
    """Raises if an option is given that does not go with --jsonl."""
    for name, value in given.items():
        if value is not None and value is not False and value != ():
            told = {"others": "several files", "github": "--output-format github"}.get(name, f"--{name}")
            raise BadInput(f"{told} and --jsonl exclude each other")


def _lines(
    scenario: Path,
    chosen: list[Any],
    tests: str | None,
    measures: bool,
    as_json: bool,
    strict: bool,
    overrides: dict[str, Any],
) -> int:
    """Judges the task sets of a file line by line."""
    settings = settings_of(overrides, chosen)
    answers: set[str] = set()
    lines = judged_lines(ComingLines(scenario), str(scenario), chosen or None, names(tests), settings)
    judged = _noting(answers, lines)
    if measures:
        _print_measures(measures_by_scheduler(judged, names(tests)), as_json)
    else:
        for record in verdict_records(judged):
            click.echo(json.dumps(record, separators=(",", ":")))
    return strict_status(answers) if strict else DONE


def _answered(
    file: Path,
    chosen: list[Any],
    tests: list[str] | None,
    shown: Shown,
    target: str | None,
    *,
    quiet: bool,
    **overrides: Any,
) -> list[Answered]:
    """Analyses a scenario under each scheduler; with a `target`, refuses what that lacks."""
    given = read_scenarios(file, chosen, quiet=quiet, **overrides)
    if target is not None:
        given = expect_linux(given, quiet=quiet)
    found = [
        Answered(str(file), one, analysis, _other_placement(analysis, one, tests))
        for one in given
        for analysis in analyze(
            one,
            tests=tests,
            explain=shown.margins or (tests is None and is_searched(one)),
            steps=shown.steps,
            task=shown.task,
        )
    ]
    if len(found) == 1 and found[0].analysis.error and (refusal := given[0]._native.refusal):
        # As a file of this scenario would be refused when it is read.
        raise BadInput(refusal)
    return found


def _print(
    found: list[Answered],
    *,
    several: bool,
    tests: str | None,
    asked: float | None,
    details: bool,
    all_tests: bool,
    explain: bool,
    steps: bool,
) -> None:
    """Prints the answers, each with what was asked for besides."""
    file = None
    for one in found:
        analysis, scenario = one.analysis, one.scenario
        if several and one.file != file:
            say(Styled(one.file, "bold"))
            file = one.file
        print_guarantee(analysis, scenario, has_margin=tests is None)
        if asked is not None:
            status = one.margin_status(asked)
            colour = "green" if status == DONE else "yellow" if status == UNKNOWN else "red"
            say(Styled(one.margin_check(asked), colour))
        if one.other_placement is not None:
            say(Styled("another placement proves it", "green", f": {one.other_placement}"))
        if scenario.own and not analysis.error:
            _print_observed(scenario)
        if (details or all_tests) and not analysis.error:
            print_details(analysis, _silent(analysis, scenario) if all_tests else {})
        elif explain and not steps:
            print_reasons(analysis)
        if steps and not analysis.error:
            print_steps(analysis)
        if explain:
            print_explanation(analysis)


def _noting(answers: set[str], judged: Iterable[Judged]) -> Iterator[Judged]:
    """Yields what is judged, and adds each answer to `answers`."""
    for one in judged:
        answers.add(one.analysis.answer)
        yield one


def _other_placement(analysis: Any, scenario: Any, tests: list[str] | None) -> str | None:
    """Returns a placement that proves what the scenario's own does not, if all tests were asked."""
    return proving_placement(analysis, scenario) if tests is None else None


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
