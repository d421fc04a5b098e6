"""A paper's claims: a sentence is one claim. It has parts, and a change of the results that would refute it.

A sentence that speaks of several distributions, schedulers or variants has a part for each. It holds if all parts that
are evaluated hold (`schedlab.studies.answers`). No tolerance is tuned to make a claim hold.

One confidence is kept throughout: 99% for all intervals of a sentence together. Each of its k intervals has 1 - 0.01/k
(Bonferroni's inequality; O. J. Dunn, Multiple comparisons among means, JASA 56, 1961). So, of a hundred sentences whose
answer is "holds" or "does not hold", one is expected to be wrong by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedlab.studies.answers import (
    DOES_NOT_HOLD,
    HOLDS,
    INDISTINGUISHABLE,
    NOT_EVALUATED,
    combined,
)
from schedlab.studies.checks import Check, Fact, Whatever
from schedlab.studies.mutants import Mutant

__all__ = [
    "CONFIDENCE",
    "DOES_NOT_HOLD",
    "HOLDS",
    "INDISTINGUISHABLE",
    "NOT_EVALUATED",
    "Claim",
    "Part",
    "Sentence",
    "does_not_hold",
    "holds",
    "in_variants",
    "judge",
    "judged",
    "listed",
    "not_evaluated",
    "of_our_own",
    "of_source",
    "sentence",
    "told",
]

#: Of all intervals of a sentence together.
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Part:
    """A part of a claim: its name, such as a distribution, our answer, and the numbers or the reason behind it."""

    name: str
    answer: str
    because: str

    def __str__(self) -> str:
        return f"{self.name}: {self.answer}: {self.because}" if self.name else self.because

    def as_dict(self) -> dict[str, str]:
        """Returns the part for ``--json``."""
        return {"part": self.name, "answer": self.answer, "because": self.because}


@dataclass(frozen=True)
class Claim:
    """A sentence of the source, its parts, and the mutant that would refute it.

    Only a sentence that is not evaluated needs no mutant. A check of our own, which the source does not state, is
    judged in the same way, listed apart, and counted among no paper's sentences.
    """

    text: str
    parts: tuple[Part, ...]
    mutant: Mutant | None = None
    is_own: bool = False

    @property
    def answer(self) -> str:
        """The answer to the sentence, from those to its parts."""
        return combined(part.answer for part in self.parts)

    @property
    def because(self) -> str:
        """The numbers or the reasons of all parts."""
        if len(self.parts) == 1:
            return self.parts[0].because
        return "; ".join(f"{part.name}: {part.because}" for part in self.parts)

    @property
    def refuted_by(self) -> str:
        """What would have made the sentence fail; empty if nothing here would have."""
        return self.mutant.words if self.mutant else ""

    def counted(self) -> str:
        """Returns how many parts have which answer, in words; empty if there is only one part."""
        answers = [part.answer for part in self.parts]
        if len(answers) < 2:
            return ""
        words = {
            HOLDS: ("holds", "hold"),
            DOES_NOT_HOLD: ("does not", "do not"),
            INDISTINGUISHABLE: ("is indistinguishable", "are indistinguishable"),
            NOT_EVALUATED: ("is not evaluated", "are not evaluated"),
        }
        counts = {one: answers.count(one) for one in words if one in answers}
        told = ", ".join(f"{count} {words[one][count > 1]}" for one, count in counts.items())
        return f"{len(answers)} parts: {told}"

    def told(self) -> str:
        """Returns the sentence with its answer, what would refute it if nothing does, and its parts, in lines."""
        could = self.refuted_by and self.answer in (HOLDS, INDISTINGUISHABLE)
        refuted = [f"would not hold with {self.refuted_by}"] if could else []
        lines = [f"{self.answer}: {self.text}", *(f"    {line}" for line in (*refuted, *map(str, self.parts)))]
        return "".join(f"{line}\n" for line in lines)

    def __str__(self) -> str:
        return f"{self.answer}: {self.text} ({self.because})"

    def as_dict(self) -> dict[str, Any]:
        """Returns the claim for ``--json``."""
        return {
            "claim": self.text,
            "answer": self.answer,
            "refuted_by": self.refuted_by,
            "own_check": self.is_own,
            "parts": [part.as_dict() for part in self.parts],
        }


@dataclass(frozen=True)
class Sentence:
    """A sentence with the checks of its parts, not yet judged."""

    text: str
    checks: Mapping[str, Check]
    mutant: Mutant | None = None
    #: Whether it is a check of our own, and no sentence of the source.
    is_own: bool = False

    def judged(self) -> Claim:
        """Judges each part by its check, all intervals together at `CONFIDENCE`."""
        comparisons = sum(check.comparisons for check in self.checks.values())
        confidence = 1 - (1 - CONFIDENCE) / max(comparisons, 1)
        parts = (Part(name, *check.judged(confidence)) for name, check in self.checks.items())
        return Claim(self.text, tuple(parts), self.mutant, self.is_own)


def in_variants(found: Mapping[str, Sequence[Sentence]], unknown: str) -> list[Sentence]:
    """Returns sentences that are judged in several variants, each counted once: a part answers as all variants do.

    It is unknown which variant is the source's, or what of it they share: ``unknown`` says it in words
    (`schedlab.studies.checks.Whatever`).
    """
    made: dict[str, Sentence] = {}
    cases: dict[str, dict[str, dict[str, Check]]] = {}
    for variant, sentences in found.items():
        for one in sentences:
            known = made.setdefault(one.text, one)
            made[one.text] = replace(known, checks={}, mutant=known.mutant or one.mutant)
            for name, check in one.checks.items():
                cases.setdefault(one.text, {}).setdefault(name, {})[variant] = check
    return [
        replace(one, checks={name: Whatever(of, unknown) for name, of in cases[text].items()})
        for text, one in made.items()
    ]


def of_source(claims: Iterable[Claim]) -> list[Claim]:
    """Returns the sentences of the source alone: those that are counted."""
    return [claim for claim in claims if not claim.is_own]


def of_our_own(claims: Iterable[Claim]) -> list[Claim]:
    """Returns the checks of our own alone."""
    return [claim for claim in claims if claim.is_own]


def told(claims: Sequence[Claim]) -> str:
    """Returns the sentences of the source in lines, and behind them the checks of our own, under a heading."""
    own = "".join(claim.told() for claim in of_our_own(claims))
    return "".join(claim.told() for claim in of_source(claims)) + (f"checks of our own:\n{own}" if own else "")


def judged(sentences: Iterable[Sentence]) -> list[Claim]:
    """Judges sentences one by one."""
    return [one.judged() for one in sentences]


def sentence(text: str, checks: Mapping[str, Check] | Check, mutant: Mutant | None = None) -> Claim:
    """Judges a sentence: each of its parts by a check, all intervals together at `CONFIDENCE`."""
    return Sentence(text, checks if isinstance(checks, Mapping) else {"": checks}, mutant).judged()


def holds(text: str, numbers: str, mutant: Mutant | None = None) -> Claim:
    """Makes a claim with which the results agree."""
    return Claim(text, (Part("", HOLDS, numbers),), mutant)


def does_not_hold(text: str, numbers: str, mutant: Mutant | None = None) -> Claim:
    """Makes a claim with which the results disagree."""
    return Claim(text, (Part("", DOES_NOT_HOLD, numbers),), mutant)


def not_evaluated(text: str, reason: str) -> Claim:
    """Makes a claim of which the results say nothing."""
    return Claim(text, (Part("", NOT_EVALUATED, reason),))


def judge(text: str, agrees: bool, numbers: str, mutant: Mutant | None = None) -> Claim:
    """Makes a claim without chance: it holds or does not; it is not evaluated where one of the numbers is missing.

    A mean of nothing is NaN, and all comparisons with it are false, so that they decide nothing about the claim.
    """
    return sentence(text, Fact(agrees, numbers), mutant)


def listed(values: Mapping[str, float], form: str = ".2f", unit: str = "") -> str:
    """Returns, as text, values with their names, as the numbers behind a claim."""
    return ", ".join(f"{name} {value:{form}}{unit}" for name, value in values.items())
