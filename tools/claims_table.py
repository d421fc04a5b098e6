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
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from schedlab.gallery import Item, read_papers
from schedlab.gallery.exhibits import Exhibit, collect
from schedlab.studies import Claim, RealStudy, Results
from schedlab.studies.answers import ANSWERS, DOES_NOT_HOLD, HOLDS, INDISTINGUISHABLE, NOT_EVALUATED

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "claims.md"
WIDTH = 118
#: Numbers beyond this many letters are cut: the study prints all of them.
REASON = 260
#: Of a sentence that holds, the numbers of its first part are enough.
BRIEF = 150
#: Fewer seeds than these do not tell well whether an answer turns with the seed.
FEW_SEEDS = 3

HEAD = """# Claims of the papers

Which of the papers' sentences hold here? A sentence is one claim, with a part for each distribution, scheduler or
variant that it speaks of. It holds, as far as it is evaluated, if all parts that are evaluated hold.

It is *indistinguishable* if no part fails and a part is: an interval lies on both sides of what the sentence says, a
difference is too little to be seen in a figure, or the answer turns with the seed. More task sets tell the first, and
may tell the last. Each sentence that holds or is indistinguishable names what would refute it: results changed in this
way were judged as well. Where even these do not, because the size is too small, the page says so.

Differences are those on the same task sets, with intervals of 99% for all parts of a sentence together: so one in a
hundred sentences may be wrong by chance. [How claims are judged](explanation/how-claims-are-judged.md) says
more.

This page is made of stored results. After `schedlab study run`, the command `python tools/claims_table.py out/studies`
writes it anew; `--ask 10` asks what would refute ten sentences, chosen at random. `sets` is how many task sets each
point had, in brackets how many of them with decisions, if fewer; fewer than three seeds have a mark (!). A study that
is not run has no answers: no judgement of an earlier version of this page is kept. Of measured studies (*real*), which
say something of the machine they ran on alone, [results of studies](study-results.md) has the numbers of one machine.

"""


OWN = """
## Checks of our own

No paper states these. They say how near numbers of ours are to those of a paper, and are not counted above.

"""


class Found(NamedTuple):
    """A sentence with its answer in all runs, and the runs by seed in which it has another one."""

    claim: Claim
    answer: str
    turns: str = ""
    #: The results that the claim judges.
    exhibit: Exhibit | None = None

    def is_refutable(self) -> bool:
        """Whether its mutant makes these very results refute it; if it is a test's alone, the test has shown it."""
        mutant, exhibit = self.claim.mutant, self.exhibit
        if mutant is None or mutant.change is None or exhibit is None or exhibit.results is None:
            return True
        assert exhibit.study.claims is not None
        again = exhibit.study.claims(mutant.of(exhibit.results))
        return any(claim.text == self.claim.text and claim.answer == DOES_NOT_HOLD for claim in again)


def pooled(answers: Iterable[str]) -> str:
    """One answer from those of several seeds.

    Unless most runs evaluate a sentence, it is not evaluated: one run alone is no witness for the others. Otherwise,
    answers of these runs that are the same are the answer. One that holds beside one that does not, or that is
    indistinguishable, leaves it indistinguishable: it turns with the seed.
    """
    given = list(answers)
    evaluated = [answer for answer in given if answer != NOT_EVALUATED]
    if 2 * len(evaluated) <= len(given):
        return NOT_EVALUATED
    return evaluated[0] if len(set(evaluated)) == 1 else INDISTINGUISHABLE


def sentences(name: str, runs: Sequence[dict[str, Exhibit]]) -> list[Found]:
    """The sentences of a study, each with one answer of all seeds."""
    here = [run[name] for run in runs if run[name].results is not None]
    by_text: dict[str, dict[int, Claim]] = {}
    by_seed = dict(zip(seeds(name, runs), here, strict=True))
    for seed, exhibit in by_seed.items():
        for claim in exhibit.claims:
            by_text.setdefault(claim.text, {})[seed] = claim
    found = []
    for claims in by_text.values():
        answers = {seed: claim.answer for seed, claim in claims.items()}
        answer = pooled(answers.values())
        # The numbers are those of the first seed with this answer.
        first = next((seed for seed, claim in claims.items() if claim.answer == answer), next(iter(claims)))
        told = "it turns with the seed" if answer not in answers.values() else "not the same with each seed"
        told += ": " + ", ".join(f"{one} with seed {seed}" for seed, one in answers.items())
        turns = f"{told}; " if len(set(answers.values())) > 1 else ""
        found.append(Found(claims[first], answer, turns, by_seed[first]))
    return found


