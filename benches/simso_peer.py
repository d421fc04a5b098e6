"""Jobs per second of SimSo beside those of schedlab, on the same task sets and in the same run.

    python benches/simso_peer.py [--runs 5] [--peer-seconds 10] [--cells G-EDF,4,100,medium ...]

Needs SimSo (`pip install --no-build-isolation -r benches/requirements.txt`, after `pip install "setuptools<80"`)
and a Rust toolchain. The sets come from `throughput --tasks`. Both sides are measured in processor time. SimSo
(M. Cheramy, P.-E. Hladik and A.-M. Deplanche, WATERS 2014) is timed in `run_model` alone, without its evaluation of
the results. Prints a table in Markdown: medians, and ratios to SimSo.
"""

import argparse
import contextlib
import csv
import io
import os
import platform
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLASSES = {"G-EDF": "simso.schedulers.EDF", "P-EDF": "simso.schedulers.P_EDF"}
ALL = [
    f"{name},{machine},{load}"
    for machine in ("4,100", "48,400")
    for load in ("light", "medium", "heavy")
    for name in ("G-EDF", "P-EDF")
]


def throughput(*arguments):
    """The lines that our own benchmark prints."""
    command = ["cargo", "run", "--quiet", "--release", "-p", "schedlab-tests", "--bin", "throughput", "--"]
    done = subprocess.run([*command, *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def tasks_of(cell):
    """Period and cost of each task, in nanoseconds."""
    return [tuple(map(int, line.split(",")[:2])) for line in throughput("--tasks", cell)]


def peer_rate(cell, seconds):
    """SimSo's completed jobs per second of processor time, over `seconds` of simulated time."""
    from simso.configuration import Configuration
    from simso.core import Model

    name, processors, *_ = cell.split(",")
    configuration = Configuration()
    configuration.duration = int(seconds * 1000 * configuration.cycles_per_ms)
    for number, (period, cost) in enumerate(tasks_of(cell), start=1):
        configuration.add_task(
            name=f"T{number}",
            identifier=number,
            period=period / 1e6,
            activation_date=0,
            wcet=cost / 1e6,
            deadline=period / 1e6,
            abort_on_miss=False,
        )
    for number in range(1, int(processors) + 1):
        configuration.add_processor(name=f"P{number}", identifier=number)
    configuration.scheduler_info.clas = CLASSES[name]
    configuration.check_all()
    model = Model(configuration)
    with contextlib.redirect_stdout(io.StringIO()):
        start = time.process_time()
        model.run_model()
        elapsed = time.process_time() - start
    completed = sum(1 for task in model.results.tasks.values() for job in task.jobs if job.end_date)
    return completed / elapsed


def machine():
    """Kind of processor, and how many there are."""
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.processor(),
    )
    return f"{model}, {os.cpu_count()} cores, CPython {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--peer-seconds", type=float, default=2.0, help="simulated by SimSo in each run")
    parser.add_argument("--cells", nargs="*", default=ALL)
    options = parser.parse_args()
    print(f"{machine()}; medians of {options.runs} runs, in jobs per second of one core\n")
    print("| m, n, class | scheduler | metrics, no trace | whole trace | SimSo | ratio | ratio with trace |")
    print("|---|---|---|---|---|---|---|")
    for cell in options.cells:
        rows = list(csv.DictReader(throughput("--runs", str(options.runs), "--only", cell)))
        ours, trace = float(rows[0]["metrics"]), float(rows[0]["trace"])
        peer = statistics.median(peer_rate(cell, options.peer_seconds) for _ in range(options.runs))
        name, processors, count, load = cell.split(",")
        print(
            f"| {processors}, {count}, {load} | {name} | {ours / 1e6:.2f} M | {trace / 1e6:.2f} M "
            f"| {peer:,.0f} | {ours / peer:,.0f} | {trace / peer:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
