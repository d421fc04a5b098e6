"""`schedlab example`: a user who installed the package alone gets the files that the documents name."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import ROOT
from documented import blocks
from schedlab.examples import EXAMPLES, write_examples


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_list_names_every_file_of_the_repository() -> None:
    listed = subprocess.run(["git", "ls-files", "examples"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {f"examples/{name}" for name in EXAMPLES} == set(listed.stdout.split())


def test_all_of_them_are_written_as_they_are_in_the_repository(run: Any) -> None:
    found = run("example", "--all")
    assert found.status == 0, found.err
    for name in EXAMPLES:
        assert (Path("examples") / name).read_bytes() == (ROOT / "examples" / name).read_bytes()
    lines = found.out.splitlines()
    assert lines[:-1] == [f"examples/{name}" for name in EXAMPLES]
    assert lines[-1] == "next: schedlab analyze examples/robot.toml  # what theory guarantees"
    assert run("analyze", "examples/robot.toml").status == 0


@pytest.mark.parametrize(
    ("word", "file"),
    [
        ("robot", "robot.toml"), ("robot.toml", "robot.toml"), ("examples/robot.toml", "robot.toml"),
        ("c/periodic.c", "periodic.c"), ("periodic.c", "periodic.c"), ("python_policy.py", "python_policy.py"),
        ("csv", "threads.csv"),
    ],
)  # fmt: skip
def test_one_is_written_here(run: Any, word: str, file: str) -> None:
    found = run("example", word)
    assert (found.status, found.out.splitlines()[0]) == (0, file), found.err
    assert [path.name for path in Path().iterdir()] == [file]


def test_without_a_name_they_are_listed_and_nothing_is_written(run: Any) -> None:
    found = run("example")
    assert "robot.toml                two tasks on two processors: the scenario of the first session\n" in found.out
    assert len(found.out.splitlines()) == len(EXAMPLES) + 1
    assert not list(Path().iterdir())


def test_what_the_user_changed_is_kept(run: Any) -> None:
    run("example", "robot", "dhall")
    Path("robot.toml").write_text("mine", encoding="utf-8")
    Path("dhall.toml").unlink()
    found = run("example", "dhall", "robot")
    assert found.status == 2
    assert found.err == "schedlab: robot.toml: there is something else already; choose another folder: --out FOLDER\n"
    assert Path("robot.toml").read_text(encoding="utf-8") == "mine"
    assert not Path("dhall.toml").exists()


def test_a_second_call_changes_nothing(run: Any) -> None:
    first = run("example", "--all", "--out", "here")
    before = {path: path.stat().st_mtime_ns for path in Path("here").rglob("*")}
    assert run("example", "--all", "--out", "here") == first
    assert {path: path.stat().st_mtime_ns for path in Path("here").rglob("*")} == before


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["robo"], 2, 'there is no example "robo"; allowed: robot.toml, avionics.toml, '),
        (["robot", "--all"], 2, "--all and names of examples exclude each other"),
        (["--out", "x"], 2, "--out: name the examples to write, or give --all"),
        (["robot", "--out", "x"], 4, "x/robot.toml: there is no folder "),
    ],
)
def test_calls_that_are_refused(run: Any, arguments: list[str], status: int, message: str) -> None:
    found = run("example", *arguments)
    assert found.status == status
    assert found.err.startswith(f"schedlab: {message}")
    assert not list(Path().iterdir())


def test_from_python(tmp_path: Path) -> None:
    [path] = write_examples(["dhall"], tmp_path)
    assert schedlab.Scenario.read(path).scheduler == "G-RM"


def test_the_program_of_the_guide_is_the_example() -> None:
    """A test of the library for C compiles and runs the example; the guide shows it whole."""
    page = ROOT / "docs" / "how-to" / "c-program.md"
    [shown] = [block for block in blocks(page) if block.tested_by]
    assert shown.code == (ROOT / "examples" / "c" / "periodic.c").read_text(encoding="utf-8")
