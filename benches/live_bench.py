"""How long the page of `schedlab edit` waits for what follows from a change.

    python benches/live_bench.py [TASKS [CHANGES]]

Serves a scenario of 20 tasks on four processors under each scheduler, and sends what the page sends: a change of a
cost, then the questions for the schedule and for the proofs with the steps of one task, at the same time.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import schedlab

SCHEDULERS = ("P-EDF", "P-RM", "G-EDF", "G-RM", "PD2")


def served(file: Path) -> tuple[subprocess.Popen[str], str]:
    """Starts the bench of a file; returns its process and address."""
    words = [sys.executable, "-m", "schedlab", "edit", str(file), "--no-open", "--json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        text += process.stdout.readline()
    return process, json.loads(text)["address"]


def ask(address: str, act: str, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer to a request of the page."""
    place = urlsplit(address)
    connection = HTTPConnection(place.netloc)
    connection.request("POST", f"{place.path}do/{act}", json.dumps(given), {"Content-Type": "application/json"})
    found: dict[str, Any] = json.loads(connection.getresponse().read())
    assert "error" not in found, found
    return found


def processor_seconds(server: int) -> float:
    """Returns the processor time of a server and its workers so far."""
    workers = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    ticks = 0
    for number in (server, *workers):
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measured(scenario: schedlab.Scenario, changes: int, folder: Path) -> list[float]:
    """Returns milliseconds of a change: median and 95th percentile of a clock, processor time, and of each answer."""
    file = folder / "bench.toml"
    scenario.write(file)
    process, address = served(file)
    waits: list[float] = []
    parts: dict[str, list[float]] = {"schedule": [], "proof": []}
    try:
        with ThreadPoolExecutor(2) as both:
            version, begun = 1, 0.0
            for number in range(-5, changes):
                if number == 0:
                    begun = processor_seconds(process.pid)
                first = time.perf_counter()
                cost = [["task.t3.wcet", f"{400 + number % 40 + 6} us"]]
                version = ask(address, "edit", {"changes": cost, "label": "cost", "version": version})["version"]
                common = {"version": version, "changes": [], "window": "w", "column": 0, "task": "t19"}
                answers = dict(zip(parts, both.map(ask, [address] * 2, parts, [common] * 2), strict=True))
                if number >= 0:
                    waits.append(1000 * (time.perf_counter() - first))
                    for act in parts:
                        parts[act].append(answers[act]["processor_ms"])
            used = 1000 * (processor_seconds(process.pid) - begun) / changes
    finally:
        process.terminate()
        process.wait()
    return [
        statistics.median(waits), statistics.quantiles(waits, n=20)[-1], used, *map(statistics.median, parts.values())
    ]  # fmt: skip


def main() -> None:
    tasks, changes = (int(word) for word in (sys.argv[1:] + ["20", "100"][len(sys.argv) - 1 :]))
    rows = [{"name": f"t{n}", "wcet_ns": (n + 1) * 100_000, "period_ns": (n + 3) * 5_000_000} for n in range(tasks)]
    print("| scheduler | change to answers, median | 95% | processor time | of it schedule | proofs |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in SCHEDULERS:
            scenario = schedlab.Scenario.from_tasks(rows, processors=4, scheduler=name)
            cells = (f"{value:.0f} ms" for value in measured(scenario, changes, Path(folder)))
            print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
