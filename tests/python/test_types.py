"""What users write passes a strict type checker, and what cannot work does not."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

import schedlab
from conftest import ROOT, easy

IDIOMS = ROOT / "tests" / "python" / "user_idioms.py"


def mypy(*files: Path) -> str:
    """What `mypy --strict` says of these files."""
    # Other options than those of the package's own check: each has what it knows of the libraries in its cache.
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml"]
    command += ["--cache-dir", ".mypy_cache/users", *map(str, files)]
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False).stdout


def test_what_users_write_and_the_documents_show_is_typed(tmp_path: Path) -> None:
    tour = tmp_path / "tour.py"
    examples = doctest.DocTestParser().get_examples((ROOT / "docs" / "python.md").read_text(encoding="utf-8"))
    assert len(examples) > 30
    tour.write_text("".join(example.source for example in examples), encoding="utf-8")
    policies = tmp_path / "policies.py"
    snippet = (ROOT / "docs" / "own-scheduler.md").read_text(encoding="utf-8").split("## In Python\n")[1]
    policies.write_text(snippet.split("```python\n")[1].split("```")[0], encoding="utf-8")
    assert "class LeastLaxity(schedlab.Policy):" in policies.read_text(encoding="utf-8")
    said = mypy(IDIOMS, tour, policies, *(ROOT / "examples" / name for name in ("python_policy.py", "dp_wrap.py")))
    assert said == "Success: no issues found in 5 source files\n", said


def test_types_of_results_follow_the_schema(tmp_path: Path) -> None:
    written = tmp_path / "results.py"
    command = [sys.executable, "-m", "datamodel_code_generator", "--output", str(written)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    known = (ROOT / "python/schedlab/outputs/results.py").read_text(encoding="utf-8")
    assert written.read_text(encoding="utf-8") == known, "`make renew` writes it anew"


def test_what_cannot_work_is_a_type_error(tmp_path: Path) -> None:
    wrong = {
        "scenario.replace(procesors=4)": 'Unexpected keyword argument "procesors"',
        "scenario.replace(processors='4')": '"processors"',
        "schedlab.Scenario.from_tasks([], processors=2, horizn=1)": 'Unexpected keyword argument "horizn"',
        "schedlab.simulate(scenario).jobs[0]['response_time']": 'has no key "response_time"',
        "schedlab.simulate(scenario).jobs[0]['task'].upper()": '"int" has no attribute "upper"',
        "schedlab.analyze(scenario)[0].evidence[0]['late']": 'has no key "late"',
        "schedlab.compare(scenario)['schedulers'][0]['misses']": 'has no key "misses"',
        "schedlab.simulate(scenario).why()['parts'][0]['length']": 'has no key "length"',
    }
    path = tmp_path / "wrong.py"
    path.write_text("import schedlab\n\nscenario = schedlab.Scenario.read('x')\n" + "\n".join(wrong), encoding="utf-8")
    said = mypy(path)
    for number, message in enumerate(wrong.values(), 4):
        assert any(f"wrong.py:{number}: error:" in line and message in line for line in said.splitlines()), said
    assert f"Found {len(wrong)} errors" in said


@pytest.mark.parametrize("one", ["G-EDF", ["G-EDF"], ("G-EDF",)])
def test_one_scheduler_stands_for_a_list_of_it(one: str | list[str] | tuple[str, ...]) -> None:
    assert [found.scheduler for found in schedlab.analyze(easy(), schedulers=one, tests="gfb")] == ["G-EDF"]
    assert [row["name"] for row in schedlab.compare(easy(), schedulers=one)["schedulers"]] == ["G-EDF"]


def test_one_class_stands_for_a_list_of_it() -> None:
    class Idle(schedlab.Policy):
        def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
            """Lets no job run."""

    [analysis] = schedlab.analyze(easy(), schedulers=Idle)
    assert analysis.scheduler == "Idle"
    advice = schedlab.advise(easy(), schedulers=Idle, threads=2)
    assert any(way["scheduler"] == "Idle" for way in advice["ways"])
