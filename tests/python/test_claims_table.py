"""The page of claims is made of stored results alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pyarrow as pa

from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.studies import Claim, Part, Results, find_study, run_study
from schedlab.studies.answers import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE
from schedlab.studies.mutants import described

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
    assert "Refuted by windows that end a slot later." in page


def test_a_claim_is_told_with_its_reason_its_parts_and_its_mutant() -> None:
    parts = (Part("BHU", HOLDS, "fine"), Part("BLU", DOES_NOT_HOLD, "word " * 100))
    found = tool().Found(Claim("A < B | C", parts, described("a B that is below A")), DOES_NOT_HOLD)
    told = tool().bullet("2006-fig9", found)
    one_line = " ".join(told.split())
    assert one_line.startswith("* `2006-fig9`: A less than B / C (2 parts: 1 hold, 1 do not). *BLU: word word")
    assert one_line.endswith("...* Refuted by a B that is below A.") and max(map(len, told.splitlines())) <= 120


def test_a_sentence_that_turns_with_the_seed_is_indistinguishable() -> None:
    study, path = find_study("2005-fig4")

    def run(seed: int, answer: str) -> dict[str, Exhibit]:
        claims = (Claim("it is so", (Part("", answer, "numbers"),)), Claim("always", (Part("", HOLDS, "numbers"),)))
        return {"2005-fig4": Exhibit(study, path, Results(pa.table({}), {"seed": seed, "sets": 9}), claims)}

    turning, staying = tool().sentences("2005-fig4", [run(1, HOLDS), run(2, DOES_NOT_HOLD)])
    assert (
        turning.answer == INDISTINGUISHABLE
        and "holds here with seed 1, does not hold here with seed 2" in turning.turns
    )
    assert staying.answer == HOLDS and not staying.turns