def seeds(name: str, runs: Sequence[dict[str, Exhibit]]) -> list[int]:
    """The seeds of a study's runs. Two runs with one seed are no two witnesses, and are refused."""
    found = [int(one.provenance["seed"]) for run in runs if (one := run[name].results) is not None]
    if len(set(found)) < len(found):
        raise SystemExit(
            f"{name}: two folders have results of one seed ({', '.join(map(str, found))}); name one of them"
        )
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
    own = [text for paper in read_papers() for item in paper.items for text in own_checks(item, runs)]
    if own:
        parts.append(OWN + "\n".join(own) + "\n")
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
        answers = [one.answer for one in sentences(name, runs) if not one.claim.is_own]
        counted = " | ".join(str(answers.count(answer)) for answer in ANSWERS)
        told = ", ".join(map(str, seeds(name, runs)))
        few = " (!)" if len(stored) < FEW_SEEDS and not runs[0][name].study.fixed_sets else ""
        sets = " and ".join(dict.fromkeys(sets_of(one) for one in stored))
        yield f"| {item.name} | `{name}` | {sets} | {told}{few} | {counted} |"


def sets_of(results: Results) -> str:
    """The number of sets of each point; in brackets of those that were simulated with decisions, too, if fewer."""
    sets = int(results.provenance["sets"])
    columns = [one for one in results.table.column_names if " met with " in one]
    if not columns or not results.table.num_rows:
        return str(sets)
    known = sets * max(1 - results.table.column(one).null_count / results.table.num_rows for one in columns)
    return str(sets) if known > sets - 0.5 else f"{sets} ({known:.0f})"


def reasons(item: Item, runs: Sequence[dict[str, Exhibit]], answer: str) -> Iterator[str]:
    """The sentences of this answer, each with why."""
    for name in item.studies:
        for found in sentences(name, runs):
            if found.answer == answer and not found.claim.is_own:
                yield bullet(name, found)


def own_checks(item: Item, runs: Sequence[dict[str, Exhibit]]) -> Iterator[str]:
    """The checks of our own of a figure, each with its answer and why."""
    for name in item.studies:
        for found in sentences(name, runs):
            if found.claim.is_own:
                yield bullet(name, found._replace(turns=f"{found.answer}: {found.turns}"))


def bullet(study: str, found: Found) -> str:
    """A sentence as an item of a list: its parts, what would refute it, and the numbers that decide."""
    claim = found.claim
    first = next(part for part in claim.parts if part.answer == claim.answer)
    why = found.turns + (f"{first.name}: {first.because}" if first.name else first.because)
    limit = BRIEF if found.answer == HOLDS else REASON
    why = why if len(why) <= limit else why[:limit].rsplit(" ", 1)[0] + " ..."
    refuted = f" {by}." if (by := refutation(found)) else ""
    far = ", as far as evaluated" if found.answer == HOLDS and NOT_EVALUATED in {p.answer for p in claim.parts} else ""
    counted = f" ({claim.counted()}{far})" if claim.counted() else ""
    text = f"`{study}`: {plain(claim.text)}{counted}. *{plain(why)}*{refuted}"
    wrapped = textwrap.wrap(text, WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "* " + "\n  ".join(wrapped)


def refutation(found: Found) -> str:
    """What would have refuted a sentence, or that nothing so simple would at this size; empty if the results do."""
    if found.answer not in (HOLDS, INDISTINGUISHABLE) or not found.claim.refuted_by:
        return ""
    words = plain(found.claim.refuted_by)
    return f"Would be refuted by {words}" if found.is_refutable() else f"At this size, not even refuted by {words}"


def plain(text: str) -> str:
    """Without what the page would take for its own marks."""
    return text.replace("|", "/").replace("*", "x").replace("<", "less than")


def asked(runs: Sequence[dict[str, Exhibit]], number: int) -> str:
    """So many evaluated sentences, chosen at random, with their answers and what would have refuted them."""
    every = [
        (name, found)
        for name in runs[0]
        for found in sentences(name, runs)
        if found.answer != NOT_EVALUATED and not found.claim.is_own
    ]  # fmt: skip
    chosen = random.Random().sample(every, min(number, len(every)))
    return "".join(
        f"{name}: {found.claim.text}\n    {found.answer}. {refutation(found) or 'The results refute it'}\n"
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
    for folder, run in zip(arguments.results, runs, strict=True):
        if all(exhibit.results is None for exhibit in run.values()):
            parser.error(f"no results of a study in {folder}: give folders that `schedlab study run -o` wrote")
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
