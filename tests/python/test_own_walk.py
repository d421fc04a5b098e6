"""The walk of a researcher with a protocol of one's own, from nothing to bounds and a real run; then with a scheduler.

The commands are those of docs/own-scheduler.md and of the crate's README, and the change of a rule is the one that the
README describes. `pip install` would fetch what builds wheels, so its result is put where it would put it.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from scaffolded import build, cargo, change, changes, needs_linux, put_into

pytestmark = [pytest.mark.build, needs_linux]

PAGE = (ROOT / "docs" / "own-scheduler.md").read_text(encoding="utf-8")

#: What a run ends with where the machine gives no real-time priorities.
NO_RIGHTS = "real-time priorities are refused"


class Walk:
    """A folder of a user's, and where the user's packages are installed."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.site = folder, folder / "site"
        path = os.pathsep.join(map(str, (self.site, ROOT / "python")))
        self.environment = os.environ | {"PYTHONPATH": path, "COLUMNS": "120"}

    def status(self, line: str) -> tuple[int, str]:
        """The status of a command line of the documents, and what it says."""
        program, *arguments = shlex.split(line)
        assert program == "schedlab"
        found = subprocess.run(
            [sys.executable, "-m", "schedlab", *arguments], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
        )  # fmt: skip
        return found.returncode, found.stdout

    def sees(self, line: str, *expected: str) -> str:
        """Runs a command line, whose output holds each of `expected`."""
        status, said = self.status(line)
        assert status == 0, f"{line}: {said}"
        for text in expected:
            assert text in said, f"{line}: {said}"
        return said


def documented(line: str) -> str:
    """The command line, which the page has to show."""
    assert f"\n{line}\n" in PAGE, line
    return line


def runs_for_a_second(folder: Path, scenario: Path) -> str:
    """What the crate's example says of a real run of `scenario`; skips where this machine refuses one."""
    in_readme = "cargo run --release --features run --example run -- SCENARIO"
    assert in_readme in (folder / "README.md").read_text(encoding="utf-8")
    found = cargo(folder, "run", "--features", "run", "--example", "run", "--", str(scenario))
    if found.returncode != 0 and NO_RIGHTS in found.stderr:
        pytest.skip("this machine cannot run it for real")
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """A user who has made, changed, tested and installed a protocol."""
    walk = Walk(tmp_path_factory.mktemp("walk"))
    walk.sees("schedlab example --all")
    said = walk.sees(documented("schedlab new protocol mine"), "pip install ./mine")
    assert "edit     mine/src/protocol.rs" in said
    folder = walk.folder / "mine"
    assert cargo(folder, "test").returncode == 0
    (order, grants) = changes(folder)
    change(folder, *order)
    failed = cargo(folder, "test")
    assert failed.returncode != 0 and "test waiting_jobs_are_served_in_the_stated_order ... FAILED" in failed.stdout
    change(folder, *grants)
    build(folder)
    put_into(walk.site, folder)
    return walk


def test_the_readme_says_the_schedules_before_and_after_the_change(protocol: Walk) -> None:
    readme = (protocol.folder / "mine" / "README.md").read_text(encoding="utf-8")
    examples = (protocol.folder / "mine" / "tests" / "example.rs").read_text(encoding="utf-8")
    before, after = re.findall(r"The schedule was `(\w+)`, and\s+now is `(\w+)`", readme)[0]
    assert f'GrantOrder::Fifo => "{before}"' in examples and f'GrantOrder::ByEffective => "{after}"' in examples


def test_the_changed_protocol_is_the_published_one(protocol: Walk) -> None:
    readme = (protocol.folder / "mine" / "README.md").read_text(encoding="utf-8")
    for scenario in ("pathfinder", "avionics-locks"):
        lines = re.findall(r"^    (schedlab (?:simulate .* --trace|diff) .*)$", readme, re.MULTILINE)
        assert len(lines) == 3
        *_, said = [protocol.sees(line.replace("SCENARIO", f"examples/{scenario}.toml")) for line in lines]
        assert "pip.slt and mine.slt hold the same records" in said, said
    protocol.sees("schedlab check mine.slt", "grants_by_priority")


