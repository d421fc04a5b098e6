"""Demand at the deadlines that a test visits."""

from __future__ import annotations

from schedlab.base.durations import duration
from schedlab.core.steps.lines import Computation, Group, Line, Part, Times
from schedlab.outputs.results import ExaminedDemand


def of_demand(found: ExaminedDemand) -> Computation:
    tasks = found["tasks"]
    times = [time for task in tasks for time in (task["cost_ns"], task["period_ns"], task["window_ns"])]
    number = Times([*times, *(one["blocking_ns"] for one in found["visited"])])
    blocked = any(one["blocking_ns"] for one in found["visited"])
    lines = []
    for index, one in enumerate(found["visited"]):
        place = index + 1 + (found["left_out"] if index == len(found["visited"]) - 1 else 0)
        within, demand = one["within_ns"], one["demand_ns"]
        parts = [
            Part(f"{term['jobs']}·{number(task['cost_ns'])}", f"{term['jobs']} \\cdot {number(task['cost_ns'])}",
                 number(term["work_ns"]), task["name"])
            for task, term in zip(tasks, one["terms"], strict=bool(one["terms"]))
            if term["jobs"]
        ]  # fmt: skip
        if one["blocking_ns"]:
            blocking = number(one["blocking_ns"])
            parts.append(Part(blocking, blocking, blocking, "blocking"))
        word, relation = ("above", ">") if demand > within else ("at most", "\\le")
        compared = f"{word} t{place} = {number(within)}"
        tex = f"{relation} t_{{{place}}} = {number(within)}"
        lines.append(Line(f"h(t{place})", f"h(t_{{{place}}})", parts, number(demand), compared, tex))
    last = found["visited"][-1] if found["visited"] else None
    head, holds = _examined(found, last is not None)
    if last is not None and found["result"] == "exceeds":
        head = f"within {duration(last['within_ns'])}, {duration(last['demand_ns'])} of work may be due"
    limit = found["limit_ns"]
    matters = min(f"below {number(limit)}", f"at most {number(max(limit - 1, 0))}", key=len)
    given = [f"times in {number.unit}; every deadline that matters is {matters}; {_limits(found, number)}"]
    if blocked:
        given.append("b(t) is the longest section of a task with D > t that may block one with D <= t")
    if any(one["terms"] for one in found["visited"]):
        given.append(
            "t falls to h(t), or to the deadline before t if both are equal, until h(t) is at most the least D"
        )
    for task in tasks:
        cost, due, period = (number(time) for time in (task["cost_ns"], task["window_ns"], task["period_ns"]))
        given.append(f"{task['name']}: C {cost}, D {due}, T {period}")
    b, tex_b = (" + b(t)", " + b(t)") if blocked else ("", "")
    formula = f"h(t) = sum over tasks with D <= t of (⌊(t - D)/T⌋ + 1) C{b}"
    tex_formula = (
        "h(t) = \\sum_{D_i \\le t} \\left(\\left\\lfloor \\frac{t - D_i}{T_i} \\right\\rfloor + 1\\right) C_i" + tex_b
    )
    result = "the test ends with the first demand that does not fit" if found["result"] == "exceeds" else ""
    groups = [Group(lines, result=result, left_out=found["left_out"])]
    return Computation(head, holds, formula, tex_formula, number.unit, "; ".join(given), groups)


def _examined(found: ExaminedDemand, any_visited: bool) -> tuple[str, bool | None]:
    """Returns the result of an examination of demand as text, and whether the demand fits."""
    visited = len(found["visited"]) + found["left_out"]
    if found["result"] == "spent":
        return f"the budget was spent after {visited} length{'s' * (visited != 1)}", None
    looked = f"at {visited} length{'s' * (visited != 1)} that the test visits" if any_visited else "at any deadline"
    return f"the demand exceeds no interval, {looked}", found["result"] == "fits"


def _limits(found: ExaminedDemand, number: Times) -> str:
    """Returns the lengths L_a and L_b as text, and which of them limits the examination."""
    limit, slack, busy = found["limit_ns"], found["limit_from_slack_ns"], found["busy_period_ns"]
    own = "L_a is unlimited" if slack is None else f"L_a = {number(slack)}{' limits' * (slack == limit)}"
    limits = " limits" * (busy == limit and slack != limit)
    # The busy period is sought no further than L_a.
    other = "L_b is longer" if busy is None else f"L_b = {number(busy)}{limits}"
    last = "" if limit in (slack, busy) else "; the longest D limits"
    return f"{own}, {other}{last}"
