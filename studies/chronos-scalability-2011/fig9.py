"""Figure 9 of chronos-scalability-2011: how many sets miss no deadline on 16 processors, by load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log
from pathlib import Path

from schedlab.studies import Claim, Results
from schedlab.studies.checks import Check, Every, Lies, Some, more
from schedlab.studies.claims import Sentence, judged
from schedlab.studies.estimates import less
from schedlab.studies.mutants import Mutant, Row, by_row, is_named

from ._scheduling import DISTRIBUTIONS, SMALL, Variant, met, schedules_study
from ._shares import Shares, by_variant, meets, misses, of_distributions, paper_name, plot_shares

#: Section 3.4.1: the loads up to which all sets are scheduled.
ALL_SETS = {
    "P-EDF": {"BHU": 10, "BHB": 12, "BMB": 13, "BLB": 14, "BLU": 15},
    "G-EDF": {"BHU": 11, "BHB": 8, "BMB": 8, "BLB": 7},
}
LOW = 4
#: In percentage points.
WIDE = 10.0
#: From the heaviest tasks, on average, to the lightest: 0.7, 0.5, 0.4, 0.3, 0.25, 0.05.
BY_WEIGHT = ("BHU", "BHB", "BMB", "BLB", "BMU", "BLU")
#: What no task exceeds.
LARGEST = {"BHU": 0.9, "BHB": 0.9, "BMU": 0.4, "BMB": 0.9, "BLU": 0.1, "BLB": 0.9}
#: By scheduler: the load that is proved schedulable, by the largest utilization.
BOUNDS: dict[str, Callable[[float], float]] = {
    "G-EDF": lambda largest: 16 - 15 * largest,
    "G-RM": lambda largest: 8 * (1 - largest) + largest,
    "P-EDF": lambda largest: 16 * (0.95 - largest) + largest,
    "P-RM": lambda largest: max(16 * (log(2) - largest) + largest, 17 * log(2) / 2),
}


def plot(results: Results, directory: Path) -> Sequence[Path]:
    """The figure."""
    return plot_shares(results, directory / "2011-fig9", SMALL.schedulers)


def claims(results: Results) -> list[Claim]:
    """Section 3.4.1, sentence by sentence."""

    def sentences(variant: Variant) -> list[Sentence]:
        shares = Shares(results, SMALL.schedulers, variant)
        return [*_by_deadline(shares), *_at_low_loads(shares), *_partitioned(shares), *_non_preemptive(shares)]

    free = Shares(results, SMALL.schedulers)
    return judged([_achieve_bounds(free), _expected(free), *by_variant(results, sentences)])


def _achieve_bounds(free: Shares) -> Sentence:
    """Whether all sets are scheduled up to what is proved for 16 processors and tasks of at most so much.

    G-EDF: Goossens, Funk and Baruah 2003. G-RMS: Bertogna, Cirinei and Lipari 2005. P-EDF: on a processor of at most
    0.95 all are in time, and a task of u fits nowhere only if each processor holds more than 0.95 - u. P-RMS: the least
    loaded processor of m holds U/m + u (1 - 1/m) at most once it has a task of u, which is to be at most ln 2. If it
    had a task before, m + 1 tasks are at least as large, so that this is 2 U / (m + 1) at most.
    """
    return Sentence(
        "G-EDF, G-RMS, P-EDF and P-RMS achieve their theoretical bounds in all cases",
        {
            f"{paper_name(scheduler)} in {name}": free.proved(name, scheduler, bound(largest))
            for scheduler, bound in BOUNDS.items()
            for name, largest in LARGEST.items()
        },
        misses("schedulers that miss a deadline in every set", *BOUNDS),
    )


def _expected(free: Shares) -> Sentence:
    """Those of the sentence before: P-EDF up to larger loads in the bimodal cases, G-EDF in BHU."""
    places = {name: ("P-EDF", "G-EDF") if name != "BHU" else ("G-EDF", "P-EDF") for name in ALL_SETS["G-EDF"]}
    return Sentence(
        "the differences of P-EDF and G-EDF are not due to scaling problems: they are there without overheads",
        {name: free.better(name, *pair) for name, pair in places.items()},
        misses("a P-EDF that misses a deadline in every set", "P-EDF"),
    )


def _by_deadline(shares: Shares) -> list[Sentence]:
    others = ("NG-EDF", "G-FIFO", "G-RM", "G-NP-HVDF")
    return [
        Sentence(
            "C-EDF outperforms G-EDF",
            {name: shares.above(name, "C-EDF", "G-EDF") for name in DISTRIBUTIONS},
            misses("a C-EDF that misses a deadline in every set", "C-EDF"),
        ),
        Sentence(
            "C-EDF and G-EDF outperform all other global algorithms in BHB, BHU, BMB and BLB",
            {
                f"{one} in {name}": shares.best(name, one, others)
                for name in ("BHB", "BHU", "BMB", "BLB")
                for one in ("C-EDF", "G-EDF")
            },
            misses("a C-EDF and a G-EDF that miss a deadline in every set", "C-EDF", "G-EDF"),
        ),
    ]


def _at_low_loads(shares: Shares) -> list[Sentence]:
    both = ("G-FIFO", "G-NP-HVDF")

    def varies(scheduler: str) -> Check:
        """Some two distributions are apart."""
        found = {name: shares.share(name, scheduler) for name in DISTRIBUTIONS}
        pairs = ((one, other) for one in found for other in found if one != other)
        return Some({f"{one}, {other}": Lies(less(found[one], found[other]), low=WIDE) for one, other in pairs})

    return [
        Sentence(
            "G-FIFO and G-NP-HVDF show widely varying performance "
            f"(our reading: shares of two distributions are {WIDE:.0f} points apart)",
            {scheduler: varies(scheduler) for scheduler in both},
            _alike("a G-FIFO and a G-NP-HVDF that meet all deadlines up to a load of 8, in each distribution", *both),
        ),
        Sentence(
            "G-FIFO and G-NP-HVDF meet all deadlines consistently only under low loads "
            f"(our reading: in all distributions up to a load of {LOW} at most)",
            {
                scheduler: Some({name: shares.not_above(name, scheduler, LOW) for name in DISTRIBUTIONS})
                for scheduler in both
            },
            meets("a G-FIFO and a G-NP-HVDF that meet all deadlines", *both),
        ),
    ]


def _alike(words: str, *schedulers: str) -> Mutant:
    """The mutant of schedulers whose sets depend on the load alone."""
    columns = tuple(map(met, schedulers))

    def changed(row: Row) -> Row:
        return {name: row["load"] <= 8 for name in row if is_named(name, columns) and row[name] is not None}

    return by_row(words, changed)


def _partitioned(shares: Shares) -> list[Sentence]:
    worse = misses("a P-EDF that misses a deadline in every set", "P-EDF")

    def stated(scheduler: str) -> Sentence:
        loads = ALL_SETS[scheduler]
        return Sentence(
            f"{scheduler} schedules all sets up to a load of "
            f"{', '.join(f'{load} in {name}' for name, load in loads.items())} (give or take one)",
            {name: Lies(shares.last(name, scheduler), load - 1.5, load + 1.5) for name, load in loads.items()},
            misses(f"a {scheduler} that misses a deadline in every set", scheduler),
        )

    return [
        *map(stated, ALL_SETS),
        Sentence(
            "the load up to which P-EDF schedules all sets goes with the average weight: the heavier tasks, the lower",
            {
                f"{heavy} before {light}": more(less(shares.last(light, "P-EDF"), shares.last(heavy, "P-EDF")))
                for heavy, light in pairwise(BY_WEIGHT)
            },
            misses("a P-EDF that misses a deadline in every light set", "P-EDF", where=of_distributions("BLU")),
        ),
        Sentence(
            "P-EDF performs better than G-EDF and G-NP-EDF in the bimodal cases",
            {
                f"than {paper_name(other)} in {name}": shares.better(name, "P-EDF", other)
                for name in ("BHB", "BMB", "BLB")
                for other in ("G-EDF", "NG-EDF")
            },
            worse,
        ),
        Sentence(
            "P-EDF performs worse than G-EDF and G-NP-EDF in BHU",
            {f"than {paper_name(other)}": shares.better("BHU", other, "P-EDF") for other in ("G-EDF", "NG-EDF")},
            meets("a P-EDF that meets all deadlines", "P-EDF"),
        ),
    ]


def _non_preemptive(shares: Shares) -> list[Sentence]:
    worse = misses("a G-NP-EDF that misses a deadline in every set", "NG-EDF")
    better = meets("a G-NP-EDF that meets all deadlines", "NG-EDF")

    def some(name: str, other: str) -> Check:
        return Some({f"load {load}": more(shares.apart(name, "NG-EDF", other, load)) for load in shares.loads})

    return [
        Sentence(
            "G-NP-EDF demonstrates high performance (above the mean of the others)",
            {name: shares.well(name, "NG-EDF") for name in DISTRIBUTIONS},
            worse,
        ),
        _unpredictable(shares),
        Sentence(
            "G-EDF, C-EDF and G-RMS outperform G-NP-EDF in BHB, BHU and BMB",
            {
                f"{paper_name(one)} in {name}": shares.better(name, one, "NG-EDF")
                for name in ("BHB", "BHU", "BMB")
                for one in ("G-EDF", "C-EDF", "G-RM")
            },
            better,
        ),
        Sentence(
            "G-NP-EDF outperforms G-EDF and G-RMS for all loads in BMU",
            {f"{paper_name(other)}": shares.above("BMU", "NG-EDF", other) for other in ("G-EDF", "G-RM")},
            worse,
        ),
        Sentence(
            "G-NP-EDF outperforms G-EDF, G-RMS and C-EDF in BLU",
            {f"{paper_name(other)}": shares.better("BLU", "NG-EDF", other) for other in ("G-EDF", "G-RM", "C-EDF")},
            worse,
        ),
        Sentence(
            "G-NP-EDF outperforms G-RMS and G-EDF at some loads in BLB, and C-EDF in BMU",
            {
                f"{paper_name(other)} in {name}": some(name, other)
                for name, other in (("BLB", "G-RM"), ("BLB", "G-EDF"), ("BMU", "C-EDF"))
            },
            worse,
        ),
    ]


def _unpredictable(shares: Shares) -> Sentence:
    others = ("G-EDF", "C-EDF", "G-RM")

    def worst(name: str) -> Check:
        return Every({f"{paper_name(other)}": shares.better(name, other, "NG-EDF") for other in others})

    return Sentence(
        "G-NP-EDF's performance is unpredictable: among G-EDF, C-EDF and G-RMS it is the best here and the worst there",
        {
            "the best somewhere": Some({name: shares.best(name, "NG-EDF", others) for name in DISTRIBUTIONS}),
            "the worst somewhere": Some({name: worst(name) for name in DISTRIBUTIONS}),
        },
        meets("a G-NP-EDF that meets all deadlines", "NG-EDF"),
    )


study = schedules_study(SMALL, "2011-fig9", "figure 9: sets without a miss", plot=plot, claims=claims)
