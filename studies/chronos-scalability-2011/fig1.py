"""Figure 1 of chronos-scalability-2011: how many sets miss no deadline on 48 processors, by load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from schedlab.studies import Claim, Results
from schedlab.studies.checks import Check, Every, Lies, more
from schedlab.studies.claims import Sentence, judged
from schedlab.studies.estimates import Estimate, less, mean, means_apart, shares_apart
from schedlab.studies.mutants import loses

from ._scheduling import DISTRIBUTIONS, LARGE, Variant, met, schedules_study, variants
from ._shares import (
    Shares,
    by_variant,
    meets,
    misses,
    of_distributions,
    paper_name,
    plot_shares,
    rests_on_overheads,
    with_decisions,
)

#: The test of Goossens, Funk and Baruah for 48 processors and tasks of at most 0.4: 48 - 47 * 0.4.
GFB_MEDIUM = 29.2
BOTH = ("P-EDF", "P-RM")
#: Than G-NP-EDF, in theory.
STRONGER = ("C-EDF", "P-EDF", "G-EDF")
#: In percentage points.
APPROXIMATE = 5.0


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig1", LARGE.schedulers)


def claims(results: Results) -> list[Claim]:
    """Section 3.4, the paragraphs on figure 1, sentence by sentence."""

    def sentences(variant: Variant) -> list[Sentence]:
        shares = Shares(results, LARGE.schedulers, variant)
        return [*_partitioned(shares), *_clustered(shares), *_non_preemptive(shares), *_global(shares)]

    free, deciding = (Shares(results, LARGE.schedulers, variant) for variant in variants(results))
    theory = [_impossible_partitions(free), _theoretical(free), _approximates(free)]
    return [
        *judged(by_variant(results, sentences)),
        *judged(theory),
        *judged([_most_demanding(free, deciding), _scales(deciding)]),
        *with_decisions(results, _run_queues(free, deciding)),
    ]


def _partitioned(shares: Shares) -> list[Sentence]:
    others = [name for name in DISTRIBUTIONS if name != "BHU"]
    rest = [name for name in shares.schedulers if name not in BOTH]
    return [
        Sentence(
            "P-EDF outperforms all other algorithms, but in BHU",
            {name: shares.best(name, "P-EDF", shares.schedulers) for name in others},
            misses("a P-EDF that misses a deadline in every set", "P-EDF"),
        ),
        Sentence(
            "P-EDF and P-RMS perform well with respect to the others (above their mean), but in BHU",
            {
                f"{paper_name(one)} in {name}": shares.well(name, one, besides=BOTH)
                for name in others
                for one in BOTH
            },
            misses("partitioned schedulers that miss a deadline in every set", *BOTH),
        ),
        Sentence(
            "in the heavy uniform case both partitioned algorithms perform the worst",
            {paper_name(one): Every({
                f"than {paper_name(other)}": shares.better("BHU", other, one) for other in rest
            }) for one in BOTH},
            meets("partitioned schedulers that meet all deadlines in BHU", *BOTH, where=of_distributions("BHU")),
        ),
        Sentence(
            "P-RMS does not perform as well as P-EDF",
            {name: shares.above(name, "P-EDF", "P-RM") for name in DISTRIBUTIONS},
            misses("a P-EDF that misses a deadline in every set", "P-EDF"),
        ),
    ]  # fmt: skip


def _impossible_partitions(free: Shares) -> Sentence:
    """Tasks with implicit deadlines are late under EDF only on a processor that has more than it can do."""
    heavy = free.share("BHU", "P-EDF")
    others = [name for name in DISTRIBUTIONS if name != "BHU"]
    return Sentence(
        "in BHU partitioning becomes impossible: the fewest sets have all processors at most full under P-EDF",
        {f"than in {name}": more(less(free.share(name, "P-EDF"), heavy)) for name in others},
        misses("a P-EDF that misses deadlines in all sets but those of BHU", "P-EDF", where=of_distributions(*others)),
    )


def _clustered(shares: Shares) -> list[Sentence]:
    worse = misses("a C-EDF that misses a deadline in every set", "C-EDF")

    def second(name: str) -> Check:
        others = [other for other in shares.schedulers if other not in ("P-EDF", "C-EDF")]
        behind = {"behind P-EDF": shares.better(name, "P-EDF", "C-EDF")}
        return Every(behind | {f"before {paper_name(o)}": shares.better(name, "C-EDF", o) for o in others})

    return [
        Sentence(
            "C-EDF performs well (above the mean of the others)",
            {name: shares.well(name, "C-EDF") for name in DISTRIBUTIONS},
            worse,
        ),
        Sentence(
            "C-EDF schedules all sets below a load of 26",
            {name: shares.up_to(name, "C-EDF", 25) for name in DISTRIBUTIONS},
            worse,
        ),
        Sentence(
            "C-EDF provides the best performance in BHU, and the second best, behind P-EDF, in BHB and BLU",
            {"BHU": shares.best("BHU", "C-EDF", shares.schedulers), "BHB": second("BHB"), "BLU": second("BLU")},
            worse,
        ),
    ]


def _non_preemptive(shares: Shares) -> list[Sentence]:
    worse = misses("a G-NP-EDF that misses a deadline in every set", "NG-EDF")
    bimodal, uniform = ([name for name in DISTRIBUTIONS if name.endswith(letter)] for letter in "BU")
    return [
        Sentence(
            "G-NP-EDF performs reasonably well (above the mean of the others)",
            {name: shares.well(name, "NG-EDF") for name in DISTRIBUTIONS},
            worse,
        ),
        Sentence(
            "G-NP-EDF schedules all sets below a load of 18",
            {name: shares.up_to(name, "NG-EDF", 17) for name in DISTRIBUTIONS},
            worse,
        ),
        Sentence(
            "G-NP-EDF's performance is weakest on the bimodal distributions",
            {
                name: Every({
                    f"than in {other}": more(less(shares.share(other, "NG-EDF"), shares.share(name, "NG-EDF")))
                    for other in uniform
                })
                for name in bimodal
            },
            misses("a G-NP-EDF that misses a deadline in uniform sets", "NG-EDF", where=of_distributions(*uniform)),
        ),
    ]  # fmt: skip


def _theoretical(free: Shares) -> Sentence:
    answers = {
        name: [one for distribution in DISTRIBUTIONS for one in free.answers(distribution, name)]
        for name in ("NG-EDF", *STRONGER)
    }
    return Sentence(
        "G-NP-EDF's theoretical performance is not as strong as that of C-EDF, P-EDF and G-EDF",
        {
            name: more(shares_apart(answers[name], answers["NG-EDF"], (name, "G-NP-EDF"), len(free.loads)))
            for name in STRONGER
        },
        meets("a G-NP-EDF that meets all deadlines", "NG-EDF"),
    )


def _most_demanding(free: Shares, deciding: Shares) -> Sentence:
    def lost(name: str) -> Estimate:
        by_scheduler = (_lost(free, deciding, name, one) for one in deciding.schedulers)
        values = [fmean(row) for row in zip(*by_scheduler, strict=True) if None not in row]
        return mean(values, f"lost in {name}", " points")

    light = lost("BLU")
    return Sentence(
        "the light uniform case is the most demanding from the perspective of overheads: decisions cost most there",
        {f"than {name}": more(less(light, lost(name))) for name in DISTRIBUTIONS if name != "BLU"},
        loses(
            "decisions that cost every set but those of BLU a deadline",
            *(met(name, deciding.variant) for name in deciding.schedulers),
            where=lambda row: row["distribution"] != "BLU",
        ),
    )


def _lost(free: Shares, deciding: Shares, distribution: str, scheduler: str) -> list[float | None]:
    """By set: 100 if decisions cost it a deadline, else 0; None if it was not simulated with them."""
    pairs = zip(free.answers(distribution, scheduler), deciding.answers(distribution, scheduler), strict=True)
    return [None if charged is None else 100.0 * (bool(plain) - bool(charged)) for plain, charged in pairs]


def _run_queues(free: Shares, deciding: Shares) -> list[Claim]:
    """The paper's surprise with what pushes and pulls take, and the theory that makes it one."""
    surprise = "G-FIFO outperforms SCHED_FIFO"
    theory = "data of each processor's own should scale better: overheads cost SCHED_FIFO fewer sets than G-FIFO"
    if not deciding.variant.has_run_queues:
        return [rests_on_overheads(text, "it has no costs of pushes and pulls") for text in (surprise, theory)]

    def apart(name: str) -> Estimate:
        one_queue, own_queues = (_lost(free, deciding, name, one) for one in ("G-FIFO", "SCHED_FIFO"))
        return means_apart(one_queue, own_queues, ("lost by G-FIFO", "lost by SCHED_FIFO"), " points")

    return judged([
        Sentence(
            surprise,
            {name: deciding.better(name, "G-FIFO", "SCHED_FIFO") for name in DISTRIBUTIONS},
            misses("a G-FIFO that misses a deadline in every set", "G-FIFO"),
        ),
        Sentence(
            theory,
            {name: more(apart(name)) for name in DISTRIBUTIONS},
            loses("pushes and pulls that cost every set a deadline", met("SCHED_FIFO", deciding.variant)),
        ),
    ])  # fmt: skip


