"""`schedlab windows`: the examples of the paper and the golden table."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import ROOT


@pytest.mark.parametrize("weight", ["3/10", "8/11", "1/2", "1/1"])
def test_windows_are_those_of_the_golden_table(run, weight):
    golden = json.loads((ROOT / "tests/golden/pfair_windows.json").read_text())[weight]
    found = run("windows", weight, "--json")
    rows = json.loads(found.out)["subtasks"]
    shown = [[row[name] for name in ("release", "deadline", "b_bit", "group_deadline")] for row in rows]
    assert shown == [[r, d, bool(b), group] for r, d, b, group in golden]


def test_the_variants_of_figure_4_are_drawn(run):
    found = run("windows", "3/10", "--er", "--is", "2:6", "--gis", "3", "-n", "4", "--draw", "text")
    assert found.out.splitlines()[:3] == ["T1 ====", "T2       ---====", "T4                 ===="]


def test_the_picture_is_whole_svg(run, tmp_path):
    path = tmp_path / "windows.svg"
    assert run("windows", "8/11", "--draw", "svg", "--out", path).status == 0
    assert ElementTree.parse(path).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("name", "begin"), [("w.png", b"\x89PNG"), ("w.pdf", b"%PDF"), ("w.svg", b"<svg"), ("w.txt", b"T1")]
)
def test_the_ending_of_a_file_says_which_drawing(run, tmp_path, name, begin):
    path = tmp_path / name
    assert run("windows", "3/10", "-o", path).status == 0
    once = path.read_bytes()
    assert once.startswith(begin)
    run("windows", "3/10", "-o", path)
    assert path.read_bytes() == once, "without a date"


def test_other_endings_are_refused(run, tmp_path):
    assert "allowed: .svg, .png, .pdf, .txt" in run("windows", "3/10", "-o", tmp_path / "w.gif").err
    assert "allowed: --draw text or --draw svg" in run("windows", "3/10", "-o", "-").err


def test_the_bars_of_a_picture_are_the_windows():
    """Of weight 3/10: subtasks 1 to 3 in [0, 4), [3, 7) and [6, 10); with early release, all are eligible at once."""
    from schedlab import _native
    from schedlab.show.plots.windows import drawn_windows

    for early, eligible in ((False, [0, 3, 6]), (True, [0, 0, 0])):
        rows, _, _ = _native.windows("3/10", early, [], [], None)
        axes = drawn_windows("3/10", rows).axes[0]
        bars = [path.get_extents() for bar in axes.collections for path in bar.get_paths()]
        windows = [(box.x0, box.x1) for box in bars[1::2]]
        assert windows == [(0, 4), (3, 7), (6, 10)] and [box.x0 for box in bars[::2]] == eligible
        assert axes.get_title() == "windows of a task of weight 3/10, by subtask"


def test_json_and_a_drawing_are_both_there(run, tmp_path):
    path = tmp_path / "w.png"
    assert len(run("windows", "3/10", "--json", "-o", path).json["subtasks"]) == 3
    assert path.read_bytes().startswith(b"\x89PNG")
    assert run("windows", "3/10", "--json", "--draw", "text", "-o", tmp_path / "w").status == 0
    assert (tmp_path / "w").read_text().startswith("T1")
    for both in (("--draw", "text"), ("--draw", "svg", "-o", "-")):
        found = run("windows", "3/10", "--json", *both)
        assert found.status == 2 and "both print" in found.err


@pytest.mark.parametrize(("draw", "name"), [("svg", "w.png"), ("svg", "w.txt"), ("text", "w.svg"), ("text", "w.pdf")])
def test_an_ending_that_contradicts_is_refused(run, tmp_path, draw, name):
    found = run("windows", "3/10", "--draw", draw, "-o", tmp_path / name)
    assert found.status == 2 and f"does not end like a drawing by --draw {draw}" in found.err
    assert not (tmp_path / name).exists()
