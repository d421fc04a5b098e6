"""The built site of the documents: its pages can be used by all readers, and its search works without a network."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from browsing import launched, serious, watched

pytestmark = [pytest.mark.browser, pytest.mark.site]

WIDTHS = (400, 800, 1400)
#: A page of each kind: landing, tutorial, guide, table, generated pages.
LOOKED_AT = (
    "index", "docs/tutorials/locks-and-blocking", "docs/how-to/import", "docs/explanation/overheads", "docs/crosscheck",
    "reference/cli/why",
    "reference/formats/trace-format", "reference/api/schedlab.measures", "reference/schedulers/g-edf",
    "reference/protocols/mpcp", "reference/tests/gfb", "reference/generators/utilizations-bounded-sum",
)  # fmt: skip


@pytest.fixture(scope="module")
def site() -> Path:
    """The folder that `make docs` built."""
    if "SCHEDLAB_SITE" not in os.environ:
        pytest.skip("make docs builds the site and tests it")
    folder = Path(os.environ["SCHEDLAB_SITE"]).resolve()
    assert (folder / "index.html").is_file(), "make docs builds the site first"
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


class Quiet(SimpleHTTPRequestHandler):
    """Serves files, and says nothing about it."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def served(site: Path) -> Iterator[str]:
    """The address of the site: axe-core reads styles, which a browser refuses for files."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_can_be_used_by_all_readers(served: str, browser: Any, width: int, scheme: str) -> None:
    troubles = []
    for name in LOOKED_AT:
        size = {"width": width, "height": 900}
        address = f"{served}{name}.html"
        with watched(browser, address, served, "article", viewport=size, color_scheme=scheme) as page:
            troubles += [f"{name}: {found}" for found in serious(page)]
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                troubles.append(f"{name}: {wide} pixels wide in a window of {width}")
    assert troubles == []


def test_the_search_finds_a_page_without_a_network(site: Path, browser: Any) -> None:
    address = (site / "search.html").as_uri() + "?q=phase-fair"
    with watched(browser, address, site.as_uri() + "/", "#search-results li:nth-child(2) a") as page:
        assert page.locator("#search-results li a").count() > 1
