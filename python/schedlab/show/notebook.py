"""Results in notebooks: tables in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from schedlab.base.durations import at_most, duration
from schedlab.comparison.compare import Comparison
from schedlab.comparison.summary import summary
from schedlab.core import display
from schedlab.core.analysis import Analysis
from schedlab.core.cells import cell
from schedlab.core.metrics import Metrics
from schedlab.core.mutexes import locks_in_words
from schedlab.core.scenario import Scenario
from schedlab.core.tables import Table

#: Number of rows of a table that a notebook shows.
ROWS_OF_HTML = 40


@display.html.register(Table)
def table_html(table: Table[Any]) -> str:
    """Returns HTML: the first rows of a table; `-` stands for a missing value."""
    rows = [[cell(value) for value in row.values()] for row in table[:ROWS_OF_HTML]]
    return html_table(f"{len(table)} rows", table.columns, rows, len(table))


def html_table(told: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], number: int | None = None) -> str:
    """Returns HTML: a sentence and the first rows. `number` is the number of all rows, if not all are given."""
    body = [[escape(str(cell)) for cell in row] for row in rows]
    left = (len(body) if number is None else number) - ROWS_OF_HTML
    more = f"<p>and {left} more</p>" if left > 0 else ""
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    lines = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in body[:ROWS_OF_HTML])
    return f"<p>{escape(told)}</p><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{more}"


def _caveats(of: Scenario | Analysis) -> str:
    """Returns, as text, what answers leave out, what they rest on, and which overheads they do not charge."""
    told = [f"left out of {line}" for line in of.left_out] + [f"rests on: {line}" for line in of.rests_on]
    if of.overheads_unknown:
        told.append(f"unknown overheads, not charged: {', '.join(of.overheads_unknown)}")
    return "".join(f"; {line}" for line in told)


@display.html.register(Scenario)
def scenario_html(scenario: Scenario) -> str:
    """Returns HTML: the platform in a sentence, then the tasks."""
    tasks = scenario.tasks
    machine = "one processor" if scenario.processors == 1 else f"{scenario.processors} processors"
    told = (
        f"{scenario.name}: {len(tasks)} tasks on {machine} under {scenario.scheduler}, "
        f"utilization {float(scenario.utilization):.3f}, overheads {scenario.overheads}, "
        f"locks {locks_in_words(scenario)}"
    )
    told += _caveats(scenario)
    times = [tasks[name] for name in ("wcet_ns", "period_ns", "relative_deadline_ns", "offset_ns")]
    shares = (f"{share:.3f}" for share in tasks["utilization"])
    rows = zip(tasks["name"], *(map(duration, column) for column in times), shares, strict=True)
    return html_table(told, ("task", "cost", "period", "deadline", "offset", "utilization"), rows)


@display.html.register(Analysis)
def analysis_html(analysis: Analysis) -> str:
    """Returns HTML: what is proved in a sentence, then the verdict of each test, then the smallest bounds."""
    verdicts = [(found.test, found.kind, found.answer, found.reason) for found in analysis.verdicts]
    html = html_table(analysis.in_short + _caveats(analysis), ("test", "kind", "answer", "reason"), verdicts)
    tasks = max((len(found.response_time_bounds_ns or ()) for found in analysis.verdicts), default=0)
    bounds = [
        (f"T{task}", at_most(analysis.response_time_bound_ns(task)),
         at_most(analysis.tardiness_bound_ns(task)))
        for task in range(tasks)
    ]  # fmt: skip
    return html + (html_table("the least bounds", ("task", "response time", "tardiness"), bounds) if bounds else "")


@display.html.register(Metrics)
def metrics_html(metrics: Metrics) -> str:
    """Returns HTML: how many deadlines were missed, then the metrics of each task."""
    told = (
        f"{metrics.misses} of {metrics.jobs} deadlines missed under {metrics.scheduler} in "
        f"{duration(metrics.horizon_ns)}; {metrics.preemptions} preemptions, {metrics.migrations} migrations"
        + "".join(f"; {deadlock['text']}" for deadlock in metrics.deadlocks)
    )
    tasks = metrics.tasks
    names = ("max_response_time_ns", "p99_response_time_ns", "mean_response_time_ns", "max_tardiness_ns")
    times = (map(duration, tasks[name]) for name in names)
    counts = (tasks["preemptions"], tasks["migrations"])
    rows = zip(tasks["name"], tasks["jobs"], tasks["misses"], *times, *counts, strict=True)
    columns = ("task", "jobs", "missed", "response max", "p99", "mean", "tardiness max", "preempted", "migrated")
    return html_table(told, columns, rows)


@display.html.register(Comparison)
def comparison_html(result: Comparison) -> str:
    """Returns HTML, a row for each scheduler: what is proved beside what was observed."""
    told = summary(result)
    rows: list[Sequence[Any]] = []
    for row in told.schedulers:
        totals = row.totals
        if row.error or not totals:
            rows.append((row.name, row.error, *[""] * 6))
            continue
        proved = [found.words if found else "no test" for found in (row.hard, row.soft)]
        closest = "-" if row.closest is None else f"{row.closest:.1%}"
        missed = f"{totals['misses']} of {totals['jobs']}" + (", deadlock" if row.deadlocks else "")
        tardy = duration(totals["max_tardiness_ns"])
        rows.append((row.name, *proved, missed, tardy, closest, totals["preemptions"], totals["migrations"]))
    columns = ("scheduler", "deadlines", "tardiness", "missed", "max tardiness", "response / bound", "preemptions",
               "migrations")  # fmt: skip
    return html_table(f"{told.title}, {duration(told.horizon_ns)} each", columns, rows)