def _approximates(free: Shares) -> Sentence:
    return Sentence(
        f"SCHED_FIFO approximates G-FIFO (over all loads within {APPROXIMATE:.0f} points)",
        {name: Lies(free.apart(name, "SCHED_FIFO", "G-FIFO"), -APPROXIMATE, APPROXIMATE) for name in DISTRIBUTIONS},
        misses("a SCHED_FIFO that misses a deadline in every set", "SCHED_FIFO"),
    )


def _scales(shares: Shares) -> Sentence:
    return Sentence(
        "G-NP-EDF scales well: in the light uniform case, the most burdened, it is above the mean of the others",
        {shares.variant.heading: shares.well("BLU", "NG-EDF")},
        misses("a G-NP-EDF that misses a deadline in every set", "NG-EDF"),
    )


def _global(shares: Shares) -> list[Sentence]:
    two = ("G-EDF", "G-RM")
    rest = [name for name in shares.schedulers if name not in two]

    def poor(name: str, scheduler: str) -> Check:
        found = shares.beyond(name, scheduler, rest)
        return Lies(found, high=0.0)

    return [
        Sentence(
            "G-EDF and G-RMS perform poorly compared to the other algorithms (below their mean) in all but BLU and BMU",
            {
                f"{paper_name(one)} in {name}": poor(name, one)
                for name in ("BHU", "BHB", "BMB", "BLB")
                for one in two
            },
            meets("a G-EDF and a G-RMS that meet all deadlines", *two),
        ),
        Sentence(
            "in BLU and BMU G-EDF and G-RMS perform better than G-FIFO",
            {
                f"{paper_name(one)} in {name}": shares.better(name, one, "G-FIFO")
                for name in ("BLU", "BMU")
                for one in two
            },
            misses("a G-EDF and a G-RMS that miss a deadline in every set", *two),
        ),
        Sentence(
            f"G-EDF's performance in the medium uniform case is above the bound of the GFB method ({GFB_MEDIUM})",
            {"": Lies(shares.last("BMU", "G-EDF"), low=GFB_MEDIUM)},
            misses("a G-EDF that misses a deadline in every set", "G-EDF"),
        ),
        Sentence(
            "G-EDF outperforms G-RMS",
            {name: shares.above(name, "G-EDF", "G-RM") for name in DISTRIBUTIONS},
            misses("a G-EDF that misses a deadline in every set", "G-EDF"),
        ),
    ]  # fmt: skip


study = schedules_study(LARGE, "2011-fig1", "figure 1: sets without a miss", plot=plot, claims=claims)
