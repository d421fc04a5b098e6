"""Pages of schedules and the first difference of two: what they hold, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS, ROOT, easy, fits
from schedlab.show.report import write_timelines

DHALL = ROOT / "examples" / "dhall.toml"


def data_of(page: Path) -> Any:
    text = page.read_text(encoding="utf-8")
    [embedded] = re.findall(r'<script type="application/json" id="view">(.*?)</script>', text, re.DOTALL)
    return json.loads(embedded)


@pytest.fixture
def traces(tmp_path: Path, run: Any) -> tuple[Path, Path]:
    found = (tmp_path / "global.slt", tmp_path / "partitioned.slt")
    for path, scheduler in zip(found, ("G-RM", "P-EDF"), strict=True):
        assert run("simulate", DHALL, "--scheduler", scheduler, "--trace", path).status == 0
    return found


def test_a_trace_becomes_one_file_that_needs_no_other(
    traces: tuple[Path, Path], tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("view", traces[0]).out == "global.html\n"
    text = (tmp_path / "global.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|importScripts|src=", text)
    assert "<span>missed</span> <b>9</b>" in text
    [trace] = data_of(tmp_path / "global.html")["traces"]
    assert trace["schedule"] == schedlab.Schedule.read(traces[0]).drawing()


def test_a_scenario_is_simulated_under_each_scheduler(tmp_path: Path, run: Any) -> None:
    page = tmp_path / "page.html"
    found = run("view", DHALL, "--scheduler", "G-EDF,P-EDF", "--around", "heavy", "--json", "-o", page)
    fits(found.json, "view")
    assert found.json["schedules"] == ["dhall.toml under G-EDF", "dhall.toml under P-EDF"]
    data = data_of(page)
    assert [len(trace["schedule"]["misses"]) > 0 for trace in data["traces"]] == [True, False]
    assert data["job"][0] == 2


def test_a_page_may_show_a_part(tmp_path: Path) -> None:
    schedule = schedlab.simulate(easy())
    [trace] = data_of(write_timelines({"easy": schedule}, tmp_path / "a.html", start="40 ms", until="80 ms"))["traces"]
    assert (trace["drawn_from_ns"], trace["drawn_until_ns"]) == (40 * MS, 80 * MS)
    assert all(40 * MS <= at <= 80 * MS for _, _, at in trace["schedule"]["arrivals"])
    [later] = data_of(write_timelines({"easy": schedule}, tmp_path / "b.html", start="40 ms"))["traces"]
    assert (later["drawn_from_ns"], later["drawn_until_ns"]) == (40 * MS, 200 * MS)


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    attack = "</script><img src=x onerror=alert(1)>"
    rows = [{"name": attack, "wcet_ns": MS, "period_ns": 10 * MS}]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-EDF", horizon=20 * MS)
    page = write_timelines({attack: schedlab.simulate(scenario)}, tmp_path / "page.html")
    assert "<img" not in page.read_text(encoding="utf-8")
    assert data_of(page)["traces"][0]["tasks"][0]["name"] == attack


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["view", "TRACE", "--protocol", "pip"], "--protocol is for a scenario, and {} is a trace, which is over"),
        (["view", "TRACE", "--scheduler", "G-EDF"], "--scheduler is for a scenario, and {} is a trace, which is over"),
        (["view", "-"], "-: a page is of a file; allowed: a trace or a scenario"),
        (["view", "none.slt"], "none.slt: cannot be read: No such file or directory"),
        (["diff", "TRACE", "TRACE", "--page"], "{} and {} are one file; allowed: two traces"),
    ],
)
def test_what_is_no_page_is_refused(traces: tuple[Path, Path], run: Any, arguments: list[str], message: str) -> None:
    found = run(*[str(traces[0]) if word == "TRACE" else word for word in arguments])
    assert (found.status, found.err) == (2, f"schedlab: {message.replace('{}', str(traces[0]))}\n")


def test_the_first_difference_is_said_with_names(traces: tuple[Path, Path], run: Any) -> None:
    found = run("diff", *traces)
    assert found.status == 0
    assert found.out.splitlines() == [
        "the schedules differ from 0 ns on, on cpu 0: light.1's job 0 (T0J0) in global.slt, heavy's job 0 (T2J0) in "
        "partitioned.slt",
        "the first record that differs is number 3:",
        "  global.slt: 0 ready T0J0 1000000 0",
        "  partitioned.slt: 0 ready T0J0 1000000 1",
    ]
    assert run("diff", *traces, "--strict").status == 1


def test_priorities_read_as_the_scenario_states_them(run: Any, tmp_path: Path) -> None:
    """Where the largest priority is the most urgent, no line shows the point that the scheduler orders by."""
    traces = []
    for priority in (1, 3):
        path, trace = tmp_path / f"{priority}.toml", tmp_path / f"{priority}.slt"
        path.write_text(
            'schedlab = 1\nscheduler = { name = "P-FP", urgent_priority = "largest" }\nplatform.processors = 1\n'
            'horizon = "20 ms"\n[[task]]\nname = "long"\nwcet = "6 ms"\nperiod = "20 ms"\npriority = 2\n'
            f'[[task]]\nname = "short"\nwcet = "1 ms"\nperiod = "5 ms"\npriority = {priority}\n'
        )
        assert run("simulate", path, "--trace", trace).status == 0
        traces.append(trace)
    *_, first, second = run("diff", *traces).out.splitlines()
    assert (first, second) == ("  1.slt: 0 ready T1J0 1 0", "  3.slt: 0 ready T1J0 3 0")
    assert "0 ready T1J0 3 0" in run("trace", traces[1], "--format", "records").out.splitlines()


def test_a_trace_does_not_differ_from_its_copy(traces: tuple[Path, Path], tmp_path: Path, run: Any) -> None:
    (tmp_path / "copy.slt").write_bytes(traces[0].read_bytes())
    found = run("diff", traces[0], tmp_path / "copy.slt", "--strict")
    assert (found.status, found.out) == (0, "global.slt and copy.slt hold the same records\n")


def test_the_difference_stands_on_the_page(traces: tuple[Path, Path], tmp_path: Path, run: Any) -> None:
    page = tmp_path / "both.html"
    found = run("diff", *traces, "-o", page, "--json")
    fits(found.json, "diff")
    data = data_of(page)
    assert data["differs_at_ns"] == found.json["schedule"]["at_ns"] == 0
    assert len(data["traces"]) == 2
    assert "the schedules differ from 0 ns on" in page.read_text(encoding="utf-8")


def test_times_within_the_tolerance_are_the_same() -> None:
    rows = [dict(row) | {"wcet_ns": row["wcet_ns"] - 1000} for row in easy().tasks]
    faster = schedlab.simulate(easy().from_tasks(rows, processors=2, scheduler="G-EDF", horizon=200 * MS, name="easy"))
    exact = schedlab.simulate(easy())
    # The third job begins when the first is complete.
    assert exact.difference(faster)["schedule"] == {
        "at_ns": 2 * MS - 1000,
        "cpu": 0,
        "occupants": [{"task": 0, "job": 0}, {"task": 2, "job": 0}],
    }
    within = exact.difference(faster, "2 us")
    assert within["schedule"] is None
    assert within["record"]["number"] < len(exact.to_records().splitlines())
