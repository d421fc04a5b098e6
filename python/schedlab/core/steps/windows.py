"""Fixed points of response-time analysis, window by window."""

from __future__ import annotations

from collections.abc import Sequence

from schedlab.base.durations import duration
from schedlab.core.steps.lines import Computation, Group, Line, Part, Times, fraction
from schedlab.outputs.results import BusyWindow, EarlierTask, IteratedResponse, JobsTerm, SweptTask, WindowIterate


def of_response(found: IteratedResponse) -> Computation:
    """Returns the fixed points from which the bound on a task's response time follows."""
    number = _times(found)
    own = [("C", found["cost_ns"]), ("B", found["blocking_ns"]), ("J", found["jitter_ns"]), ("T", found["period_ns"])]
    given = [f"times in {number.unit}: {', '.join(f'{name} = {number(time)}' for name, time in own if time)}"]
    if found["window"] == "until_begin" and found["blocking_ns"]:
        given.append("B is the longest cost below, less the nanosecond for which it has executed")
    given += [_earlier(task, number) for task in found["before"]]
    several = len(found["windows"]) > 1
    formula, tex_formula = _formula(found, several)
    groups = [_window(found, window, number, several=several) for window in found["windows"]]
    busy = busy_lines(found["busy"], found["busy_left_out"], found["before"], [found], number,
                      found["blocking_ns"])  # fmt: skip
    if busy:
        jobs = len(found["windows"]) + found["left_out"]
        result = f"it has {jobs} job{'s' * (jobs != 1)} of {found['name']}" if jobs else ""
        groups.insert(0, Group(busy, "the busy period", result, found["busy_left_out"]))
    head, holds = _head(found, number)
    return Computation(
        head, holds, formula, tex_formula, number.unit, "; ".join(given), groups, left_out=found["left_out"]
    )


def _times(found: IteratedResponse) -> Times:
    others = [time for task in found["before"] for time in (task["cost_ns"], task["period_ns"], task["jitter_ns"])]
    own = [found["relative_deadline_ns"], found["cost_ns"], found["jitter_ns"], found["period_ns"]]
    # A job that is not preempted has begun a nanosecond before: its rest is no round number.
    blocking = [] if found["window"] == "until_begin" else [found["blocking_ns"]]
    return Times([*own, *blocking, *others])


def _head(found: IteratedResponse, number: Times) -> tuple[str, bool]:
    """Returns the bound in a sentence, and whether it is within the deadline."""
    bound, due = found["bound_ns"], found["relative_deadline_ns"]
    choice = {"suspension_as_jitter": ", suspension as jitter", "suspension_by_rule": ", by the linear rule"}
    which = choice.get(found["window"], "")
    if bound is None:
        if which:
            return f"{found['name']}{which}: not bounded within its period of {duration(found['period_ns'])}", False
        return f"{found['name']} is not bounded within its deadline of {duration(due)}", False
    word = "responds within" if bound <= due else "may take"
    told = f"{number(bound)} {number.unit}, its deadline is {number(due)} {number.unit}"
    return f"{found['name']}{f'{which}:' if which else ''} {word} {told}", bound <= due


def _earlier(task: EarlierTask, number: Times) -> str:
    """Returns the times of a task that goes before, with what they consist of."""
    told = f"{task['name']}: C {number(task['cost_ns'])}"
    if task["spinning_ns"]:
        told += f" ({number(task['spinning_ns'])} of it spinning)"
    told += f", T {number(task['period_ns'])}"
    if task["jitter_cause"] == "suspension":
        below, carried = task["below_ns"] or 0, task["carried_ns"] or 0
        parts = [*([f"Q {number(below)}"] if below else []), *([f"R - C {number(carried)}"] if carried else [])]
        return told + (f", J {number(task['jitter_ns'])} ({', '.join(parts)})" if parts else "")
    carried_in = " (R - C)" if task["jitter_cause"] == "carry_in" else ""
    return told + (f", J {number(task['jitter_ns'])}{carried_in}" if task["jitter_ns"] else "")