def test_it_is_simulated_compared_and_explained(protocol: Walk) -> None:
    protocol.sees(documented("schedlab simulate examples/pathfinder.toml --protocol mine --draw"))
    protocol.sees(documented("schedlab compare examples/pathfinder.toml --protocol mine"))
    protocol.sees("schedlab simulate examples/pathfinder.toml --protocol mine --trace mine.slt")
    protocol.sees("schedlab why mine.slt METEO")


def test_it_says_that_no_bound_is_known(protocol: Walk) -> None:
    line = documented("schedlab analyze examples/pathfinder.toml --protocol mine")
    protocol.sees(line, "unknown", 'no blocking analysis of "mine" is known here under this scheduler')
    [analysis] = json.loads(protocol.sees(f"{line} --json"))["analyses"]
    assert {verdict["answer"] for verdict in analysis["verdicts"]} == {"unknown"}


@pytest.mark.realtime
def test_its_threads_run_for_a_second(protocol: Walk) -> None:
    said = runs_for_a_second(protocol.folder / "mine", protocol.folder / "examples" / "pathfinder.toml")
    assert said.startswith("under mine: ") and "the replay is exact" in said


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """A user who has made, changed, tested and installed a scheduler."""
    walk = Walk(tmp_path_factory.mktemp("walk"))
    walk.sees("schedlab example --all")
    walk.sees(documented("schedlab new policy G-MINE"), "pip install ./g-mine", "edit     g-mine/src/policy.rs")
    folder = walk.folder / "g-mine"
    assert cargo(folder, "test").returncode == 0
    (order, schedule) = changes(folder)
    change(folder, *order)
    failed = cargo(folder, "test")
    assert failed.returncode != 0 and "test schedules_the_example_as_published ... FAILED" in failed.stdout
    change(folder, *schedule)
    build(folder)
    put_into(walk.site, folder)
    return walk


def test_the_changed_scheduler_is_used_as_documented(scheduler: Walk) -> None:
    for line in ("simulate examples/robot.toml --scheduler", "compare examples/robot.toml --schedulers G-EDF,"):
        scheduler.sees(documented(f"schedlab {line}{'' if line.endswith(',') else ' '}G-MINE"), "G-MINE")
    [dhall] = json.loads(scheduler.sees("schedlab simulate examples/dhall.toml --scheduler G-MINE --json"))[
        "simulations"
    ]
    assert dhall["misses"] == 0
    scheduler.sees("schedlab analyze examples/dhall.toml --scheduler G-MINE", "unknown", "no test is known for G-MINE")
    scheduler.sees("schedlab simulate examples/robot.toml --scheduler G-MINE --trace mine.slt")
    scheduler.sees("schedlab check mine.slt", "work_conserving")
    scheduler.sees("schedlab why mine.slt control")


@pytest.mark.realtime
def test_the_threads_of_a_scheduler_run_for_a_second(scheduler: Walk) -> None:
    said = runs_for_a_second(scheduler.folder / "g-mine", scheduler.folder / "examples" / "robot.toml")
    assert said.startswith("under G-MINE: ") and "the replay is exact" in said


@pytest.mark.parametrize("letter", ["P", "C"])
def test_the_example_of_a_new_scheduler_passes_before_and_after_the_change(letter: str, tmp_path: Path) -> None:
    walk = Walk(tmp_path)
    walk.sees(f"schedlab new policy {letter}-MINE")
    folder = walk.folder / f"{letter.lower()}-mine"
    assert cargo(folder, "test").returncode == 0
    for step in changes(folder):
        change(folder, *step)
    assert cargo(folder, "test").returncode == 0
