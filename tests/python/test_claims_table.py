"""The page of claims is made of stored results alone."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from schedlab.gallery.exhibits import collect
from schedlab.studies import Claim, find_study, run_study

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
    assert cells[:3] == ["Figure 4", "`2005-fig4`", "1"] and int(cells[3]) > 0
    assert "| Figure 9 | `2006-fig9` | not run | | | |" in lines
    assert "| Figure 4 | `2011-fig4` | real, not run | | | |" in lines


def test_a_claim_is_told_with_its_reason() -> None:
    told = tool().bullet("2006-fig9", Claim("A < B | C", "does not hold here", "word " * 100))
    assert told.startswith("* `2006-fig9`: A less than B / C. *word word")
    assert told.endswith("...*") and max(map(len, told.splitlines())) <= 120
