"""What a terminal and a notebook show of results: the first rows, and nothing that breaks out of the page."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import schedlab
from conftest import MS, dhall
from schedlab.tables import Table


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


def test_a_table_shows_its_first_rows() -> None:
    jobs = schedlab.simulate(dhall()).jobs
    lines = repr(jobs).splitlines()
    assert lines[0].startswith(f"<Table of {len(jobs)} rows: task, job, arrival_ns, ")
    assert lines[1].split()[:3] == ["task", "job", "arrival_ns"]
    assert lines[2].split()[:3] == ["0", "0", "0"]
    assert len(lines) == 2 + 10 + 1
    assert lines[-1] == f"... and {len(jobs) - 10} more"
    assert all(len(line) <= 100 for line in lines[1:])


def test_small_empty_and_odd_tables_are_shown_too() -> None:
    assert repr(Table([], ["a", "b"])) == "<Table of 0 rows: a, b>"
    assert repr(Table([{"a": 1, "b": None}])).splitlines() == ["<Table of 1 row: a, b>", "a  b", "1  -"]
    assert "…" in repr(Table([{"a": {"largest": 1, "median": 2, "mean": 3}}]))
    # Columns that do not fit are named in the head alone.
    wide = repr(Table([{f"column_number_{n}": n for n in range(20)}])).splitlines()
    assert "column_number_19" in wide[0] and "column_number_19" not in wide[1]


def test_a_scenario_its_analysis_and_its_metrics_are_tables() -> None:
    scenario = dhall()
    assert Cells(scenario._repr_html_()).rows[3][1:] == ["10 ms", "11 ms", "11 ms", "0", "0.909"]
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
    assert repr(result) == "<Comparison of G-EDF, P-EDF: dhall>"
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
