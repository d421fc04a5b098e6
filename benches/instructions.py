"""Instructions per simulated job, under callgrind: the same on every machine, and however busy it is.

    python benches/instructions.py [--seconds 2]

Needs valgrind and a Rust toolchain. Sets are those of `throughput`; only the simulation is counted, not its
preparation. Prints a table in Markdown.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CELLS = [
    ("nothing", "G-EDF,4,100,light"),
    ("metrics", "G-EDF,4,100,light"),
    ("trace", "G-EDF,4,100,light"),
    ("nothing", "G-EDF,48,400,medium"),
    ("nothing", "P-EDF,48,400,medium"),
]


def program():
    """Our own benchmark, built."""
    build = ["cargo", "build", "--quiet", "--release", "-p", "schedlab-tests", "--bin", "throughput"]
    subprocess.run(build, cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "throughput"


def instructions_per_job(binary, recorded, cell, seconds):
    """Counted over `seconds` of simulated time."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", "--toggle-collect=*counted*",
             binary, "--once", recorded, cell, "--seconds", str(seconds)],
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
    binary = program()
    print("| scheduler, m, n, class | recorded | instructions per job |")
    print("|---|---|---|")
    for recorded, cell in CELLS:
        count = instructions_per_job(binary, recorded, cell, arguments.seconds)
        print(f"| {cell.replace(',', ', ')} | {recorded} | {count:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
