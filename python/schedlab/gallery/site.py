"""The site: a page for each paper, an index, pictures and data beside them. No network, no script.

The same stored results give the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
from markupsafe import Markup

from schedlab._native import __version__
from schedlab.base.files import make_folder, write_whole
from schedlab.gallery.claims import count, lack
from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.gallery.papers import Item, read_papers
from schedlab.outputs.studies import PaperClaims
from schedlab.show.report.page import STYLE, templates_in
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, NOT_EVALUATED, of_our_own, of_source
from schedlab.studies.identity import canonical_json
from schedlab.studies.plan import RESULTS

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Picture:
    """A figure that a study drew: its name, its size, and its files by ending, as addresses in the site."""

    name: str
    width: int
    height: int
    files: Mapping[str, str]


@dataclass(frozen=True)
class Data:
    """A file to download."""

    kind: str
    address: str
    size: str


def write_gallery(results: Path, out: Path) -> tuple[Path, list[PaperClaims]]:
    """Draws and judges the results in the folder ``results`` into the folder ``out``; returns its index and counts.

    Studies without stored results are shown as not run, items that no study redraws as missing.
    """
    make_folder(out)
    papers, exhibits = read_papers(), collect(results, out)
    counts = {paper.name: count(paper, exhibits) for paper in papers}
    index = out / "index.html"
    write_whole(index, _rendered("index.html.j2", papers=papers, exhibits=exhibits, counts=counts))
    for paper in papers:
        of_paper = [exhibits[name] for item in paper.items for name in item.studies]
        shown = {one.study.name: _show(one, results, out) for one in of_paper if one.results is not None}
        text = _rendered("paper.html.j2", paper=paper, papers=papers, exhibits=exhibits, shown=shown, counts=counts)
        write_whole(out / f"{paper.name}.html", text)
    return index, list(counts.values())


def _show(exhibit: Exhibit, results: Path, out: Path) -> tuple[list[Picture], list[Data]]:
    """Returns a study's pictures and its data, and writes the data beside them."""
    assert exhibit.results is not None, "something is stored of it"
    name = exhibit.study.name
    own = out / exhibit.path.parent.name / name
    make_folder(own)
    parquet, csv = own / f"{name}.parquet", own / f"{name}.csv"
    write_whole(parquet, (results / name / RESULTS).read_bytes())
    write_whole(csv, _csv(exhibit.results.table))
    data = [Data(path.suffix.lstrip(".").upper(), _address(path, out), _size(path)) for path in (csv, parquet)]
    by_stem: dict[Path, dict[str, Path]] = {}
    for path in exhibit.files:
        by_stem.setdefault(path.with_suffix(""), {})[path.suffix.lstrip(".")] = path
    return [_picture(stem.name, kinds, out) for stem, kinds in by_stem.items()], data


def _picture(name: str, kinds: Mapping[str, Path], out: Path) -> Picture:
    width, height = _extent(kinds["svg"])
    return Picture(name, width, height, {kind: _address(path, out) for kind, path in kinds.items()})


def _extent(svg: Path) -> tuple[int, int]:
    """Returns width and height in points, so that a page reserves the place of the picture."""
    with svg.open(encoding="utf-8") as file:
        head = file.read(4000)
    sides = [re.search(rf'<svg[^>]*?\s{side}="([\d.]+)pt"', head) for side in ("width", "height")]
    assert all(sides), f"{svg}: matplotlib says the size first"
    width, height = (round(float(side[1])) for side in sides if side)
    return width, height


def _csv(table: pa.Table) -> bytes:
    """Returns the rows as CSV, with lists as JSON, because CSV has none."""
    for index, field in enumerate(table.schema):
        if pa.types.is_nested(field.type):
            texts = [None if value is None else canonical_json(value) for value in table.column(index).to_pylist()]
            table = table.set_column(index, field.name, pa.array(texts, pa.string()))
    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(table, sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def _address(path: Path, out: Path) -> str:
    return path.relative_to(out).as_posix()


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size / 1e3:.0f} kB"


#: The class of an answer's chip, and of its mark in the index.
_CHIPS = {
    HOLDS: "schedulable",
    DOES_NOT_HOLD: "unschedulable",
    INDISTINGUISHABLE: "undecided",
    NOT_EVALUATED: "unknown",
}
_MARKS = {HOLDS: "held", DOES_NOT_HOLD: "failed", INDISTINGUISHABLE: "alike", NOT_EVALUATED: "open"}


def _answers(item: Item, exhibits: Mapping[str, Exhibit]) -> list[str]:
    """Returns the answers to the claims of an item, those that hold first."""
    found = [claim.answer for name in item.studies for claim in of_source(exhibits[name].claims)]
    return sorted(found, key=list(_MARKS).index)


def _counted(answers: list[str]) -> str:
    """Returns the numbers of answers in words, for readers who do not see the marks."""
    return ", ".join(f"{answers.count(answer)} {answer}" for answer in _MARKS if answer in answers)


def _rendered(template: str, **parts: object) -> str:
    templates = templates_in(_HERE)
    templates.globals |= {
        "answers_of": _answers,
        "counted": _counted,
        "of_source": of_source,
        "of_our_own": of_our_own,
        "lack": lack,
        "chip": _CHIPS.get,
        "mark": _MARKS.get,
    }
    style = STYLE.read_text(encoding="utf-8") + (_HERE / "gallery.css").read_text(encoding="utf-8")
    return templates.get_template(template).render(style=Markup(style), version=__version__, **parts)
