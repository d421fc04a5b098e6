"""Memory does not grow with a stored trace: what is asked of one eight times as long takes as much."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import schedlab

#: What is asked; OUT is a file that is written, OTHER a trace that differs at its end.
QUESTIONS = [
    ["trace", "TRACE"],
    ["trace", "TRACE", "--format", "records"],
    ["trace", "TRACE", "--format", "records", "-o", "OUT"],
    ["trace", "TRACE", "--format", "csv"],
    ["trace", "TRACE", "--format", "perfetto", "-o", "OUT"],
    ["trace", "TRACE", "--format", "svg", "--around", "T0"],
    ["check", "TRACE"],
    ["why", "TRACE"],
    ["why", "TRACE", "T3"],
    ["diff", "TRACE", "OTHER"],
    ["view", "TRACE", "--jobs", "1000", "--no-open", "-o", "OUT"],
]

#: Runs a command, then prints the most memory that it had, in KiB.
MEASURED = """
import sys
from schedlab.cli import main
status = main(sys.argv[1:])
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1], file=sys.stderr)
sys.exit(status)
"""

#: What two runs of the same command may differ by.
MARGIN_MIB = 4


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of 110,000 records, and of eight times as many: as a table of jobs or as text these take tens of megabytes."""
    made = schedlab.generate(utilizations="uniform-light", stop="tasks 70", seed=3, processors=4)
    folder = tmp_path_factory.mktemp("traces")
    for name, seconds in (("short", 8), ("long", 64)):
        for ending, more in (("slt", 0), ("other", 1)):
            scenario = made.replace(scheduler="G-EDF", horizon=f"{1000 * seconds + more} ms")
            schedlab.simulate(scenario, into=folder / f"{name}.{ending}")
    return [folder / "short.slt", folder / "long.slt"]


@pytest.mark.parametrize("line", QUESTIONS, ids=" ".join)
def test_memory_does_not_grow_with_the_trace(line: list[str], traces: list[Path], tmp_path: Path) -> None:
    short, long = (peak_mib(line, trace, tmp_path / "out") for trace in traces)
    assert long < short + MARGIN_MIB


def test_a_page_takes_little_more_than_its_size(traces: list[Path], tmp_path: Path) -> None:
    """As values of Python, a schedule takes fourteen times the bytes that it has in the page."""
    line, page = ["view", "TRACE", "--no-open", "-o", "OUT"], tmp_path / "page.html"
    short, before = peak_mib(line, traces[0], page), page.stat().st_size
    long, after = peak_mib(line, traces[1], page), page.stat().st_size
    assert long - short < 3 * (after - before) / 2**20


def peak_mib(line: list[str], trace: Path, out: Path) -> float:
    """The most memory that the command had at once, without what `getrusage` counts of the process that starts it."""
    words = {"TRACE": str(trace), "OTHER": str(trace.with_suffix(".other")), "OUT": str(out)}
    arguments = [sys.executable, "-c", MEASURED, *(words.get(word, word) for word in line)]
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    return int(done.stderr) / 1024


def test_what_takes_pieces_may_have_enough(traces: list[Path]) -> None:
    schedule = schedlab.Schedule.read(traces[1])
    for format_ in ("records", "csv", "perfetto"):
        taken: list[int] = []

        def take(piece: bytes, taken: list[int] = taken) -> None:
            taken.append(len(piece))
            raise KeyError("enough")

        with pytest.raises(KeyError, match="enough"):
            schedule.export(format_, take)
        [length] = taken
        assert length < 2**20


def test_a_cut_trace_leaves_no_file(traces: list[Path], tmp_path: Path) -> None:
    """The pieces before the cut were written when it was met."""
    cut, folder = tmp_path / "cut.slt", tmp_path / "made"
    cut.write_bytes(traces[0].read_bytes()[:-1000])
    folder.mkdir()
    for format_ in ("records", "csv", "perfetto"):
        arguments = ["trace", str(cut), "--format", format_, "-o", str(folder / "out")]
        found = subprocess.run(
            [sys.executable, "-m", "schedlab", *arguments], capture_output=True, text=True, check=False
        )
        assert found.returncode == 2 and "the trace is cut short" in found.stderr
        assert list(folder.iterdir()) == []
