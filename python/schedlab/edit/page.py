"""The bench's page: a template, a style and scripts, of which those that draw a schedule are those of all pages."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from markupsafe import Markup

from schedlab._native import __version__
from schedlab.edit.form import TIMES, choices
from schedlab.show.report.page import STYLE, TIMELINE, script, templates_in

_ASSETS = Path(__file__).with_name("assets")

#: The scripts of the bench, after those that draw schedules.
_SCRIPTS = ("requests.js", "units.js", "handles.js", "form.js", "panel.js", "bench.js")


@cache
def assets(file: str) -> dict[str, tuple[str, bytes]]:
    """Returns the contents of the server by name, with their types; the page itself has no name."""
    page = templates_in(_ASSETS).get_template("bench.html.j2")
    known = json.dumps({**choices(), "times": [[name, word] for name, word, _ in TIMES]})
    html = page.render(file=file, version=__version__, known=Markup(known.replace("<", "\\u003c")))
    style = "\n".join(path.read_text(encoding="utf-8") for path in (STYLE, _ASSETS / "bench.css"))
    own = "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return {
        "": ("text/html; charset=utf-8", html.encode()),
        "bench.css": ("text/css; charset=utf-8", style.encode()),
        "bench.js": ("text/javascript; charset=utf-8", (script(TIMELINE) + "\n" + own).encode()),
    }
