"""`schedlab jobs`: explores a job set of the schedule-abstraction tools."""

from __future__ import annotations

from pathlib import Path

import click

from schedlab import _native
from schedlab.base.files import read_bytes, write_whole
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import FILE, json_option, print_answer, strict_option, table
from schedlab.cli.shared.screen import say
from schedlab.cli.shared.statuses import DONE, strict_status


@click.command("jobs", cls=Command)
@click.argument("jobs", type=FILE, metavar="FILE.csv|.yaml")
@click.option(
    "--processors", "-m", type=click.IntRange(min=1), default=1, show_default=True, help="Number of processors."
)
@click.option(
    "--states",
    type=click.IntRange(min=1),
    default=4_194_304,
    show_default=True,
    help="Explore at most this many states.",
)
@click.option("--out", "-o", type=FILE, metavar="FILE.csv|.yaml", help="Write the job set in the other form.")
@json_option
@strict_option
def command(jobs: Path, processors: int, states: int, out: Path | None, as_json: bool, strict: bool) -> int:
    """Explore all that a non-preemptive scheduler may do with a set of jobs, by schedule-abstraction graphs.

    The file has the format of `nptest`: Task ID, Job ID, Release min, Release max, Cost min, Cost max, Deadline,
    Priority. Its numbers are whole, of any unit. Precedence constraints, gang jobs and dense time are refused. On one
    processor the answer is exact; on several, what is found safe is safe. Completions are those of all schedules,
    also where a job may be late; where the budget ends before, none are given.
    """
    content = read_bytes(jobs)
    if out is not None:
        write_whole(out, _native.rewrite_job_set(content, str(jobs), str(out)))
    found = _native.explore_job_set(content, str(jobs), processors, states)
    if as_json:
        print_answer("jobs", **found)
    else:
        rows = table(
            f"{found['answer']}: {found['reason']}", "task", "job", "best completion", "worst", "worst response"
        )
        for row in found["jobs"]:
            cells = (row["task"], row["job"], row["best_completion"], row["worst_completion"], row["worst_response"])
            rows.row(*("-" if cell is None else str(cell) for cell in cells))
        rows.print()
        say(f"{found['states']} states, {found['dispatches']} dispatches")
        if not found["complete"]:
            say("not all schedules were explored: when jobs complete is not known (--states allows more)")
    return strict_status([found["answer"]]) if strict else DONE
