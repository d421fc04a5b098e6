"""The scheduling figures of chronos-scalability-2011: placements as the paper has them, one store, plots and claims."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schedlab
from schedlab.studies import Point, Results, Study, Unit, find_study, read_results, run_study
from schedlab.studies.claims import DOES_NOT_HOLD as NOT
from schedlab.studies.claims import HOLDS
from schedlab.studies.claims import INDISTINGUISHABLE as ALIKE
from schedlab.studies.errors import StudyError

pytestmark = pytest.mark.usefixtures("as_png")

DECIDING = " with decisions"
DISTRIBUTIONS = {"BHU", "BHB", "BMU", "BMB", "BLU", "BLB"}


def small(name: str, loads: set[int]) -> tuple[Study, Path]:
    """The study at a few loads."""
    study, path = find_study(name)
    return replace(study, points=[point for point in study.points if point.parameters["load"] in loads]), path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Figures of 16 processors, two sets at each of three loads."""
    out = tmp_path_factory.mktemp("studies")
    for name in ("2011-fig9", "2011-fig10", "2011-fig11"):
        study, path = small(name, {4, 14, 16})
        report = run_study(study, path, out / name, sets=2)
        # Figure 10 draws what figure 9 simulated.
        assert report.reused == (report.units if name == "2011-fig10" else 0)
    return {name: out / name for name in ("2011-fig9", "2011-fig10", "2011-fig11")}


def test_the_sizes_are_the_papers() -> None:
    for name, processors in (("2011-fig1", 48), ("2011-fig3", 48), ("2011-fig9", 16), ("2011-fig11", 16)):
        study, _ = find_study(name)
        assert len(study.points) == 6 * processors and study.full_sets == 1000
        assert {point.parameters["distribution"] for point in study.points} == DISTRIBUTIONS


def test_how_many_tasks_the_fullest_processor_has_is_stored(runs: dict[str, Path]) -> None:
    helper = sys.modules[find_study("2011-fig11")[0].evaluate.__module__]
    study, _ = find_study("2011-fig11")
    [point] = [point for point in study.points if point.parameters == {"distribution": "BLU", "load": 14}]
    drawn = helper._drawn(Unit(point, 0, 1, seed=study.point_seed(point, 1)), 0, helper.SMALL)
    places, left = filled(drawn, 16, Fraction(95, 100))
    [row] = [
        row for row in rows_of(runs["2011-fig11"]) if (row["distribution"], row["load"], row["set"]) == ("BLU", 14, 0)
    ]
    assert left == 0 and row["tasks"] == len(places)
    assert row["most tasks"] == max(sum(place == [cpu] for place in places) for cpu in range(16)) > 30


def test_figures_of_a_machine_have_the_same_sets_and_share_their_results() -> None:
    families = {name: find_study(name)[0] for name in ("2011-fig1", "2011-fig2", "2011-fig6", "2011-table1")}
    assert {study.family for study in families.values()} == {"2011-48-processors"}
    [seed] = {study.point_seed(study.points[7], 1) for study in (*families.values(), find_study("2011-fig3")[0])}
    assert seed != find_study("2011-fig9")[0].point_seed(find_study("2011-fig9")[0].points[7], 1)


def rows_of(directory: Path) -> list[Mapping[str, Any]]:
    return read_results(directory).table.to_pylist()


def test_what_overloads_nothing_is_scheduled_and_what_cannot_be_is_not(runs: dict[str, Path]) -> None:
    rows = rows_of(runs["2011-fig9"])
    assert all(row["P-EDF met"] and row["C-EDF met"] for row in rows if row["load"] == 4)
    # Sixteen tasks of more than half a processor each are more than sixteen processors hold.
    assert not any(row["P-EDF met"] for row in rows if (row["distribution"], row["load"]) == ("BHU", 16))
    for row in rows:
        assert (row["P-EDF tardiness"] == 0) == row["P-EDF met"]
        assert row["P-EDF migrations"] == row["NG-EDF migrations"] == row["G-NP-HVDF migrations"] == 0


