"""Simulations of the random task sets of a batch, beside proofs: under a shipped, an installed or an own scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from schedlab.core.scenario import Scenario
from schedlab.core.simulation import simulate_many
from schedlab.core.workload import generate
from schedlab.errors import BadInput
from schedlab.studies.batch import Batch

if TYPE_CHECKING:
    from schedlab.core.policy import Policy


@dataclass(frozen=True)
class Simulated:
    """A question that a simulation answers: does no job miss its deadline until the horizon?

    All tasks begin together, and each job needs its WCET. A miss refutes; none proves nothing, so that the answers are
    no proofs. ``scheduler`` is a name, shipped or installed, or a class derived from ``schedlab.Policy``. Clusters have
    ``cluster_size`` processors, which must be stated if the scheduler has clusters.
    """

    scheduler: str | type[Policy]
    horizon: str = "1 s"
    cluster_size: int | None = None
    placement: str | None = None
    protocol: str | None = None
    overheads: str | None = None

    def __str__(self) -> str:
        name = self.scheduler if isinstance(self.scheduler, str) else self.scheduler.name or self.scheduler.__name__
        others = ("cluster_size", "placement", "protocol", "overheads")
        stated = [f", {what} {value}" for what in others if (value := getattr(self, what)) is not None]
        return f"simulated under {name} until {self.horizon}{''.join(stated)}"

    def of(self, drawn: Scenario) -> Scenario:
        """Returns a drawn task set as this question simulates it."""
        return drawn.replace(
            horizon=self.horizon, cluster_size=self.cluster_size, placement=self.placement, protocol=self.protocol,
            overheads=self.overheads,
        ).under(self.scheduler)  # fmt: skip


def misses_nothing(batch: Batch, question: Simulated) -> list[bool]:
    """Returns by set of the batch, whose own questions are not asked, whether no deadline is missed until the horizon.

    Raises `BadInput` if a set cannot be simulated so.
    """
    scenarios = [_asked(batch, question, index) for index in batch.sets]
    found = simulate_many(scenarios, check=False, threads=batch.threads)
    answers = []
    for index, row in zip(batch.sets, found, strict=True):
        if isinstance(row, BadInput):
            raise row
        if row["error"] is not None:
            raise BadInput(f"set {index}: {row['error']}")
        answers.append(not (row["misses"] or row["aborts"] or row["deadlocks"]))
    return answers


def expect_simulable(batch: Batch, question: Simulated) -> None:
    """Raises `BadInput` if the first set of the batch cannot be simulated as `question` says; simulates nothing."""
    one = _asked(batch, question, batch.sets.start)
    if (refusal := one._native.refusal) is not None:
        raise BadInput(refusal)
    if not one._native.is_modelled:
        raise BadInput(f"{one.scheduler}: Linux itself decides, and no model of it exists; allowed: another scheduler")


def _asked(batch: Batch, question: Simulated, index: int) -> Scenario:
    """Returns a set of the batch as `question` simulates it; raises `BadInput` if it leaves clusters open."""
    drawn = generate(
        utilizations=batch.utilizations, periods=batch.periods, deadlines=batch.deadlines, stop=batch.stop,
        seed=batch.seed, index=index, processors=batch.processors, accesses=batch.accesses,
    )  # fmt: skip
    one = question.of(drawn)
    if question.cluster_size is None and one._native.is_clustered:
        raise BadInput(
            f"{one.scheduler}: how many processors share a queue? allowed: a cluster_size, such as cluster_size=2"
        )
    return one
