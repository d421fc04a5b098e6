"""The bench in a headless Chromium: by form, by dragging, by keyboard, side by side, after a reload, on a phone."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import schedlab
from bench_pages import PHONE, TASKS, drag, field, fields, handle, on_bench, settled, typed
from benches import served
from browsing import LAPTOP, frames, launched, serious, watched

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


def test_by_form_everything_follows(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        assert page.locator(".panel-head .chip").inner_text() == "schedulable"
        typed(page, "cost of plan", "14 ms")
        assert page.locator(".panel-head .chip").inner_text() == "unschedulable"
        scenario = schedlab.Scenario.parse(TASKS).replace(settings={"task.plan.wcet": "14 ms"})
        metrics = schedlab.simulate(scenario).metrics()
        assert f"{metrics.misses} of {metrics.jobs} jobs late" in page.locator(".seen").inner_text()
        page.select_option("#scheduler", "G-EDF")
        settled(page)
        typed(page, "processors", "2")
        [analysis] = schedlab.analyze(scenario.replace(scheduler="G-EDF", processors=2))
        assert page.locator(".panel-head .chip").inner_text() == analysis.answer
        assert page.locator(".panel h2").inner_text() == "Under G-EDF"
        # A number alone takes the unit that was there; an empty field follows its default.
        typed(page, "period of sense", "12")
        typed(page, "deadline of plan", "")
        typed(page, "offset of sense", "1 ms")
        assert fields(bench, "period_ns")[0] == 12_000_000
        assert fields(bench, "relative_deadline_ns")[1] == 20_000_000
        assert fields(bench, "offset_ns")[0] == 1_000_000
        page.locator("#save").click()
        settled(page)
        assert page.locator("#saved").inner_text() == "saved"
        saved = (tmp_path / "x.toml").read_text()
        assert "# kept" in saved and "# kept, too" in saved and 'title = "three tasks"' in saved
        assert schedlab.Scenario.read(tmp_path / "x.toml").scheduler == "G-EDF"


def test_steps_are_those_of_the_chosen_task(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, _):
        page.select_option("#steps-of", "plan")
        settled(page)
        heads = page.locator(".proof h4").all_inner_texts()
        assert any("plan" in head for head in heads) and not any("sense" in head for head in heads)
        # w = 4 + 2 = 6 ms: the test's own iterates.
        assert "= 6 ms" in page.locator(".proof").inner_text()
        field(page, "cost of sense").focus()
        settled(page)
        assert page.locator("#steps-of").input_value() == "sense"
        # An opened test stays open while numbers change.
        closed = page.locator(".proof details:not([open])").first
        name = closed.locator("b").inner_text()
        closed.locator("summary").click()
        typed(page, "cost of plan", "5 ms")
        assert page.locator(".proof details[open]", has=page.locator("b", has_text=name)).count() >= 1


@pytest.mark.parametrize(
    ("kind", "column", "by", "before"),
    [("cost", "wcet_ns", 3, 4), ("deadline", "relative_deadline_ns", -5, 16), ("period", "period_ns", 6, 20),
     ("offset", "offset_ns", 4, 0)],
)  # fmt: skip
def test_by_dragging(browser: Any, tmp_path: Path, kind: str, column: str, by: int, before: int) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        assert fields(bench, column)[1] == before * 10**6
        drag(page, handle(page, f"{kind} of plan"), by)
        found = fields(bench, column)[1]
        assert abs(found - (before + by) * 10**6) <= 10**6
        assert found % 10_000 == 0, "values are round"
        assert bench.get()["undo"] == f"{kind} of plan"
        value = field(page, f"{kind} of plan").input_value()
        assert value.endswith(" ms") and float(value.split()[0]) * 1e6 == pytest.approx(found)
        page.locator("#undo").click()
        settled(page)
        assert fields(bench, column)[1] == before * 10**6
        assert bench.get()["text"] == TASKS


def test_what_is_dragged_is_answered_on_the_way_and_can_be_given_up(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        page.locator(".frame").scroll_into_view_if_needed()
        box = handle(page, "cost of plan").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 400, y)
        settled(page)
        assert "jobs late" in page.locator(".seen b").inner_text()
        assert page.locator(".panel-head .chip").inner_text() == "unschedulable"
        assert bench.get()["text"] == TASKS, "nothing is changed before the handle is let go"
        page.keyboard.press("Escape")
        settled(page)
        page.mouse.up()
        settled(page)
        assert page.locator(".panel-head .chip").inner_text() == "schedulable"
        assert field(page, "cost of plan").input_value() == "4 ms"
        assert bench.get()["text"] == TASKS and bench.get()["undo"] is None


def test_by_keyboard(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        field(page, "cost of plan").focus()
        for _ in range(3):
            page.keyboard.press("ArrowUp")
        settled(page)
        assert fields(bench, "wcet_ns")[1] == 7_000_000
        page.keyboard.press("ArrowDown")
        settled(page)
        # Presses in a field are one step.
        page.keyboard.press("Control+z")
        settled(page)
        assert fields(bench, "wcet_ns")[1] == 4_000_000 and field(page, "cost of plan").input_value() == "4 ms"
        page.keyboard.press("Control+Shift+Z")
        settled(page)
        assert fields(bench, "wcet_ns")[1] == 6_000_000
        # The handles of the chosen task come after each other.
        handle(page, "cost of plan").focus()
        seen = []
        for _ in range(4):
            seen.append(page.evaluate("document.activeElement.getAttribute('aria-label')"))
            page.keyboard.press("Tab")
        assert sorted(seen) == ["cost of plan", "deadline of plan", "offset of plan", "period of plan"]
        due = fields(bench, "relative_deadline_ns")[1]
        handle(page, "deadline of plan").focus()
        for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "PageDown"):
            page.keyboard.press(key)
        settled(page)
        assert fields(bench, "relative_deadline_ns")[1] < due
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "deadline of plan"
        value = handle(page, "deadline of plan").get_attribute("aria-valuetext")
        assert value == field(page, "deadline of plan").input_value()
        page.keyboard.press("Control+s")
        settled(page)
        assert schedlab.Scenario.read(tmp_path / "x.toml").tasks["wcet_ns"][1] == 6_000_000


def test_handles_never_go_against_the_hand(browser: Any, tmp_path: Path) -> None:
    text = TASKS.replace("2 ms", "2 us").replace("4 ms", "4001 us")
    with on_bench(browser, tmp_path, text) as (page, bench):
        # A step of the zoom is larger than the cost.
        for key in ("ArrowLeft", "Home", "PageDown", "ArrowDown"):
            before = fields(bench, "wcet_ns")[0]
            handle(page, "cost of sense").focus()
            page.keyboard.press(key)
            settled(page)
            found = fields(bench, "wcet_ns")[0]
            assert 0 < found < before or (key == "Home" and found == before), key
        page.keyboard.press("ArrowRight")
        settled(page)
        assert fields(bench, "wcet_ns")[0] > before
        before = fields(bench, "wcet_ns")[0]
        drag(page, handle(page, "cost of sense"), -5)
        assert 0 < fields(bench, "wcet_ns")[0] < before
        # What is finer than the zoom stays in the value.
        drag(page, handle(page, "cost of plan"), 3)
        found = fields(bench, "wcet_ns")[1]
        assert found % 10_000 == 1000 and 6_000_000 < found < 8_000_000


def test_two_schedulers_stand_on_one_axis(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, _):
        typed(page, "cost of plan", "9 ms")
        typed(page, "cost of log <b>&amp;", "6 ms")
        page.select_option("#beside", "P-EDF")
        settled(page)
        assert page.locator(".panel h2").all_inner_texts() == ["Under P-RM", "Under P-EDF"]
        scenario = schedlab.Scenario.parse(TASKS).replace(
            settings={"task.plan.wcet": "9 ms", 'task."log <b>&amp;".wcet': "6 ms"}
        )
        answers = [schedlab.analyze(scenario.under(name))[0].answer for name in ("P-RM", "P-EDF")]
        assert page.locator(".panel-head .chip").all_inner_texts() == answers
        windows = "frames => frames.map(frame => [frame.dataset.from, frame.dataset.to].map(Number))"
        frames(page)
        first, second = page.locator(".frame").evaluate_all(windows)
        assert first == second, "the schedules begin with one window"
        page.get_by_label("zoom in").click()
        page.get_by_label("later").click()
        frames(page)
        first, second = page.locator(".frame").evaluate_all(windows)
        assert first == second and first[0] > 0
        handle(page, "cost of plan", 1).focus()
        page.keyboard.press("ArrowRight")
        settled(page)
        assert page.locator(".proof").count() == 2
        page.select_option("#beside", "")
        settled(page)
        assert page.locator(".panel").count() == page.locator(".proof").count() == 1


def test_a_reload_loses_nothing(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        typed(page, "cost of sense", "3 ms")
        typed(page, "cost of plan", "5 ms")
        typed(page, "period of plan", "nonsense")
        page.select_option("#beside", "P-EDF")
        page.select_option("#steps-of", "plan")
        settled(page)
        page.reload()
        page.wait_for_selector(".panel:nth-child(2) .frame[data-from]")
        settled(page)
        assert field(page, "cost of plan").input_value() == "5 ms"
        assert page.locator("#beside").input_value() == "P-EDF"
        assert page.locator("#steps-of").input_value() == "plan"
        # What was written and refused is still there, with the reason.
        assert field(page, "period of plan").input_value() == "nonsense"
        assert field(page, "period of plan").get_attribute("aria-invalid") == "true"
        assert "does not begin with a number" in page.locator(".fault:visible").inner_text()
        for _ in range(2):
            page.locator("#undo").click()
            settled(page)
        assert bench.get()["text"] == TASKS
        # Undoing takes back what was changed, not what is still to be corrected.
        assert field(page, "period of plan").input_value() == "nonsense"
        page.locator("#redo").click()
        settled(page)
        assert field(page, "cost of sense").input_value() == "3 ms"


NONSENSE = {
    "": "needs a value, such as 2 ms", "0": "allowed: a positive duration", "0 ms": "allowed: a positive duration",
    "1e400": "has an exponent", "-3 ms": "allowed", "NaN": "allowed", "9" * 60 + " ms": "allowed",
    "<img src=x onerror=alert(1)>": "does not begin with a number",
}  # fmt: skip


def test_nonsense_is_refused_beside_its_field(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        for text, told in NONSENSE.items():
            typed(page, "cost of sense", text)
            fault = page.locator(".fault:visible")
            assert fault.count() == 1 and told in fault.inner_text()
            assert field(page, "cost of sense").get_attribute("aria-describedby") == fault.get_attribute("id")
            assert field(page, "cost of sense").input_value() == text
        for text in ("0", "", "1e400", "10000", "two"):
            typed(page, "processors", text)
            assert page.locator("#machine .fault:visible").count() == 1
        field(page, "cost of sense").focus()
        page.keyboard.press("Escape")
        assert field(page, "cost of sense").input_value() == "2 ms"
        page.locator("#other-path").fill("task.sense.copies")
        page.locator("#other-value").fill("10000")
        page.keyboard.press("Enter")
        settled(page)
        assert "10002 tasks are too many" in page.locator("#other .fault").inner_text()
        assert bench.get()["text"] == TASKS
        assert page.locator("img").count() == 0
        assert page.locator(".panel-head .chip").inner_text() == "schedulable", "answers belong to the numbers kept"


def test_tasks_are_added_renamed_and_removed(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        page.locator("#add").click()
        settled(page)
        typed(page, "name of task 4", "<script>4</script>")
        assert page.locator("[data-field=name]").last.input_value() == "<script>4</script>"
        page.get_by_label("remove sense").click()
        settled(page)
        names = schedlab.Scenario.parse(bench.get()["text"]).tasks["name"]
        assert names == ["plan", "log <b>&amp;", "<script>4</script>"]
        assert page.locator(".proof script, .proof b b").count() == 0
        assert "log <b>&amp;" in page.locator(".proof").inner_text()


def test_a_file_that_changed_meanwhile_is_told(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, _):
        typed(page, "cost of plan", "5 ms")
        (tmp_path / "x.toml").write_text(TASKS.replace("2 ms", "1 ms"))
        page.locator("#save").click()
        settled(page)
        assert "was changed by another program" in page.locator("#trouble").inner_text()
        page.get_by_text("read the file").click()
        settled(page)
        assert field(page, "cost of sense").input_value() == "1 ms" and page.locator("#trouble").is_hidden()
        page.locator("#undo").click()
        settled(page)
        assert field(page, "cost of plan").input_value() == "5 ms"
        page.locator("#save").click()
        settled(page)
        assert page.locator("#saved").inner_text() == "saved", "what was read is known, and may be replaced"


def test_a_long_computation_is_marked_and_a_newer_edit_goes_first(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, _):
        page.locator("#other-path").fill("horizon")
        page.locator("#other-value").fill("2000 h")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=computing …")
        assert page.locator(".timeline.stale").count() == 1
        assert page.locator(".seen").get_attribute("aria-busy") == "true"
        typed_at_once = field(page, "cost of plan")
        typed_at_once.fill("5 ms")
        typed_at_once.press("Enter")
        page.locator("#undo").click()
        page.locator("#undo").click()
        settled(page)
        assert "simulated 100 ms: none of" in page.locator(".seen").inner_text()
        assert page.locator(".stale").count() == 0 and page.locator(".busy").inner_text() == ""


def test_another_window_shows_what_was_changed(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path) as (page, bench):
        bench.edit(("task.plan.wcet", "5 ms"), label="elsewhere")
        typed(page, "cost of sense", "3 ms")
        assert "another window" in page.locator("#trouble").inner_text()
        assert field(page, "cost of plan").input_value() == "5 ms"
        typed(page, "cost of sense", "3 ms")
        assert fields(bench, "wcet_ns")[:2] == [3_000_000, 5_000_000] and page.locator("#trouble").is_hidden()
        bench.do("undo")
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        settled(page)
        page.wait_for_selector("#redo:not([disabled])")
        assert field(page, "cost of sense").input_value() == "2 ms"


def test_what_is_drawn_can_grow(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path, TASKS.replace("100 ms", "20 s")) as (page, _):
        before = page.evaluate("bench.timelines[0].model.end")
        page.locator("#more").click()
        settled(page)
        assert page.evaluate("bench.timelines[0].model.end") == pytest.approx(2 * before, rel=0.1)


def test_anybody_can_use_it(browser: Any, tmp_path: Path) -> None:
    """In light and dark, on a phone, a tablet and a laptop."""
    (tmp_path / "x.toml").write_text(TASKS.replace("4 ms", "15 ms"))
    with served("x.toml", folder=tmp_path) as bench:
        for width in (390, 768, 1366):
            for scheme in ("light", "dark"):
                size = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme}
                with watched(browser, bench.address, bench.address, ".frame[data-from]", **size) as page:
                    page.select_option("#beside", "P-EDF")
                    typed(page, "period of plan", "x")
                    handle(page, "cost of sense").focus()
                    settled(page)
                    assert serious(page) == [], f"{width} pixels, {scheme}"
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    assert wide <= width, f"{width} pixels: nothing is beside the page"


def test_on_a_laptop_values_are_read_whole(browser: Any, tmp_path: Path) -> None:
    text = TASKS.replace('"10 ms"', '"5000 ms"').replace('"4 ms"', '"1.001 ms"').replace('"16 ms"', '"12.345 ms"')
    for width in (1280, 1440):
        with on_bench(browser, tmp_path, text, viewport={"width": width, "height": 800}) as (page, _):
            for name in ("period of sense", "deadline of sense", "cost of plan", "deadline of plan"):
                wide, room = field(page, name).evaluate("one => [one.scrollWidth, one.clientWidth]")
                assert wide <= room, f"{name} at {width} pixels"
            sentence = page.locator(".proof .verdict").first.inner_text()
            reason = page.locator(".panel-head .reason").inner_text()
            assert reason and sentence.endswith(reason)


def test_on_a_phone_faults_and_the_answer_are_where_one_looks(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path, **PHONE) as (page, _):
        typed(page, "period of plan", "x")
        cell, fault = field(page, "period of plan").bounding_box(), page.locator(".fault:visible").bounding_box()
        assert abs(fault["x"] - cell["x"]) < 2 and fault["width"] <= cell["width"] + 2
        assert 0 <= fault["y"] - (cell["y"] + cell["height"]) < 10
        typed(page, "cost of plan", "15 ms")
        line = page.locator("#sum")
        assert "P-RM unschedulable" in line.inner_text() and "jobs late" in line.inner_text()
        page.mouse.wheel(0, 3000)
        page.wait_for_function("scrollY > 500")
        assert abs(line.bounding_box()["y"]) < 2, "it stays in view"


def test_on_a_phone_fingers_drag(browser: Any, tmp_path: Path) -> None:
    with on_bench(browser, tmp_path, **PHONE, has_touch=True) as (page, bench):
        for name in ("cost of plan", "offset of plan"):
            box = field(page, name).bounding_box()
            assert box["width"] > 100 and box["x"] + box["width"] <= 390
        drag(page, handle(page, "cost of plan"), 3)
        assert fields(bench, "wcet_ns")[1] > 5_000_000


def test_no_command_line_has_the_token(browser: Any, tmp_path: Path) -> None:
    """The browser gets a private file, which leads to the bench and is gone with it."""
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/told.part && mv {tmp_path}/told.part {tmp_path}/told\n')
    script.chmod(0o700)
    (tmp_path / "x.toml").write_text(TASKS)
    with served("x.toml", "--open", folder=tmp_path, BROWSER=str(script)) as bench:
        while not (tmp_path / "told").exists():
            assert bench.process.poll() is None
            time.sleep(0.05)
        address = (tmp_path / "told").read_text().strip()
        file = Path(address.removeprefix("file://"))
        assert bench.token not in address
        assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector(".frame[data-from]")
        assert page.url == bench.address
        page.close()
    assert not file.parent.exists()


def test_a_server_that_has_ended_is_told(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(TASKS)
    with served("x.toml", folder=tmp_path) as bench:
        page = browser.new_context(**LAPTOP).new_page()
        page.goto(bench.address)
        page.wait_for_selector(".frame[data-from]")
        settled(page)
        bench.process.kill()
        bench.process.wait()
        field(page, "cost of plan").fill("5 ms")
        field(page, "cost of plan").press("Enter")
        page.wait_for_selector("#trouble:visible")
        assert "the server does not answer" in page.locator("#trouble").inner_text()
        assert page.locator("#text").text_content() == TASKS
        assert re.search("5", field(page, "cost of plan").input_value())
        page.context.close()
