"""The page in a headless Chromium: screenshots, clicks, fingers and keys, at the sizes of a laptop and a phone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import LAPTOP, frames, launched, opened, serious
from report_example import comparison
from schedlab.show.report import write_report

pytestmark = pytest.mark.browser

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
SMALL_PHONE = {**PHONE, "viewport": {"width": 320, "height": 568}}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(comparison(), tmp_path_factory.mktemp("report") / "report.html")


def window_of(page: Any, scheduler: int = 0) -> tuple[int, int]:
    """The visible part of the drawn schedule, once the frame that a click asked for is drawn."""
    frames(page)
    data = page.locator(f"#panel-{scheduler} .frame").evaluate("frame => ({...frame.dataset})")
    return int(data["from"]), int(data["to"])


def colours(png: bytes) -> int:
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return len(image.convert("RGB").getcolors(1 << 24) or [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_core_finds_nothing_serious(browser: Any, report: Path, scheme: str) -> None:
    with opened(browser, report, color_scheme=scheme, **LAPTOP) as page:
        for number in range(3):
            page.locator(f"#tab-{number}").click()
            assert serious(page) == []
        # A picture without a name is one that it must find.
        page.evaluate("document.body.append(Object.assign(new Image(), {src: 'data:,'}))")
        assert [found.split()[0] for found in serious(page)] == ["image-alt"]


@pytest.mark.parametrize("options", [LAPTOP, PHONE, SMALL_PHONE], ids=["laptop", "phone", "small phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_tab_fits_the_screen_and_draws(
    browser: Any, report: Path, tmp_path: Path, options: dict[str, Any], scheme: str
) -> None:
    with opened(browser, report, color_scheme=scheme, **options) as page:
        for number in range(3):
            page.locator(f"#tab-{number}").click()
            page.wait_for_timeout(50)
            width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
            assert width[0] <= width[1], f"tab {number} overflows"
        page.locator("#tab-0").click()
        window_of(page)
        assert colours(page.locator("#panel-0 .lanes canvas").screenshot()) > 12
        assert page.locator("#panel-0 .histogram svg rect").count() >= 2
        page.screenshot(path=tmp_path / "page.png", full_page=True)
        assert colours((tmp_path / "page.png").read_bytes()) > 50


def test_tabs_select_by_click_key_and_link(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        selected = page.locator("[role=tab][aria-selected=true]")
        page.click("#tab-1")
        assert selected.inner_text() == "G-FIFO"
        assert page.locator("[role=tabpanel]:visible").count() == 1
        page.keyboard.press("ArrowRight")
        assert selected.inner_text() == "P-EDF"
        assert "weapon release 4" in page.locator("#panel-2").inner_text()
        page.click("table a[data-select='0']")
        assert selected.inner_text() == "G-EDF"


def test_buttons_wheel_drag_and_keys_move_the_schedule(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        panel = page.locator("#panel-0")
        panel.get_by_label("show all").click()
        assert window_of(page) == (0, 400_000_000)
        panel.get_by_label("zoom in").click()
        assert window_of(page) == (100_000_000, 300_000_000)
        panel.get_by_label("later").click()
        assert window_of(page) == (200_000_000, 400_000_000)
        canvas = panel.locator(".lanes canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2 + 200, box["y"] + 60, steps=4)
        page.mouse.up()
        dragged = window_of(page)
        assert dragged[0] < 200_000_000
        assert dragged[1] - dragged[0] == 200_000_000
        page.keyboard.down("Control")
        page.mouse.wheel(0, -120)
        page.keyboard.up("Control")
        zoomed = window_of(page)
        assert zoomed[1] - zoomed[0] < 200_000_000
        canvas.press("0")
        assert window_of(page) == (0, 400_000_000)
        canvas.press("+")
        canvas.press("ArrowLeft")
        assert window_of(page) == (60_000_000, 260_000_000)


def test_zoom_ends_at_a_microsecond_and_never_leaves_the_schedule(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        panel = page.locator("#panel-0")
        for _ in range(40):
            panel.get_by_label("zoom in").click()
        start, end = window_of(page)
        assert end - start == 1000
        for _ in range(40):
            panel.get_by_label("zoom out").click()
        assert window_of(page) == (0, 400_000_000)


def test_a_click_on_a_job_describes_and_follows_it(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        panel = page.locator("#panel-0")
        canvas = panel.locator(".lanes canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
        assert "runs on cpu 0" in panel.locator(".tip").inner_text()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 20)
        said = panel.locator(".picked").inner_text()
        assert "arrival" in said and "deadline" in said and "T" in said
        panel.locator("button[data-mode=task]").click()
        window_of(page)
        assert panel.locator(".frame").get_attribute("data-mode") == "task"
        assert panel.locator(".frame").get_attribute("data-selected")
        canvas.press("Escape")
        window_of(page)
        assert panel.locator(".frame").get_attribute("data-selected") == ""
        assert panel.locator(".picked").is_hidden()


def test_misses_are_marked_and_named(browser: Any, report: Path) -> None:
    result = comparison()
    _, _, at = result["schedulers"][1]["schedule"]["misses"][0]
    with opened(browser, report, **LAPTOP) as page:
        page.click("#tab-1")
        panel = page.locator("#panel-1")
        assert "missed deadline" in panel.locator(".timeline .legend").inner_text()
        panel.get_by_label("show all").click()
        canvas = panel.locator(".lanes canvas")
        canvas.scroll_into_view_if_needed()
        box = canvas.bounding_box()
        start, end = window_of(page, 1)
        lane_y = box["y"] + box["height"] - 12  # the lane of the misses is the last one
        found = ""
        for step in range(40, int(box["width"]), 3):
            page.mouse.move(box["x"] + step, lane_y)
            if panel.locator(".tip").is_visible():
                found = panel.locator(".tip").inner_text()
                break
        assert "tardiness" in found
        assert start <= at <= end


def test_fingers_pan_pinch_and_tap(browser: Any, report: Path) -> None:
    with opened(browser, report, **PHONE) as page:
        panel = page.locator("#panel-0")
        canvas = panel.locator(".lanes canvas")
        panel.locator(".timeline").evaluate("element => element.scrollIntoView()")
        before = window_of(page)
        touch(page, canvas, [[(300, 40)], [(220, 42)], [(120, 44)]])
        panned = window_of(page)
        assert panned[0] > before[0]
        assert panned[1] - panned[0] == pytest.approx(before[1] - before[0], abs=2)
        touch(page, canvas, [[(150, 40), (200, 60)], [(120, 40), (250, 60)], [(90, 40), (300, 60)]])
        pinched = window_of(page)
        assert pinched[1] - pinched[0] < 0.6 * (panned[1] - panned[0])
        box = canvas.bounding_box()
        page.touchscreen.tap(box["x"] + 200, box["y"] + 20)
        assert "runs on cpu 0" in panel.locator(".picked").inner_text()
        assert panel.locator(".tip").is_hidden()


def touch(page: Any, canvas: Any, path: list[list[tuple[int, int]]]) -> None:
    """Fingers that go down at the path's first places, move along it, and lift."""
    box = canvas.bounding_box()
    session = page.context.new_cdp_session(page)

    def send(kind: str, places: list[tuple[int, int]]) -> None:
        points = [{"x": box["x"] + x, "y": box["y"] + y, "id": i} for i, (x, y) in enumerate(places)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", path[0])
    for places in path[1:]:
        send("touchMove", places)
    send("touchEnd", [])
    session.detach()


def test_every_observation_is_drawn_within_its_bound(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        page.get_by_role("button", name="Show all 40 tasks").first.click()
        rows = page.locator("#panel-0 .bars .row.task")
        assert rows.count() == 40
        widths = rows.evaluate_all(
            "rows => rows.map(row => ['observed', 'within'].map(kind => row.querySelector('.' + kind).getBBox().width))"
        )
        assert all(0 < observed <= bound for observed, bound in widths)


def test_a_task_is_chosen_in_the_bars_or_in_the_list(browser: Any, report: Path) -> None:
    with opened(browser, report, **LAPTOP) as page:
        panel = page.locator("#panel-0")
        panel.locator(".row.task").nth(9).click()
        assert panel.locator(".histogram select").input_value() == "9"
        assert "200 ms" in panel.locator(".histogram .caption").inner_text()
        panel.locator(".histogram select").select_option(label="status 1")
        assert "status 1" in panel.locator(".row.chosen").inner_text()
        panel.get_by_label("order of the tasks").select_option(label="closest to the deadline")
        shares = panel.locator(".row.task .observed").evaluate_all("bars => bars.map(bar => bar.getBBox().width)")
        assert shares == sorted(shares, reverse=True)


def test_the_data_can_be_saved(browser: Any, report: Path, tmp_path: Path) -> None:
    import json

    with opened(browser, report, accept_downloads=True, **LAPTOP) as page:
        with page.expect_download() as download:
            page.click("#save")
        download.value.save_as(tmp_path / "saved.json")
    assert json.loads((tmp_path / "saved.json").read_text()) == comparison()


def test_the_tables_need_no_scripts(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert "bounded" in page.locator("table.summary").inner_text()
    assert "da_x" in page.locator("#panel-0").inner_text()
    context.close()


def test_what_jobs_share_is_drawn_and_said(browser: Any, tmp_path: Path) -> None:
    """A section of a microsecond and a wait: signs in the legend, a bar of its own colour, and words for the job."""
    result = comparison(copies=1, processors=1, drawn_ms=40)
    schedule = result["schedulers"][0]["schedule"]
    cpu, task, job, start, end = schedule["segments"][0]
    other = next(index for index in range(len(result["tasks"])) if index != task)
    schedule["critical_sections"] = [[task, job, 0, start + 1000, start + 2000]]
    schedule["spinning"] = [[cpu, task, job, start, start + 1000]]
    schedule["waits"] = [[task, job, "resource", end, end + 5000], [other, 0, "processor", start, end]]
    schedule["blockings"] = [[task, job, other, 0, end, end + 5000]]
    report = write_report(result, tmp_path / "report.html")
    with opened(browser, report, **LAPTOP) as page:
        legend = page.locator("#panel-0 .legend").first
        assert "holds R0" in legend.inner_text() and "waits" not in legend.inner_text()
        page.locator("#panel-0 [data-mode=task]").click()
        assert "waits for a resource" in legend.inner_text() and "spins for a resource" in legend.inner_text()
        box = page.locator("#panel-0 .lanes canvas").bounding_box()
        page.locator("#panel-0 [data-mode=processor]").click()
        page.mouse.click(box["x"] + 70, box["y"] + 20)
        words = page.locator("#panel-0 .picked").inner_text()
        name = result["tasks"][other]["name"]
        assert "holds R0" in words and "spins" in words and f"waits for {name}, job 0" in words, words
