"""What somebody new to schedlab stumbles over: other words for commands, paths for scenarios."""

from __future__ import annotations

import re

import pytest

import schedlab
from schedlab.cli.main import main

TASKS = [{"name": "A", "wcet_ns": 2, "period_ns": 10}, {"name": "B", "wcet_ns": 6, "period_ns": 10}]


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("draw", 'there is no command "draw"; did you mean simulate --draw? allowed: analyze, '),
        ("simulat", "did you mean simulate? allowed"),
        ("xyzzy", 'there is no command "xyzzy"; allowed: analyze, '),
    ],
)
def test_other_words_for_commands(word, message, capsys):
    assert main([word, "robot.toml"]) == 2
    assert message in capsys.readouterr().err


def test_the_name_alone_shows_three_commands_that_run(tmp_path, monkeypatch, capsys):
    assert main([]) == 0
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  schedlab ")]
    assert len(shown) == 3
    monkeypatch.chdir(tmp_path)
    for line in shown:
        assert main(re.split(r"\s{2,}", line.strip())[0].split()[1:]) == 0, line


def test_a_path_is_no_scenario():
    for ask in (schedlab.simulate, schedlab.analyze, schedlab.measure):
        with pytest.raises(TypeError, match=r"not a scenario: 'robot.toml'; schedlab.Scenario.read reads a file"):
            ask("robot.toml")


def test_an_analysis_says_in_a_line_what_it_proves():
    one = schedlab.Scenario.from_tasks(TASKS, processors=1, scheduler="P-EDF")
    [fits], [late] = schedlab.analyze(one), schedlab.analyze(one.replace(copies=2))
    assert repr(fits).startswith("<Analysis under P-EDF: schedulable (edf_utilization, ")
    assert repr(fits.verdicts[0]).startswith("<Verdict of ")
    assert "schedulable (" not in repr(late).replace("unschedulable (", "")


def test_wrong_lengths_of_time_say_what_is_allowed():
    scenario = schedlab.Scenario.from_tasks(TASKS, processors=1, scheduler="P-EDF")
    with pytest.raises(schedlab.BadInput, match=r'horizon: "5" has no unit; allowed: a duration such as "2.5 ms"'):
        scenario.replace(horizon="5")


def test_a_comparison_without_a_title_bears_the_name_of_its_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.toml").write_text('schedlab = 1\n[[task]]\nname = "a"\nwcet = "1 ms"\nperiod = "5 ms"\n')
    assert main(["compare", "robot.toml", "--schedulers", "P-EDF", "--horizon", "20 ms"]) == 0
    assert "robot: 1 task on 1 processor," in capsys.readouterr().out