def test_utility_accrual_is_edf_in_underload(runs: dict[str, Path]) -> None:
    by_figure = {name: rows_of(runs[name]) for name in ("2011-fig9", "2011-fig11")}
    for plain, accrual in zip(*by_figure.values(), strict=True):
        assert plain["tasks"] == accrual["tasks"]
        assert plain["P-EDF met"] == accrual["P-EDF met"] and plain["G-EDF met"] == accrual["G-EDF met"]
        for scheduler, by_deadline in (("P-LBESA", "P-EDF"), ("P-DASA-ND", "P-EDF"), ("gMUA", "G-EDF")):
            assert accrual[f"{scheduler} met"] >= accrual[f"{by_deadline} met"]
    assert any(not row["gMUA met"] for row in by_figure["2011-fig11"])


@pytest.mark.parametrize("name", ["2011-fig9", "2011-fig10", "2011-fig11"])
def test_plots_and_claims_come_out_of_stored_results(runs: dict[str, Path], name: str, tmp_path: Path) -> None:
    study, _ = find_study(name)
    results = read_results(runs[name])
    # Figure 11 is drawn as figure 9 is.
    if name != "2011-fig11":
        assert study.plot is not None
        paths = study.plot(results, tmp_path)
        assert [path.suffix for path in paths] == [".png"]
        assert all(path.stat().st_size > 5000 for path in paths)
    # The text says nothing of figure 10.
    claims = study.claims(results) if study.claims is not None else []
    assert bool(claims) == (name != "2011-fig10")
    assert all(claim.because for claim in claims)


#: As many made-up sets are enough for every comparison.
SETS = 600


def of_made_up(name: str, begin: str, cell: Callable[[Mapping[str, Any], str], Any]) -> str:
    """The answer to the claim that begins so, of made-up sets that are alike at each point."""
    study, _ = find_study(name)
    met = [f"{scheduler} met{suffix}" for scheduler in study.parameters["schedulers"] for suffix in ("", DECIDING)]
    columns = ("tasks", "most tasks", *met)
    points = [point.parameters for point in study.points]
    rows = [{**point, **{one: cell(point, one) for one in columns}} for point in points] * SETS
    assert study.claims is not None
    claims = study.claims(Results(pa.Table.from_pylist(rows), {"sets": 1, "overheads": None}))
    return next(claim.answer for claim in claims if claim.text.startswith(begin))


@pytest.mark.parametrize(("most", "at_full_load", "answer"), [(100, 20, HOLDS), (70, 23, NOT)])
def test_numbers_of_light_tasks_are_compared(most: int, at_full_load: int, answer: str) -> None:
    def cell(point: Mapping[str, Any], column: str) -> int:
        each = at_full_load if point["load"] == 48 else 20
        return {"tasks": each * point["load"], "most tasks": most if point["load"] == 45 else 20}.get(column, 1)

    for begin in ("in BLU a processor has as many tasks", "first fit puts many very light tasks"):
        assert of_made_up("2011-fig3", begin, cell) == answer


@pytest.mark.parametrize(("below", "answer"), [("BHU", HOLDS), ("BMB", NOT)])
def test_loads_of_figure_9_are_compared(below: str, answer: str) -> None:
    """G-NP-EDF is the best in BLU and the worst elsewhere; P-EDF is above G-EDF but in one distribution."""

    def cell(point: Mapping[str, Any], column: str) -> bool:
        name = point["distribution"]
        last = {"NG-EDF": 15 if name == "BLU" else 5, "P-EDF": 8 if name == below else 12}
        return bool(point["load"] <= last.get(column.split()[0], 10))

    assert of_made_up("2011-fig9", "the differences of P-EDF and G-EDF", cell) == answer
    assert of_made_up("2011-fig9", "G-NP-EDF's performance is unpredictable", cell) == HOLDS
    assert (
        of_made_up("2011-fig9", "G-NP-EDF's performance is unpredictable", lambda point, _: point["load"] < 9) == ALIKE
    )


