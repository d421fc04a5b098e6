"""What a terminal and a notebook show of results: the first rows, and nothing that breaks out of the page."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest

import schedlab
from conftest import MS, dhall
from schedlab.core.tables import Table


class Cells(HTMLParser):
    """The rows of all tables, a list of texts each; and every tag."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        self.inside = tag in ("td", "th")
        if self.inside:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.rows[-1][-1] += data


def test_a_table_shows_its_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    jobs = schedlab.simulate(dhall()).jobs
    lines = repr(jobs).splitlines()
    assert lines[0].startswith(f"<Table of {len(jobs)} rows: task, name, job, arrival_ns, ")
    at = next(at for at, line in enumerate(lines) if line.startswith("task "))
    assert lines[at - 1].endswith(">") and lines[at].split()[:3] == ["task", "name", "job"]
    assert lines[at + 1].split()[:4] == ["0", "T0", "0", "0"]
    assert len(lines) == at + 1 + 10 + 1
    assert lines[-1] == f"... and {len(jobs) - 10} more"
    assert all(len(line) <= 100 for line in lines)


def test_small_empty_and_odd_tables_are_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert repr(Table([], ["a", "b"])) == "<Table of 0 rows: a, b>"
    assert repr(Table([{"a": 1, "b": None}])).splitlines() == ["<Table of 1 row: a, b>", "a  b", "1  -"]
    assert "…" in repr(Table([{"a": "a name that is longer than a cell of a table"}]))
    # Columns that do not fit are named in the head alone.
    monkeypatch.setenv("COLUMNS", "80")
    wide = repr(Table([{f"column_number_{n}": n for n in range(20)}]))
    assert wide.count("column_number_19") == 1 and wide.count("column_number_2,") == 1
    assert wide.splitlines()[-2].split() == [f"column_number_{n}" for n in range(4)]


def test_a_table_is_html_with_plain_cells() -> None:
    jobs = schedlab.simulate(dhall().replace(horizon="1 s")).jobs
    rows = Cells(jobs._repr_html_()).rows
    assert rows[0] == list(jobs.columns) and len(rows) == 1 + 40
    assert rows[1][:3] == ["0", "T0", "0"]
    assert f"<p>and {len(jobs) - 40} more</p>" in jobs._repr_html_()


def test_a_scenario_its_analysis_and_its_metrics_are_tables() -> None:
    scenario = dhall()
    assert Cells(scenario._repr_html_()).rows[3][1:] == ["10 ms", "11 ms", "11 ms", "0 ns", "0.909"]
    [analysis] = schedlab.analyze(scenario)
    rows = Cells(analysis._repr_html_()).rows
    assert rows[0] == ["test", "kind", "answer", "reason"]
    assert {row[0] for row in rows} >= {found.test for found in analysis.verdicts}
    metrics = schedlab.simulate(scenario).metrics()
    assert f"{metrics.misses} of {metrics.jobs} deadlines missed under G-EDF" in metrics._repr_html_()
    assert Cells(metrics._repr_html_()).rows[3][1:4] == ["10", str(metrics.misses), "12 ms"]


def test_a_comparison_is_a_table_and_stays_a_dictionary() -> None:
    result = schedlab.compare(dhall(), schedulers=["G-EDF", "P-EDF"])
    rows = Cells(result._repr_html_()).rows
    assert [row[0] for row in rows] == ["scheduler", "G-EDF", "P-EDF"]
    assert rows[1][3] == f"{result['schedulers'][0]['totals']['misses']} of 32"
    assert repr(result) == "<Comparison of G-EDF, P-EDF for dhall>"
    assert isinstance(result, dict) and json.loads(json.dumps(result)) == result


def test_names_cannot_break_out_of_the_page() -> None:
    attack = "</table><img src=x onerror=alert(1)>"
    rows = [{"name": attack, "wcet_ns": MS, "period_ns": 10 * MS}]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-EDF", horizon=20 * MS, name=attack)
    metrics = schedlab.simulate(scenario).metrics()
    compared = schedlab.compare(scenario, schedulers=["G-EDF"])
    for html in (scenario._repr_html_(), metrics._repr_html_(), compared._repr_html_()):
        found = Cells(html)
        assert "img" not in found.tags
    assert Cells(scenario._repr_html_()).rows[1][0] == attack


def test_of_many_rows_the_first_are_shown() -> None:
    rows = [{"wcet_ns": 1, "period_ns": 1000} for _ in range(50)]
    html = schedlab.Scenario.from_tasks(rows, processors=1)._repr_html_()
    assert len(Cells(html).rows) == 1 + 40
    assert "<p>and 10 more</p>" in html


def test_metrics_are_a_line_in_a_terminal() -> None:
    metrics = schedlab.simulate(dhall()).metrics()
    assert repr(metrics) == (
        f"<Metrics under G-EDF: 32 jobs, {metrics.misses} deadlines missed, {metrics.preemptions} preemptions, "
        f"{metrics.migrations} migrations>"
    )
