"""How many of the papers' claims hold here: counted by paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.gallery.papers import Item, Paper, read_papers
from schedlab.outputs.studies import PaperClaims
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, NOT_EVALUATED

#: Why nothing of an item is shown, though something could be.
NOT_RUN, DAMAGED, MISSING = "not run", "damaged", "missing"


def lack(item: Item, exhibits: Mapping[str, Exhibit]) -> str:
    """In a word, why nothing of an item is shown that could be; empty where something is, or nothing could be."""
    if item.missing or (item.with_overheads and not exhibits[item.with_overheads].has_overheads):
        return MISSING
    here = [exhibits[name] for name in item.studies]
    if not here or any(exhibit.results is not None for exhibit in here):
        return ""
    return DAMAGED if any(exhibit.is_damaged for exhibit in here) else NOT_RUN


def claims_by_paper(folder: Path) -> list[PaperClaims]:
    """By paper: how many claims hold, do not, are not evaluated, judged by the results in a folder such as out/studies.

    Also how many of its figures and tables are shown, not run, damaged, missing, or no results, and how many results
    another build made.
    """
    exhibits = collect(folder)
    return [count(paper, exhibits) for paper in read_papers()]


def count(paper: Paper, exhibits: Mapping[str, Exhibit]) -> PaperClaims:
    """The numbers of one paper."""
    of_paper = [exhibits[name] for item in paper.items for name in item.studies]
    answers = [claim.answer for exhibit in of_paper for claim in exhibit.claims]
    lacks = [lack(item, exhibits) for item in paper.items]
    no_result = sum(bool(item.no_result) for item in paper.items)
    return {
        "paper": paper.name,
        "holds": answers.count(HOLDS),
        "does_not_hold": answers.count(DOES_NOT_HOLD),
        "not_evaluated": answers.count(NOT_EVALUATED),
        "shown": lacks.count("") - no_result,
        "not_run": lacks.count(NOT_RUN),
        "damaged": lacks.count(DAMAGED),
        "missing": lacks.count(MISSING),
        "no_result": no_result,
        "other_builds": sum(bool(exhibit.other_make) for exhibit in of_paper),
    }
