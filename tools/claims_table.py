"""Writes docs/claims.md: the papers' claims by figure, judged by stored results. Runs nothing.

    python tools/claims_table.py out/studies            # writes docs/claims.md
    python tools/claims_table.py out/studies --check    # only says whether it is current

What each figure's claims came to is one table. Those that do not hold here, and those that are not evaluated, follow
with the reason.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from schedlab.gallery import Item, read_papers
from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.studies import Claim, RealStudy
from schedlab.studies.claims import DOES_NOT_HOLD, HOLDS, NOT_EVALUATED

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "claims.md"
WIDTH = 118
#: Numbers beyond this many letters are cut: the study prints all of them.
REASON = 260

HEAD = """# Claims of the papers

Which of the papers' sentences hold here? This page is made of stored results. After `schedlab study run`, the command
`python tools/claims_table.py out/studies` writes it anew. `sets` is how many task sets each point had: with few of them
an answer may turn. A study that is not run has no answers. Measured studies (*real*) say something of the machine they
ran on alone. [Results of studies](study-results.md) has those of one machine in words, and what the papers leave open.

"""


def document(exhibits: dict[str, Exhibit]) -> str:
    """The whole page."""
    lines = ["| figure | study | sets | holds | does not hold here | not evaluated |", "|---|---|---|---|---|---|"]
    for paper in read_papers():
        lines.append(f"| **{paper.name}** | | | | | |")
        for item in paper.items:
            lines += rows(item, exhibits)
    parts = [HEAD, "\n".join(lines) + "\n"]
    for answer, title in ((DOES_NOT_HOLD, "What does not hold here"), (NOT_EVALUATED, "What is not evaluated")):
        parts.append(f"\n## {title}\n")
        for paper in read_papers():
            told = [text for item in paper.items for text in reasons(item, exhibits, answer)]
            if told:
                parts.append(f"\n### {paper.name}\n\n" + "\n".join(told) + "\n")
    return "".join(parts)


def rows(item: Item, exhibits: dict[str, Exhibit]) -> Iterator[str]:
    """A row for each study of a figure."""
    if not item.studies:
        needs = f"`{item.with_overheads}`, with `--overheads FILE` only"
        yield f"| {item.name} | {item.no_result or item.missing or needs} | | | | |"
    for name in item.studies:
        exhibit = exhibits[name]
        if exhibit.results is None:
            kind = "real, not run" if isinstance(exhibit.study, RealStudy) else "not run"
            yield f"| {item.name} | `{name}` | {kind} | | | |"
            continue
        answers = [claim.answer for claim in exhibit.claims]
        counted = " | ".join(str(answers.count(answer)) for answer in (HOLDS, DOES_NOT_HOLD, NOT_EVALUATED))
        yield f"| {item.name} | `{name}` | {exhibit.results.provenance['sets']} | {counted} |"


def reasons(item: Item, exhibits: dict[str, Exhibit], answer: str) -> Iterator[str]:
    """The claims of this answer, each with why."""
    for name in item.studies:
        for claim in exhibits[name].claims:
            if claim.answer == answer:
                yield bullet(name, claim)


def bullet(study: str, claim: Claim) -> str:
    """A claim as an item of a list."""
    why = claim.because if len(claim.because) <= REASON else claim.because[:REASON].rsplit(" ", 1)[0] + " ..."
    text = f"`{study}`: {plain(claim.text)}. *{plain(why)}*"
    wrapped = textwrap.wrap(text, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "* " + "\n  ".join(wrapped)


def plain(text: str) -> str:
    """Without what the page would take for its own marks."""
    return text.replace("|", "/").replace("*", "x").replace("<", "less than")


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, help="the folder of results, such as out/studies")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the page is not current")
    arguments = parser.parse_args()
    made = document(collect(arguments.results))
    if arguments.check:
        return int(made != DOCUMENT.read_text())
    DOCUMENT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
