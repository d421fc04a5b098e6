"""Release latency of schedlab's threads beside cyclictest's, alternating in one run.

    python benches/release_latency.py [--runs 20] [--loops 500] [--interval-us 1000] [--load 0]

Needs cyclictest (Debian's rt-tests), real-time priorities, and `schedlab-rt` (built if `--binary` is not given). Both
sides have one thread on each processor at the same real-time priority and the same interval, all due at the same
instants, memory locked and idle states shallow. cyclictest takes the time from when its timer was due to its next
instruction; `schedlab-rt measure latency` from a job's arrival to its first instruction. A round runs cyclictest and
each scheduler once, in an order that turns from round to round, and gives each a median and a 99th percentile; the
table has the medians over all rounds, and those of the ratios to the same round's cyclictest. `--load N` keeps N
ordinary processes busy all the while.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# That of tasks' threads in a run.
PRIORITY = 50
# The first values bring code and stacks in.
WARM_UP = 20
# What each scheduler ought to reach: ratios of medians and of 99th percentiles.
OWN_TIMER, OTHER_TIMER, HIGH = 1.5, 2.0, 2.0


def built():
    """Builds `schedlab-rt`."""
    command = ["cargo", "build", "--quiet", "--release", "--package", "schedlab-rt"]
    subprocess.run(command, cwd=ROOT, check=True)
    return ROOT / "target/release/schedlab-rt"


def cyclictest(options):
    """All its values, in nanoseconds, without those of the warm-up."""
    threads = len(os.sched_getaffinity(0))
    command = ["cyclictest", "--mlockall", f"--priority={PRIORITY}", f"--threads={threads}", "--affinity"]
    command += [f"--interval={options.interval_us}", "--distance=0", f"--loops={options.loops}", "--nsecs", "--verbose"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    values = []
    for line in done.stdout.splitlines():
        # Thread, cycle and latency; other lines have fewer parts or letters.
        parts = [part.strip() for part in line.split(":")]
        if len(parts) == 3 and all(part.isdigit() for part in parts) and int(parts[1]) >= WARM_UP:
            values.append(int(parts[2]))
    return values


def schedlab(options, scheduler):
    """All its values, and whether the job's own processor takes its timer."""
    command = [options.binary, "measure", "latency", f"--scheduler={scheduler}", f"--interval={options.interval_us}us"]
    done = subprocess.run([*command, f"--loops={options.loops}"], check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    return found["ns"][WARM_UP:], found["own_timer"]


def summary(values):
    """Median and 99th percentile."""
    values = sorted(values)
    return values[len(values) // 2], values[len(values) * 99 // 100]


@contextlib.contextmanager
def load(count):
    """So many ordinary processes that compute all the time."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def measure(options):
    """By name: the summary of each round; and by scheduler: whether its timers are its jobs' own."""
    rounds = {name: [] for name in ["cyclictest", *options.schedulers]}
    own = {}
    names = list(rounds)
    for at in range(options.runs):
        turned = names[at % len(names) :] + names[: at % len(names)]
        for name in turned:
            if name == "cyclictest":
                values = cyclictest(options)
            else:
                values, own[name] = schedlab(options, name)
            rounds[name].append(summary(values))
    return rounds, own


def row(name, rounds, own):
    """A line of the table."""
    mine, peer = rounds[name], rounds["cyclictest"]
    half, high = (statistics.median(at[which] for at in mine) / 1000 for which in (0, 1))
    if name == "cyclictest":
        return f"| {name} | {half:.1f} | {high:.1f} | 1 | 1 | |"
    pairs = list(zip(mine, peer, strict=True))
    ratios = [statistics.median(ours[which] / theirs[which] for ours, theirs in pairs) for which in (0, 1)]
    aim = OWN_TIMER if own[name] else OTHER_TIMER
    reached = "reached" if ratios[0] <= aim and ratios[1] <= HIGH else "**not reached**"
    return f"| {name} | {half:.1f} | {high:.1f} | {ratios[0]:.2f} | {ratios[1]:.2f} | {aim} and {HIGH}: {reached} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, help="schedlab-rt")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--loops", type=int, default=500)
    parser.add_argument("--interval-us", type=int, default=1000)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--schedulers", nargs="*", default=["P-EDF", "G-EDF"])
    options = parser.parse_args()
    if not shutil.which("cyclictest"):
        sys.exit("not measured: cyclictest is missing (Debian: apt install rt-tests)")
    options.binary = options.binary or built()
    before = os.getloadavg()[0]
    try:
        with load(options.load):
            rounds, own = measure(options)
    except subprocess.CalledProcessError as refused:
        sys.exit(f"not measured: {refused.cmd[0]}: {refused.stderr.strip()}")
    processors = len(os.sched_getaffinity(0))
    print(
        f"{options.runs} rounds of {options.loops} intervals of {options.interval_us} us, {processors} processors, "
        f"{options.load} busy processes of our own; load average {before:.1f} before, {os.getloadavg()[0]:.1f} after\n"
    )
    print("| | median, us | 99%, us | ratio of medians | ratio of 99% | aim |")
    print("|---|---|---|---|---|---|")
    for name in rounds:
        print(row(name, rounds, own))


if __name__ == "__main__":
    main()
