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
