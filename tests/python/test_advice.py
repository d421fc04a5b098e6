"""`analyze --jsonl`, evidence, explanations and `advise` on the command line."""

from __future__ import annotations

import json

import pytest

from schedlab.cli.main import main


def _lines(capsys, path, *options):
    assert main(["analyze", str(path), "--jsonl", *options]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def sets(tmp_path):
    path = tmp_path / "sets.jsonl"
    rows = [
        {"id": "light", "m": 2, "tasks": [[1000, 4000, 4000], [2000, 5000, 5000]]},
        {"id": "late", "m": 1, "tasks": [[3000, 4000, 4000], [2000, 5000]]},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_verdict_a_line(capsys, sets):
    light, late = _lines(capsys, sets)
    assert (light["id"], light["answer"], light["response_time_bounds_ns"]) == ("light", "schedulable", [1000, 2000])
    assert (late["id"], late["answer"], late["late"]["absolute_deadline_ns"]) == ("late", "unschedulable", 12000)


def test_a_bad_line_is_named(capsys, sets):
    sets.write_text(sets.read_text() + '{"id": "no tasks"}\n')
    assert main(["analyze", str(sets), "--jsonl"]) == 2
    assert "sets.jsonl:3: expected an object with `tasks`" in capsys.readouterr().err


def test_an_unschedulable_scenario_names_its_late_job(capsys, tmp_path):
    path = tmp_path / "late.toml"
    tasks = 'task = [{ name = "a", wcet = "3 ms", period = "4 ms" }, { name = "b", wcet = "2 ms", period = "5 ms" }]'
    path.write_text(f'schedlab = 1\nscheduler = "G-EDF"\nplatform = {{ processors = 1 }}\n{tasks}\n')
    assert main(["analyze", str(path), "--explain"]) == 0
    assert "simulated: job 2 of a misses its deadline at 12 ms" in capsys.readouterr().out
    assert main(["advise", str(path), "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert not advice["as_it_is"]
    assert any(change["what"].startswith("2 processors instead of 1") for change in advice["single_changes"])
    assert all(way["reason"] for way in advice["ways"])
