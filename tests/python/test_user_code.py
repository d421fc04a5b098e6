"""What goes wrong in a user's own file: the user's lines first, exit status 4, and no name of ours is taken."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Run

Runs = Callable[..., Run]

POLICY = """
import schedlab


class Mine(schedlab.Policy):
    def decide(self, now, jobs, out):
        out.run(jobs.ready())
"""


def simulated(run: Runs, scenario: Path, file: Path) -> Run:
    return run("simulate", scenario, "--policy", f"{file}:Mine")


@pytest.mark.parametrize(
    ("text", "line", "last"),
    [
        ("def f():\n    return {}['a']\n\n\nf()\n", 2, "KeyError: 'a'"),
        ("import schedlab\nimport not_there\n", 2, "ModuleNotFoundError: No module named 'not_there'"),
        ("x = 1\ndef f(:\n", 2, "SyntaxError: invalid syntax"),
    ],
)
@pytest.mark.parametrize("kind", ["policy", "study"])
def test_a_file_that_cannot_be_loaded_shows_its_line(
    run: Runs, easy_file: Path, tmp_path: Path, kind: str, text: str, line: int, last: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(text)
    found = simulated(run, easy_file, path) if kind == "policy" else run("study", "run", path, "--out", tmp_path)
    assert found.status == 4
    assert f'File "{path}", line {line}' in found.err and found.err.splitlines()[-1] == last
    # None of our own lines.
    assert "schedlab/cli" not in found.err and "user_code" not in found.err


@pytest.mark.parametrize("kind", ["policy", "study"])
def test_a_file_that_exits_has_failed(run: Runs, easy_file: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "mine.py"
    path.write_text("import sys\nsys.exit()\n")
    found = simulated(run, easy_file, path) if kind == "policy" else run("study", "run", path, "--out", tmp_path)
    assert (found.status, found.err) == (4, f"schedlab: {path}: its code raised SystemExit\n")


def test_a_policy_may_have_any_name_and_neighbours(run: Runs, easy_file: Path, tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def order(jobs):\n    return jobs\n")
    for name in ("json", "schedlab", "click"):
        path = tmp_path / f"{name}.py"
        path.write_text(POLICY.replace("import schedlab\n", "import schedlab\n\nfrom . import helper\n"))
        found = run("compare", easy_file, "--schedulers", "G-EDF", "--policy", f"{path}:Mine", "--out", tmp_path / "o")
        assert (found.status, found.err) == (0, ""), found.err


@pytest.mark.parametrize(
    ("step", "status", "said"),
    [
        ("def decide(self, now, jobs): ...", 4, "Mine: decide(now, jobs, out) cannot be called: Mine.decide() takes "),
        ("def __init__(self): ...", 4, "Mine: __init__(cpus, tasks) cannot be called: Mine.__init__() takes 1 "),
        ("def note(self, now): ...", 4, "Mine: note(now, event, jobs) cannot be called: Mine.note() takes 2 "),
        ("def priority(self, job): return 'high'", 2, "Mine.priority: 'high'; allowed: a whole number from 0 to 2^62"),
        ("def priority(self, job): return -1", 2, "Mine.priority: -1; allowed: a whole number from 0 to 2^62"),
        ("def decide(self, now, jobs, out): out.link(7, None)", 2, "Mine.decide at 0 ns: processor 7 is not one of"),
        ("promises = ['miracles']", 2, 'Mine: promises: there is no invariant "miracles"; allowed: time_is_monotone,'),
    ],
)
def test_a_method_that_cannot_be_used_is_named(
    run: Runs, easy_file: Path, tmp_path: Path, step: str, status: int, said: str
) -> None:
    path = tmp_path / "mine.py"
    path.write_text(f"{POLICY}\n    {step}\n")
    found = simulated(run, easy_file, path)
    assert found.status == status and found.err.startswith(f"schedlab: {said}"), found.err
    assert len(found.err.splitlines()) == 1


def test_a_batch_takes_a_class_of_the_user(run: Runs, tmp_path: Path) -> None:
    path, sets = tmp_path / "mine.py", tmp_path / "sets.jsonl"
    path.write_text(POLICY)
    sets.write_text('{"m": 1, "tasks": [[1000000, 4000000], [3000000, 5000000]]}\n' * 2)
    both = [sets, "--jsonl", "--scheduler", "P-EDF", "--policy", f"{path}:Mine"]
    rows = [json.loads(line) for line in run("simulate", *both).out.splitlines()]
    # By number, the first task comes first: as EDF would have it here, too.
    assert [(row["line"], row["scheduler"], row["misses"]) for row in rows] == [
        (1, "P-EDF", 0), (1, "Mine", 0), (2, "P-EDF", 0), (2, "Mine", 0),
    ]  # fmt: skip
    rows = [json.loads(line) for line in run("analyze", *both).out.splitlines()]
    assert [(row["scheduler"], row["answer"]) for row in rows] == [("P-EDF", "schedulable"), ("Mine", "unknown")] * 2
    assert "no test is known for Mine" in rows[1]["reason"]
    # Nothing of a batch whose policy fails is left.
    path.write_text(POLICY.replace("out.run(jobs.ready())", "raise KeyError('mine')"))
    found = run("simulate", *both, "-o", tmp_path / "rows.parquet")
    assert found.status == 4 and found.err.endswith("KeyError: 'mine'\n") and not (tmp_path / "rows.parquet").exists()
