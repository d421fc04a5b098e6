"""Answers of batches and results of studies in notebooks: tables in HTML, with a row for each question or point."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from schedlab.core import display
from schedlab.show.notebook import html_table, table_tag
from schedlab.studies.batch import Answers
from schedlab.studies.results import Results
from schedlab.studies.study import Study


@display.html.register(Answers)
def answers_html(answers: Answers) -> str:
    """Returns HTML, a row for each question: in how many sets it is proved, and what share that is."""
    number = answers.table.num_rows
    rows = []
    names = answers.questions
    for name, proved, weighted in zip(names, answers.proved, answers.weighted_schedulability, strict=True):
        share = f"{sum(proved) / number:.1%}" if number else "-"
        rows.append((name, f"{sum(proved)} of {number}", share, "-" if weighted is None else f"{float(weighted):.1%}"))
    return html_table(f"{number} task sets", ("question", "proved", "share", "weighted by utilization"), rows)


@display.html.register(Results)
def results_html(results: Results) -> str:
    """Returns HTML, a row for each point: shares of what is true or false, and means of numbers, over its rows."""
    told, axes = results.provenance, results.axes
    changed = f", {', '.join(f'{name}={value}' for name, value in results.settings.told().items())}"
    size = f"{told['sets']} sets of each of {len(told['points'])} points, seed {told['seed']}"
    head = f"{told['study']}{changed if results.settings.changed else ''}: {size}; shares and means"
    columns = [name for name in results.table.column_names if name not in (*axes, "set")]
    shown = [name for name in columns if _is_averaged(results.table.column(name).type)]
    rows = []
    for point in told["points"]:
        here = results.where(**point).table
        rows.append([*(_number(point[name]) for name in axes), *(_mean(here.column(name)) for name in shown)])
    return html_table(head, [*axes, *shown], rows)


@display.html.register(Study)
def study_html(study: Study) -> str:
    """Returns HTML: the question and size of a study, then its parameters."""
    size = f"{len(study.points)} points of {study.sets} sets; {study.full_sets} with full"
    source = f"<br>{escape(study.source)}" if study.source else ""
    told = f"<p><b>{escape(study.name)}</b>: {escape(study.full_title)}{source}<br>{size}</p>"
    rows: list[Sequence[str]] = [
        (one.name, one.shown(study.settings[one]), one.about, one.allowed) for one in study.settable
    ]
    return told + (table_tag(("parameter", "value", "description", "allowed"), rows) if rows else "")


def _is_averaged(kind: pa.DataType) -> bool:
    return any((pa.types.is_boolean(kind), pa.types.is_integer(kind), pa.types.is_floating(kind)))


def _mean(column: pa.ChunkedArray) -> str:
    """Returns the share of true values, or the mean of numbers, as text; a dash without any."""
    if column.null_count == len(column):
        return "-"
    if pa.types.is_boolean(column.type):
        return f"{pc.mean(column).as_py():.1%}"
    return _number(pc.mean(column).as_py())


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
