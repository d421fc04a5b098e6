"""Exit statuses with `--strict`: 1 if anything is unschedulable or late, else 5 if anything is unknown."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest import MS
from schedlab.cli.main import cli
from schedlab.cli.shared.statuses import strict_status, worst_of
from schedlab.runtime import binary

#: A set that G-EDF meets in simulation, while no test proves it; one that is proved; one that is late.
UNKNOWN = [[14 * MS, 24 * MS], [3 * MS, 10 * MS], [4 * MS, 10 * MS], [8 * MS, 20 * MS]]
PROVED = [[2 * MS, 10 * MS], [2 * MS, 20 * MS], [2 * MS, 40 * MS]]
LATE = [[2 * MS, 10 * MS], [2 * MS, 10 * MS], [10 * MS, 11 * MS]]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A scenario of each kind."""
    monkeypatch.chdir(tmp_path)
    made = {}
    for name, tasks in (("unknown", UNKNOWN), ("proved", PROVED), ("late", LATE)):
        rows = "".join(
            f'[[task]]\nname = "T{number}"\nwcet = "{wcet} ns"\nperiod = "{period} ns"\n'
            for number, (wcet, period) in enumerate(tasks)
        )
        made[name] = tmp_path / f"{name}.toml"
        made[name].write_text(f'schedlab = 1\nscheduler = "G-EDF"\nplatform.processors = 2\nhorizon = "1 s"\n{rows}')
    return made


def lines(path: Path, *sets: list[list[int]]) -> Path:
    path.write_text("".join(json.dumps({"m": 2, "scheduler": "G-EDF", "tasks": one}) + "\n" for one in sets))
    return path


def test_the_order_of_statuses() -> None:
    assert strict_status([]) == 0
    assert strict_status(["schedulable", "schedulable"]) == 0
    assert strict_status(["schedulable", "unknown"]) == 5
    assert strict_status(["unknown", "unschedulable", "schedulable"]) == 1
    assert worst_of([]) == 0 and worst_of([0, 5, 0]) == 5 and worst_of([5, 1]) == 1
    assert worst_of([1, 3]) == 3 and worst_of([130, 3]) == 130


@pytest.mark.parametrize(
    "command", [("analyze",), ("compare", "--schedulers", "G-EDF", "--out", "out"), ("advise",)], ids=lambda one: one[0]
)
def test_commands_that_prove(run: Any, files: dict[str, Path], command: tuple[str, ...]) -> None:
    for name, status in (("proved", 0), ("unknown", 5), ("late", 1)):
        assert run(*command, files[name]).status == 0
        assert run(*command, files[name], "--strict").status == status, name
        assert run(*command, files[name], "--strict", "--json").status == status, name


def test_an_unschedulable_one_goes_before_an_unknown_one(run: Any, files: dict[str, Path]) -> None:
    assert run("compare", files["unknown"], files["late"], "--strict").status == 1
    assert run("compare", files["unknown"], files["proved"], "--strict").status == 5
    assert run("compare", files["proved"], files["late"]).status == 0


def test_a_simulation_knows(run: Any, files: dict[str, Path]) -> None:
    for name, status in (("proved", 0), ("unknown", 0), ("late", 1)):
        assert run("simulate", files[name], "--strict").status == status


def test_batches(run: Any, tmp_path: Path) -> None:
    for sets, status in (((PROVED,), 0), ((PROVED, UNKNOWN), 5), ((UNKNOWN, LATE, PROVED), 1)):
        path = lines(tmp_path / "sets.jsonl", *sets)
        for more in ((), ("--measures",), ("--measures", "--json")):
            assert run("analyze", path, "--jsonl", *more).status == 0
            assert run("analyze", path, "--jsonl", *more, "--strict").status == status
    for sets, status in (((PROVED, UNKNOWN), 0), ((PROVED, LATE), 1)):
        assert run("simulate", lines(tmp_path / "sets.jsonl", *sets), "--jsonl", "--strict").status == status
    # What no scheduler could be applied to is neither met nor late.
    path = lines(tmp_path / "sets.jsonl", [[6 * MS, 10 * MS]] * 3)
    refused = ("--scheduler", "P-EDF", "--placement", "refuse", "--strict")
    assert run("simulate", path, "--jsonl", *refused).status == 5


def test_job_sets(run: Any, tmp_path: Path) -> None:
    jobs = tmp_path / "jobs.csv"
    jobs.write_text("1, 1, 0, 0, 1, 2, 10, 10\n2, 7, 0, 0, 7, 8, 9, 30\n")
    assert run("jobs", jobs, "--strict").status == 1
    jobs.write_text("1, 1, 0, 0, 1, 2, 10, 10\n2, 7, 0, 0, 7, 8, 30, 30\n")
    assert run("jobs", jobs, "--strict").status == 0


def test_the_help_names_them() -> None:
    told = CliRunner().invoke(cli, ["--help"], prog_name="schedlab").output
    assert "5    with --strict, an answer is unknown" in told


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("wcet", "period", "duration", "status"),
    [("1 ms", "100 ms", "300 ms", 0), ("30 ms", "40 ms", "200 ms", 1), ("2 s", "5 s", "100 ms", 5)],
    ids=["met", "late", "no job ended"],
)
def test_real_runs(run: Any, tmp_path: Path, wcet: str, period: str, duration: str, status: int) -> None:
    """Two tasks share a processor: both are met, or need more than it has, or are not done at the end."""
    rows = "".join(f'[[task]]\nname = "{name}"\nwcet = "{wcet}"\nperiod = "{period}"\n' for name in "AB")
    file = tmp_path / "run.toml"
    file.write_text(f'schedlab = 1\nscheduler = "P-EDF"\n{rows}')
    asked = (file, "--duration", duration, "--unprivileged", "--strict")
    assert run("run", *asked).status == status
    assert run("run", *asked, "--json").status == status
    command = [str(binary()), "run", *map(str, asked)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == status
