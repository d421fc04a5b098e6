"""Budgets for real: servers of every kind and pieces in threads, and a hard CBS as the kernel's reservation."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import schedlab
from conftest import MS, run_checked

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

#: Kinds of servers whose urgency is a fixed priority, and those whose is a deadline.
FIXED = ("polling", "deferrable", "sporadic", "sporadic-posix", "sporadic-corrected")
DEADLINES = ("soft-cbs", "hard-cbs", "grub", "constant-utilization", "total-bandwidth")


def servers(kind: str, scheduler: str, horizon: str) -> schedlab.Scenario:
    """The example with a server of this kind."""
    text = (EXAMPLES / "servers.toml").read_text(encoding="utf-8")
    text = text.replace('"sporadic-corrected"', f'"{kind}"').replace('"P-RM"', f'"{scheduler}"')
    return schedlab.Scenario.parse(text.replace('"300 ms"', f'"{horizon}"'))


@pytest.mark.parametrize("kind", [*FIXED, *DEADLINES])
def test_each_kind_decides_for_real_as_in_its_replay(kind: str, tmp_path: Path) -> None:
    scheduler = "P-RM" if kind in FIXED else "P-EDF"
    found, schedule = run_checked(servers(kind, scheduler, "120 ms"), tmp_path)
    assert found["replay_is_exact"] and found["invariants_hold"] and found["decided_by"] == "schedlab"
    assert found["overruns"] == 0, "the end of a server's budget is no overrun of a WCET"
    drawn = schedule.drawing(None)
    assert drawn["servers"] == ["messages"]
    trusts_costs = kind in ("constant-utilization", "total-bandwidth")
    assert any(budget[-1] > 0 for budget in drawn["server_budgets"]) != trusts_costs, drawn["server_budgets"]
    told = {found.name for found in schedule.check() if found.holds}
    assert "decisions_keep_invariants" in told


def test_jobs_of_lists_and_streams_arrive_at_their_times(tmp_path: Path) -> None:
    scenario = schedlab.Scenario.read(EXAMPLES / "servers.toml")
    _, schedule = run_checked(scenario, tmp_path)

    def arrivals(of: schedlab.Schedule) -> list[tuple[int, int]]:
        return sorted(zip(of.jobs["task"], of.jobs["arrival_ns"], strict=True))

    assert arrivals(schedule) == arrivals(schedlab.simulate(scenario))
    times = schedule.metrics().tasks
    responses = dict(zip(times["name"], times["max_response_time_ns"], strict=True))
    assert all(responses[name] > 0 for name in ("urgent", "burst", "chatter")), responses


def test_neighbours_of_an_overrunning_client_are_late_by_lost_time_alone(tmp_path: Path) -> None:
    found, schedule = run_checked(schedlab.Scenario.read(EXAMPLES / "overrun.toml"), tmp_path)
    if found["misses"] is None:
        pytest.skip("the kernel may not be asked here")
    assert found["misses"]["of_schedule"] == 0 and not found["misses"]["unexplained"], found["misses"]
    metrics = schedule.metrics()
    complete = dict(zip(metrics.tasks["name"], metrics.tasks["completed"], strict=True))
    # The client asks for 9 ms in each 10 ms, and has 2 ms: of 40 jobs, not even nine can end.
    assert complete["video"] < 10, complete


def test_the_kernel_keeps_a_client_to_its_reservation(tmp_path: Path) -> None:
    processors = len(os.sched_getaffinity(0))
    changes = {"scheduler": "SCHED_DEADLINE", "platform.processors": str(processors)}
    scenario = schedlab.Scenario.read(EXAMPLES / "overrun.toml").replace(settings=changes)
    found, schedule = run_checked(scenario, tmp_path)
    assert found["decided_by"] == "kernel" and found["backend"] == "class"
    drawn = schedule.drawing(None)
    assert drawn["servers"] == [], "the kernel tells no budgets"
    segments = drawn["segments"]
    used = sum(end - start for _, task, _, start, end, *_ in segments if task == 2)
    # 2 ms in each 10 ms. The kernel may notice the end of a budget a tick late, and takes that off the next one.
    assert used <= (400 // 10 + 1) * 2 * MS + 20 * MS, f"{used / MS} ms of 400 ms"


#: Three tasks of 0.55 each on two processors: one of them has to be cut. Costs leave room for what the machine takes.
SPLIT = """
schedlab = 1
scheduler = SCHEDULER
horizon = "200 ms"
[platform]
processors = 2
""" + "".join(
    f'[[task]]\nname = "{name}"\nwcet = "5.5 ms"\nperiod = "10 ms"\ncost = {{ uniform = ["3 ms", "4 ms"] }}\n'
    for name in "abc"
)


@pytest.mark.parametrize("scheduler", ['{ name = "SP-EDF", placement = { split = "C=D" } }', '"EKG[2]"'])
def test_pieces_of_split_tasks_are_kept_by_decisions(scheduler: str, tmp_path: Path) -> None:
    found, schedule = run_checked(schedlab.Scenario.parse(SPLIT.replace("SCHEDULER", scheduler)), tmp_path)
    assert found["replay_is_exact"] and found["invariants_hold"]
    assert found["overruns"] == 0, "the end of a piece is no overrun"
    assert all(checked.holds for checked in schedule.check()), schedule.check()
    kernel = tmp_path / "run.kernel.slt"
    if kernel.exists():
        assert all(checked.holds for checked in schedlab.Schedule.read(kernel).check())