def test_figures_of_48_processors_are_drawn_and_judged(tmp_path: Path) -> None:
    study, path = small("2011-fig1", {30, 47})
    run_study(study, path, tmp_path / "2011-fig1", sets=1)
    answers = {}
    for name in ("2011-fig1", "2011-fig2", "2011-fig6", "2011-table1"):
        other, other_path = small(name, {30, 47})
        report = run_study(other, other_path, tmp_path / name, sets=1)
        assert report.reused == report.units == 12
        results = read_results(tmp_path / name)
        assert other.plot is not None
        # Figures 1 and 2 are drawn as figures 9 and 10 are.
        assert name in ("2011-fig1", "2011-fig2") or len(other.plot(results, tmp_path)) == 1
        # The text says nothing of figure 6.
        assert (other.claims is None) == (name == "2011-fig6")
        answers |= {claim.text: claim.answer for claim in (other.claims(results) if other.claims else ())}
    assert answers["G-FIFO outperforms SCHED_FIFO [decisions]"] == ALIKE, "one set at two loads does not tell"
    # Some 900 tasks on 48 processors: each event stops them all.
    [busiest] = [row for row in rows_of(tmp_path / "2011-fig1") if (row["distribution"], row["load"]) == ("BLU", 47)]
    assert busiest["G-EDF met"] and not busiest["G-EDF met with decisions"]
    assert busiest["P-EDF tardiness with decisions"] < 100 < busiest["G-EDF tardiness with decisions"]


def test_decisions_are_those_of_one_set_in_four(runs: dict[str, Path]) -> None:
    rows = rows_of(runs["2011-fig9"])
    for scheduler in ("G-EDF", "SCHED_FIFO"):
        known = {row["set"]: row[f"{scheduler} met with decisions"] is not None for row in rows}
        assert known == {0: True, 1: False}


#: What a file has to say of SCHED_FIFO.
RUN_QUEUES = '[[scheduler]]\nname = "SCHED_FIFO"\nscheduling = "1 us"\npush = "1 us"\npull = "{pull}"'


def test_sched_fifo_pays_for_what_a_file_says_of_its_run_queues(runs: dict[str, Path], tmp_path: Path) -> None:
    study, path = small("2011-fig9", {14})
    found = {}
    for pull in ("1 us", "5 ms"):
        given = file_of(tmp_path, 'scheduling = "1 us"\n' + RUN_QUEUES.format(pull=pull))
        run_study(study.with_overheads(given), path, tmp_path / "2011-fig9", sets=1)
        found[pull] = [row["SCHED_FIFO tardiness with given overheads"] for row in rows_of(tmp_path / "2011-fig9")]
    assert all(short <= long for short, long in zip(*found.values(), strict=True))
    assert sum(found["5 ms"]) > 2 * sum(found["1 us"]), "a set that waits in queues is pulled from there"
    helper = sys.modules[study.evaluate.__module__]
    results = read_results(tmp_path / "2011-fig9")
    assert helper.variants(results)[1].has_run_queues
    assert helper.charges_of(results) == 'overheads of "mine"'


@pytest.mark.parametrize(("last", "surprise", "theory"), [(10, HOLDS, NOT), (29, NOT, HOLDS)])
def test_the_papers_surprise_can_be_refuted(last: int, surprise: str, theory: str) -> None:
    """With overheads G-FIFO meets all deadlines up to 20, SCHED_FIFO up to more or less."""

    def cell(point: Mapping[str, Any], column: str) -> bool:
        charged = last if column.startswith("SCHED_FIFO") else 20
        return bool(point["load"] <= (charged if column.endswith(DECIDING) else 40))

    assert of_made_up("2011-fig1", "G-FIFO outperforms SCHED_FIFO", cell) == surprise
    assert of_made_up("2011-fig1", "data of each processor's own should scale better", cell) == theory


def file_of(folder: Path, scheduling: str) -> Path:
    """An overheads file in which a decision of a global scheduler takes so long, one of another 1 us."""
    file = folder / "mine.toml"
    file.write_text(
        'schedlab-overheads = 1\ntitle = "mine"\nmachine = "a machine"\nsource = "a test"\n'
        '[[scheduler]]\nname = "P-EDF"\nstands_for = ["P-*", "C-*", "NG-*", "G-FIFO"]\nscheduling = "1 us"\n'
        f'[[scheduler]]\nname = "G-EDF"\nstands_for = ["G-*"]\n{scheduling}\n'
    )
    return file


