"""Claims: four answers, intervals of differences on the same sets, and a mutant that refutes each sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schedlab.plots import wilson_interval
from schedlab.show.plots.intervals import exact_interval, mean_interval, paired_interval, tied_mean_interval
from schedlab.studies import Claim, Results, find_study, read_results, run_study, sentence
from schedlab.studies.answers import (
    ANSWERS,
    DOES_NOT_HOLD,
    HOLDS,
    INDISTINGUISHABLE,
    NOT_EVALUATED,
    any_of,
    combined,
    one_unknown,
)
from schedlab.studies.checks import Curve, Every, Fact, Lies, Most, Never, Open, Settled, Some, Whatever, more
from schedlab.studies.claims import Sentence, in_variants
from schedlab.studies.estimates import less, mean, means_apart, share, shares_apart
from schedlab.studies.mutants import Mutant, by_row, loses

YES, NO, UNSURE, UNKNOWN = Fact(True, "yes"), Fact(False, "no"), Lies(share([True, False]), low=50), Open("unknown")


def test_a_sentence_has_the_answer_of_its_parts() -> None:
    assert combined([HOLDS, NOT_EVALUATED]) == HOLDS and combined([NOT_EVALUATED]) == combined([]) == NOT_EVALUATED
    assert combined([HOLDS, INDISTINGUISHABLE, NOT_EVALUATED]) == INDISTINGUISHABLE
    assert combined([HOLDS, INDISTINGUISHABLE, DOES_NOT_HOLD]) == DOES_NOT_HOLD
    assert any_of([DOES_NOT_HOLD, HOLDS]) == HOLDS and any_of([DOES_NOT_HOLD, INDISTINGUISHABLE]) == INDISTINGUISHABLE
    assert any_of([DOES_NOT_HOLD, NOT_EVALUATED]) == NOT_EVALUATED and any_of([DOES_NOT_HOLD] * 2) == DOES_NOT_HOLD


def test_an_unknown_case_has_an_answer_only_if_all_cases_agree() -> None:
    for one in ANSWERS:
        assert one_unknown([one, one]) == one
        assert one_unknown([one, NOT_EVALUATED]) == NOT_EVALUATED
    assert one_unknown([]) == one_unknown([HOLDS, DOES_NOT_HOLD, INDISTINGUISHABLE]) == NOT_EVALUATED
    for one in (HOLDS, DOES_NOT_HOLD):
        assert one_unknown([one, INDISTINGUISHABLE]) == INDISTINGUISHABLE


def test_what_is_left_out_is_said() -> None:
    assert "as far as evaluated: a: yes; not evaluated: b" in sentence("so", Every({"a": YES, "b": UNKNOWN})).because
    told = sentence("so", Whatever({"a": NO, "b": UNKNOWN}, "the size")).because
    assert told.startswith("it turns on the size (does not hold here in 1, not evaluated in 1 of 2 cases): a: no; b:")


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (YES, HOLDS),
        (Fact(True, "mean nan"), NOT_EVALUATED),
        (Settled(None, "it"), INDISTINGUISHABLE),
        (Settled(False, "it"), DOES_NOT_HOLD),
        (Every({"a": YES, "b": UNSURE}), INDISTINGUISHABLE),
        (Every({"a": YES, "b": UNKNOWN}), HOLDS),
        (Some({"a": YES, "b": NO}), HOLDS),
        (Whatever({"a": YES, "b": YES}, "it"), HOLDS),
        (Whatever({"a": YES, "b": NO}, "it"), NOT_EVALUATED),
        (Whatever({"a": NO, "b": UNSURE}, "it"), INDISTINGUISHABLE),
        (Whatever({"a": NO, "b": UNKNOWN}, "it"), NOT_EVALUATED),
        (Whatever({"a": YES} | {str(n): UNKNOWN for n in range(9)}, "it"), NOT_EVALUATED),
        (Some({"a": NO, "b": UNKNOWN}), NOT_EVALUATED),
        (Some({"a": NO, "b": UNSURE}), INDISTINGUISHABLE),
        (Most({"a": YES, "b": YES, "c": NO}, 0.6), HOLDS),
        (Most({"a": YES, "b": UNSURE, "c": NO}, 0.6), INDISTINGUISHABLE),
        (Most({"a": YES, "b": NO, "c": NO}, 0.6), DOES_NOT_HOLD),
        (Most({"a": YES} | {str(n): UNKNOWN for n in range(9)}, 0.6), NOT_EVALUATED),
        (Most({"a": YES, "b": YES, "c": UNKNOWN}, 0.6), HOLDS),
        (Most({"a": YES, "b": UNSURE, "c": UNKNOWN}, 0.6), INDISTINGUISHABLE),
        (Never(0, 1, "it"), INDISTINGUISHABLE),
        (Never(0, 458, "it"), INDISTINGUISHABLE),
        (Never(0, 459, "it"), HOLDS),
        (Never(1, 100, "it"), DOES_NOT_HOLD),
        (Never(0, 0, "it"), NOT_EVALUATED),
    ],
)
def test_checks_have_three_words_and_a_fourth(check: Any, answer: str) -> None:
    assert sentence("it is so", check).answer == answer


def test_a_difference_is_that_of_the_same_sets() -> None:
    first = [True] * 40 + [False] * 60
    second = [True] * 30 + [False] * 70
    paired = shares_apart(first, second, ("A", "B"))
    apart = less(share(first), share(second))
    assert paired.value == pytest.approx(apart.value) == pytest.approx(10)
    assert sentence("A is better", more(paired)).answer == HOLDS
    assert sentence("A is better", more(apart)).answer == INDISTINGUISHABLE
    assert sentence("B is better", more(shares_apart(second, first, ("B", "A")))).answer == DOES_NOT_HOLD


@pytest.mark.parametrize("level", [True, False])
def test_a_tie_at_saturation_is_not_evaluated_with_the_reason(level: bool) -> None:
    claim = sentence("A is better", more(shares_apart([level] * 9, [level] * 9, ("A", "B"))))
    assert claim.answer == NOT_EVALUATED and "a tie at" in claim.because
    zero = sentence("A is later", more(means_apart([0.0, 0.0], [0.0, 0.0], ("A", "B"))))
    assert zero.answer == NOT_EVALUATED and "a tie at 0.00 on each of 2 sets" in zero.because
    equal = sentence("A is later", more(means_apart([5.0, 7.0], [5.0, 7.0], ("A", "B"))))
    assert equal.answer == NOT_EVALUATED and "a tie on each of 2 sets" in equal.because
    # A tie elsewhere leaves open which is more, but not whether they are about the same, or far apart.
    alike = means_apart([5.0] * 99, [5.0] * 99, ("A", "B"))
    assert sentence("A is more", more(alike)).answer == NOT_EVALUATED
    assert sentence("they are about the same", Lies(alike, low=-0.5, high=0.5)).answer == HOLDS
    assert sentence("A is far more", Lies(alike, low=0.5)).answer == DOES_NOT_HOLD
    same = [True, False] * 50
    assert sentence("A is better", more(shares_apart(same, same, ("A", "B")))).answer == INDISTINGUISHABLE


def test_curves_are_compared_at_each_point_and_in_steps_of_the_grid() -> None:
    high, low = [True] * 100 + [False] * 100, [True] * 40 + [False] * 160
    whole = shares_apart(high, low, ("A", "B"), points=2)
    assert "0.60 grid steps apart" in whole.words
    points = {
        "1": shares_apart(high[:100], low[:100], ("A", "B")),
        "2": shares_apart(high[100:], low[100:], ("A", "B")),
    }
    assert sentence("A is above B", Curve(whole, points, visible=5)).answer == HOLDS
    other_way = {**points, "3": shares_apart([False] * 99, [True] * 99, ("A", "B"))}
    claim = sentence("A is above B", Curve(whole, other_way, visible=5))
    assert claim.answer == DOES_NOT_HOLD and "the other way round at 3 -100" in claim.because


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ([2.0, 3.0] * 50, HOLDS),
        # Visibly below in no reading of the figure.
        ([-0.5, -0.6] * 50, HOLDS),
        ([0.0] * 100, HOLDS),
        # Above, as far as seen, but the interval reaches far below.
        ([-90.0, 100.0] * 10, INDISTINGUISHABLE),
        ([-2.0, -3.0] * 50, DOES_NOT_HOLD),
        # Below, but whether visibly is not known: more sets may tell either.
        ([-0.5, -1.5] * 50, INDISTINGUISHABLE),
        ([5.0] * 4, INDISTINGUISHABLE),
    ],
)
def test_a_point_of_a_curve_that_may_be_below_is_not_taken_for_one_that_is_not(
    values: list[float], answer: str
) -> None:
    claim = sentence("it is never below", Curve(mean([2.0, 3.0] * 50), {"1": mean(values)}, visible=1))
    assert claim.answer == answer
    assert ("undecided at 1 of 1 points" in claim.because) == (answer == INDISTINGUISHABLE)


def test_fewer_sets_never_make_a_curve_hold() -> None:
    """A reversed point is refuted by many sets; the fewer there are, the less is known: never more."""
    answers = []
    for sets in (4, 20, 50, 400):
        point = shares_apart([False] * (sets // 4) + [True] * (sets - sets // 4), [True] * sets, ("A", "B"))
        whole = shares_apart([True] * 400, [True] * 300 + [False] * 100, ("A", "B"))
        answers.append(sentence("A is never below B", Curve(whole, {"": point}, visible=5)).answer)
    assert answers[0] == INDISTINGUISHABLE and answers[-1] == DOES_NOT_HOLD and HOLDS not in answers


def test_a_tied_point_of_a_curve_says_nothing() -> None:
    whole, tie = mean([2.0, 3.0] * 50), shares_apart([True] * 4, [True] * 4, ("A", "B"))
    assert sentence("A is above B", Curve(whole, {"1": tie, "2": mean([2.0] * 99)}, visible=5)).answer == HOLDS
    claim = sentence("A is above B", Curve(whole, {"1": tie}, visible=5))
    assert claim.answer == INDISTINGUISHABLE and "no point tells" in claim.because


def test_a_difference_that_no_one_sees_in_a_figure_is_indistinguishable_both_ways() -> None:
    for sign, answer in ((1, HOLDS), (-1, DOES_NOT_HOLD)):
        small, large = (mean([sign * size, sign * (size + 0.1)] * 50) for size in (0.5, 2.5))
        assert sentence("it is more", Lies(small, low=0)).answer == answer
        assert sentence("it is more", Lies(small, low=0, visible=1)).answer == INDISTINGUISHABLE
        assert sentence("it is more", Lies(large, low=0, visible=1)).answer == answer


def test_the_mean_of_few_sets_decides_nothing() -> None:
    few, enough = mean([1.0, 1.1] * 9), mean([1.0, 1.1] * 10)
    assert sentence("it is more", more(few)).answer == INDISTINGUISHABLE
    assert "18 sets: too few for a mean's interval (20 are asked for)" in few.told(0.99)
    assert sentence("it is more", more(enough)).answer == HOLDS
    assert mean([50.0] * 9, within=(0, 100)).ends(0.99) == (0, 100)


def test_more_comparisons_make_intervals_wider() -> None:
    first, second = [True] * 9 + [False] * 91, [False] * 100
    one = more(shares_apart(first, second, ("A", "B")))
    assert sentence("A is better", one).answer == HOLDS
    many = {str(number): one for number in range(40)}
    claim = sentence("A is better, 40 times", many)
    assert claim.answer == INDISTINGUISHABLE and claim.counted() == "40 parts: 40 are indistinguishable"


def test_newcombes_interval_is_that_of_the_literature() -> None:
    """Bentur et al. 2009, in Fagerland, Lydersen and Laake, Statistical analysis of contingency tables, chapter 8."""
    low, high = paired_interval(1, 1, 7, 12, 0.95)
    assert (round(low, 3), round(high, 3)) == (-0.507, -0.026)
    assert paired_interval(1, 7, 1, 12, 0.95) == pytest.approx((-high, -low))
    assert paired_interval(0, 0, 0, 0) == (-1, 1)


def test_newcombes_interval_decides_as_mcnemars_exact_test_up_to_a_set_or_two() -> None:
    """Of 1,000 sets: the least number of sets that only one of two schedules, for 99% confidence."""

    def exact(one: int, other: int) -> bool:
        tail = sum(comb(one + other, k) for k in range(other + 1)) / 2 ** (one + other)
        return 2 * tail < 0.01

    for both, other in product((0, 500, 950), (0, 3, 10)):
        least = next(n for n in range(other, 100) if exact(n, other))
        found = next(n for n in range(other, 100) if paired_interval(both, n, other, 1000 - both - n - other)[0] > 0)
        assert abs(found - least) <= 2, (both, other)
    assert wilson_interval(0, 100)[1] > 0.05


def test_few_pairs_are_judged_by_the_exact_interval() -> None:
    """None of the share of one kind of pairs, or of the other, is outside its interval more often than it may be."""
    assert paired_interval(0, 3, 0, 0)[0] < 0 < paired_interval(0, 10, 0, 0)[0]
    three = shares_apart([True] * 3, [False] * 3, ("A", "B"))
    assert sentence("A is better", more(three)).answer == INDISTINGUISHABLE
    assert exact_interval(0, 100, 0.95) == pytest.approx((0, 1 - 0.025**0.01))
    # The quantile 0.025 of the beta distribution (4, 17), and 0.975 of (5, 16).
    assert exact_interval(4, 20, 0.95) == pytest.approx((0.0573, 0.4366), abs=5e-5)
    assert exact_interval(0, 0, 0.95) == (0, 1)
    for p, q in ((0.5, 0.1), (0.9, 0.05), (0.3, 0.3)):
        outside = 0.0
        for first in range(11):
            for second in range(11 - first):
                low, high = paired_interval(0, first, second, 10 - first - second, 0.95)
                ways = comb(10, first) * comb(10 - first, second)
                chance = ways * p**first * q**second * (1 - p - q) ** (10 - first - second)
                outside += chance * (not low - 1e-12 <= p - q <= high + 1e-12)
        assert outside <= 0.05, (p, q)


def test_differences_of_whole_numbers_have_an_honest_interval() -> None:
    """Student's interval has no width where all differences are the same."""
    one_more = sentence("it needs more", more(means_apart([6, 6], [5, 5], ("A", "B"))))
    assert one_more.answer == INDISTINGUISHABLE
    for sets in (7, 8):  # A sign test of all sets has 2 / 2**sets.
        low, _ = tied_mean_interval([1.0] * sets, 0.99)
        assert (low > 0) == (2 / 2**sets < 0.01)
    spread = mean([0.5, 0.6, 0.7] * 50)
    assert spread.ends(0.99) == pytest.approx(mean_interval([0.5, 0.6, 0.7] * 50, 0.99)[1:])


