"""`analyze --jsonl`, evidence, explanations and `advise` on the command line."""

from __future__ import annotations

import json

import pytest

from schedlab.cli.main import main
from schedlab.core.margins import percent_in_words


def _out(capsys, path, *options):
    assert main(["analyze", str(path), "--jsonl", *options]) == 0
    return capsys.readouterr().out


def _lines(capsys, path, *options):
    return [json.loads(line) for line in _out(capsys, path, *options).splitlines()]


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


def test_measures_of_all_lines(capsys, sets):
    (found,) = json.loads(_out(capsys, sets, "--measures", "--json"))["schedulers"]
    # Utilizations of 0.65, schedulable, and 1.15, which is not and has no bound on tardiness.
    assert (found["scheduler"], found["sets"], found["schedulable_sets"]) == ("G-EDF", 2, 1)
    assert found["weighted_schedulability"] == pytest.approx(0.65 / 1.8)
    assert (found["bounded"], found["tardiness_mean_ns"]) == (1, 0)
    # One processor is enough for the first, two for the second. On two, 2/5 of the first may grow to 1, all to 1.625.
    assert (found["enough_processors"], found["required_processors_mean"], found["broken"]) == (2, 1.5, 2)
    assert found["breakdown_utilization_mean"] == pytest.approx((1.625 + 1) / 2, abs=2e-4)
    assert "0.361" in _out(capsys, sets, "--measures")
    assert main(["analyze", str(sets), "--measures"]) == 2
    assert "they need --jsonl" in capsys.readouterr().err


def test_the_mean_tardiness_is_that_of_the_bounds(capsys, tmp_path):
    path = tmp_path / "sets.jsonl"
    # (2, 3) three times on two processors: Devi and Anderson's x = (2 - 2) / 2 = 0, so that each may be 2 late.
    path.write_text(json.dumps({"m": 2, "tasks": [[2, 3]] * 3}) + "\n")
    (found,) = json.loads(_out(capsys, path, "--measures", "--json", "--tests", "devi_anderson"))["schedulers"]
    assert (found["schedulable_sets"], found["bounded"], found["tardiness_mean_ns"]) == (0, 1, 2)


def test_a_bad_line_is_named(capsys, sets):
    sets.write_text(sets.read_text() + '{"id": "no tasks"}\n')
    assert main(["analyze", str(sets), "--jsonl"]) == 2
    assert "sets.jsonl:3: expected an object with `tasks`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ({"jiter": [4, 4]}, "jiter: unknown field; did you mean jitter? allowed: id, m,"),
        ({"results": {}}, "results: unknown field; allowed: id, m, scheduler, tasks, offsets, jitter"),
        ({"tasks": [[True, 9]]}, "task[0].wcet_ns: True is not allowed"),
        (
            {"tasks": [{"wcet_ns": 1, "period_ns": 9, "jiter_ns": 2}]},
            'there is no column "jiter_ns"; did you mean jitter_ns?',
        ),
        ({"jitter": [True, 0]}, "task[0].jitter_ns: True is not allowed"),
        (
            {"tasks": [{"wcet_ns": 1, "period_ns": 9, "jitter_ns": 2}], "jitter": [0]},
            "tasks[0].jitter_ns: stands in jitter",
        ),
        ({"m": True}, "m: expected a number of processors"),
        ({"scheduler": 3}, "scheduler: expected a name"),
    ],
)
def test_what_a_record_cannot_mean_is_refused(capsys, tmp_path, broken, message):
    path = tmp_path / "sets.jsonl"
    good = {"id": "good", "m": 1, "tasks": [[1, 9], [1, 9]]}
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(good | broken)}\n")
    assert main(["analyze", str(path), "--jsonl"]) == 2
    assert f"sets.jsonl:3: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"tasks": [[1, 9]], "tasks": [[8, 9]]}', "tasks: stands there twice"),
        ('{"tasks": [{"wcet_ns": 1, "wcet_ns": 8, "period_ns": 9}]}', "wcet_ns: stands there twice"),
        ('{"tasks": [[NaN, 9]]}', "NaN is no number"),
        ('{"tasks": ' + "[" * 100_000, "not JSON that can be read"),
        ("{", "not JSON: "),
    ],
)
def test_a_line_that_is_not_strict_json_is_refused(capsys, tmp_path, line, message):
    path = tmp_path / "sets.jsonl"
    path.write_text(line)
    assert main(["analyze", str(path), "--jsonl"]) == 2
    assert f"sets.jsonl:1: {message}" in capsys.readouterr().err


def test_an_unschedulable_scenario_names_its_late_job(capsys, tmp_path):
    path = tmp_path / "late.toml"
    tasks = 'task = [{ name = "a", wcet = "3 ms", period = "4 ms" }, { name = "b", wcet = "2 ms", period = "5 ms" }]'
    path.write_text(f'schedlab = 1\nscheduler = "G-EDF"\nplatform = {{ processors = 1 }}\n{tasks}\n')
    assert main(["analyze", str(path), "--explain"]) == 0
    assert "simulated: a's job 2 (T0J2) misses its deadline at 12 ms" in capsys.readouterr().out
    assert main(["advise", str(path), "--json"]) == 0
    advice = json.loads(capsys.readouterr().out)
    assert not advice["as_it_is"]
    assert any(change["what"].startswith("2 processors instead of 1") for change in advice["single_changes"])
    assert all(way["reason"] for way in advice["ways"])


MEASURED = """
schedlab-overheads = 1
[[scheduler]]
name = "P-EDF"
stands_for = ["P-*", "NP-*"]
scheduling = { p99 = "200 us", samples = 900 }
[[scheduler]]
name = "P-RM"
scheduling = { p99 = "50 us", samples = 900 }
"""


def test_advice_does_not_take_noise_for_a_difference(capsys, tmp_path):
    """P-RM and P-DM give the same priorities; one was measured, the other borrows what was measured of P-EDF."""
    scenario, measured = tmp_path / "own.toml", tmp_path / "measured.toml"
    tasks = "".join(f'[[task]]\nname = "t{at}"\nwcet = "2 ms"\nperiod = "{at} ms"\n' for at in (5, 9))
    scenario.write_text(f'schedlab = 1\nscheduler = "P-RM"\nplatform = {{ processors = 1 }}\n{tasks}')
    measured.write_text(MEASURED)
    options = [str(scenario), "--overheads", str(measured), "--statistic", "p99"]
    assert main(["advise", *options, "--json"]) == 0
    ways = {way["scheduler"]: way for way in json.loads(capsys.readouterr().out)["ways"]}
    rm, dm = ways["P-RM"], ways["P-DM"]
    for name in ("margin_percent", "margin_at_best_percent", "rank"):
        assert rm[name] == dm[name]
    assert 0 <= rm["margin_percent"] < rm["margin_at_best_percent"]
    assert main(["advise", *options, "--all"]) == 0
    out = capsys.readouterr().out
    assert "rank" in out and "Schedulers of the same code share them" in out
    assert f"{percent_in_words(rm['margin_percent'])} to {percent_in_words(rm['margin_at_best_percent'])}" in out
    # One estimate alone says nothing of how well it is known.
    measured.write_text(MEASURED.split('[[scheduler]]\nname = "P-RM"')[0])
    assert main(["advise", *options]) == 0
    out = capsys.readouterr().out
    assert "rank" not in out and "estimates" not in out
