"""Computations of tests in a terminal: the result of each first, then its formula, then its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TypeVar

from schedlab.base.words import count
from schedlab.cli.shared.screen import Styled, letter, say
from schedlab.core.analysis import Analysis, Verdict
from schedlab.core.conventions import conventions
from schedlab.core.steps import Computation, Group, Line, computations

#: Largest numbers of computations of a test, of groups and of lines that are printed; of more groups and lines the
#: first and the last, of more computations those that do not hold before others. Blocking is counted apart.
MOST_COMPUTATIONS, MOST_GROUPS, MOST_LINES = 20, 10, 16

T = TypeVar("T")

#: Letters of formulas, and what stands for them where the output has none.
_PLAIN = {"⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "·": "*", "λ": "lambda"}


def print_steps(analysis: Analysis) -> None:
    """Prints each test's answer with its computation, or its reason alone, which says the numbers that decided."""
    for verdict in sorted(analysis.verdicts, key=_rank):
        colour = {"schedulable": "green", "unschedulable": "red", "unknown": "yellow"}[verdict.answer]
        is_soft = (verdict.kind, verdict.answer) == ("soft", "schedulable")
        answer = "tardiness bounded" if is_soft else verdict.answer
        say(Styled(answer, colour, f" by {verdict.test}: {verdict.reason}"), indent="    ")
        for line in conventions(verdict):
            say(f"  {line}", indent="    ")
        _print_computations(verdict, by_cluster=analysis.has_clusters)


def _rank(verdict: Verdict) -> tuple[int, bool]:
    """Returns the place of a test: those that decide come first, and of those with one answer the ones with steps."""
    return ("unschedulable", "schedulable", "unknown").index(verdict.answer), verdict.steps is None


def _print_computations(verdict: Verdict, *, by_cluster: bool) -> None:
    if verdict.steps is None:
        if verdict.answer == "schedulable" and verdict.response_time_bounds_ns is not None:
            say("  its steps are not shown; the bounds in the table are those that it found", indent="    ")
        return
    found = computations(verdict.steps, by_cluster=by_cluster)
    for is_part, rows in groupby(found, key=lambda one: one.is_part):
        _print_most(list(rows), "blocking sum" if is_part else "computation")
    if verdict.steps["is_cut"]:
        say("    ... and more that were not recorded: --task NAME", indent="    ")


def _print_most(found: list[Computation], what: str) -> None:
    """Prints those of `found` that do not hold, then the last and the first ones, in their order and up to the most."""
    last = len(found) - 1
    ranked = sorted(range(len(found)), key=lambda place: (found[place].holds is not False, place != last, place))
    before = -1
    for place in sorted(ranked[:MOST_COMPUTATIONS]):
        _print_hidden(place - before - 1, what)
        _print_computation(found[place])
        before = place
    _print_hidden(last - before, what)


def _print_hidden(hidden: int, what: str) -> None:
    if hidden:
        say(f"    ... {count(hidden, what)} more: --task NAME, --json", indent="    ")


def _print_computation(one: Computation) -> None:
    say(_plain(f"  {one.head}"), indent="    ")
    say(_plain(f"    {one.formula}"), indent="      ")
    if one.given:
        say(_plain(f"    {one.given}"), indent="      ")
    shown, hidden = _first_and_last(one.groups, MOST_GROUPS, one.left_out)
    for index, group in enumerate(shown):
        if hidden and index == len(shown) - 1:
            say(f"    ... {hidden} more: --json")
        _print_group(group, one.unit)


def _print_group(group: Group, unit: str) -> None:
    if group.title:
        say(_plain(f"    {group.title}"))
    shown, hidden = _first_and_last(group.lines, MOST_LINES, group.left_out)
    for index, line in enumerate(shown):
        if hidden and index == len(shown) - 1:
            say(f"    ... {hidden} more: --json")
        say(_plain(f"    {_line(line, unit)}"), indent="      ")
    if group.result:
        say(_plain(f"    {group.result}"), indent="      ")


def _first_and_last(rows: Sequence[T], most: int, left_out: int) -> tuple[list[T], int]:
    """Returns the first of `rows` and the last, and how many are hidden before the last, those `left_out` included."""
    hidden = max(len(rows) - most, 0) + left_out
    return ([*rows[: most - 1], rows[-1]] if len(rows) > most else list(rows)), hidden


def _line(line: Line, unit: str) -> str:
    """Returns a line as an equation: the terms with whose they are, their values, and the sum."""
    sign = " · " if line.is_product else " + "
    parts = [f"{part.text} [{part.whose}]" if part.whose else part.text for part in line.parts]
    if not line.value:
        return f"{line.name}: {', '.join(parts)}; {line.compared}"
    sides = [line.name]
    if parts:
        sides.append(sign.join(parts))
    values = sign.join(part.value for part in line.parts)
    if len(parts) > 1 or (parts and line.parts[0].text != values and values != line.value):
        sides.append(values)
    if not parts or len(parts) > 1 or line.parts[0].text != line.value:
        sides.append(line.value)
    told = " = ".join(sides) + (f" {unit}" if unit else "")
    return f"{told}{',' if line.compared[:1].isalpha() else ''} {line.compared}".rstrip()


def _plain(text: str) -> str:
    """Returns `text`, with letters that the output has."""
    for fine, plain in _PLAIN.items():
        text = text.replace(fine, letter(fine, plain))
    return text
