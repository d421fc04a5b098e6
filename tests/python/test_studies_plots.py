"""Plots: intervals with known values, files with reproducible bytes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import ROOT
from schedlab.plots import (
    FONTS,
    Curve,
    Look,
    Segment,
    draw_curves,
    draw_schedule,
    drawn_as,
    paper_style,
    save_figure,
    wilson_interval,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17, 1998, table I, method 3 (score without correction), 95%.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_the_published_ones(successes: int, trials: int, low: float, high: float) -> None:
    assert wilson_interval(successes, trials, 0.95) == pytest.approx((low, high), abs=6e-5)


def test_wilson_intervals_are_symmetric_and_honest_at_the_ends() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(100, 100)[1] == 1.0
    assert wilson_interval(100, 100)[0] == pytest.approx(1 - wilson_interval(0, 100)[1])
    with pytest.raises(ValueError, match="3 successes of 2 trials"):
        wilson_interval(3, 2)


def test_bands_are_drawn_where_they_are_apart_and_markers_are_few() -> None:
    import matplotlib.pyplot as plt

    with paper_style():
        figure, axes = plt.subplots()
        alike = [(x, 90, 100) for x in range(20)]
        parting = [(x, 90 if x < 10 else 10, 100) for x in range(20)]
        draw_curves(axes, [Curve("a", alike, 0), Curve("b", parting, 1)], accent=("b",))
        first, second = axes.lines
        plt.close(figure)
    # Of each a band from 10 on, where the two are apart.
    assert [min(x for path in band.get_paths() for x, _ in path.vertices) for band in axes.collections] == [10, 10]
    assert second.get_linewidth() > first.get_linewidth() and second.get_zorder() > first.get_zorder()
    places = [set(range(start, 20, step)) for start, step in (first.get_markevery(), second.get_markevery())]
    assert not places[0] & places[1] and all(4 <= len(one) <= 10 for one in places)


def test_a_curve_that_another_covers_is_broader_than_it() -> None:
    import matplotlib.pyplot as plt

    def widths(accent: tuple[str, ...]) -> list[float]:
        with paper_style():
            figure, axes = plt.subplots()
            same = [(x, 90, 100) for x in range(8)]
            nearly = [(x, 90 if x < 7 else 10, 100) for x in range(8)]
            curves = [Curve(name, points, 0) for name, points in (("a", same), ("b", nearly), ("c", same))]
            draw_curves(axes, curves, accent=accent)
            found = [line.get_linewidth() for line in axes.lines]
            plt.close(figure)
        return found

    covered, free, covering = widths(())
    assert covered > free == covering
    # An accent is in front: now it covers.
    accent, free, covered = widths(("a",))
    assert covered > accent > free


def drawn(stem: Path) -> list[bytes]:
    import matplotlib.pyplot as plt

    with paper_style():
        figure, (left, right) = plt.subplots(1, 2)
        draw_curves(left, [Curve("a", [(1, 5, 10), (2, 0, 0)], 0), Curve("b", [(1, 10, 10), (2, 1, 10)], 1)])
        draw_schedule(
            right,
            ["X", "Y"],
            [Segment(0, 0, 0, 0, 2), Segment(1, 0, 1, 1, 4)],
            deadlines={(0, 0): 2, (1, 0): 3},
            arrivals={(0, 0): 0, (1, 0): 0},
            completions={(0, 0): 2, (1, 0): 4},
            end=5,
        )
        right.imshow([[0, 1], [2, 3]], extent=(0, 1, 0, 1))
        left.set_title("-1 ≥ 0 and $10^{-3}$")
        return [path.read_bytes() for path in save_figure(figure, stem)]


def test_figures_are_written_in_three_formats_with_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = drawn(tmp_path / "first.one"), drawn(tmp_path / "second")
    assert first == second
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf", ".pdf", ".png", ".png", ".svg", ".svg"]
    assert first[0].startswith(b"%PDF")
    assert b"/Type3" not in first[0]
    assert b"CreationDate" not in first[0]


def test_the_style_is_undone() -> None:
    import matplotlib

    before = matplotlib.rcParams["font.size"]
    with paper_style():
        assert matplotlib.rcParams["font.size"] == 8
    assert matplotlib.rcParams["font.size"] == before


def colours(svg: bytes) -> set[str]:
    return set(re.findall(r"#([0-9a-f]{6})\b", svg.decode()))


def test_greys_are_grey_and_all_differ(tmp_path: Path) -> None:
    coloured = drawn(tmp_path / "colours")[1]
    with drawn_as(Look(greys=True)):
        _, grey, _ = drawn(tmp_path / "greys")
    assert {"0072b2", "fdd0a2", "b2182b"} <= colours(coloured)
    assert all(one[:2] == one[2:4] == one[4:] for one in colours(grey)), colours(grey)
    assert len(colours(grey)) > 5
    from PIL import Image

    with Image.open(tmp_path / "greys.png") as image:
        assert all(red == green == blue for _, (red, green, blue) in image.convert("RGB").getcolors(1 << 24) or [])
    assert drawn(tmp_path / "again")[1] == coloured, "the look is undone"


@pytest.mark.parametrize(("fonts", "embedded"), [("plain", b"DejaVuSerif"), ("latex", b"Cmr10"), ("times", b"STIX")])
def test_letters_are_those_that_were_asked_for(fonts: str, embedded: bytes, tmp_path: Path) -> None:
    with drawn_as(Look(fonts=fonts)):
        pdf, _, _ = drawn(tmp_path / fonts)
    assert embedded in pdf and b"/Type3" not in pdf
    assert set(FONTS) == {"plain", "latex", "times"}


def test_no_study_has_colours_or_settings_of_its_own() -> None:
    own = re.compile(r"""["']#[0-9a-fA-F]{6}["']|rcParams|rc_context""")
    files = sorted((ROOT / "studies").glob("*/*.py"))
    assert len(files) > 40
    assert [file.name for file in files if own.search(file.read_text(encoding="utf-8"))] == []
