"""The gallery: the papers' figures in order, what is stored shown and what is not said, in any browser."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from browsing import LAPTOP, launched, opened, serious
from conftest import fits
from schedlab.cli.main import main
from schedlab.gallery import claims_by_paper, read_papers, write_gallery
from schedlab.gallery.claims import lack
from schedlab.gallery.exhibits import collect
from schedlab.plots.paper import Look, drawn_as
from schedlab.store.parquet import read_table, write_table
from schedlab.studies import Results, find_study, list_studies, run_study
from schedlab.studies.identity import build_hash
from schedlab.studies.runner import sample_study

#: How many figures and tables each paper's text has.
EXTENT = {
    "staggered-pfair-2005": (15, 0),
    "litmus-rt-2006": (12, 0),
    "block-or-not-2008": (132, 2),
    "chronos-scalability-2011": (11, 2),
    "resource-protocols-2020": (4, 1),
}
STORED = {"2005-fig4": 1, "2006-fig1": 1, "2006-fig9": 2}
STALE = "2006-fig10"
OF_ANOTHER_STATE = {
    "format": 1, "study": STALE, "code": "another", "version": "0", "seed": 1, "sets": 1, "points": [],
    "machine": {"processors": 1, "architecture": "any"}, "overheads": None,
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three studies, and rows that an earlier state of a fourth stored."""
    folder = tmp_path_factory.mktemp("results")
    for name, sets in STORED.items():
        study, path = find_study(name)
        run_study(study, path, folder / name, sets=sets)
    (folder / STALE).mkdir()
    write_table(folder / STALE / "results.parquet", pa.table({"old": [1]}), OF_ANOTHER_STATE)
    return folder


@pytest.fixture
def as_svg() -> Iterator[None]:
    """Figures are drawn in the one format that pages need; the fixture `site` has them all."""
    with drawn_as(Look(formats=("svg",))):
        yield


