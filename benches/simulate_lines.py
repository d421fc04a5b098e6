"""What a second worker gives `schedlab simulate --jsonl`: lines per second, and processor time of a line.

    python benches/simulate_lines.py [--lines 2000] [--rounds 5]

Simulates the same lines (20 tasks on four processors, one second each) by one worker, by two, and by two processes
that get a half each, in turn. Medians. The processes share nothing but the machine: their ratio is what it can give.
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


def simulated(runs: list[tuple[Path, int]], out: Path) -> tuple[float, float]:
    """Simulates each file by so many threads, all at once; seconds by the clock, and of processors."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    program = Path(sys.executable).with_name("schedlab")
    started = []
    for at, (lines, threads) in enumerate(runs):
        rows = out / f"{at}.arrow"
        command = [program, "simulate", "--jsonl", lines, "-o", rows, "--threads", str(threads)]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
    for process in started:
        if process.wait() != 0:
            sys.exit(f"{process.args} failed")
    taken, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    draw = random.Random(1)
    texts = [a_line(number, draw) for number in range(arguments.lines)]
    middle = arguments.lines // 2
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)

        def written(name: str, part: list[str]) -> Path:
            path = out / f"{name}.jsonl"
            path.write_text("\n".join(part))
            return path

        lines, first, second = (
            written(name, part)
            for name, part in (("all", texts), ("first", texts[:middle]), ("second", texts[middle:]))
        )
        ways = {
            "one worker": [(lines, 1)],
            "two workers": [(lines, 2)],
            "two processes": [(first, 1), (second, 1)],
        }
        few = written("one", texts[:1])
        start = [statistics.median(simulated([(few, 1)], out)[which] for _ in range(3)) for which in (0, 1)]
        found: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            for way, runs in ways.items():
                clock, processors = simulated(runs, out)
                # Without what the programs take to start.
                found[way].append((clock - start[0], processors - start[1] * len(runs)))
    show(found, arguments.lines)


def show(found: dict[str, list[tuple[float, float]]], lines: int) -> None:
    """Prints medians, and each way's ratio to one worker in the same round."""
    print("| | lines per second | to one worker | processor time of a line | to one worker |")
    print("|---|---|---|---|---|")
    one = found["one worker"]
    for way, measured in found.items():
        clock, processors = (statistics.median(each[which] for each in measured) for which in (0, 1))
        pairs = list(zip(one, measured, strict=True))
        faster = statistics.median(alone[0] / each[0] for alone, each in pairs)
        dearer = statistics.median(each[1] / alone[1] for alone, each in pairs)
        cost = f"{processors / lines * 1e6:,.0f} us | {dearer:.3f}"
        print(f"| {way} | {lines / clock:,.0f} | {faster:.2f} | {cost} |")


if __name__ == "__main__":
    main()
