"""`schedlab compare`: schedulers side by side, as a table and as a page."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from schedlab.base.defaults import NO_OVERHEADS
from schedlab.base.durations import duration as time
from schedlab.base.files import expect_name_of_folder, make_folder
from schedlab.base.words import count
from schedlab.cli.compare_two import print_two
from schedlab.cli.shared.experience import (
    print_horizon,
    print_not_simulated,
    print_overflowed,
    print_single_clusters,
    print_unknown_overheads,
    ratio,
)
from schedlab.cli.shared.files import Command, in_a_shell
from schedlab.cli.shared.linux import LINUX, expect_linux_schedulers, for_option, refuse_beside_linux
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    next_step,
    override_options,
    policies_of,
    policies_option,
    print_json,
    print_next,
    progress,
    read_scenarios,
    say_caveats,
    schedulers_option,
    strict_option,
    table,
)
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.statuses import DONE, INTERRUPTED, strict_status
from schedlab.comparison.compare import compare, unless_said
from schedlab.comparison.over_bound import NamedOverBound, sum_over_bound, why_over_bound, worst_first
from schedlab.comparison.summary import Answer, RealRun, SchedulerSummary, Summary, summary
from schedlab.core.linux import LINUX_SCHEDULERS
from schedlab.errors import BadInput
from schedlab.outputs.results import Totals
from schedlab.show.report import write_comparison
from schedlab.show.report.page import render_report
from schedlab.show.report.printed import write_pdf

#: Number of real responses above their bounds that are named without --details; a busy machine has tens.
MOST_LINES = 3


@click.command("compare", cls=Command)
@click.argument("scenario", type=FILE)
@click.argument("others", type=FILE, nargs=-1, metavar="[OTHER]")
@override_options
@schedulers_option(
    "P-EDF, G-EDF, NG-EDF, C-EDF, P-RM, G-RM and G-FIFO; where tasks state utilities also P-DASA-ND, P-LBESA, gMUA and "
    "G-GUA; also that of SCENARIO if it is Linux itself"
)
@policies_option
@for_option("`linux`: only the schedulers of stock Linux, of all of which a row tells whether it takes SCENARIO.")
@click.option("--until", metavar="TIME", default="200 ms", show_default=True, help="Draw each schedule until here.")
@click.option("--run", "run_too", is_flag=True, help="Also run each scheduler for real, one after the other.")
@click.option(
    "--modelled",
    type=FILE,
    metavar="FILE.toml",
    help="Show the cache-related delays of this file, from `schedlab membus --out`, beside the charged ones.",
)
@click.option("--details", is_flag=True, help="With --run, print each real response that was above its bound.")
@click.option("--duration", metavar="TIME", help='How long to run each for real, and to simulate; else "5 s".')
@click.option(
    "--out",
    "-o",
    type=FILE,
    help="Folder for report.html, result.json and a trace per scheduler; else out/<name of the file>. A name that ends "
    "in .pdf has the page alone, printed by an installed Chromium.",
)
@json_option
@strict_option
def command(
    scenario: Path,
    others: tuple[Path, ...],
    schedulers: list[str],
    policies: tuple[str, ...],
    target: str | None,
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

    With OTHER, a second scenario: prints how verdicts, bounds and simulated schedules of the two differ, each under its
    own scheduler, or both under each of --schedulers.
    """
    chosen = policies_of(policies)
    if target is not None:
        refuse_beside_linux(policy=policies)
        schedulers = expect_linux_schedulers(schedulers)
    if others:
        given_until = click.get_current_context().get_parameter_source("until") is ParameterSource.COMMANDLINE
        of_one = {"--out": out, "--run": run_too, "--until": given_until, "--modelled": modelled, "--details": details,
                  "--duration": duration}  # fmt: skip
        if refused := [option for option, value in of_one.items() if value]:
            raise BadInput(f"{', '.join(refused)}: of one scenario; two of them have no page and no real run")
        of_linux = target is not None
        return print_two(
            (scenario, *others), [*schedulers, *chosen], overrides, of_linux=of_linux, as_json=as_json, strict=strict
        )
    if duration is not None and not run_too:
        raise BadInput("--duration says how long to run for real and goes with --run; a simulation has a --horizon")
    for path, value in overrides.get("settings") or ():
        if path in ("scheduler", "scheduler.name"):
            raise BadInput(
                f"--set {path}={value}: compare tries the schedulers that --schedulers names; allowed: other fields"
            )
    printed = out if out is not None and out.suffix.lower() == ".pdf" else None
    folder = (None if printed else out) or Path("out") / scenario.stem
    expect_name_of_folder(folder)
    [given] = read_scenarios(scenario, [], tells=False, **overrides)
    if target is not None:
        given = given.on_linux()
    if not given.name and str(scenario) != "-":
        given = given.replace(name=scenario.stem)

    kept: list[str] = []

    def keep(name: str, schedule: Any) -> None:
        if printed is not None:
            return
        make_folder(folder)
        trace = _trace_of(name)
        schedule.write(folder / trace)
        kept.append(trace)

    with _saying_what_is_kept(folder, kept), progress("comparing", quiet=as_json) as report:
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
    told = summary(result)
    page = write_comparison(told, folder) if printed is None else _write_pdf(told, printed)
    if as_json:
        print_json(told.comparison)
    else:
        _print(told)
        print_horizon(given)
        if run_too:
            _print_real(told, details)
        traces = folder if printed is None else None
        _print_next(told, traces, for_linux=target is None and given.scheduler in LINUX_SCHEDULERS)
        click.echo(str(page))
    if told.is_interrupted:
        return INTERRUPTED
    return strict_status(row.answer for row in told.schedulers) if strict else DONE