def test_a_file_is_charged_in_place_of_fitted_decisions(runs: dict[str, Path], tmp_path: Path) -> None:
    study, path = small("2011-fig9", {4})
    plain = [row for row in rows_of(runs["2011-fig9"]) if row["load"] == 4 and row["set"] == 0]
    found = {}
    for cost in ("1 us", "9 ms"):
        given = study.with_overheads(file_of(tmp_path, f'scheduling = "{cost}"'))
        # What was stored of another file, or of none, is none of this one.
        assert run_study(given, path, tmp_path / "2011-fig9", sets=1).reused == 0
        found[cost] = rows_of(tmp_path / "2011-fig9")
    for rows in found.values():
        assert not any("decisions" in column or column == "SCHED_FIFO met with given overheads" for column in rows[0])
        for row, other in zip(rows, plain, strict=True):
            assert {name: row[name] for name in row.keys() & other.keys()} == {
                name: value for name, value in other.items() if "decisions" not in name
            }
    by_cost = [[row["G-EDF met with given overheads"] for row in rows] for rows in found.values()]
    assert by_cost[0] == [row["G-EDF met"] for row in plain] and sum(by_cost[1]) < sum(by_cost[0])
    partitioned = [[row["P-EDF tardiness with given overheads"] for row in rows] for rows in found.values()]
    assert partitioned[0] == partitioned[1]

    results = read_results(tmp_path / "2011-fig9")
    helper = sys.modules[study.evaluate.__module__]
    assert helper.charges_of(results) == 'overheads of "mine"; SCHED_FIFO without'
    assert helper.sets_with(results) == "1 with given overheads"
    assert study.plot is not None and study.claims is not None
    assert len(study.plot(results, tmp_path)) == 1
    told = [str(part) for claim in study.claims(results) for part in claim.parts]
    assert any("given overheads" in part for part in told)
    assert not any("decisions: " in part for part in told)


