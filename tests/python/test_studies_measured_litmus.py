"""The studies of litmus-rt-2006 and block-or-not-2008 that measure: their sets, their claims, and short real runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import matplotlib.pyplot as plt
import pyarrow as pa
import pytest

from schedlab import _native
from schedlab.errors import CannotRun
from schedlab.plots import paper_style
from schedlab.studies import Claim, Point, RealStudy, Results, Unit, find_study

HELD, FAILED, OPEN = "holds here", "does not hold here", "not evaluated"


def real(name: str) -> RealStudy:
    study, _ = find_study(name)
    assert isinstance(study, RealStudy)
    return study


def of(name: str, member: str) -> Any:
    """Something of the file of a study."""
    return getattr(sys.modules[real(name).evaluate.__module__], member)


def made_up(study: RealStudy, rows: Callable[[Any], list[dict[str, Any]]], sets: int = 2) -> Results:
    """Results by a rule: rows for each point, the same for all sets but for ``set``."""
    found = [
        {**point.parameters, "set": index, **row}
        for point in study.points for index in range(sets) for row in rows(point.parameters)
    ]  # fmt: skip
    names = dict.fromkeys(name for row in found for name in row)
    table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in found])
    return Results(table, {"sets": sets})


def judged(study: RealStudy, results: Results) -> dict[str, Claim]:
    """Claims by their texts."""
    assert study.claims is not None
    claims = study.claims(results)
    assert all(claim.refuted_by for claim in claims if claim.answer != OPEN), "each claim names its mutant"
    return {claim.text: claim for claim in claims}


def draws(study: RealStudy, results: Results) -> int:
    """How many figures there are; each says below what was measured."""
    assert study.draw is not None
    with paper_style():
        figures = study.draw(results)
        for figure in figures.values():
            assert figure.get_supxlabel()
            figure.draw_without_rendering()
            plt.close(figure)
    return len(figures)


def answers(study: RealStudy, results: Results) -> list[str]:
    return [claim.answer for claim in judged(study, results).values()]


def test_sets_have_the_tasks_of_the_paper_and_fewer_on_fewer_processors() -> None:
    """Section 4.3: (A) 84 tasks, (B) 38, (C) 34 on four processors; utilizations by hand."""
    counts, scenario = of("2006-fig12", "counts"), of("2006-fig12", "scenario")
    assert [counts(name, 4) for name in "ABC"] == [[28, 12, 12, 32], [4, 4, 5, 25], [4, 5, 25]]
    assert [counts(name, 2) for name in "ABC"] == [[14, 6, 6, 16], [2, 2, 3, 13], [2, 3, 13]]
    assert counts("B", 1) == [1, 1, 2, 7]
    four = scenario("A", "PD2", 4, 64, 5_000_000)
    assert float(four.utilization) == pytest.approx(3.32)
    text = four.to_toml()
    assert 'workload = "backtest 5000000"' in text and 'working_set = "64 KiB"' in text
    assert four.tasks.to_pandas()["wcet_ns"].value_counts().to_dict()[9_000_000] == 32


def test_partitions_of_a_set_are_nearly_equal() -> None:
    """The paper partitioned so that the total utilization on each processor is the same."""
    for name in "ABC":
        for m in (2, 4):
            scenario = of("2006-fig12", "scenario")(name, "P-EDF", m, 16, 5_000_000)
            assert 'fit = "worst"' in scenario.to_toml()
            tasks = scenario.tasks.to_pandas()
            rows = list(zip(tasks["wcet_ns"], tasks["period_ns"], tasks["period_ns"], strict=True))
            places, misfits = _native.pack(rows, m, "worst_fit_decreasing")
            assert not misfits
            loads = [sum(rows[task][0] / rows[task][1] for task in there) for there in places]
            assert max(loads) - min(loads) < 0.03, (name, loads)


def completion(mean: float, deviation: float = 1.0) -> list[dict[str, Any]]:
    return [{"processors": 2, "count": 42, "mean_ns": mean * 1e6, "deviation_ns": deviation * 1e6, "missed": 0}]


def test_figure_12_judges_what_the_paper_says() -> None:
    study = real("2006-fig12")

    def papers(point: Any) -> list[dict[str, Any]]:
        best = "S-PD2" if point["tasks"] == "A" else "PD2"
        mean = {"P-EDF": 120, "G-EDF": 110, "NG-EDF": 130, "PD2": 105, "S-PD2": 105}[point["scheduler"]]
        spread = {"P-EDF": 20, "G-EDF": 10, "NG-EDF": 10}.get(point["scheduler"], 5)
        return completion(mean - 5 * (point["scheduler"] == best), spread)

    def contrary(point: Any) -> list[dict[str, Any]]:
        mean = {"P-EDF": 90, "G-EDF": 130, "NG-EDF": 110, "PD2": 105, "S-PD2": 145}[point["scheduler"]]
        return completion(mean, {"P-EDF": 1, "G-EDF": 2, "NG-EDF": 3}.get(point["scheduler"], 9))

    assert answers(study, made_up(study, papers)) == [*[HELD] * 7, OPEN]
    assert answers(study, made_up(study, contrary)) == [*[FAILED] * 7, OPEN]
    assert draws(study, made_up(study, papers)) == 1


def test_figure_5_judges_the_largest_error_and_its_drift() -> None:
    study = real("2006-fig5")

    def late(worst: int, grows: int) -> Callable[[Any], list[dict[str, Any]]]:
        def rows(point: Any) -> list[dict[str, Any]]:
            error = [2_000 + grows * at for at in range(100)]
            error[50] = worst
            return [{"quantum": at, "first_ns": 1_000, "last_ns": 1_000 + one} for at, one in enumerate(error)]

        return rows

    assert answers(study, made_up(study, late(24_000, 0))) == [HELD, HELD]
    assert answers(study, made_up(study, late(26_000, 0))) == [FAILED, HELD]
    assert answers(study, made_up(study, late(24_000, 40))) == [HELD, FAILED]
    assert draws(study, made_up(study, late(24_000, 40))) == 1


def test_figure_4_judges_what_the_paper_says() -> None:
    study = real("2006-fig4")

    def papers(point: Any) -> list[dict[str, Any]]:
        if point["inset"] == "a":
            size = point["bytes"] * (0.5 if point["access"] == "reads" else 1.0)
            migration = size * (1.4 if point["quanta"] == "aligned" else 1.2)
            found = {"cache_related_preemption": size, "cache_related_migration": migration}
        else:
            dear = {"P-EDF": 0.9, "G-EDF": 3.0}.get(point["scheduler"], 1.0)
            found = {"context_switch": 1_000 * dear, "deciding": 3_000 * dear}
        return [
            {"what": what, "path": None, "count": 9, "mean_ns": mean, "max_ns": 2 * mean}
            for what, mean in found.items()
        ]

    def contrary(point: Any) -> list[dict[str, Any]]:
        return [{**row, "mean_ns": 1e9 / row["mean_ns"]} for row in papers(point)]

    found = answers(study, made_up(study, papers))
    assert draws(study, made_up(study, papers)) == 1
    assert found == [HELD] * 6 + [OPEN, HELD]
    # The inverse of a quantity is no line either, and ratios of reads to writes become 2.
    assert answers(study, made_up(study, contrary)) == [FAILED, FAILED, HELD, FAILED, FAILED, FAILED, OPEN, FAILED]


def capacity(short: dict[int, float], m: int = 2) -> Callable[[Any], list[dict[str, Any]]]:
    """75% but for short resources from some RCSL on."""

    def rows(point: Any) -> list[dict[str, Any]]:
        lost = 20 if point["length"] == "short" and point["rcsl"] >= short[point["resources"]] else 0
        return [{"processors": m, "background_percent": 75.0 - lost, "missed": 0}]

    return rows


def test_figure_2_judges_thresholds_on_the_papers_processors_only() -> None:
    study = real("2008-fig2")
    rest = [HELD] * 3
    assert answers(study, made_up(study, capacity({1: 0.3, 2: 0.5, 4: 0.7}))) == [HELD, HELD, OPEN, HELD, *rest]
    assert answers(study, made_up(study, capacity({1: 0.3, 2: 0.5, 4: 0.7}, 4))) == [*[HELD] * 4, *rest]
    assert answers(study, made_up(study, capacity({1: 0.7, 2: 0.7, 4: 0.7}, 4))) == [HELD, HELD, FAILED, FAILED, *rest]
    assert draws(study, made_up(study, capacity({1: 0.3, 2: 0.5, 4: 0.7}))) == 1


def test_figure_2_judges_what_little_time_in_sections_costs_and_what_periods_change() -> None:
    study = real("2008-fig2")
    # Spinning loses 20 points with one resource where a tenth of the time is spent in sections.
    results = made_up(study, capacity({1: 0.1, 2: 0.5, 4: 0.7}))
    assert answers(study, results)[4:] == [HELD, FAILED, FAILED]
    at = results.table.column_names.index("background_percent")
    apart = [value - 6 * index for value, index in zip(
        results.table.column(at).to_pylist(), results.table.column("set").to_pylist(), strict=True)]  # fmt: skip
    other = Results(results.table.set_column(at, "background_percent", pa.array(apart)), results.provenance)
    assert answers(study, other)[4] == FAILED, "sets of other periods are 6 points apart"
    assert answers(study, made_up(study, capacity({1: 0.3, 2: 0.5, 4: 0.7}), sets=1))[4] == OPEN
    late = [point for point in study.points if float(point.parameters["rcsl"]) >= 0.2]
    assert answers(study, made_up(replace(study, points=late), capacity({1: 0.3, 2: 0.5, 4: 0.7})))[5:] == [OPEN, OPEN]


def test_a_set_of_figure_2_consumes_a_quarter_of_its_utilization() -> None:
    scenario = of("2008-fig2", "scenario")
    for m in (1, 2, 4):
        for resources in (1, 2, 4):
            tasks = scenario(40, 0.3, resources, "short", m, 2)
            assert float(tasks.utilization) == pytest.approx(0.25 * m)
            rows = tasks.tasks.to_pandas()
            assert len(rows) == 8 * m and set(rows["wcet_ns"]) == {1_250_000}
    assert "execute 375us" in scenario(40, 0.3, 2, "long", 2, 2).to_toml(), "0.3 of 1.25 ms in the section"


def overheads(rising: set[tuple[str, str]], falling: tuple[str, ...] = ()) -> Callable[[Any], list[dict[str, Any]]]:
    """Constant ones but for maxima that rise; scheduling costs more and switches less under G-EDF."""
    measured = of("2008-appendix-a", "set_points").__globals__["MEASURED"]

    def rows(point: Any) -> list[dict[str, Any]]:
        found = []
        for what in measured.get(point["kind"], {}):
            dear = {("scheduling", "G-EDF"): 2.0, ("context_switch", "P-EDF"): 2.0}.get((what, point["scheduler"]), 1.0)
            grows = 1 + point["size"] / 20 if (what, point["scheduler"]) in rising else 1.0
            if what in falling:
                grows = 1 - point["size"] / 200
            found.append({"what": what, "count": 9, "mean_ns": 900.0 * dear, "max_ns": 1_000.0 * dear * grows})
        return found

    return rows


PAPERS = {("scheduling", "G-EDF"), ("release", "G-EDF")}


def test_appendix_a_judges_trends() -> None:
    study = real("2008-appendix-a")
    # Switches are constant, delayed preemptions alike; releases of semaphores vary least of all, or nothing varies.
    rest = [FAILED, HELD, FAILED]
    assert answers(study, made_up(study, overheads(PAPERS))) == [*[HELD] * 8, *rest]
    assert draws(study, made_up(study, overheads(PAPERS))) == 2
    none = judged(study, made_up(study, overheads(set())))
    first = [FAILED, HELD, FAILED, HELD, HELD, HELD, HELD, HELD]
    assert [claim.answer for claim in none.values()] == [*first, FAILED, HELD, OPEN]
    other = answers(study, made_up(study, overheads({*PAPERS, ("scheduling", "P-EDF"), ("lock_release", "P-EDF")})))
    assert other == [HELD, FAILED, HELD, HELD, FAILED, HELD, HELD, HELD, FAILED, HELD, FAILED]
    varied = {("lock_release", "P-EDF"), ("lock_release", "G-EDF")}
    last = answers(study, made_up(study, overheads(varied, ("context_switch",))))[8:]
    assert last == [HELD, HELD, HELD], "switches fall, and vary less than releases of semaphores"


def test_a_line_through_sets_and_its_margin() -> None:
    """y = 3 + 2 x exactly; then, by hand, (0,0), (1,1), (2,1): slope 1/2, its error sqrt(1/12)."""
    import numpy as np

    line, rises = (of("2008-appendix-a", name) for name in ("line", "rises"))
    exact = line(np.array([10, 40, 70]), np.array([23.0, 83.0, 143.0]))
    assert (round(exact.intercept, 6), round(exact.slope, 6), rises(exact)) == (3.0, 2.0, True)
    rough = line(np.array([0, 1, 2]), np.array([0.0, 1.0, 1.0]))
    assert rough.slope == pytest.approx(0.5) and rough.margin == pytest.approx(63.657 * (1 / 12) ** 0.5, rel=1e-4)
    assert not rises(rough)


def test_table_1_has_the_papers_rows_and_judges_them() -> None:
    study = real("2008-table1")
    sets = overheads(PAPERS)

    def rows(point: Any) -> list[dict[str, Any]]:
        one = {"count": 9, "mean_ns": 1_000.0, "max_ns": 2_000.0}
        if point["kind"] == "reloads":
            found = ["cache_related_preemption", "cache_related_migration"]
        elif point["kind"] == "calls":
            found = ["call"]
        elif point["kind"] == "locks":
            cheap = 0.2 if point["protocol"] == "fmlp-short" else 1.0
            names = [f"{point['protocol']} {what}" for what in ("lock_acquire", "lock_release")]
            return [{"what": name, **one, "mean_ns": cheap * one["mean_ns"]} for name in names]
        else:
            return sets(point)
        return [{"what": what, **one} for what in found]

    results = made_up(study, rows)
    assert answers(study, results) == [HELD] * 3 and draws(study, results) == 1
    table = of("2008-table1", "cells")(results)
    assert table["migration"] == ["-", "1.00 / 2.00"] and table["SRP resource: acquire"] == ["1.00 / 2.00", "-"]
    assert table["scheduling"][1].endswith(" N") and not table["scheduling"][0].endswith("N")
    assert len(table) == 13


def test_table_2_finds_lines_and_their_order() -> None:
    """Made-up costs by the paper's own formulas are called what the paper calls them."""
    study = real("2008-table2")
    names = ("buffer", "queue", "heap")
    # By scheme: nanoseconds at no tasks, and for each task.
    costs = {"sequential": (400, 0), "locked": (450, 0), "lock-free": (800, 0), "wait-free": (2_600, 80)}
    peers = {"buffer": ["arc-swap", "parking_lot"], "queue": ["crossbeam", "parking_lot"], "heap": ["parking_lot"]}

    def rows(point: Any) -> list[dict[str, Any]]:
        found = []
        for name in names:
            for scheme, (base, each) in {**costs, **dict.fromkeys(peers[name], (50, 0))}.items():
                rising = 30 if (name, scheme) == ("heap", "lock-free") else each
                mean = base + rising * point["tasks"]
                one = {"object": name, "scheme": scheme, "count": 9, "mean_ns": float(mean), "max_ns": mean * 2}
                found.append(one)
        return found

    results = made_up(study, rows)
    assert answers(study, results) == [HELD] * 3 and draws(study, results) == 1
    table = of("2008-table2", "cells")(results)
    assert table["buffer: WF"] == ["2.600 + 0.0800 N", "5.200 + 0.1600 N", "2.62 + 0.01 N", "5.43 + 0.20 N"]
    assert table["queue: Short"] == ["0.400", "0.800", "0.32", "0.58"] and len(table) == 17
    assert table["queue: Short with its lock"] == ["0.450", "0.900", "-", "-"]
    assert table["queue: crossbeam"] == table["heap: parking_lot"] == ["0.050", "0.100", "-", "-"]