@pytest.mark.parametrize("sets", [2, 10, 30, 100, 300])
@pytest.mark.parametrize("share_of_ones", [0.01, 0.5, 0.9, 0.97, 0.99])
def test_the_interval_of_differences_of_0_or_1_covers_the_truth(sets: int, share_of_ones: float) -> None:
    """By the binomial distribution: no chance in it."""
    covered = 0.0
    for ones in range(sets + 1):
        low, high = mean([1.0] * ones + [0.0] * (sets - ones)).ends(0.99)
        chance = comb(sets, ones) * share_of_ones**ones * (1 - share_of_ones) ** (sets - ones)
        covered += chance * (low - 1e-12 <= share_of_ones <= high + 1e-12)
    assert covered >= 0.985


def test_a_part_has_an_answer_if_all_variants_of_the_sentence_have_it() -> None:
    free = [Sentence("it is so", {"BHU": YES, "BLU": NO, "BMU": YES}), Sentence("alone", {"": YES})]
    charged = [Sentence("it is so", {"BHU": YES, "BLU": NO, "BMU": NO})]
    one, alone = (found.judged() for found in in_variants({"none": free, "decisions": charged}, "the machine"))
    assert {part.name: part.answer for part in one.parts} == {
        "BHU": HOLDS, "BLU": DOES_NOT_HOLD, "BMU": NOT_EVALUATED,
    }  # fmt: skip
    assert one.parts[2].because.startswith("it turns on the machine (holds here in 1, does not hold here in 1 of 2")
    assert one.answer == DOES_NOT_HOLD and one.counted() == "3 parts: 1 holds, 1 does not, 1 is not evaluated"
    assert one.as_dict()["parts"][1] == {"part": "BLU", "answer": DOES_NOT_HOLD, "because": "none: no; decisions: no"}
    assert alone.answer == HOLDS


