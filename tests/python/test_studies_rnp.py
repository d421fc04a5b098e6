"""How many processors a set needs: the search, and figures 6 and 7 of litmus-rt-2006, which are made of it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

import schedlab
from schedlab.studies import Results, find_study, read_results, run_study
from schedlab.studies.batch import Batch, fits, judge_sets, required_processors

pytestmark = pytest.mark.usefixtures("as_png")

PARTS = {
    "utilizations": "uniform 0.1 0.9", "periods": "uniform 10ms 100ms step 1ms", "deadlines": "implicit",
    "stop": "trim 3", "seed": 7,
}  # fmt: skip
QUESTIONS = ["P-EDF hard", "G-EDF soft devi_anderson", "G-EDF hard gfb", "PD2 hard"]


def batch(processors: int = 1, sets: int = 40) -> Batch:
    return Batch(**PARTS, sets=range(sets), processors=processors, questions=QUESTIONS)  # type: ignore[arg-type]


def test_it_is_the_least_number_that_brute_force_finds() -> None:
    needed = required_processors(batch(), 30)
    quanta = 10**6
    for index in range(40):
        drawn = schedlab.generate(**PARTS, index=index)  # type: ignore[arg-type]
        tasks = list(zip(drawn.tasks["wcet_ns"], drawn.tasks["period_ns"], strict=True))
        fit = next(m for m in range(1, 31) if fits(tasks, m))
        shares = [Fraction(cost, period) for cost, period in tasks]
        bounded = next(m for m in range(1, 31) if sum(shares) <= m)
        most = max(shares)
        gfb = next((m for m in range(1, 31) if sum(shares) <= m - (m - 1) * most), None)
        pfair = next(m for m in range(1, 31) if sum(Fraction(-(-cost // quanta) * quanta, t) for cost, t in tasks) <= m)
        assert [column[index] for column in needed] == [fit, bounded, gfb, pfair], index


def test_what_no_number_is_enough_for_has_none() -> None:
    needed, proved = required_processors(batch(), 12)[2], judge_sets(batch(processors=12)).proved[2]
    assert None in needed and set(needed) & set(range(1, 13)), "some sets, not all"
    assert [found is not None for found in needed] == proved, "what GFB accepts on eleven it accepts on twelve"
    with pytest.raises(schedlab.BadInput, match="most: 2; allowed: from the batch's 4 processors up"):
        required_processors(batch(processors=4), 2)


@pytest.mark.parametrize(("name", "least"), [("2006-fig6", 5), ("2006-fig7", 2)])
def test_the_figures_are_drawn_and_their_claims_judged(tmp_path: Path, name: str, least: int) -> None:
    study, path = find_study(name)
    run_study(study, path, tmp_path, sets=2)
    results = read_results(tmp_path)
    assert study.plot is not None and study.claims is not None
    assert [path.suffix for path in study.plot(results, tmp_path)] == [".png"]
    claims = list(study.claims(results))
    assert sum(claim.answer != "not evaluated" for claim in claims) >= least
    for claim in claims:
        reason = ("turns on unknown overheads", "staggering makes reloads shorter", "what they take stood in", "tie at")
        assert claim.answer != "not evaluated" or any(one in claim.because for one in reason), claim.because
    heavy = results.where(distribution="H").table
    # Costs rounded up to quanta, and nothing else: at least the total of four.
    assert all(4 <= needed <= 7 for needed in heavy.column("PD2").to_pylist())


def test_figure_7_compares_soft_guarantees_with_hard_ones(tmp_path: Path) -> None:
    study, path = find_study("2006-fig7")
    run_study(study, path, tmp_path, sets=2)
    stored = read_results(tmp_path)
    results = Results(pa.concat_tables([stored.table] * 30), stored.provenance)
    assert study.claims is not None
    said = {claim.text: claim.answer for claim in study.claims(results)}
    [global_edf] = [answer for text, answer in said.items() if text.startswith("G-EDF is substantially better")]
    assert global_edf == "holds here"
    # With the hard answers in place of the soft ones, nothing is better than before.
    table = results.table
    for name in table.column_names:
        if name.startswith("G-EDF, ") and "hard" not in name:
            at = table.column_names.index(name)
            table = table.set_column(at, name, table.column(name.replace("G-EDF, ", "G-EDF, hard, ")))
    again = {claim.text: claim.answer for claim in study.claims(Results(table, results.provenance))}
    assert [answer for text, answer in again.items() if text.startswith("G-EDF is")] == ["does not hold here"]


def test_bounds_of_figure_8_need_a_processor_more_for_overheads(tmp_path: Path) -> None:
    study, path = find_study("2006-fig8")
    run_study(study, path, tmp_path, sets=1)
    results = read_results(tmp_path)
    assert study.plot is not None and study.claims is not None
    assert [found.suffix for found in study.plot(results, tmp_path)] == [".png"]
    for charged in ("4K", "none"):
        for row in results.where(distribution="H").table.to_pylist():
            assert 0 < row[f"G-EDF, {charged}"] < row[f"NG-EDF, {charged}"], "who is not preempted makes others late"
    *judged, of_sizes = study.claims(results)
    assert len(judged) == 3 and of_sizes.answer == "not evaluated", "the text lacks what 256K cost"


def test_figure_8_takes_measured_overheads(tmp_path: Path) -> None:
    """The costs of 4K and 256K are those of the file, the same as if it named no working sets."""

    def found(preemption: str) -> dict[str, float]:
        file = tmp_path / "measured.toml"
        file.write_text(f'schedlab-overheads = 1\ntitle = "made up"\n[all]\ncache_related_preemption = {preemption}\n')
        measured = study.with_overheads(file)
        heavy = next(unit for unit in measured.units(1, 1) if unit.parameters["distribution"] == "H")
        return {name: values[0] for name, values in measured.columns(heavy).items()}

    study = find_study("2006-fig8")[0]
    by_size, large = found('{ working_set = [["4 KiB", "40 us"], ["256 KiB", "400 us"]] }'), found('"400 us"')
    assert by_size["G-EDF, 256K"] == large["G-EDF, 256K"] == large["G-EDF, 4K"] != by_size["G-EDF, 4K"]
    assert by_size["NG-EDF, none"] == by_size["NG-EDF, 4K"], "no preemption, no reload: the file knows nothing else"
    # The same everywhere, to draw and to judge.
    rows = [{**point.parameters, "set": index, **by_size} for point in study.points for index in range(600)]
    results = Results(pa.Table.from_pylist(rows), {"sets": 1, "overheads": "made up"})
    assert study.plot is not None and study.claims is not None
    assert [drawn.suffix for drawn in study.plot(results, tmp_path)] == [".png"]
    said = study.claims(results)
    assert len(said) == 4 and "256K" in said[-1].text and said[-1].answer == "holds here", said[-1]
