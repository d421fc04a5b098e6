"""`schedlab place`: where tasks go, by every rule; whether the processors can hold them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from schedlab.cli.options import (
    FILE,
    console,
    duration,
    json_option,
    print_json,
    read_scenario,
    scenario_options,
    styled,
    table,
)
from schedlab.files import write_whole

OFF_LINE = "An off-line construction: no scheduler here executes it, so it is not simulated."


@click.command("place")
@scenario_options
@click.option("--scheduler", metavar="NAME", help="A scheduler; else the scenario's own.")
@click.option(
    "--method",
    type=click.Choice(["placement", "run", "affinities"]),
    default="placement",
    show_default=True,
    help="The scenario's placement, or whether any scheduler can do: by RUN's reduction, or within affinities.",
)
@click.option(
    "--simulate", "simulated", is_flag=True, help="Simulate split tasks, and hold what is seen against the bounds."
)
@click.option("--out", type=FILE, metavar="FILE.toml", help="Write the scenario with every place and priority in it.")
@json_option
def command(
    scenario: Path,
    scheduler: str | None,
    method: str,
    simulated: bool,
    out: Path | None,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Say where SCENARIO's tasks go: on which processors, in which pieces, with which fixed priorities."""
    from schedlab.placement import feasible, place

    read = read_scenario(scenario, scheduler=scheduler, **overrides)
    if method != "placement":
        found = feasible(read, "run" if method == "run" else "affinities")
        if as_json:
            print_json(found)
        else:
            _print_feasible(found)
        return 0
    found = place(read, simulated=simulated)
    resolved = found.pop("scenario")
    if out is not None and resolved is not None:
        write_whole(out, resolved.to_toml())
    if as_json:
        print_json(found)
    else:
        _print_places(found, simulated)
    return 0


def _print_places(found: dict[str, Any], simulated: bool) -> None:
    out = console()
    if found["error"]:
        out.print(f"{found['scheduler']}:", styled(found["error"], "red"))
        return
    rows = table(found["scheduler"], "processors", "utilization", "tasks", fold=("tasks",))
    for cluster in sorted({row["cluster"] for row in found["tasks"]}):
        here = [row for row in found["tasks"] if row["cluster"] == cluster]
        load = sum(Fraction(row["wcet_ns"], row["period_ns"]) for row in here)
        names = ", ".join(_named(row) for row in here)
        rows.row(", ".join(f"P{cpu}" for cpu in here[0]["processors"]), f"{float(load):.3f}", names)
    out.print(rows)
    if not found["split"]:
        return
    pieces = table("pieces", "piece", "processor", "cost", "begins after", "due after that")
    for row in found["tasks"]:
        if row["pieces"] > 1:
            begins, due = duration(row["offset_ns"]), duration(row["relative_deadline_ns"])
            pieces.row(row["name"], f"P{row['processors'][0]}", duration(row["wcet_ns"]), begins, due)
    out.print(pieces)
    if found["only_analysis"]:
        out.print(found["only_analysis"])
    for row in found["split"]:
        seen = f", simulated {duration(row['observed_ns'])}" if row["observed_ns"] is not None else ""
        out.print(f"{row['task']}, in {row['pieces']} pieces: response time at most {duration(row['bound_ns'])}{seen}")
    if not simulated and not found["only_analysis"]:
        out.print("--simulate holds these bounds against a simulation.")


def _named(row: dict[str, Any]) -> str:
    priority = "" if row["priority"] is None else f" (priority {row['priority']})"
    overflowed = " (fits nowhere)" if row["overflowed"] else ""
    return f"{row['name']}{priority}{overflowed}"


def _print_feasible(found: dict[str, Any]) -> None:
    out = console()
    if not found["feasible"]:
        out.print(styled("no scheduler can do", "red", f": {found['reason']}"))
        return
    if "levels" in found:
        for number, level in enumerate(found["levels"]):
            rows = table(f"level {number}", "server", "rate", "clients", fold=("clients",))
            for server in level:
                rows.row(server["name"], server["rate"], ", ".join(server["clients"]))
            out.print(rows)
        many = found["preemptions_per_job"]
        out.print(f"feasible; {found['reductions']} reductions: at most {many} preemptions a job, on average.")
    else:
        rows = table("shares", "task", "of processors", fold=("of processors",))
        for task in found["tasks"]:
            rows.row(task["name"], ", ".join(f"P{one['processor']}: {one['share']}" for one in task["shares"]))
        out.print(rows)
        out.print("feasible within the affinities.")
    out.print(OFF_LINE)
