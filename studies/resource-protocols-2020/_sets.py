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
from dataclasses import replace
from typing import Any

from schedlab.studies import Claim, Parameter, Results, Settings, Unit, judge, not_evaluated
from schedlab.studies.batch import Batch, judge_sets
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
SEVERAL = {"MPCP": "P-RM mpcp hard", "MSRP": "P-EDF msrp hard"}
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


def of_both(results: Results, claims: Callable[[Results], Sequence[Claim]]) -> list[Claim]:
    """The claims, each judged by either reading."""
    return [
        replace(claim, text=f"{reading}: {claim.text}")
        for reading in READINGS
        for claim in claims(by_reading(results, reading))
    ]


def share(results: Results, column: str) -> tuple[int, int]:
    """In how many of the rows, in which it was asked, ``column`` is proved."""
    values = results.table.column(column)
    return sum(value is True for value in values.to_pylist()), len(values) - values.null_count


def percent(counted: tuple[int, int]) -> float:
    """A count as a percentage."""
    return 100 * counted[0] / counted[1] if counted[1] else float("nan")


def say(shares: Mapping[Any, tuple[int, int]] | Sequence[tuple[Any, tuple[int, int]]]) -> str:
    """Names and percentages."""
    items = shares.items() if isinstance(shares, Mapping) else shares
    return ", ".join(f"{name} {percent(counted):.1f}%" for name, counted in items)


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


def overhead_claim(results: Results, text: str, agrees: Callable[[], tuple[bool, str]]) -> Claim:
    """A claim that compares the overheads of protocols: ``agrees`` says whether it is so, and the numbers."""
    return judge(text, *agrees()) if are_measured(results) else not_evaluated(text, UNKNOWN)


def lost(results: Results, name: str) -> float:
    """How many percentage points of the sets overheads take away."""
    return percent(share(results, name)) - percent(share(results, charged_name(name)))


def say_lost(lost: Mapping[Any, float]) -> str:
    """Names and percentage points."""
    return "overheads take away " + ", ".join(f"{name} {points:.2f}" for name, points in lost.items()) + " points"


def small_impact(results: Results, names: Iterable[str]) -> Claim:
    """The conclusion, section VI, on what is here."""
    all_lost = {name: lost(results, name) for name in names}
    text = f"overheads have little impact on schedulability: less than {SMALL:g} points, all caps together"
    return judge_small(results, text, max(all_lost.values()) < SMALL, say_lost(all_lost))


def judge_small(results: Results, text: str, agrees: bool, numbers: str) -> Claim:
    """A claim that overheads are small: bounds on them can confirm it, but not refute it."""
    if agrees or are_measured(results):
        return judge(text, agrees, numbers)
    return not_evaluated(text, f"{numbers}, but these are bounds of the overheads, not the overheads")


def least_sensitive(results: Results, name: str, others: Sequence[str]) -> tuple[bool, str]:
    """Whether overheads take less from ``name`` than from the others."""
    all_lost = {one: lost(results, one) for one in (name, *others)}
    return all(all_lost[name] < all_lost[other] for other in others), say_lost(all_lost)
