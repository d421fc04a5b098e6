"""`schedlab study`: every option, its help and its refusals; the page of the documentation that explains them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from conftest import fits
from schedlab.cli.main import main
from schedlab.cli.study import command
from schedlab.store.locks import exclusive
from schedlab.studies import load_study, read_results

DOCUMENTATION = Path(__file__).parents[2] / "docs" / "own-study.md"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(
        "from schedlab.studies import Study, grid, judge\n"
        "def plot(results, directory):\n"
        "    (directory / 'mine.txt').write_text(str(results.table.num_rows))\n"
        "    return [directory / 'mine.txt']\n"
        "def claims(results):\n"
        "    return [judge('there are rows', results.table.num_rows > 0, f'{results.table.num_rows} rows')]\n"
        "def evaluate(unit):\n"
        "    return {'y': [unit.set_seed(i) % 7 for i in unit.sets]}\n"
        "study = Study('mine', 'My question', grid(x=[1, 2]), evaluate,\n"
        "              plot=plot, claims=claims, sets=10, full_sets=30)\n"
    )
    return path


def run(*arguments: object) -> int:
    return main(["study", *map(str, arguments)])


def read(directory: Path) -> Any:
    return read_results(directory / "mine")


def test_list_names_every_study_in_natural_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    numbers = [int(name.removeprefix("2006-fig")) for name in names if name.startswith("2006-fig")]
    assert numbers == sorted(numbers) and {9, 10} <= set(numbers)
    assert "2005-supertasks" in names
    assert run("list", "--json") == 0
    listed = json.loads(capsys.readouterr().out)["studies"]
    assert [one["name"] for one in listed] == names
    by_name = {one["name"]: one for one in listed}
    assert by_name["2006-fig9"]["points"] == 60
    assert by_name["2006-fig9"]["full_sets"] == 1000
    assert by_name["2006-fig1"]["full_sets"] == 1
    assert by_name["2020-grid"]["points"] == 1440


def test_run_stores_plots_and_judges(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", mine, "--out", tmp_path) == 0
    out = capsys.readouterr().out
    assert "holds here: there are rows" in out
    assert "20 rows" in out
    assert (tmp_path / "mine" / "mine.txt").read_text() == "20"
    assert "holds here" in (tmp_path / "mine" / "claims.txt").read_text()
    assert run("run", mine, "--out", tmp_path) == 0
    assert "2 of 2 units already stored" in capsys.readouterr().out
    assert run("show", mine, "--out", tmp_path) == 0
    assert "1 holds here\n\nholds here: there are rows\n    20 rows\n" in capsys.readouterr().out
    assert run("show", mine, "--out", tmp_path / "nothing") == 0
    assert "there are rows" not in capsys.readouterr().out


def test_sets_full_and_seed_change_what_is_stored(mine: Path, tmp_path: Path) -> None:
    seen = []
    for options in (["--sets", "3"], [], ["--seed", "2"], ["--full"]):
        assert run("run", mine, "--out", tmp_path, "--workers", "1", *options) == 0
        found = read(tmp_path)
        seen.append((found.table.num_rows, found.provenance["seed"]))
    assert seen == [(6, 1), (20, 1), (20, 2), (60, 1)]


def test_results_of_more_sets_are_kept(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("run", mine, "--out", tmp_path, "--workers", "1", "--no-plot")
    assert run(*asked) == 0
    results = tmp_path / "mine" / "results.parquet"
    before = results.read_bytes()
    assert run(*asked, "--sets", "2") == 2 and results.read_bytes() == before
    said = "has results of 2 points of 10 sets, seed 1, more than 2 points of 2 sets, seed 1: give --replace"
    assert said in capsys.readouterr().err
    assert run(*asked, "--sets", "2", "--replace") == 0
    assert "mine: results of 2 points of 10 sets, seed 1 were replaced" in capsys.readouterr().err
    assert read(tmp_path).table.num_rows == 4
    assert run(*asked, "--seed", "2") == 0 and "of 2 sets, seed 1 were replaced" in capsys.readouterr().err
    assert run(*asked, "--seed", "2") == 0 and capsys.readouterr().err == ""


def test_of_all_studies_the_others_are_run(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, busy = (tmp_path / f"{name}.py" for name in ("broken", "busy"))
    for path in (broken, busy):
        path.write_text(mine.read_text().replace("'mine', 'My", f"'{path.stem}', 'My"))
    broken.write_text(broken.read_text().replace("unit.set_seed(i) % 7", "1 // 0"))
    every = [(load_study(path), path) for path in (broken, busy, mine)]
    monkeypatch.setattr("schedlab.cli.study.chosen.list_studies", lambda: every)
    (tmp_path / "out" / "busy").mkdir(parents=True)
    with exclusive(tmp_path / "out" / "busy"):
        assert run("run", "--all", "--out", tmp_path / "out", "--workers", "1", "--no-plot") == 4
    said = capsys.readouterr()
    assert "schedlab: broken: not run: study 'broken', x=2 sets 0..9: its code raised" in said.err
    assert "schedlab: busy: not run: " in said.err and "another run of this study is under way" in said.err
    assert said.out.startswith("mine: 20 rows")
    # Better results are no failure.
    every[:] = every[2:]
    assert run("run", "--all", "--out", tmp_path / "out", "--sets", "1") == 0
    assert "schedlab: mine: kept: " in capsys.readouterr().err


def test_no_plot_leaves_the_plot_to_the_plot_command(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", mine, "--out", tmp_path, "--no-plot") == 0
    assert not (tmp_path / "mine" / "mine.txt").exists()
    results = tmp_path / "mine" / "results.parquet"
    before = results.stat().st_mtime_ns
    capsys.readouterr()
    assert run("plot", mine, "--out", tmp_path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    fits(found, "study plot")
    [answer] = found["studies"]
    assert answer["plots"] == [str(tmp_path / "mine" / "mine.txt")]
    parts = [{"part": "", "answer": "holds here", "because": "20 rows"}]
    assert answer["claims"] == [
        {"claim": "there are rows", "answer": "holds here", "refuted_by": "", "own_check": False, "parts": parts}
    ]
    assert results.stat().st_mtime_ns == before, "a plot runs nothing"


def test_json_tells_what_was_run_and_nothing_else(
    mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("run", mine, "--out", tmp_path, "--json", "--workers", "2") == 0
    found = json.loads(capsys.readouterr().out)
    fits(found, "study run")
    [answer] = found["studies"]
    assert answer["study"] == "mine"
    assert (answer["rows"], answer["sets"], answer["units"], answer["reused"]) == (20, 10, 2, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run"], "name a study, or give --all"),
        (["run", "2006-fig9", "--all"], "--all and names of studies exclude each other"),
        (["run", "nonsense"], 'there is no study "nonsense"'),
        (["run", "nonsense.py"], "no such study file"),
        (["run", "2006-fig9", "--sets", "0"], "--sets is 0, it must be at least 1"),
        (["run", "2006-fig9", "--sets", "5", "--full"], "--sets and --full exclude each other"),
        (["run", "2006-fig9", "--workers", "-1"], "--workers is -1"),
        (["run", "2006-fig9", "--seed", "x"], "Invalid value for '--seed'"),
        (["plot", "2006-fig9"], "no results; run the study first"),
    ],
)
def test_bad_input_is_refused_with_status_2(
    tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [] if arguments == ["plot"] else ["--out", str(tmp_path)]
    assert run(*arguments, *options) == 2
    assert message in capsys.readouterr().err


def test_every_option_has_a_help_text() -> None:
    assert isinstance(command, click.Group)
    for name, part in command.commands.items():
        assert part.help, name
        for option in part.params:
            assert isinstance(option, click.Argument) or option.help, f"{name} {option.name}"  # type: ignore[attr-defined]


def documented(name: str, folder: Path) -> Path:
    """The example of that name in the documentation, as a file."""
    found = re.findall(r"```python\n(.*?)```", DOCUMENTATION.read_text(encoding="utf-8"), re.DOTALL)
    [code] = [one for one in found if f'name="{name}"' in one]
    path = folder / f"{name}.py"
    path.write_text(code)
    return path


def test_the_documented_study_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("run", documented("periods", tmp_path), "--sets", "5", "--out", tmp_path) == 0
    assert "periods" in capsys.readouterr().out
    assert (tmp_path / "periods" / "periods.pdf").stat().st_size > 1000


@pytest.mark.realtime
def test_the_documented_study_that_measures_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if run("run", documented("begin", tmp_path), "--out", tmp_path) == 3:
        pytest.skip(capsys.readouterr().err.strip())
    assert "later under G-EDF" in capsys.readouterr().out
    assert (tmp_path / "begin" / "begin.pdf").stat().st_size > 1000


def test_a_folder_that_cannot_be_made_is_said(mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "studies"
    for asked, out in ((["study", "run", mine], folder), (["measure", "--quick"], folder / "o.toml")):
        assert main([*map(str, asked), "--out", str(out)]) == 4
        assert f"schedlab: {folder}" in capsys.readouterr().err
