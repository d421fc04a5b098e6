"""The studies of resource-protocols-2020 and block-or-not-2008: what they compute, and what they may claim."""

from __future__ import annotations

import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import schedlab
from schedlab.errors import CannotRun
from schedlab.studies import Claim, Results, StudyError, find_study, read_results, run_study
from schedlab.studies.batch import Batch, judge_sets

pytestmark = pytest.mark.usefixtures("as_png")

#: Each study of locks, and how many sets a test can afford.
SETS = {"2020-fig3": 4, "2020-fig4": 1, "2008-fig1": 3}
DRAWN = {"utilizations": "2020-medium", "periods": "2020-heterogeneous", "deadlines": "implicit"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The studies, small."""
    out = tmp_path_factory.mktemp("studies")
    for name, sets in SETS.items():
        study, path = find_study(name)
        run_study(study, path, out / name, sets=sets)
    return {name: out / name for name in SETS}


def claims_of(name: str, directory: Path) -> list[Claim]:
    study, _ = find_study(name)
    assert study.claims is not None
    return list(study.claims(read_results(directory)))


@pytest.mark.parametrize("name", list(SETS))
def test_plots_and_claims_come_out_of_stored_results(runs: dict[str, Path], name: str, tmp_path: Path) -> None:
    study, _ = find_study(name)
    assert study.plot is not None
    paths = study.plot(read_results(runs[name]), tmp_path)
    readings = 2 if name.startswith("2020") else 1
    assert [path.suffix for path in paths] == [".png"] * readings
    assert len({path.stem for path in paths}) == readings
    assert all(path.stat().st_size > 5000 for path in paths)
    claims = claims_of(name, runs[name])
    assert claims
    assert all(claim.because for claim in claims)


@pytest.mark.parametrize("name", ["2020-fig3", "2020-fig4"])
def test_claims_about_overheads_by_protocol_wait_for_measured_ones(
    runs: dict[str, Path], name: str, tmp_path: Path
) -> None:
    about = ("SRP's overhead", "run-time overhead", "management")
    for claim in claims_of(name, runs[name]):
        compares_overheads = any(words in claim.text for words in about)
        # Bounds may be too large to tell that overheads are small.
        assert claim.answer == "not evaluated" or not compares_overheads, claim
        turns = "it turns on what becomes of WCETs" in claim.because
        assert claim.answer != "not evaluated" or compares_overheads or turns, claim
    (tmp_path / "mine.toml").write_text(measured({"srp": 90, "msrp": 90}))
    study, path = find_study(name)
    run_study(study.with_overheads(tmp_path / "mine.toml"), path, tmp_path, sets=SETS[name])
    claims = claims_of(name, tmp_path)
    open_ones = [claim for claim in claims if claim.answer == "not evaluated"]
    assert all("it turns on what becomes of WCETs" in claim.because for claim in open_ones)
    assert not any("numbers of figure 2" in claim.because for claim in claims)
    # Such overheads are felt, and most under the protocols that have most.
    felt = {claim.answer for claim in claims if "SRP's" in claim.text or "management" in claim.text}
    assert felt and "does not hold here" not in felt


def measured(releases_us: dict[str, int]) -> str:
    """An overheads file in which locks take 1 us, but to release those of some protocols takes longer."""
    protocols = "".join(
        f'[[protocol]]\nname = "{name}"\nlock_release = "{longest} us"\n' for name, longest in releases_us.items()
    )
    return (
        'schedlab-overheads = 1\ntitle = "mine"\nmachine = "a machine"\nsource = "a test"\n'
        '[all]\nscheduling = "1 s"\ncontext_switch = "0.3 us"\nlock_acquire = "1 us"\nlock_release = "1 us"\n'
        f"{protocols}"
    )


def test_overheads_only_take_away(runs: dict[str, Path]) -> None:
    names = {"2020-fig3": ("PIP", "PIP handed over", "PCP", "IPCP", "SRP"), "2020-fig4": ("MPCP", "MPCP, all", "MSRP")}
    for study, columns in names.items():
        rows = read_results(runs[study]).table.to_pylist()
        for column in columns:
            assert all(row[column] >= row[f"{column}, with overheads"] for row in rows)
            assert any(row[f"{column}, with overheads"] for row in rows)


def test_only_some_studies_take_overheads(tmp_path: Path) -> None:
    study, _ = find_study("2005-fig4")
    with pytest.raises(StudyError, match="takes no overheads"):
        study.with_overheads(tmp_path / "mine.toml")
    study, _ = find_study("2020-fig3")
    with pytest.raises(schedlab.BadInput, match="there is no such file"):
        study.with_overheads(tmp_path / "none.toml")


def test_the_command_charges_the_file(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(measured({}))
    arguments = ("--overheads", file, "--sets", 1, "--workers", 1, "--no-plot", "--out", tmp_path)
    refused = run("study", "run", "2005-fig4", *arguments)
    assert refused.status == 2 and "takes no overheads" in refused.err
    # Nothing in it says what a working set takes.
    refused = run("study", "run", "2008-fig1", *arguments)
    assert refused.status == 2 and "what reloads of working sets take" in refused.err
    assert run("study", "run", "2020-fig3", *arguments).status == 0
    assert read_results(tmp_path / "2020-fig3").provenance["overheads"] == "mine"


def by_working_set() -> str:
    """An overheads file as `schedlab measure` writes it: reloads by working set, some 20 us for a KiB."""
    reload = '{ max = { working_set = [["4 KiB", "4 us"], ["1 MiB", "20 ms"]] } }'
    reload = reload.replace("} }", '}, mean = { working_set = [["4 KiB", "4 us"], ["1 MiB", "20 ms"]] } }')
    of_file = 'schedlab-overheads = 1\ntitle = "mine"\nmachine = "a machine"\nsource = "a test"\n[all]\n'
    locks = 'lock_acquire = "1 us"\nlock_release = "1 us"\n'
    return f"{of_file}{locks}cache_related_preemption = {reload}\ncache_related_migration = {reload}\n"


def test_a_file_draws_all_figures_of_the_appendix(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(by_working_set())
    study, _ = find_study("2008-appendix-b")
    wanted = {"distribution": ["uniform-medium"], "length": [2, 9]}
    without = sample("2008-appendix-b", **wanted)
    found = sample("2008-appendix-b", file=tmp_path / "mine.toml", **wanted)
    names = [f"soft G-EDF long {size} as in 2008" for size in ("4K", "64K")]
    assert names[0] in without.table.column_names and names[1] not in without.table.column_names
    small, large = (sum(found.table.column(name).to_pylist()) for name in names)
    assert small > large
    assert study.claims is not None
    assert "not evaluated" not in [claim.answer for claim in study.claims(found)]


def test_protocols_of_one_processor_are_ordered(runs: dict[str, Path]) -> None:
    rows = read_results(runs["2020-fig3"]).table.to_pylist()
    for reading in ("", ", keep"):
        for row in rows:
            # Set by set: a weaker bound never proves more.
            assert row[f"PIP{reading}"] >= row[f"PIP handed over{reading}"]
            assert row[f"PCP{reading}"] >= row[f"PIP{reading}"]
            assert row[f"PCP{reading}"] == row[f"IPCP{reading}"]
        assert any(row[f"PCP{reading}"] > row[f"PIP handed over{reading}"] for row in rows)


def test_a_kept_wcet_takes_nothing_away(runs: dict[str, Path]) -> None:
    """Both readings have the same sections, and a smaller WCET only helps."""
    rows = read_results(runs["2020-fig3"]).table.to_pylist()
    for name in ("PIP", "PIP handed over", "PCP", "IPCP", "SRP"):
        assert all(row[f"{name}, keep"] >= row[name] for row in rows)
        assert any(row[f"{name}, keep"] > row[name] for row in rows)
    # A grown WCET shows in what is judged as if nothing were shared, too. A kept one leaves caps above 1 alone to fail.
    for row in read_results(runs["2020-fig4"]).table.to_pylist():
        assert row["P-EDF, nothing shared, keep"] >= row["P-EDF, nothing shared"]


def test_claims_of_2020_are_judged_by_both_readings(runs: dict[str, Path]) -> None:
    for name in ("2020-fig3", "2020-fig4"):
        for claim in claims_of(name, runs[name]):
            for part in claim.parts:
                told = part.because
                assert "grow: " in told and ("keep: " in told or part.answer != "not evaluated"), claim


def test_sharing_only_takes_away(runs: dict[str, Path]) -> None:
    rows = read_results(runs["2020-fig4"]).table.to_pylist()
    assert all(row["P-RM, nothing shared"] >= row["MPCP"] for row in rows)
    assert all(row["P-RM, nothing shared"] >= row["MPCP, all"] for row in rows)
    assert all(row["P-EDF, nothing shared"] >= row["MSRP"] for row in rows)
    assert any(row["P-EDF, nothing shared"] > row["MSRP"] for row in rows)


def test_tardiness_is_known_where_soft_sets_are_schedulable(runs: dict[str, Path]) -> None:
    rows = read_results(runs["2008-fig1"]).table.to_pylist()
    for row in rows:
        for way in ("short", "long"):
            assert row[f"soft G-EDF {way} 4K"] == (row[f"tardiness {way} 4K"] is not None)
            for kind in ("soft", "hard"):
                for scheme in (f"{kind} G-EDF {way}", f"{kind} P-EDF {way}"):
                    assert row[f"{scheme} 4K as in 2008"] >= row[f"{scheme} 4K"], "the paper charges less"
    assert any(row["soft G-EDF long 4K as in 2008"] > row["soft G-EDF long 4K"] for row in rows)
    # 65% and 80% of four processors, before sections: hard sets are smaller.
    low = [row for row in rows if row["load"] == "low"]
    assert sum(row["tasks hard"] for row in low) < sum(row["tasks soft"] for row in low)


def test_the_grids_are_those_of_the_papers() -> None:
    grid, _ = find_study("2020-grid")
    assert len(grid.points) == 4 * 2 * 3 * 5 * 4 * 3
    assert grid.full_sets == 1000
    appendix, _ = find_study("2008-appendix-b")
    assert len(appendix.points) == 7 * 2 * 2 * 14
    assert appendix.full_sets == 50
    assert len({point.parameters["distribution"] for point in appendix.points}) * 2 * 3 == 42


def test_every_case_of_the_2020_grid_has_its_protocols_and_caps() -> None:
    study, _ = find_study("2020-grid")
    [unit, *_] = [unit for unit in study.units(2, 1) if unit.parameters["processors"] == 2]
    columns = study.evaluate(unit)
    assert columns["set"] == [0, 1] * 20
    assert sorted(set(columns["share"])) == [step / 20 for step in range(1, 21)]
    assert set(columns["PIP"]) == {None}
    assert set(columns["MSRP"]) | set(columns["MSRP, with overheads"]) <= {True, False}
    assert set(columns["MPCP, all"]) | set(columns["MPCP, all, keep"]) <= {True, False}
    # Other sets at each cap: numbers of tasks that only grow would be those of one set cut short.
    first = columns["tasks"][::2]
    assert first != sorted(first)


def test_eight_processors_have_the_step_of_the_paper() -> None:
    study, _ = find_study("2020-grid")
    caps = study.evaluate.__globals__["shares_of"]  # type: ignore[attr-defined]
    usual = study.settable[0].default
    fine = [round(8 * share, 2) for share in caps(usual, 8)]
    assert fine == [round(step * 0.05, 2) for step in range(1, 161)]
    assert set(usual) <= set(caps(usual, 8)), "the caps of the others are among them, with the same sets"
    assert caps(usual, 4) == usual and caps([0.5], 8) == [0.5]


def sample(name: str, file: Path | None = None, **wanted: Any) -> Results:
    """The rows of one set at each point with these parameters."""
    study, _ = find_study(name)
    study = study if file is None else study.with_overheads(file)
    tables = []
    for unit in study.units(1, 7):
        if all(unit.parameters[key] in values for key, values in wanted.items()):
            columns = dict(study.evaluate(unit))
            rows = len(next(iter(columns.values())))
            columns |= {key: [value] * rows for key, value in unit.parameters.items()}
            tables.append(pa.table(columns))
    title = None if file is None else "mine"
    return Results(pa.concat_tables(tables, promote_options="permissive"), {"sets": 1, "overheads": title})


@pytest.mark.parametrize(
    ("name", "wanted", "unevaluated"),
    [
        ("2020-grid", {"resources": [4], "probability": [0.5], "processors": [1, 4]}, 3),
        ("2008-appendix-b", {"distribution": ["uniform-medium"], "length": [2, 9]}, 1),
    ],
)
def test_claims_about_the_large_grids_come_with_numbers(name: str, wanted: dict[str, Any], unevaluated: int) -> None:
    study, _ = find_study(name)
    assert study.claims is not None
    claims = study.claims(sample(name, **wanted))
    assert [claim.answer for claim in claims].count("not evaluated") == unevaluated
    numbers = ("%", "unknown", "cases", "points", "insets", "no set")
    assert all(any(word in claim.because for word in numbers) for claim in claims)
    assert "nan" not in "".join(claim.because for claim in claims)


def test_conclusion_v_follows_the_results() -> None:
    """Of made-up results of one inset with four processors and one with sixteen."""

    def answers(long_is_proved: bool, long_bound: float | None) -> list[str]:
        rows = []
        for processors, charged in ((4, "4K as in 2008"), (16, "none")):
            row: dict[str, Any] = {"processors": processors, "distribution": "bimodal", "alpha": 1, "length": 1}
            for kind, scheduler in (("hard", "G-EDF"), ("hard", "P-EDF"), ("soft", "G-EDF"), ("soft", "P-EDF")):
                row[f"{kind} {scheduler} short {charged}"] = kind == "soft"
                row[f"{kind} {scheduler} long {charged}"] = long_is_proved
            row |= {f"tardiness short {charged}": 100.0, f"tardiness long {charged}": long_bound}
            rows.append(row)
        names = {name for row in rows for name in row}
        table = pa.Table.from_pylist([{name: row.get(name) for name in names} for row in rows * 200])
        study, _ = find_study("2008-appendix-b")
        assert study.claims is not None
        return [claim.answer for claim in study.claims(Results(table, {"sets": 1})) if claim.text.startswith("(v)")]

    assert answers(False, 110.0) == ["holds here"] * 2
    assert answers(True, 90.0) == ["does not hold here"] * 2
    assert answers(False, None) == ["holds here", "not evaluated"], "without bounds, nothing is said of tardiness"


def test_batches_draw_what_generate_draws() -> None:
    stop, accesses = "discard-above 0.6", "independent 4 0.5 long"
    questions = ["P-EDF none hard", "P-EDF srp hard"]
    batch = Batch(**DRAWN, stop=stop, seed=5, sets=range(3, 9), processors=1, questions=questions, accesses=accesses)
    answers = judge_sets(batch)
    for place, index in enumerate(range(3, 9)):
        tasks = schedlab.generate(**DRAWN, stop=stop, accesses=accesses, seed=5, index=index).tasks
        assert answers.tasks[place] == len(tasks)
        total = sum(Fraction(task["wcet_ns"], task["period_ns"]) for task in tasks)
        assert answers.proved[0][place] == (total <= 1)
        assert answers.proved[0][place] or not answers.proved[1][place]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"questions": ["C-EDF msrp hard"]}, "allowed are P-EDF, P-RM, P-DM, G-EDF"),
        ({"questions": ["P-EDF mpcp hard"]}, "mpcp"),
        ({"questions": ["P-EDF msrp hard paper-2008-4k"]}, "do not say what its requests take"),
        ({"questions": ["P-EDF msrp hard given"]}, "given"),
        ({"questions": ["P-EDF msrp hard given"], "overheads": "schedlab-overheads = 2"}, "overheads:1:"),
        ({"accesses": "independent 4 2 long"}, "from 0 to 1"),
    ],
)
def test_bad_batches_are_bad_input(change: dict[str, Any], message: str) -> None:
    parts: dict[str, Any] = {"accesses": "none", "questions": ["P-EDF msrp hard"]} | change
    with pytest.raises(schedlab.BadInput, match=message):
        judge_sets(Batch(**DRAWN, **parts, stop="discard-above 1", seed=1, sets=range(1), processors=2))


def test_memory_is_judged_beside_table_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, path = find_study("2020-table1")
    numbers = ("code", "constants", "sum")
    head = ["protocol", *(f"{goal}_{what}" for goal in ("size", "speed") for what in numbers)]
    totals = {"pip": 876, "ipcp": 916, "pcp": 926, "srp": 1157, "mpcp": 1586, "msrp": 1674}
    rows = {name: f"1,1,{total},1,1,{total},0,{9 if name == 'srp' else 8},4" for name, total in totals.items()}
    lines = [f"{name},{row}" for name, row in rows.items()]
    said = "\n".join([",".join([*head, "static", "data_per_lock", "data_per_task"]), *lines])
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, said, ""))
    assert study.claims is not None
    run_study(study, path, tmp_path / "paper")
    assert [claim.answer for claim in study.claims(read_results(tmp_path / "paper"))] == ["holds here"] * 3
    said = said.replace("876", "18760")
    run_study(study, path, tmp_path / "large")
    answers = [claim.answer for claim in study.claims(read_results(tmp_path / "large"))]
    assert answers == ["does not hold here"] * 2 + ["holds here"]
    monkeypatch.setattr(subprocess, "run", lambda command, **_: run(["false"], check=True))
    with pytest.raises(CannotRun, match="with Cargo and a C compiler, and that failed"):
        run_study(study, path, tmp_path / "fails")
