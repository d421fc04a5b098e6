"""Figures 3 and 4 of block-or-not-2008: what they ask of drawn sets, and what they claim of made-up results."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schedlab.studies import Claim, Point, Results, Study, Unit, find_study

HELD, FAILED, OPEN = "holds here", "does not hold here", "not evaluated"
FIGURES = ("2008-fig3", "2008-fig4")
SCHEMES = ("Short", "LF", "WF")


def study_of(name: str) -> Study:
    study, _ = find_study(name)
    assert isinstance(study, Study)
    return study


def made_up(study: Study, tardiness: Callable[[dict[str, Any], str], float | None]) -> Results:
    """Two sets at each point; those without a bound are not schedulable under G-EDF, and all are under P-EDF."""
    rows = []
    for point in study.points:
        bounds = {scheme: tardiness(dict(point.parameters), scheme) for scheme in SCHEMES}
        row: dict[str, Any] = {f"tardiness {scheme}": bound for scheme, bound in bounds.items()}
        row |= {f"G-EDF {scheme}": bound is not None for scheme, bound in bounds.items()}
        row |= {f"P-EDF {scheme}": True for scheme in SCHEMES}
        rows += [{**point.parameters, "set": index, **row} for index in range(2)]
    return Results(pa.Table.from_pylist(rows), {"sets": 2})


def answers(study: Study, results: Results) -> list[str]:
    assert study.claims is not None
    found: list[Claim] = list(study.claims(results))
    assert all(claim.because for claim in found)
    return [claim.answer for claim in found]


def as_in_the_paper(point: dict[str, Any], scheme: str) -> float | None:
    """Simple objects: without locks better. Complex ones: retries cost more and more."""
    k = point["K"]
    if point["kind"] == "buffer":
        return {"Short": 100.0, "LF": 50.0, "WF": 52.0}[scheme] * k
    if scheme == "LF" and point["load"] == "low" and k > 5:
        return None
    return {"Short": 100.0, "LF": 300.0, "WF": 110.0}[scheme] * k


def test_claims_follow_the_results() -> None:
    third, fourth = (study_of(name) for name in FIGURES)
    assert answers(third, made_up(third, as_in_the_paper)) == [HELD] * 10
    assert answers(fourth, made_up(fourth, as_in_the_paper)) == [HELD] * 4
    other = made_up(third, lambda point, scheme: 200.0 if scheme == "Short" else 100.0 + 50 * (scheme == "WF"))
    assert answers(third, other) == [HELD] * 2 + [FAILED] * 8
    nothing = made_up(third, lambda point, scheme: None)
    assert answers(third, nothing) == [OPEN] * 10
    assert answers(fourth, made_up(fourth, lambda point, scheme: None))[:3] == [FAILED] * 3


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn(name: str, tmp_path: Path) -> None:
    study = study_of(name)
    assert study.plot is not None
    paths = study.plot(made_up(study, as_in_the_paper), tmp_path)
    assert [path.name for path in paths] == [f"{name}.pdf", f"{name}.svg", f"{name}.png"]


def test_costs_are_those_of_table_2() -> None:
    """The averages that figures 3 and 4 charge are those that table 2 draws beside its own."""
    table, shared = (sys.modules[find_study(name)[0].evaluate.__module__] for name in ("2008-table2", "2008-fig3"))
    names = {"Short": "locked", "LF": "lock-free", "WF": "wait-free"}
    for (kind, scheme), (cost, each) in shared.COSTS.items():
        mean = table.PAPER[kind, names[scheme]][0]
        base, _, slope = mean.partition(" + ")
        assert round(1000 * float(base)) == int(cost.removesuffix("ns"))
        assert round(1000 * float(slope.removesuffix(" N") or 0)) == int(each.removesuffix("ns"))


def test_schemes_are_asked_of_the_same_sets() -> None:
    """By the sets themselves: wait-free tasks share nothing, and a bound is there where a set is schedulable."""
    study = study_of("2008-fig3")
    found = {
        k: study.evaluate(Unit(Point({"kind": "buffer", "load": "high", "K": k}), 0, 5, 7)) for k in (1, 9)
    }  # fmt: skip
    for columns in found.values():
        for scheme in SCHEMES:
            bounds, proved = columns[f"tardiness {scheme}"], columns[f"G-EDF {scheme}"]
            assert [bound is not None for bound in bounds] == list(proved) and len(bounds) == 5
    few, many = ([bound or 0 for bound in found[k]["tardiness WF"]] for k in (1, 9))
    # More accesses cost more, on the whole.
    assert sum(few) < sum(many)
