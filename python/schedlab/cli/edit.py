"""`schedlab edit`: a bench in the browser, on which a scenario is changed and everything follows."""

from __future__ import annotations

import html
import os
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from schedlab.base.files import read_bytes
from schedlab.cli.shared.files import Command, FileOf
from schedlab.cli.shared.options import json_option, print_answer
from schedlab.cli.shared.screen import say
from schedlab.cli.shared.statuses import DONE
from schedlab.errors import BadInput
from schedlab.examples import example

if TYPE_CHECKING:
    from schedlab.edit.session import Session

#: The example with which a bench without a file begins.
_EXAMPLE = "robot.toml"


@click.command("edit", cls=Command)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--out", "-o", type=FileOf(".toml"), help="Where the page's Save writes the scenario; if not given, to FILE."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port of this machine; if not given, a free one."
)
@click.option(
    "--open/--no-open",
    "opened",
    default=None,
    help="Open the page in a browser, or not; if not given, where there is a desktop.",
)
@json_option
def command(file: Path | None, out: Path | None, port: int, opened: bool | None, as_json: bool) -> int:
    """Change a scenario in the browser, and see what follows at once: schedule, verdict, bounds, steps.

    Costs, periods, deadlines, offsets, processors, scheduler and protocol are changed in a form or by dragging in the
    schedule; another scheduler can stand beside it. Without FILE, the bench begins with an example. The page is served
    to this machine alone, at the printed address; Ctrl-C ends it. Only Save writes, and only FILE or --out.
    """
    # Only this command serves pages and changes texts.
    import asyncio

    from schedlab.edit.server import Bench, serve

    session = _session(file, out)
    bench = Bench(session)

    def ready(address: str, show: Callable[[str], None]) -> None:
        if as_json:
            print_answer("edit", address=address, file=str(session.path))
        else:
            say(f"the bench of {session.path} is open until Ctrl-C at")
            click.echo(address)
        sys.stdout.flush()
        show(address)

    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        # A terminal that closes ends the bench in order, as Ctrl-C does, unless `nohup` lets it go on.
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        with _shown(opened) as show:
            asyncio.run(serve(bench, port, lambda address: ready(address, show)))
    finally:
        if not session.is_saved and session.now > 0:
            print(f"schedlab: changes of {session.path} were not saved", file=sys.stderr)
    return DONE


def _session(file: Path | None, out: Path | None) -> Session:
    """Begins a session with a file, or with an example."""
    # Only this command changes texts.
    from schedlab.edit.document import read
    from schedlab.edit.form import form
    from schedlab.edit.session import Session, Step

    if str(file) == "-":
        raise BadInput("-: the bench saves what it changes; allowed: a file")
    if out is not None and not out.parent.is_dir():
        raise BadInput(f"{out}: there is no folder {out.parent}; allowed: a file in a folder that exists")
    source = file or example(_EXAMPLE)
    content = read_bytes(source)
    found = read(content, str(source), out)
    path = out or (Path(_EXAMPLE) if file is None else file.with_suffix(".toml") if found.is_foreign else file)
    # A canonical text of another tool's file is not yet what is in that file, whatever its name ends in.
    on_disk = content if file is not None and path == file and not found.is_foreign else None
    return Session(path, [Step(form(found))], on_disk)


@contextmanager
def _shown(opened: bool | None) -> Iterator[Callable[[str], None]]:
    """Yields a function that opens an address in a browser, if that is wanted or a desktop is there.

    The browser gets a private file that leads to the address: other users can read what stands in a command's line.
    """
    desktop = sys.stdout.isatty() and (sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY")))
    if not (desktop if opened is None else opened):
        yield lambda address: None
        return
    with TemporaryDirectory(prefix="schedlab-edit-") as folder:
        file = Path(folder) / "bench.html"
        file.touch(mode=0o600)

        def show(address: str) -> None:
            to = html.escape(address)
            file.write_text(
                f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={to}"><a href="{to}">the bench</a>'
            )
            webbrowser.open(file.as_uri())

        yield show
