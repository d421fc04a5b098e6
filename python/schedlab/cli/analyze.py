"""`schedlab analyze`: what theory guarantees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import (
    console,
    duration,
    json_option,
    names,
    print_json,
    read_scenario,
    scenario_options,
    strict_option,
    table,
)


@click.command("analyze")
@scenario_options
@click.option("--scheduler", "--schedulers", metavar="NAME[,NAME...]", help="Schedulers; else the scenario's own.")
@click.option("--tests", metavar="NAME[,NAME...]", help="Only these tests (see `schedlab schema names`).")
@json_option
@strict_option
def command(
    scenario: Path, scheduler: str | None, tests: str | None, as_json: bool, strict: bool, **overrides: Any
) -> int:
    """Prove what can be proved about SCENARIO under one scheduler or several.

    Each test answers schedulable, unschedulable or unknown, with its bounds, assumptions and source.
    """
    from schedlab.analysis import analyze

    found = analyze(read_scenario(scenario, **overrides), schedulers=names(scheduler), tests=names(tests))
    if as_json:
        print_json([analysis.to_dict() for analysis in found])
    else:
        for analysis in found:
            _print(analysis)
    return int(strict and not all(analysis.schedulable for analysis in found))


def _print(analysis: Any) -> None:
    if analysis.error:
        console().print(f"{analysis.scheduler}: [red]{analysis.error}[/]")
        return
    rows = table(analysis.scheduler, "test", "answer", "largest response", "largest tardiness", "why", fold=("why",))
    for verdict in analysis.verdicts:
        colour = {"schedulable": "green", "unschedulable": "red"}.get(verdict.answer, "yellow")
        answer = "tardiness bounded" if (verdict.kind, verdict.answer) == ("soft", "schedulable") else verdict.answer
        rows.add_row(
            verdict.test,
            f"[{colour}]{answer}[/]",
            duration(_largest(verdict.response_time_bounds_ns)),
            duration(_largest(verdict.tardiness_bounds_ns)),
            verdict.reason,
        )
    out = console()
    out.print(rows)
    if analysis.overheads_unknown:
        unknown = ", ".join(analysis.overheads_unknown).replace("_", " ")
        out.print(f"[yellow]unknown under {analysis.scheduler}, taken for zero[/]: {unknown}")
    for verdict in analysis.verdicts:
        if verdict.answer != "unknown":
            out.print(f"{verdict.test}: {verdict.source}; assumes: {'; '.join(verdict.assumptions)}")


def _largest(bounds: tuple[int | None, ...] | None) -> int | None:
    """The largest bound, if every task has one."""
    if not bounds or any(bound is None for bound in bounds):
        return None
    return max(bound for bound in bounds if bound is not None)