def test_a_mutant_changes_its_columns_and_their_variants_alone() -> None:
    table = pa.table({"PIP": [True, None], "PIP, keep": [True, True], "PIP handed over": [True, True], "n": [1, 2]})
    lost = loses("a PIP that loses", "PIP", where=lambda row: row["n"] == 1).of(Results(table, {}))
    assert lost.table.to_pydict() == {
        "PIP": [False, None], "PIP, keep": [False, True], "PIP handed over": [True, True], "n": [1, 2],
    }  # fmt: skip
    assert by_row("more", lambda row: {"n": row["n"] + 1}).of(Results(table, {})).table.column("n").to_pylist() == [
        2,
        3,
    ]


def every(_: Mapping[str, Any]) -> bool:
    return True


#: By study: the sets of a point, how often the rows are repeated so that few sets decide, and the points.
SMALL: dict[str, tuple[int, int, Callable[[Mapping[str, Any]], bool]]] = {
    "2005-fig1": (1, 1, every),
    "2005-fig2": (1, 1, every),
    "2005-fig4": (1, 1, every),
    "2005-fig6": (1, 1, every),
    "2005-fig8": (1, 1, every),
    "2005-fig9": (1, 1, every),
    "2005-fig10": (1, 1, every),
    "2005-fig12": (2, 15, lambda p: p["alpha"] in (0.2, 1.0) and p["processors"] in (1, 15, 16)),
    "2005-supertasks": (10, 9, every),
    "2005-tradeoff": (40, 40, every),
    "2006-fig1": (1, 1, every),
    "2006-fig6": (2, 10, every),
    "2006-fig7": (2, 10, every),
    "2006-fig8": (1, 30, every),
    "2006-fig9": (2, 15, every),
    "2006-fig10": (2, 15, every),
    "2008-fig1": (1, 30, every),
    "2008-fig3": (1, 9, every),
    "2008-fig4": (1, 9, every),
    "2008-appendix-b": (1, 9, lambda p: p["distribution"] == "uniform-medium" and p["length"] in (1, 13)),
    "2008-appendix-b2": (1, 15, lambda p: p["distribution"] == "uniform-medium" and p["alpha"] == 1),
    "2011-fig1": (1, 300, lambda p: p["load"] in (8, 24, 40)),
    "2011-fig2": (1, 300, lambda p: p["load"] in (20, 30, 40, 48)),
    "2011-fig3": (1, 800, lambda p: p["load"] in (4, 16, 48)),
    "2011-fig9": (1, 800, lambda p: p["load"] in (2, 8, 12, 15)),
    "2011-fig11": (1, 800, lambda p: p["load"] in (2, 8, 12, 15)),
    "2020-fig3": (2, 9, every),
    "2020-fig4": (2, 9, lambda p: p["cap"] * 20 % 8 == 0),
    "2020-grid": (
        1, 9, lambda p: p["processors"] < 4 and p["resources"] in (1, 16) and p["probability"] == 0.5,
    ),
}  # fmt: skip


