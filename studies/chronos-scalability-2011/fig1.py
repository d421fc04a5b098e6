"""Figure 1 of chronos-scalability-2011: how many sets miss no deadline on 48 processors, by load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from schedlab.studies import Claim, Results, judge

from ._scheduling import DISTRIBUTIONS, FREE, LARGE, Variant, schedules_study, variants
from ._shares import Shares, in_both, paper_name, plot_shares, rests_on_overheads, with_decisions, without_overheads

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

    def judged(variant: Variant) -> list[Claim]:
        shares = Shares(results, LARGE.schedulers, variant)
        fifo = _fifo(shares) if variant is FREE else []
        return [*_partitioned(shares), *_clustered(shares), *_non_preemptive(shares), *fifo, *_global(shares)]

    free, deciding = (Shares(results, LARGE.schedulers, variant) for variant in variants(results))
    theory = [_impossible_partitions(free), _theoretical(free), *(_approximates(free, name) for name in DISTRIBUTIONS)]
    return [
        *in_both(results, judged),
        *without_overheads(theory),
        *with_decisions(results, [_most_demanding(free, deciding), _scales(deciding)]),
        _per_processor(deciding),
    ]


def _partitioned(shares: Shares) -> list[Claim]:
    others = [name for name in DISTRIBUTIONS if name != "BHU"]
    best = [
        judge(
            f"P-EDF outperforms all other algorithms: in {name}",
            not shares.better(name, "P-EDF"),
            shares.means(name, ("P-EDF", *(other for other in shares.ranked(name) if other != "P-EDF"))),
        )
        for name in others
    ]
    well = [
        shares.at_least_the_rest(f"P-EDF and P-RMS perform well with respect to the others in {name}", name, BOTH)
        for name in others
    ]
    worst = shares.ranked("BHU")[-2:]
    below = [
        shares.never_fewer(f"P-RMS does not perform as well as P-EDF: in {name}", name, "P-EDF", "P-RM")
        for name in DISTRIBUTIONS
    ]
    return [
        *best,
        judge(
            "in the heavy uniform case both partitioned algorithms perform the worst",
            set(worst) == {"P-EDF", "P-RM"},
            shares.means("BHU", shares.ranked("BHU")),
        ),
        *below,
        *well,
    ]


def _impossible_partitions(free: Shares) -> Claim:
    """Tasks with implicit deadlines are late under EDF only on a processor that has more than it can do."""
    found = {name: free.mean(name, "P-EDF") for name in DISTRIBUTIONS}
    return judge(
        "in BHU partitioning becomes impossible: the fewest sets have all processors at most full under P-EDF",
        min(found, key=lambda name: found[name]) == "BHU",
        "mean over loads: " + ", ".join(f"{name} {share:.1f}%" for name, share in found.items()),
    )


def _clustered(shares: Shares) -> list[Claim]:
    behind = "the second best performance, behind P-EDF,"
    places = [("BHU", [], "the best performance"), ("BHB", ["P-EDF"], behind), ("BLU", ["P-EDF"], behind)]
    return [
        *(shares.at_least_the_rest(f"C-EDF performs well in {name}", name, ["C-EDF"]) for name in DISTRIBUTIONS),
        shares.at_least_up_to("C-EDF schedules all sets below a load of 26", "C-EDF", 25, list(DISTRIBUTIONS)),
        *(
            judge(
                f"C-EDF provides {said} in {name}",
                shares.better(name, "C-EDF") == others,
                shares.means(name, shares.ranked(name)[:4]),
            )
            for name, others, said in places
        ),
    ]


def _non_preemptive(shares: Shares) -> list[Claim]:
    weakest = {name: shares.mean(name, "NG-EDF") for name in DISTRIBUTIONS}
    bimodal, uniform = ([value for name, value in weakest.items() if name.endswith(letter)] for letter in ("B", "U"))
    told = ", ".join(f"{name} {value:.1f}%" for name, value in weakest.items())
    return [
        *(
            shares.at_least_the_rest(f"G-NP-EDF performs reasonably well in {name}", name, ["NG-EDF"])
            for name in DISTRIBUTIONS
        ),
        shares.at_least_up_to("G-NP-EDF schedules all sets below a load of 18", "NG-EDF", 17, list(DISTRIBUTIONS)),
        judge(
            "G-NP-EDF's performance is weakest on the bimodal distributions",
            max(bimodal) < min(uniform),
            f"mean over loads: {told}",
        ),
    ]


def _theoretical(free: Shares) -> Claim:
    means = {name: fmean(free.mean(one, name) for one in DISTRIBUTIONS) for name in ("NG-EDF", *STRONGER)}
    return judge(
        "G-NP-EDF's theoretical performance is not as strong as that of C-EDF, P-EDF and G-EDF",
        means["NG-EDF"] < min(means[name] for name in STRONGER),
        "mean over loads and distributions: "
        + ", ".join(f"{paper_name(name)} {share:.1f}%" for name, share in means.items()),
    )


def _most_demanding(free: Shares, deciding: Shares) -> Claim:
    lost = {
        name: fmean(free.mean(name, scheduler) - deciding.mean(name, scheduler) for scheduler in deciding.schedulers)
        for name in DISTRIBUTIONS
    }
    return judge(
        "the light uniform case is the most demanding from the perspective of overheads: decisions cost most there",
        max(lost, key=lambda name: lost[name]) == "BLU",
        "points lost, mean over loads and schedulers: "
        + ", ".join(f"{name} {cost:.1f}" for name, cost in lost.items()),
    )


def _approximates(free: Shares, name: str) -> Claim:
    gap = free.mean(name, "SCHED_FIFO") - free.mean(name, "G-FIFO")
    text = f"SCHED_FIFO approximates G-FIFO (mean over loads within {APPROXIMATE:.0f} points) in {name}"
    return judge(text, abs(gap) <= APPROXIMATE, free.means(name, ("SCHED_FIFO", "G-FIFO")))


def _scales(shares: Shares) -> Claim:
    ours, others = (
        shares.mean("BLU", "NG-EDF"),
        sum(shares.mean("BLU", other) for other in shares.schedulers) / len(shares.schedulers),
    )
    return judge(
        "G-NP-EDF scales well: in the light uniform case, which overheads burden most, it is above the mean of all",
        ours > others,
        f"{shares.means('BLU', shares.ranked('BLU'))}; all sets up to a load of {shares.all_up_to('BLU', 'NG-EDF')}",
    )


def _per_processor(shares: Shares) -> Claim:
    return rests_on_overheads(
        "that G-FIFO outperforms SCHED_FIFO is meaningful: data of each processor's own should scale better",
        f"SCHED_FIFO has locks of its own; in BLU with {shares.variant.heading} {shares.means('BLU', ('G-FIFO',))}",
    )


def _fifo(shares: Shares) -> list[Claim]:
    return [
        shares.more_on_average(f"G-FIFO outperforms SCHED_FIFO: in {name}", name, "G-FIFO", "SCHED_FIFO")
        for name in DISTRIBUTIONS
    ]


def _global(shares: Shares) -> list[Claim]:
    poor = [
        judge(
            f"{paper_name(scheduler)} performs poorly compared to the other algorithms in {name}: below their mean",
            shares.mean(name, scheduler)
            < sum(shares.mean(name, other) for other in shares.schedulers if other not in ("G-EDF", "G-RM"))
            / (len(shares.schedulers) - 2),
            shares.means(name, shares.ranked(name)),
        )
        for name in ("BHU", "BHB", "BMB", "BLB")
        for scheduler in ("G-EDF", "G-RM")
    ]
    above = [
        shares.more_on_average(
            f"in {name} {paper_name(scheduler)} performs better than G-FIFO", name, scheduler, "G-FIFO"
        )
        for name in ("BLU", "BMU")
        for scheduler in ("G-EDF", "G-RM")
    ]
    ordered = [
        shares.never_fewer(f"G-EDF outperforms G-RMS: in {name}", name, "G-EDF", "G-RM") for name in DISTRIBUTIONS
    ]
    last = shares.all_up_to("BMU", "G-EDF")
    return [
        *poor,
        *above,
        judge(
            "G-EDF's performance in the medium uniform case is above the bound of the GFB method",
            last > GFB_MEDIUM,
            f"all sets up to a load of {last}; GFB's bound for tasks of at most 0.4 is {GFB_MEDIUM}",
        ),
        *ordered,
    ]


study = schedules_study(LARGE, "2011-fig1", "figure 1: sets without a miss", plot=plot, claims=claims)
