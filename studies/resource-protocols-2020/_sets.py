"""What the studies of resource-protocols-2020, section IV-C, share: its task sets, its protocols, its words.

Sets are drawn task by task until the cap on the total utilization is exceeded; the last one is discarded (as SchedCAT
does, which the paper used; it does not say so). A task uses each of ``n_res`` resources with probability ``p_acc``,
once a job. Partitioned by worst fit by decreasing utilization. Fixed priorities are rate-monotonic.

The paper inflates WCETs by what P and V take and by the context switches of each protocol. What P and V take stood in
figure 2, whose numbers the text lacks; it says that both together take less than 4 us under each protocol and a
context switch 0.3 us at most. So all sets are also judged with these bounds (the profile `paper-2020-epos`): enough
for what the paper says of overheads as a whole, not for comparisons of one protocol's with another's. These are
evaluated with overheads that were measured, protocol by protocol: `--overheads FILE`, as `schedlab measure` writes it.

The paper says that sections are part of the WCET, and not what becomes of a WCET that is shorter than its sections.
So each set is judged by two readings. `grow`: the WCET grows to the length of the sections. Of light tasks with many
resources this makes sets whose tasks exceed their periods, which no protocol schedules. `keep`: the WCET stays, as in
the generators that come with SchedCAT, which draw requests after costs and change no cost
(github.com/brandenburg/schedcat, `example/generator.py`). A task that holds locks for longer than its WCET cannot
execute, so these verdicts promise nothing of a real system. `grow` is the default of the generator.

Charged are P, V and context switches alone, as in the paper, but so that the result is safe: sections grow as well as
costs, and a protocol pays for the switches that its waiting causes (`crates/analysis/src/overheads/locks.rs`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow.compute as pc

from schedlab.studies import Claim, Parameter, Results, Settings, Unit
from schedlab.studies import estimates as estimated
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.checks import Check, Lies, Open, more
from schedlab.studies.claims import DOES_NOT_HOLD, Sentence, in_variants, judged
from schedlab.studies.estimates import Estimate
from schedlab.studies.mutants import Mutant, loses
from schedlab.studies.study import Scalar

PERIODS = {"homogeneous": "2020-homogeneous", "heterogeneous": "2020-heterogeneous"}
UTILIZATIONS = ("light", "medium", "heavy")
RESOURCES = (1, 2, 4, 8, 16)
PROBABILITIES = (0.25, 0.5, 0.75, 1.0)
LENGTHS = ("short", "medium", "long")
PROCESSORS = (1, 2, 4, 8)

#: Parameters that a run may change, but for those of a figure's grid; figures have defaults of their own.
PERIODS_CHOICE = Parameter("periods", "heterogeneous", "how periods are drawn", choices=tuple(PERIODS))
UTILIZATION = Parameter("utilization", "medium", "how utilizations are drawn", choices=UTILIZATIONS)
LENGTH = Parameter("lengths", "long", "lengths of critical sections", choices=LENGTHS)
PROBABILITY = Parameter("probability", 0.5, "probability that a task uses a resource", low=0, high=1)
NUMBERS: Parameter[tuple[int, ...]] = Parameter(
    "resources", RESOURCES, "numbers of resources, an inset each", low=1, high=100
)

#: What becomes of a WCET that is shorter than its sections, and how plots tell it.
READINGS = {
    "grow": "WCETs shorter than their sections grow to their length",
    "keep": "WCETs shorter than their sections stay, as in SchedCAT's generators",
}

#: By column. "PIP" is the published bound, "PIP handed over" that which also covers locks handed to a waiting job.
ONE = {
    "PIP": "P-RM pip-published hard",
    "PIP handed over": "P-RM pip hard",
    "PCP": "P-RM pcp hard",
    "IPCP": "P-RM ipcp hard",
    "SRP": "P-EDF srp hard",
}
#: "MPCP" has ceilings by users on other processors, as Rajkumar defines it, and "MPCP, all" by all users, as the paper
#: has it. What is said of MPCP is judged by both.
SEVERAL = {"MPCP": "P-RM mpcp hard", "MPCP, all": "P-RM mpcp-all hard", "MSRP": "P-EDF msrp hard"}
CEILINGS = {"MPCP": "ceilings by users elsewhere", "MPCP, all": "ceilings by all users, the paper's"}
FREE = {"P-RM, nothing shared": "P-RM none hard", "P-EDF, nothing shared": "P-EDF none hard"}

SOURCE = "dos Santos et al.: On the Design and Implementation of Real-Time Resource Access Protocols, SBESC 2020"
UNKNOWN = (
    "by protocol the overheads are unknown: the numbers of figure 2 are not in the text; --overheads FILE charges "
    "measured ones"
)
#: Beyond this many percentage points, all caps together, overheads count as more than a small impact. Chosen before the
#: first results with overheads were there, as were all numbers in the claims about them.
SMALL = 5.0


def values(settings: Settings, parameters: Iterable[Parameter[Any]]) -> dict[str, Any]:
    """The values of these parameters, by name."""
    return {one.name: settings[one] for one in parameters}


def judge_unit(
    unit: Unit, parameters: Mapping[str, Scalar], questions: Mapping[str, str], cap: float
) -> dict[str, list[Any]]:
    """Columns: the number of tasks; by reading, whether each question is proved, without overheads and with them."""
    p = parameters
    charged = "given:locks" if unit.overheads else "paper-2020-epos"
    asked = {
        **questions,
        **{charged_name(name): f"{text} {charged}" for name, text in questions.items() if name not in FREE},
    }
    batch = Batch(
        utilizations=f"2020-{p['utilization']}",
        periods=PERIODS[str(p["periods"])],
        deadlines="implicit",
        stop=f"discard-above {cap}",
        seed=unit.seed,
        sets=unit.sets,
        processors=int(p["processors"]),
        questions=list(asked.values()),
        overheads=unit.overheads or None,
    )
    accesses = f"independent {p['resources']} {p['probability']} {p['lengths']}"
    columns: dict[str, list[Any]] = {}
    for reading in READINGS:
        answers = judge_sets(replace(batch, accesses=f"{accesses} {reading}"))
        columns |= {"tasks": answers.tasks}
        columns |= {read_name(name, reading): found for name, found in zip(asked, answers.proved, strict=True)}
    return columns


def read_name(name: str, reading: str) -> str:
    """The column of ``name`` by a reading: the default one has no addition."""
    return name if reading == "grow" else f"{name}, {reading}"


def by_reading(results: Results, reading: str) -> Results:
    """The results of one reading alone, whose columns are named like the questions."""
    table, names = results.table, results.table.column_names
    judged = [name for name in names if read_name(name, "keep") in names]
    shared = [name for name in names if name not in judged and name.removesuffix(", keep") not in judged]
    chosen = table.select([*shared, *(read_name(name, reading) for name in judged)])
    return Results(chosen.rename_columns([*shared, *judged]), results.provenance)


def of_both(results: Results, sentences: Callable[[Results], Sequence[Sentence]]) -> list[Claim]:
    """The claims: a part has an answer if both readings have it, as it is unknown which one is the paper's."""
    found = {reading: sentences(by_reading(results, reading)) for reading in READINGS}
    return judged(in_variants(found, "what becomes of WCETs shorter than their sections"))


