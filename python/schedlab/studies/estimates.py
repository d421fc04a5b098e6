"""Numbers with confidence intervals, from which claims are judged: differences on the same task sets above all.

Sets of several points of a grid are pooled. A fixed grid makes the spread of a pooled mean smaller than that of as many
sets drawn at random (Cochran, Sampling Techniques, 1977, section 5.6), so that the intervals are at least as wide as
they need to be.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from schedlab.show.plots.intervals import FEW, paired_interval, tied_mean_interval, wilson_interval

Interval = tuple[float, float]


@dataclass(frozen=True)
class Estimate:
    """A number, and the ends of its interval by confidence (a share of 1)."""

    value: float
    ends: Callable[[float], Interval]
    #: Number of task sets, or of other observations, behind it.
    sets: int
    #: What is printed before the number, such as the two shares whose difference it is.
    words: str = ""
    unit: str = ""
    #: The reason why the number decides nothing, such as a tie at saturation; else empty.
    nothing: str = ""
    #: The reason why the number does not tell which of two is larger: both are the same on each set; else empty.
    tied: str = ""

    def told(self, confidence: float) -> str:
        """Returns the number, its interval and its number of sets, as text."""
        low, high = self.ends(confidence)
        words = f"{self.words}: " if self.words else ""
        value, least, most = (_short(one) for one in (self.value, low, high))
        if self.sets < FEW and math.isinf(low) and math.isinf(high):
            return f"{words}{value}{self.unit}, {self.sets} sets: too few for a mean's interval ({FEW} are asked for)"
        return f"{words}{value}{self.unit} ({least} to {most}), {self.sets:,} sets"

    def scaled(self, factor: float) -> Estimate:
        """Returns the number times a factor above 0."""

        def ends(confidence: float) -> Interval:
            low, high = self.ends(confidence)
            return factor * low, factor * high

        return replace(self, value=factor * self.value, ends=ends)

    def called(self, words: str, unit: str | None = None) -> Estimate:
        """Returns the same number with other words before it, and another unit behind it if one is given."""
        return replace(self, words=words, unit=self.unit if unit is None else unit)


def _short(value: float) -> str:
    if math.isinf(value) or math.isnan(value):
        return str(value)
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.2f}" if abs(value) < 10 else f"{value:.1f}"


def nothing(reason: str) -> Estimate:
    """Returns the estimate of a number of which nothing is known."""
    return Estimate(math.nan, lambda _: (-math.inf, math.inf), 0, nothing=reason)


def share(answers: Sequence[bool | None], name: str = "") -> Estimate:
    """Returns the percentage of true answers among the known ones, with the interval of Wilson."""
    known = [one for one in answers if one is not None]
    if not known:
        return nothing("no set has an answer")
    good, of = sum(known), len(known)

    def ends(confidence: float) -> Interval:
        low, high = wilson_interval(good, of, confidence)
        return 100 * low, 100 * high

    return Estimate(100 * good / of, ends, of, name, "%")


def shares_apart(
    first: Sequence[bool | None], second: Sequence[bool | None], names: tuple[str, str], points: int = 0
) -> Estimate:
    """Returns by how many percentage points more the first is true than the second on the same sets.

    The interval is Newcombe's for paired proportions. Answers that are all true both ways, or all false, are a tie at
    saturation. ``points`` is the number of points along a grid's axis that the sets are of: then the number of grid
    steps by which falling curves are apart is said, too. The area between two such curves is the mean of their vertical
    distances times the number of points, and as well the mean of their horizontal distances.
    """
    pairs = Counter(zip(first, second, strict=True))
    both, one, other, neither = (pairs[a, b] for a in (True, False) for b in (True, False))
    of = both + one + other + neither
    if not of:
        return nothing(f"no set has an answer under both {names[0]} and {names[1]}")
    shares = 100 * (both + one) / of, 100 * (both + other) / of
    saturated = next((level for level, count in ((100, both), (0, neither)) if count == of), None)
    told = f"{names[0]} {shares[0]:.1f}%, {names[1]} {shares[1]:.1f}%"
    apart = shares[0] - shares[1]
    if points:
        told += f", {abs(apart) / 100 * points:.2f} grid steps apart"

    def ends(confidence: float) -> Interval:
        low, high = paired_interval(both, one, other, neither, confidence)
        return 100 * low, 100 * high

    tie = "" if saturated is None else f"a tie at {saturated}%: {told}"
    return Estimate(apart, ends, of, told, " points", tie)


def mean(
    values: Sequence[float | None], name: str = "", unit: str = "", within: Interval = (-math.inf, math.inf)
) -> Estimate:
    """Returns the mean of the known values, with the interval of Student, wider where most values are the same.

    ``within`` are the least and the largest value that is possible. The interval takes means for about normal. Few
    values do not show how heavy their tails are, so that fewer than `FEW` leave all that is possible.
    """
    known = [one for one in values if one is not None and not math.isnan(one)]
    if not known:
        return nothing(f"{name}: no value is known" if name else "no value is known")

    def ends(confidence: float) -> Interval:
        return within if len(known) < FEW else tied_mean_interval(known, confidence, within)

    return Estimate(fmean(known), ends, len(known), name, unit)


def means_apart(
    first: Sequence[float | None], second: Sequence[float | None], names: tuple[str, str], unit: str = ""
) -> Estimate:
    """Returns by how much more the first is than the second on the same sets, with the interval of `mean`.

    A tie, the same value of both on each set, does not tell which is larger; at 0, the least value, it tells nothing.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not pairs:
        return nothing(f"no set has a value under both {names[0]} and {names[1]}")
    one, other = (fmean(values) for values in zip(*pairs, strict=True))
    told = f"{names[0]} {_short(one)}{unit}, {names[1]} {_short(other)}{unit}; apart"
    found = mean([a - b for a, b in pairs], told, unit)
    if any(a != b for a, b in pairs):
        return found
    at = f"at {_short(one)}{unit} " if len(set(pairs)) == 1 else ""
    tie = f"a tie {at}on each of {len(pairs):,} sets: {told}"
    return replace(found, tied=tie) if any(a for a, _ in pairs) else replace(found, nothing=tie)


