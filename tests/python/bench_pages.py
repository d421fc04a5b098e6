"""Pages of a bench in a headless Chromium, and what a hand does there, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import schedlab
from benches import Served, served
from browsing import LAPTOP, frames, watched

PHONE = {"viewport": {"width": 390, "height": 844}}

TASKS = """\
schedlab = 1 # kept
title = "three tasks"
scheduler = "P-RM"
horizon = "100 ms"
platform.processors = 1

[[task]]
name = "sense"
wcet = "2 ms" # kept, too
period = "10 ms"

[[task]]
name = "plan"
wcet = "4 ms"
period = "20 ms"
deadline = "16 ms"

[[task]]
name = "log <b>&amp;"
wcet = "3 ms"
period = "25 ms"
"""


@contextmanager
def on_bench(browser: Any, folder: Path, text: str = TASKS, **options: Any) -> Iterator[tuple[Any, Served]]:
    """A page of a bench that has given its first answers."""
    (folder / "x.toml").write_text(text)
    with served("x.toml", folder=folder) as bench:
        given = {**LAPTOP, **options}
        with watched(browser, bench.address, bench.address, ".frame[data-from]", **given) as page:
            settled(page)
            yield page, bench


def settled(page: Any) -> None:
    """Waits until everything that is shown belongs to the numbers shown."""
    page.wait_for_selector("body[data-settled=yes]", state="attached")
    frames(page)


def field(page: Any, name: str) -> Any:
    """The field of a label."""
    return page.locator("#processors" if name == "processors" else f"input[aria-label='{name}']")


def typed(page: Any, name: str, text: str) -> None:
    field(page, name).fill(text)
    field(page, name).press("Enter")
    settled(page)


def handle(page: Any, name: str, panel: int = 0) -> Any:
    return page.locator(".panel").nth(panel).get_by_role("slider", name=name, exact=True)


def fields(bench: Served, name: str) -> list[int]:
    tasks = schedlab.Scenario.parse(bench.get()["text"]).tasks
    return [task[name] for task in map(dict, tasks)]


def drag(page: Any, what: Any, milliseconds: float) -> None:
    """Drags a handle by a time, in several moves, as a hand does."""
    by = (
        milliseconds
        * 1e6
        * page.evaluate(
            "timeline => timeline.wide / (timeline.to - timeline.from)", page.evaluate_handle("bench.timelines[0]")
        )
    )
    what.scroll_into_view_if_needed()
    box = what.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, 6):
        page.mouse.move(x + by * step / 5, y)
    page.mouse.up()
    settled(page)
