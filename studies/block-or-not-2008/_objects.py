"""What the studies of shared objects of block-or-not-2008 have in common: task sets, costs of table 2, questions.

Sets are those of section 4.2 (`_sets.py`). Up to K accesses a task, none nested, to ``K n / (alpha m)`` objects of one
kind. An access costs what table 2 says, the average in soft sets and the largest in hard ones. Sets of all schemes are
the same but for these costs. Short is the FMLP's short resources; a lock-free access is tried again as often as others
may come between; wait-free tasks are judged as if they shared nothing.

Overheads of table 1 hold for four processors and working sets of 4K, with two accounts as in `_sets.py`. For sixteen
processors they are unknown: without a file of measured ones, accesses alone cost anything there. Such a file lacks
costs of objects unless it extends `paper-2008-objects`.
"""

from __future__ import annotations

from typing import Any

from schedlab.studies import Results, Unit
from schedlab.studies.batch import Batch, judge_sets

from ._sets import CAPS, PAPERS, PERIODS, WORKING_SETS, is_measured, safe_and_papers

PROFILE = "paper-2008-objects"
KINDS = ("buffer", "queue", "heap")
FREQUENCIES = list(range(1, 10))
SCHEDULERS = ("G-EDF", "P-EDF")
#: By what the paper calls a scheme: the protocol.
SCHEMES = {"Short": "fmlp-short", "LF": "lock-free", "WF": "wait-free"}
#: What is charged where overheads are unknown: accesses alone.
ALONE = "accesses alone"


def charged(overheads: str, kind: str, measured: bool) -> str:
    """The words of a question for what is charged: accesses alone, or overheads of a working set by one account."""
    given = "given" if measured else PROFILE
    if overheads == ALONE:
        return f" {given}:objects object={kind}"
    working_set = overheads.removesuffix(PAPERS)
    if not measured and working_set != "4K":
        raise ValueError(f"the overheads of {working_set} are unknown")
    size = f" wss={WORKING_SETS[working_set]}" if measured else ""
    return f" {given}{size} object={kind}" + (" as-in-2008" if overheads.endswith(PAPERS) else "")


def known(processors: int, measured: bool) -> list[str]:
    """What is charged on so many processors."""
    if measured:
        return [overheads for working_set in WORKING_SETS for overheads in safe_and_papers(working_set)]
    return list(safe_and_papers("4K")) if processors == 4 else [ALONE]


def charged_in(results: Results, processors: int, working_set: str) -> tuple[str | None, str]:
    """What a figure charges by the safe account, if overheads are known there, and what its curves charge."""
    safe, papers = safe_and_papers(working_set)
    return (safe, papers) if papers in known(processors, is_measured(results)) else (None, ALONE)


def told(results: Results, safe: str | None) -> str:
    """What is charged, for footnotes."""
    title = results.provenance.get("overheads")
    if title is not None:
        return f'overheads and accesses: "{title}", by the paper\'s account; dotted: by the safe one'
    if safe is None:
        return "accesses cost what table 2 says; overheads are unknown here: none charged"
    return f"{PROFILE} (releases and IPIs unknown), by the paper's account; dotted: by the safe one"


def column(hardness: str, scheduler: str, scheme: str, overheads: str) -> str:
    """The column that says whether a set is schedulable."""
    return f"{hardness} {scheduler} {scheme} {overheads}"


def tardiness_column(scheme: str, overheads: str) -> str:
    """The column of the bound on tardiness under G-EDF, in microseconds."""
    return f"tardiness {scheme} {overheads}"


def evaluate(unit: Unit) -> dict[str, list[Any]]:
    """All schemes under both schedulers, hard and soft, with all overheads that are known; nothing with others."""
    p = unit.parameters
    processors, measured = int(p["processors"]), bool(unit.overheads)
    asked = [
        (scheduler, scheme, overheads)
        for overheads in known(processors, measured) for scheduler in SCHEDULERS for scheme in SCHEMES
    ]  # fmt: skip
    columns: dict[str, list[Any]] = {name: [None] * len(unit.sets) for name in all_columns(measured)}
    for hardness, cap in CAPS.items():
        batch = Batch(
            utilizations=str(p["distribution"]),
            periods=unit.settings[PERIODS],
            deadlines="implicit",
            stop=f"discard-at-cap {round(cap * processors, 2)} max-tasks 100",
            seed=unit.seed,
            sets=unit.sets,
            processors=processors,
            questions=[
                f"{scheduler} {SCHEMES[scheme]} {hardness}{charged(overheads, str(p['kind']), measured)}"
                for scheduler, scheme, overheads in asked
            ],
            # What an access costs, the overheads say.
            accesses=f"objects {p['K']} {p['alpha']} {processors} 1ns 0ns",
            overheads=unit.overheads or None,
        )
        answers = judge_sets(batch)
        for (scheduler, scheme, overheads), proved, bounds in zip(
            asked, answers.proved, answers.tardiness, strict=True
        ):
            columns[column(hardness, scheduler, scheme, overheads)] = proved
            if (hardness, scheduler) == ("soft", "G-EDF"):
                columns[tardiness_column(scheme, overheads)] = [
                    None if bound is None else bound / 1000 for bound in bounds
                ]
    return columns


def all_columns(measured: bool) -> list[str]:
    """Those of every point, so that all parts of a run have the same."""
    charges = sorted({overheads for processors in (4, 16) for overheads in known(processors, measured)})
    proved = [
        column(hardness, scheduler, scheme, overheads)
        for hardness in CAPS for scheduler in SCHEDULERS for scheme in SCHEMES for overheads in charges
    ]  # fmt: skip
    return [*proved, *(tardiness_column(scheme, overheads) for scheme in SCHEMES for overheads in charges)]


def mean_tardiness(results: Results, scheme: str, overheads: str) -> dict[int, float]:
    """By K: the mean bound of those sets that have one, where there are any."""
    means = {}
    for frequency in results.values("K"):
        found = results.where(K=frequency).table.column(tardiness_column(scheme, overheads)).to_pylist()
        known_bounds = [value for value in found if value is not None]
        if known_bounds:
            means[int(frequency)] = sum(known_bounds) / len(known_bounds)
    return means


def shares(results: Results, row: tuple[str, str], scheme: str, overheads: str) -> dict[int, tuple[int, int]]:
    """By K: how many sets are schedulable, hard or soft, under a scheduler, of how many."""
    name = column(*row, scheme, overheads)
    return {int(frequency): counts[name] for frequency, counts in results.counts("K", [name]).items()}
