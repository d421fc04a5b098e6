"""`schedlab compare`: schedulers side by side, as a table and as a page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.cli.main import INTERRUPTED
from schedlab.cli.shared.experience import print_not_simulated, print_overflowed, print_unknown_overheads, ratio
from schedlab.cli.shared.options import (
    FILE,
    count,
    json_option,
    next_step,
    policies_of,
    policies_option,
    print_json,
    print_next,
    progress,
    read_scenario,
    scenario_options,
    schedulers_option,
    strict_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.defaults import NO_OVERHEADS
from schedlab.durations import duration as time
from schedlab.errors import BadInput
from schedlab.files import expect_name_of_folder, make_folder

if TYPE_CHECKING:
    from schedlab.compare import Comparison
    from schedlab.outputs.comparison import ComparedScheduler, Real
    from schedlab.outputs.schedules import OfTask, Totals

#: Without --details, as many real responses above their bounds are named: a busy machine has tens.
MOST_LINES = 3


@click.command("compare")
@scenario_options
@schedulers_option(
    "P-EDF, G-EDF, NG-EDF, C-EDF, P-RM, G-RM and G-FIFO; where tasks state utilities also P-DASA-ND, P-LBESA, gMUA and "
    "G-GUA"
)
@policies_option
@click.option("--until", metavar="TIME", default="200 ms", show_default=True, help="Draw each schedule until here.")
@click.option("--run", "run_too", is_flag=True, help="Also run each scheduler for real, one after the other.")
@click.option(
    "--modelled",
    type=FILE,
    metavar="FILE.toml",
    help="Show the cache-related delays of this file, from `schedlab membus --out`, beside the charged ones.",
)
@click.option("--details", is_flag=True, help="With --run, each real response that was above its bound.")
@click.option("--duration", metavar="TIME", help='How long to run each for real, and to simulate; else "5 s".')
@click.option(
    "--out",
    "-o",
    type=FILE,
    help="Folder for report.html, result.json and a trace per scheduler; else out/<name of the file>.",
)
@json_option
@strict_option
def command(
    scenario: Path,
    schedulers: list[str],
    policies: tuple[str, ...],
    until: str,
    run_too: bool,
    modelled: Path | None,
    details: bool,
    duration: str | None,
    out: Path | None,
    as_json: bool,
    strict: bool,
    **overrides: Any,
) -> int:
    """Compare schedulers on SCENARIO: what theory guarantees beside what a simulated machine does.

    Prints a table and writes a report that opens in any browser, without a network; prints its path last.

    With --run, threads of this machine do the same for real, where it lets them; an interrupt keeps what was done.
    """
    from schedlab.compare import compare, unless_said, write
    from schedlab.real import is_interrupted
    from schedlab.report.view import page_model

    if duration is not None and not run_too:
        raise BadInput("--duration says how long to run for real and goes with --run; a simulation has a --horizon")

    chosen = policies_of(policies)
    folder = out or Path("out") / scenario.stem
    expect_name_of_folder(folder)
    given = read_scenario(scenario, **overrides)
    if not given.name and str(scenario) != "-":
        given = given.replace(name=scenario.stem)

    def keep(name: str, schedule: Any) -> None:
        make_folder(folder)
        schedule.write(folder / f"{name}.trace")

    with progress("comparing", quiet=as_json) as report:
        result = compare(
            given,
            schedulers=[*(schedulers or unless_said(given)), *chosen],
            until=until,
            progress=report,
            run=(duration or "5 s") if run_too else None,
            modelled=modelled,
            keep=keep,
            keep_real=lambda name, schedule: keep(f"{name}.real", schedule),
        )
    page = write(result, folder)
    if as_json:
        print_json(result)
    else:
        _print(result)
        if run_too:
            _print_real(result, details)
        _print_next(result, folder)
        click.echo(str(page))
    if any(is_interrupted(row) for row in result["schedulers"]):
        return INTERRUPTED
    return int(strict and not all(map(_is_proved_and_met, page_model(result)["schedulers"])))


def _is_proved_and_met(row: Mapping[str, Any]) -> bool:
    runs = [row, row["real"] or {}]
    return not row["error"] and _is_proved(row) and not any(run.get("totals", {}).get("misses") for run in runs)


def _is_proved(row: Mapping[str, Any]) -> bool:
    return row["hard"] is not None and row["hard"]["answer"] == "schedulable"


def sentence(rows: Sequence[Mapping[str, Any]], horizon: str) -> Styled:
    """How many schedulers are proved to meet all deadlines, and which ones missed some."""
    proved = [row["name"] for row in rows if _is_proved(row)]
    missed = [row["name"] for row in rows if not row["error"] and row["totals"]["misses"]]
    unable = [row["name"] for row in rows if row["error"] and row["modelled"]]
    not_modelled = [row["name"] for row in rows if not row["modelled"]]
    told = f" of {count(len(rows), 'scheduler')} proved to meet all deadlines"
    told += f": {', '.join(proved)}" if 0 < len(proved) < len(rows) else ""
    told += f"; missed by {', '.join(missed)} in {horizon}" if missed else f"; none missed in {horizon}"
    told += f"; not applied: {', '.join(unable)}" if unable else ""
    told += f"; not modelled: {', '.join(not_modelled)}" if not_modelled else ""
    return Styled(str(len(proved)), "green" if proved else "yellow", told)


def _print_next(result: Comparison, folder: Path) -> None:
    """Of a scheduler that missed deadlines the reason, else what the proofs are."""
    missed = [row["name"] for row in result["schedulers"] if not row["error"] and row["totals"]["misses"]]
    if missed:
        trace = folder / f"{missed[0]}.trace"
        print_next(shlex.join(["schedlab", "why", str(trace)]), "how the latest job spent its time")
    else:
        next_step("analyze", "--details", why="every test, its source and assumptions")


def _print(result: Comparison) -> None:
    from schedlab.report.view import page_model

    model, horizon = page_model(result), time(result["horizon_ns"])
    say(sentence(model["schedulers"], horizon))
    columns = ("", "deadlines", "tardiness", "missed", "max/bound", "max tardy", "checks", "preempted", "migrated")
    title = (
        f"{result['title']}: {count(len(result['tasks']), 'task')} on {count(result['processors'], 'processor')}, "
        f"{horizon}, overheads {result['overheads'] or 'of its own'}"
    )
    accrual = ("AUR", "DSR", "aborted") if model["has_utility"] else ()
    retried = ("retries",) if model["has_retries"] else ()
    rows = table(title, *columns, *retried, *accrual, text=("deadlines", "checks"))
    for row in model["schedulers"]:
        if row["error"]:
            rows.note(row["name"], Styled(row["error"], "red" if row["modelled"] else "yellow"))
            continue
        totals = row["totals"]
        proof = row["hard"] and row["hard"]["answer"] != "unknown"
        rows.row(
            row["name"],
            _verdict(row["hard"], f" ({row['hard']['test']})" if proof else ""),
            _verdict(row["soft"]),
            _share(totals["misses"], totals["jobs"]),
            _closest(row["closest"]),
            time(totals["max_tardiness_ns"]),
            Styled(", ".join(row["broken"]), "red") if row["broken"] else "hold",
            str(totals["preemptions"]),
            str(totals["migrations"]),
            *((str(totals["retries"]),) if retried else ()),
            *(_accrual(totals) if accrual else ()),
        )
    rows.print()
    for row in model["schedulers"]:
        print_overflowed(row.get("overflowed", []), f"{row['name']}: ")
    _print_contradictions(model["schedulers"])
    if "utility_over_load" in result:
        say("utility over load: on the page")
    if result["overheads"] != NO_OVERHEADS:
        name = result["overheads"] or "the scenario's own"
        charged = f"overheads charged: {name}, statistic {result['overheads_statistic']}"
        say(f"{charged}; {result['overheads_source']}")
    print_unknown_overheads(model["overheads_unknown"])
    print_not_simulated(result["overheads_not_simulated"])


def _print_contradictions(rows: Sequence[Mapping[str, Any]]) -> None:
    """Where the simulation exceeded what a test promised: the reader must not believe both."""
    for row in rows:
        if found := row.get("exceeded"):
            more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
            told = f": {found[0]}{more}. An assumption of the test does not hold here, or the test is wrong"
            say(Styled(f"{row['name']}: the simulation exceeded what is proved", "red", told))


def _print_real(result: Comparison, details: bool) -> None:
    from schedlab.compare import has_retries
    from schedlab.observed import dispatch_ns
    from schedlab.over_bound import NamedOverBound, sum_over_bound, why_over_bound, worst_first

    retried = has_retries(result)
    experience = ("missed", "max/bound", "max tardy", "preempted", "migrated", *(("retries",) if retried else ()))
    columns = ("", *experience, "decision to dispatch, 99.9%", "checks")
    rows = table("for real, then as simulated", *columns, text=("checks",))
    for row in result["schedulers"]:
        real = row["real"]
        if real["error"]:
            rows.note(row["name"], Styled("not run", "yellow", f": {real['error']}"))
            continue
        rows.row(
            row["name"],
            *_experience(real["tasks"], real["totals"], row, retried),
            time(dispatch_ns(real["findings"])),
            _checked(real),
        )
        if row.get("modelled", True):
            rows.row("", *_experience(row["tasks"], row["totals"], row, retried), style="dim")
        else:
            rows.note("", "not modelled")
    rows.print()
    named: list[NamedOverBound] = [
        {**found, "name": f"{row['name']}, {result['tasks'][found['index']]['name']}"}
        for row in result["schedulers"]
        for found in row["real"].get("over_bound", ())
    ]
    every = worst_first(named)
    if len(every) > MOST_LINES and not details:
        told = f": {count(len(every), 'response')}, {sum_over_bound(every)}; --details names each; the worst:"
        say(Styled("above their bounds", "yellow", told))
        every = every[:MOST_LINES]
    for found in every:
        say(Styled("above its bound", "yellow", f" {why_over_bound(found, found['name'], time)}"))


def _experience(tasks: Sequence[OfTask], totals: Totals, row: ComparedScheduler, retried: bool) -> list[str | Styled]:
    """What the tasks of a real or simulated run experienced, beside what was proved under the scheduler of `row`."""
    from schedlab.observed import bounds, closest

    return [
        _share(totals["misses"], totals["jobs"]),
        _closest(closest(tasks, bounds(row, tasks))),
        time(totals["max_tardiness_ns"]),
        str(totals["preemptions"]),
        str(totals["migrations"]),
        *((str(totals["retries"]),) if retried else ()),
    ]


def _checked(real: Real) -> str | Styled:
    from schedlab.real import how_it_ended

    findings = real["findings"]
    if not findings["whole"]:
        return Styled(how_it_ended(findings), "yellow", f" at {time(real['until_ns'])}")
    if findings.get("decided_by") == "kernel":
        return "hold, Linux decided" if findings["holds"] else Styled("FAILED", "red")
    return "hold, replay exact" if findings["holds"] and findings["replay_is_exact"] else Styled("FAILED", "red")


def _accrual(totals: Mapping[str, Any]) -> list[str]:
    ratios = ("accrued_utility_ratio", "deadline_satisfaction_ratio")
    return [*(ratio(totals[name]) for name in ratios), str(totals["aborts"])]


def _share(misses: int, jobs: int) -> str | Styled:
    return Styled(str(misses), "red", f" ({misses / jobs:.1%})") if misses else "0"


def _verdict(found: Mapping[str, str] | None, by: str = "") -> str | Styled:
    """The strongest answer of the tests of one kind."""
    colours = {"schedulable": "green", "unschedulable": "red", "unknown": "yellow"}
    return "-" if found is None else Styled(found["words"], colours[found["answer"]], by)


def _closest(share: float | None) -> str | Styled:
    """The largest observed response time as a share of its proved bound."""
    if share is None:
        return "-"
    return f"{share:.1%}" if share <= 1 else Styled(f"{share:.1%}", "red")
