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
from schedlab.core.placement import feasible, least_servers, place
from schedlab.errors import BadInput

if TYPE_CHECKING:
    from schedlab.core.placement import Placement, ServerBandwidths
    from schedlab.core.scenario import Scenario
    from schedlab.outputs.results import Feasibility, LeastServer, Piece

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
    "--server",
    "servers",
    is_flag=True,
    help="Search the least bandwidth and the best period of each server whose clients have a scheduler of their own.",
)
@click.option(
    "--periods",
    nargs=3,
    metavar="FROM TO STEP",
    help="Periods to try with --server, such as 1ms 20ms 1ms; twentieths of the clients' shortest time if not given.",
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
    servers: bool,
    periods: tuple[str, str, str] | None,
    out: Path | None,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Say where SCENARIO's tasks go: on which processors, in which pieces, with which fixed priorities.

    Exits with 1 if a task fits nowhere, or a server's clients fit into no budget.
    """
    if periods is not None and not servers:
        raise BadInput("--periods: of servers; allowed with --server")
    given = read_scenarios(scenario, schedulers, heeds_places=method == "affinities", **overrides)
    if len(given) > 1 and out is not None:
        raise BadInput("--out: of one placement; allowed with one scheduler")
    if servers:
        return _least_servers(given, periods, out, as_json)
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


def _least_servers(given: list[Scenario], periods: tuple[str, str, str] | None, out: Path | None, as_json: bool) -> int:
    """Answers for each scheduler which periods and budgets of servers need the least bandwidth."""
    answers = [least_servers(one, periods) for one in given]
    made = answers[0]["scenario"]
    if out is not None:
        if made is None:
            raise BadInput(f"--out: nothing is found: {answers[0]['reason']}")
        write_whole(out, made.to_toml())
    if as_json:
        plain = [{name: value for name, value in found.items() if name != "scenario"} for found in answers]
        print_answer("place", placements=plain)
    else:
        for found in answers:
            _print_servers(found)
    return int(any(found["scenario"] is None for found in answers))


def _print_servers(found: ServerBandwidths) -> None:
    for server in found["servers"]:
        _print_tried(server)
    if found["toml"] is None:
        say(Styled("no servers found", "red", f": {found['reason']}"))
        return
    say(f"{found['scheduler']} with these servers: {found['answer']}: {found['reason']}")
    say("")
    say(found["toml"].strip())


def _print_tried(server: LeastServer) -> None:
    rows = table(f"server {server['name']}", "period", "least budget", "deadline", "bandwidth", "", text=("",))
    for index, row in enumerate(server["tried"]):
        if row["budget_ns"] is None or row["bandwidth"] is None or row["relative_deadline_ns"] is None:
            rows.row(duration(row["period_ns"]), "no budget", "", "", "")
            continue
        share = f"{float(Fraction(row['bandwidth'])):.4f}"
        best = "best" if index == server["best"] else ""
        times = (row["period_ns"], row["budget_ns"], row["relative_deadline_ns"])
        rows.row(*map(duration, times), share, best)
    rows.print()
    needs = f"{float(Fraction(server['utilization'])):.4f}"
    clients = ", ".join(server["clients"])
    say(f"clients {clients} under {server['order']} need {needs}; periods tried: {_range(server)}.")


def _range(server: LeastServer) -> str:
    tried = [row["period_ns"] for row in server["tried"]]
    return f"{len(tried)} from {duration(tried[0])} to {duration(tried[-1])}" if tried else "no period"


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
