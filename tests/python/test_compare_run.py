"""`schedlab compare --run`: real runs beside simulated ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS, easy, let_it_run
from report_example import comparison
from schedlab import runtime
from schedlab.cli.compare import _checked, _print_real
from schedlab.comparison.over_bound import over_bound, sum_over_bound, why_over_bound, worst_first
from schedlab.comparison.real import INTERRUPTED
from schedlab.comparison.summary import real_run, summary
from schedlab.errors import CannotRun
from schedlab.show.report.page import render_report

#: Nothing else may run beside.
pytestmark = pytest.mark.realtime

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def beside(row: dict[str, Any]) -> dict[str, Any]:
    """The real run, where this machine allows one."""
    if row["real"]["error"]:
        pytest.skip(row["real"]["error"])
    return row["real"]


def test_real_runs_stand_beside_simulated_ones_in_the_same_bins() -> None:
    kept = []
    found = schedlab.compare(
        easy(), schedulers=["P-EDF", "G-EDF"], run="300 ms", keep_real=lambda name, schedule: kept.append(name)
    )
    assert found["horizon_ns"] == 300 * MS
    for row in found["schedulers"]:
        real = beside(row)
        assert real["ending"] == "horizon" and real["until_ns"] == 300 * MS
        assert real["findings"]["replay_is_exact"] and real["totals"]["jobs"] == row["totals"]["jobs"]
        for ran, simulated in zip(real["tasks"], row["tasks"], strict=True):
            assert ran["histogram"]["edges_ns"] == simulated["histogram"]["edges_ns"]
            assert sum(ran["histogram"]["counts"]) == ran["completed"] > 0
            assert sum(simulated["histogram"]["counts"]) == simulated["completed"]
    assert kept == ["P-EDF", "G-EDF"]
    assert json.loads(json.dumps(found)) == found
    assert "For real, beside the simulation" in render_report(found)


def test_a_scheduler_that_cannot_have_the_servers_is_not_run_and_the_page_says_why() -> None:
    scenario = schedlab.Scenario.read(EXAMPLES / "overrun.toml")
    found = schedlab.compare(scenario, schedulers=["P-EDF", "P-RM"], run="100 ms")
    page = render_report(found)
    assert page.count("the urgency of such a server is a deadline") >= 2 and "not run</span>" in page


def test_a_response_above_its_bound_is_explained_by_who_took_the_time_or_called_unexplained() -> None:
    def of(less_lost: int | None, in_schedule: int = 90, reconstructed: int = 95) -> list[dict[str, Any]]:
        real = [{"index": at, "response_time_ns": {"max": seen}} for at, seen in enumerate((130, 900, 100))]
        longest = {
            "job": "T0J3", "longest_less_lost_ns": less_lost, "lost_to_ns": {"rustc": 30, "a disk": 5}, "lost_ns": 35,
            "longest_in_schedule_ns": in_schedule, "reconstructed_ns": reconstructed, "response_ns": 130,
        }  # fmt: skip
        findings = {"longest_responses": None if less_lost is None else [longest, None, longest]}
        return over_bound([100, None, 100], real, findings)

    [above] = of(100)
    assert (above["index"], above["job"], above["explained"]) == (0, "T0J3", True), "100 is not above a bound of 100"
    said = why_over_bound(above, "brake", str)
    assert said == "brake: 130 is 30 above its bound; taken of its processors meanwhile: 30 by rustc, 5 by a disk"
    [above] = of(101)
    assert above["explained"] is False and "UNEXPLAINED: only taken" in why_over_bound(above, "brake", str)
    [above] = of(101, in_schedule=100, reconstructed=129)
    assert above["explained"] is True, "lost time let jobs of higher priority in: the schedule with it is as long"
    [above] = of(101, in_schedule=101, reconstructed=129)
    assert above["explained"] is False, "the bound does not hold for the schedule without any loss"
    [above] = of(None)
    assert above["explained"] is None and "the kernel was not asked" in why_over_bound(above, "brake", str)


def above(names: str, explained: bool | None, seen: int) -> list[dict[str, Any]]:
    """Responses above a bound of 10 ms, by task of three."""
    return [
        {"index": "abc".index(name), "job": "T0J0", "response_time_ns": seen * MS, "bound_ns": 10 * MS,
         "explained": explained, "taken_ns": {}}
        for name in names
    ]  # fmt: skip


#: What a real run without a miss experienced, and what a check of it found.
TOTALS = {"misses": 0, "jobs": 1, "max_tardiness_ns": 0, "preemptions": 0, "migrations": 0}
GOOD = {
    "holds": True, "replay_is_exact": True, "crashed": None, "witness": None, "warning": None, "misses": None,
    "ending": "horizon", "whole": True,
}  # fmt: skip


def ran(findings: dict[str, Any], over: list[dict[str, Any]]) -> dict[str, Any]:
    """A real run of a comparison."""
    return {
        "error": None, "ending": findings["ending"], "until_ns": MS, "tasks": [], "totals": TOTALS, "over_bound": over,
        "findings": findings,
    }  # fmt: skip


def test_the_table_says_how_a_run_ended() -> None:
    """Programs that are complete end a run that is whole; a crash or an interrupt does not."""
    for found, words in (
        ({"ending": "programs_completed"}, "hold, replay exact"),
        ({"ending": "stopped", "whole": False}, "stopped at 1 ms"),
        ({"ending": "crashed", "whole": False, "crashed": "camera"}, "crashed: camera at 1 ms"),
    ):
        row: Any = {"tasks": [], "real": ran(GOOD | found, [])}
        real = real_run(row, [])
        assert real is not None and str(_checked(real)) == words


def test_many_responses_above_their_bounds_are_counted_and_the_worst_named(capsys: Any) -> None:
    result: Any = comparison(copies=1)
    found = [above("abc", True, 12), above("a", False, 11) + above("b", True, 15)]
    result["schedulers"] = [
        {"name": name, "error": "not modelled", "modelled": False, "tasks": [], "real": ran(GOOD, over)}
        for name, over in zip("PQ", found, strict=True)
    ]
    for task, name in zip(result["tasks"], ("left", "right", "brake"), strict=False):
        task["name"] = name

    def printed(details: bool) -> list[str]:
        _print_real(summary(result), details)
        return [line for line in capsys.readouterr().out.splitlines() if line.startswith("above")]

    assert printed(False) == [
        "above their bounds: 5 responses, 4 explained by what took their processors, 1 UNEXPLAINED; --details names "
        "each; the worst:",
        "above its bound Q, left: 11 ms is 1 ms above its bound; UNEXPLAINED: only taken of its processors meanwhile: "
        "nothing",
        "above its bound Q, right: 15 ms is 5 ms above its bound; taken of its processors meanwhile: nothing",
        "above its bound P, left: 12 ms is 2 ms above its bound; taken of its processors meanwhile: nothing",
    ]
    assert len(printed(True)) == 5
    not_asked = "1 unexplained: the kernel was not asked who took the processor, or decides itself"
    assert sum_over_bound(above("a", None, 11)) == not_asked
    assert [item["response_time_ns"] for item in worst_first(found[0] + found[1])][:2] == [11 * MS, 15 * MS]


def test_a_comparison_without_runs_does_not_speak_of_them(easy_file: Path, run: Any) -> None:
    found = schedlab.compare(easy(), schedulers=["G-EDF"])
    assert "real" not in found["schedulers"][0]
    assert "For real" not in render_report(found)
    refused = run("compare", easy_file, "--duration", "1 s")
    assert refused.status == 2 and "--run" in refused.err


def test_where_real_time_is_refused_the_reason_is_said_and_the_rest_works(
    monkeypatch: pytest.MonkeyPatch, easy_file: Path, tmp_path: Path, run: Any
) -> None:
    def refuse(scenario: object, trace: Path) -> None:
        raise CannotRun("real-time priorities are refused: run as root")

    monkeypatch.setattr(runtime, "run_checked", refuse)
    found = run("compare", easy_file, "--schedulers", "P-EDF,G-EDF", "--run", "--out", tmp_path)
    assert found.status == 0
    assert found.out.count("real-time priorities are refused: run as root") == 2
    rows = json.loads((tmp_path / "result.json").read_text())["schedulers"]
    assert all(row["tasks"] and row["real"]["error"].startswith("real-time priorities") for row in rows)
    assert "run as root" in (tmp_path / "report.html").read_text()


def test_an_interrupt_before_a_run_begins_keeps_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def interrupted(scenario: schedlab.Scenario, trace: Path) -> None:
        asked.append(scenario.scheduler)
        raise KeyboardInterrupt

    monkeypatch.setattr(runtime, "run_checked", interrupted)
    found = schedlab.compare(easy(), schedulers=["P-EDF", "G-EDF", "G-RM"], run="200 ms")
    assert asked == ["P-EDF"]
    assert [row["real"]["error"] for row in found["schedulers"]] == [INTERRUPTED] * 3


def test_a_scheduler_that_does_not_fit_is_not_run() -> None:
    full = [{"wcet_ns": 6 * MS, "period_ns": 10 * MS}] * 3
    scenario = schedlab.Scenario.from_tasks(full, processors=2, scheduler="G-EDF", horizon="1 s")
    [row] = schedlab.compare(scenario, schedulers=["P-EDF"], run="100 ms")["schedulers"]
    assert row["real"]["error"] == row["error"] != ""


def test_ctrl_c_keeps_what_was_done_and_leaves_nothing_at_real_time_priority(tmp_path: Path) -> None:
    command = ["compare", str(EXAMPLES / "avionics.toml"), "--schedulers", "P-EDF,G-EDF", "--run", "--duration", "60 s"]
    # The run's own files are below its command line's folder, by which its process is known.
    process = subprocess.Popen(
        [sys.executable, "-m", "schedlab", *command, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )
    let_it_run(process)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    rows = json.loads((tmp_path / "result.json").read_text())["schedulers"]
    beside(rows[0])
    assert process.returncode == 130, said
    assert rows[0]["real"]["ending"] == "stopped" and rows[0]["real"]["totals"]["jobs"] > 20
    assert rows[1]["real"]["error"] == INTERRUPTED
    assert (tmp_path / "P-EDF.real.trace").exists() and not (tmp_path / "G-EDF.real.trace").exists()
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in left
    assert not list(tmp_path.glob("schedlab-*"))
