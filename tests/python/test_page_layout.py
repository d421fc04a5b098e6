"""How pages begin and what they name: titles, lanes, controls, summaries on phones, words, wide tables, paper."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import schedlab
from browsing import LAPTOP, frames, launched, opened, serious
from conftest import MS, ROOT, dhall, easy
from schedlab.show.report import write_report, write_timelines

pytestmark = pytest.mark.browser

EXAMPLES = ROOT / "examples"
PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


@pytest.fixture(scope="module")
def overload(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison with all columns and the chart of utility."""
    scenario = schedlab.Scenario.read(EXAMPLES / "overload.toml").replace(horizon="200 ms")
    result = schedlab.compare(scenario, schedulers=["P-EDF", "G-EDF", "G-RM", "P-DASA-ND", "gMUA", "G-GUA"])
    return write_report(result, tmp_path_factory.mktemp("overload") / "report.html")


def pathfinder(until: int = 500) -> schedlab.Schedule:
    scenario = schedlab.Scenario.read(EXAMPLES / "pathfinder.toml").replace(horizon=until * MS)
    return schedlab.simulate(scenario)


def test_a_page_has_the_scenarios_title_and_opens_by_task_with_resources(browser: Any, tmp_path: Path) -> None:
    page = write_timelines({"p.toml under P-FP": pathfinder()}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        assert shown.locator("h1").inner_text() == "Mars Pathfinder, 7-task teaching model with one shared resource"
        assert shown.locator("h2").first.inner_text() == "p.toml under P-FP"
        assert shown.locator(".frame").get_attribute("data-mode") == "task"
        assert shown.locator("[data-mode=task]").first.get_attribute("aria-pressed") == "true"
        assert "holds data_1553" in shown.locator(".legend").inner_text()
        assert serious(shown) == []


def test_a_page_without_resources_and_priorities_opens_by_processor(browser: Any, tmp_path: Path) -> None:
    nameless = easy().replace(name="")
    page = write_timelines({"easy": schedlab.simulate(nameless)}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        assert shown.locator("h1").inner_text() == "easy"
        assert shown.locator(".frame").get_attribute("data-mode") == "processor"


def test_resources_are_named_on_the_bars_that_have_room(browser: Any, tmp_path: Path) -> None:
    """The bar of 50 ms has letters in the colour of the paper; the same bar, when all is shown in a phone, has none."""
    page = write_timelines({"p": pathfinder()}, tmp_path / "a.html")
    drawn = "() => { const was = CanvasRenderingContext2D.prototype.fillText; window.said = []; " \
        "CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { window.said.push(text); " \
        "return was.call(this, text, ...rest); }; timelines[0].redraw(); }"  # fmt: skip
    for size, names in ((LAPTOP, True), (PHONE, False)):
        with opened(browser, page, **size) as shown:
            shown.evaluate("timelines[0].setWindow(timelines[0].model.begin, timelines[0].model.end)")
            frames(shown)
            shown.evaluate(drawn)
            frames(shown)
            assert ("data_1553" in shown.evaluate("window.said")) is names


def test_arrows_at_both_ends_are_whole(browser: Any, tmp_path: Path) -> None:
    page = write_timelines({"p": pathfinder()}, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        left, right = shown.evaluate(
            "() => { const one = timelines[0]; one.setWindow(one.model.begin, one.model.end);"
            " return [one.x(one.from) - one.gutter, one.width - one.x(one.to)]; }"
        )
        assert left >= 4 and right >= 4, "an arrow's head is three pixels to each side"
        there = shown.evaluate("timelines[0].at(timelines[0].x(123456789))")
        assert abs(there - 123456789) < 1000, "a place on the screen is the instant that was drawn there"


def test_two_schedules_have_one_control(browser: Any, tmp_path: Path) -> None:
    both = {name: schedlab.simulate(dhall(), scheduler=name) for name in ("P-EDF", "G-EDF")}
    page = write_timelines(both, tmp_path / "a.html")
    with opened(browser, page, **LAPTOP) as shown:
        assert shown.locator(".group [data-mode=task]").count() == 1
        # Only the second schedule has a miss.
        for _ in range(3):
            shown.get_by_label("zoom in").click()
        shown.get_by_text("next miss").click()
        shown.locator("[data-mode=task]").first.click()
        frames(shown)
        found = shown.locator(".frame").evaluate_all(
            "all => all.map(({dataset}) => [dataset.mode, dataset.from, dataset.to])"
        )
        assert found[0] == found[1] and found[0][0] == "task"
        start, end = map(int, found[0][1:])
        assert any(start <= at <= end for _, _, at in both["G-EDF"].drawing()["misses"])


def test_on_a_phone_a_comparison_begins_with_a_line_a_scheduler(browser: Any, overload: Path) -> None:
    with opened(browser, overload, **PHONE) as shown:
        lines = shown.locator(".brief li")
        assert lines.count() == 6 and lines.first.is_visible()
        heights = lines.evaluate_all("all => all.map((one) => one.offsetHeight)")
        assert max(heights) < 50, "a line each"
        assert "not met" in lines.first.inner_text() and "missed" in lines.first.inner_text()
        lines.nth(3).locator("a").click()
        assert shown.locator("#tab-3").get_attribute("aria-selected") == "true"
        assert shown.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(shown) == []
    with opened(browser, overload, **LAPTOP) as shown:
        assert not shown.locator(".brief").is_visible()


def test_a_wide_table_uses_the_pages_width(browser: Any, overload: Path) -> None:
    for width in (1366, 1900):
        with opened(browser, overload, viewport={"width": width, "height": 900}) as shown:
            inside, all_ = shown.locator(".broad").evaluate("one => [one.clientWidth, one.scrollWidth]")
            assert all_ <= inside and inside > 1200, "no column is hidden"
            assert shown.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_columns_lead_to_the_glossary(browser: Any, overload: Path, scheme: str) -> None:
    source = " ".join((ROOT / "GLOSSARY.md").read_text().replace("**", "").replace("`", "").split())
    with opened(browser, overload, color_scheme=scheme, **LAPTOP) as shown:
        heads = shown.locator("thead a.word")
        assert heads.count() >= 9
        for number in range(heads.count()):
            head = heads.nth(number)
            told = shown.locator(head.get_attribute("href") or "none").inner_text()
            assert head.inner_text() in told and " ".join(told.split()) in source
        heads.filter(has_text="response / bound").click()
        assert shown.locator("p:target").inner_text().startswith("max/bound")
        assert serious(shown) == []


def test_the_curves_of_utility_are_labelled(browser: Any, overload: Path) -> None:
    with opened(browser, overload, **LAPTOP) as shown:
        for chart in range(2):
            labels = shown.locator(".loads figure").nth(chart).locator("text.name")
            assert sorted(labels.all_text_contents()) == ["G-EDF", "G-GUA", "G-RM", "P-DASA-ND", "P-EDF", "gMUA"]
            boxes = labels.evaluate_all("all => all.map((one) => one.getBBox()).map(({x, y, width}) => [y, x + width])")
            places = sorted(y for y, _ in boxes)
            assert all(later - earlier >= 12 for earlier, later in pairwise(places))
            assert max(right for _, right in boxes) <= 620, "within the picture"


@pytest.mark.parametrize("command", ["view", "compare"])
def test_a_page_is_printed(run: Any, browser: Any, tmp_path: Path, command: str) -> None:
    """The drawn schedule is on paper: pages have pictures, and a comparison those of every scheduler."""
    schedulers = ["--schedulers", "P-FP,P-EDF"] if command == "compare" else ["--no-open"]
    found = run(command, EXAMPLES / "pathfinder.toml", "-o", tmp_path / "x.pdf", *schedulers)
    assert found.status == 0, found.err
    assert found.out.splitlines()[-1] == str(tmp_path / "x.pdf")
    content = (tmp_path / "x.pdf").read_bytes()
    assert content.startswith(b"%PDF") and content.count(b"/Subtype /Image") >= (4 if command == "compare" else 2)
    assert [path.name for path in tmp_path.iterdir()] == ["x.pdf"], "and nothing else"


def test_a_difference_is_printed(run: Any, browser: Any, tmp_path: Path) -> None:
    for scheduler in ("G-EDF", "P-EDF"):
        schedlab.simulate(dhall(), scheduler=scheduler, into=tmp_path / f"{scheduler}.slt")
    found = run("diff", tmp_path / "G-EDF.slt", tmp_path / "P-EDF.slt", "--no-open", "-o", tmp_path / "x.pdf")
    assert found.status == 0, found.err
    assert (tmp_path / "x.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("command", ["view", "compare"])
def test_without_a_browser_the_page_is_there_and_the_status_is_3(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("SCHEDLAB_BROWSER", str(tmp_path / "none"))
    found = run(command, EXAMPLES / "robot.toml", "-o", tmp_path / "x.pdf")
    assert found.status == 3 and f"the page is {tmp_path / 'x.html'}" in found.err
    assert (tmp_path / "x.html").read_text().startswith("<!DOCTYPE html>") and not (tmp_path / "x.pdf").exists()


def test_on_paper_every_scheduler_has_its_schedule(browser: Any, overload: Path) -> None:
    context = browser.new_context(viewport={"width": 800, "height": 1000})
    page = context.new_page()
    page.emulate_media(media="print")
    page.goto(overload.as_uri() + "#print")
    page.wait_for_selector("#panel-5 .frame[data-from]")
    assert page.locator(".printed").all_inner_texts() == ["P-EDF", "G-EDF", "G-RM", "P-DASA-ND", "gMUA", "G-GUA"]
    assert not page.locator(".tabs").is_visible() and not page.locator(".tools").first.is_visible()
    context.close()
