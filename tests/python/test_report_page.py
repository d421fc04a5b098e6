"""The page's text: what it says without a browser, and that it is one file that needs no other."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from report_example import comparison
from schedlab.comparison.summary import exceeded_bounds, strongest, summary
from schedlab.show.report import write_comparison, write_report
from schedlab.show.report.page import render_report


class Cells(HTMLParser):
    """The texts of the summary's rows, and every address that the page names."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.addresses: list[str] = []
        self.inside = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self.inside += 1

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] = " ".join(f"{self.rows[-1][-1]} {data}".split())


def parsed(result: dict[str, Any]) -> Cells:
    cells = Cells()
    cells.feed(render_report(result))
    return cells


def test_the_summary_comes_first_and_says_what_was_proved_and_seen() -> None:
    _, gedf, gfifo, pedf = parsed(comparison()).rows
    assert gedf == ["G-EDF", "unknown", "bounded da_x", "0 of 420", "0 ns", "48.3 %", "112", "13", "all 3 hold"]
    assert gfifo[:5] == ["G-FIFO", "no test", "no test", "79 of 420", "20.32 ms"]
    assert pedf == ["P-EDF", "not applied task 'weapon release 4' fits no processor"]


def test_the_page_needs_no_other_resource() -> None:
    addresses = parsed(comparison()).addresses
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    text = render_report(comparison())
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|WebSocket|importScripts", text)


def test_names_cannot_break_out_of_the_page() -> None:
    result = comparison(copies=1)
    attack = "</script><img src=x onerror=alert(1)>"
    result["title"] = result["scenario"] = result["tasks"][0]["name"] = attack
    text = render_report(result)
    assert attack not in text
    assert "<img" not in text
    [embedded] = re.findall(r'<script type="application/json" id="comparison">(.*?)</script>', text, re.DOTALL)
    assert json.loads(embedded) == json.loads(json.dumps(result))


def test_the_same_comparison_gives_the_same_bytes(tmp_path: Path) -> None:
    first = write_report(comparison(), tmp_path / "a.html")
    second = write_report(comparison(), str(tmp_path / "b.html"))
    assert first.read_bytes() == second.read_bytes()
    assert not list(tmp_path.rglob("*.part"))


def test_the_provenance_names_scenario_seed_version_and_overheads() -> None:
    result = comparison() | {"overheads": "mine", "overheads_unknown": ["release", "context_switch"]}
    footer = render_report(result).split("<footer>")[1].split("<script")[0]
    assert "avionics &lt;/script&gt; &amp; co" in footer
    assert re.search(r"<dt>seed</dt><dd>1</dd>", footer)
    assert re.search(r"<dt>schedlab</dt><dd>0.1.0</dd>", footer)
    assert "unknown, hence not charged: release, context switch" in footer
    assert "cost nothing" in render_report(comparison()).split("<footer>")[1]


def test_met_deadlines_leave_no_tardiness() -> None:
    result = comparison(copies=1)
    result["schedulers"][0]["verdicts"][0]["answer"] = "schedulable"
    assert parsed(result).rows[1][1:3] == ["met gfb", "none gfb"]


def test_an_observation_beyond_its_bound_is_said_loudly() -> None:
    result = comparison()
    warning = "The simulation exceeded a proved bound"
    assert warning not in render_report(result)
    row = result["schedulers"][0]
    row["tasks"][7]["response_time_bound_ns"] = row["tasks"][7]["response_time_ns"]["max"] - 1
    assert exceeded_bounds(row, result["tasks"]) == ["response time of navigation 1"]
    assert warning in render_report(result)


def test_a_miss_of_a_set_called_schedulable_is_said_loudly() -> None:
    result = comparison()
    row = result["schedulers"][0]
    row["verdicts"][0]["answer"] = "schedulable"
    assert exceeded_bounds(row, result["tasks"]) == []
    row["totals"]["misses"] = 1
    assert exceeded_bounds(row, result["tasks"]) == ["missed deadlines of a set called schedulable"]


def test_broken_invariants_are_shown_with_their_detail() -> None:
    result = comparison()
    result["schedulers"][0]["invariants"][1] |= {"holds": False, "detail": "T1J2 waits at 5 ms"}
    assert parsed(result).rows[1][-1] == "respects_priority"
    assert "respects_priority: T1J2 waits at 5 ms" in render_report(result)


def test_tasks_without_jobs_bounds_or_deadlines_met_are_no_obstacle() -> None:
    result = comparison(copies=1)
    for row in result["schedulers"][:2]:
        row["tasks"][0] |= {"response_time_ns": None, "tardiness_ns": None, "histogram": {"edges_ns": [], "counts": []}}
        row["placement"] = [0] * len(result["tasks"])
    assert "cluster 0" in render_report(result)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["unknown", "schedulable"], "schedulable"),
        (["unknown", "unschedulable"], "unschedulable"),
        (["unknown"], "unknown"),
        ([], None),
    ],
)
def test_the_strongest_verdict_speaks(answers: list[str], expected: str | None) -> None:
    verdicts = [{"kind": "hard", "answer": answer, "test": answer, "tardiness_bounds_ns": None} for answer in answers]
    found = strongest(verdicts, "hard")
    assert (found and found.answer) == expected
    # Deadlines that are met bound tardiness.
    bounded = strongest(verdicts, "soft")
    assert (bounded and bounded.words) == ("bounded" if expected == "schedulable" else None)


def test_the_json_the_table_and_the_page_come_from_one_value(tmp_path: Path) -> None:
    result = comparison()
    told = summary(result)
    page = write_comparison(told, tmp_path)
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8")) == told.comparison == result
    assert page.read_text(encoding="utf-8") == render_report(result)
    first = told.schedulers[0]
    assert (first.name, first.misses, first.is_proved) == ("G-EDF", result["schedulers"][0]["totals"]["misses"], False)
    assert told.schedulers[2].error == "task 'weapon release 4' fits no processor" and told.schedulers[2].soft is None
