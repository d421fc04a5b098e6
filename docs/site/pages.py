"""Copies the documents to where Sphinx reads them, as the repository has them, and says which links leave the site."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import rust

#: Pages of the repository's first level that the site has.
TOP = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "GLOSSARY.md", "README.md")
#: Folders of pages below docs.
FOLDERS = (".", "tutorials", "how-to", "explanation")


def documents() -> list[Path]:
    """Returns all documents that are written by hand, relative to the repository."""
    found = [Path(name) for name in TOP]
    for folder in FOLDERS:
        found += sorted(path.relative_to(rust.ROOT) for path in (rust.ROOT / "docs" / folder).glob("*.md"))
    return found


def stage(into: Path) -> None:
    """Copies documents, pictures and the files to which documents link."""
    for page in documents():
        text = (rust.ROOT / page).read_text(encoding="utf-8")
        target = into / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_linked(text, page, into), encoding="utf-8")
    shutil.copytree(rust.ROOT / "docs" / "images", into / "docs" / "images", dirs_exist_ok=True)
    for path in sorted((rust.ROOT / "docs" / "site").glob("*.md")):
        shutil.copy(path, into / path.name)


def _linked(text: str, page: Path, into: Path) -> str:
    """Returns the text whose links lead to pages and files of the site: a link to a folder becomes its words."""

    def lead(match: re.Match[str]) -> str:
        words, target = match[1], match[2]
        path, _, _ = target.partition("#")
        if "://" in target or not path:
            return match[0]
        file = (rust.ROOT / page.parent / path).resolve()
        if file.is_dir():
            return words
        relative = file.relative_to(rust.ROOT)
        if file.suffix != ".md":
            (into / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, into / relative)
        return match[0]

    return re.sub(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^)\s]+)\)", lead, text)
