"""How many of the papers' claims hold here: counted by paper."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.gallery.papers import Paper, read_papers
from schedlab.outputs.studies import PaperClaims
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, NOT_EVALUATED


def claims_by_paper(folder: Path) -> list[PaperClaims]:
    """By paper: how many claims hold, do not, are not evaluated, judged by the results in a folder such as out/studies.

    Also how many of its figures and tables are shown, not run, missing, or no results.
    """
    exhibits = collect(folder)
    return [count(paper, exhibits) for paper in read_papers()]


def count(paper: Paper, exhibits: Mapping[str, Exhibit]) -> PaperClaims:
    """The numbers of one paper."""
    of_paper = [exhibits[name] for item in paper.items for name in item.studies]
    answers = [claim.answer for exhibit in of_paper for claim in exhibit.claims]
    shown = [item for item in paper.items if any(exhibits[name].results is not None for name in item.studies)]
    return {
        "paper": paper.name,
        "holds": answers.count(HOLDS),
        "does_not_hold": answers.count(DOES_NOT_HOLD),
        "not_evaluated": answers.count(NOT_EVALUATED),
        "shown": len(shown),
        "not_run": sum(bool(item.studies) for item in paper.items) - len(shown),
        "missing": sum(bool(item.missing) for item in paper.items),
        "no_result": sum(bool(item.no_result) for item in paper.items),
    }
