"""Sums that a test compares with a bound: of utilizations, of shares of a time, of work."""

from __future__ import annotations

from schedlab.core.steps.lines import Computation, Group, Line, Part, Times, fraction, tex_text
from schedlab.outputs.results import ComparedLoad, ComparedSum, ComparedWork, FoundSlack, LoadTerm, SumTerm


def _percent(term: SumTerm, number: Times) -> Part:
    cost, over = term["cost_ns"], term["over_ns"]
    if cost is None or over is None:
        exact = term["exact"]
        tex = exact if exact is None or "/" not in exact else fraction(*exact.split("/"))
        return Part(exact or term["text"], tex or tex_text(term["text"]), term["text"], term["name"])
    return Part(f"{number(cost)}/{number(over)}", fraction(number(cost), number(over)), term["text"], term["name"])


def _successor(term: SumTerm, number: Times) -> Part:
    part = _percent(term, number)
    return Part(f"({part.text} + 1)", f"\\left({part.tex} + 1\\right)", f"{term['value'] + 1:.4g}", part.whose)


#: By kind of a sum: the name of the sum, and its formula as text and as LaTeX.
_SUMS = {
    "utilizations": ("U", "U = sum of C/T", "U = \\sum_i \\frac{C_i}{T_i}"),
    "densities": ("sum", "sum of C/D", "\\sum_i \\frac{C_i}{D_i}"),
    "successors": ("product", "product of (C/T + 1)", "\\prod_i \\left(\\frac{C_i}{T_i} + 1\\right)"),
}


def of_sum(found: ComparedSum) -> Computation:
    times = [time for term in found["terms"] for time in (term["cost_ns"], term["over_ns"]) if time is not None]
    number, kind = Times(times), found["kind"]
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
    head = f"the {'product' if is_product else 'sum'} {found['sum_text']} is {word} {bound}"
    formula += f"; times in {number.unit}" if times else ""
    return Computation(head, found["holds"], formula, tex_formula, "", groups=[Group([line])])


def of_work(found: ComparedWork) -> Computation:
    terms = found["terms"]
    costs = [time for term in terms for time in (term["cost_ns"], term["carried_ns"])]
    number = Times([found["within_ns"], found["cap_ns"], found["room_ns"], *costs])
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


def of_load(found: ComparedLoad) -> Computation:
    """Returns Baker's sum of shares of the time before a deadline, each share with its times."""
    terms = found["terms"]
    times = [time for term in terms for time in (term["cost_ns"], term["period_ns"], term["relative_deadline_ns"])]
    number = Times([found["cost_ns"], found["relative_deadline_ns"], *times])
    cost, due = number(found["cost_ns"]), number(found["relative_deadline_ns"])
    ratio = f"{cost}/{due}", fraction(cost, due)
    lines = [_share(term, due, ratio, number) for term in terms]
    word, relation = ("at most", "\\le") if found["holds"] else ("above", ">")
    bound = found["bound_text"]
    parts = [Part(*_exact(term), term["text"], term["name"]) for term in terms]
    compared, tex = f"{word} {bound}", f"{relation} {tex_text(bound)}"
    lines.append(Line("sum", "\\text{sum}", parts, found["sum_text"], compared, tex))
    formula = "sum of min(1, b), b = (C/T (D_k + T - D) + max(0, C - λ T))/D_k"
    tex_formula = (
        "\\sum_i \\min\\left(1, \\frac{1}{D_k} \\left(\\frac{C_i}{T_i} (D_k + T_i - D_i)"
        " + \\max(0,\\, C_i - \\lambda T_i)\\right)\\right), \\quad \\lambda = \\frac{C_k}{D_k}"
    )
    told = f"the sum {found['sum_text']} is {word} {bound} = {found['bound_formula']}"
    head = f"before a deadline of {found['name']}: {told}"
    given = f"times in {number.unit}; C_k = {cost}, D_k = {due}, λ = {ratio[0]}"
    return Computation(head, found["holds"], formula, tex_formula, "", given, [Group(lines)])


def _exact(term: LoadTerm) -> tuple[str, str]:
    """Returns a share as text and as LaTeX."""
    exact = term["exact"]
    if exact is None:
        return term["text"], tex_text(term["text"])
    return exact, fraction(*exact.split("/")) if "/" in exact else exact


def _share(term: LoadTerm, due: str, ratio: tuple[str, str], number: Times) -> Line:
    """Returns the share of a task, from its times; `ratio` is λ as text and as LaTeX."""
    cost, period, own = (number(term[name]) for name in ("cost_ns", "period_ns", "relative_deadline_ns"))
    text = f"min(1, ({cost}/{period}·({due} + {period} - {own}) + max(0, {cost} - {ratio[0]}·{period}))/{due})"
    tex = (
        f"\\min\\left(1, \\frac{{1}}{{{due}}} \\left({fraction(cost, period)} ({due} + {period} - {own})"
        f" + \\max\\left(0, {cost} - {ratio[1]} \\cdot {period}\\right)\\right)\\right)"
    )
    value = _exact(term)[0]
    return Line("share", "\\text{share}", [Part(text, tex, value, term["name"])], value)


def of_slack(found: FoundSlack) -> Computation:
    """Returns the slack that a round of an iteration finds for a task."""
    terms = found["terms"]
    times = [time for term in terms for time in (term["cost_ns"], term["period_ns"])]
    number = Times([found["within_ns"], found["room_ns"], *times])
    within, room, cap = number(found["within_ns"]), number(found["room_ns"]), number(found["room_ns"] + 1)
    parts = []
    for term in terms:
        jobs, cost, carried = term["jobs"], number(term["cost_ns"]), number(term["carried_ns"])
        tex = f"\\min({jobs} \\cdot {cost} + {carried},\\, {cap})"
        parts.append(Part(f"min({jobs}·{cost} + {carried}, {cap})", tex, number(term["counted_ns"]), term["name"]))
    delay, slack = number(found["delay_ns"]), found["slack_ns"]
    compared = f"on {found['processors']} processors a delay of {delay}, of {room}"
    line = Line("sum", "\\text{sum}", parts, number(found["sum_ns"]), compared, f",\\ \\text{{{compared}}}")
    told = "it may be late" if slack is None else f"it completes {number(slack)} {number.unit} before"
    head = f"round {found['round']}: before a deadline of {found['name']}, {told}"
    given = [f"times in {number.unit}; D_k = {within}, D_k - C_k = {room}"]
    for term in terms:
        known = f", s {number(term['slack_ns'])}" if term["slack_ns"] else ""
        given.append(f"{term['name']}: C {number(term['cost_ns'])}, T {number(term['period_ns'])}{known}")
    formula = (
        "delay = ⌊sum of min(N C + carried, D_k - C_k + 1 ns)/m⌋, N = ⌊D_k/T⌋, carried = min(C, max(0, D_k mod T - s))"
    )
    tex_formula = (
        "\\left\\lfloor \\frac{1}{m} \\sum_{i \\ne k} \\min\\left(N_i C_i"
        " + \\min(C_i, \\max(0, D_k \\bmod T_i - s_i)),\\, D_k - C_k + 1\\,\\text{ns}\\right) \\right\\rfloor,"
        " \\quad N_i = \\left\\lfloor \\frac{D_k}{T_i} \\right\\rfloor"
    )
    holds = slack is not None
    return Computation(head, holds, formula, tex_formula, number.unit, "; ".join(given), [Group([line])])
