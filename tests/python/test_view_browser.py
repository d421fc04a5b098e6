"""Pages of schedules in a headless Chromium: long traces, locks, budgets, migrations, differences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedlab
from browsing import LAPTOP, frames, launched, opened, serious
from conftest import MS, ROOT
from schedlab.show.report import write_timelines

pytestmark = pytest.mark.browser

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


def test_migrations_are_drawn_and_said(browser: Any, tmp_path: Path) -> None:
    rows = [{"name": name, "wcet_ns": 2 * MS, "period_ns": 3 * MS} for name in ("a", "b", "c")]
    scenario = schedlab.Scenario.from_tasks(rows, processors=2, scheduler="PD2", horizon=30 * MS)
    schedule = schedlab.simulate(scenario)
    migrated = next(task for task in schedule.metrics().tasks if task["migrations"])
    page = write_timelines({"a": schedule}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        assert "migration" in shown.locator(".legend").inner_text()
        assert serious(shown) == []
        found = []
        for job in range(10):
            shown.get_by_label("job", exact=True).fill(f"{migrated['name']} {job}")
            shown.keyboard.press("Enter")
            found += ["1 migration in all" in shown.locator(".picked").inner_text()]
        assert found.count(True) == migrated["migrations"]


class Budgeted(schedlab.Policy):
    """Each job has a budget of 3 ms, and goes on when it is used up."""

    name = "BUDGETED"

    def decide(self, now: int, jobs: Any, out: Any) -> None:
        ready = sorted(jobs.ready(), key=lambda job: job.id)
        out.run(ready)
        for job in ready[:1]:
            if job.service_ns(now) == 0:
                out.budget(job, 3 * MS)


def test_budgets_are_drawn_and_said(browser: Any, tmp_path: Path) -> None:
    rows = [{"name": "spender", "wcet_ns": 5 * MS, "period_ns": 10 * MS}]
    scenario = schedlab.Scenario.from_tasks(rows, processors=1, scheduler="G-EDF", horizon=20 * MS)
    schedule = schedlab.simulate(scenario, scheduler=Budgeted)
    assert schedule.drawing()["budgets"] == [[0, 0, 3 * MS], [0, 1, 13 * MS]]
    page = write_timelines({"a": schedule}, tmp_path / "a.html", around="T0J0")
    with opened(browser, page, **LAPTOP) as shown:
        assert "budget used up" in shown.locator(".legend").inner_text()
        assert "budget used up at 3 ms" in shown.locator(".picked").inner_text()


def test_blocking_is_drawn_between_the_lanes_of_tasks(browser: Any, tmp_path: Path) -> None:
    scenario = schedlab.Scenario.read(EXAMPLES / "pathfinder.toml").replace(protocol="pip")
    page = write_timelines({"pathfinder": schedlab.simulate(scenario)}, tmp_path / "a.html", around="METEO")
    with opened(browser, page, **LAPTOP) as shown:
        assert "holds data_1553" in shown.locator(".picked").inner_text()
        shown.locator("button[data-mode=task]").click()
        legend = shown.locator(".legend").inner_text()
        assert "blocked by" in legend and "waits for a resource" in legend


def test_jobs_are_found_by_name_and_number(browser: Any, tmp_path: Path) -> None:
    schedule = schedlab.simulate(schedlab.Scenario.read(EXAMPLES / "dhall.toml"))
    page = write_timelines({"dhall": schedule}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        field = shown.get_by_label("job", exact=True)
        for text, job in (("heavy 3", "T2J3"), ("T1J4", "T1J4"), ("heavy", "T2J"), ("2 5", "T2J5")):
            field.fill(text)
            field.press("Enter")
            assert job in shown.locator(".picked").inner_text()
        field.fill("heavy 999")
        field.press("Enter")
        assert "is not in what is drawn" in shown.locator("#found").inner_text()
        shown.get_by_label("the next missed deadline").click()
        frames(shown)
        start, until = shown.locator(".frame").evaluate("frame => [frame.dataset.from, frame.dataset.to].map(Number)")
        assert any(start <= at <= until for _, _, at in schedule.drawing()["misses"])


def test_two_schedules_begin_with_one_window(browser: Any, tmp_path: Path) -> None:
    """Their first windows differ where one has more pieces in the same time."""
    scenario = schedlab.Scenario.read(EXAMPLES / "avionics.toml").replace(copies=4, processors=4)
    both = {name: schedlab.simulate(scenario, scheduler=name) for name in ("PD2", "P-EDF")}
    page = write_timelines(both, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        frames(shown)
        first, second = shown.locator(".frame").evaluate_all(
            "all => all.map(one => [one.dataset.from, one.dataset.to])"
        )
        assert first == second


def test_two_schedules_go_together_and_begin_at_their_difference(browser: Any, tmp_path: Path, run: Any) -> None:
    scenario = schedlab.Scenario.read(EXAMPLES / "avionics.toml").replace(copies=4, processors=4)
    for name in ("G-EDF", "G-FIFO"):
        schedlab.simulate(scenario, scheduler=name).write(tmp_path / f"{name}.slt")
    page = tmp_path / "both.html"
    found = run("diff", tmp_path / "G-EDF.slt", tmp_path / "G-FIFO.slt", "-o", page, "--json").json
    at = found["schedule"]["at_ns"]
    windows = "frames => frames.map(frame => [frame.dataset.from, frame.dataset.to].map(Number))"
    with opened(browser, page, **LAPTOP) as shown:
        frames(shown)
        first, second = shown.locator(".frame").evaluate_all(windows)
        assert first == second
        assert first[0] <= at <= first[1]
        shown.get_by_label("later").first.click()
        frames(shown)
        moved, beside = shown.locator(".frame").evaluate_all(windows)
        assert moved == beside != first
        shown.locator("button[data-mode=task]").click()
        frames(shown)
        assert shown.locator(".frame").evaluate_all("frames => frames.map(frame => frame.dataset.mode)") == ["task"] * 2


def test_many_records_do_not_stall(browser: Any, tmp_path: Path) -> None:
    """Frames of everything take milliseconds: work goes with the pixels, not with the records."""
    scenario = schedlab.Scenario.read(EXAMPLES / "avionics-locks.toml").replace(horizon="44 s")
    schedule = schedlab.simulate(scenario)
    assert sum(map(len, schedule.drawing().values())) > 175_000
    page = write_timelines({"long": schedule}, tmp_path / "long.html")
    with opened(browser, page, **LAPTOP) as shown:
        shown.get_by_label("show all").click()
        frames(shown)
        for mode in ("processor", "task"):
            shown.locator(f"button[data-mode={mode}]").click()
            frames(shown)
            drawn = shown.evaluate("timelines[0].drawn")
            # 27 lanes are in view; each draws at most a sign for each pixel and kind.
            assert 1_000 < drawn < 60_000, f"{mode}: {drawn} signs"


def test_the_lanes_of_many_tasks_are_scrolled(browser: Any, tmp_path: Path) -> None:
    rows = [{"name": f"task {n}", "wcet_ns": MS, "period_ns": 1000 * MS} for n in range(900)]
    scenario = schedlab.Scenario.from_tasks(rows, processors=4, scheduler="G-EDF", horizon=1000 * MS)
    page = write_timelines({"many": schedlab.simulate(scenario)}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        field = shown.get_by_label("job", exact=True)
        shown.locator("button[data-mode=task]").click()
        field.fill("task 899")
        field.press("Enter")
        assert "task 899, job 0" in shown.locator(".picked").inner_text()
        frames(shown)
        lanes = shown.locator(".lanes").evaluate("lanes => [lanes.scrollTop, lanes.scrollHeight]")
        assert lanes[0] > 20_000 and lanes[1] == 900 * 26
        # Canvases have a largest size, far below this many lanes.
        assert shown.locator(".lanes canvas").evaluate("canvas => canvas.height") < 1000
