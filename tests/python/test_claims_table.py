"""The page of claims is made of stored results alone."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pytest

from schedlab.gallery import Item
from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.studies import Claim, Part, Results, find_study, list_studies, run_study, sentence
from schedlab.studies.answers import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, NOT_EVALUATED
from schedlab.studies.checks import Lies
from schedlab.studies.estimates import share
from schedlab.studies.mutants import described, loses

ROOT = Path(__file__).resolve().parents[2]


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("claims_table", ROOT / "tools" / "claims_table.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_is_stored_has_answers_and_all_else_is_not_run(tmp_path: Path) -> None:
    study, path = find_study("2005-fig4")
    run_study(study, path, tmp_path / study.name)
    page = tool().document(collect(tmp_path))
    lines = page.splitlines()
    assert all(len(line) <= 120 for line in lines)
    [row] = [line for line in lines if "`2005-fig4`" in line and line.startswith("|")]
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:4] == ["Figure 4", "`2005-fig4`", "1", "1"] and int(cells[4]) > 0
    assert "| Figure 9 | `2006-fig9` | not run | | | | | |" in lines
    assert "| Figure 4 | `2011-fig4` | real, not run | | | | | |" in lines
    assert "Would be refuted by windows that end a slot later." in page


def test_a_claim_is_told_with_its_reason_its_parts_and_its_mutant() -> None:
    parts = (Part("BHU", HOLDS, "fine"), Part("BLU", DOES_NOT_HOLD, "word " * 100))
    found = tool().Found(Claim("A < B | C", parts, described("a B that is below A")), INDISTINGUISHABLE)
    found = found._replace(claim=replace(found.claim, parts=(parts[0], replace(parts[1], answer=INDISTINGUISHABLE))))
    told = tool().bullet("2006-fig9", found)
    one_line = " ".join(told.split())
    assert one_line.startswith(
        "* `2006-fig9`: A less than B / C (2 parts: 1 holds, 1 is indistinguishable). *BLU: word word"
    )
    assert (
        one_line.endswith("...* Would be refuted by a B that is below A.") and max(map(len, told.splitlines())) <= 120
    )


def test_answers_of_several_seeds_are_one_by_a_rule() -> None:
    pooled = tool().pooled
    assert pooled([HOLDS, HOLDS]) == pooled([HOLDS, HOLDS, NOT_EVALUATED]) == HOLDS
    # One run of three that evaluates a sentence is not three that agree.
    assert pooled([HOLDS, NOT_EVALUATED, NOT_EVALUATED]) == pooled([DOES_NOT_HOLD, NOT_EVALUATED]) == NOT_EVALUATED
    assert pooled([HOLDS, INDISTINGUISHABLE, NOT_EVALUATED, NOT_EVALUATED]) == NOT_EVALUATED
    assert pooled([HOLDS, DOES_NOT_HOLD, NOT_EVALUATED]) == INDISTINGUISHABLE
    assert pooled([HOLDS, DOES_NOT_HOLD]) == pooled([HOLDS, INDISTINGUISHABLE]) == INDISTINGUISHABLE
    assert pooled([NOT_EVALUATED]) == pooled([]) == NOT_EVALUATED


def run(seed: int, *answers: str, columns: dict[str, list[bool | None]] | None = None) -> dict[str, Exhibit]:
    study, path = find_study("2005-fig12")
    parts = [Part("a", answer, f"numbers of seed {seed}") for answer in answers]
    claims = tuple(Claim(f"sentence {at}", (part,), described("a change")) for at, part in enumerate(parts))
    table = pa.table(columns or {})
    return {study.name: Exhibit(study, path, Results(table, {"seed": seed, "sets": 2}), claims)}


def test_a_sentence_that_turns_with_the_seed_is_indistinguishable() -> None:
    runs = [run(1, HOLDS, HOLDS, NOT_EVALUATED), run(2, DOES_NOT_HOLD, HOLDS, HOLDS)]
    turning, staying, open_once = tool().sentences("2005-fig12", runs)
    assert (
        turning.answer == INDISTINGUISHABLE
        and "holds here with seed 1, does not hold here with seed 2" in turning.turns
    )
    assert staying.answer == HOLDS and not staying.turns
    told = " ".join(tool().bullet("2005-fig12", open_once).split())
    assert open_once.answer == NOT_EVALUATED and "holds here with seed 2; a: numbers of seed 1*" in told


def test_a_folder_without_results_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("missing", "empty"):
        monkeypatch.setattr("sys.argv", ["claims_table.py", str(tmp_path / name)])
        with pytest.raises(SystemExit) as refused:
            tool().main()
        told = capsys.readouterr().err
        assert refused.value.code == 2 and f"no results of a study in {tmp_path / name}" in told


def test_one_seed_is_no_two_witnesses() -> None:
    with pytest.raises(SystemExit, match="2005-fig12: two folders have results of one seed"):
        tool().sentences("2005-fig12", [run(1, HOLDS), run(1, HOLDS)])


def test_few_seeds_and_fewer_sets_with_decisions_are_shown() -> None:
    columns: dict[str, list[bool | None]] = {"G-EDF met": [True] * 2, "G-EDF met with decisions": [True, None]}
    item = Item("Figure 12", "", ("2005-fig12",))
    [row] = tool().rows(item, [run(1, HOLDS, columns=columns), run(2, HOLDS)])
    assert row.startswith("| Figure 12 | `2005-fig12` | 2 (1) and 2 | 1, 2 (!) | 1 |")
    [row] = tool().rows(item, [run(seed, HOLDS) for seed in (1, 2, 3)])
    assert row.startswith("| Figure 12 | `2005-fig12` | 2 | 1, 2, 3 | 1 |")


def test_checks_of_our_own_are_listed_apart_and_not_counted() -> None:
    [(name, exhibit)] = run(1, HOLDS, HOLDS).items()
    theirs, ours = exhibit.claims
    mixed = {name: replace(exhibit, claims=(theirs, replace(ours, is_own=True)))}
    everything = {study.name: Exhibit(study, path, None) for study, path in list_studies()} | mixed
    page = tool().document(everything)
    [row] = [line for line in page.splitlines() if line.startswith("| Figure 12 | `2005-fig12`")]
    assert row.endswith("| 1 | 0 | 0 | 0 |")
    _, own = page.split("## Checks of our own")
    assert "sentence 1" in own and "sentence 0" not in own and "holds here" in own
    assert tool().asked([mixed], 5).count("Would be refuted by") == 1


def test_the_page_says_whether_the_mutant_refutes_a_sentence_at_this_size() -> None:
    study, path = find_study("2005-fig12")

    def claims(results: Results) -> list[Claim]:
        answers = results.table.column("met").to_pylist()
        mutant = loses("a scheduler that loses", "met")
        return [sentence("all sets are scheduled", Lies(share(answers), low=50), mutant)]

    def told(sets: int, value: bool) -> str:
        results = Results(pa.table({"met": [value] * sets}), {"seed": 1, "sets": sets})
        exhibit = Exhibit(replace(study, claims=claims), path, results, tuple(claims(results)))
        [found] = tool().sentences("2005-fig12", [{"2005-fig12": exhibit}])
        return " ".join(tool().bullet("2005-fig12", found).split())

    assert told(99, True).endswith("Would be refuted by a scheduler that loses.")
    assert told(1, True).endswith("At this size, not even refuted by a scheduler that loses.")
    assert "a scheduler that loses" not in told(99, False)


def test_what_is_not_evaluated_names_no_mutant() -> None:
    [found] = tool().sentences("2005-fig12", [run(1, NOT_EVALUATED)])
    assert "refuted" not in tool().bullet("2005-fig12", found)
    parts = (Part("a", HOLDS, "fine"), Part("b", NOT_EVALUATED, "unknown"))
    far = tool().bullet("2005-fig12", tool().Found(Claim("so", parts), HOLDS))
    assert "(2 parts: 1 holds, 1 is not evaluated, as far as evaluated)" in " ".join(far.split())