@pytest.fixture(scope="module")
def site(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    write_gallery(results, folder)
    return folder


class Links(HTMLParser):
    """What a page refers to, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        found = dict(attributes)
        self.addresses += [value for name in ("href", "src") if (value := found.get(name)) and value != "data:,"]
        self.anchors |= {value for value in [found.get("id")] if value}


def test_every_study_of_the_list_is_an_item_of_its_paper() -> None:
    listed = [(paper.name, name) for paper in read_papers() for item in paper.items for name in item.studies]
    there = [(path.parent.name, study.name) for study, path in list_studies()]
    assert len(listed) == len(set(listed))
    assert set(listed) == set(there), "an item of studies/papers.toml names each study"


def test_every_figure_and_table_of_the_papers_is_an_item_in_order() -> None:
    roman = {"I": 1, "II": 2}
    assert [paper.name for paper in read_papers()] == list(EXTENT), "EXTENT has each paper of studies/papers.toml"
    for paper in read_papers():
        numbers: dict[str, list[int]] = {"Figure": [], "Table": []}
        for item in paper.items:
            words = re.fullmatch(r"(Figure|Table)s? (\w+)(?: (and|to) (\d+))?", item.name)
            if words is None:
                assert item.name.startswith("Section"), item.name
                continue
            first = roman.get(words[2]) or int(words[2])
            numbers[words[1]] += range(first, int(words[4] or first) + 1)
        extents = tuple(list(range(1, count + 1)) for count in EXTENT[paper.name])
        assert tuple(numbers.values()) == extents, paper.name


def test_an_item_says_either_its_studies_or_why_it_has_none() -> None:
    from schedlab.gallery import Item
    from schedlab.studies import StudyError

    for parts in ({}, {"missing": "later", "no_result": "code"}, {"studies": ("a",), "missing": "later"}):
        with pytest.raises(StudyError, match="give one of studies, no_result, missing and with_overheads"):
            Item("Figure 1", "about", **parts)  # type: ignore[arg-type]


def test_stored_results_are_shown_and_the_rest_is_said(site: Path) -> None:
    page = (site / "litmus-rt-2006.html").read_text(encoding="utf-8")
    order = [page.index(f'<section class="item" id="figure-{number}">') for number in range(1, 13)]
    assert order == sorted(order)
    sections = dict(zip(range(1, 13), [page[at:] for at in order], strict=True))
    assert "Not run: nothing is stored. <code>schedlab study run 2006-fig6</code>" in sections[6].split("</section>")[0]
    assert "an earlier state of the study&#39;s file stored" in sections[10].split("</section>")[0]
    assert "No result to redraw: pseudo-code" in sections[3].split("</section>")[0]
    ninth = sections[9].split("</section>")[0]
    assert "<pre>schedlab study run 2006-fig9 --sets 2</pre>" in ninth
    assert "60 points of 2 sets" in ninth and ninth.count('<span class="chip ') == 5
    assert (
        ninth.count('<ul class="parts">') == 5
        and "It would not hold with a G-EDF test that accepts every set." in ninth
    )
    last = (site / "block-or-not-2008.html").read_text(encoding="utf-8")
    assert "Not run: nothing is stored. <code>schedlab study run 2008-appendix-b2</code>" in last


def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    pages = sorted(site.glob("*.html"))
    assert len(pages) == len(EXTENT) + 1
    anchors = {page.name: Links(page).anchors for page in pages}
    for page in pages:
        for address in Links(page).addresses:
            file, _, anchor = address.partition("#")
            assert (site / (file or page.name)).is_file(), address
            assert not anchor or anchor in anchors[file or page.name], address


def test_data_to_download_is_the_stored_data(site: Path, results: Path) -> None:
    own = site / "litmus-rt-2006" / "2006-fig9"
    stored = (results / "2006-fig9" / "results.parquet").read_bytes()
    assert (own / "2006-fig9.parquet").read_bytes() == stored
    rows = pyarrow.parquet.read_table(own / "2006-fig9.parquet")
    csv = pyarrow.csv.read_csv(own / "2006-fig9.csv")
    assert csv.column_names == rows.column_names and csv.to_pylist() == rows.to_pylist()


def test_the_same_results_give_the_same_bytes(site: Path, results: Path, tmp_path: Path) -> None:
    write_gallery(results, tmp_path)
    first, second = (
        {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*.*")} for folder in (site, tmp_path)
    )
    assert first == second and len(first) > 6


@pytest.mark.usefixtures("as_svg")
def test_the_command_counts_claims_by_paper(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "gallery", "--results", str(results), "--out", str(tmp_path / "a" / "b"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    fits(found, "study gallery")
    assert found["papers"] == claims_by_paper(results)
    by_paper = {paper["paper"]: paper for paper in found["papers"]}
    assert by_paper["block-or-not-2008"]["holds"] == 0 and by_paper["block-or-not-2008"]["missing"] == 2
    judged = by_paper["litmus-rt-2006"]
    assert (judged["shown"], judged["not_run"], judged["no_result"]) == (2, 7, 3)
    answers = ("holds", "does_not_hold", "indistinguishable", "not_evaluated")
    assert sum(judged[answer] for answer in answers) == 6 + 5


@pytest.mark.usefixtures("as_svg")
def test_a_damaged_study_is_shown_as_damaged_and_the_rest_goes_on(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, out = tmp_path / "results", tmp_path / "site"
    shutil.copytree(results, folder)
    cut, noted, rows = (folder / name for name in ("2006-fig1", "2006-fig9", "2005-fig4"))
    (cut / "results.parquet").write_bytes((cut / "results.parquet").read_bytes()[:-100])
    (noted / "run.json").write_text((noted / "run.json").read_text().replace("{", '{"unknown": 1,', 1))
    write_table(rows / "results.parquet", pa.table({"x": [1]}), {})
    write_gallery(folder, out)
    page = (out / "litmus-rt-2006.html").read_text(encoding="utf-8")
    assert re.search(r"Damaged: \S+2006-fig1/results.parquet: cannot be read, .*; run the study again", page)
    assert "2006-fig9/run.json: has other keys than this version writes: unknown; run the study again" in page
    assert '<small class="gone">damaged</small>' in (out / "index.html").read_text(encoding="utf-8")
    damaged_of = {paper["paper"]: paper["damaged"] for paper in claims_by_paper(folder) if paper["damaged"]}
    assert damaged_of == {"staggered-pfair-2005": 1, "litmus-rt-2006": 1}
    assert main(["study", "status", "--out", str(folder)]) == 0
    told = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    damaged = {name for name, state in told.items() if state.strip().startswith("damaged: ")}
    assert damaged == {"2006-fig1", "2006-fig9", "2005-fig4"} and len(told) > 40


def test_a_page_says_what_was_charged_and_who_made_the_results(results: Path, site: Path, tmp_path: Path) -> None:
    page = (site / "litmus-rt-2006.html").read_text(encoding="utf-8")
    assert "<dd>none; beside it paper-2008-4k</dd>" in page and "as the figure says" not in page
    assert f", build {build_hash()[:8]}</dd>" in page and "made these results" not in page
    assert all(paper["other_builds"] == 0 for paper in claims_by_paper(results))
    for number, (name, what) in enumerate([("2006-fig1", "build"), ("2006-fig9", "code")]):
        table, told = read_table(results / name / "results.parquet")
        (tmp_path / name).mkdir()
        write_table(tmp_path / name / "results.parquet", table, {**told, what: f"{number:064}"})
    exhibits = collect(tmp_path)
    assert exhibits["2006-fig1"].other_make.startswith("Another build of schedlab made these results; this page is by")
    assert exhibits["2006-fig9"].other_make == "An earlier state of the study's file made these results."
    others = {paper["paper"]: paper["other_builds"] for paper in claims_by_paper(tmp_path) if paper["other_builds"]}
    assert others == {"litmus-rt-2006": 2}


def test_figures_that_need_a_file_of_overheads_are_missing_without_it(
    results: Path, site: Path, tmp_path: Path
) -> None:
    page = (site / "block-or-not-2008.html").read_text(encoding="utf-8")
    section = page.split('<section class="item" id="figures-21-to-48">')[1].split("</section>")[0]
    assert "Missing: " in section and "schedlab study run 2008-appendix-b --overheads overheads.toml" in section
    [item, of_objects] = [item for paper in read_papers() for item in paper.items if item.with_overheads]
    assert of_objects.with_overheads == "2008-appendix-b2"
    table, told = read_table(results / "2006-fig1" / "results.parquet")
    exhibit = collect(results)["2008-appendix-b"]
    assert lack(item, {exhibit.study.name: exhibit}) == "missing"
    for overheads, found in ((None, "missing"), ("measured", "")):
        with_rows = replace(exhibit, results=Results(table, {**told, "overheads": overheads}))
        assert lack(item, {exhibit.study.name: with_rows}) == found


def test_what_is_stored_of_a_run_that_did_not_end_is_said(tmp_path: Path) -> None:
    study, path = find_study("2006-fig1")
    sample_study(study, path, tmp_path / study.name, 0.4)
    assert collect(tmp_path)[study.name].reason == "Not run: a random share of 2 of 5 units is stored"
    run_study(study, path, tmp_path / study.name)
    (tmp_path / study.name / "results.parquet").unlink()
    assert collect(tmp_path)[study.name].reason == "Not run to its end: 5 of 5 units are stored"


def test_without_any_results_all_is_not_run(tmp_path: Path) -> None:
    assert all(paper["shown"] == 0 and paper["holds"] == 0 for paper in claims_by_paper(tmp_path))


def test_an_error_of_a_study_of_today_is_not_hidden(tmp_path: Path) -> None:
    study, path = find_study("2006-fig9")
    run_study(study, path, tmp_path / "2006-fig9", sets=1)
    stored = tmp_path / "2006-fig9" / "results.parquet"
    table = pyarrow.parquet.read_table(stored)
    write_table(stored, table.drop_columns(["P-EDF"]), json.loads(table.schema.metadata[b"schedlab"]))
    with pytest.raises(KeyError):
        claims_by_paper(tmp_path)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as running:
        yield running


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "litmus-rt-2006"])
def test_pages_are_accessible_and_need_no_network(browser: Any, site: Path, name: str, scheme: str) -> None:
    with opened(browser, site / f"{name}.html", "main", color_scheme=scheme, **LAPTOP) as page:
        assert serious(page) == []
        pictures = page.locator("figure img")
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
        assert pictures.count() == (0 if name == "index" else 2)


@pytest.mark.browser
@pytest.mark.parametrize("width", [320, 390, 1366])
def test_nothing_is_wider_than_a_screen(browser: Any, site: Path, width: int) -> None:
    for name in ("index", "litmus-rt-2006", "block-or-not-2008"):
        with opened(browser, site / f"{name}.html", "main", viewport={"width": width, "height": 700}) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.browser
def test_printed_pages_are_black_on_white_even_where_the_screen_is_dark(browser: Any, site: Path) -> None:
    with opened(browser, site / "litmus-rt-2006.html", "main", color_scheme="dark", **LAPTOP) as page:
        colours = "(({color, backgroundColor}) => [color, backgroundColor])(getComputedStyle(document.body))"
        on_screen = page.evaluate(colours)
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate(colours) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"] != on_screen
        assert not page.locator("nav").is_visible() and page.locator("figure").first.is_visible()
