"""Instructions per simulated job, under callgrind: the same on every machine, and however busy it is.

    python benches/instructions.py [--seconds 2]

Needs valgrind and a Rust toolchain. Sets are those of `throughput` and, for locks, of `engine_rates`; only the
simulation is counted, not its preparation. Prints a table in Markdown.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the row says, what is recorded, and the program with what it is to run once.
CELLS = [
    ("G-EDF, 4, 100, light", "nothing", ["throughput", "nothing", "G-EDF,4,100,light"]),
    ("G-EDF, 4, 100, light", "metrics", ["throughput", "metrics", "G-EDF,4,100,light"]),
    ("G-EDF, 4, 100, light", "trace", ["throughput", "trace", "G-EDF,4,100,light"]),
    ("G-EDF, 48, 400, medium", "nothing", ["throughput", "nothing", "G-EDF,48,400,medium"]),
    ("P-EDF, 48, 400, medium", "nothing", ["throughput", "nothing", "P-EDF,48,400,medium"]),
    ("P-EDF, 4, 100, light", "metrics", ["engine_rates", "plain"]),
    ("the same under the MSRP, two requests a job", "metrics", ["engine_rates", "msrp"]),
]


def folder():
    """Where our own benchmarks are, built."""
    programs = [argument for name in ("throughput", "engine_rates") for argument in ("--bin", name)]
    build = ["cargo", "build", "--quiet", "--release", "-p", "schedlab-tests", *programs]
    subprocess.run(build, cwd=ROOT, check=True)
    return ROOT / "target" / "release"


def instructions_per_job(binary, once, seconds):
    """Counted over `seconds` of simulated time."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=*counted*",
             binary, "--once", *once, "--seconds", str(seconds)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    collected = re.search(r"Collected : (\d+)", done.stderr)
    return int(collected.group(1)) / int(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=2, help="simulated time of each run")
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed: instructions are not counted")
    built = folder()
    print("| scheduler, m, n, class | recorded | instructions per job |")
    print("|---|---|---|")
    for name, recorded, (program, *once) in CELLS:
        count = instructions_per_job(built / program, once, arguments.seconds)
        print(f"| {name} | {recorded} | {count:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
