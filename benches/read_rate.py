"""How fast stored traces are read: records per second of processor time, and memory.

    python benches/read_rate.py [HORIZON]

Makes a trace of 70 light tasks on four processors under G-EDF ("800 s": ten million records), and asks it everything.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import schedlab


def seconds(work: Callable[[], object]) -> float:
    """Processor time."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main(horizon: str) -> None:
    made = schedlab.generate(utilizations="uniform-light", stop="tasks 70", seed=3, processors=4)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.slt"
        scenario = made.replace(scheduler="G-EDF", horizon=horizon)
        written = seconds(lambda: schedlab.simulate(scenario, into=path))
        metrics = schedlab.Schedule.read(path).metrics()
        # Arrival, readiness, link, dispatch, completion; a preempted job is linked and dispatched again.
        records = 5 * metrics.jobs + 3 * metrics.preemptions
        last = f"T0J{metrics.tasks[0]['jobs'] - 1}"
        print(f"{records:,} records, {path.stat().st_size:,} bytes; the last job is {last}")
        end_ns = scenario.horizon_ns

        def picture(index: bool) -> str:
            """Of the last 10 ms."""
            if not index:
                path.with_name("long.slt.index").unlink()
            return schedlab.Schedule.read(path).to_svg(end_ns - 10_000_000, end_ns)

        asked: dict[str, Callable[[], object]] = {
            "metrics": lambda: schedlab.Schedule.read(path).metrics(),
            "check": lambda: schedlab.Schedule.read(path).check(),
            "why, no index": lambda: schedlab.Schedule.read(path).why(last),
            "why, by index": lambda: schedlab.Schedule.read(path).why(last),
            "picture, no index": lambda: picture(index=False),
            "picture, by index": lambda: picture(index=True),
        }
        print(f"{'simulate into a file':22} {written:6.3f} s {records / written / 1e6:8.1f} M records/s")
        for name, work in asked.items():
            taken = seconds(work)
            print(f"{name:22} {taken:6.3f} s {records / taken / 1e6:8.1f} M records/s")
    print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MiB, with Python")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "800 s")
