"""`schedlab analyze`: what theory guarantees."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from schedlab import schemas
from schedlab.cli.options import (
    console,
    duration,
    json_option,
    names,
    policies_of,
    policies_option,
    print_json,
    read_scenario,
    scenario_options,
    strict_option,
    styled,
    table,
)
from schedlab.errors import BadInput


@click.command("analyze")
@scenario_options
@click.option("--scheduler", "--schedulers", metavar="NAME[,NAME...]", help="Schedulers; else the scenario's own.")
@policies_option
@click.option("--tests", metavar="NAME[,NAME...]", help="Only these tests (see `schedlab schema names`).")
@click.option("--all-tests", is_flag=True, help="Name the tests that do not speak of the scheduler, too.")
@click.option("--explain", is_flag=True, help="What bounds are made of, slack by task, the critical scaling factor.")
@click.option(
    "--jsonl",
    is_flag=True,
    help="SCENARIO has one task set a line (`-`: standard input): write one verdict record a line.",
)
@click.option(
    "--measures",
    is_flag=True,
    help="With --jsonl: how many sets each scheduler can do, its weighted schedulability and the mean tardiness.",
)
@json_option
@strict_option
def command(
    scenario: Path,
    scheduler: str | None,
    policies: tuple[str, ...],
    tests: str | None,
    all_tests: bool,
    explain: bool,
    jsonl: bool,
    measures: bool,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Prove what can be proved about SCENARIO under one scheduler or several.

    Each test answers schedulable, unschedulable or unknown, with its bounds, assumptions and source. Unschedulable
    is only said when a job was late in simulation: which one is printed.
    """
    from schedlab.analysis import analyze

    if measures and not jsonl:
        raise BadInput("--measures are of many task sets: they need --jsonl")
    if jsonl and policies:
        raise BadInput("--policy goes with one scenario; of many task sets, --scheduler names what is installed")
    if jsonl:
        from schedlab.records import judged_lines, measures_by_scheduler, verdict_records

        judged = judged_lines(lines_of(scenario), str(scenario), names(scheduler), names(tests), overrides)
        if measures:
            return _print_measures(measures_by_scheduler(judged), as_json, strict)
        accepted = True
        for record in verdict_records(judged):
            accepted &= record["answer"] == "schedulable"
            click.echo(json.dumps(record, separators=(",", ":")))
        return int(strict and not accepted)
    if all_tests and tests is not None:
        raise BadInput("--all-tests and --tests exclude each other")
    machine = read_scenario(scenario, **overrides)
    chosen = [*(names(scheduler) or []), *policies_of(policies)]
    given = [machine.under(one) for one in chosen] or [machine]
    found = [analysis for one in given for analysis in analyze(one, tests=names(tests), explain=explain)]
    if as_json:
        print_json([analysis.to_dict() for analysis in found])
    else:
        for analysis, one in zip(found, given, strict=True):
            _print(analysis, all_tests, one)
            if one.own and not analysis.error:
                _print_observed(one)
    return int(strict and not all(analysis.schedulable for analysis in found))


def _print_observed(scenario: Any) -> None:
    """What a simulation shows where little can be proved."""
    from schedlab.simulation import measure

    metrics, _ = measure(scenario, check=False)
    seen = [task["response_time_ns"]["max"] for task in metrics.tasks if task["response_time_ns"]]
    largest = duration(max(seen, default=None))
    late = f"{metrics.misses} of {metrics.jobs} jobs late"
    console().print(f"observed until {duration(metrics.horizon_ns)}: {late}, largest response {largest}")


def _print_measures(found: list[dict[str, Any]], as_json: bool, strict: bool) -> int:
    if as_json:
        print_json(found)
    else:
        rows = table(
            "measures",
            "scheduler",
            "sets",
            "schedulable",
            "weighted schedulability",
            "tardiness bounded",
            "mean of bounds",
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
            )
        console().print(rows)
    return int(strict and any(one["schedulable_sets"] < one["sets"] for one in found))


