"""Pictures of a schedule: as text, as bytes, and as a file whose ending determines the format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from schedlab.base.files import write_whole
from schedlab.core import display
from schedlab.core.schedule import Schedule
from schedlab.core.window import MOST, Time, window
from schedlab.errors import BadInput

#: The kind of picture by the ending of its file.
ENDINGS = {".svg": "svg", ".png": "png", ".pdf": "pdf", ".tex": "tikz", ".txt": "text", ".html": "page"}


@display.saved.register(Schedule)
def save(schedule: Schedule, path: Path | str, **shown: Any) -> Path:
    """Writes a picture of `schedule` in the format of the ending of `path`: SVG, PNG, PDF, TikZ, text, or a page
    (HTML).

    `shown` are `start`, `until`, `around` and `jobs` of `schedlab.core.window`, and `lanes`: `processors` or `tasks`.
    """
    path = Path(path)
    kind = ENDINGS.get(path.suffix.lower())
    if kind is None:
        raise BadInput(f'"{path}" does not end like a picture; allowed: {", ".join(ENDINGS)}')
    if kind == "page":
        # Only pages need jinja2, which is slow to import.
        from schedlab.show.report import write_timelines

        if shown.pop("lanes", None) is not None:
            raise BadInput("a page has lanes of both kinds; leave out the lanes")
        return write_timelines({path.stem: schedule}, path, **shown)
    write_whole(path, picture(schedule, kind, **shown))
    return path


def picture(
    schedule: Schedule, kind: str, lanes: str | None = None, width: int | None = None, **shown: Any
) -> str | bytes:
    """Returns a picture of a `kind`: text, svg, tikz, png or pdf. Text is folded to lines of at most `width`."""
    start, until = window(schedule._native, schedule.scenario, **shown)
    if kind in ("png", "pdf"):
        # Only these kinds need the plots, whose statistics are slow to import.
        from schedlab.show.plots.timeline import rendered

        parts = schedule.drawing(until, start, most=MOST)
        return rendered(parts, schedule.scenario, lanes or "tasks", kind, schedule._native.resources())
    if kind == "text":
        return schedule.to_text(start, until, lanes or "processors", width)
    drawn = {"svg": schedule.to_svg, "tikz": schedule.to_tikz}[kind]
    return drawn(start, until, lanes or "tasks")


@display.plotted.register(Schedule)
def plot(
    schedule: Schedule, ax: Any, *, start: Time, until: Time, around: str | None, jobs: int | None, lanes: str
) -> Any:
    """Draws the `window` of `schedule` with matplotlib on the axes `ax`, or on new ones; returns the axes."""
    # Only this needs the plots, whose statistics are slow to import.
    from schedlab.show.plots.timeline import draw_timeline

    start_ns, until_ns = window(schedule._native, schedule.scenario, start, until, around, jobs)
    drawn = schedule.drawing(until_ns, start_ns, most=MOST)
    return draw_timeline(drawn, schedule.scenario, ax, lanes=lanes, resources=schedule._native.resources())
