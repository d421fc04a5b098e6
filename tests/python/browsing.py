"""A headless Chromium for tests of pages, and a page that is watched."""

from __future__ import annotations

import importlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
#: The failure of a request that its own page gave up.
GIVEN_UP = "net::ERR_ABORTED"
LAPTOP = {"viewport": {"width": 1366, "height": 900}}


def lacking(reason: str) -> NoReturn:
    """Skips a test of pages for this reason; fails it where SCHEDLAB_NEEDS_BROWSER is set, as in CI."""
    if os.environ.get("SCHEDLAB_NEEDS_BROWSER"):
        pytest.fail(f"SCHEDLAB_NEEDS_BROWSER is set, but {reason}", pytrace=False)
    pytest.skip(reason)


def package(name: str) -> Any:
    """The module of a package that only tests of pages need."""
    try:
        return importlib.import_module(name)
    except ImportError:
        lacking(f"the package of {name} is not installed")


@contextmanager
def launched() -> Iterator[Any]:
    """A browser; where none is installed, the tests that need it are skipped, or fail: see `lacking`."""
    program = os.environ.get("SCHEDLAB_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        lacking(f"no browser found: none of {', '.join(BROWSERS)} is installed, SCHEDLAB_BROWSER is not set")
    playwright = package("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=program, args=FLAGS)
        yield running
        running.close()


@contextmanager
def opened(browser: Any, report: Path, ready: str = ".frame[data-from]", **options: Any) -> Iterator[Any]:
    """A page of a file, watched: see `watched`. Its own files are the page alone, or what lies beside it in a site."""
    site = report.parent.as_uri() + "/" if report.with_name("index.html").exists() else report.as_uri()
    with watched(browser, report.as_uri(), site, ready, **options) as page:
        yield page


@contextmanager
def watched(browser: Any, address: str, own: str, ready: str, **options: Any) -> Iterator[Any]:
    """A page: any message on the console, any error and any request but for addresses below its `own` fail the test."""
    context = browser.new_context(**options, reduced_motion="reduce")
    page = context.new_page()
    troubles: list[str] = []
    page.on("console", lambda message: troubles.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
    page.on("request", lambda sent: sent.url.startswith(("data:", own)) or troubles.append(f"request: {sent.url}"))
    page.on("requestfailed", lambda sent: sent.failure == GIVEN_UP or troubles.append(f"not found: {sent.url}"))
    page.goto(address)
    page.wait_for_selector(ready)
    yield page
    context.close()
    assert troubles == []


def serious(page: Any) -> list[str]:
    """What axe-core finds that keeps somebody from using the page: rule, impact and the first place."""
    axe = package("axe_playwright_python.sync_playwright")
    answer = axe.Axe().run(page).response
    assert len(answer["passes"]) > 20, "axe-core has looked at the page"
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html']}"
        for one in answer["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def frames(page: Any) -> None:
    """Waits for the frame that a click asked for."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
