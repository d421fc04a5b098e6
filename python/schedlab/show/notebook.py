"""Results in notebooks: tables in HTML, and the computations of tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from schedlab.base.durations import at_most, deadline, duration
from schedlab.comparison.compare import Comparison
from schedlab.comparison.summary import summary
from schedlab.core import display
from schedlab.core.analysis import Advised, Analysis, Verdict, best_ways, schemes_in_words
from schedlab.core.cells import cell
from schedlab.core.margins import percent_in_words
from schedlab.core.metrics import Metrics
from schedlab.core.mutexes import locks_in_words
from schedlab.core.scenario import Scenario
from schedlab.core.schedule import Explained, Schedule
from schedlab.core.steps import Computation, Line, computations
from schedlab.core.tables import Table
from schedlab.core.window import window
from schedlab.errors import BadInput

#: Number of rows of a table that a notebook shows.
ROWS_OF_HTML = 40

#: Begin of a drawing that shrinks with the page, but not until its letters are too small.
_FLUID = '<svg style="max-width: 100%; min-width: 40em; height: auto" '


@display.html.register(Table)
def table_html(table: Table[Any]) -> str:
    """Returns HTML: the first rows of a table; `-` stands for a missing value."""
    rows = [[cell(value) for value in row.values()] for row in table[:ROWS_OF_HTML]]
    return html_table(f"{len(table)} rows", table.columns, rows, len(table))


def html_table(told: str, columns: Sequence[str], rows: Iterable[Sequence[Any]], number: int | None = None) -> str:
    """Returns HTML: a sentence and the first rows. `number` is the number of all rows, if not all are given."""
    body = list(rows)
    left = (len(body) if number is None else number) - ROWS_OF_HTML
    more = f"<p>and {left} more</p>" if left > 0 else ""
    return f"<p>{escape(told)}</p>{table_tag(columns, body[:ROWS_OF_HTML])}{more}"


def table_tag(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Returns an HTML table of these rows, each cell as text: columns of numbers to the right, others to the left."""
    texts = [[str(cell) for cell in row] for row in rows]
    sides = ["right" if all(map(_is_number, column)) else "left" for column in zip(*texts, strict=False)]
    sides += ["left"] * (len(columns) - len(sides))

    def line(tag: str, cells: Sequence[str]) -> str:
        # Notebooks align all cells to the right unless each says otherwise.
        styled = (f'<{tag} style="text-align: {side}">' for side in sides)
        return "".join(f"{begin}{escape(cell)}</{tag[:2]}>" for begin, cell in zip(styled, cells, strict=False))

    head = line('th scope="col"', columns)
    body = "".join(f"<tr>{line('td', cells)}</tr>" for cells in texts)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _is_number(text: str) -> bool:
    """Returns whether a cell is a number, with a unit or without, or stands for a missing one."""
    return re.fullmatch(r"-|-?[\d.,e+-]+( ?(%|ns|us|ms|s))?|", text) is not None


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
    times = [map(duration, tasks[name]) for name in ("wcet_ns", "period_ns", "offset_ns")]
    times.insert(2, map(deadline, tasks["relative_deadline_ns"]))
    shares = (f"{share:.3f}" for share in tasks["utilization"])
    rows = zip(tasks["name"], *times, shares, strict=True)
    return html_table(told, ("task", "cost", "period", "deadline", "offset", "utilization"), rows)


@display.html.register(Analysis)
def analysis_html(analysis: Analysis) -> str:
    """Returns HTML: what is proved, the verdict of each test, the smallest bounds, and the computations, if any."""
    verdicts = [(found.test, found.kind, found.answer, found.reason) for found in analysis.verdicts]
    html = html_table(analysis.in_short + _caveats(analysis), ("test", "kind", "answer", "reason"), verdicts)
    tasks = max((len(found.response_time_bounds_ns or ()) for found in analysis.verdicts), default=0)
    bounds = [
        (analysis.name_of(task), at_most(analysis.response_time_bound_ns(task)),
         at_most(analysis.tardiness_bound_ns(task)))
        for task in range(tasks)
    ]  # fmt: skip
    if bounds:
        html += html_table("the least bounds", ("task", "response time", "tardiness"), bounds)
    shown = [one for one in analysis.verdicts if one.steps is not None]
    return html + "".join(
        _steps(one, is_open=one.answer != "unknown" or len(shown) == 1, by_cluster=analysis.has_clusters)
        for one in shown
    )


@display.html.register(Verdict)
def verdict_html(verdict: Verdict) -> str:
    """Returns HTML: a test's answer with reason, source and assumptions, and its computation, if it was asked for."""
    told = f"<p><b>{escape(verdict.answer)}</b> by {escape(verdict.test)} ({verdict.kind}): {escape(verdict.reason)}"
    told += f"<br>{escape(verdict.source)}</p>"
    if verdict.assumptions:
        told += f"<p>assumes: {escape('; '.join(verdict.assumptions))}</p>"
    return told + _steps(verdict, is_open=True, by_cluster=False)


