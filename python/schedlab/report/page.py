"""Write a comparison as one HTML file: a template, a style and scripts, all inlined; no network, no framework.

The page is a pure function of the comparison (see `schedlab.outputs.comparison` for its shape): the same comparison
gives the same bytes. What a reader must see without scripts is rendered here: guarantees beside
observations, and the provenance. Distributions and the schedule are drawn by the scripts, from the comparison,
which the page carries whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from schedlab.compare import Comparison
from schedlab.durations import duration
from schedlab.files import write_whole
from schedlab.report.view import page_model

_ASSETS = Path(__file__).with_name("assets")

#: How pages look, those of other folders too.
STYLE = _ASSETS / "style.css"

#: What draws a schedule.
TIMELINE = ("format.js", "sharing.js", "model.js", "legend.js", "painter.js", "timeline.js")


def write_report(result: Comparison, path: Path | str) -> Path:
    """Writes the page of a comparison to ``path``, whole or not at all, and returns the path."""
    path = Path(path)
    write_whole(path, render_report(result))
    return path


def render_report(result: Comparison) -> str:
    """The page as text."""
    return rendered("page.html.j2", page_model(result), result, (*TIMELINE, "bars.js", "histogram.js", "main.js"))


def templates_in(folder: Path, *, keep_trailing_newline: bool = False) -> Environment:
    """The templates of pages in `folder`."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
    )
    environment.filters["duration"] = duration
    return environment


def rendered(template: str, page: dict[str, Any], data: Any, scripts: Sequence[str]) -> str:
    """A page: what a template makes of `page`, with `data` for the `scripts`."""
    templates = templates_in(_ASSETS, keep_trailing_newline=True)
    return templates.get_template(template).render(
        page=page,
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup("\n".join(_asset(name) for name in scripts)),
        data=Markup(_embedded_json(data)),
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _embedded_json(value: Any) -> str:
    """JSON that cannot close the script element around it, whatever a task is called."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
