"""What a notebook and a terminal show of results: the first rows, as text or as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from schedlab.report.units import readable_duration

if TYPE_CHECKING:
    from schedlab.analysis import Analysis
    from schedlab.scenario import Scenario
    from schedlab.schedule import Metrics

#: How many rows are shown: in a terminal, and in a notebook.
ROWS, ROWS_OF_HTML = 10, 40

#: How many letters a line of a terminal has, and a cell at most.
_LINE, _CELL = 100, 24


def first_rows(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """A head that counts the rows, then the first ones, with as many columns as fit."""
    head = f"<Table of {len(rows)} row{'s' * (len(rows) != 1)}: {', '.join(columns)}>"
    texts = {name: [name, *(_cell(row[name]) for row in rows[:ROWS])] for name in columns}
    shown: list[list[str]] = []
    left = _LINE
    for name in columns:
        width = max(map(len, texts[name]))
        left -= width + 2
        if left < 0:
            break
        whole = all(isinstance(row[name], int | float | None) for row in rows[:ROWS])
        shown.append([text.rjust(width) if whole else text.ljust(width) for text in texts[name]])
    lines = ["  ".join(cells).rstrip() for cells in zip(*shown, strict=True)] if rows else []
    if len(rows) > ROWS:
        lines.append(f"... and {len(rows) - ROWS} more")
    return "\n".join([head, *lines])


def _cell(value: Any) -> str:
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def html_table(told: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A sentence, then a table; of many rows the first ones."""
    body = [[escape(str(cell)) for cell in row] for row in rows]
    more = f"<p>and {len(body) - ROWS_OF_HTML} more</p>" if len(body) > ROWS_OF_HTML else ""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body[:ROWS_OF_HTML])
    return f"<p>{escape(told)}</p><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"


def scenario_html(scenario: Scenario) -> str:
    """The platform in a sentence, then the tasks."""
    tasks = scenario.tasks
    told = (
        f"{scenario.name}: {len(tasks)} tasks on {scenario.processors} processors under {scenario.scheduler}, "
        f"utilization {float(scenario.utilization):.3f}, overheads {scenario.overheads}, locks {scenario.protocol}"
    )
    times = ("wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns")
    rows = [
        (task["name"], *(readable_duration(task[name]) for name in times), f"{task['utilization']:.3f}")
        for task in tasks
    ]
    return html_table(told, ("task", "cost", "period", "deadline", "offset", "utilization"), rows)


def analysis_html(analysis: Analysis) -> str:
    """What is proved, in a sentence; then what each test says; then the least bounds."""
    told = repr(analysis).removeprefix("<Analysis ").removesuffix(">")
    verdicts = [(found.test, found.kind, found.answer, found.reason) for found in analysis.verdicts]
    html = html_table(told, ("test", "kind", "answer", "reason"), verdicts)
    tasks = max((len(found.response_time_bounds_ns or ()) for found in analysis.verdicts), default=0)
    bounds = [
        (f"T{task}", readable_duration(analysis.response_time_bound_ns(task)),
         readable_duration(analysis.tardiness_bound_ns(task)))
        for task in range(tasks)
    ]  # fmt: skip
    return html + (html_table("the least bounds", ("task", "response time", "tardiness"), bounds) if bounds else "")


def metrics_html(metrics: Metrics) -> str:
    """Whether deadlines were missed, then what each task experienced."""
    told = (
        f"{metrics.misses} of {metrics.jobs} deadlines missed under {metrics.scheduler} in "
        f"{readable_duration(metrics.horizon_ns)}; {metrics.preemptions} preemptions, {metrics.migrations} migrations"
    )
    rows = []
    for task in metrics.tasks:
        response, tardiness = task["response_time_ns"] or {}, task["tardiness_ns"] or {}
        times = (response.get("max"), response.get("p99"), response.get("mean"), tardiness.get("max"))
        counts = (task["preemptions"], task["migrations"])
        rows.append((task["name"], task["jobs"], task["misses"], *map(readable_duration, times), *counts))
    columns = ("task", "jobs", "missed", "response max", "p99", "mean", "tardiness max", "preempted", "migrated")
    return html_table(told, columns, rows)


def comparison_html(result: Mapping[str, Any]) -> str:
    """A row for each scheduler: what is proved beside what was observed."""
    from schedlab.report.view import page_model

    rows = []
    for row in page_model(dict(result))["schedulers"]:
        if row["error"]:
            rows.append((row["name"], row["error"], *[""] * 6))
            continue
        totals = row["totals"]
        proved = [found["words"] if found else "no test" for found in (row["hard"], row["soft"])]
        closest = "–" if row["closest"] is None else f"{row['closest']:.1%}"
        missed = f"{totals['misses']} of {totals['jobs']}"
        tardy = readable_duration(totals["max_tardiness_ns"])
        rows.append((row["name"], *proved, missed, tardy, closest, totals["preemptions"], totals["migrations"]))
    columns = ("scheduler", "deadlines", "tardiness", "missed", "max tardiness", "response / bound", "preemptions",
               "migrations")  # fmt: skip
    return html_table(f"{result['title']}, {readable_duration(result['horizon_ns'])} each", columns, rows)