def _steps(verdict: Verdict, *, is_open: bool, by_cluster: bool) -> str:
    """Returns a test's computations as HTML that folds; empty if it has none."""
    if verdict.steps is None:
        return ""
    shown = " open" if is_open else ""
    summary = f"<summary>steps of {escape(verdict.test)}: {escape(verdict.answer)}</summary>"
    parts = [_computation(one) for one in computations(verdict.steps, by_cluster=by_cluster)]
    cut = "<p>More steps were not recorded; those of one task are fewer.</p>" if verdict.steps["is_cut"] else ""
    return f"<details{shown}>{summary}{''.join(parts)}{cut}</details>"


def _computation(one: Computation) -> str:
    """Returns a computation as HTML: its result, its formula, then a table of its lines."""
    told = f"<p><b>{escape(one.head)}</b><br><code>{escape(one.formula)}</code>"
    told += f"<br>{escape(one.given)}</p>" if one.given else "</p>"
    rows: list[Sequence[str]] = []
    for group in one.groups:
        rows += [(group.title, "", "")] if group.title else []
        for index, line in enumerate(group.lines):
            if group.left_out and index == len(group.lines) - 1:
                rows.append(("", f"{group.left_out} more", ""))
            rows.append((line.name, _terms(line), f"{line.value} {line.compared}".strip()))
        rows += [("", group.result, "")] if group.result else []
    unit = f"result [{one.unit}]" if one.unit else "result"
    return told + (table_tag(("step", "terms", unit), rows) if rows else "")


def _terms(line: Line) -> str:
    """Returns the terms of a line with the tasks that they are of, and their values, as text."""
    sign = " · " if line.is_product else " + " if line.value else ", "
    terms = sign.join(f"{part.text} [{part.whose}]" if part.whose else part.text for part in line.parts)
    values = sign.join(part.value for part in line.parts)
    return f"{terms} = {values}" if line.value and len(line.parts) > 1 and values != terms else terms


@display.html.register(Advised)
def advice_html(advice: Advised) -> str:
    """Returns HTML: whether the scenario is proved as it is, then each scheduler in its best way."""
    told = "proved as it is" if advice["as_it_is"] else "not proved as it is"
    rows = []
    for way, others in best_ways(advice["ways"]):
        proof = f"{way['reason']} ({way['test']})" if way["test"] else way["reason"]
        margin = percent_in_words(way["margin_percent"])
        answer = "schedulable" if way["schedulable"] else "not proved" if way["missed"] is None else "simulated"
        rows.append((way["scheduler"], answer, margin, way["placement"] or "-", way["priorities"] or "-",
                     way["protocol"], schemes_in_words(way["schemes"]) or "-", proof, others or ""))  # fmt: skip
    columns = ("scheduler", "deadlines", "margin", "placement", "priorities", "protocol", "schemes", "reason",
               "more ways")  # fmt: skip
    return html_table(f"{told}; each scheduler in its best way", columns, rows)


@display.html.register(Explained)
def why_html(found: Explained) -> str:
    """Returns HTML: the parts of a response time as a terminal has them."""
    return f'<pre style="font-family: monospace; line-height: 1.4">{escape(found.text)}</pre>'


@display.html.register(display.ShownDict)
def named_html(found: display.ShownDict) -> str:
    """Returns HTML: the single values as a table, then each list of rows as one."""
    single, tables = [], []
    for name, value in found.items():
        if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
            tables.append(html_table(name, tuple(value[0]), (_cells(row, value[0]) for row in value)))
        elif hasattr(value, "_repr_html_"):
            tables.append(value._repr_html_())
        else:
            single.append((name, _shortly(value)))
    return (table_tag(("what", "value"), single) if single else "") + "".join(tables)


@display.html.register(display.Shown)
def several_html(found: display.Shown[Any]) -> str:
    """Returns HTML: rows as one table, in which an error has its row; other results below each other."""
    if any(hasattr(one, "_repr_html_") for one in found):
        return "".join(one._repr_html_() for one in found)
    rows = [one if isinstance(one, Mapping | BadInput) else one.to_dict() for one in found]
    first = next((row for row in rows if isinstance(row, Mapping)), {})
    plain = [name for name, value in first.items() if not isinstance(value, list | dict)]
    cells = [[str(row)] if isinstance(row, BadInput) else _cells(row, plain) for row in rows]
    return html_table(f"{len(rows)} rows", plain, cells)


def _cells(row: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    return [_shortly(row.get(name)) for name in names]


def _shortly(value: Any) -> str:
    """Returns a value as the text of a cell; of a list its parts."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


@display.html.register(Schedule)
def schedule_html(schedule: Schedule) -> str:
    """Returns HTML: the drawing of the first hyperperiod or of the first jobs, as wide as the page lets it be."""
    drawn = schedule.to_svg(*window(schedule._native, schedule.scenario))
    # Letters of the drawing are black, which a dark page would hide.
    ground = "background: white; color: black; overflow-x: auto"
    return f'<div style="{ground}">{drawn.replace("<svg ", _FLUID, 1)}</div>'


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
