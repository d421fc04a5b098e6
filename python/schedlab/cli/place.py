"""`schedlab place`: where tasks go, by every rule; whether the processors can hold them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.base.durations import at_most, duration
from schedlab.base.files import write_whole
from schedlab.cli.shared.experience import print_overflowed
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import (
    json_option,
    print_answer,
    read_scenarios,
    scenario_options,
    schedulers_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.core.placement import feasible, place
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.placement import Placement
    from schedlab.core.scenario import Scenario
    from schedlab.outputs.results import Feasibility, Piece

OFF_LINE = "An off-line construction: no scheduler here executes it, so it is not simulated."


@click.command("place", cls=Command)
@scenario_options
@schedulers_option()
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
@click.option(
    "--out",
    "-o",
    type=FileOf(".toml"),
    metavar="FILE.toml",
    help="Write the scenario with every place and priority in it.",
)
@json_option
def command(
    scenario: Path,
    schedulers: list[str],
    method: str,
    simulated: bool,
    out: Path | None,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Say where SCENARIO's tasks go: on which processors, in which pieces, with which fixed priorities.

    Exits with 1 if a task fits nowhere.
    """
    given = read_scenarios(scenario, schedulers, heeds_places=method == "affinities", **overrides)
    if len(given) > 1 and out is not None:
        raise BadInput("--out: of one placement; allowed with one scheduler")
    if method != "placement":
        if out is not None:
            raise BadInput(f"--out: --method {method} says whether there are places, and none; allowed: placement")
        answers = [feasible(one, "run" if method == "run" else "affinities") for one in given]
        if as_json:
            print_answer("place", placements=answers)
        else:
            for answer in answers:
                _print_feasible(answer)
        return 0
    places = [place(one, simulated=simulated) for one in given]
    resolved = places[0]["scenario"]
    if out is not None:
        write_whole(out, _settled(places[0], resolved).to_toml())
    if as_json:
        plain = [{name: value for name, value in found.items() if name != "scenario"} for found in places]
        print_answer("place", placements=plain)
    else:
        for found in places:
            _print_places(found, simulated)
    return int(not all(map(_fits, places)))


def _fits(found: Placement) -> bool:
    """True if every task has a place into which it fits."""
    return not found["error"] and not any(row["overflowed"] for row in found["tasks"])


def _settled(found: Placement, resolved: Scenario | None) -> Scenario:
    """Returns the scenario with all places; raises if a file of it would mean something else."""
    if resolved is None:
        raise BadInput(f"--out: nothing is placed: {found['error']}")
    if found["only_analysis"]:
        raise BadInput(f"--out: {found['only_analysis']}, and a file of the pieces would be simulated")
    return resolved


def _print_places(found: Placement, simulated: bool) -> None:
    if found["error"]:
        say(Styled(f"{found['scheduler']} cannot be applied", "red", f": {found['error']}"))
        return
    rows = table(found["scheduler"], "processors", "utilization", "tasks", text=("tasks",))
    for cluster in sorted({row["cluster"] for row in found["tasks"]}):
        here = [row for row in found["tasks"] if row["cluster"] == cluster]
        load = sum(Fraction(row["wcet_ns"], row["period_ns"]) for row in here)
        names = ", ".join(_named(row) for row in here)
        rows.row(", ".join(f"P{cpu}" for cpu in here[0]["processors"]), f"{float(load):.3f}", names)
    rows.print()
    print_overflowed([row["name"] for row in found["tasks"] if row["overflowed"]])
    if not found["split"]:
        return
    pieces = table("pieces", "piece", "processor", "cost", "begins after", "due after that")
    for row in found["tasks"]:
        if row["pieces"] > 1:
            begins, due = duration(row["offset_ns"]), duration(row["relative_deadline_ns"])
            pieces.row(row["name"], f"P{row['processors'][0]}", duration(row["wcet_ns"]), begins, due)
    pieces.print()
    if found["only_analysis"]:
        say(found["only_analysis"])
    for split in found["split"]:
        seen = f", simulated {duration(split['observed_ns'])}" if split["observed_ns"] is not None else ""
        say(f"{split['task']}, in {split['pieces']} pieces: response time at most {at_most(split['bound_ns'])}{seen}")
    if not simulated and not found["only_analysis"]:
        say("--simulate holds these bounds against a simulation.")


def _named(row: Piece) -> str:
    priority = "" if row["priority"] is None else f" (priority {row['priority']})"
    overflowed = " (fits nowhere)" if row["overflowed"] else ""
    return f"{row['name']}{priority}{overflowed}"


def _print_feasible(found: Feasibility) -> None:
    if not found["feasible"]:
        say(Styled("no scheduler can do", "red", f": {found['reason']}"))
        return
    if "levels" in found:
        for number, level in enumerate(found["levels"]):
            rows = table(f"level {number}", "server", "rate", "clients", text=("clients",))
            for server in level:
                rows.row(server["name"], server["rate"], ", ".join(server["clients"]))
            rows.print()
        many = found["preemptions_per_job"]
        say(f"feasible; {found['reductions']} reductions: at most {many} preemptions a job, on average.")
    else:
        rows = table("shares", "task", "of processors", text=("of processors",))
        for task in found["tasks"]:
            assert not isinstance(task, str), "names alone are those of tasks that do not fit"
            rows.row(task["name"], ", ".join(f"P{one['processor']}: {one['share']}" for one in task["shares"]))
        rows.print()
        say("feasible within the affinities.")
    say(OFF_LINE)