@pytest.mark.parametrize("name", ["2011-fig2", "2011-table1"])
def test_figures_of_48_processors_are_judged_with_a_file(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    study, path = small(name, {20, 21})
    study = replace(study, points=[point for point in study.points if point.parameters["load"] > 19])
    run_study(study.with_overheads(file_of(tmp_path, 'scheduling = "1 us"')), path, folder, sets=1)
    results = read_results(folder)
    assert study.claims is not None and study.plot is not None
    assert len(study.plot(results, folder)) == 1
    assert not any("[decisions]" in claim.text or "fitted" in claim.text for claim in study.claims(results))


def test_a_file_that_lacks_a_schedulers_decisions_is_refused(tmp_path: Path) -> None:
    for name, scheduler in (("2011-fig10", "G-EDF"), ("2011-fig11", "gMUA")):
        study, path = small(name, {4})
        with pytest.raises(StudyError, match=f"do not say what scheduling takes under {scheduler}"):
            run_study(study.with_overheads(file_of(tmp_path, 'release = "1 us"')), path, tmp_path / name, sets=1)


def test_a_file_may_extend_another(tmp_path: Path) -> None:
    """Units carry a text: it holds what the other file says, and refers to none."""
    study, _ = small("2011-fig10", {4})
    other = file_of(tmp_path, 'scheduling = "1 us"')
    file = tmp_path / "both.toml"
    file.write_text(
        f'extends = "{other.name}"\nschedlab-overheads = 1\ntitle = "both"\n'
        '[[object]]\nkind = "queue"\nscheme = "locked"\naccess = "2 us"\n'
    )
    given = tomllib.loads(study.with_overheads(file).overheads)
    assert "extends" not in given and (given["title"], given["machine"]) == ("both", "a machine")
    assert [of["name"] for of in given["scheduler"]] == ["P-EDF", "G-EDF"]
    assert [of["kind"] for of in given["object"]] == ["queue"]
    other.unlink()
    with pytest.raises(schedlab.BadInput, match=rf"both\.toml:1:11: extends: cannot read \"{other.name}\""):
        study.with_overheads(file)


def test_placements_are_the_papers() -> None:
    """First fit up to 0.95 of a processor, and by least utilization; the rest goes where least is."""
    tasks = [{"wcet_ns": cost, "period_ns": 100} for cost in (60, 60, 60, 50, 40)]
    given = schedlab.Scenario.from_tasks(tasks, processors=2, scheduler="P-EDF", horizon=100)
    placed = {}
    for words in ("first_fit_decreasing bound=0.95 least_loaded", "worst_fit_decreasing bound=1 least_loaded"):
        placed[words] = [row["processors"] for row in schedlab.place(given.replace(placement=words))["tasks"]]
    # 0.6 and 0.4 are more than 0.95: the last goes to the less loaded processor, the second.
    assert list(placed.values()) == [[[0], [1], [0], [1], [1]], [[0], [1], [0], [1], [1]]]


def scenarios(load: int, index: int, machine: str = "SMALL") -> dict[str, schedlab.Scenario]:
    """A heavy bimodal set under each scheduler of a machine, as the studies place it."""
    helper = sys.modules[find_study("2011-fig9")[0].evaluate.__module__]
    of = getattr(helper, machine)
    unit = Unit(Point({"distribution": "BHB", "load": load}), index, index + 1, seed=7)
    made: dict[str, schedlab.Scenario] = helper._scenarios(helper._drawn(unit, index, of), of, of.schedulers)
    return made


def filled(given: schedlab.Scenario, processors: int, bound: Fraction | None) -> tuple[list[list[int]], int]:
    """By task its processor, by decreasing utilization; with a bound the first where it fits. How many fit nowhere."""
    shares = [Fraction(*part) for part in zip(given.tasks["wcet_ns"], given.tasks["period_ns"], strict=True)]
    full, places, left = [Fraction(0)] * processors, [[-1]] * len(shares), 0
    for task in sorted(range(len(shares)), key=lambda task: (-shares[task], task)):
        fits = [cpu for cpu in range(processors) if bound is not None and full[cpu] + shares[task] <= bound]
        cpu = fits[0] if fits else min(range(processors), key=lambda cpu: (full[cpu], cpu))
        left += not fits
        places[task], full[cpu] = [cpu], full[cpu] + shares[task]
    return places, left


def placed(given: schedlab.Scenario) -> list[list[int]]:
    return [row["processors"] for row in schedlab.place(given)["tasks"]]


def test_random_sets_are_placed_as_section_3_3_says() -> None:
    """Against brute force: first fit up to 0.95 and what is left over, least utilization, clusters from the latter."""
    overflowed = {}
    for load in (12, 16):
        for index in range(4):
            made = scenarios(load, index)
            first, left = filled(made["P-EDF"], 16, Fraction(95, 100))
            least, _ = filled(made["P-RM"], 16, None)
            assert placed(made["P-EDF"]) == first
            assert placed(made["P-RM"]) == least
            assert first != least, "the two rules can be told apart"
            assert placed(made["C-EDF"]) == [list(range(cpu // 8 * 8, cpu // 8 * 8 + 8)) for [cpu] in least]
            overflowed[load] = overflowed.get(load, 0) + left
    assert overflowed[12] == 0 < overflowed[16], "both cases occur"
    made = scenarios(48, 0, "LARGE")
    least, _ = filled(made["P-RM"], 48, None)
    assert placed(made["C-EDF"]) == [list(range(cpu // 12 * 12, cpu // 12 * 12 + 12)) for [cpu] in least]


def test_threads_of_sched_fifo_have_one_priority() -> None:
    """Then none preempts another, and each goes on where it began."""
    given = scenarios(12, 0)["SCHED_FIFO"]
    assert set(given.tasks["fixed_priority"]) == {1} and given.scheduler == "SCHED_FIFO"
    metrics = schedlab.simulate(given).metrics()
    assert set(metrics.tasks["preemptions"]) == {0} and metrics.migrations == 0


def test_late_jobs_count_although_they_are_not_complete() -> None:
    """What the mean maximum tardiness of figures 2 and 10 is made of."""
    given = schedlab.Scenario.from_tasks([{"wcet_ns": 95, "period_ns": 100}] * 2, processors=1, scheduler="G-EDF")
    [row] = schedlab.simulate_many([given.replace(horizon=150)], check=False)
    assert not isinstance(row, schedlab.BadInput)
    # The second task's job is due at 100 and would be complete at 190.
    assert (row["max_tardiness_ns"], row["misses"]) == (50, 1)
