"""What a terminal and a notebook show of results: the first rows, and nothing that breaks out of the page."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

import schedlab
from conftest import MS, dhall
from schedlab.core.tables import Table
from schedlab.studies import load_study, read_results, run_study
from schedlab.studies.batch import Batch, judge_sets


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


def test_lists_of_results_are_shown_below_each_other() -> None:
    found = schedlab.analyze(dhall(), schedulers=["G-EDF", "P-EDF"])
    assert isinstance(found, list) and len(found) == 2
    assert found._repr_html_() == "".join(one._repr_html_() for one in found)  # type: ignore[attr-defined]
    checks = schedlab.simulate(dhall()).check()
    rows = Cells(checks._repr_html_()).rows  # type: ignore[attr-defined]
    assert rows[0] == ["name", "holds", "detail"] and rows[1:] == [[one.name, "True", "-"] for one in checks]


def test_simulations_of_many_are_a_table_in_which_an_error_has_its_row() -> None:
    split = dhall().replace(scheduler="P-EDF", placement="refuse", processors=1)
    found = schedlab.simulate_many([dhall(), split])
    head, *rows = Cells(found._repr_html_()).rows  # type: ignore[attr-defined]
    assert dict(zip(head, rows[0], strict=True))["misses"] == "2"
    assert len(rows) == 2


def test_steps_are_shown_line_by_line() -> None:
    rows = [{"name": name, "wcet_ns": c * MS, "period_ns": t * MS} for name, c, t in (("a", 2, 5), ("b", 3, 7))]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="P-RM")
    [analysis] = schedlab.analyze(scenario, tests=["liu_layland", "response_time"], steps=True)
    html = analysis._repr_html_()
    cells = [row for row in Cells(html).rows if row[0].startswith("w")]
    assert ["w1", "3 + ⌈3/5⌉·2 [a] = 3 + 2", "5"] in cells and ["w2", "3 + ⌈5/5⌉·2 [a] = 3 + 2", "5 = w1"] in cells
    # A test that decides is open, one that does not is folded.
    assert "<details><summary>steps of liu_layland: unknown" in html
    assert "<details open><summary>steps of response_time: schedulable" in html
    assert analysis.verdicts[1]._repr_html_().endswith(html[html.index("<details open>") :])
    # Bounds have the names of their tasks.
    assert [row[0] for row in Cells(html).rows].count("b") == 1
    # Without steps, a verdict is its answer, its reason and its source.
    plain = schedlab.analyze(scenario, tests="response_time")[0].verdicts[0]._repr_html_()
    assert "<details" not in plain and analysis.verdicts[1].source in plain and "assumes: " in plain


def test_answers_to_other_questions_are_shown_too() -> None:
    scenario = dhall()
    schedule = schedlab.simulate(scenario)
    why = schedule.why()
    html = why._repr_html_()  # type: ignore[attr-defined]
    assert schedule.why_text().splitlines()[0] in html and json.loads(json.dumps(why)) == why
    head, *rows = Cells(schedlab.advise(scenario)._repr_html_()).rows  # type: ignore[attr-defined]
    assert head[:3] == ["scheduler", "deadlines", "margin"]
    assert next(row for row in rows if row[0] == "P-EDF")[1:3] == ["schedulable", "10%"]
    placed = schedlab.place(scenario.under("P-EDF"))
    shown = Cells(placed._repr_html_()).rows  # type: ignore[attr-defined]
    assert ["error", "-"] in shown and [row for row in shown if row[:1] == ["T2"]]
    other = schedule.difference(schedlab.simulate(scenario.under("P-EDF")))
    assert "at_ns" in other._repr_html_()  # type: ignore[attr-defined]


def test_a_schedule_is_a_drawing_that_fits_the_page_on_white_ground() -> None:
    html = schedlab.simulate(dhall())._repr_html_()
    assert html.startswith('<div style="background: white') and html.count("<svg") == 1
    assert "max-width: 100%" in html and "viewBox" in html


def test_columns_of_numbers_are_to_the_right_and_words_to_the_left() -> None:
    html = Table([{"word": "a", "number": 1.5}, {"word": "1 b", "number": None}])._repr_html_()
    assert html.count('<td style="text-align: left">') == 2 and html.count('<td style="text-align: right">') == 2
    assert '<th scope="col" style="text-align: right">number</th>' in html


def test_batches_and_studies_are_shown_by_question_and_by_point(tmp_path: Path) -> None:
    made = Batch(
        utilizations="uniform-medium", periods="uniform 10ms 100ms step 1ms", deadlines="implicit", stop="trim 1.4",
        processors=2, seed=1, sets=range(20), questions=["P-EDF hard", "G-RM hard"],
    )  # fmt: skip
    answers = judge_sets(made)
    head, *rows = Cells(answers._repr_html_()).rows
    assert head == ["question", "proved", "share", "weighted by utilization"]
    assert [row[1] for row in rows] == [f"{number} of 20" for number in answers.schedulable_sets]

    file = tmp_path / "mine.py"
    file.write_text(
        "from schedlab.studies import Parameter, sweep\n"
        "study = sweep('mine', 'Mine', sets=4, grid={'share': [0.5, 0.9]}, stop='trim {share*processors:g}',\n"
        "    processors='{processors}', utilizations='uniform-medium', periods='uniform 10ms 100ms step 1ms',\n"
        "    parameters=[Parameter('processors', 2, 'processors', choices=(2, 4))],\n"
        "    questions={'P-EDF': 'P-EDF hard', 'G-RM': 'G-RM hard'})\n"
    )
    study = load_study(file).with_settings({"processors": "4"})
    assert ["processors", "4", "processors", "2, 4"] in Cells(study._repr_html_()).rows
    assert "instead of the study&#x27;s 2" in study._repr_html_()
    run_study(study, file, tmp_path / "out")
    results = read_results(tmp_path / "out")
    head, *rows = Cells(results._repr_html_()).rows
    assert head[0] == "share" and {"P-EDF", "G-RM"} < set(head) and [row[0] for row in rows] == ["0.5", "0.9"]
    counts = results.counts("share", ["P-EDF"])
    assert [row[head.index("P-EDF")] for row in rows] == [f"{counts[at]['P-EDF'][0] / 4:.1%}" for at in (0.5, 0.9)]
    assert "processors=4" in results._repr_html_()


def test_names_cannot_break_out_of_the_page() -> None:
    attack = "</table><img src=x onerror=alert(1)>"
    rows = [{"name": attack, "wcet_ns": MS, "period_ns": 10 * MS}]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-EDF", horizon=20 * MS, name=attack)
    metrics = schedlab.simulate(scenario).metrics()
    compared = schedlab.compare(scenario, schedulers=["G-EDF"])
    explained = schedlab.simulate(scenario).why()._repr_html_()  # type: ignore[attr-defined]
    analyzed = schedlab.analyze(scenario, steps=True)[0]._repr_html_()
    placed = schedlab.place(scenario)._repr_html_()  # type: ignore[attr-defined]
    drawn = schedlab.simulate(scenario)._repr_html_()
    pages = (scenario._repr_html_(), metrics._repr_html_(), compared._repr_html_(), explained, analyzed, placed, drawn)
    for html in pages:
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
