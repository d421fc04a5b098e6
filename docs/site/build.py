"""Builds the site of all documents from this repository alone: `make docs` calls it with the folder to write.

The documents are copied beside generated pages, and Sphinx reads them there. Any warning is an error.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import command_line
import formats
import gallery_page
import generators
import pages
import protocols
import python_api
import schedulers
import servers
import tests_of
from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent
#: What the pages of a folder are about, by section and by their names; the section "" has no heading.
Listed = dict[str, dict[str, str]]
#: Folders of generated pages: title, a sentence, and the function that writes them.
GENERATED: dict[str, tuple[str, str, Callable[[Path], Listed]]] = {
    "cli": ("The command line", "Each command, as its `--help` says it.", command_line.write),
    "formats": ("Files", "Each field of the files, each record of a trace, and the header for C.", formats.write),
    "api": ("The Python package", "Each public name, from its docstring.", python_api.write),
    "schedulers": (
        "Schedulers",
        "Schedulers of one section order jobs alike, and differ in who shares a queue and who gives way. Each page has "
        "an example that the simulator drew.",
        schedulers.write,
    ),
    "servers": ("Budget servers", "When a server has budget for the jobs of its clients.", servers.write),
    "protocols": ("Locking protocols", "What a job does while it waits, and who is served next.", protocols.write),
    "tests": ("Tests of schedulability", "What each test assumes, costs and rests on.", tests_of.write),
    "generators": ("Generators of task sets", "How random task sets are drawn and placed.", generators.write),
}


def main(out: Path) -> int:
    """Writes the site to `out`; returns Sphinx's exit status."""
    source = out.parent / f"{out.name}-source"
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    source.mkdir(parents=True)
    pages.stage(source)
    for name, (title, about, write) in GENERATED.items():
        folder = source / "reference" / name
        (folder / "index.md").write_text(_index(title, about, write(folder), folder), encoding="utf-8")
    gallery = out.parent / "gallery"
    gallery_page.write(source / "docs" / "gallery.md", gallery)
    doctrees = out.parent / f"{out.name}-doctrees"
    status = build_main(["-W", "--keep-going", "-q", "-c", str(HERE), "-d", str(doctrees), str(source), str(out)])
    if status == 0:
        mend(out)
        gallery_page.copy(gallery, out / "gallery")
        print(f"the site is {out / 'index.html'}")
    return status


def _index(title: str, about: str, sections: Listed, folder: Path) -> str:
    """Returns the page that leads to all pages of a folder."""
    parts = [f"# {title}", about]
    for section, listed in sections.items():
        parts += [f"## {section}"] if section else []
        parts.append("\n".join(_linked(words, folder, page) for page, words in listed.items()))
    hidden = "\n".join(page for listed in sections.values() for page in listed)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{hidden}\n```"]) + "\n"


def _linked(words: str, folder: Path, page: str) -> str:
    """Returns the line of an index about a page: what stands before the colon leads to the page."""
    name, colon, about = words.partition(": ")
    ending = ".rst" if (folder / f"{page}.rst").exists() else ".md"
    return f"* [{name}]({page}{ending}){colon}{about}"


def mend(out: Path) -> None:
    """Lets readers without a mouse use the pages: headings have levels, and what scrolls can be reached by keys."""
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        text = text.replace('role="heading"', 'role="heading" aria-level="2"')
        text = text.replace("<pre>", '<pre tabindex="0">').replace('<table class="', '<table tabindex="0" class="')
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
