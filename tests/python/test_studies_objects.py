"""Figures 3, 4, 49 to 132 of block-or-not-2008: what they ask of drawn sets, what they claim of made-up results."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schedlab.studies import Claim, Point, Results, Study, Unit, find_study
from schedlab.studies.batch import Batch, judge_sets

pytestmark = pytest.mark.usefixtures("as_png")

HELD, FAILED, OPEN = "holds here", "does not hold here", "not evaluated"
UNSURE = "indistinguishable here"
FIGURES = ("2008-fig3", "2008-fig4")
SCHEMES = ("Short", "LF", "WF")
PAPERS = "4K as in 2008"


def study_of(name: str) -> Study:
    study, _ = find_study(name)
    assert isinstance(study, Study)
    return study


def module_of(name: str) -> Any:
    """The study's own module."""
    plot = study_of(name).plot
    assert plot is not None
    return sys.modules[plot.__module__]


@cache
def helper() -> Any:
    return sys.modules[study_of("2008-fig3").evaluate.__module__]


def made_up(study: Study, tardiness: Callable[[dict[str, Any], str], float | None]) -> Results:
    """Sets alike at each point; those without a bound are not schedulable under G-EDF, and all are under P-EDF."""
    rows, sets = [], 40 if len(study.points) < 100 else 2
    for point in study.points:
        row: dict[str, Any] = {}
        charges = [PAPERS, "4K"] if point.parameters["processors"] == 4 else ["accesses alone"]
        row |= dict.fromkeys(helper().all_columns(False))
        for scheme in SCHEMES:
            bound = tardiness(dict(point.parameters), scheme)
            for overheads in charges:
                row[f"tardiness {scheme} {overheads}"] = bound
                for hardness in ("hard", "soft"):
                    row[f"{hardness} G-EDF {scheme} {overheads}"] = bound is not None
                    row[f"{hardness} P-EDF {scheme} {overheads}"] = True
        rows += [{**point.parameters, "set": index, **row} for index in range(sets)]
    return Results(pa.Table.from_pylist(rows), {"sets": sets})


def answers(study: Study, results: Results) -> list[str]:
    assert study.claims is not None
    found: list[Claim] = list(study.claims(results))
    assert all(claim.because for claim in found)
    return [claim.answer for claim in found]


def as_in_the_paper(point: dict[str, Any], scheme: str) -> float | None:
    """Simple objects: without locks better. Complex ones: retries cost more and more."""
    k = point["K"]
    if point["kind"] != "heap":
        return {"Short": 100.0, "LF": 50.0, "WF": 52.0}[scheme] * k
    if scheme == "LF" and point["distribution"].endswith("light") and k > 5:
        return None
    # With frequent accesses some sets are lost under each scheme.
    if k > 8 and point["alpha"] == 2:
        return None
    if point["distribution"].endswith("medium"):
        return {"Short": 100.0, "LF": 108.0, "WF": 104.0}[scheme] * k
    return {"Short": 100.0, "LF": 300.0, "WF": 110.0}[scheme] * k


def test_claims_follow_the_results() -> None:
    third, fourth = (study_of(name) for name in FIGURES)
    assert answers(third, made_up(third, as_in_the_paper)) == [HELD] * 5
    # So few sets without a counterexample do not say that there is none.
    assert answers(fourth, made_up(fourth, as_in_the_paper)) == [UNSURE, HELD]
    other = made_up(third, lambda point, scheme: 200.0 if scheme == "Short" else 100.0 + 50 * (scheme == "WF"))
    assert answers(third, other) == [HELD] + [FAILED] * 4
    nothing = made_up(third, lambda point, scheme: None)
    assert answers(third, nothing) == [OPEN] * 5
    assert answers(fourth, made_up(fourth, lambda point, scheme: None))[0] == FAILED


def test_claims_of_the_appendix_follow_the_results() -> None:
    appendix = study_of("2008-appendix-b2")
    # All buffers are schedulable under each scheme: of them, schedulability says nothing.
    assert answers(appendix, made_up(appendix, as_in_the_paper)) == [OPEN, *[HELD] * 6]
    # Everything is alike, and wait-free objects are worse than all others. A tie at 100% could be better elsewhere.
    reverse = made_up(appendix, lambda point, scheme: None if scheme == "WF" else 100.0)
    assert answers(appendix, reverse) == [OPEN, OPEN, FAILED, UNSURE, UNSURE, FAILED, OPEN]
    # Of bounds that do not exist, nothing is said.
    assert answers(appendix, made_up(appendix, lambda point, scheme: None))[-1] == OPEN


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn(name: str, tmp_path: Path) -> None:
    study = study_of(name)
    assert study.plot is not None
    paths = study.plot(made_up(study, as_in_the_paper), tmp_path)
    assert [path.name for path in paths] == [f"{name}.png"]