@contextmanager
def _saying_what_is_kept(folder: Path, kept: Sequence[str]) -> Iterator[None]:
    """Names the traces that are new in `folder` if the comparison is interrupted, because the page there is older."""
    try:
        yield
    except KeyboardInterrupt:
        if kept:
            told = f"new and whole in {folder}: {', '.join(kept)}; no page was written of them"
            print(f"schedlab: {told}", file=sys.stderr)
        raise


def sentence(rows: Sequence[SchedulerSummary], horizon: str) -> Styled:
    """Returns a sentence: how many schedulers are proved to meet all deadlines, and which ones missed some."""
    proved = [row.name for row in rows if row.is_proved]
    missed = [row.name for row in rows if row.misses]
    deadlocks = [f"{row.name} at {time(row.deadlocks[0]['at_ns'])}" for row in rows if row.deadlocks]
    unable = [row.name for row in rows if row.error and row.modelled]
    not_modelled = [row.name for row in rows if not row.modelled]
    told = f" of {count(len(rows), 'scheduler')} proved to meet all deadlines"
    told += f": {', '.join(proved)}" if 0 < len(proved) < len(rows) else ""
    if missed:
        told += f"; missed by {', '.join(missed)} in {horizon}"
    elif any(row.totals for row in rows):
        told += f"; none missed in {horizon}"
    told += f"; deadlock under {', '.join(deadlocks)}" if deadlocks else ""
    told += f"; not applied: {', '.join(unable)}" if unable else ""
    told += f"; not modelled: {', '.join(not_modelled)}" if not_modelled else ""
    return Styled(str(len(proved)), "green" if proved else "yellow", told)


def _write_pdf(result: Summary, path: Path) -> Path:
    """Prints the page of a comparison, with all schedulers, and returns the path of the file."""
    return write_pdf(render_report(result.comparison), path, by_script=True)


def _trace_of(name: str) -> str:
    """Returns the name of the file with a scheduler's trace: a parameter such as 1/2 has a slash, which no name has."""
    return f"{name.replace('/', '-')}.trace"


def _print_next(result: Summary, folder: Path | None, *, for_linux: bool) -> None:
    """Prints the next command: the reason of missed deadlines, where a folder has the traces, else the schedulers of
    Linux, else the proofs."""
    missed = [row.name for row in result.schedulers if row.misses]
    if missed and folder is not None:
        trace = folder / _trace_of(missed[0])
        print_next(shlex.join(["schedlab", "why", in_a_shell(trace)]), "how the latest job spent its time")
    elif for_linux:
        next_step("compare", "--for", LINUX, why="only the schedulers that stock Linux has")
    else:
        next_step("analyze", "--details", why="every test, its source and assumptions")


def _print(result: Summary) -> None:
    horizon = time(result.horizon_ns)
    say(sentence(result.schedulers, horizon))
    say_caveats(what_if=result.what_if, left_out=result.left_out, rests_on=result.rests_on)
    columns = ("", "deadlines", "tardiness", "missed", "max/bound", "max tardy", "checks", "preempted", "migrated")
    title = (
        f"{result.title}: {count(result.tasks, 'task')} on {count(result.processors, 'processor')}, "
        f"{horizon}, overheads {result.overheads or 'of its own'}"
    )
    accrual = ("AUR", "DSR", "aborted") if result.has_utility else ()
    retried = ("retries",) if result.has_retries else ()
    rows = table(title, *columns, *retried, *accrual, text=("deadlines", "checks"))
    for row in result.schedulers:
        totals = row.totals
        if row.error or totals is None:
            rows.note(row.name, Styled(row.error or "", "red" if row.modelled else "yellow"))
            continue
        missed, closest, tardy, *moves = _experience(totals, row.closest, bool(retried))
        rows.row(
            row.name,
            _answer(row.hard, f" ({row.hard.test})" if row.hard and row.hard.answer != "unknown" else ""),
            _answer(row.soft),
            Styled(f"{missed}, deadlock", "red") if row.deadlocks else missed,
            closest,
            tardy,
            Styled(", ".join(row.broken), "red") if row.broken else "hold",
            *moves,
            *(_accrual(totals) if accrual else ()),
        )
    rows.print()
    for row in result.schedulers:
        print_overflowed(row.overflowed, f"{row.name}: ")
        for deadlock in row.deadlocks:
            say(Styled(f"{row.name}: {deadlock['text']}", "red"))
        if row.same_as_partitioned is not None:
            print_single_clusters(row.name, row.same_as_partitioned)
    _print_contradictions(result.schedulers)
    if result.utility_over_load is not None:
        say("utility over load: on the page")
    if result.overheads != NO_OVERHEADS:
        name = result.overheads or "the scenario's own"
        charged = f"overheads charged: {name}, statistic {result.overheads_statistic}"
        say(f"{charged}; {result.overheads_source}")
    print_unknown_overheads(result.overheads_unknown)
    print_not_simulated(result.overheads_not_simulated)


