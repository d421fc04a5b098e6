"""Confidence intervals of a proportion and of a mean."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from statistics import NormalDist, fmean, stdev

#: Share of all intervals that hold the true value, where no other is stated or chosen.
CONFIDENCE = 0.99
#: Below so many pairs of trials, Newcombe's interval may be too narrow: of 3 against 0 of 3, it does not hold 0.
FEW = 20


@dataclass
class _Chosen:
    """A reader's confidence, and whether intervals asked for it: of the figure that is drawn, and of all before."""

    share: float | None = None
    is_used: bool = False
    was_used: bool = False


_chosen: ContextVar[_Chosen | None] = ContextVar("confidence", default=None)


@contextmanager
def at_confidence(share: float | None) -> Iterator[_Chosen]:
    """Has intervals hold the true value in this share of all cases while the block runs; None: as studies state it.

    Intervals with a stated confidence of their own, such as those of several points together, keep it.
    """
    chosen = _Chosen(share)
    token = _chosen.set(chosen)
    try:
        yield chosen
    finally:
        _chosen.reset(token)


def confidence_of(stated: float = CONFIDENCE) -> float:
    """Returns the confidence of a figure's intervals, from 0 to 1: the chosen one, else the one that is `stated`."""
    chosen = _chosen.get()
    if chosen is None or chosen.share is None:
        return stated
    chosen.is_used = chosen.was_used = True
    return chosen.share


def chosen_confidence(stated: float = CONFIDENCE) -> str:
    """Returns the confidence of a figure's intervals as text for its footnote, such as "99% confidence"."""
    return f"{100 * confidence_of(stated):g}% confidence"


def said_of_confidence() -> str:
    """Returns, for the heading of a figure that is done, that its intervals have a chosen confidence; else nothing."""
    chosen = _chosen.get()
    if chosen is None or chosen.share is None:
        return ""
    is_used, chosen.is_used = chosen.is_used, False
    if not is_used or chosen.share == CONFIDENCE:
        return ""
    return f"intervals of {100 * chosen.share:g}% confidence instead of {100 * CONFIDENCE:g}%"


def wilson_interval(successes: int, trials: int, confidence: float | None = None) -> tuple[float, float]:
    """Returns the score interval of E. B. Wilson, JASA 22(158), 1927: honest near 0 and 1 and for few trials.

    Without a `confidence`, it is 0.99, or what `--confidence` says of a figure. Without trials nothing is known:
    (0, 1). Raises `ValueError` unless 0 <= `successes` <= `trials`.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + (confidence_of() if confidence is None else confidence) / 2)
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # The exact ends at 0 and at all successes are 0 and 1; rounding must not lose them.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return low, high


def mean_interval(values: Sequence[float], confidence: float | None = None) -> tuple[float, float, float]:
    """Returns the mean of about normal values and the ends of its interval by Student's t; infinite for one value.

    Without a `confidence`, it is 0.99, or what `--confidence` says of a figure.
    """
    mean = fmean(values)
    if len(values) < 2:
        return mean, -math.inf, math.inf
    share = confidence_of() if confidence is None else confidence
    half = student_quantile(len(values) - 1, 0.5 + share / 2) * stdev(values) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def tied_mean_interval(
    values: Sequence[float], confidence: float, within: tuple[float, float] = (-math.inf, math.inf)
) -> tuple[float, float]:
    """Returns the ends of a mean's interval that tells the truth of values most of which are the same, too.

    Such are differences of numbers of processors. Student's interval has no width if all are the same, and too little
    if others are too rare to have been seen. If at least half of the values are the same, its ends are moved by what
    unseen values could do to the mean. Their share is below that of Clopper and Pearson for none of n (Biometrika 26,
    1934). They are taken to lie as far on the other side of 0 as the values seen do, or a step beyond these; or at the
    ends of what is possible, ``within``, where these are known. Of values that are all the same, the interval has the
    sign that a sign test of this confidence finds. Infinite for one value.
    """
    _, low, high = mean_interval(values, confidence)
    counted = Counter(values)
    if len(values) < 2 or 2 * max(counted.values()) < len(values):
        return low, high
    seen, mean = sorted(counted), fmean(values)
    step = min((b - a for a, b in pairwise(seen)), default=abs(seen[0]) or 1.0)
    far = max(abs(seen[0]), abs(seen[-1]))
    unseen = 1 - ((1 - confidence) / 2) ** (1 / len(values))
    least = within[0] if math.isfinite(within[0]) else min(-far, seen[0] - step)
    most = within[1] if math.isfinite(within[1]) else max(far, seen[-1] + step)
    return low - unseen * (mean - least), high + unseen * (most - mean)


@cache
def student_quantile(freedom: int, probability: float) -> float:
    """Returns the quantile of Student's t with `freedom` degrees of freedom; `probability` from 0.5 up to below 1."""
    if freedom < 1 or not 0.5 <= probability < 1:
        raise ValueError(f"{freedom} degrees of freedom, probability {probability}")
    low, high = 0.0, 1.0
    while _student_below(freedom, high) < probability:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _student_below(freedom, middle) < probability else (low, middle)
    return high


