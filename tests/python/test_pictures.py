"""Pictures of schedules: what they show, how large they are, and the files that they become."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import schedlab
from conftest import MS, ROOT, dhall, easy
from schedlab.core.window import JOBS, window
from schedlab.show import pictures

PATHFINDER = ROOT / "examples" / "pathfinder.toml"


@pytest.fixture
def trace(tmp_path: Path, run: Any) -> Path:
    path = tmp_path / "pathfinder.slt"
    assert run("simulate", PATHFINDER, "--protocol", "pip", "--trace", path).status == 0
    return path


def long_schedule(seconds: int = 20) -> schedlab.Schedule:
    return schedlab.simulate(easy().replace(horizon=f"{seconds} s"))


def window_of(schedule: schedlab.Schedule, **given: Any) -> tuple[int, int]:
    return window(schedule._native, schedule.scenario, **given)


def jobs_in(drawn: dict[str, list[Any]]) -> int:
    return len({(task, job) for task, job, _ in drawn["arrivals"]})


def test_a_picture_shows_the_first_hyperperiod() -> None:
    assert window_of(long_schedule()) == (0, 40 * MS)
    assert window_of(long_schedule(), start="40 ms") == (40 * MS, 80 * MS)
    short = schedlab.simulate(easy().replace(horizon="15 ms"))
    assert window_of(short) == (0, 15 * MS)


def test_of_a_long_hyperperiod_it_shows_so_many_jobs() -> None:
    rows = [{"wcet_ns": MS, "period_ns": period * MS} for period in (7, 11, 13, 17, 19)]
    scenario = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="G-EDF", horizon=5_000 * MS)
    schedule = schedlab.simulate(scenario)
    start, until = window_of(schedule)
    assert start == 0
    # The last of them is complete then; jobs that arrive until then are seen, too.
    assert JOBS <= jobs_in(schedule.drawing(until)) <= JOBS + len(rows)


def test_a_stated_number_of_jobs_is_shown_until_they_are_complete() -> None:
    schedule = long_schedule()
    start, until = window_of(schedule, start="200 ms", jobs=3)
    drawn = schedule.drawing(until, start)
    assert start == 200 * MS
    assert sorted(completion[:2] for completion in drawn["completions"]) == [[0, 20], [1, 10], [2, 5]]


def test_a_picture_around_a_job_shows_it_whole() -> None:
    schedule = schedlab.simulate(dhall())
    # Complete at 12 ms; half as much is shown after it.
    assert window_of(schedule, around="T2J0") == (0, 18 * MS)
    start, until = window_of(schedule, around="T2J3")
    row = next(job for job in schedule.jobs if (job["task"], job["job"]) == (2, 3))
    length = row["completion_ns"] - row["arrival_ns"]
    assert (start, until) == (row["arrival_ns"] - length // 2, row["completion_ns"] + length // 2)


@pytest.mark.parametrize(
    "given", [{"around": "T0J0", "until": 5}, {"around": "T0J0", "start": 5}, {"jobs": 3, "until": 5}]
)
def test_a_window_that_is_named_twice_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(schedlab.BadInput, match="named twice; allowed: around a job, or from a time"):
        window_of(schedlab.simulate(easy()), **given)


def test_a_job_that_never_arrived_cannot_be_drawn() -> None:
    with pytest.raises(schedlab.BadInput, match="T1J999 did not arrive in this trace"):
        window_of(schedlab.simulate(easy()), around="T1J999")


def test_a_window_of_a_long_trace_is_found_by_the_index(tmp_path: Path) -> None:
    made = schedlab.generate(utilizations="uniform-light", stop="tasks 70", seed=3, processors=4)
    path, index = tmp_path / "long.slt", tmp_path / "long.slt.index"
    schedlab.simulate(made.replace(scheduler="G-EDF", horizon="120 s"), into=path)

    def shown(schedule: schedlab.Schedule) -> list[Any]:
        windows = [window_of(schedule, start="100 s", jobs=9), window_of(schedule, around="T3J900")]
        return [*windows, *(schedule.drawing(until, start) for start, until in windows)]

    expected = shown(schedlab.Schedule.from_bytes(path.read_bytes()))
    schedule = schedlab.Schedule.read(path)
    schedule.to_svg("1 s", "1.01 s")
    assert not index.exists()
    assert shown(schedule) == expected
    assert index.exists()
    assert shown(schedule) == expected
    index.write_bytes(index.read_bytes()[:-1] + b"?")
    assert shown(schedule) == expected


def test_what_cannot_be_read_is_refused_with_the_window_that_can() -> None:
    schedule = long_schedule(60)
    with pytest.raises(
        schedlab.BadInput, match=r"from 0 ns on, the first 10000 boxes.* end at [\d.]+ s.* Allowed"
    ) as said:
        schedule.to_svg()
    [end] = re.findall(r"end at ([\d.]+ s)\. More", str(said.value))
    assert len(schedule.to_svg(until=end)) < 4_000_000
    with pytest.raises(schedlab.BadInput, match="cannot be drawn"):
        schedule.plot(until="60 s")


def test_a_window_is_part_of_the_schedule(trace: Path, tmp_path: Path, run: Any) -> None:
    picture = tmp_path / "late.svg"
    for command in ("trace", "view"):
        out = picture.with_suffix(".svg" if command == "trace" else ".html")
        found = run(command, trace, "--from", "2000 s", "-o", out)
        said = "the window would begin at 2000 s, and the schedule ends at"
        assert found.status == 2 and found.err.startswith(f"schedlab: {said}"), found.err
        found = run(command, trace, "--from", "5", "-o", out)
        assert found.status == 2 and found.err.startswith('schedlab: from: "5" has no unit; allowed:')
    assert not picture.exists() and not picture.with_suffix(".html").exists()


def test_so_many_jobs_at_once_are_for_a_page() -> None:
    rows = [{"wcet_ns": 1, "period_ns": 10**9} for _ in range(12000)]
    schedule = schedlab.simulate(schedlab.Scenario.from_tasks(rows, processors=1, horizon="1 ms"))
    with pytest.raises(schedlab.BadInput, match=r"^at 0 ns alone, there are more than 10000 .* \(schedlab view\)$"):
        pictures.picture(schedule, "svg")


def test_the_ending_says_what_the_file_is(trace: Path, tmp_path: Path, run: Any) -> None:
    begins = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "tex": b"%", "txt": b"P0 ", "csv": b"task,"}
    for ending, magic in begins.items():
        path = tmp_path / f"a.{ending}"
        assert run("trace", trace, "-o", path).status == 0
        assert path.read_bytes().startswith(magic), ending
    # A file is opened by its ending, whatever else was said.
    pdf = tmp_path / "b.pdf"
    assert run("trace", trace, "--format", "svg", "-o", pdf).status == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    again = tmp_path / "c.pdf"
    assert run("trace", trace, "-o", again).status == 0
    assert again.read_bytes() == pdf.read_bytes()


def test_simulate_draws_into_the_same_files(tmp_path: Path, run: Any) -> None:
    for ending, magic in {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<svg"}.items():
        path = tmp_path / f"a.{ending}"
        found = run("simulate", PATHFINDER, "-o", path)
        assert (found.status, "closest" in found.out or "missed" in found.out) == (0, True)
        assert path.read_bytes().startswith(magic)
    assert run("simulate", PATHFINDER, "-o", tmp_path / "a.csv").err.endswith("allowed: .txt, .svg, .png, .pdf, .tex\n")
    assert run("simulate", PATHFINDER, "-o", tmp_path / "a.trace").err.endswith("; --trace writes the trace\n")


def test_both_commands_draw_the_same(trace: Path, tmp_path: Path, run: Any) -> None:
    alone = run("simulate", PATHFINDER, "--protocol", "pip", "--draw", "svg").out
    assert alone == run("trace", trace, "--format", "svg").out


def test_a_task_may_be_named(trace: Path, run: Any) -> None:
    found = run("trace", trace, "--format", "text", "--around", "MESURES")
    assert "0 ns to 337.5 ms" in found.out
    assert "MESURES" in found.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--lanes", "tasks"], "--lanes is for a drawing; use it with --format svg, or --out a.svg"),
        (["--from", "1 ms"],
         "--from is for drawings and records; use it with --format text or records, or --out a.svg"),
        (["-o", "a.xyz"], "a.xyz: its ending does not say what to make; use --format, or end it in .svg, .png, .pdf, "
                          ".tex, .txt, .csv"),
        (["--format", "svg", "--until", "1 s", "--jobs", "3"],
         "the window is named twice; allowed: around a job, or from a time until a time or for some jobs"),
    ],
)  # fmt: skip
def test_what_makes_no_picture_is_refused(trace: Path, run: Any, arguments: list[str], message: str) -> None:
    found = run("trace", trace, *arguments)
    assert (found.status, found.err) == (2, f"schedlab: {message}\n")


def test_schedules_plot_on_given_axes_and_save_themselves(tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    schedule = schedlab.simulate(schedlab.Scenario.read(PATHFINDER).replace(protocol="pip"))
    axes = Figure().subplots()
    assert schedule.plot(axes, around="MESURES") is axes
    assert [label.get_text() for label in axes.get_yticklabels()][5] == "MESURES"
    assert axes.get_xlim() == (0, 337.5)
    assert {text.get_text() for text in axes.get_legend().get_texts()} == {
        "holds data_1553", "waits for a resource", "arrival", "deadline"
    }  # fmt: skip
    assert schedule.save(tmp_path / "a.pdf", around="MESURES").read_bytes().startswith(b"%PDF")
    assert schedule.save(tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(schedlab.BadInput, match=r'"a.gif" does not end like a picture; allowed: .svg, .png'):
        schedule.save("a.gif")
    with pytest.raises(schedlab.BadInput, match='lanes: "rows"; allowed: processors, tasks'):
        schedule.plot(Figure().subplots(), lanes="rows")
