"""Counts of the papers' sentences that hold here, by paper: a sentence is one claim, however many parts it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.gallery.papers import Item, Paper, read_papers
from schedlab.outputs.studies import PaperClaims
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, NOT_EVALUATED, of_source

#: Reasons why nothing of an item is shown that could be shown.
NOT_RUN, DAMAGED, MISSING = "not run", "damaged", "missing"


def lack(item: Item, exhibits: Mapping[str, Exhibit]) -> str:
    """Returns in a word why nothing of an item is shown that could be; empty if something is, or nothing could be."""
    if item.missing or (item.with_overheads and not exhibits[item.with_overheads].has_overheads):
        return MISSING
    here = [exhibits[name] for name in item.studies]
    if not here or any(exhibit.results is not None for exhibit in here):
        return ""
    return DAMAGED if any(exhibit.is_damaged for exhibit in here) else NOT_RUN


def claims_by_paper(folder: Path) -> list[PaperClaims]:
    """Counts by paper the sentences that hold, do not hold, and so on, by the results in a folder.

    The folder is one such as out/studies. Also counts the figures and tables that are shown, not run, damaged, missing,
    or no results, and the results that another build made.
    """
    exhibits = collect(folder)
    return [count(paper, exhibits) for paper in read_papers()]


def count(paper: Paper, exhibits: Mapping[str, Exhibit]) -> PaperClaims:
    """Counts the claims and items of one paper."""
    of_paper = [exhibits[name] for item in paper.items for name in item.studies]
    answers = [claim.answer for exhibit in of_paper for claim in of_source(exhibit.claims)]
    lacks = [lack(item, exhibits) for item in paper.items]
    no_result = sum(bool(item.no_result) for item in paper.items)
    return {
        "paper": paper.name,
        "holds": answers.count(HOLDS),
        "does_not_hold": answers.count(DOES_NOT_HOLD),
        "indistinguishable": answers.count(INDISTINGUISHABLE),
        "not_evaluated": answers.count(NOT_EVALUATED),
        "shown": lacks.count("") - no_result,
        "not_run": lacks.count(NOT_RUN),
        "damaged": lacks.count(DAMAGED),
        "missing": lacks.count(MISSING),
        "no_result": no_result,
        "other_builds": sum(bool(exhibit.other_make) for exhibit in of_paper),
    }