def _print_contradictions(rows: Sequence[SchedulerSummary]) -> None:
    """Prints where the simulation exceeded what a test proved, so that no reader believes both."""
    for row in rows:
        if found := row.exceeded:
            more = f"; and {len(found) - 1} more" if len(found) > 1 else ""
            told = f": {found[0]}{more}. An assumption of the test does not hold here, or the test is wrong"
            say(Styled(f"{row.name}: the simulation exceeded what is proved", "red", told))


def _print_real(result: Summary, details: bool) -> None:
    retried = result.has_retries
    experience = ("missed", "max/bound", "max tardy", "preempted", "migrated", *(("retries",) if retried else ()))
    columns = ("", *experience, "decision to dispatch, 99.9%", "checks")
    rows = table("for real, then as simulated", *columns, text=("checks",))
    named: list[NamedOverBound] = []
    stuck: list[str] = []
    for row in result.schedulers:
        real = row.real
        if real is None or real.totals is None:
            rows.note(row.name, Styled("not run", "yellow", f": {real.error if real else row.error}"))
            continue
        ran = _experience(real.totals, real.closest, retried)
        rows.row(row.name, *ran, time(real.dispatch_ns), _checked(real))
        if row.modelled and row.totals is not None:
            rows.row("", *_experience(row.totals, row.closest, retried), style="dim")
        else:
            rows.note("", "not modelled")
        stuck += [f"{row.name}, for real: {deadlock['text']}" for deadlock in real.deadlocks]
        named += [{**found, "name": f"{row.name}, {found['name']}"} for found in real.over_bound]
    rows.print()
    for found_deadlock in stuck:
        say(Styled(found_deadlock, "red"))
    every = worst_first(named)
    if len(every) > MOST_LINES and not details:
        told = f": {count(len(every), 'response')}, {sum_over_bound(every)}; --details names each; the worst:"
        say(Styled("above their bounds", "yellow", told))
        every = every[:MOST_LINES]
    for found in every:
        say(Styled("above its bound", "yellow", f" {why_over_bound(found, found['name'], time)}"))


def _experience(totals: Totals, closest: float | None, retried: bool) -> list[str | Styled]:
    """Returns the cells of a real or simulated run; `closest` is a response time as a share of its bound."""
    return [
        _share(totals["misses"], totals["jobs"]),
        _closest(closest),
        time(totals["max_tardiness_ns"]),
        str(totals["preemptions"]),
        str(totals["migrations"]),
        *((str(totals["retries"]),) if retried else ()),
    ]


def _checked(real: RealRun) -> str | Styled:
    if not real.whole:
        return Styled(real.ending, "yellow", f" at {time(real.until_ns)}")
    if real.by_kernel:
        return "hold, Linux decided" if real.holds else Styled("FAILED", "red")
    return "hold, replay exact" if real.holds and real.replay_is_exact else Styled("FAILED", "red")


def _accrual(totals: Mapping[str, Any]) -> list[str]:
    ratios = ("accrued_utility_ratio", "deadline_satisfaction_ratio")
    return [*(ratio(totals[name]) for name in ratios), str(totals["aborts"])]


def _share(misses: int, jobs: int) -> str | Styled:
    return Styled(str(misses), "red", f" ({misses / jobs:.1%})") if misses else "0"


def _answer(found: Answer | None, by: str = "") -> str | Styled:
    """Returns, as text, the strongest answer of the tests of one kind."""
    colours = {"schedulable": "green", "unschedulable": "red", "unknown": "yellow"}
    return "-" if found is None else Styled(found.words, colours[found.answer], by)


def _closest(share: float | None) -> str | Styled:
    """Returns, as text, the largest observed response time as a share of its proved bound."""
    if share is None:
        return "-"
    return f"{share:.1%}" if share <= 1 else Styled(f"{share:.1%}", "red")
