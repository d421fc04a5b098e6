"""What the studies of block-or-not-2008, section 4, share: its task sets, its questions, its words.

Periods uniform in [10, 100] ms; tasks are added until the total utilization reaches 65% (hard) or 80% (soft) of the
processors or there are 100, and the last one is discarded. ``K n / (alpha m)`` resources, up to K accesses a job, each
an outermost section of up to the length on the x-axis, added to the cost and nested as the paper traced.

Hard guarantees are charged the largest overheads of table 1, soft ones the mean. Table 1 lacks releases and
inter-processor interrupts, which count as nothing; releases are by timer here. Two accounts take them in: one that is
safe, in which a section contains all that may pass until it ends, and the paper's, in which it contains its lock
operations alone. Long resources under P-EDF are judged with all that may precede a holder on its processor, as the FMLP
of 2007 boosts no job; tasks first go where those that share stay together.

Table 1 is for four processors and working sets of 4K. For 32K, 64K and sixteen processors the overheads are unknown. A
file of measured ones (`--overheads FILE`) stands for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean
from typing import Any

from schedlab.studies import Parameter, Results, Unit
from schedlab.studies.batch import Batch, judge_sets
from schedlab.studies.settings import periods_parameter

SOURCE = "Brandenburg, Calandrino, Block, Leontyev, Anderson: To Block or Not to Block, RTAS 2008"
PROFILE = "paper-2008-4k"
LENGTHS = list(range(1, 15))
PERIODS = periods_parameter("uniform 10ms 100ms")
ACCESSES = Parameter("accesses", 5, "most accesses of a job to shared resources (K)", low=1, high=100)
#: Of a mean bound, in percent: no curve of the paper is drawn more exactly.
VISIBLE = 1.0
CAPS = {"hard": 0.65, "soft": 0.80}

#: By the name of a distribution: how utilizations are drawn, and how the paper names them.
DISTRIBUTIONS = {
    "uniform-light": "Uniform [0.001, 0.1]",
    "uniform-medium": "Uniform [0.1, 0.4]",
    "uniform-heavy": "Uniform [0.5, 0.9]",
    "exponential-light": "Exponential [0.001, 0.1]",
    "exponential-medium": "Exponential [0.1, 0.4]",
    "exponential-heavy": "Exponential [0.5, 0.9]",
    "bimodal": "Bimodal",
}
#: Working sets in the names of what is charged, and as a question names them.
WORKING_SETS = {"4K": "4KiB", "32K": "32KiB", "64K": "64KiB"}
#: What follows a working set in these names where a section contains lock operations alone.
PAPERS = " as in 2008"
SCHEMES = [(scheduler, length) for scheduler in ("G-EDF", "P-EDF") for length in ("short", "long")]


def safe_and_papers(working_set: str) -> tuple[str, str]:
    """What is charged: by the safe account, and by the paper's."""
    return working_set, working_set + PAPERS


def charged(overheads: str, measured: bool) -> str:
    """The words of a question for what is charged: nothing, or a working set by one of the accounts."""
    if overheads == "none":
        return ""
    working_set = overheads.removesuffix(PAPERS)
    if not measured and working_set != "4K":
        raise ValueError(f"the overheads of {working_set} are unknown")
    words = f" given wss={WORKING_SETS[working_set]}" if measured else f" {PROFILE}"
    return words + (" as-in-2008" if overheads.endswith(PAPERS) else "")


def told(results: Results) -> str:
    """Whose overheads are charged, for footnotes."""
    title = results.provenance.get("overheads")
    return f"{PROFILE} (releases and IPIs unknown)" if title is None else f'"{title}"'


def is_measured(results: Results) -> bool:
    """Whether a file of overheads was given."""
    return results.provenance.get("overheads") is not None


def column(kind: str, scheduler: str, length: str, overheads: str) -> str:
    """The column that says whether a set is schedulable."""
    return f"{kind} {scheduler} {length} {overheads}"


def tardiness_column(length: str, overheads: str) -> str:
    """The column of the bound on tardiness under G-EDF, in microseconds."""
    return f"tardiness {length} {overheads}"


def judge_unit(
    unit: Unit, *, distribution: str, processors: int, sharing: int, length: int, overheads: str
) -> dict[str, list[Any]]:
    """Every scheme, hard and soft, with ``overheads``: none, or what `safe_and_papers` names."""
    words = charged(overheads, bool(unit.overheads))
    columns: dict[str, list[Any]] = {}
    for kind, cap in CAPS.items():
        batch = Batch(
            utilizations=distribution,
            periods=unit.settings[PERIODS],
            deadlines="implicit",
            stop=f"discard-at-cap {round(cap * processors, 2)} max-tasks 100",
            seed=unit.seed,
            sets=unit.sets,
            processors=processors,
            questions=[f"{scheduler} fmlp-{way} {kind}{words}" for scheduler, way in SCHEMES],
            accesses=f"shared {unit.settings[ACCESSES]} {sharing} {processors} {length}us",
            overheads=unit.overheads or None,
        )
        answers = judge_sets(batch)
        columns[f"tasks {kind}"] = answers.tasks
        for (scheduler, way), proved in zip(SCHEMES, answers.proved, strict=True):
            columns[column(kind, scheduler, way, overheads)] = proved
        if kind == "soft":
            for (scheduler, way), bounds in zip(SCHEMES, answers.tardiness, strict=True):
                if scheduler == "G-EDF":
                    columns[tardiness_column(way, overheads)] = [
                        None if bound is None else bound / 1000 for bound in bounds
                    ]
    return columns


def mean_tardiness(results: Results, name: str) -> list[tuple[float, float]]:
    """By length: the mean bound of those sets that have one, where there are any."""
    means = []
    for length in results.values("length"):
        known = [value for value in results.where(length=length).table.column(name).to_pylist() if value is not None]
        if known:
            means.append((float(length), sum(known) / len(known)))
    return means


def draw_tardiness(axes: Any, results: Results, overheads: str) -> None:
    """Curves of the mean bounds under G-EDF."""
    from schedlab.plots.paper import CURVES

    highest = 0.0
    for number, way in enumerate(("short", "long")):
        means = mean_tardiness(results, tardiness_column(way, overheads))
        highest = max([highest, *(y for _, y in means)])
        style = CURVES[number]
        axes.plot([x for x, _ in means], [y for _, y in means], label=f"G-EDF {way}", **style)
    axes.set_ylim(0, max(1.1 * highest, 1))
    lengths = results.values("length")
    axes.set_xticks(lengths[1::2] if len(lengths) > 8 else lengths)


def percent_by_set(results: Results, columns: Iterable[str]) -> list[float | None]:
    """By set: the percentage of these columns that prove it; None where one is unknown.

    Columns judge the same draw, so that their answers are those of one set: counted one by one they would make an
    interval too narrow.
    """
    rows = zip(*(results.table.column(name).to_pylist() for name in columns), strict=True)
    return [None if None in row else 100 * fmean(map(bool, row)) for row in rows]
