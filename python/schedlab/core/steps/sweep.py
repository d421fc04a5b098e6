"""Response times by the absolute deadlines of a busy period."""

from __future__ import annotations

from schedlab.base.durations import duration
from schedlab.core.steps.lines import Computation, Group, Line, Part, Times
from schedlab.core.steps.windows import busy_lines
from schedlab.outputs.results import SweptResponses


def of_sweep(found: SweptResponses) -> Computation:
    """Returns the busy period, when the work by each deadline is done, and the slowest job of each task."""
    tasks = found["tasks"]
    times = [(one["cost_ns"], one["period_ns"], one["relative_deadline_ns"], one["jitter_ns"]) for one in tasks]
    number = Times(time for of_task in times for time in of_task)
    given = [f"times in {number.unit}"]
    for task, of_task in zip(tasks, times, strict=True):
        cost, period, relative_deadline, late = (number(time) for time in of_task)
        jitter = f", J {late}" if task["jitter_ns"] else ""
        given.append(f"{task['name']}: C {cost}, T {period}, D {relative_deadline}{jitter}")
    lines = []
    for one in found["visited"]:
        parts = [
            Part(f"{term['jobs']}·{number(task['cost_ns'])}", f"{term['jobs']} \\cdot {number(task['cost_ns'])}",
                 number(term["work_ns"]), task["name"])
            for task, term in zip(tasks, one["terms"], strict=bool(one["terms"]))
            if term["jobs"]
        ]  # fmt: skip
        due = number(one["due_ns"])
        lines.append(Line(f"t({due})", f"t({due})", parts, number(one["done_ns"])))
    busy = Group(busy_lines(found["busy"], found["busy_left_out"], tasks, [], number), "the busy period",
                 left_out=found["busy_left_out"])  # fmt: skip
    swept = Group(lines, "when the work due by each deadline d is done", left_out=found["left_out"])
    slowest = Group(_slowest(found, number), "the slowest jobs")
    bounds = [(task["bound_ns"], task["relative_deadline_ns"]) for task in tasks]
    holds = (
        None if any(bound is None for bound, _ in bounds) else all(bound <= limit for bound, limit in bounds if bound)
    )
    visited = len(found["visited"]) + found["left_out"]
    head = f"response times by {visited} deadline{'s' * (visited != 1)}"
    if found["busy"]:
        head += f" of a busy period of {duration(found['busy'][-1]['window_ns'])}"
    if holds is None:
        head += ", and then the budget was spent" if visited else "; no end of the busy period is known"
    has_jitter = any(task["jitter_ns"] for task in tasks)
    late, tex_late = ("(t + J)", "t + J_j") if has_jitter else ("t", "t")
    more, tex_more = (" + J", " + J_j") if has_jitter else ("", "")
    formula = f"t(d) = sum of min(⌈{late}/T⌉, ⌊(d - D{more})/T⌋ + 1) C; R = max over d of t(d) - (d - D)"
    tex_formula = (
        f"t(d) = \\sum_j \\min\\left(\\left\\lceil \\frac{{{tex_late}}}{{T_j}} \\right\\rceil,\\,"
        f" \\left\\lfloor \\frac{{d - D_j{tex_more}}}{{T_j}} \\right\\rfloor + 1\\right) C_j,"
        " \\quad R_i = \\max_d \\left(t(d) - (d - D_i)\\right)"
    )
    groups = [group for group in (busy, swept, slowest) if group.lines]
    return Computation(head, holds, formula, tex_formula, number.unit, "; ".join(given), groups)


def _slowest(found: SweptResponses, number: Times) -> list[Line]:
    """Returns how the bound of each task follows from the deadline of its slowest job."""
    done = {one["due_ns"]: one["done_ns"] for one in found["visited"]}
    lines = []
    for task in found["tasks"]:
        bound, due = task["bound_ns"], task["due_ns"]
        if bound is None:
            continue
        own = number(task["relative_deadline_ns"])
        if due is None:
            jitter = f" + {number(task['jitter_ns'])}" if task["jitter_ns"] else ""
            text = f"{number(task['cost_ns'])}{jitter}"
        elif due in done:
            text = f"{number(done[due])} - ({number(due)} - {own})"
        else:
            text = f"t({number(due)}) - ({number(due)} - {own})"
        word, relation = ("at most", "\\le") if bound <= task["relative_deadline_ns"] else ("above", ">")
        compared, tex = f"{word} D = {own}", f"{relation} {own}"
        lines.append(Line("R", "R", [Part(text, text, number(bound), task["name"])], number(bound), compared, tex))
    return lines
