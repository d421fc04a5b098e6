"""Computations of tests for readers: formulas with numbers, line by line, which text, pages and LaTeX show.

Every number comes from the test that decided (`schedlab.outputs.results.TestSteps`); only units are chosen here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from schedlab.base.durations import duration
from schedlab.outputs.results import (
    BusyWindow,
    ComparedSum,
    ComparedWork,
    ExaminedDemand,
    IteratedResponse,
    JobsTerm,
    SummedBlocking,
    SumTerm,
    TestSteps,
)

#: Units, the largest first.
_UNITS = (("s", 9), ("ms", 6), ("us", 3), ("ns", 0))

#: Digits behind the point of a time in a formula, and the least share of a unit that a time may be.
_DIGITS, _LEAST = 3, 0.1


@dataclass(frozen=True)
class Part:
    """A term of a sum or product: as text, as LaTeX, its value, and whose it is."""

    text: str
    tex: str
    value: str
    whose: str = ""


@dataclass(frozen=True)
class Line:
    """A quantity with its parts and its value."""

    name: str
    tex_name: str
    parts: Sequence[Part]
    value: str
    #: What the value is compared with, such as "at most 20", and the same as LaTeX.
    compared: str = ""
    tex_compared: str = ""
    #: True if the parts are multiplied.
    is_product: bool = False


@dataclass(frozen=True)
class Group:
    """Lines that belong together, such as the iterates of one window."""

    lines: Sequence[Line]
    title: str = ""
    #: The result of these lines.
    result: str = ""
    #: Number of lines that are left out before the last, beyond those that a reader of `lines` may leave out.
    left_out: int = 0


@dataclass(frozen=True)
class Computation:
    """A computation of a test."""

    #: The result in a sentence.
    head: str
    #: Whether the condition holds; None if nothing is compared.
    holds: bool | None
    #: The formula in letters, as text and as LaTeX.
    formula: str
    tex_formula: str
    #: Unit of all times in the lines; empty if they are no times.
    unit: str
    #: Numbers that the letters stand for.
    given: str = ""
    groups: Sequence[Group] = field(default_factory=tuple)
    #: Number of groups that are left out before the last.
    left_out: int = 0
    #: True if others have its result as a part, as bounds on response times have blocking.
    is_part: bool = False


def computations(steps: TestSteps, *, by_cluster: bool = False) -> list[Computation]:
    """Returns a test's computations in the order in which a reader needs them, with their clusters if asked."""
    ends = bool(steps["blocking"])
    found = [
        *((one["cluster"], _sum(one)) for one in steps["sums"]),
        *((one["cluster"], _work(one)) for one in steps["works"]),
        *((one["cluster"], _blocking(one)) for one in steps["blocking"]),
        *((one["cluster"], _response(one, ends=ends)) for one in steps["responses"]),
        *((one["cluster"], _demand(one)) for one in steps["demands"]),
    ]
    return [replace(one, head=f"cluster {cluster}: {one.head}") if by_cluster else one for cluster, one in found]


class _Times:
    """Times as numbers of one unit: the largest in which none has many digits."""

    def __init__(self, given: Iterable[int]) -> None:
        times = [time for time in given if time]
        fits = (
            (unit, power)
            for unit, power in _UNITS
            if all(time >= _LEAST * 10**power and time % 10 ** max(power - _DIGITS, 0) == 0 for time in times)
        )
        self.unit, self._power = next(fits, _UNITS[-1])

    def __call__(self, ns: int) -> str:
        """Returns a time as an exact number without its unit."""
        whole, rest = divmod(ns, 10**self._power)
        behind = f"{rest:0{self._power}d}".rstrip("0") if rest else ""
        return f"{whole}.{behind}" if behind else str(whole)


def _percent(term: SumTerm, number: _Times) -> Part:
    cost, over = term["cost_ns"], term["over_ns"]
    if cost is None or over is None:
        exact = term["exact"]
        tex = exact if exact is None or "/" not in exact else _fraction(*exact.split("/"))
        return Part(exact or term["text"], tex or tex_text(term["text"]), term["text"], term["name"])
    return Part(f"{number(cost)}/{number(over)}", _fraction(number(cost), number(over)), term["text"], term["name"])


def _fraction(above: str, below: str) -> str:
    """Returns a fraction as LaTeX."""
    return f"\\frac{{{above}}}{{{below}}}"


def _successor(term: SumTerm, number: _Times) -> Part:
    part = _percent(term, number)
    return Part(f"({part.text} + 1)", f"\\left({part.tex} + 1\\right)", f"{term['value'] + 1:.4g}", part.whose)


