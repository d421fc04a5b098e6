"""`schedlab simulate`: what a simulated machine does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import (
    FILE,
    console,
    duration,
    json_option,
    print_json,
    print_supertasks,
    progress,
    read_scenario,
    scenario_options,
    strict_option,
    styled,
    table,
    write_output,
)


@click.command("simulate")
@scenario_options
@click.option("--scheduler", metavar="NAME", help="Scheduler; else the scenario's own.")
@click.option("--policy", metavar="FILE.py:CLASS", help="A scheduler written in Python, instead of --scheduler.")
@click.option("--trace", "trace", type=FILE, help="Write the trace to this file.")
@click.option(
    "--draw",
    type=click.Choice(["text", "svg"]),
    is_flag=False,
    flag_value="text",
    help="Draw the beginning of the schedule: as text, or as SVG alone.",
)
@click.option("--until", metavar="TIME", help='Draw until here, such as "500 ms".')
@click.option("--out", "-o", type=FILE, help="Write the drawing here instead of standard output.")
@click.option("--no-check", is_flag=True, help="Do not check the invariants.")
@json_option
@strict_option
def command(
    scenario: Path,
    scheduler: str | None,
    policy: str | None,
    trace: Path | None,
    draw: str | None,
    until: str | None,
    out: Path | None,
    no_check: bool,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Simulate SCENARIO and print what each task experienced."""
    from schedlab.policy import load_policy
    from schedlab.simulation import measure, simulate

    if draw is None and (out is not None or until is not None):
        raise click.UsageError("--out and --until are for a drawing; use them with --draw text or --draw svg")
    if policy is not None and scheduler is not None:
        raise click.UsageError("--policy and --scheduler exclude each other")
    chosen = load_policy(policy) if policy is not None else scheduler
    given = read_scenario(scenario, scheduler=chosen, **overrides)
    with progress("simulating", quiet=as_json) as report:
        if trace is None and draw is None:
            metrics, checked = measure(given, check=not no_check, progress=report)
            drawn = ""
        else:
            schedule = simulate(given, into=trace, progress=report)
            metrics, checked = schedule.metrics(), [] if no_check else schedule.check()
            drawn = getattr(schedule, f"to_{draw}")(until=until or schedule.beginning_ns) if draw else ""
    violated = [found for found in checked if not found.holds]
    if as_json:
        charged = {"overheads_charged": given.overheads_charged}
        print_json(metrics.to_dict() | charged | {"violated": [found.to_dict() for found in violated]})
    elif draw == "svg" and out is None:
        write_output(drawn, None)
    else:
        print_metrics(metrics, violated)
        if given.overheads != "none":
            console().print(f"overheads charged: {given.overheads_charged}", markup=False)
        print_supertasks(given)
        if draw is not None:
            write_output(drawn, out)
    if violated:
        return 1
    return int(strict and (metrics.misses > 0 or bool(metrics.deadlocks)))


def print_metrics(metrics: Any, violated: list[Any]) -> None:
    columns = ("task", "jobs", "missed", "response max", "p99", "mean", "tardiness max", "preempted", "migrated")
    rows = table(f"{metrics.scheduler}, {duration(metrics.horizon_ns)}", *columns)
    for task in metrics.tasks:
        response, tardiness = task["response_time_ns"] or {}, task["tardiness_ns"] or {}
        rows.row(
            task["name"],
            str(task["jobs"]),
            styled(task["misses"], "red") if task["misses"] else "0",
            duration(response.get("max")),
            duration(response.get("p99")),
            duration(response.get("mean")),
            duration(tardiness.get("max")),
            str(task["preemptions"]),
            str(task["migrations"]),
        )
    out = console()
    out.print(rows)
    out.print(
        f"{metrics.jobs} jobs, {metrics.misses} deadlines missed, {metrics.preemptions} preemptions, "
        f"{metrics.migrations} migrations, load {metrics.load:.3f}"
    )
    for deadlock in metrics.deadlocks:
        out.print(styled(deadlock["text"], "red"))
    for found in violated:
        out.print(styled("violated", "red", f" {found.name}: {found.detail}"))