def answers(results: Results, column: str) -> list[bool | None]:
    """By set: whether ``column`` is proved."""
    found: list[bool | None] = results.table.column(column).to_pylist()
    return found


def share(results: Results, column: str, name: str = "") -> Estimate:
    """The percentage of sets that ``column`` proves."""
    return estimated.share(answers(results, column), name or column)


def apart(results: Results, first: str, second: str) -> Estimate:
    """By how many points more the first proves than the second, on the same sets."""
    return estimated.shares_apart(answers(results, first), answers(results, second), (first, second))


def percent(counted: tuple[int, int]) -> float:
    """A count as a percentage."""
    return 100 * counted[0] / counted[1] if counted[1] else float("nan")


def charged_name(name: str) -> str:
    """The column of a protocol with overheads."""
    return f"{name}, with overheads"


#: What results say of the overheads without such a file.
CHARGED = {"overheads": "none; beside it paper-2020-epos, the text's bounds"}


def are_measured(results: Results) -> bool:
    """Whether a file of overheads was given, which has them by protocol."""
    return results.provenance.get("overheads") is not None


def note(results: Results) -> str:
    """Which overheads were charged, for footnotes."""
    if are_measured(results):
        return f'with overheads: what P, V and context switches take by "{results.provenance["overheads"]}"'
    return (
        "with overheads: the text's bounds, P and V together 4 us, a context switch 0.3 us; by protocol overheads "
        "unknown (figure 2)"
    )


