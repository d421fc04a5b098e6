"""Linux's own scheduling classes as baselines: real runs without our gates, beside those of our schedulers."""

from __future__ import annotations

import os
import signal
import subprocess
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS, let_it_run, run_checked
from schedlab import runtime
from schedlab.errors import BadInput, CannotRun
from schedlab.show.report.page import render_report

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

CLASSES = ("SCHED_FIFO", "P-SCHED_FIFO", "SCHED_DEADLINE")

#: A section of 8 ms that begins first, one of 2 ms of the most urgent task, and a task between that shares nothing.
SHARING = """
schedlab = 1
scheduler = "P-SCHED_FIFO"
horizon = "400 ms"
resource = [{ name = "r" }]
task = [
  { name = "high", wcet = "2 ms", period = "40 ms", offset = "3 ms",
    program = ["request r", "execute 2 ms", "release r"] },
  { name = "middle", wcet = "6 ms", period = "80 ms", offset = "4 ms" },
  { name = "low", wcet = "8 ms", period = "100 ms", program = ["request r", "execute 8 ms", "release r"] },
]
"""


def of(*tasks: tuple[str, float, float], **more: Any) -> schedlab.Scenario:
    """A scenario of tasks with these costs and periods, in ms."""
    given = [{"name": name, "wcet_ns": int(cost * MS), "period_ns": int(period * MS)} for name, cost, period in tasks]
    return schedlab.Scenario.from_tasks(given, **more)


def run(scenario: schedlab.Scenario, tmp_path: Path) -> tuple[Any, schedlab.Schedule]:
    """What a checked run found, and its trace, where this machine lets it."""
    found, schedule = run_checked(scenario, tmp_path)
    assert found["decided_by"] == "kernel", found
    assert found["replay_is_exact"] is None and found["witness"]["untrue"] == 0, "nothing of ours was decided"
    return found, schedule


def ran(schedule: schedlab.Schedule) -> list[tuple[int, int, int, int, int]]:
    """Processor, task, job, from when, until when: all that executed."""
    return [tuple(segment) for segment in schedule.drawing(None)["segments"]]


def test_fifo_preempts_by_rate(tmp_path: Path) -> None:
    tasks = (("slow", 30, 100), ("fast", 2, 10), ("middle", 5, 25))
    _, schedule = run(of(*tasks, processors=1, scheduler="SCHED_FIFO", horizon="1 s"), tmp_path)
    metrics = schedule.metrics()
    preempted = dict(zip(metrics.tasks["name"], metrics.tasks["preemptions"], strict=True))
    assert preempted["slow"] > preempted["middle"] >= preempted["fast"] == 0
    # While a job of a shorter period is ready and begun, none of a longer one executes.
    periods = [100, 10, 25]
    segments = sorted(ran(schedule), key=lambda one: one[3])
    for before, after in pairwise(segments):
        resumed = any(one[1:3] == before[1:3] and one[3] >= after[3] for one in segments)
        if resumed:
            assert periods[after[1]] <= periods[before[1]], (before, after)


def test_fifo_moves_threads_and_its_partitioned_form_does_not(tmp_path: Path) -> None:
    tasks = (("a", 6, 10), ("b", 9, 15), ("c", 6, 24))
    _, bound = run(of(*tasks[:2], processors=2, scheduler="P-SCHED_FIFO", horizon="500 ms"), tmp_path)
    where = {task: {one[0] for one in ran(bound) if one[1] == task} for task in (0, 1)}
    assert all(len(processors) == 1 for processors in where.values()) and where[0] != where[1]
    assert bound.metrics().migrations == 0
    _, free = run(of(*tasks, processors=2, scheduler="SCHED_FIFO", horizon="1 s"), tmp_path)
    assert {one[0] for one in ran(free) if one[1] == 2} == {0, 1}, "the least urgent one goes where there is room"


