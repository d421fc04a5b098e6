"""What several tests share: small systems whose schedules are known."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import schedlab
import schedlab.outputs
from schedlab import runtime
from schedlab.errors import CannotRun
from schedlab.plots.paper import Look, drawn_as

ROOT = Path(__file__).resolve().parents[2]
MS = 1_000_000


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how many blocks of code in the documents no test runs, where their tests ran.

    Adds each reason for which tests were skipped, and each test of a real run that failed at first, to the file that
    `make test` prints last: SCHEDLAB_SKIPPED.
    """
    ran = terminalreporter.stats.get("passed", [])
    if any("test_documents.py" in report.nodeid for report in ran):
        from documented import BLOCKS

        reasons = [block.not_run for block in BLOCKS if block.not_run]
        terminalreporter.write_line(f"documents: {len(BLOCKS)} blocks of code, of which {len(reasons)} are not run")
    if file := os.environ.get("SCHEDLAB_SKIPPED"):
        reasons = Counter[tuple[str, str]]()
        for report in terminalreporter.stats.get("skipped", []):
            place, _, reason = report.longrepr
            reasons[os.path.relpath(place, ROOT), reason.removeprefix("Skipped: ").replace("\n", " ")] += 1
        # Tests of real runs that fail are tried again, as `make test` says.
        failed = terminalreporter.stats.get("failed", [])
        again = {report.nodeid for report in failed if "realtime" in report.keywords}
        with Path(file).open("a") as out:
            out.writelines(f"{test}: failed at first, and ran again\n" for test in sorted(again))
            out.writelines(f"{place} ({count}): {reason}\n" for (place, reason), count in sorted(reasons.items()))


# A shell lets what it starts in the background ignore Ctrl-C, and so would all that tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def run_checked(scenario: schedlab.Scenario, tmp_path: Path) -> tuple[Any, schedlab.Schedule]:
    """What a checked real run found that holds, and its trace; skips where this machine does not let it run."""
    trace = tmp_path / "run.slt"
    try:
        found = runtime.run_checked(scenario, trace)
    except CannotRun as error:
        pytest.skip(str(error))
    assert found["holds"] and found["ending"] == "horizon", found
    return found, schedlab.Schedule.read(trace)


def dhall(processors: int = 2) -> schedlab.Scenario:
    """The Dhall effect: light tasks with early deadlines keep a heavy one from running; it misses."""
    light = [{"wcet_ns": 2 * MS, "period_ns": 10 * MS} for _ in range(processors)]
    heavy = {"wcet_ns": 10 * MS, "period_ns": 11 * MS}
    return schedlab.Scenario.from_tasks(
        [*light, heavy], processors=processors, scheduler="G-EDF", horizon=110 * MS, name="dhall"
    )


def easy(processors: int = 2) -> schedlab.Scenario:
    """Three light tasks that every scheduler schedules."""
    rows = [{"wcet_ns": 2 * MS, "period_ns": period * MS} for period in (10, 20, 40)]
    return schedlab.Scenario.from_tasks(rows, processors=processors, scheduler="G-EDF", horizon=200 * MS, name="easy")


def let_it_run(process: subprocess.Popen[str]) -> None:
    """Waits until a real run's jobs have executed for a while, at most two minutes: a busy machine begins late.

    The run is the process's own or that of a program that it called.
    """

    def fields(file: Path) -> list[str]:
        """A process's or a thread's status after its name; nothing where it has ended."""
        with suppress(FileNotFoundError, ProcessLookupError):
            return file.read_text().rpartition(")")[2].split()
        return ["0"] * 50

    def ticks(number: int) -> int:
        """How long the threads of real-time policies have executed: of a process and of those that it began."""
        threads = [fields(file) for file in Path(f"/proc/{number}/task").glob("*/stat")]
        own = sum(
            int(thread[11]) + int(thread[12]) for thread in threads if int(thread[38]) in (os.SCHED_FIFO, os.SCHED_RR)
        )
        began = [file for file in Path("/proc").glob("[0-9]*/stat") if fields(file)[1] == str(number)]
        return own + sum(ticks(int(file.parent.name)) for file in began)

    for _ in range(1200):
        if process.poll() is not None or ticks(process.pid) >= 40:
            break
        time.sleep(0.1)


@dataclass(frozen=True)
class Run:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def as_png() -> Iterator[None]:
    """Figures are drawn in one format: all three take four times as long. `test_studies_plots` draws them all."""
    with drawn_as(Look(formats=("png",))):
        yield


@pytest.fixture(autouse=True)
def _as_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as it needs, whatever the terminal is in which the tests run."""
    monkeypatch.delenv("COLUMNS", raising=False)
    # The library `readline`, which pytest loads, sets it for child processes behind Python's back.
    os.unsetenv("COLUMNS")


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Callable[..., Run]:
    """Runs a command line in this process."""
    from schedlab.cli import main

    def call(*arguments: object) -> Run:
        capfd.readouterr()
        status = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Run(status, out, err)

    return call


def in_a_process(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Starts a command line as a user would."""
    return subprocess.Popen(
        [sys.executable, "-m", "schedlab", *map(str, arguments)],
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options,
    )


def closed(schema: Any) -> Any:
    """The schema without what readers may ignore: keys that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items()}
    return inner if "properties" not in schema else inner | {"additionalProperties": False}


def fits(answer: Any, command: str) -> None:
    """What a command printed for --json has the shape that `schedlab schema output` states, and no key besides."""
    from jsonschema import Draft202012Validator

    assert list(answer)[:2] == ["format", "version"]
    Draft202012Validator(closed(schedlab.outputs.output_schema(command))).validate(answer)


@pytest.fixture
def dhall_file(tmp_path: Path) -> Path:
    path = tmp_path / "dhall.toml"
    dhall().write(path)
    return path


@pytest.fixture
def easy_file(tmp_path: Path) -> Path:
    path = tmp_path / "easy.toml"
    easy().write(path)
    return path