def lines_of(path: Path) -> Iterator[str]:
    if str(path) == "-":
        yield from sys.stdin
        return
    try:
        with path.open(encoding="utf-8") as stream:
            yield from stream
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from error


def _print(analysis: Any, all_tests: bool, scenario: Any) -> None:
    if analysis.error:
        console().print(f"{analysis.scheduler}:", styled(analysis.error, "red"))
        return
    rows = table(analysis.scheduler, "test", "answer", "largest response", "largest tardiness", "why", fold=("why",))
    for verdict in analysis.verdicts:
        colour = {"schedulable": "green", "unschedulable": "red"}.get(verdict.answer, "yellow")
        answer = "tardiness bounded" if (verdict.kind, verdict.answer) == ("soft", "schedulable") else verdict.answer
        rows.row(
            verdict.test,
            styled(answer, colour),
            duration(_largest(verdict.response_time_bounds_ns)),
            duration(_largest(verdict.tardiness_bounds_ns)),
            verdict.reason,
        )
    if all_tests:
        told = {verdict.test for verdict in analysis.verdicts}
        machine = "one processor" if scenario.processors == 1 else f"{scenario.processors} processors"
        locks = "" if scenario.protocol == "none" else f" with protocol {scenario.protocol}"
        for test in schemas.names()["tests"]:
            if test not in told:
                silent = f"does not speak of {analysis.scheduler} on {machine}{locks}"
                rows.row(test, styled("-", "dim"), "-", "-", silent)
    out = console()
    out.print(rows)
    for found in analysis.evidence:
        out.print(_evidence(found))
    if analysis.explanation is not None:
        _explain(analysis.explanation)
    if analysis.overheads_unknown:
        unknown = ", ".join(analysis.overheads_unknown).replace("_", " ")
        out.print(styled(f"unknown under {analysis.scheduler}, taken for zero", "yellow", f": {unknown}"))
    for verdict in analysis.verdicts:
        if verdict.answer != "unknown":
            out.print(f"{verdict.test}: {verdict.source}; assumes: {'; '.join(verdict.assumptions)}")


def _evidence(found: dict[str, Any]) -> str:
    job, due = f"job {found['job']} of {found['name']}", duration(found["absolute_deadline_ns"])
    listed = f"; {len(found['jobs'])} jobs, see --json" if found["jobs"] else ""
    return f"simulated: {job} misses its deadline at {due} ({found['rule']}{listed})"


def _explain(explanation: dict[str, Any]) -> None:
    percent = explanation["critical_scaling_percent"]
    console().print(f"critical scaling factor of all costs: {percent / 100:.4f}")
    rows = table("what bounds are made of", "task", "bound", "slack of the cost", "parts", fold=("parts",))
    for one in explanation["bounds"]:
        parts = [f"{part['what']} {duration(part['length_ns'])}" for part in one["parts"]]
        slack = explanation["slack_ns"][one["task"]]
        rows.row(one["name"], duration(one["bound_ns"]), duration(slack), " + ".join(parts))
    if explanation["bounds"]:
        console().print(rows)
    for found in explanation["demands"]:
        console().print(_demand(found))


def _demand(found: dict[str, Any]) -> str:
    """Where EDF on a processor has the least room."""
    parts = " + ".join(f"{part['name']} {duration(part['demand_ns'])}" for part in found["parts"])
    within, demand = duration(found["within_ns"]), duration(found["demand_ns"])
    said = "more than that" if found["exceeds"] else "the fullest interval"
    return f"processor {found['cluster']}: within {within}, {demand} of work may be due, {said}: {parts}"


def _largest(bounds: tuple[int | None, ...] | None) -> int | None:
    """The largest bound, if every task has one."""
    if not bounds or any(bound is None for bound in bounds):
        return None
    return max(bound for bound in bounds if bound is not None)
