"""The glossary: what GLOSSARY.md says of a word. The file is in the package, and the only source."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from schedlab.errors import no_such

_FILE = Path(__file__).resolve().parents[1] / "_glossary.md"

_BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)
_CODE = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Entry:
    """A paragraph of the glossary, which explains some words."""

    section: str
    #: The words that the paragraph is about, and the names that it gives in code.
    words: tuple[str, ...]
    names: tuple[str, ...]
    #: The paragraph, in Markdown on one line.
    markdown: str

    @property
    def text(self) -> str:
        """The paragraph without marks."""
        return self.markdown.replace("**", "").replace("`", "")


@cache
def entries() -> tuple[Entry, ...]:
    """Returns all paragraphs that explain words, in the order of the glossary."""
    found, section = [], ""
    for part in re.split(r"\n\n+|\n(?=\* |#)", _FILE.read_text(encoding="utf-8")):
        if part.startswith("#"):
            section = part.splitlines()[0].lstrip("# ")
            part = "\n".join(part.splitlines()[1:])
        markdown = " ".join(part.removeprefix("* ").split())
        words = tuple(" ".join(word.split()) for word in _BOLD.findall(markdown))
        names = tuple(_CODE.findall(_BOLD.sub("", markdown)))
        if words or names:
            found.append(Entry(section, words, names, markdown))
    return tuple(found)


#: The section about columns.
COLUMNS = "Columns of tables and pages"


def column(head: str) -> Entry:
    """Returns what the glossary says of the column of this name; raises `KeyError` if it says nothing."""
    for entry in entries():
        if entry.section == COLUMNS and head in entry.words:
            return entry
    raise KeyError(head)


def paragraph(word: str) -> Entry:
    """Returns the first paragraph about `word`, as it stands there; raises `KeyError` if there is none."""
    for entry in entries():
        if word in entry.words:
            return entry
    raise KeyError(word)


def explained(word: str) -> list[Entry]:
    """Returns what the glossary says of `word`, in its order: paragraphs about it, or about longer words with it.

    Raises `BadInput` with likely words if there is no such word.
    """
    wanted = _plain(word)
    if found := [entry for entry in entries() if wanted in _words(entry) | _names(entry) | _parts(entry)]:
        return found
    raise no_such("word in the glossary", word, sorted({one for entry in entries() for one in entry.words}))


def _words(entry: Entry) -> set[str]:
    return set(map(_plain, entry.words))


def _names(entry: Entry) -> set[str]:
    return set(map(_plain, entry.names))


def _parts(entry: Entry) -> set[str]:
    """Returns the parts of words such as suspension-oblivious."""
    return {part for word in entry.words for part in re.split(r"[ /-]+", _plain(word)) if part}


def _plain(word: str) -> str:
    """Returns a word by which it is looked up: small letters, one blank between words, singular."""
    small = " ".join(word.casefold().replace("`", "").split())
    return small.removesuffix("s") if len(small) > 3 else small