def _student_below(freedom: int, t: float) -> float:
    """Returns the distribution function for t >= 0: finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(odd, freedom - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + inside / 2


def exact_interval(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Returns the interval of a proportion of C. J. Clopper and E. S. Pearson, Biometrika 26, 1934: never too narrow.

    Without trials nothing is known: (0, 1). Raises `ValueError` unless 0 <= `successes` <= `trials`.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes of {trials} trials")
    error = (1 - confidence) / 2
    return 1 - exact_most(trials - successes, trials, error), exact_most(successes, trials, error)


@cache
def exact_most(successes: int, trials: int, error: float) -> float:
    """Returns the share above which so few successes have less than this probability; 1 if all are successes."""
    if successes == trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if at_most(successes, trials, middle) > error else (low, middle)
    return high


@cache
def at_most(successes: int, trials: int, share: float) -> float:
    """Returns the probability of so many successes or fewer, from the binomial distribution; share from 0 to 1."""
    if successes == trials or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    ways, odds = math.lgamma(trials + 1), math.log(share) - math.log1p(-share)
    logs = (
        ways - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * odds + trials * math.log1p(-share)
        for k in range(successes + 1)
    )
    return min(1.0, math.fsum(map(math.exp, logs)))


def paired_interval(both: int, first: int, second: int, neither: int, confidence: float = 0.99) -> tuple[float, float]:
    """Returns the interval of the difference of two proportions of the same trials: the first's less the second's.

    Trials are counted by which of the two succeeds: ``both``, the ``first`` alone, the ``second`` alone, ``neither``.
    Method 10 of R. G. Newcombe, Improved confidence intervals for the difference between binomial proportions based on
    paired data, Statistics in Medicine 17, 1998: of Wilson's intervals and the trials' correlation. Below `FEW` trials
    it is the difference of the exact intervals of both kinds of discordant trials, each with half of the error, which
    is never too narrow. Without trials nothing is known: (-1, 1).
    """
    trials = both + first + second + neither
    if trials < FEW:
        halved = (1 + confidence) / 2
        (low, high), (other_low, other_high) = (exact_interval(count, trials, halved) for count in (first, second))
        return low - other_high, high - other_low
    one, other = both + first, both + second
    (low, high), (other_low, other_high) = (wilson_interval(count, trials, confidence) for count in (one, other))
    p, q = one / trials, other / trials
    spread = one * (trials - one) * other * (trials - other)
    product = both * neither - first * second
    # The correlation, corrected for continuity where it is positive.
    positive = max(product - trials / 2, 0.0)
    correlation = 0.0 if spread == 0 else (positive if product > 0 else product) / math.sqrt(spread)
    down, up = p - low, other_high - q
    rise, fall = high - p, q - other_low
    below = math.sqrt(max(0.0, down * down - 2 * correlation * down * up + up * up))
    above = math.sqrt(max(0.0, rise * rise - 2 * correlation * rise * fall + fall * fall))
    return max(-1.0, p - q - below), min(1.0, p - q + above)
