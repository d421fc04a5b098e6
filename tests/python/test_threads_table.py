"""A table of threads, as a spreadsheet of measurements has it, on the way through the commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import schedlab


@pytest.fixture(autouse=True)
def _here(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("example", "csv").out.splitlines()[0] == "threads.csv"


def test_the_template_is_analysed(run: Any) -> None:
    found = run("analyze", "threads.csv", "--strict")
    assert found.status == 0, found.out
    assert "schedulable under P-SCHED_FIFO" in found.out and "margin " in found.out
    assert "rests on: execution times are at most those observed" in found.out
    # The sections of all that are less urgent, once each.
    assert "log costs tracker 1.6 ms, detector 700 us\nmap costs control 980 us, odometry 800 us\n" in found.out


def test_simulations_draw_costs_by_the_measured_statistics() -> None:
    scenario = schedlab.Scenario.read("threads.csv").replace(horizon="20 s")
    assert len(scenario.tasks) == 12 and scenario.processors == 4
    jobs = schedlab.simulate(scenario).jobs
    imu = [row["cost_ns"] for row in jobs if row["task"] == 0]
    assert len(imu) == 10_000
    assert min(imu) >= 60_000 and max(imu) <= 180_000
    # 99 of a hundred jobs cost at most 110 us, and costs are even between 60 and 110 us below that.
    share = sum(cost <= 110_000 for cost in imu) / len(imu)
    assert 0.985 < share < 0.995
    assert 84_000 < sum(imu) / len(imu) < 88_000


def test_what_is_ambiguous_is_refused(run: Any) -> None:
    for header, why in (
        ("name,T_ms,wcet_ms,cost_us", '"wcet_ms" and "cost_us" are columns for the same thing'),
        ("name,P_ms,wcet_ms,prio", '"P_ms" may be the period or the priority'),
        ("name,T_ms,wcet_ms,temperature", "temperature: unknown field"),
        ("name,T,wcet_ms,prio", '"10" has no unit'),
    ):
        Path("a.csv").write_text(f"{header}\na,10,1,2\n", encoding="utf-8")
        found = run("analyze", "a.csv")
        assert found.status == 2 and why in found.err, found.err
    assert run("analyze", "a.csv", "--ignore", "unknown-fields").status == 2
    Path("a.csv").write_text("name,T_ms,wcet_ms,temperature\na,10,1,2\n", encoding="utf-8")
    told = run("analyze", "a.csv", "--ignore", "unknown-fields")
    assert told.status == 0 and 'left out of a.csv: column "temperature" (line 1)' in told.out
