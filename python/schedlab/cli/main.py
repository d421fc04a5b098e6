"""The list of commands, and the exit status for each exception."""

from __future__ import annotations

import importlib
import io
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import click
from click.shell_completion import CompletionItem, shell_complete

from schedlab.base.files import DISK
from schedlab.cli.shared.statuses import BAD_INPUT, CLOSED_PIPE, DONE, FAILED, INTERRUPTED
from schedlab.errors import SchedlabError, no_such

#: Environment variable by which a shell asks for completions of a command line.
COMPLETE = "_SCHEDLAB_COMPLETE"

#: The one list of commands, in the order in which a newcomer meets them: name and one line of help.
COMMANDS = {
    "analyze": "Prove what theory guarantees for a scenario.",
    "place": "Say where tasks go: placements, splits, priorities by rule; whether any scheduler can hold them.",
    "advise": "Find the schedulers, placements and protocols that keep the deadlines, ranked by margin.",
    "simulate": "Simulate a scenario, and draw its schedule.",
    "run": "Run a scenario for real: threads on this machine.",
    "observe": "Turn a running program, or a kernel trace, into a scenario that is marked as observed.",
    "compare": "Compare schedulers: guarantees beside observations, as a table and a page.",
    "check": "Check a trace against the invariants that its policy promises.",
    "why": "Explain a job's response time: parts that sum to it exactly.",
    "view": "Show a trace, or what a simulation does, as a page with its timeline.",
    "edit": "Change a scenario in the browser: schedule, verdict, bounds and steps follow at once.",
    "diff": "Say where two traces differ first, in words and on a page.",
    "trace": "Show a trace in another form: metrics, records, pictures, exports.",
    "windows": "List and draw the windows of a Pfair task's subtasks.",
    "generate": "Generate random task sets.",
    "export": "Write a scenario for stock Linux (threads, systemd, rt-app, ...) or another tool.",
    "study": "List, run and plot the studies of published papers.",
    "measure": "Measure this machine's overheads, as an overheads file and a page.",
    "membus": "Say what jobs wait for memory: private caches, one bus, a simulated schedule.",
    "jobs": "Explore a job set of the schedule-abstraction tools (CSV, YAML).",
    "overheads": "Turn SchedCAT's tables of overheads into an overheads file.",
    "doctor": "Say what this machine can run for real, and what to change.",
    "crosscheck": "Compare schedlab's results with another tool's.",
    "example": "List the examples that schedlab brings, and write them.",
    "new": "Start a scheduler, a locking protocol, a test or a study of your own.",
    "glossary": "Explain a word: a column of a table, a term of the field, a name.",
    "schema": "Print the JSON Schema of a file format, or the names that may stand in it.",
}

#: Other words for commands, and the commands.
ALSO_CALLED = {
    "draw": "simulate --draw",
    "plot": "simulate --draw",
    "convert": "export",
    "import": "export toml",
    "benchmark": "measure",
    "bench": "edit",
    "test": "analyze",
    "partition": "place",
}


class LazyGroup(click.Group):
    """Imports a command's file only when the command is used: `--help` should not load pandas."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise no_such("command", args[0], COMMANDS, ALSO_CALLED)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"schedlab.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        commands = [CompletionItem(name, help=told) for name, told in COMMANDS.items() if name.startswith(incomplete)]
        return commands + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


#: What to try first, for someone who types the program's name alone.
FIRST = """\
schedlab: a laboratory for multiprocessor real-time scheduling. Three commands to try first:

  schedlab example --all                        makes the folder examples, which the next two read
  schedlab simulate examples/robot.toml --draw  draws a schedule
  schedlab compare examples/dhall.toml          compares schedulers: what is proved, what was simulated

All commands: schedlab --help
"""


def _say_version(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Answers `--version`: prints what is installed, and ends the program."""
    if given and not context.resilient_parsing:
        # The runtime's module takes a while to import, and no other command may wait for it.
        from schedlab.cli.shared.built import version_text

        click.echo(version_text())
        context.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    invoke_without_command=True,
)
@click.option(
    "-V", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version,
    help="Say the version and what was built in, and exit.",
)  # fmt: skip
@click.pass_context
def cli(context: click.Context) -> int | None:
    """A laboratory for multiprocessor real-time scheduling and synchronization.

    \b
    First steps:
      schedlab example --all                        the folder examples, which these lines read
      schedlab simulate examples/robot.toml --draw  a schedule
      schedlab compare examples/dhall.toml          schedulers side by side, as a page
      schedlab advise examples/dhall.toml           which schedulers and changes keep the deadlines

    \b
    Exit status:
      0    done
      1    an invariant is violated, a cross-check disagrees; with --strict: anything is unschedulable or late;
           with --margin: a margin is smaller
      2    bad input
      3    this machine cannot run it
      4    a file cannot be written, or your own code raised an exception
      5    with --strict, an answer is unknown, and nothing is unschedulable or late; with --margin: none is
           proved
      130  interrupted
      141  the reader of the output is gone
    """
    if context.invoked_subcommand is not None:
        return None
    click.echo(FIRST, nl=False)
    return DONE


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    if arguments is None:
        # As after Ctrl-C, work that was begun is given up in order, and no file stays half written.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if sys.stdin is None:
        # Closed by the caller: `schedlab ... <&-`.
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    if sys.stdout is None:
        # Closed by the caller: `schedlab ... >&-`.
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    # Names may have letters that the output's encoding lacks.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() not in ("utf-8", "utf8"):
            stream.reconfigure(errors="backslashreplace")
    try:
        return _status(sys.argv[1:] if arguments is None else list(arguments))
    except (click.Abort, KeyboardInterrupt):
        print("schedlab: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SchedlabError as error:
        return _said(error, error.exit_status)
    except BrokenPipeError:
        # The reader of the output has enough of it: `schedlab trace ... | head`.
        _drop_output()
        return CLOSED_PIPE
    except BaseException as error:
        if isinstance(error, OSError) and error.errno in DISK:
            _drop_output()
            return _said(f"{error.filename or 'standard output'}: cannot be written: {error.strerror}", FAILED)
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        print(_traceback(error), file=sys.stderr, end="")
        return FAILED


def _status(arguments: list[str]) -> int:
    if instruction := os.environ.get(COMPLETE):
        return shell_complete(cli, {}, "schedlab", COMPLETE, instruction)
    try:
        with cli.make_context("schedlab", arguments) as context:
            result = cli.invoke(context)
        sys.stdout.flush()
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as leaving:
        sys.stdout.flush()
        return leaving.exit_code
    except click.ClickException as error:
        error.show()
        return BAD_INPUT


def _said(message: object, status: int) -> int:
    print(f"schedlab: {message}", file=sys.stderr)
    return status


def _drop_output() -> None:
    """Sends the rest of the output nowhere, because the interpreter would try to write it again, and complain."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _traceback(error: BaseException) -> str:
    """Returns the traceback of an error: only the user's code if it raised, else schedlab's, which has a defect."""
    ours = (str(Path(__file__).parents[1]), str(Path(click.__file__).parent))
    told = traceback.TracebackException.from_exception(error)
    users = [frame for frame in told.stack if not frame.filename.startswith((*ours, "<frozen"))]
    # A line that is no Python has no frame; the message shows it.
    if users or isinstance(error, SyntaxError):
        told.stack = traceback.StackSummary.from_list(users)
    return "".join(told.format())
