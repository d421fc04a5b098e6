"""The walk of a researcher who draws a paper's figure with another parameter than the paper's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from schedlab.studies import read_results

#: Figure 9 of LITMUS^RT (2006) on two processors instead of four, at three totals.
CHANGED = ("--set", "processors=2", "--set", "totals=1,1.6,2")
FOLDER = "2006-fig9,processors=2,totals=1.0+1.6+2.0"
SAYS = "processors 2 instead of the paper's 4; totals 1.0, 1.6, 2.0 instead of the paper's 2.0, 2.1, ..., 3.9"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_figure_with_another_parameter(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def study(*arguments: object) -> str:
        found = run("study", *arguments)
        assert found.status == 0, found.err
        return str(found.out)

    # Which figure, and what may be changed of it?
    assert "2006-fig9" in study("list")
    told = study("show", "2006-fig9")
    assert "parameters (--set NAME=VALUE); the default is the source's:" in told
    assert "processors of the machine; overheads stay those of the paper's four" in told

    # The paper's own figure: its claims are judged.
    study("run", "2006-fig9", "--sets", 6, "--workers", 1)
    out = Path("out/studies")
    papers = contents(out / "2006-fig9")
    assert "claims.txt" in papers and {f"2006-fig9.{kind}" for kind in ("pdf", "svg", "png")} <= papers.keys()

    # The same figure with two processors: a folder of its own, no claims, and a heading that says what differs.
    told = study("run", "2006-fig9", "--sets", 6, "--workers", 1, *CHANGED)
    assert "claims not judged: they are about the study's own parameters, and here is " + SAYS in told
    assert contents(out / "2006-fig9") == papers
    mine = contents(out / FOLDER)
    assert "claims.txt" not in mine
    drawn = mine["2006-fig9.svg"].decode()
    assert "but processors 2 instead of the paper's 4; totals 1.0, 1.6, 2.0 instead of" in drawn
    assert "instead of" not in papers["2006-fig9.svg"].decode()

    # It is another experiment, and the results say which.
    ours, theirs = read_results(out / FOLDER), read_results(out / "2006-fig9")
    assert ours.provenance["settings"] == {"processors": 2, "totals": [1.0, 1.6, 2.0]}
    assert ours.provenance["title"].endswith(SAYS) and theirs.provenance["settings"] == {}
    assert ours.values("total") == [1.0, 1.6, 2.0]
    names = ["P-EDF", "PD2"]
    on_two, on_four = (found.where(total=2.0).counts("total", names)[2.0] for found in (ours, theirs))
    # Four processors have room for a total of two; two are full, and roundings up to quanta are then too much.
    assert on_four["P-EDF"][0] == on_four["P-EDF"][1] == 18 and on_four["PD2"][0] == 18
    assert on_two["P-EDF"][0] < 18 and on_two["PD2"][0] < 18
    assert ours.where(total=1.0).counts("total", names)[1.0]["P-EDF"] == (18, 18)

    # Drawn again from what is stored.
    (out / FOLDER / "2006-fig9.svg").unlink()
    study("plot", "2006-fig9", *CHANGED)
    assert (out / FOLDER / "2006-fig9.svg").read_bytes() == mine["2006-fig9.svg"]
    assert study("status", "2006-fig9", *CHANGED).startswith("2006-fig9  done, 6 sets a point, 9 of 9 units")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("cpus=2", 'no parameter "cpus"; allowed: processors, totals, periods'),
        ("processors=0", "whole numbers from 1 to 128"),
        ("processors=two", "whole numbers from 1 to 128"),
    ],
)
def test_what_cannot_be_set_is_refused_before_anything_runs(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("study", "run", "2006-fig9", "--sets", 1, "--set", setting)
    assert found.status == 2 and message in found.err
    assert not list(tmp_path.iterdir())
