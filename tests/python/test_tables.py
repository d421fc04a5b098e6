"""Tables: rows of plain cells, the same by every way out, exact, and typed even where they are empty."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_type_hints

import pandas
import polars
import pyarrow
import pytest

import schedlab
from conftest import MS, ROOT, dhall, easy
from schedlab import BadInput, Scenario
from schedlab.core.tables import Table
from schedlab.outputs.results import TaskRow
from schedlab.outputs.tables import JobRow, SegmentRow, TaskMetricsRow


def tables() -> list[tuple[Table[Any], Any]]:
    """Every table that there is, with the type of its rows. In the schedule some jobs are late and one not complete."""
    scenario = dhall().replace(horizon=25 * MS)
    schedule = schedlab.simulate(scenario)
    return [
        (scenario.tasks, TaskRow),
        (schedule.jobs, JobRow),
        (schedule.segments(), SegmentRow),
        (schedule.metrics().tasks, TaskMetricsRow),
    ]


NAMES = ["tasks", "jobs", "segments", "metrics"]


@pytest.mark.parametrize(("table", "row_type"), tables(), ids=NAMES)
def test_rows_are_what_their_type_says(table: Table[Any], row_type: Any) -> None:
    hints = get_type_hints(row_type)
    assert table.columns == tuple(hints)
    assert len(table) == len(list(table)) > 0
    for row in table:
        assert list(row) == list(hints)
        assert all(isinstance(value, hints[name]) for name, value in row.items())
        # A number of Python's truth values would pass for a whole one.
        assert all(isinstance(value, bool) == (hints[name] is bool) for name, value in row.items())


@pytest.mark.parametrize(("table", "row_type"), tables(), ids=NAMES)
def test_every_way_out_has_the_same_values(table: Table[Any], row_type: Any) -> None:
    rows = list(table)
    assert table.to_arrow().to_pylist() == rows
    assert pyarrow.table(table).to_pylist() == rows
    assert table.to_polars().to_dicts() == rows
    frame = table.to_pandas()
    assert list(frame.columns) == list(table.columns)
    for name in table.columns:
        assert (
            [None if pandas.isna(value) else value for value in frame[name]] == table[name] == [r[name] for r in rows]
        )


@pytest.mark.parametrize(("table", "row_type"), tables(), ids=NAMES)
def test_columns_have_types_where_no_value_is_there(table: Table[Any], row_type: Any) -> None:
    empty = table[:0]
    assert len(empty) == 0 and list(empty) == [] and empty.columns == table.columns
    assert empty.to_arrow().schema == table.to_arrow().schema
    assert not any(pyarrow.types.is_null(kind) for kind in table.to_arrow().schema.types)
    assert not any(isinstance(kind, polars.Null) for kind in table.to_polars().dtypes)


def test_a_row_a_column_and_a_part_of_a_table() -> None:
    tasks = dhall().tasks
    assert tasks["wcet_ns"] == [2 * MS, 2 * MS, 10 * MS]
    assert tasks[2]["name"] == tasks[-1]["name"] == tasks["name"][2]
    assert tasks[1:] == tasks[-2:] and len(tasks[1:]) == 2 and tasks[::-1]["index"] == [2, 1, 0]
    jobs = schedlab.simulate(dhall()).jobs
    assert jobs[3:5]["job"] == jobs["job"][3:5] and jobs[-1] == list(jobs)[-1]
    for table in (tasks, jobs):
        with pytest.raises(KeyError, match="there is no column 'wcet'; there are "):
            table["wcet"]
        for index in (len(table), -len(table) - 1):
            with pytest.raises(IndexError, match=f"there is no row {index}; there are {len(table)}"):
                table[index]


def test_jobs_say_what_became_of_them() -> None:
    schedule = schedlab.simulate(dhall().replace(horizon=25 * MS))
    jobs = schedule.jobs
    late = jobs[[(row["task"], row["job"]) for row in jobs].index((2, 0))]
    assert (late["name"], late["response_time_ns"], late["lateness_ns"]) == (
        schedule.scenario.tasks["name"][2],
        12 * MS,
        MS,
    )
    assert late["missed"] and late["cost_ns"] == 10 * MS and late["start_ns"] == 2 * MS and not late["aborted"]
    metrics = schedule.metrics()
    assert sum(jobs["missed"]) == metrics.misses and sum(jobs["preemptions"]) == metrics.preemptions
    assert sum(jobs["migrations"]) == metrics.migrations and len(jobs) == metrics.jobs
    for row in jobs:
        done = row["completion_ns"]
        assert row["response_time_ns"] == (None if done is None else done - row["arrival_ns"])
        assert row["lateness_ns"] == (None if done is None else done - row["absolute_deadline_ns"])
    assert None in jobs["completion_ns"]


def test_a_job_that_never_ends_has_missed_its_deadline() -> None:
    rows = [{"wcet_ns": 9 * MS, "period_ns": 10 * MS}] * 2
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-RM", horizon=15 * MS)
    jobs = schedlab.simulate(scenario).jobs
    starved = [row for row in jobs if row["missed"]]
    assert [(row["task"], row["lateness_ns"], row["completion_ns"]) for row in starved] == [(1, None, None)]


def test_a_server_has_no_deadline(tmp_path: Path) -> None:
    schedule = schedlab.simulate(schedlab.Scenario.read(ROOT / "examples" / "pfair-server.toml"))
    [server] = [row for row in schedule.jobs if row["name"] == "S"]
    assert (server["absolute_deadline_ns"], server["lateness_ns"]) == (None, None)
    assert server["response_time_ns"] == 1_100_000 and not server["missed"]
    assert str(2**64 - 1) not in schedule.to_csv()
    assert schedule.why("T1J0")["absolute_deadline_ns"] is None
    unfinished = schedlab.simulate(schedule.scenario.replace(horizon=MS))
    unfinished.save(tmp_path / "server.svg", around="T1J0")
    assert (tmp_path / "server.svg").is_file()
    assert schedule.why_text("T1J0").splitlines()[0].endswith("to 1.9 ms; it has no deadline")


def test_the_file_of_comma_separated_values_is_the_same_table() -> None:
    import io

    schedule = schedlab.simulate(dhall().replace(horizon=25 * MS))
    read = pandas.read_csv(io.StringIO(schedule.to_csv())).sort_values(["task", "job"])
    for name in schedule.jobs.columns:
        ours = [None if pandas.isna(value) else value for value in read[name]]
        assert ours == schedule.jobs[name]
    assert len(read.columns) == len(schedule.jobs.columns)


def test_whole_numbers_stay_exact_where_some_are_missing() -> None:
    """A float has 53 bits: a hundred days of nanoseconds are more."""
    big = 2**60 + 1
    frame = Table([{"a": big, "b": None}, {"a": None, "b": None}], ["a", "b"]).to_pandas()
    assert frame["a"].dtype == "Int64" and int(frame["a"][0]) == big
    frame = schedlab.simulate(dhall().replace(horizon=25 * MS)).jobs.to_pandas()
    assert frame["completion_ns"].dtype == "Int64" and frame["arrival_ns"].dtype == "int64"
    assert (frame["completion_ns"] - frame["absolute_deadline_ns"]).min() < 0


def test_a_table_shows_in_80_columns_what_became_of_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = repr(schedlab.simulate(schedlab.Scenario.read(ROOT / "examples" / "avionics.toml")).jobs).splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if line.startswith("task "))
    assert head.split() == ["task", "name", "job", "arrival_ns", "response_time_ns", "lateness_ns", "missed"]
    tasks = repr(easy().tasks).splitlines()
    assert max(map(len, tasks)) <= 80 and "relative_deadline_ns" in next(
        row for row in tasks if row.startswith("index ")
    )
    monkeypatch.setenv("COLUMNS", "200")
    assert "completion_ns" in repr(schedlab.simulate(dhall()).jobs).splitlines()[1]


def test_priority_points_go_out_and_come_back() -> None:
    rows = [{"wcet_ns": 1, "period_ns": 10, "priority_point_ns": 7}]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-GEL")
    assert scenario.tasks["priority_point_ns"] == [7]
    assert schedlab.Scenario.from_tasks(scenario.tasks, processors=1, scheduler="G-GEL") == scenario


def test_utilities_go_out_and_come_back() -> None:
    line = '{ linear = 10, last = 2.5, termination = "8ns" }'
    rows = [{"wcet_ns": 1, "period_ns": 10, "utility": utility} for utility in (3, 0.25, "2", line, None)]
    scenario = Scenario.from_tasks(rows, processors=1, scheduler="P-EDF")
    assert scenario.tasks["utility"] == ["3", "0.25", "2", line, None]
    again = Scenario.from_tasks(scenario.tasks, processors=1, scheduler="P-EDF")
    assert again == scenario
    assert Scenario.parse(scenario.to_toml()).tasks["utility"] == scenario.tasks["utility"]


@pytest.mark.parametrize(
    ("utility", "message"),
    [
        (-1, r"task\[0\]\.utility: -1 is negative"),
        (True, r"task\[0\]\.utility: True is not allowed; allowed: a number, or text"),
        ("{ linear = 1, last = 2 }", r"task\[0\]\.utility: 2 is more than the utility before, 1: the function rises"),
        ("{ step = 1", "not valid TOML"),
        ("1\nseed = 3", "unknown field"),
        ('{ step = 1, termination = "0 ns" }', "given up at its arrival"),
    ],
)
def test_utilities_that_are_none_are_refused(utility, message) -> None:
    with pytest.raises(BadInput, match=message):
        Scenario.from_tasks([{"wcet_ns": 1, "period_ns": 10, "utility": utility}], processors=1, scheduler="P-EDF")
