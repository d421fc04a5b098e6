"""Comparisons as one HTML file: a template, a style and scripts, all inlined; no network, no framework.

The page is a pure function of the comparison (see `schedlab.outputs.comparison` for its shape): the same comparison
gives the same bytes. Everything that a reader must see without scripts is rendered here: guarantees beside
observations, and the provenance. The scripts draw distributions and the schedule from the comparison, which the page
contains as a whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from schedlab.base.durations import duration
from schedlab.base.files import make_folder, write_whole
from schedlab.base.glossary import Entry, column
from schedlab.comparison.compare import Comparison
from schedlab.comparison.over_bound import why_over_bound
from schedlab.comparison.summary import Summary, summary
from schedlab.show.report.loads import load_pictures

_ASSETS = Path(__file__).with_name("assets")

#: The style of all pages, those of other folders too.
STYLE = _ASSETS / "style.css"

#: The scripts that draw a schedule.
TIMELINE = ("format.js", "sharing.js", "model.js", "legend.js", "painter.js", "timeline.js")

#: Columns of the tables, which the page explains.
COLUMNS = (
    "deadlines", "tardiness", "missed", "max tardiness", "response / bound", "preemptions", "migrations", "retries",
    "accrued utility", "given up", "invariants", "checks", "decision to dispatch",
)  # fmt: skip

#: The event after which each kind of modelled delay comes, in words.
_AFTER = {"cache_related_preemption": "preemption", "cache_related_migration": "migration"}


def write_comparison(result: Summary, folder: Path) -> Path:
    """Writes `result.json` and `report.html` into `folder`; returns the page's path."""
    make_folder(folder)
    plain = json.dumps(result.comparison, ensure_ascii=False, separators=(",", ":"))
    write_whole(folder / "result.json", plain)
    page = folder / "report.html"
    write_whole(page, _page(result))
    return page


def write_report(result: Comparison, path: Path | str) -> Path:
    """Writes the page of a comparison to ``path``, whole or not at all, and returns the path."""
    path = Path(path)
    write_whole(path, render_report(result))
    return path


def render_report(result: Comparison) -> str:
    """Returns the page of a comparison as text."""
    return _page(summary(result))


def _page(result: Summary) -> str:
    scripts = (*TIMELINE, "bars.js", "histogram.js", "main.js")
    words = glossary_of({head: column(head) for head in COLUMNS})
    return rendered("page.html.j2", result, result.comparison, scripts, **words, **_drawn(result))


def _drawn(result: Summary) -> dict[str, Any]:
    """Returns what only the page shows of a comparison: facts, pictures, and why real responses exceed bounds."""
    share = result.utilization / result.processors
    return {
        "facts": [
            ("tasks", result.tasks),
            ("processors", result.processors),
            ("utilization", f"{result.utilization:.3f} ({share:.1%} of the platform)"),
        ],
        "over": load_pictures(result.utility_over_load, result.processors),
        "after": _AFTER,
        "why_over_bound": lambda found: why_over_bound(found, found["name"], duration),
    }


def glossary_of(told: Mapping[str, Entry]) -> dict[str, Any]:
    """Returns what the glossary says of heads, for `words.html.j2`: each paragraph once, and its place by head."""
    texts = list(dict.fromkeys(entry.markdown for entry in told.values()))
    return {
        "words": {head: texts.index(entry.markdown) for head, entry in told.items()},
        "explained": [_marked(text) for text in texts],
    }


def _marked(markdown: str) -> Markup:
    """Returns a paragraph of the glossary as HTML."""
    text = str(escape(markdown))
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return Markup(re.sub(r"`(.+?)`", r"<code>\1</code>", text))


@cache
def _templates() -> Environment:
    """Returns the templates of this folder, which a page that follows a user's changes renders again and again."""
    return templates_in(_ASSETS, keep_trailing_newline=True)


def part(name: str) -> Template:
    """Returns the template of a part of a page."""
    return _templates().get_template(name)


def script(names: Sequence[str]) -> str:
    """Returns the scripts of these names as one."""
    return "\n".join(_asset(name) for name in names)


def templates_in(folder: Path, *, keep_trailing_newline: bool = False) -> Environment:
    """Returns the templates of pages in `folder`."""
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


def rendered(template: str, page: Any, data: Any, scripts: Sequence[str], **more: Any) -> str:
    """Renders a page: a template with `page` and the names in `more`, and `data` for the `scripts`."""
    return part(template).render(
        page=page,
        **more,
        style=Markup(STYLE.read_text(encoding="utf-8")),
        script=Markup(script(scripts)),
        data=Markup(_embedded_json(data)),
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _embedded_json(value: Any) -> str:
    """Returns JSON that cannot close the script element around it, whatever a task is called."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
