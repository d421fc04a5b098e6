"""Every scheduler, and every locking protocol that runs for real, on this machine: 20 tasks of total utilization 1.6.

    .venv/bin/schedlab measure --quick --out overheads.toml
    .venv/bin/python tests/real_runs.py --duration 60s --overheads overheads.toml --out out/real-runs

One run after the other, each checked: is the replay exact, do the invariants hold, within which time did the kernel
make 99.9% of the decisions true, and is every missed deadline explained? Each is simulated, too, with the mean
overheads of the file. Prints a table; writes it as `table.json`, and `responses.png`, `.pdf` and `.svg`: the response
times as they really were beside the simulated ones. Exits with 1 if anything is wrong.

With `--matrix`, instead, every protocol under every scheduler that takes it, as their lists have them: a few tasks with
long sections, a few seconds each. What is written is checked there, too. `--only` names protocols then.

What is done is kept in the folder: the same command goes on where it was stopped, or where `--within` ended it (130).
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributions import Beside, draw_beside, quantiles

from schedlab import _native
from schedlab.errors import BadInput, CannotRun
from schedlab.base.files import make_folder, write_whole
from schedlab.plots import paper_style, save_figure
from schedlab.runtime import doctor, run_checked
from schedlab.scenario import Scenario
from schedlab.core.schedule import Schedule
from schedlab.schemas import names
from schedlab.core.simulation import simulate

SCHEDULERS = ("P-EDF", "G-EDF", "NG-EDF", "P-RM", "G-RM", "G-FIFO", "PD2", "S-PD2")

#: These give quanta by weight: WCETs are whole quanta there, of which jobs need four fifths. Their tasks have twice the
#: quanta and periods: a job that is late by a quantum takes it from the next one, which must do with one less. Of five
#: quanta four would be left, for work of four and for what is lost.
BY_QUANTA = ("PD2", "S-PD2")
LONGER = 2

#: Under the first of these that it takes, each protocol runs: with resources that processors share, or that none do.
CARRIERS = (
    ("P-EDF", False),
    ("G-EDF", False),
    ("P-RM", False),
    ("G-RM", False),
    ("PD2", False),
    ("P-EDF", True),
    ("P-RM", True),
)

#: Quanta of 1 ms, period in ms, how many. Pfair weights add up to 2.
TASKS = ((5, 25, 4), (5, 50, 4), (5, 100, 4), (10, 100, 4), (10, 200, 4))

#: Nanoseconds of work for each quantum: utilization 1.6. A fifth of the quanta is a task's own allowance for what is
#: lost, as in WCETs that are inflated for overheads. Without it a job that loses part of a quantum and needs another
#: takes it from the job after it, and so on for ever: a Pfair task gets its weight, however idle the processors are.
WORK = 800_000


def scenario(scheduler: str, protocol: str | None = None, *, local: bool = False) -> Scenario:
    """Twenty tasks on two processors; with a protocol, each has a section on one of two resources."""
    lines = ["schedlab = 1", 'title = "20 tasks, U = 1.6"']
    if protocol is not None:
        lines.append(f'protocol = "{protocol}"')
    lines += ["[scheduler]", f'name = "{scheduler}"', "[platform]", "processors = 2", 'quantum = "1 ms"']
    if protocol is not None:
        lines += ["[[resource]]", 'name = "r0"', "[[resource]]", 'name = "r1"']
    number = 0
    # Whole quanta, of which jobs need less; a job with a program needs what the program says.
    less = scheduler in BY_QUANTA and protocol is None
    longer = LONGER if less else 1
    for quanta, period, count in ((longer * quanta, longer * period, count) for quanta, period, count in TASKS):
        for _ in range(count):
            work = quanta * WORK
            wcet = f"{quanta} ms" if less else f"{work} ns"
            lines += ["[[task]]", f'name = "t{number}"', f'wcet = "{wcet}"', f'period = "{period} ms"']
            if less:
                lines.append(f"cost = {{ list = ['{work} ns'] }}")
            if protocol is not None:
                resource = f"r{number % 2 if local else number // 2 % 2}"
                lines.append(
                    f'program = ["execute {work // 2} ns", "request {resource}", "execute 20000 ns", '
                    f'"release {resource}", "execute {work - work // 2 - 20_000} ns"]'
                )
            if scheduler.startswith("P-"):
                lines.append(f"processor = {number % 2}")
            number += 1
    return Scenario.parse("\n".join(lines), "real_runs.py")


#: Quanta of 1 ms, period in ms. Nearly a third of the work is in sections, which are shorter than a quantum.
CROWD = ((1, 5), (1, 7), (2, 11), (4, 20), (6, 33), (8, 50))
LONGEST_SECTION = 600_000

#: Where a pair is tried, until one is not refused: processors, and whether each of them has resources of its own.
PLACES = ((2, False), (2, True), (1, False))

#: These execute the sections of each resource in a task of its own.
SERVED = ("pfair-server",)


def crowd(scheduler: str, protocol: str, processors: int, *, local: bool) -> Scenario:
    """A few tasks, of which each has a section on one of two resources."""
    lines = ["schedlab = 1", 'title = "long sections"', f'protocol = "{protocol}"', "[scheduler]"]
    lines += [f'name = "{scheduler}"', "[platform]", f"processors = {processors}", 'quantum = "1 ms"']
    lines += ["[[resource]]", 'name = "r0"', "[[resource]]", 'name = "r1"'] if protocol != "none" else []
    for number, (quanta, period) in enumerate(CROWD):
        work = quanta * WORK
        section = min(work * 3 // 10, LONGEST_SECTION)
        lines += ["[[task]]", f'name = "t{number}"', f'wcet = "{work} ns"', f'period = "{period} ms"']
        lines += [f"priority = {number}", f'priority_point = "{period} ms"']
        if protocol != "none":
            resource = number % 2 if local else number // 2 % 2
            before = (work - section) // 2
            lines.append(
                f'program = ["execute {before} ns", "request r{resource}", "execute {section} ns", '
                f'"release r{resource}", "execute {work - section - before} ns"]'
            )
        if scheduler.startswith("P-"):
            lines.append(f"processor = {number % processors}")
    for resource in (0, 1) if protocol in SERVED else ():
        lines += ["[[task]]", f'name = "s{resource}"', 'period = "4 ms"']
        lines.append(f'program = ["serve r{resource}", "execute 1 ms"]')
    return Scenario.parse("\n".join(lines), "real_runs.py")


def pairs(only: list[str] | None) -> Iterator[tuple[str, Scenario]]:
    """Every protocol under every scheduler that takes it: what the pair is called, and its tasks."""
    known = names()
    for protocol in known["protocols"]:
        for scheduler in known["schedulers"]:
            for processors, local in PLACES:
                with suppress(BadInput):
                    given = crowd(scheduler, protocol, processors, local=local)
                    if not only or protocol in only:
                        yield f"{protocol} ({scheduler}{', local' * local}{', alone' * (processors == 1)})", given
                    break


def short(given: Scenario) -> dict[str, Any]:
    """What a run found, and which invariants its traces violate; or why there was none."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "run.slt"
        try:
            found = run_checked(given, trace)
        except (BadInput, CannotRun) as error:
            return {"refused": str(error).splitlines()[0]}
        written = [check for path in sorted(Path(folder).glob("*.slt")) for check in Schedule.read(path).check()]
        return {"found": found, "violated": sorted({check.name for check in written if not check.holds})}