def _formula(found: IteratedResponse, several: bool) -> tuple[str, str]:
    """Returns the recurrence with the letters that matter, as text and as LaTeX."""
    is_begin = found["window"] == "until_begin"
    letters = ["B"] if found["blocking_ns"] else []
    if not is_begin:
        letters.append("q C" if several else "C")
    elif several:
        letters.append("(q - 1) C")
    own = " + ".join(letters)
    if not found["before"]:
        return f"w = {own or 0}", f"w = {own or 0}"
    own = f"{own} + " if own else ""
    jitter = any(task["jitter_ns"] for task in found["before"])
    late, tex_late = ("(w + J)", "w + J_j") if jitter else ("w", "w")
    if is_begin:
        text = f"w = {own}sum over tasks before it of (⌊{late}/T⌋ + 1) C"
        tex = f"\\left(\\left\\lfloor \\frac{{{tex_late}}}{{T_j}} \\right\\rfloor + 1\\right)"
    else:
        text = f"w = {own}sum over tasks before it of ⌈{late}/T⌉ C"
        tex = f"\\left\\lceil \\frac{{{tex_late}}}{{T_j}} \\right\\rceil"
    return text, f"w = {own}\\sum_{{j}} {tex} C_j"


def busy_lines(
    turns: Sequence[WindowIterate],
    left_out: int,
    before: Sequence[EarlierTask | SweptTask],
    own: Sequence[IteratedResponse],
    number: Times,
    blocking: int = 0,
) -> list[Line]:
    """Returns the turns that find a busy period of tasks, those of `own` last, which begins with `blocking`."""
    tasks = [
        (one["jitter_ns"], one["period_ns"], one["cost_ns"], one["name"]) for one in (*before, *own)
    ]  # fmt: skip
    first = [Part(number(blocking), number(blocking), number(blocking), "blocking")] if blocking else []
    if not turns:
        return []
    at_once = [Part(number(cost), number(cost), number(cost), name) for _, _, cost, name in tasks]
    lines = [Line("L0", "L^{(0)}", [*first, *at_once], number(turns[0]["window_ns"]))]
    for index, turn in enumerate(turns):
        place = index + 1 + (left_out if index == len(turns) - 1 else 0)
        parts = [
            _interference(turn["window_ns"], jitter, period, cost, name, term, number)
            for (jitter, period, cost, name), term in zip(tasks, turn["terms"], strict=True)
        ]
        lines.append(_turn("L", place, [*first, *parts], turn, number))
    return lines


def _turn(letter: str, place: int, parts: Sequence[Part], turn: WindowIterate, number: Times) -> Line:
    """Returns a turn of an iteration, and that its value is the one before if it is."""
    is_fixed = turn["next_ns"] <= turn["window_ns"]
    compared, tex = (f"= {letter}{place - 1}", f"= {letter}^{{({place - 1})}}") if is_fixed else ("", "")
    return Line(f"{letter}{place}", f"{letter}^{{({place})}}", parts, number(turn["next_ns"]), compared, tex)


def _window(found: IteratedResponse, window: BusyWindow, number: Times, *, several: bool) -> Group:
    """Returns the iterates of the window of the first jobs."""
    own = _own(found, window, number)
    turns = window["iterates"]
    lines = []
    if not turns and window["own_jobs"] == 1:
        lines.append(Line("w0", "w^{(0)}", own, number(window["own_ns"])))
    if turns:
        lines.append(Line("w0", "w^{(0)}", _first(turns[0]["window_ns"], own, found, window, number),
                          number(turns[0]["window_ns"])))  # fmt: skip
    until_begin = found["window"] == "until_begin"
    for index, turn in enumerate(turns):
        # Where turns are left out, the last has a later number.
        place = index + 1 + (window["left_out"] if index == len(turns) - 1 else 0)
        parts = [
            _interference(turn["window_ns"], task["jitter_ns"], task["period_ns"], task["cost_ns"], task["name"],
                          term, number, until_begin=until_begin)
            for task, term in zip(found["before"], turn["terms"], strict=True)
        ]  # fmt: skip
        lines.append(_turn("w", place, [*own, *parts], turn, number))
    jobs = window["own_jobs"]
    title = f"job {jobs} of the busy window: q = {jobs}" if several else ""
    return Group(lines, title, _responded(found, window, number), window["left_out"])


