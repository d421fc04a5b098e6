"""Writes docs/claims.md: the papers' sentences by figure, judged by stored results. Runs nothing.

    python tools/claims_table.py out/studies                        # writes docs/claims.md
    python tools/claims_table.py out/seed1 out/seed2 out/seed3      # of several runs with other seeds
    python tools/claims_table.py out/studies --check                # only says whether it is current
    python tools/claims_table.py out/studies --ask 10               # ten sentences by chance, and what refutes them

What each figure's sentences came to is one table. All sentences follow by answer, with their parts, and with the mutant
that would refute each. With several folders, a sentence whose answer is not the same in all that have it is
indistinguishable.
"""

from __future__ import annotations

import argparse
import random
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from schedlab.gallery import Item, read_papers
from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.studies import Claim, RealStudy
from schedlab.studies.answers import ANSWERS, DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, NOT_EVALUATED

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "claims.md"
WIDTH = 118
#: Numbers beyond this many letters are cut: the study prints all of them.
REASON = 260
#: Of a sentence that holds, the numbers of its first part are enough.
BRIEF = 150

HEAD = """# Claims of the papers

Which of the papers' sentences hold here? A sentence is one claim, with a part for each distribution, scheduler or
variant that it speaks of. It holds if all parts that are evaluated hold. It is *indistinguishable* if a part is: then
more task sets are needed to tell. Each sentence names what would have refuted it, and a test shows that it does.

Differences are those on the same task sets, with intervals of 99% for all parts of a sentence together: so one in a
hundred sentences may be wrong by chance. [Studies](studies.md#how-claims-are-judged) says how they are judged.

This page is made of stored results. After `schedlab study run`, the command `python tools/claims_table.py out/studies`
writes it anew; `--ask 10` asks what would have refuted ten sentences, chosen at random. `sets` is how many task sets
each point had. A study that is not run has no answers: no judgement of an earlier version of this page is kept. Of
measured studies (*real*), which say something of the machine they ran on alone,
[results of studies](study-results.md) has the numbers of one machine.

"""


class Found(NamedTuple):
    """A sentence with its answer in all runs, and the runs by seed in which it has another one."""

    claim: Claim
    answer: str
    turns: str = ""


def sentences(name: str, runs: Sequence[dict[str, Exhibit]]) -> list[Found]:
    """The sentences of a study; one that turns with the seed is indistinguishable."""
    here = [run[name] for run in runs if run[name].results is not None]
    found = []
    for claim in here[0].claims if here else ():
        answers = {
            exhibit.results.provenance["seed"]: other.answer
            for exhibit in here
            for other in exhibit.claims
            if other.text == claim.text and exhibit.results is not None
        }
        if len(set(answers.values())) == 1:
            found.append(Found(claim, claim.answer))
        else:
            told = ", ".join(f"{answer} with seed {seed}" for seed, answer in answers.items())
            found.append(Found(claim, INDISTINGUISHABLE, f"it turns with the seed: {told}; "))
    return found


def document(*runs: dict[str, Exhibit]) -> str:
    """The whole page."""
    lines = [
        "| figure | study | sets | seeds | holds | does not hold | indistinguishable | not evaluated |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for paper in read_papers():
        lines.append(f"| **{paper.name}** | | | | | | | |")
        for item in paper.items:
            lines += rows(item, runs)
    parts = [HEAD, "\n".join(lines) + "\n"]
    titles = {
        DOES_NOT_HOLD: "What does not hold here",
        INDISTINGUISHABLE: "What is indistinguishable here",
        NOT_EVALUATED: "What is not evaluated",
        HOLDS: "What holds here",
    }
    for answer, title in titles.items():
        parts.append(f"\n## {title}\n")
        for paper in read_papers():
            told = [text for item in paper.items for text in reasons(item, runs, answer)]
            if told:
                parts.append(f"\n### {paper.name}\n\n" + "\n".join(told) + "\n")
    return "".join(parts)


def rows(item: Item, runs: Sequence[dict[str, Exhibit]]) -> Iterator[str]:
    """A row for each study of a figure."""
    if not item.studies:
        needs = f"`{item.with_overheads}`, with `--overheads FILE` only"
        yield f"| {item.name} | {item.no_result or item.missing or needs} | | | | | | |"
    for name in item.studies:
        stored = [one for run in runs if (one := run[name].results) is not None]
        if not stored:
            kind = "real, not run" if isinstance(runs[0][name].study, RealStudy) else "not run"
            yield f"| {item.name} | `{name}` | {kind} | | | | | |"
            continue
        answers = [one.answer for one in sentences(name, runs)]
        counted = " | ".join(str(answers.count(answer)) for answer in ANSWERS)
        seeds = ", ".join(str(one.provenance["seed"]) for one in stored)
        sets = " and ".join(dict.fromkeys(str(one.provenance["sets"]) for one in stored))
        yield f"| {item.name} | `{name}` | {sets} | {seeds} | {counted} |"


def reasons(item: Item, runs: Sequence[dict[str, Exhibit]], answer: str) -> Iterator[str]:
    """The sentences of this answer, each with why."""
    for name in item.studies:
        for found in sentences(name, runs):
            if found.answer == answer:
                yield bullet(name, found)


def bullet(study: str, found: Found) -> str:
    """A sentence as an item of a list: its parts, what would refute it, and the numbers that decide."""
    claim = found.claim
    deciding = [part for part in claim.parts if part.answer == claim.answer]
    first = deciding[0]
    why = found.turns + (f"{first.name}: {first.because}" if first.name else first.because)
    limit = BRIEF if found.answer == HOLDS else REASON
    why = why if len(why) <= limit else why[:limit].rsplit(" ", 1)[0] + " ..."
    counted = f" ({claim.counted()})" if claim.counted() else ""
    refuted = f" Refuted by {plain(claim.refuted_by)}." if claim.refuted_by else ""
    text = f"`{study}`: {plain(claim.text)}{counted}. *{plain(why)}*{refuted}"
    wrapped = textwrap.wrap(text, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "* " + "\n  ".join(wrapped)


def plain(text: str) -> str:
    """Without what the page would take for its own marks."""
    return text.replace("|", "/").replace("*", "x").replace("<", "less than")


def asked(runs: Sequence[dict[str, Exhibit]], number: int) -> str:
    """So many evaluated sentences, chosen at random, with their answers and what would have refuted them."""
    every = [
        (name, found)
        for name in runs[0]
        for found in sentences(name, runs)
        if found.answer != NOT_EVALUATED
    ]  # fmt: skip
    chosen = random.Random().sample(every, min(number, len(every)))
    return "".join(
        f"{name}: {found.claim.text}\n    {found.answer}; refuted by {found.claim.refuted_by}\n"
        for name, found in chosen
    )  # fmt: skip


def main() -> int:
    """The program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="+", help="folders of results, such as out/studies, one a seed")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 if the page is not current")
    parser.add_argument("--ask", type=int, metavar="N", help="write nothing; print N sentences and what refutes them")
    arguments = parser.parse_args()
    runs = [collect(folder) for folder in arguments.results]
    if arguments.ask:
        print(asked(runs, arguments.ask), end="")
        return 0
    made = document(*runs)
    if arguments.check:
        return int(made != DOCUMENT.read_text())
    DOCUMENT.write_text(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