def one(given: Scenario) -> dict[str, Any]:
    """What a run found, and what its jobs experienced beside those of the simulation; or why there was none."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "run.trace"
        try:
            found = run_checked(given, trace)
        except (BadInput, CannotRun) as error:
            return {"refused": str(error).splitlines()[0]}
        real = Schedule.read(trace)
        simulated = simulate(given)
        return {
            "found": found,
            "simulated_misses": simulated.metrics().misses,
            "responses_ns": {"real": by_kind(real), "simulated": by_kind(simulated)},
        }


def by_kind(schedule: Schedule) -> dict[str, list[int]]:
    """Quantiles of the response times of all tasks that are alike."""
    by_task: list[list[int]] = [[] for _ in range(sum(count for _, _, count in TASKS))]
    for job in schedule.jobs:
        if job["response_time_ns"] is not None:
            by_task[job["task"]].append(job["response_time_ns"])
    tasks = iter(by_task)
    return {
        f"{quanta} of {period} ms": quantiles([one for _ in range(count) for one in next(tasks)])
        for quanta, period, count in TASKS
    }


def row(name: str, kept: dict[str, Any]) -> dict[str, Any]:
    """A line of the table: what matters of a run."""
    if "refused" in kept:
        return {"name": name, "refused": kept["refused"], "good": True}
    found = kept["found"]
    witness = found["witness"] or {}
    starts, stops = witness.get("starts") or {}, witness.get("stops") or {}
    misses = found["misses"] or {}
    on_two = witness.get("on_two_processors", 0)
    return {
        "name": name,
        "good": bool(found["ending"] == "horizon" and found["holds"] and found["replay_is_exact"] and not on_two),
        "replay_is_exact": found["replay_is_exact"],
        "invariants_hold": found["invariants_hold"],
        "on_two_processors": on_two,
        "decision_to_run_p999_ns": starts.get("p999_ns"),
        "decision_to_run_largest_ns": starts.get("largest_ns"),
        "decision_to_stop_p999_ns": stops.get("p999_ns"),
        "jobs": found["jobs"]["completed"],
        "missed": found["jobs"]["missed"],
        "missed_simulated": kept["simulated_misses"],
        "misses_by_schedule": misses.get("of_schedule"),
        "misses_by_lost_time": misses.get("of_lost_time"),
        "lost_mostly_to": misses.get("lost_mostly_to"),
        "misses_by_shifted_decisions": misses.get("of_shifted_decisions"),
        "misses_unexplained": len(misses.get("unexplained", ())),
    }


HEADINGS = (
    f"{'':28} {'replay':8} {'invariants':10} {'links':6} {'99.9% us':>9} {'largest us':>10} {'jobs':>7} {'missed':>7} "
    f"{'simulated':>9} {'schedule':>9} {'lost':>5} {'shifted':>7} {'unexplained':>11}"
)


def line(found: dict[str, Any]) -> str:
    """The same for people."""
    if "refused" in found:
        return f"{found['name']:28} not run: {found['refused']}"
    replay, invariants = found["replay_is_exact"], found["invariants_hold"]
    p999, largest = found["decision_to_run_p999_ns"] or 0, found["decision_to_run_largest_ns"] or 0
    return (
        f"{found['name']:28} {'exact' if replay else 'DIFFERS':8} {'hold' if invariants else 'VIOLATED':10} "
        f"{'FALSE' if found['on_two_processors'] else 'true':6} {p999 / 1000:9.1f} {largest / 1000:10.1f} "
        f"{found['jobs']:7} {found['missed']:7} {found['missed_simulated']:9} {found['misses_by_schedule'] or 0:9} "
        f"{found['misses_by_lost_time'] or 0:5} {found['misses_by_shifted_decisions'] or 0:7} "
        f"{found['misses_unexplained']:11}"
    )


def kept_or_run(path: Path, given: Scenario, run: Callable[[Scenario], dict[str, Any]] | None = None) -> dict[str, Any]:
    """The findings of this very scenario in the folder; else it is run, and its findings are kept there."""
    scenario = given.to_toml()
    if path.exists():
        kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if kept["scenario"] == scenario:
            return kept
    kept = {"scenario": scenario, **(run or one)(given)}
    if kept.get("found", {}).get("ending") == "stopped":
        raise KeyboardInterrupt
    if "refused" not in kept:
        write_whole(path, json.dumps(kept))
    return kept


def candidates(only: list[str] | None) -> Iterator[tuple[str, list[tuple[str, str | None, bool]]]]:
    """What is to run: a name, and the ways to run it, of which the first that is not refused is taken."""
    for name in SCHEDULERS:
        if not only or name in only:
            yield name, [(name, None, False)]
    for name in names()["protocols"]:
        if name != "none" and (not only or name in only):
            yield name, [(carrier, name, local) for carrier, local in CARRIERS]


def first_that_runs(
    name: str, ways: list[tuple[str, str | None, bool]], settings: dict[str, Any], folder: Path
) -> tuple[str, dict[str, Any]]:
    """What the run is called, and its findings."""
    refusals = []
    for scheduler, protocol, local in ways:
        longer = " (twice as long)" if scheduler in BY_QUANTA else ""
        label = f"{name}{longer}" if protocol is None else f"{name} ({scheduler}{', local' if local else ''})"
        try:
            plain = scenario(scheduler, protocol, local=local).replace(horizon=settings["horizon"])
            given = charged(plain, settings)
        except BadInput as error:
            refusals.append({"refused": str(error)})
            continue
        kept = kept_or_run(folder / f"{label}.json", given)
        if "refused" not in kept:
            return label, kept
        refusals.append(kept)
    return name, max(refusals, key=lambda refusal: refusal["refused"].startswith("protocol "))


def charged(plain: Scenario, settings: dict[str, Any]) -> Scenario:
    """With the overheads; zones can be simulated without any only."""
    return plain if plain.protocol.startswith("zone-") else plain.replace(**settings)


def write(folder: Path, rows: list[dict[str, Any]], runs: dict[str, dict[str, Any]], duration: str) -> None:
    """The table and the plot of what is done so far."""
    machine = doctor()["machine"]
    table = {"machine": machine, "duration": duration, "runs": rows}
    write_whole(folder / "table.json", json.dumps(table, indent=1))
    if not runs:
        return
    panels = {
        name: {
            kind: Beside(real, kept["responses_ns"]["simulated"][kind])
            for kind, real in kept["responses_ns"]["real"].items()
        }
        for name, kept in runs.items()
    }
    overheads = Scenario.parse(next(iter(runs.values()))["scenario"]).overheads
    overheads = "without overheads" if overheads == "none" else f"with mean overheads of: {overheads}"
    with paper_style():
        figure = draw_beside(
            panels,
            f"Response times of 20 tasks on 2 processors, each run {duration}: colours are tasks by quanta of work and "
            f"period. Simulated {overheads} (zones: without any).",
            f"Ran on: {machine['processors']} processors, {machine['model']}; {machine['kernel']}.",
        )
        save_figure(figure, folder / "responses")


def wrong_with(kept: dict[str, Any]) -> list[str]:
    """What a short run promises and did not keep."""
    found = kept["found"]
    witness = found["witness"] or {}
    checks = {
        f"ended: {found['ending']}": found["ending"] == "horizon",
        "the replay differs": found["replay_is_exact"],
        "decisions violate invariants": found["invariants_hold"],
        "what the kernel ran violates invariants": witness.get("invariants_hold") is not False,
        "threads were on two processors": not witness.get("on_two_processors"),
        "misses are unexplained": not (found["misses"] or {}).get("unexplained"),
        f"the traces violate {', '.join(kept['violated'])}": not kept["violated"],
    }
    return [what for what, is_right in checks.items() if not is_right]


def matrix(given: argparse.Namespace, end: float) -> int:
    """Runs every pair; says of each that is wrong what is."""
    todo = list(pairs(given.only))
    length = _native.nanoseconds("--duration", given.duration) / 1e9
    wrong, refused = {}, {}
    for at, (name, tasks) in enumerate(todo):
        if time.monotonic() + length > end:
            print(f"{len(todo) - at} are left: the same command goes on here", file=sys.stderr)
            return 130
        print(f"[{at + 1}/{len(todo)}] {name}", file=sys.stderr, flush=True)
        try:
            kept = kept_or_run(given.out / f"{name}.json", tasks.replace(horizon=given.duration), short)
        except KeyboardInterrupt:
            print("stopped: the same command goes on here", file=sys.stderr)
            return 130
        if "refused" in kept:
            refused[name] = kept["refused"]
        elif found := wrong_with(kept):
            wrong[name] = found
            print(f"{name}: {'; '.join(found)}", flush=True)
    for why in sorted(set(refused.values())):
        print(f"not run: {sum(why == other for other in refused.values())} pairs: {why}")
    ran = len(todo) - len(refused)
    print(f"{ran} pairs of a protocol and a scheduler ran for {given.duration} each; {len(wrong)} of them are wrong")
    return int(bool(wrong))


def arguments() -> argparse.Namespace:
    """What the user wants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", default="60s", help="how long each runs")
    parser.add_argument("--matrix", action="store_true", help="every protocol under every scheduler that takes it")
    parser.add_argument("--only", nargs="*", help="only these schedulers and protocols")
    parser.add_argument("--overheads", help="what simulations are charged: a file of `schedlab measure`")
    parser.add_argument("--out", type=Path, default=Path("out/real-runs"), help="folder of findings, table and plot")
    parser.add_argument("--within", help='begin no run that would end later than so long after the start: "1500 s"')
    return parser.parse_args()


