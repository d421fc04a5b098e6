"""Lines with formulas and numbers, of which computations of tests consist: for texts, pages and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

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


class Times:
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
        if ns < 0:
            return f"-{self(-ns)}"
        whole, rest = divmod(ns, 10**self._power)
        behind = f"{rest:0{self._power}d}".rstrip("0") if rest else ""
        return f"{whole}.{behind}" if behind else str(whole)


def fraction(above: str, below: str) -> str:
    """Returns a fraction as LaTeX."""
    return f"\\frac{{{above}}}{{{below}}}"


def tex_text(text: str) -> str:
    """Returns a text that LaTeX prints as it is."""
    names = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
    special = {one: f"\\text{name}{{}}" for one, name in names.items()}
    return "".join(special.get(one) or (f"\\{one}" if one in "&%$#_{}" else one) for one in text)