def test_the_appendix_has_the_papers_84_figures(tmp_path: Path) -> None:
    """By the tables of appendix B. The one that prints figure 97 twice means 69."""
    appendix = module_of("2008-appendix-b2")
    by_number = {number: rest for number, *rest in appendix.figures(measured=True)}
    assert sorted(by_number) == list(range(49, 133))
    told_apart = [number for number, *_ in appendix.figures(measured=False)]
    assert told_apart == list(range(49, 77)), "without a file, those of 32K and 64K would be the same curves again"
    assert by_number[49] == ["4K", 4, 1, "uniform-light"] and by_number[62] == ["4K", 4, 2, "bimodal"]
    assert by_number[69] == ["4K", 16, 1, "bimodal"] and by_number[76] == ["4K", 16, 2, "bimodal"]
    assert by_number[93] == ["32K", 16, 1, "uniform-heavy"] and by_number[132] == ["64K", 16, 2, "bimodal"]
    results = made_up(study_of("2008-appendix-b2"), as_in_the_paper)
    here = results.where(distribution="bimodal", processors=4, alpha=2)
    for charges in (("4K", PAPERS), (None, "accesses alone")):
        paths = appendix.draw_figure(here, "Figure 62", charges, tmp_path / "2008-fig62")
        assert [path.suffix for path in paths] == [".png"]
    assert [appendix.letter(row, side) for row, side in ((0, 0), (1, 2), (4, 2))] == ["a", "f", "o"]


def test_costs_are_those_of_table_2() -> None:
    """What the shipped overheads charge is what table 2 draws beside its own numbers."""
    table: Any = sys.modules[find_study("2008-table2")[0].evaluate.__module__]
    path = Path(__file__).parents[2] / "crates/scenario/src/overheads/paper-2008-objects.toml"
    charged = {(one["kind"], one["scheme"]): one["access"] for one in tomllib.loads(path.read_text())["object"]}
    # An operation under a lock costs what the sequential object takes: the lock is charged apart.
    papers = {(kind, "locked" if scheme == "sequential" else scheme): it for (kind, scheme), it in table.PAPER.items()}
    assert sorted(charged) == sorted(papers)

    def terms(words: str) -> tuple[float, float]:
        base, _, slope = words.replace(" us", "").replace("* ", "").partition(" + ")
        return float(base), float(slope.removesuffix(" N") or 0)

    for key, (mean, largest) in papers.items():
        assert (terms(charged[key]["mean"]), terms(charged[key]["max"])) == (terms(mean), terms(largest)), key


def test_schemes_are_asked_of_the_same_sets() -> None:
    """By the sets themselves: wait-free tasks share nothing, and a bound is there where a set is schedulable."""
    study = study_of("2008-fig3")
    at = {"distribution": "uniform-heavy", "processors": 4, "alpha": 1, "kind": "buffer"}
    found = {k: study.evaluate(Unit(Point({**at, "K": k}), 0, 5, 7)) for k in (1, 9)}
    for columns in found.values():
        assert sorted(columns) == sorted(helper().all_columns(False))
        for scheme in SCHEMES:
            for overheads in ("4K", PAPERS):
                bounds = columns[f"tardiness {scheme} {overheads}"]
                proved = columns[f"soft G-EDF {scheme} {overheads}"]
                assert [bound is not None for bound in bounds] == list(proved) and len(bounds) == 5
        assert set(columns["tardiness WF accesses alone"]) == {None}, "overheads of four processors are known"
    few, many = ([bound or 0 for bound in found[k][f"tardiness WF {PAPERS}"]] for k in (1, 9))
    assert sum(few) < sum(many), "more accesses cost more, on the whole"


def batch(question: str) -> list[list[int | None]]:
    return judge_sets(
        Batch(
            utilizations="uniform-heavy", periods="uniform 10ms 100ms", deadlines="implicit",
            stop="discard-at-cap 3.2 max-tasks 100", seed=3, sets=range(4), processors=4, questions=[question],
            accesses="objects 5 1 4 1ns 0ns",
        )
    ).tardiness  # fmt: skip


def test_accesses_cost_what_the_overheads_say() -> None:
    """As the same costs written out: those of wait-free heaps on average, table 2."""
    charged = batch("G-EDF wait-free soft paper-2008-objects:objects object=heap")
    drawn = judge_sets(
        Batch(
            utilizations="uniform-heavy", periods="uniform 10ms 100ms", deadlines="implicit",
            stop="discard-at-cap 3.2 max-tasks 100", seed=3, sets=range(4), processors=4,
            questions=["G-EDF wait-free soft"], accesses="objects 5 1 4 16280ns 80ns",
        )
    ).tardiness  # fmt: skip
    assert charged == drawn


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("G-EDF wait-free soft object=heap", "object=heap"),
        ("G-EDF wait-free soft paper-2008-objects object=stack", "object=stack"),
        ("G-EDF wait-free soft paper-2008-4k object=heap", "do not say what operations on a heap cost"),
        ("P-EDF msrp hard paper-2008-objects object=heap", "do not say"),
    ],
)
def test_objects_without_known_costs_are_refused(question: str, words: str) -> None:
    with pytest.raises(Exception, match=words):
        batch(question)


def test_four_answers_of_one_draw_are_one_set() -> None:
    appendix = module_of("2008-appendix-b2")
    results = made_up(study_of("2008-appendix-b2"), as_in_the_paper)
    values = appendix.proved(results, "heap", "WF")
    assert len(values) == results.where(kind="heap").table.num_rows
    table = Results(pa.table({"a": [True, None, True], "b": [False, True, True]}), {})
    assert sys.modules[appendix.percent_by_set.__module__].percent_by_set(table, ["a", "b"]) == [50, None, 100]