def main() -> int:
    """Runs all of them."""
    given = arguments()
    make_folder(given.out)
    settings = {"horizon": given.duration}
    if given.overheads:
        settings |= {"overheads": given.overheads, "statistic": "mean"}
    length = _native.nanoseconds("--duration", given.duration) / 1e9
    end = time.monotonic() + (_native.nanoseconds("--within", given.within) / 1e9 if given.within else float("inf"))
    if given.matrix:
        return matrix(given, end)
    todo = list(candidates(given.only))
    rows: list[dict[str, Any]] = []
    runs: dict[str, dict[str, Any]] = {}
    print(HEADINGS)
    complete = True
    for at, (name, ways) in enumerate(todo):
        if time.monotonic() + length > end:
            complete = False
            print(f"{len(todo) - at} are left: the same command goes on here", file=sys.stderr)
            break
        print(f"[{at + 1}/{len(todo)}] {name}", file=sys.stderr, flush=True)
        try:
            label, kept = first_that_runs(name, ways, settings, given.out)
        except KeyboardInterrupt:
            complete = False
            print("stopped: the same command goes on here", file=sys.stderr)
            break
        rows.append(row(label, kept))
        if "refused" not in kept:
            runs[label] = kept
        print(line(rows[-1]), flush=True)
    write(given.out, rows, runs, given.duration)
    print(given.out / "responses.png")
    return int(not all(found["good"] for found in rows)) if complete else 130


if __name__ == "__main__":
    raise SystemExit(main())
