"""Budget servers of a scenario, from Python and at the command line: budgets over time, and what is refused."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

import schedlab
from schedlab.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "servers.toml"
MS = 1_000_000


def test_a_schedule_shows_budgets_over_time() -> None:
    schedule = schedlab.simulate(schedlab.Scenario.read(EXAMPLE))
    drawn = schedule.drawing(17 * MS)
    assert drawn["servers"] == ["messages"]
    stretches = [[ns // MS for ns in stretch[1:]] for stretch in drawn["server_budgets"]]
    # The job of 0 uses two of three milliseconds once control has had its turn, and the parts return one by one.
    assert stretches[:2] == [[0, 2, 3, 3], [2, 4, 3, 1]]
    assert all(before[1] == after[0] for before, after in itertools.pairwise(stretches))
    returned = [(at / MS, amount / MS) for _, at, amount in drawn["replenishments"]]
    assert sum(amount for _, amount in returned) > 3
    assert "messages uses its budget from 3 ms to 1 ms, 2 ms to 4 ms" in schedule.to_svg()
    assert "messages" in schedule.to_text()


def test_clients_have_response_times_and_no_deadlines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(EXAMPLE), "--json"]) == 0
    tasks = {task["name"]: task for task in json.loads(capsys.readouterr().out)["simulations"][0]["tasks"]}
    assert tasks["burst"]["misses"] == 0
    assert tasks["burst"]["response_time_ns"]["max"] > 0
    assert main(["analyze", str(EXAMPLE)]) == 0
    told = capsys.readouterr().out
    assert "schedulable" in told
    assert "e+0" not in told and "31536001" not in told, "a year is no deadline"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "--backend", "scx-native"], 'the budget server "messages"'),
        (["run", "--scheduler", "SCHED_DEADLINE"], 'a reservation of the kernel is a "hard-cbs"'),
        (["simulate", "--set", "overruns=best-effort"], "beside budget servers"),
        (["export", "simso"], "the format has no place for it"),
        (["export", "systemd"], "no setting of Linux's own schedulers"),
        (["simulate", "--scheduler", "PD2"], "budget servers under PD2"),
        (["simulate", "--overheads", "paper-2008-4k"], "overheads beside budget servers"),
        (["simulate", "--set", "server.messages.budget=8 ms"], "is more than the period of 7 ms"),
        (["simulate", "--set", "server.other.budget=8 ms"], "messages"),
    ],
)
def test_what_knows_no_servers_refuses_them(
    arguments: list[str], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    is_export = arguments[0] == "export"
    files = [str(EXAMPLE), "--out", str(tmp_path / "out")] if is_export else [str(EXAMPLE)]
    assert main([*arguments, *files]) == 2
    assert words in capfd.readouterr().err