def test_given_priorities_count_where_every_task_has_one(tmp_path: Path) -> None:
    text = """
schedlab = 1
scheduler = "SCHED_FIFO"
horizon = "500 ms"
task = [
  { name = "short", wcet = "2 ms", period = "20 ms", offset = "1 ms", priority = 2 },
  { name = "long", wcet = "10 ms", period = "50 ms", priority = 1 },
]
"""
    _, schedule = run(schedlab.Scenario.parse(text), tmp_path)
    tasks = schedule.metrics().tasks
    assert tasks["preemptions"][1] == 0, "by rate the short one would preempt it at 1 ms"
    assert tasks["max_response_time_ns"][0] > 5 * MS


def test_deadline_runs_where_the_whole_machine_is_used_and_is_refused_in_words(tmp_path: Path) -> None:
    processors = len(os.sched_getaffinity(0))
    easy = of(("a", 2, 20), ("b", 3, 30), processors=processors, scheduler="SCHED_DEADLINE", horizon="300 ms")
    found, _ = run(easy, tmp_path)
    assert found["jobs"]["completed"] > 20
    tasks = [(f"t{at}", 9.9, 10) for at in range(processors)]
    full = of(*tasks, processors=processors, scheduler="SCHED_DEADLINE")
    with pytest.raises(CannotRun, match="admission test refuses these reservations"):
        runtime.run_checked(full, tmp_path / "full.slt")
    late = {"wcet_ns": MS, "period_ns": 10 * MS, "relative_deadline_ns": 12 * MS}
    behind = schedlab.Scenario.from_tasks([late], processors=processors, scheduler="SCHED_DEADLINE")
    with pytest.raises(CannotRun, match="budget <= relative deadline <= period"):
        runtime.run_checked(behind, tmp_path / "late.slt")
    if processors > 1:
        part = of(("a", 2, 20), processors=processors - 1, scheduler="SCHED_DEADLINE")
        with pytest.raises(CannotRun, match="exclusive cpuset"):
            runtime.run_checked(part, tmp_path / "part.slt")


@pytest.mark.parametrize("protocol", ["PIP", "IPCP"])
def test_mutexes_of_the_kernel_exclude_and_keep_waiting_short(protocol: str, tmp_path: Path) -> None:
    scenario = schedlab.Scenario.parse(SHARING).replace(protocol=protocol)
    _, schedule = run(scenario, tmp_path)
    assert all(found.holds for found in schedule.check() if found.name == "mutual_exclusion")
    first = {task: next(one for one in ran(schedule) if one[1:3] == (task, 0)) for task in (0, 1, 2)}
    # The middle task arrives while the low one holds: it waits until the holder, which the high one waits for, is done.
    # Without inheritance or ceiling it would execute in between, from 4 ms on.
    done = max(one[4] for one in ran(schedule) if one[1:3] == (0, 0))
    assert done <= first[1][3] + MS, "the middle one begins when the high one is complete"
    has_waited = "held by T2J0 (low)" in str(schedule.why("T0J0")) + schedule.why_text("T0J0")
    # Where holders have the ceiling, the high one does not even begin.
    assert has_waited == (protocol == "PIP") and (first[0][3] < 6 * MS) == (protocol == "PIP")


@pytest.mark.parametrize("protocol", ["none", "inherit", "protect"])
def test_a_mutex_has_the_protocol_of_its_resource(protocol: str, tmp_path: Path) -> None:
    scenario = schedlab.Scenario.parse(SHARING.replace('name = "r" }', f'name = "r", protocol = "{protocol}" }}'))
    _, schedule = run(scenario, tmp_path)
    assert all(found.holds for found in schedule.check() if found.name == "mutual_exclusion")
    first = {task: next(one for one in ran(schedule) if one[1:3] == (task, 0)) for task in (0, 1, 2)}
    done = max(one[4] for one in ran(schedule) if one[1:3] == (0, 0))
    # The middle task arrives while the low one holds what the high one wants: without protocol it goes first.
    assert (first[1][3] + MS < done) == (protocol == "none")
    assert (first[0][3] < 6 * MS) == (protocol != "protect"), "under the ceiling the high one does not begin"