SHORT = [
    ("2006-fig12", {"iterations": 2_000_000, "tasks": "C", "array_kib": 16, "scheduler": "PD2"}, "mean_ns"),
    ("2006-fig5", {"quanta": "staggered"}, "last_ns"),
    ("2006-fig4", {"inset": "a", "bytes": 4096, "quanta": "aligned", "access": "reads"}, "max_ns"),
    ("2006-fig4", {"inset": "bc", "scheduler": "S-PD2", "size": 10, "length": "300ms"}, "max_ns"),
    ("2008-fig2", {"seconds": 1, "length": "short", "resources": 2, "rcsl": 0.5}, "background_percent"),
    ("2008-appendix-a", {"kind": "plain", "scheduler": "P-EDF", "size": 10, "length": "300ms"}, "mean_ns"),
    ("2008-table2", {"tasks": 2}, "mean_ns"),
    ("2008-table1", {"kind": "locks", "protocol": "srp", "length": "300ms"}, "mean_ns"),
]


@pytest.mark.realtime
@pytest.mark.parametrize(("name", "parameters", "column"), SHORT)
def test_a_short_real_run_gives_rows(name: str, parameters: dict[str, Any], column: str) -> None:
    study = real(name)
    try:
        with study.session():
            rows = study.columns(Unit(Point(parameters), 0, 1, 1))
    except CannotRun as refusal:
        pytest.skip(str(refusal))
    assert rows[column] and all(value >= 0 for value in rows[column])
    assert len({len(values) for values in rows.values()}) == 1, "columns of equal length"
    assert "noise_others" in rows