#: By kind of a sum: the name of the sum, and its formula as text and as LaTeX.
_SUMS = {
    "utilizations": ("U", "U = sum of C/T", "U = \\sum_i \\frac{C_i}{T_i}"),
    "densities": ("sum", "sum of C/D", "\\sum_i \\frac{C_i}{D_i}"),
    "successors": ("product", "product of (C/T + 1)", "\\prod_i \\left(\\frac{C_i}{T_i} + 1\\right)"),
    "loads": (
        "sum",
        "sum of min(1, b), b = C/T (1 + (T - D)/D_k) + max(0, C - T C_k/D_k)/D_k",
        "\\sum_i \\min\\left(1, \\frac{C_i}{T_i}\\left(1 + \\frac{T_i - D_i}{D_k}\\right)"
        " + \\frac{\\max(0,\\, C_i - T_i C_k / D_k)}{D_k}\\right)",
    ),
}


def _sum(found: ComparedSum) -> Computation:
    times = [time for term in found["terms"] for time in (term["cost_ns"], term["over_ns"]) if time is not None]
    number, kind = _Times(times), found["kind"]
    name, formula, tex_formula = _SUMS[kind]
    is_product = kind == "successors"
    part = _successor if is_product else _percent
    word = "at most" if found["holds"] else "above"
    relation = "\\le" if found["holds"] else ">"
    letters = found["bound_formula"]
    # A bound that is a number needs no formula.
    bound = found["bound_text"] + ("" if letters.isdigit() else f" = {letters}")
    line = Line(
        name,
        "U" if name == "U" else f"\\text{{{name}}}",
        [part(term, number) for term in found["terms"]],
        found["sum_text"],
        f"{word} {found['bound_text']}",
        f"{relation} {tex_text(found['bound_text'])}",
        is_product,
    )
    whose = "" if found["name"] is None else f"before a deadline of {found['name']}: "
    head = f"{whose}the {'product' if is_product else 'sum'} {found['sum_text']} is {word} {bound}"
    formula += f"; times in {number.unit}" if times else ""
    return Computation(head, found["holds"], formula, tex_formula, "", groups=[Group([line])])


def _work(found: ComparedWork) -> Computation:
    terms = found["terms"]
    costs = [time for term in terms for time in (term["cost_ns"], term["carried_ns"])]
    number = _Times([found["within_ns"], found["cap_ns"], found["room_ns"], *costs])
    cap, room = number(found["cap_ns"]), number(found["room_ns"])
    parts = []
    for term in terms:
        jobs, cost, carried = term["jobs"], number(term["cost_ns"]), number(term["carried_ns"])
        tex = f"\\min({jobs} \\cdot {cost} + {carried},\\, {cap})"
        parts.append(Part(f"min({jobs}·{cost} + {carried}, {cap})", tex, number(term["counted_ns"]), term["name"]))
    word, relation = _compared(found)
    compared = f"{word} {found['processors']}·{cap} = {room}"
    tex = f"{relation} {found['processors']} \\cdot {cap} = {room}"
    line = Line("sum", "\\text{sum}", parts, number(found["sum_ns"]), compared, tex)
    equal = ""
    if found["sum_ns"] == found["room_ns"]:
        whose = "some" if found["may_be_equal"] else "no"
        enough = "is enough" if found["holds"] else "is too much"
        equal = f", which {enough}: {whose} task's work is positive and not cut"
    head = (
        f"before a deadline of {found['name']}, {number(found['sum_ns'])} {number.unit} of the others' work count, "
        f"{word} the room of {room} {number.unit}{equal}"
    )
    given = f"times in {number.unit}; D_k = {number(found['within_ns'])}, D_k - C_k = {cap}"
    formula = "sum of min(N C + carried, D_k - C_k) < m (D_k - C_k), N = ⌊(D_k - D)/T⌋ + 1"
    tex_formula = (
        "\\sum_{i \\ne k} \\min\\left(N_i C_i + \\min(C_i, \\max(0, D_k - N_i T_i)),\\, D_k - C_k\\right)"
        " < m (D_k - C_k), \\quad N_i = \\left\\lfloor \\frac{D_k - D_i}{T_i} \\right\\rfloor + 1"
    )
    return Computation(head, found["holds"], formula, tex_formula, number.unit, given, [Group([line])])


def _compared(found: ComparedWork) -> tuple[str, str]:
    """Returns how the sum compares with the room, as text and as LaTeX."""
    if found["sum_ns"] == found["room_ns"]:
        return "equal to", "="
    return ("below", "<") if found["sum_ns"] < found["room_ns"] else ("above", ">")


#: Reason why the sum by task stands where textbooks take the minimum of two sums.
_NOT_BY_RESOURCE = (
    "; the sum by resource bounds nothing here: a lock that goes to a waiting job at once may block twice"
)


