"""What is typed on the bench and not applied: it is tried again, told beside `save`, and lost by nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedlab
from bench_pages import TASKS, field, fields, on_bench, settled, typed
from benches import served
from browsing import LAPTOP, launched
from conftest import ROOT

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


def pending(page: Any) -> str:
    return str(page.locator("#pending").inner_text())


def test_a_refused_value_is_applied_when_its_cause_is_gone(browser: Any, tmp_path: Path) -> None:
    text = (ROOT / "examples/avionics-locks.toml").read_text()
    with on_bench(browser, tmp_path, text) as (page, bench):
        before = bench.get()["scheduler"]
        page.select_option("#scheduler", "G-EDF")
        settled(page)
        assert bench.get()["scheduler"] == before and "not applied: scheduler G-EDF" in pending(page)
        page.select_option("#protocol", "pip")
        settled(page)
        found = bench.get()
        assert (found["scheduler"], found["protocol"]) == ("G-EDF", "pip")
        assert page.locator("#scheduler").input_value() == "G-EDF"
        assert pending(page) == "" and page.locator(".fault:visible").count() == 0
        page.locator("#save").click()
        settled(page)
        assert schedlab.Scenario.read(tmp_path / "x.toml").scheduler == "G-EDF"


def test_two_fields_that_need_each_other_are_applied_together(browser: Any, tmp_path: Path) -> None:
    text = (ROOT / "examples/avionics-locks.toml").read_text()
    with on_bench(browser, tmp_path, text) as (page, bench):
        page.select_option("#scheduler", "G-EDF")
        settled(page)
        assert "scheduler G-EDF" in pending(page)
        # Refused under the partitioned scheduler, and possible under the one that was refused before.
        page.select_option("#protocol", "omlp")
        settled(page)
        found = bench.get()
        assert (found["scheduler"], found["protocol"]) == ("G-EDF", "omlp") and pending(page) == ""
        assert page.locator(".fault:visible").count() == 0
        page.locator("#undo").click()
        settled(page)
        assert bench.get()["text"] == text, "together they are one step"


def test_other_steps_keep_what_was_refused(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        typed(page, "cost of sense", "3 ms")
        typed(page, "period of plan", "nonsense")
        for act in ("undo", "redo", "add"):
            page.locator(f"#{act}").click()
            settled(page)
            assert field(page, "period of plan").input_value() == "nonsense", act
            assert "period of plan nonsense" in pending(page)
        typed(page, "name of plan", "route")
        assert field(page, "period of route").input_value() == "nonsense"
        page.get_by_label("remove sense").click()
        settled(page)
        assert field(page, "period of route").input_value() == "nonsense"
        page.get_by_label("remove route").click()
        settled(page)
        assert pending(page) == "" and page.locator(".fault:visible").count() == 0
        typed(page, "cost of task 4", "x")
        page.locator("#forget").click()
        assert pending(page) == "" and field(page, "cost of task 4").input_value() == "3 ms"
        assert schedlab.Scenario.parse(bench.get()["text"]).tasks["name"] == ["log <b>&amp;", "task 4"]


def test_saving_commits_what_is_being_written(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        field(page, "cost of plan").fill("5 ms")
        page.keyboard.press("Control+s")
        settled(page)
        assert page.locator("#saved").inner_text() == "saved" and fields(bench, "wcet_ns")[1] == 5_000_000
        assert schedlab.Scenario.read(tmp_path / "x.toml").tasks["wcet_ns"][1] == 5_000_000
        typed(page, "period of plan", "30 ms")
        for text in ("nonsense", ""):
            field(page, "cost of sense").fill(text)
            page.keyboard.press("Control+s")
            settled(page)
            assert "not saved, because cost of sense was refused" in page.locator("#trouble").inner_text()
            assert page.locator("#saved").inner_text() == "not saved"
        assert 'period = "20 ms"' in (tmp_path / "x.toml").read_text()
        # What was refused earlier stays beside what is saved.
        page.keyboard.press("Control+s")
        settled(page)
        assert page.locator("#saved").inner_text() == "saved" and "cost of sense" in pending(page)


def test_what_is_being_written_outlasts_a_reload(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        field(page, "cost of plan").fill("5 m")
        assert "not applied: cost of plan 5 m" in pending(page)
        page.reload()
        page.wait_for_selector(".frame[data-from]")
        settled(page)
        assert field(page, "cost of plan").input_value() == "5 m" and bench.get()["text"] == TASKS
        field(page, "cost of plan").fill("5 ms")
        field(page, "cost of plan").press("Enter")
        settled(page)
        assert fields(bench, "wcet_ns")[1] == 5_000_000 and pending(page) == ""


def test_when_the_server_is_gone_answers_are_marked_and_edits_kept(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TASKS)
    with served("x.toml", folder=tmp_path) as bench:
        page = browser.new_context(**LAPTOP).new_page()
        page.goto(bench.address)
        page.wait_for_selector(".frame[data-from]")
        settled(page)
        assert page.locator(".aged:visible").count() == 0
        bench.process.kill()
        bench.process.wait()
        typed(page, "cost of plan", "5 ms")
        typed(page, "cost of sense", "3 ms")
        assert "the server does not answer" in page.locator("#trouble").inner_text()
        assert page.locator(".aged:visible").count() == 1
        assert float(page.locator(".panel .answer").evaluate("one => getComputedStyle(one).opacity")) < 1
        assert "cost of plan 5 ms; cost of sense 3 ms" in pending(page)
        page.select_option("#steps-of", "log <b>&amp;")
        settled(page)
        assert page.locator(".proof h4").count() > 0, "what was answered stays to be read"
        page.context.close()
