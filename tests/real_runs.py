"""Every scheduler, and every locking protocol that runs for real, on this machine: 20 tasks of total utilization 1.6.

    .venv/bin/python tests/real_runs.py --duration 60s

One run after the other, each checked: is the replay exact, do the invariants hold, within which time did the kernel
make 99.9% of the decisions true, and is every missed deadline explained? Prints a table; exits with 1 if anything is
wrong.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from schedlab.errors import BadInput, CannotRun
from schedlab.runtime import run_checked
from schedlab.scenario import Scenario
from schedlab.schemas import names

SCHEDULERS = ("P-EDF", "G-EDF", "NG-EDF", "P-RM", "G-RM", "G-FIFO", "PD2", "S-PD2")

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

#: Quanta of 1 ms, period in ms, how many. Four fifths of each quantum are work, so that overheads do not cost another
#: one: utilization 1.6, Pfair weights exactly 2.
TASKS = ((1, 10, 4), (3, 20, 4), (3, 40, 4), (4, 50, 4), (19, 200, 4))

#: Nanoseconds of work in a quantum.
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
    for quanta, period, count in TASKS:
        for _ in range(count):
            work = quanta * WORK
            lines += ["[[task]]", f'name = "t{number}"', f'wcet = "{work} ns"', f'period = "{period} ms"']
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


def one(given: Scenario) -> dict[str, Any]:
    """The findings of a run, or why there was none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return run_checked(given, Path(folder) / "run.trace")
        except CannotRun as error:
            return {"refused": str(error).splitlines()[0]}


def row(name: str, found: dict[str, Any]) -> tuple[str, bool]:
    """A line of the table, and whether all is well."""
    if "refused" in found:
        return f"{name:28} not run: {found['refused']}", True
    witness = found["witness"] or {}
    starts = witness.get("starts") or {}
    misses = found["misses"] or {"of_schedule": 0, "of_lost_time": 0, "unexplained": []}
    links = not witness.get("on_two_processors", 0)
    good = bool(found["holds"] and found["replay_is_exact"] and links)
    line = (
        f"{name:28} {'exact' if found['replay_is_exact'] else 'DIFFERS':8} "
        f"{'hold' if found['invariants_hold'] else 'VIOLATED':10} {'true' if links else 'FALSE':6} "
        f"{starts.get('p999_ns', 0) / 1000:9.1f} {starts.get('largest_ns', 0) / 1000:10.1f} "
        f"{found['jobs']['completed']:7} {found['jobs']['missed']:7} {misses['of_schedule']:9} "
        f"{misses['of_lost_time']:5} {len(misses['unexplained']):11}"
    )
    return line, good


def main() -> int:
    """Runs all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--duration", default="60s", help="how long each runs")
    parser.add_argument("--only", nargs="*", help="only these schedulers and protocols")
    given = parser.parse_args()
    print(
        f"{'':28} {'replay':8} {'invariants':10} {'links':6} {'99.9% us':>9} {'largest us':>10} "
        f"{'jobs':>7} {'missed':>7} {'schedule':>9} {'lost':>5} {'unexplained':>11}"
    )
    jobs: list[tuple[str, list[tuple[str, str | None, bool]]]] = [(name, [(name, None, False)]) for name in SCHEDULERS]
    jobs += [
        (name, [(carrier, name, local) for carrier, local in CARRIERS])
        for name in names()["protocols"]
        if name != "none"
    ]
    well = True
    for name, candidates in jobs:
        if given.only and name not in given.only:
            continue
        refusals = []
        for scheduler, protocol, local in candidates:
            label = name if protocol is None else f"{name} ({scheduler}{', local' if local else ''})"
            try:
                found = one(scenario(scheduler, protocol, local=local).replace(horizon=given.duration))
            except BadInput as error:
                found = {"refused": str(error)}
            if "refused" not in found:
                break
            refusals.append(found)
        if len(refusals) == len(candidates):
            label, found = name, max(refusals, key=lambda refusal: "protocol " in refusal["refused"][:9])
        line, good = row(label, found)
        print(line, flush=True)
        well &= good
    return int(not well)


if __name__ == "__main__":
    raise SystemExit(main())
