"""The list of commands, and what becomes of their exceptions: the exit status."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
import traceback
from collections.abc import Sequence

import click

from schedlab._native import __version__
from schedlab.errors import BadInput, CannotRun

#: Exit statuses; `FOUND` is for --strict and for disagreements of a cross-check.
DONE, FOUND, BAD_INPUT, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 3, 130

#: The one list of commands, in the order in which a newcomer meets them: name and one line of help.
COMMANDS = {
    "analyze": "What theory guarantees for a scenario.",
    "place": "Say where tasks go: placements, splits, priorities by rule; whether any scheduler can hold them.",
    "advise": "Which schedulers, placements and protocols keep the deadlines, and by which margin.",
    "simulate": "What a simulated machine does with a scenario.",
    "run": "Run a scenario for real: threads on this machine.",
    "observe": "Turn what a running program does into a scenario, marked as observed.",
    "compare": "Compare schedulers: guarantees beside observations, as a table and a page.",
    "check": "Check a trace against the invariants that its policy promises.",
    "why": "Explain a job's response time: parts that sum to it exactly.",
    "trace": "Look at a trace: metrics, pictures, exports.",
    "windows": "The windows of a Pfair task's subtasks, listed and drawn.",
    "generate": "Generate random task sets, or rewrite one in another tool's format.",
    "export": "A scenario for stock Linux (systemd, sched_deadline, rt-app) or another tool.",
    "study": "List, run and plot the studies of published papers.",
    "measure": "Measure this machine's overheads, as an overheads file and a page.",
    "jobs": "Explore a job set of the schedule-abstraction tools (CSV, YAML).",
    "overheads": "Turn SchedCAT's tables of overheads into an overheads file.",
    "doctor": "What this machine can run for real, and what to change.",
    "crosscheck": "Compare schedlab's results with another tool's.",
    "new": "Start a scheduler or a locking protocol of your own.",
    "schema": "The JSON Schema of a file format, and the names that may stand in it.",
}

#: What somebody may call a command, and the command.
ALSO_CALLED = {
    "draw": "simulate --draw",
    "plot": "simulate --draw",
    "convert": "export",
    "import": "generate --from",
    "benchmark": "measure",
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
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            near = difflib.get_close_matches(args[0], [*COMMANDS, *ALSO_CALLED], n=1)
            meant = f"; did you mean {ALSO_CALLED.get(near[0], near[0])}?" if near else ";"
            raise BadInput(f'there is no command "{args[0]}"{meant} allowed: {", ".join(COMMANDS)}')
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"schedlab.cli.{cmd_name}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version=__version__, message="schedlab %(version)s")
def cli() -> None:
    """A laboratory for multiprocessor real-time scheduling and synchronization.

    Exit status: 0 done; 1 unschedulable, missed or deadlocked with --strict, a violated invariant, or a
    disagreement in a cross-check; 2 bad input; 3 cannot run here.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    try:
        given = sys.argv[1:] if arguments is None else list(arguments)
        with cli.make_context("schedlab", given) as context:
            result = cli.invoke(context)
        sys.stdout.flush()
        return result if isinstance(result, int) else DONE
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except (click.Abort, KeyboardInterrupt):
        print("schedlab: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BadInput as error:
        print(f"schedlab: {error}", file=sys.stderr)
        return BAD_INPUT
    except CannotRun as error:
        print(f"schedlab: {error}", file=sys.stderr)
        return CANNOT_RUN
    except BrokenPipeError:
        # Whoever read our output has enough of it: `schedlab trace ... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        # A defect of schedlab, or of a policy that the user wrote: whoever it is wants to see where.
        traceback.print_exc()
        return CANNOT_RUN