#: By study: sentences, by their beginnings, that results of this size refute already. Their mutants show nothing here:
#: the page of claims judges them by its own results (`tools/claims_table.py`).
FAILING: dict[str, tuple[str, ...]] = {
    "2005-fig12": ("significantly less means much less in all cases",),
    "2011-fig1": (
        "C-EDF schedules all sets below a load of 26",
        "G-NP-EDF performs reasonably well (above the mean of the others)",
        "the light uniform case is the most demanding from the perspective of",
        "G-NP-EDF scales well: in the light uniform case, the most burdened,",
    ),
    "2011-fig2": (
        "G-NP-EDF, C-EDF and P-EDF provide the lowest tardiness, but in BHU",
        "the RMS-based algorithms show high tardiness: the two highest",
        "G-FIFO, SCHED_FIFO, G-EDF, G-NP-EDF, C-EDF, P-EDF bound tardiness in",
        "the tardiness of G-FIFO and SCHED_FIFO is low until overheads bring",
        "G-EDF's tardiness in most cases jumps to around 300 ms (within two",
        "after the jump G-EDF's tardiness rises linearly in most cases (a line",
        "G-EDF does not scale as well as G-NP-EDF or G-FIFO: it is in overload",
    ),
    "2011-fig3": (
        "in BLU none provides it above a load of 7",
        "in BLU NG-GUA and gMUA miss their theoretical bound by over 500%:",
        "no such effect occurs under P-EDF: in BLU it schedules all sets above",
        "first fit puts many very light tasks on a processor in some cases: in",
    ),
    "2011-fig9": (
        "G-FIFO and G-NP-HVDF meet all deadlines consistently only under low",
        "P-EDF schedules all sets up to a load of 10 in BHU, 12 in BHB, 13 in",
        "G-EDF schedules all sets up to a load of 11 in BHU, 8 in BHB, 8 in",
        "G-NP-EDF demonstrates high performance (above the mean of the others)",
    ),
    "2011-fig11": ("in BLU NG-GUA and gMUA meet deadlines only up to around half the load",),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_mutant_of_each_sentence_refutes_it(name: str, tmp_path: Path) -> None:
    study, path = find_study(name)
    sets, times, chosen = SMALL[name]
    points = [point for point in study.points if chosen(point.parameters)]
    assert study.claims is not None and points
    run_study(replace(study, points=points), path, tmp_path, sets=None if study.fixed_sets else sets)
    stored = read_results(tmp_path)

    def judged(results: Results) -> list[Claim]:
        """Rows are changed first and repeated then, which is the same and takes less time."""
        assert study.claims is not None
        return list(study.claims(Results(pa.concat_tables([results.table] * times), results.provenance)))

    claims = judged(stored)
    assert len({claim.text for claim in claims}) == len(claims), "a sentence is counted once"
    failing = [claim.text for claim in claims if claim.answer == DOES_NOT_HOLD]
    known = FAILING.get(name, ())
    assert len(failing) == len(known) and all(map(str.startswith, failing, known)), f"refuted by no mutant: {failing}"
    for claim in claims:
        if claim.answer not in (NOT_EVALUATED, DOES_NOT_HOLD):
            refuted_by(judged, stored, claim.text, claim.mutant)


def refuted_by(claims: Any, results: Results, text: str, mutant: Mutant | None) -> None:
    """Fails unless the sentence does not hold with the results of its mutant."""
    assert mutant is not None, f"no mutant: {text}"
    again = {claim.text: claim for claim in claims(mutant.of(results))}
    assert again[text].answer == DOES_NOT_HOLD, f"{text}: {mutant.words}: {again[text]}"
