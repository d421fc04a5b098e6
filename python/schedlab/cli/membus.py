"""`schedlab membus`: what jobs wait for memory, with private caches and one bus."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from schedlab.base.durations import duration
from schedlab.cli.shared.files import Command
from schedlab.cli.shared.options import (
    FILE,
    json_option,
    next_step,
    print_answer,
    read_scenario,
    scenario_options,
    schedulers_option,
    table,
    write_output,
)
from schedlab.cli.shared.screen import say
from schedlab.errors import BadInput
from schedlab.membus import memory_use

if TYPE_CHECKING:
    from schedlab.outputs.results import MemoryUse

#: The event after which a delay comes, by the name of the overhead.
AFTER = {"cache_related_preemption": "preemption", "cache_related_migration": "migration"}


@click.command("membus", cls=Command)
@scenario_options
@schedulers_option()
@click.option("--out", "-o", type=FILE, metavar="FILE.toml", help="Write the delays as an overheads file.")
@json_option
def command(scenario: Path, schedulers: list[str], out: Path | None, as_json: bool, **overrides: Any) -> int:
    """Say what the jobs of SCENARIO wait for memory: private caches, one bus, a simulated schedule.

    Each task needs a working_set and the workload `writes`, `reads` or `backtest`. The table [platform.memory] has the
    caches and the bus; else they are those of staggered-pfair-2005. A job that goes on after a preemption or a
    migration loads its working set again. --out writes how long that took, as modelled numbers.
    """
    if out is not None and str(out) != "-" and out.suffix.lower() != ".toml":
        raise BadInput(f'-o {out}: an overheads file does not end like this; allowed: .toml, or "-"')
    given = read_scenario(scenario, **overrides)
    found, toml = memory_use(given, schedulers or None)
    if as_json:
        print_answer("membus", schedules=found, toml=toml)
    else:
        for one in found:
            _print(one)
    if out is not None:
        write_output(toml, out)
        if not as_json:
            say(f"modelled delays as overheads: {out}")
            next_step("compare", "--modelled", str(out), why="puts them beside the charged ones")
    return 0


def _print(found: MemoryUse) -> None:
    jobs = table(
        f"waiting for memory, {found['scheduler']} (modelled)",
        "task", "jobs", "requests", "served mean", "lost mean", "lost max",
    )  # fmt: skip
    by_task: dict[str, list[tuple[int, int, int]]] = {}
    for job in found["jobs"]:
        by_task.setdefault(job["name"], []).append((job["requests"], job["served_ns"], job["lost_ns"]))
    for name, rows in by_task.items():
        requests, served, lost = (list(column) for column in zip(*rows, strict=True))
        cells = (duration(_mean(served)), duration(_mean(lost)), duration(max(lost)))
        jobs.row(name, str(len(rows)), str(sum(requests)), *cells)
    jobs.print()
    if found["delays"]:
        delays = table(
            f"loading a working set again, {found['scheduler']} (modelled)",
            "after", "KiB", "co-runners", "times", "mean", "max",
        )  # fmt: skip
        for row in found["delays"]:
            size = f"{row['working_set_bytes'] / 1024:g}"
            counts = (str(row["co_runners"]), str(row["samples"]))
            delays.row(AFTER[row["kind"]], size, *counts, duration(row["mean_ns"]), duration(row["max_ns"]))
        delays.print()
    if not found["resumptions"]:
        say("no job was preempted or migrated: what that costs is unknown")
    if beyond := found["beyond_the_cache"]:
        say(f"{beyond} of {found['resumptions']} resumed jobs exceed the cache: they load lines all the time")


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values)