def _blocking(found: SummedBlocking) -> Computation:
    number = _Times(term["length_ns"] for term in found["terms"])
    lines = []
    for resource in dict.fromkeys(term["resource"] for term in found["terms"]):
        of_it = [term for term in found["terms"] if term["resource"] == resource]
        parts = [Part(number(term["length_ns"]), number(term["length_ns"]), "", term["name"]) for term in of_it]
        counting = [f"{number(term['length_ns'])} of {term['name']}" for term in of_it if term["counts"]]
        told = f"counts: {', '.join(counting)}" if counting else "none counts"
        lines.append(Line(resource, f"\\text{{{tex_text(resource)}}}", parts, "", told, f"\\text{{{tex_text(told)}}}"))
    rule = {
        "longest": "B = the longest section of less urgent tasks that may block",
        "longest_of_each_task": "B = sum of the longest section of each less urgent task that may block",
    }[found["rule"]]
    result = f"B = {number(found['total_ns'])} {number.unit}" if found["terms"] else ""
    counted = sum(term["counts"] for term in found["terms"])
    if found["rule"] == "longest_of_each_task" and counted > 1:
        result += _NOT_BY_RESOURCE
    given = f"by resource, times in {number.unit}" if found["terms"] else "no section may block"
    head = f"{found['name']} is blocked for {duration(found['total_ns'])}"
    return Computation(
        head, None, rule, f"\\text{{{rule}}}", number.unit, given, [Group(lines, result=result)], is_part=True
    )


def _response(found: IteratedResponse, *, ends: bool) -> Computation:
    own = [("C", found["cost_ns"]), ("B", found["blocking_ns"]), ("J", found["jitter_ns"]), ("T", found["period_ns"])]
    before = found["before"]
    others = [time for task in before for time in (task["cost_ns"], task["period_ns"], task["jitter_ns"])]
    number = _Times([found["relative_deadline_ns"], *(time for _, time in own), *others])
    bound, due = found["bound_ns"], found["relative_deadline_ns"]
    if bound is None:
        head, holds = f"{found['name']} is not bounded within its deadline of {duration(due)}", False
    else:
        holds = bound <= due
        word = "responds within" if holds else "may take"
        head = f"{found['name']} {word} {number(bound)} {number.unit}, its deadline is {number(due)} {number.unit}"
    given = [f"times in {number.unit}: {', '.join(f'{name} = {number(time)}' for name, time in own if time)}"]
    for task in before:
        jitter = f", J {number(task['jitter_ns'])}" if task["jitter_ns"] else ""
        given.append(f"{task['name']}: C {number(task['cost_ns'])}, T {number(task['period_ns'])}{jitter}")
    several = len(found["windows"]) > 1
    has_jitter = any(task["jitter_ns"] for task in before)
    formula, tex_formula = _formula(several, bool(found["blocking_ns"]), has_jitter, bool(before))
    groups = [_window(found, window, number, several=several, ends=ends) for window in found["windows"]]
    return Computation(
        head, holds, formula, tex_formula, number.unit, "; ".join(given), groups, left_out=found["left_out"]
    )


def _formula(several: bool, blocked: bool, jitter: bool, before: bool) -> tuple[str, str]:
    """Returns the recurrence with the letters that matter, as text and as LaTeX."""
    own = f"{'B + ' if blocked else ''}{'q C' if several else 'C'}"
    if not before:
        return f"w = {own}", f"w = {own}"
    late, tex_late = ("(w + J)", "w + J_j") if jitter else ("w", "w")
    text = f"w = {own} + sum over tasks before it of ⌈{late}/T⌉ C"
    return text, f"w = {own} + \\sum_{{j}} \\left\\lceil \\frac{{{tex_late}}}{{T_j}} \\right\\rceil C_j"


