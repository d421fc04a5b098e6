"""What a notebook and a terminal show of results: the first rows, as text or as HTML."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from schedlab.durations import duration

if TYPE_CHECKING:
    from schedlab.analysis import Analysis
    from schedlab.compare import Comparison
    from schedlab.metrics import Metrics
    from schedlab.scenario import Scenario
    from schedlab.tables import Table

#: How many rows are shown: in a terminal, and in a notebook.
ROWS, ROWS_OF_HTML = 10, 40

#: How many letters a cell has at most.
_CELL = 24


def first_rows(table: Table[Any]) -> str:
    """A head that counts the rows, then the first ones, with as many columns as fit in a line of the terminal."""
    line = shutil.get_terminal_size().columns
    head = f"<Table of {len(table)} row{'s' * (len(table) != 1)}: {', '.join(table.columns)}>"
    lines = textwrap.wrap(head, line, subsequent_indent="  ", break_long_words=False)
    rows = table[:ROWS]
    shown: list[list[str]] = []
    left = line
    for name in table.columns:
        values = rows[name]
        texts = [name, *map(_cell, values)]
        width = max(map(len, texts))
        left -= width + 2 * bool(shown)
        if left < 0:
            break
        whole = all(isinstance(value, int | float | None) for value in values)
        shown.append([text.rjust(width) if whole else text.ljust(width) for text in texts])
    lines += ["  ".join(cells).rstrip() for cells in zip(*shown, strict=True)] if rows else []
    if len(table) > ROWS:
        lines.append(f"... and {len(table) - ROWS} more")
    return "\n".join(lines)


def _cell(value: Any) -> str:
    text = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"


def table_html(table: Table[Any]) -> str:
    """The first rows; `-` stands where there is no value."""
    rows = [[_cell(value) for value in row.values()] for row in table[:ROWS_OF_HTML]]
    return html_table(f"{len(table)} rows", table.columns, rows, len(table))


def html_table(told: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], number: int | None = None) -> str:
    """A sentence, then a table; of many rows the first ones. `number` is how many there are, if not all are given."""
    body = [[escape(str(cell)) for cell in row] for row in rows]
    left = (len(body) if number is None else number) - ROWS_OF_HTML
    more = f"<p>and {left} more</p>" if left > 0 else ""
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
    told += "".join(f"; left out of {line}" for line in scenario.left_out)
    times = [tasks[name] for name in ("wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns")]
    shares = (f"{share:.3f}" for share in tasks["utilization"])
    rows = zip(tasks["name"], *(map(duration, column) for column in times), shares, strict=True)
    return html_table(told, ("task", "cost", "period", "deadline", "offset", "utilization"), rows)


def analysis_html(analysis: Analysis) -> str:
    """What is proved, in a sentence; then what each test says; then the least bounds."""
    verdicts = [(found.test, found.kind, found.answer, found.reason) for found in analysis.verdicts]
    html = html_table(analysis.in_short, ("test", "kind", "answer", "reason"), verdicts)
    tasks = max((len(found.response_time_bounds_ns or ()) for found in analysis.verdicts), default=0)
    bounds = [
        (f"T{task}", duration(analysis.response_time_bound_ns(task)),
         duration(analysis.tardiness_bound_ns(task)))
        for task in range(tasks)
    ]  # fmt: skip
    return html + (html_table("the least bounds", ("task", "response time", "tardiness"), bounds) if bounds else "")


def metrics_html(metrics: Metrics) -> str:
    """Whether deadlines were missed, then what each task experienced."""
    told = (
        f"{metrics.misses} of {metrics.jobs} deadlines missed under {metrics.scheduler} in "
        f"{duration(metrics.horizon_ns)}; {metrics.preemptions} preemptions, {metrics.migrations} migrations"
    )
    tasks = metrics.tasks
    names = ("max_response_time_ns", "p99_response_time_ns", "mean_response_time_ns", "max_tardiness_ns")
    times = (map(duration, tasks[name]) for name in names)
    counts = (tasks["preemptions"], tasks["migrations"])
    rows = zip(tasks["name"], tasks["jobs"], tasks["misses"], *times, *counts, strict=True)
    columns = ("task", "jobs", "missed", "response max", "p99", "mean", "tardiness max", "preempted", "migrated")
    return html_table(told, columns, rows)


def comparison_html(result: Comparison) -> str:
    """A row for each scheduler: what is proved beside what was observed."""
    from schedlab.report.view import page_model

    rows = []
    for row in page_model(result)["schedulers"]:
        if row["error"]:
            rows.append((row["name"], row["error"], *[""] * 6))
            continue
        totals = row["totals"]
        proved = [found["words"] if found else "no test" for found in (row["hard"], row["soft"])]
        closest = "-" if row["closest"] is None else f"{row['closest']:.1%}"
        missed = f"{totals['misses']} of {totals['jobs']}"
        tardy = duration(totals["max_tardiness_ns"])
        rows.append((row["name"], *proved, missed, tardy, closest, totals["preemptions"], totals["migrations"]))
    columns = ("scheduler", "deadlines", "tardiness", "missed", "max tardiness", "response / bound", "preemptions",
               "migrations")  # fmt: skip
    return html_table(f"{result['title']}, {duration(result['horizon_ns'])} each", columns, rows)