def test_threads_of_three_classes_run_beside_each_other(tmp_path: Path) -> None:
    text = f"""
schedlab = 1
scheduler = "SCHED_FIFO"
horizon = "400 ms"
platform.processors = {os.cpu_count()}
task = [
  {{ name = "reserved", wcet = "2 ms", period = "20 ms", class = "deadline", cost = {{ fraction = 0.5 }} }},
  {{ name = "fixed", wcet = "2 ms", period = "20 ms" }},
  {{ name = "ordinary", wcet = "2 ms", period = "40 ms", class = "ordinary" }},
]
"""
    found, schedule = run(schedlab.Scenario.parse(text), tmp_path)
    assert found["jobs"]["completed"] > 40
    assert {one[1] for one in ran(schedule)} == {0, 1, 2}


def test_what_the_kernel_has_not_is_refused(tmp_path: Path) -> None:
    other = schedlab.Scenario.parse(SHARING).replace(protocol="SRP")
    with pytest.raises(CannotRun, match=r'"srp" under P-SCHED_FIFO: the kernel\'s mutexes have no such protocol'):
        runtime.run_checked(other, tmp_path / "other.slt")
    with pytest.raises(CannotRun, match="no such protocol"):
        runtime.run_checked(other.under("SCHED_DEADLINE").replace(protocol="IPCP"), tmp_path / "other.slt")


@pytest.mark.parametrize("name", CLASSES)
def test_threads_that_linux_moves_have_no_test_and_one_class_has_no_model(name: str) -> None:
    scenario = of(("a", 2, 20), ("b", 2, 20), ("c", 2, 20), processors=2, scheduler=name)
    if name == "SCHED_DEADLINE":
        with pytest.raises(BadInput, match="not modelled"):
            schedlab.simulate(scenario)
    else:
        assert len(schedlab.simulate(scenario).drawing(None)["segments"]) > 10
    [analysis] = schedlab.analyze(scenario)
    answers = {found.test: found.answer for found in analysis.verdicts}
    if name == "P-SCHED_FIFO":
        # Threads of equal priority run in the order in which they come: the bounds hold in any order.
        assert answers["response_time_any_tie"] == "schedulable"
    else:
        assert set(answers.values()) == {"unknown"}
        assert any("Linux itself decides" in found.reason for found in analysis.verdicts)


@pytest.mark.parametrize("name", CLASSES)
def test_on_a_processor_of_its_own_the_order_is_known(name: str) -> None:
    [analysis] = schedlab.analyze(of(("a", 2, 20), ("b", 3, 30), processors=1, scheduler=name))
    [proof, *_] = [found for found in analysis.verdicts if found.answer == "schedulable"]
    assert "Linux admits all threads, decides at once and throttles none" in proof.assumptions


def test_a_comparison_has_them_beside_ours() -> None:
    processors = len(os.sched_getaffinity(0))
    scenario = of(("a", 2, 20), ("b", 3, 30), processors=processors)
    found = schedlab.compare(scenario, schedulers=["P-RM", "SCHED_FIFO", "P-EDF", "SCHED_DEADLINE"], run="300 ms")
    ours, fifo, _, deadline = found["schedulers"]
    if ours["real"]["error"]:
        pytest.skip(ours["real"]["error"])
    assert fifo["modelled"] and fifo["error"] is None and len(fifo["tasks"]) == 2
    assert not deadline["modelled"] and deadline["error"].startswith("not modelled") and deadline["tasks"] == []
    for row in (fifo, deadline):
        assert row["real"]["error"] is None and row["real"]["findings"]["holds"], row["real"]
        assert row["real"]["totals"]["jobs"] == ours["real"]["totals"]["jobs"]
    page = render_report(found)
    assert page.count("<small>not modelled</small>") == 5 and "hold, Linux decided" in page


