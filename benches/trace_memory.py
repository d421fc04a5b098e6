"""How much memory the questions about a stored trace take: the peak of each command, for two lengths of the trace.

    python benches/trace_memory.py [HORIZON HORIZON]

Makes traces of 70 light tasks on four processors under G-EDF ("400 s": five million records).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import schedlab

#: What is asked; OUT is a file that is written, OTHER another trace with the same records.
COMMANDS = [
    "trace TRACE",
    "check TRACE",
    "why TRACE",
    "why TRACE T3J7",
    "trace TRACE --format records -o OUT",
    "trace TRACE --format csv -o OUT",
    "trace TRACE --format perfetto -o OUT",
    "trace TRACE --format svg -o OUT",
    "trace TRACE --format svg --around T3 -o OUT",
    "trace TRACE --format pdf -o OUT",
    "diff TRACE OTHER",
    "view TRACE --jobs 1000 --no-open -o OUT",
    "view TRACE --until 30s --no-open -o OUT",
    "view TRACE --until 300s --no-open -o OUT",
]

#: Runs a command, then prints the most memory that it had, in KiB.
MEASURED = """
import sys
from schedlab.cli import main
status = main(sys.argv[1:])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
sys.exit(status)
"""


def peak_mib(command: str, words: dict[str, str]) -> float:
    """The most memory that the command had at once."""
    arguments = [words.get(word, word) for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True
    )
    return int(done.stderr.split()[-1]) / 1024


def main(horizons: list[str]) -> None:
    made = schedlab.generate(utilizations="uniform-light", stop="tasks 70", seed=3, processors=4)
    with tempfile.TemporaryDirectory() as folder:
        cases = []
        for at, horizon in enumerate(horizons):
            trace, other = Path(folder) / f"{at}.slt", Path(folder) / f"{at}.other.slt"
            metrics = schedlab.simulate(made.replace(scheduler="G-EDF", horizon=horizon), into=trace).metrics()
            other.symlink_to(trace)
            # Arrival, readiness, link, dispatch, completion; a preempted job is linked and dispatched again.
            print(f"{horizon}: {5 * metrics.jobs + 3 * metrics.preemptions:,} records, {trace.stat().st_size:,} bytes")
            cases.append({"TRACE": str(trace), "OTHER": str(other), "OUT": str(Path(folder) / "out")})
        for command in COMMANDS:
            print(f"{command:45}", *(f"{peak_mib(command, words):8.0f} MiB" for words in cases), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["400 s", "1600 s"])