def percents_apart(first: Sequence[float | None], second: Sequence[float | None], names: tuple[str, str]) -> Estimate:
    """Returns by how many points the first percentage of each set, from 0 to 100, is above the second, on average.

    Both percentages are all 0 or all 100 in a tie at saturation, as for `shares_apart`.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    found = means_apart(first, second, names, " points")
    if not pairs:
        return found
    wide = mean([a - b for a, b in pairs], found.words, " points", (-100, 100))
    tie = next((level for level in (100, 0) if all(a == b == level for a, b in pairs)), None)
    told = found.words.removesuffix("; apart")
    return replace(wide, nothing="" if tie is None else f"a tie at {tie}%: {told}")


def less(first: Estimate, second: Estimate, words: str = "") -> Estimate:
    """Returns the difference of two numbers of different sets, with the interval made of both by square and add.

    G. Y. Zou and A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008;
    for two proportions with Wilson's intervals it is Newcombe's method 10 for independent samples, 1998.
    """

    def ends(confidence: float) -> Interval:
        (low, high), (other_low, other_high) = first.ends(confidence), second.ends(confidence)
        down = math.hypot(first.value - low, other_high - second.value)
        return value - down, value + math.hypot(high - first.value, second.value - other_low)

    value = first.value - second.value
    told = (
        words or f"{first.words} {_short(first.value)}{first.unit}, {second.words} {_short(second.value)}{second.unit}"
    )
    unit = " points" if first.unit == "%" else first.unit
    untold = next((one.nothing for one in (first, second) if not one.sets), "")
    if first.nothing and second.nothing:
        untold = first.nothing
    if first.unit == "%" and first.value == second.value and first.value in (0, 100):
        untold = f"a tie at {first.value:.0f}%: {told}"
    return Estimate(value, ends, first.sets + second.sets, told if words else f"{told}; apart", unit, untold)