def _window(found: IteratedResponse, window: BusyWindow, number: _Times, *, several: bool, ends: bool) -> Group:
    """Returns the iterates of the window of the first jobs."""
    jobs = window["own_jobs"]
    cost = number(found["cost_ns"])
    own = [Part(cost, cost, cost) if jobs == 1 else Part(f"{jobs}·{cost}", f"{jobs} \\cdot {cost}",
           number(window["own_ns"] - found["blocking_ns"]))]  # fmt: skip
    if found["blocking_ns"]:
        blocking = number(found["blocking_ns"])
        own.insert(0, Part(blocking, blocking, blocking, "blocking"))
    lines = []
    turns = window["iterates"]
    if not turns and jobs == 1:
        lines.append(Line("w0", "w^{(0)}", own, number(window["own_ns"])))
    if turns:
        lines.append(Line("w0", "w^{(0)}", _first(turns[0]["window_ns"], own, found, window, number),
                          number(turns[0]["window_ns"])))  # fmt: skip
    for index, turn in enumerate(turns):
        # Where turns are left out, the last has a later number.
        place = index + 1 + (window["left_out"] if index == len(turns) - 1 else 0)
        parts = [*own]
        for task, term in zip(found["before"], turn["terms"], strict=True):
            parts.append(_ceiling(turn["window_ns"], task["jitter_ns"], task["period_ns"], task["cost_ns"],
                                  task["name"], term, number))  # fmt: skip
        is_fixed = turn["next_ns"] <= turn["window_ns"]
        compared, tex = (f"= w{place - 1}", f"= w^{{({place - 1})}}") if is_fixed else ("", "")
        lines.append(Line(f"w{place}", f"w^{{({place})}}", parts, number(turn["next_ns"]), compared, tex))
    response = window["response_ns"]
    title = f"job {jobs} of the busy window: q = {jobs}" if several else ""
    return Group(lines, title, _responded(found, window, response, number, ends=ends), window["left_out"])


def _first(
    first: int, own: Sequence[Part], found: IteratedResponse, window: BusyWindow, number: _Times
) -> Sequence[Part]:
    """Returns the parts of the length with which an iteration begins: the own work, or the job before and its cost."""
    if first == window["own_ns"]:
        return own
    before = [one["iterates"][-1] for one in found["windows"] if one["own_jobs"] == window["own_jobs"] - 1]
    if not before or before[0]["window_ns"] + found["cost_ns"] != first:
        return ()
    parts = [(number(before[0]["window_ns"]), "until the job before"), (number(found["cost_ns"]), "")]
    return [Part(time, time, time, whose) for time, whose in parts]


def _ceiling(window: int, jitter: int, period: int, cost: int, name: str, term: JobsTerm, number: _Times) -> Part:
    """Returns the interference of a task's jobs within a window."""
    late = f"({number(window)} + {number(jitter)})" if jitter else number(window)
    tex_late = f"{number(window)} + {number(jitter)}" if jitter else number(window)
    tex = f"\\left\\lceil {_fraction(tex_late, number(period))} \\right\\rceil {number(cost)}"
    return Part(f"⌈{late}/{number(period)}⌉·{number(cost)}", tex, number(term["work_ns"]), name)


def _responded(found: IteratedResponse, window: BusyWindow, response: int | None, number: _Times, *, ends: bool) -> str:
    """Returns, as text, how the response time follows from the fixed point."""
    if response is None:
        told = f"beyond the deadline of {number(found['relative_deadline_ns'])} {number.unit}: no fixed point is sought"
        return told + ("; the test ends with the first task that fails" if ends else "")
    earlier = window["own_jobs"] - 1
    parts = [number(window["iterates"][-1]["window_ns"])]
    if found["jitter_ns"]:
        parts.append(f"+ {number(found['jitter_ns'])}")
    if earlier:
        parts.append(f"- {earlier}·{number(found['period_ns'])}")
    told = f"{' '.join(parts)} = {number(response)}" if len(parts) > 1 else parts[0]
    letters = "w" + (" + J" if found["jitter_ns"] else "") + (" - (q - 1) T" if earlier else "")
    return f"R = {letters} = {told} {number.unit}"


def _demand(found: ExaminedDemand) -> Computation:
    tasks = found["tasks"]
    times = [time for task in tasks for time in (task["cost_ns"], task["period_ns"], task["window_ns"])]
    number = _Times([*times, *(one["blocking_ns"] for one in found["visited"])])
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
    given = [f"times in {number.unit}; every deadline that matters is {matters}"]
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
    groups = [Group(lines, left_out=found["left_out"])]
    return Computation(head, holds, formula, tex_formula, number.unit, "; ".join(given), groups)


def _examined(found: ExaminedDemand, any_visited: bool) -> tuple[str, bool | None]:
    """Returns the result of an examination of demand as text, and whether the demand fits."""
    visited = len(found["visited"]) + found["left_out"]
    if found["result"] == "spent":
        return f"the budget was spent after {visited} length{'s' * (visited != 1)}", None
    looked = f"at {visited} length{'s' * (visited != 1)} that the test visits" if any_visited else "at any deadline"
    return f"the demand exceeds no interval, {looked}", found["result"] == "fits"


def tex_text(text: str) -> str:
    """Returns a text that LaTeX prints as it is."""
    names = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
    special = {one: f"\\text{name}{{}}" for one, name in names.items()}
    return "".join(special.get(one) or (f"\\{one}" if one in "&%$#_{}" else one) for one in text)
