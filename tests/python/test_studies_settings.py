"""Studies with other parameters than the paper's: what may be set, what says so, and what is not judged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import fits
from schedlab.studies import (
    Parameter,
    Point,
    Results,
    Settings,
    Study,
    StudyError,
    find_study,
    grid,
    list_studies,
    read_results,
)  # fmt: skip
from schedlab.studies.identity import identity
from schedlab.studies.settings import read_settings

pytestmark = pytest.mark.usefixtures("as_png")

#: A run of each study that has parameters, small: what is set, and the points that are left.
SMALL: dict[str, tuple[dict[str, str], Callable[[Point], bool]]] = {
    "2005-supertasks": ({"components": "2", "largest_total": "0.5", "longest_period": "11"}, lambda point: True),
    "2005-fig11": ({"line_cycles": "30", "gap": "8"}, lambda point: True),
    "2005-fig12": ({"line_cycles": "30", "gap": "8"}, lambda point: True),
    "2005-tradeoff": ({"tasks": "2", "longest_request": "20"}, lambda point: point.parameters["processors"] == 2),
    "2006-fig6": ({"processors": "2", "most": "12"}, lambda point: True),
    "2006-fig7": ({"processors": "2", "most": "12"}, lambda point: True),
    "2006-fig8": ({"processors": "3", "most": "4"}, lambda point: True),
    "2006-fig9": ({"processors": "8", "totals": "4,6"}, lambda point: True),
    "2006-fig10": ({"processors": "2"}, lambda point: float(point.parameters["total"]) > 1.7),
    "2008-fig1": ({"processors": "2", "alpha": "2", "accesses": "3", "lengths": "2,20"}, lambda point: True),
    "2008-fig3": ({"processors": "8"}, lambda point: point.parameters["K"] == 2),
    "2008-fig4": ({"alpha": "2"}, lambda point: point.parameters["K"] == 2),
    "2011-fig9": ({"processors": "2", "cluster": "1", "horizon": "0.3"}, lambda point: point.parameters["load"] == 1),
    "2011-fig11": ({"processors": "2", "cluster": "2", "horizon": "0.3"}, lambda point: point.parameters["load"] == 1),
    "2020-fig3": ({"resources": "2", "lengths": "short"}, lambda point: point.parameters["cap"] == 1),
    "2020-fig4": ({"processors": "2", "utilization": "light"}, lambda point: point.parameters["cap"] == 1),
}  # fmt: skip


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(
        '"""Whose question is it?"""\n'
        "from schedlab.studies import Parameter, Study, grid, judge\n"
        "FACTOR = Parameter('factor', 3, 'what numbers are multiplied by', unit='times', low=1, high=9)\n"
        "SIZES = Parameter('sizes', (1, 2), 'numbers', low=1, high=100)\n"
        "def points(settings):\n"
        "    return grid(x=settings[SIZES])\n"
        "def plot(results, directory):\n"
        "    from schedlab.plots import paper_style, save_figure\n"
        "    import matplotlib.pyplot as plt\n"
        "    with paper_style():\n"
        "        figure, axes = plt.subplots()\n"
        "        axes.plot([1, results.settings[FACTOR]])\n"
        "        return save_figure(figure, directory / 'mine')\n"
        "def claims(results):\n"
        "    return [judge('y is 3 x', results.table.column('y')[0].as_py() == 3, '')]\n"
        "def evaluate(unit):\n"
        "    return {'y': [unit.settings[FACTOR] * unit.parameters['x'] for _ in unit.sets]}\n"
        "study = Study('mine', 'My question', grid(x=[1, 2]), evaluate, plot=plot, claims=claims, sets=2,\n"
        "              settable=(FACTOR, SIZES), regrid=points)\n"
    )
    return path


def study(run: Any, *arguments: object) -> Any:
    return run("study", *arguments)


def rows(folder: Path) -> list[tuple[int, int]]:
    return [(row["x"], row["y"]) for row in read_results(folder).table.to_pylist()]


def test_a_changed_parameter_has_results_of_its_own_and_no_claims(mine: Path, tmp_path: Path, run: Any) -> None:
    usual = study(run, "run", mine, "--out", tmp_path, "--workers", 1)
    assert usual.status == 0 and "holds here: y is 3 x" in usual.out
    changed = study(run, "run", mine, "--out", tmp_path, "--workers", 1, "--set", "factor=5", "--set", "sizes=2,4,6")
    assert changed.status == 0 and "y is 3 x" not in changed.out
    said = "factor 5 times instead of the study's 3 times; sizes 2, 4, 6 instead of the study's 1, 2"
    assert f"mine: claims not judged: they are about the study's own parameters, and here is {said}" in changed.out
    folder = tmp_path / "mine,factor=5,sizes=2+4+6"
    assert rows(tmp_path / "mine") == [(1, 3), (1, 3), (2, 6), (2, 6)]
    assert rows(folder) == [(x, 5 * x) for x in (2, 4, 6) for _ in range(2)]
    told = read_results(folder).provenance
    assert (
        told["settings"]
        == {"factor": 5, "sizes": [2, 4, 6]}
        == {name: told["parameters"][name] for name in ("factor", "sizes")}
    )
    assert told["title"] == f"My question; but {said}"
    assert json.loads((folder / "run.json").read_text())["changes"] == said
    assert (folder / "mine.png").is_file() and not (folder / "claims.txt").exists()
    assert read_results(folder).settings == Settings({"factor": 5, "sizes": (2, 4, 6)})
    again = study(run, "run", mine, "--out", tmp_path, "--workers", 1, "--set", "factor=3", "--json")
    [answer] = again.json["studies"]
    fits(again.json, "study run")
    assert (answer["reused"], answer["changes"], answer["not_judged"]) == (answer["units"], "", ""), "it is the default"


def test_plot_and_status_find_the_results_of_a_parameter(mine: Path, tmp_path: Path, run: Any) -> None:
    asked = (mine, "--out", tmp_path, "--set", "factor=2")
    assert study(run, "run", *asked, "--no-plot", "--workers", 1).status == 0
    found = study(run, "plot", *asked, "--json").json
    fits(found, "study plot")
    [answer] = found["studies"]
    assert answer["claims"] == [] and answer["not_judged"].endswith("factor 2 times instead of the study's 3 times")
    assert "done, 2 sets a point" in study(run, "status", *asked).out
    assert "not run" in study(run, "status", mine, "--out", tmp_path).out
    assert study(run, "plot", mine, "--out", tmp_path).status == 2, "nothing is stored of the default"


def test_a_figure_is_higher_by_its_heading(mine: Path, tmp_path: Path, run: Any) -> None:
    from matplotlib.image import imread

    sizes = {}
    for name, options in {"mine": (), "mine,factor=2": ("--set", "factor=2")}.items():
        assert study(run, "run", mine, "--out", tmp_path, "--workers", 1, *options).status == 0
        sizes[name] = imread(tmp_path / name / "mine.png").shape
    (high, wide, _), (higher, same, _) = sizes.values()
    assert wide == same and 20 < higher - high < 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["factr=2"], "study 'mine': there is no parameter \"factr\"; did you mean factor? allowed: factor, sizes"),
        (["factor=0"], "factor is '0'; allowed: whole numbers from 1 to 9"),
        (["factor=2.5"], "factor is '2.5'; allowed: whole numbers from 1 to 9"),
        (["factor=1e400"], "factor is '1e400'; allowed"),
        (["factor="], "factor is ''; allowed"),
        (["sizes=1,1"], "sizes is '1,1' (a value is there twice); allowed: whole numbers from 1 to 100; several"),
        (["sizes=1,101"], "sizes is '101'; allowed"),
        (["factor"], "--set factor: allowed: NAME=VALUE"),
        (["factor=1", "factor=2"], "--set factor is there twice"),
    ],
)
def test_what_cannot_be_set_is_refused(mine: Path, tmp_path: Path, run: Any, options: list[str], message: str) -> None:
    words = [word for option in options for word in ("--set", option)]
    found = study(run, "run", mine, "--out", tmp_path, *words)
    assert found.status == 2 and message in found.err
    assert not (tmp_path / "mine").exists()


def test_a_study_without_parameters_refuses_them_by_name(tmp_path: Path, run: Any) -> None:
    found = study(run, "run", "2006-fig1", "--out", tmp_path, "--set", "processors=8")
    assert found.status == 2
    assert "study '2006-fig1' has no parameters: --set processors=8 changes nothing of it" in found.err
    both = study(run, "run", "--all", "--out", tmp_path, "--set", "processors=8")
    assert both.status == 2 and "--set and --all exclude each other" in both.err


def test_words_and_texts_are_checked(run: Any, tmp_path: Path) -> None:
    word = study(run, "run", "2020-fig3", "--out", tmp_path, "--set", "periods=wild")
    assert word.status == 2 and "periods is 'wild'; allowed: homogeneous, heterogeneous" in word.err
    text = study(run, "run", "2006-fig9", "--out", tmp_path, "--set", "periods=wild")
    assert text.status == 2 and "`uniform MIN MAX [step STEP]`" in text.err
    number = study(run, "run", "2006-fig9", "--out", tmp_path, "--set", "totals=nan")
    assert number.status == 2 and "totals is 'nan'" in number.err
    machine = study(run, "run", "2011-fig9", "--out", tmp_path, "--set", "processors=6")
    assert machine.status == 2 and "processors is 6 and cluster 8; allowed" in machine.err


def test_show_says_what_a_study_asks_and_what_may_be_set(mine: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = study(run, "show", mine)
    assert found.status == 0
    for words in ("mine: My question", "Whose question is it?", "x 1, 2: 2 points", "3 times", "from 1 to 9"):
        assert words in found.out
    assert "no parameters" in study(run, "show", "2006-fig1").out
    # What is allowed is read whole in a narrow terminal, too.
    plain = study(run, "show", "2006-fig9", "--json").json
    monkeypatch.setenv("COLUMNS", "40")
    narrow = study(run, "show", "2006-fig9").out
    assert all(f"allowed: {one['allowed']}" in narrow for one in plain["parameters"])
    fits(plain, "study show")
    by_name = {one["name"]: one for one in plain["parameters"]}
    assert by_name["processors"]["default"] == 4 and by_name["totals"]["default"][:2] == [2.0, 2.1]
    assert plain["grid"]["distribution"] == ["light", "heavy", "bimodal"]
    assert "[--set processors, totals, periods]" in study(run, "list").out


def test_defaults_are_the_papers_grid_and_identities_differ() -> None:
    with_parameters = [one for one, _ in list_studies() if one.settable]
    assert len(with_parameters) >= 20
    for one in with_parameters:
        if one.regrid is not None:
            assert list(one.regrid(Settings())) == list(one.points), one.name
        assert one.with_settings({}) is one
        for parameter in one.settable:
            text = ",".join(map(str, parameter.default)) if isinstance(parameter.default, tuple) else parameter.default
            assert parameter.read(str(text)) == parameter.default, (one.name, parameter.name)
    fig9, path = find_study("2006-fig9")
    eight = fig9.with_settings({"processors": "8"})
    assert identity(fig9, path, 1) != identity(eight, path, 1)
    assert [point.parameters["total"] for point in eight.points[:3]] == [4.0, 4.2, 4.4]
    assert fig9.folder == "2006-fig9" and eight.folder == "2006-fig9,processors=8"
    odd = (
        fig9.with_settings({"periods": "uniform 10ms 20ms"}),
        fig9.with_settings({"periods": "uniform_10ms_20ms"[:0] or "uniform 10ms 30ms"}),
    )
    assert odd[0].folder.startswith("2006-fig9,periods=uniform_10ms_20ms-") and odd[0].folder != odd[1].folder


@pytest.mark.parametrize("name", SMALL)
def test_every_kind_of_study_runs_with_other_parameters(name: str, tmp_path: Path) -> None:
    from dataclasses import replace

    from schedlab.studies import run_study

    texts, chosen = SMALL[name]
    one, path = find_study(name)
    changed = one.with_settings(texts)
    assert set(changed.settings.changed) == set(texts), "each differs from the paper's"
    changed = replace(changed, points=[point for point in changed.points if chosen(point)])
    report = run_study(changed, path, tmp_path / changed.folder, sets=1)
    results: Results = read_results(tmp_path / changed.folder)
    assert report.rows and set(results.settings.changed) == set(texts)
    assert changed.plot is not None and changed.plot(results, tmp_path / changed.folder)


def test_eight_processors_are_eight_processors(tmp_path: Path) -> None:
    """Four heavy tasks of more than 1/2 fit one to a processor: on four processors, five do not."""
    from schedlab.studies.study import Unit

    one, _ = find_study("2006-fig9")
    found = {}
    for processors in (4, 8):
        changed = one.with_settings({"processors": str(processors), "totals": "3.6"})
        [heavy] = [point for point in changed.points if point.parameters["distribution"] == "heavy"]
        found[processors] = changed.evaluate(Unit(heavy, 0, 10, 1, "", changed.settings))
    assert found[4]["tasks"] == found[8]["tasks"], "the same sets"
    assert not all(found[4]["P-EDF"]) and all(found[8]["P-EDF"])


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        (lambda: Parameter("n", 1, "a number"), "numbers need a range"),
        (lambda: Parameter("No", "x", "a word"), "allowed names"),
        (
            lambda: Parameter("n", 10, "a number", low=1, high=9),
            "the default 10 is not allowed; allowed: whole numbers",
        ),
        (lambda: Parameter("n", (1, 10), "numbers", low=1, high=9), "the default 10 is not allowed"),
        (lambda: Parameter("n", 5, "a number", low=9, high=1), "low is 9, above high"),
        (lambda: Parameter("n", "a", "a word", choices=()), "no choices"),
        (lambda: Parameter("n", "a", "a word", choices=("b",)), "the default 'a' is not allowed; allowed: b"),
        (lambda: Parameter("n", (), "words"), "the default is an empty list"),
        (lambda: Study("s", "S", grid(x=[1]), lambda unit: {}, settable=(Parameter("a", "b", "c"),) * 2), "twice"),
    ],
)
def test_parameters_that_cannot_be(parameter: Callable[[], Any], message: str) -> None:
    with pytest.raises(StudyError, match=message):
        parameter()


def test_a_truth_is_true_or_false() -> None:
    fair = Parameter("fair", True, "whether it is fair")
    assert read_settings("s", [fair], {"fair": "false"}) == Settings({"fair": False})
    assert read_settings("s", [fair], {"fair": "True"}) == Settings()
    for text in ("0", "1", "no", ""):
        with pytest.raises(StudyError, match="allowed: true or false"):
            fair.read(text)


def test_what_is_allowed_has_the_unit_and_the_studys_own_periods(run: Any, mine: Path) -> None:
    assert Parameter("n", 1.0, "a time", unit="s", low=0.5, high=9).allowed == "numbers from 0.5 to 9 s"
    fig9, _ = find_study("2006-fig9")
    [periods] = [one for one in fig9.settable if one.name == "periods"]
    assert "such as uniform 10ms 100ms step 1ms (PD2 needs whole quanta)" in periods.allowed
    assert "the default is the study's own" in study(run, "show", mine).out
    assert "the default is the source's" in study(run, "show", "2006-fig9").out
    status = study(run, "status", "--set", "factor=2")
    assert status.status == 2 and "--all" not in status.err and "allowed: names of the studies" in status.err


def test_a_truth_is_read_as_stated() -> None:
    size = Parameter("size", 0.5, "a share", low=0, high=1)
    assert read_settings("s", [size], {"size": "0.25"}) == Settings({"size": 0.25})
    assert read_settings("s", [size], {"size": "0.50"}) == Settings(), "the default is no change"


def test_other_caps_of_the_grid_are_other_rows_and_equal_caps_the_same_sets() -> None:
    """The whole grid, which its maps need, is too long for a test: one of its points tells."""
    from schedlab.studies.study import Unit

    one, _ = find_study("2020-grid")
    changed = one.with_settings({"caps": "0.5,0.72"})
    point = next(point for point in one.points if point.parameters["processors"] == 1)
    ours, papers = (study.evaluate(Unit(point, 0, 3, 1, "", study.settings)) for study in (changed, one))
    assert ours["share"] == [0.5] * 3 + [0.72] * 3 and len(papers["share"]) == 3 * 20
    half = papers["share"].index(0.5)
    assert all(ours[name][:3] == papers[name][half : half + 3] for name in ours)


def test_a_study_without_parameters_says_why(run: Any, mine: Path) -> None:
    assert "changes nothing of it: it measures this machine" in study(run, "show", "2008-table1").out
    assert "changes nothing of it: it redraws an example as the paper states it" in study(run, "show", "2005-fig6").out
    without = [one.name for one, _ in list_studies() if not one.settable and not one.alone]
    assert without == ["2005-fig1", "2005-fig2", "2005-fig4", "2005-fig6", "2005-fig8", "2005-fig9", "2005-fig10",
                       "2006-fig1"]  # fmt: skip


def test_another_confidence_is_drawn_and_said_and_claims_stay(run: Any, tmp_path: Path) -> None:
    asked = ("2006-fig9", "--out", tmp_path)
    assert study(run, "run", *asked, "--sets", 3, "--workers", 1).status == 0
    folder = tmp_path / "2006-fig9"
    usual, claims = (folder / "2006-fig9.png").read_bytes(), (folder / "claims.txt").read_text()
    other = study(run, "plot", *asked, "--confidence", "0.5")
    assert other.status == 0 and other.err == ""
    drawn = (folder / "2006-fig9.png").read_bytes()
    assert drawn != usual and (folder / "claims.txt").read_text() == claims
    # The study's own confidence needs no heading.
    assert study(run, "plot", *asked, "--confidence", "0.99").status == 0
    assert (folder / "2006-fig9.png").read_bytes() == usual
    for wrong in ("0", "1", "95%"):
        assert study(run, "plot", *asked, "--confidence", wrong).status == 2


def test_what_a_figure_says_of_its_confidence() -> None:
    from schedlab.plots import chosen_confidence, wilson_interval
    from schedlab.show.plots.intervals import at_confidence, said_of_confidence

    usual = wilson_interval(5, 10)
    assert usual == wilson_interval(5, 10, 0.99) and chosen_confidence() == "99% confidence"
    with at_confidence(0.9) as chosen:
        assert said_of_confidence() == "" and not chosen.was_used, "no interval is drawn yet"
        assert wilson_interval(5, 10) == wilson_interval(5, 10, 0.9) != usual
        assert said_of_confidence() == "intervals of 90% confidence instead of 99%"
        assert said_of_confidence() == "" and chosen.was_used, "the next figure has none"
        assert chosen_confidence(0.5) == "90% confidence"
        assert wilson_interval(5, 10, 0.99) == usual, "a stated one stays"
    assert wilson_interval(5, 10) == usual


def test_a_figure_without_intervals_says_that_nothing_changes(run: Any, tmp_path: Path) -> None:
    found = study(run, "run", "2005-fig6", "--workers", 1, "--out", tmp_path, "--confidence", "0.9")
    assert found.status == 0
    assert "2005-fig6: --confidence changes nothing: no such interval is drawn" in found.err