def dispatches(schedule: schedlab.Schedule) -> list[tuple[int, int, int]]:
    """Processor, task, job, in the order in which the tasks' jobs began or went on; rests of the same are one."""
    found: list[tuple[int, int, int]] = []
    last: dict[int, tuple[int, int]] = {}
    for cpu, task, job, *_ in sorted(ran(schedule), key=lambda one: (one[3], one[0])):
        if last.get(cpu) != (task, job):
            found.append((cpu, task, job))
        last[cpu] = (task, job)
    return found


def agreement(scenario: schedlab.Scenario, tmp_path: Path, *, same_processors: bool = False) -> tuple[int, int]:
    """How many dispatches of a real run the model has in the same order, and of how many.

    Threads that may move begin on any processor, so the two may be exchanged.
    """
    _, real = run(scenario, tmp_path)
    seen, expected = dispatches(real), dispatches(schedlab.simulate(scenario))
    exchanged = [(1 - cpu, task, job) for cpu, task, job in expected]
    common = [
        sum(block.size for block in SequenceMatcher(None, seen, of_model, autojunk=False).get_matching_blocks())
        for of_model in ([expected] if same_processors else [expected, exchanged])
    ]
    return max(common), max(len(seen), len(expected))


def test_the_model_dispatches_as_the_kernel_does(tmp_path: Path) -> None:
    """Bound threads, whose releases are 5 ms and more from where another begins or ends."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("the machine has one processor")
    rows = [("a", 5, 40, 10, 0), ("b", 30, 80, 0, 0), ("c", 8, 80, 20, 1), ("d", 40, 80, 5, 1)]
    tasks = [
        {"name": name, "wcet_ns": cost * MS, "period_ns": period * MS, "offset_ns": offset * MS, "processor": cpu}
        for name, cost, period, offset, cpu in rows
    ]
    scenario = schedlab.Scenario.from_tasks(tasks, processors=2, scheduler="P-SCHED_FIFO", horizon="400 ms")
    same, every = agreement(scenario, tmp_path, same_processors=True)
    assert same == every >= 30


def test_random_sets_beside_the_model(tmp_path: Path) -> None:
    """The agreement is printed. Threads begin where the kernel likes, and others than the tasks' push them away; where
    a release is close to another event, the kernel's latency decides.

    `SCHED_FIFO_SETS=50` is the long form.
    """
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("the machine has one processor")
    sets = int(os.environ.get("SCHED_FIFO_SETS", "2"))
    for index in range(sets):
        drawn = schedlab.generate(
            utilizations="uniform 0.1 0.5", periods="uniform 20ms 100ms", stop="discard-above 1.4",
            seed=22, index=index, processors=2,
        )  # fmt: skip
        columns = zip(drawn.tasks["wcet_ns"], drawn.tasks["period_ns"], strict=True)
        rows = [
            {"wcet_ns": cost, "period_ns": period, "offset_ns": 7 * at * MS}
            | ({"fixed_priority": 1} if index % 2 else {})
            for at, (cost, period) in enumerate(columns)
        ]
        scenario = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="SCHED_FIFO", horizon="400 ms")
        same, every = agreement(scenario, tmp_path)
        priorities = "one priority" if index % 2 else "by rate"
        print(f"set {index}, {priorities}: {same} of {every} dispatches in the order of the model")
        assert every > 10


def test_a_run_that_is_killed_or_stopped_leaves_no_real_time_thread(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(of(("a", 2, 20), ("b", 3, 30), processors=2, scheduler="SCHED_FIFO").to_toml())
    for sent, status in ((signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)):
        command = [str(runtime.binary()), "run", str(file), "--duration", "60s", "--out", str(tmp_path / "run.slt")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        let_it_run(process)
        process.send_signal(sent)
        _, said = process.communicate(timeout=30)
        if process.returncode == 3:
            pytest.skip(said)
        assert process.returncode == status, said
        left = subprocess.run(["ps", "-eLo", "policy,args"], capture_output=True, text=True, check=True).stdout
        assert str(file) not in left, left