def overhead_sentence(
    results: Results, text: str, checks: Callable[[], Mapping[str, Check]], mutant: Mutant
) -> Sentence:
    """A sentence that compares the overheads of protocols: evaluated only if those were measured."""
    return Sentence(text, checks() if are_measured(results) else {"": Open(UNKNOWN)}, mutant)


def lost(results: Results, name: str) -> Estimate:
    """How many percentage points of the sets overheads take away."""
    return apart(results, name, charged_name(name))


def lost_more(results: Results, name: str, other: str) -> Estimate:
    """By how many percentage points more overheads take from the first than from the second, on the same sets."""
    first, second = (
        [
            None if free is None or charged is None else 100.0 * (free - charged)
            for free, charged in zip(answers(results, one), answers(results, charged_name(one)), strict=True)
        ]
        for one in (name, other)
    )
    return estimated.means_apart(first, second, (f"taken from {name}", other), " points")


@dataclass(frozen=True)
class Small:
    """A check that overheads are small: bounds on them can confirm it, and only measured ones can refute it."""

    check: Check
    measured: bool

    @property
    def comparisons(self) -> int:
        """The intervals of the check that is told in other words."""
        return self.check.comparisons

    def judged(self, confidence: float) -> tuple[str, str]:
        """The answer; not evaluated where bounds would refute."""
        answer, told = self.check.judged(confidence)
        if answer != DOES_NOT_HOLD or self.measured:
            return answer, told
        return Open(f"{told}, but these are bounds of the overheads, not the overheads").judged(confidence)


def measured_loss(words: str, *names: str) -> Mutant:
    """The mutant of a file of overheads with which these protocols schedule nothing."""
    lost_all = loses(words, *map(charged_name, names))

    def change(results: Results) -> Results:
        found = lost_all.of(results)
        return Results(found.table, {**found.provenance, "overheads": "of the mutant"})

    return Mutant(words, change)


def small_impact(results: Results, of: Mapping[str, Results]) -> Sentence:
    """The conclusion, section VI: of each protocol on the sets that it is judged on."""
    measured = are_measured(results)
    return Sentence(
        f"overheads have little impact on schedulability (our reading: less than {SMALL:g} points, all caps together)",
        {name: Small(Lies(lost(here, name), high=SMALL), measured) for name, here in of.items()},
        measured_loss("measured overheads with which a protocol schedules no set", *of),
    )


def least_sensitive(results: Results, name: str, others: Sequence[str]) -> dict[str, Check]:
    """Whether overheads take less from ``name`` than from each of the others."""
    return {f"than {other}": more(lost_more(results, other, name)) for other in others}


def after(results: Results, column: str, limit: float, *, above: bool) -> Results:
    """The rows whose ``column`` is above a limit, or those in which it is not."""
    is_above = pc.field(column) > limit
    return Results(results.table.filter(is_above if above else ~is_above), results.provenance)