def _own(found: IteratedResponse, window: BusyWindow, number: Times) -> list[Part]:
    """Returns blocking and own jobs: until a job begins, only those before it."""
    jobs = window["own_jobs"] - (found["window"] == "until_begin")
    cost = number(found["cost_ns"])
    own = []
    if found["blocking_ns"]:
        blocking = number(found["blocking_ns"])
        own.append(Part(blocking, blocking, blocking, "blocking"))
    if jobs == 1:
        own.append(Part(cost, cost, cost))
    elif jobs:
        own.append(Part(f"{jobs}·{cost}", f"{jobs} \\cdot {cost}", number(window["own_ns"] - found["blocking_ns"])))
    return own


def _first(
    first: int, own: Sequence[Part], found: IteratedResponse, window: BusyWindow, number: Times
) -> Sequence[Part]:
    """Returns the parts of the length with which an iteration begins: the own work, or the job before and its cost."""
    if first == window["own_ns"]:
        return own
    before = [one["iterates"][-1] for one in found["windows"] if one["own_jobs"] == window["own_jobs"] - 1]
    if found["window"] == "until_begin":
        is_begin = bool(before) and before[0]["window_ns"] == first
        return [Part(number(first), number(first), number(first), "begin of the job before")] if is_begin else ()
    if not before or before[0]["window_ns"] + found["cost_ns"] != first:
        return ()
    parts = [(number(before[0]["window_ns"]), "until the job before"), (number(found["cost_ns"]), "")]
    return [Part(time, time, time, whose) for time, whose in parts]


def _interference(
    window: int,
    jitter: int,
    period: int,
    cost: int,
    name: str,
    term: JobsTerm,
    number: Times,
    *,
    until_begin: bool = False,
) -> Part:
    """Returns the interference of a task's jobs within a window, or of those released until its end and at it."""
    late = f"({number(window)} + {number(jitter)})" if jitter else number(window)
    tex_late = f"{number(window)} + {number(jitter)}" if jitter else number(window)
    quotient = fraction(tex_late, number(period))
    if until_begin:
        tex = f"\\left(\\left\\lfloor {quotient} \\right\\rfloor + 1\\right) {number(cost)}"
        return Part(f"(⌊{late}/{number(period)}⌋ + 1)·{number(cost)}", tex, number(term["work_ns"]), name)
    tex = f"\\left\\lceil {quotient} \\right\\rceil {number(cost)}"
    return Part(f"⌈{late}/{number(period)}⌉·{number(cost)}", tex, number(term["work_ns"]), name)


def _responded(found: IteratedResponse, window: BusyWindow, number: Times) -> str:
    """Returns, as text, how the response time follows from the fixed point."""
    response = window["response_ns"]
    if response is None:
        is_aware = found["window"] in ("suspension_as_jitter", "suspension_by_rule")
        name, limit = ("period", found["period_ns"]) if is_aware else ("deadline", found["relative_deadline_ns"])
        return f"beyond the {name} of {number(limit)} {number.unit}: no fixed point is sought"
    earlier = window["own_jobs"] - 1
    letters, parts = ["w"], [number(window["iterates"][-1]["window_ns"])]
    if found["window"] == "until_begin":
        letters.append("+ C")
        parts.append(f"+ {number(found['cost_ns'])}")
    if found["jitter_ns"]:
        letters.append("+ J")
        parts.append(f"+ {number(found['jitter_ns'])}")
    if earlier:
        letters.append("- (q - 1) T")
        parts.append(f"- {earlier}·{number(found['period_ns'])}")
    told = f"{' '.join(parts)} = {number(response)}" if len(parts) > 1 else parts[0]
    return f"R = {' '.join(letters)} = {told} {number.unit}"
