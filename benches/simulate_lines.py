"""What a second worker gives `schedlab simulate --jsonl`: lines per second, and processor time of a line.

    python benches/simulate_lines.py [--lines 2000] [--rounds 5]

Simulates the same lines (20 tasks on four processors, one second each) by one worker and by two, in turn. Medians.
The ratio of lines per second holds where nothing else runs. That of processor times says how much a line costs more
beside another, and holds on a busy machine, too: its inverse times two is what an idle one would give.
"""

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PERIODS_MS = (4, 5, 8, 10, 20, 25, 40, 50)


def a_line(number: int, draw: random.Random) -> str:
    """Tasks of about 0.09 each."""
    periods = [draw.choice(PERIODS_MS) * 1_000_000 for _ in range(20)]
    tasks = [[int(period * draw.uniform(0.02, 0.16)), period] for period in periods]
    return json.dumps({"id": number, "m": 4, "scheduler": "G-EDF", "tasks": tasks})


def simulated(lines: Path, threads: int, out: Path) -> tuple[float, float]:
    """Seconds by the clock, and of processors."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [
        Path(sys.executable).with_name("schedlab"),
        "simulate",
        "--jsonl",
        lines,
        "-o",
        out,
        "--threads",
        str(threads),
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    taken, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        lines, out = Path(folder) / "lines.jsonl", Path(folder) / "rows.arrow"
        lines.write_text("\n".join(a_line(number, draw) for number in range(arguments.lines)))
        few = Path(folder) / "one.jsonl"
        few.write_text(a_line(0, draw))
        start = [statistics.median(simulated(few, 1, out)[which] for _ in range(3)) for which in (0, 1)]
        by_workers: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
        for _ in range(arguments.rounds):
            for workers, found in by_workers.items():
                clock, processors = simulated(lines, workers, out)
                # Without what the program takes to start.
                found.append((clock - start[0], processors - start[1]))
    print("| workers | lines per second | processor time of a line |\n|---|---|---|")
    for workers, found in by_workers.items():
        clock, processors = (statistics.median(one[which] for one in found) for which in (0, 1))
        rate, cost = arguments.lines / clock, processors / arguments.lines * 1e6
        print(f"| {workers} | {rate:,.0f} | {cost:,.0f} us |")
    pairs = list(zip(by_workers[1], by_workers[2], strict=True))
    faster = statistics.median(one[0] / two[0] for one, two in pairs)
    dearer = statistics.median(two[1] / one[1] for one, two in pairs)
    print(f"two workers are {faster:.2f} times as fast as one by the clock")
    print(f"a line costs {dearer:.3f} times the processor time")


if __name__ == "__main__":
    main()
