"""`schedlab view`: a schedule as a page that one moves in."""

from __future__ import annotations

import os
import shlex
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from schedlab.cli.shared.experience import print_horizon, print_overflowed, print_same
from schedlab.cli.shared.files import Command, FileOf, in_a_shell
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    override_options,
    policies_of,
    policies_option,
    print_answer,
    print_next,
    progress,
    read_scenarios,
    read_trace,
    schedulers_option,
)
from schedlab.cli.shared.pictures import window_options
from schedlab.cli.shared.screen import Styled, say
from schedlab.cli.shared.what_if import say_now, stacked
from schedlab.core.simulation import simulate
from schedlab.errors import BadInput
from schedlab.show.report import write_timelines
from schedlab.show.report.printed import write_pdf

if TYPE_CHECKING:
    from schedlab.core.schedule import Schedule

#: The first bytes of a trace.
_MAGIC = b"SCHEDLAB"


#: Options for the page's path, and for opening it.
page_options = stacked(
    click.option(
        "--out", "-o", type=FileOf(".html", ".htm", ".pdf"),
        help="Write the page here, printed by an installed Chromium if it ends in .pdf; else into this folder.",
    ),
    click.option(
        "--open/--no-open", "opened", default=None,
        help="Open the page in a browser, or not; if not given, where there is a desktop.",
    ),
)  # fmt: skip


@click.command("view", cls=Command)
@click.argument("file", type=FILE, metavar="TRACE|SCENARIO")
@override_options
@schedulers_option()
@policies_option
@window_options
@page_options
@json_option
def command(
    file: Path,
    schedulers: list[str],
    policies: tuple[str, ...],
    start: str | None,
    until: str | None,
    around: str | None,
    jobs: int | None,
    out: Path | None,
    opened: bool | None,
    as_json: bool,
    **overrides: Any,
) -> int:
    """Show a trace, simulated or real, or what a simulation of SCENARIO does: a page with its timeline.

    The page is one file and needs no network. It shows everything, or what --from, --until and --jobs say, and begins
    at --around. Schedules of several schedulers stand below each other. Prints the path of the page last.
    """
    chosen = [*schedulers, *policies_of(policies)]
    with progress("simulating", quiet=as_json) as report:
        found = _schedules(file, chosen, overrides, report)
    page = out or Path(f"{file.stem}.html")
    write_page(page, lambda place: write_timelines(found, place, start=start, until=until, around=around, jobs=jobs))
    overflowed = {name: schedule.scenario.overflowed for name, schedule in found.items()}
    if as_json:
        print_answer("view", page=str(page), schedules=list(found), overflowed=list(overflowed.values()))
    else:
        for name, schedule in found.items():
            print_overflowed(overflowed[name], f"{name}: " if len(found) > 1 else "")
            print_same(schedule.scenario)
            print_horizon(schedule.scenario)
            for deadlock in schedule.metrics().deadlocks:
                say(Styled(f"{name}: {deadlock['text']}", "red"))
        show(page, opened)
    return 0


def write_page(out: Path, write: Callable[[Path], object]) -> None:
    """Has `write` write the page, and prints it if `out` ends in .pdf; raises `CannotRun` where no browser can."""
    if out.suffix.lower() != ".pdf":
        write(out)
        return
    with TemporaryDirectory(prefix="schedlab-") as folder:
        page = Path(folder) / "page.html"
        write(page)
        write_pdf(page.read_text(encoding="utf-8"), out, by_script=True)


def _schedules(
    file: Path, chosen: list[Any], overrides: dict[str, Any], report: Callable[[float], None]
) -> dict[str, Schedule]:
    """Returns the schedules of a file by name: a trace's own, or one for each scheduler of a scenario."""
    if str(file) == "-":
        raise BadInput("-: a page is of a file; allowed: a trace or a scenario")
    if _begins(file, _MAGIC):
        given = [name for name, value in overrides.items() if value is not None] + ["scheduler"] * bool(chosen)
        if given:
            given[0] = "set" if given[0] == "settings" else given[0]
            raise BadInput(f"--{given[0].replace('_', '-')} is for a scenario, and {file} is a trace, which is over")
        return {file.name: read_trace(file)}
    scenarios = read_scenarios(file, chosen, **overrides)
    return {f"{file.name} under {one.scheduler}": simulate(one, progress=report) for one in scenarios}


def _begins(file: Path, magic: bytes) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(len(magic)) == magic
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error


def show(page: Path, opened: bool | None) -> None:
    """Opens the page in a browser, if that is wanted or a desktop is there; prints its path."""
    desktop = sys.stdout.isatty() and (sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY")))
    if (desktop if opened is None else opened) and not webbrowser.open(page.resolve().as_uri()):
        print_next(shlex.join(["xdg-open", in_a_shell(page)]), "no browser was found here")
    say_now()
    click.echo(page)
