"""`schedlab glossary`: every word of GLOSSARY.md is found, and what is printed stands there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from conftest import ROOT, fits
from schedlab.base.glossary import entries, explained
from schedlab.errors import BadInput

SOURCE = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")


def plain(text: str) -> str:
    return " ".join(text.replace("**", "").replace("`", "").split())


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("max/bound", "largest observed response time of a task over its proved bound"),
        ("tardiness", "max(0, lateness)"),
        ("AUR", "accrued utility over what the same jobs would have been worth"),
        ("cluster", "processors that share one ready queue"),
        ("oblivious", "take the time that a job waits for execution"),
        ("overload", "more work than the processors can do"),
        ("critical sections", "from the grant until the release"),
        ("PD2", "Pfair"),
        ("Jobs", "one activation"),
        ("deadline", "absolute deadline = arrival + D"),
        ("deadline", "the strongest answer of all tests"),
        ("used", "the bound's share of the relative deadline"),
        ("by", "the test that gives the bound"),
        ("C", "bound on cost"),
        ("D", "relative deadline"),
        ("T", "minimum inter-arrival time"),
        ("QPA", "Processor-demand"),
        ("unknown", "no test decides"),
        ("unknown", "which is not zero"),
    ],
)
def test_words_are_explained(run: Any, word: str, says: str) -> None:
    found = run("glossary", *word.split())
    assert found.status == 0 and says in plain(found.out)
    answer = run("glossary", *word.split(), "--json").json
    fits(answer, "glossary")
    assert answer["entries"]
    for entry in answer["entries"]:
        assert entry["text"] in plain(SOURCE), "the glossary is the source"


def test_every_bold_word_is_found_and_nothing_is_lost() -> None:
    bold = {" ".join(word.split()) for word in re.findall(r"\*\*(.+?)\*\*", SOURCE, re.DOTALL)}
    assert len(bold) > 250
    for word in bold:
        assert any(word in entry.words for entry in explained(word)), word
    assert {word for entry in entries() for word in entry.words} == bold


def test_unknown_words_have_near_ones(run: Any) -> None:
    found = run("glossary", "tardyness")
    assert found.status == 2 and "did you mean tardiness?" in found.err
    with pytest.raises(BadInput, match="no word in the glossary"):
        explained("")


def test_without_a_word_all_are_listed(run: Any) -> None:
    found = run("glossary").out
    assert "Tasks and time" in found and "max/bound" in found and "critical section" in found
