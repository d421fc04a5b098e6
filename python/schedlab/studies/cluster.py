"""Units on a cluster: tasks of a Dask scheduler, elsewhere or on this machine. Imported with ``--cluster`` alone.

A task is some units that take about a second together, so that neither Dask nor a store has many small things to do.
Units that a worker left after that second become part of later tasks. Dask gives the tasks of a lost worker to others.
Here, units whose workers were lost too often are tried again one by one, until one of them is to blame.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter, deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any

from schedlab.errors import CannotRun
from schedlab.store.parts import Part
from schedlab.studies.batches import Batches
from schedlab.studies.errors import StudyError
from schedlab.studies.shipped import ShippedWork, own_version
from schedlab.studies.study import Unit
from schedlab.studies.worker import Work

try:
    import distributed
except ImportError as error:
    raise CannotRun(f"--cluster: {error}; install it: pip install 'schedlab[cluster]'") from error

#: Number of tasks that each worker has at hand.
AT_HAND = 2

#: Seconds to wait for a scheduler to answer.
FIRST_ANSWER = 10.0

#: Seconds to wait for the first worker, which a batch system may start later.
FIRST_WORKER = 600

#: Seconds without any worker after which those of a cluster on this machine are gone for good. Dask starts each again,
#: except one that dies while it starts.
WITHOUT_WORKER = 120

#: Number of workers that a unit may lose by itself.
MOST_LOST = 3

#: Seconds between two looks at what is finished, and between two looks at the workers.
LOOK, LOOK_AT_WORKERS = 0.02, 2.0


class ClusterExecutor:
    """Evaluates on the workers of the scheduler at ``address``; ``local`` starts one here, with ``workers``."""

    def __init__(self, address: str, workers: int) -> None:
        self.address, self.workers = address, workers

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """Yields the parts of the units as they are finished (see ``Executor``)."""
        shipped = ShippedWork.of(work)
        patience = WITHOUT_WORKER if self.address == "local" else FIRST_WORKER
        with _connected(self.address, self.workers) as client:
            try:
                _check(client)
                yield from _Tasks(client, shipped, iter(units), patience).results()
            except (CancelledError, distributed.comm.core.CommClosedError, TimeoutError) as error:
                raise CannotRun(
                    f"--cluster {self.address}: the scheduler was lost ({type(error).__name__}); "
                    "what was finished is stored, and the same command continues"
                ) from error


@contextmanager
def _connected(address: str, workers: int) -> Iterator[Any]:
    """Yields a client. Messages of Dask about lost workers are suppressed, because they are no errors here."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address == "local":
        # A worker has one thread: units are as parallel as there are workers.
        options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0", "processes": True}
        with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
            yield client
        return
    try:
        client = distributed.Client(address, timeout=FIRST_ANSWER)
    except (OSError, ValueError) as error:
        raise CannotRun(f"--cluster {address}: no scheduler answers there: {error}") from error
    with client:
        yield client


def _check(client: Any) -> None:
    """Refuses workers of another version; workers that come later refuse by themselves."""
    try:
        client.wait_for_workers(1, timeout=FIRST_WORKER)
    except TimeoutError as error:
        raise CannotRun(f"the cluster has had no worker for {FIRST_WORKER} s: start some (dask worker)") from error
    try:
        found = client.run(own_version)
    except Exception as error:
        # Unpickling on a machine without schedlab may end with any exception.
        raise CannotRun(f"a worker cannot load schedlab ({error}): install the same as here on all workers") from error
    for where, version in found.items():
        own_version().expect(version, f"the worker at {where}")


class _Tasks:
    """Tasks at hand, and the units that they evaluate."""

    def __init__(self, client: Any, work: ShippedWork, units: Iterator[Unit], patience: float) -> None:
        self.client, self.work = client, work
        self.units = Batches(units)
        self.again: deque[Unit] = deque()
        self.lost: Counter[str] = Counter()
        #: The unit that lost its workers last, when it was alone in its task.
        self.suspect: Unit | None = None
        self.pending: dict[Any, Sequence[Unit]] = {}
        #: Seconds to wait for workers when there are none.
        self.patience = patience

    def results(self) -> Generator[Part, None, None]:
        """Keeps every worker busy until no unit is left; yields parts as they come."""
        finished = distributed.as_completed()
        self._fill(finished)
        while self.pending:
            task = self._next(finished)
            units = self.pending.pop(task)
            try:
                parts: list[Part] = task.result()
            except distributed.KilledWorker as error:
                self._blame(units, error)
                parts = []
            if parts:
                self.units.finished(units, parts)
            self._fill(finished)
            yield from parts

    def _next(self, finished: Any) -> Any:
        """Returns the next task that is finished; raises if there are no workers for too long."""
        seen = looked = time.monotonic()
        while not finished.has_ready():
            time.sleep(LOOK)
            now = time.monotonic()
            if now - looked < LOOK_AT_WORKERS:
                continue
            looked = now
            if self.client.ncores():
                seen = now
            elif now - seen > self.patience:
                self._without_workers()
        return next(finished)

    def _without_workers(self) -> None:
        """Raises with the likely reason why no worker is left."""
        if self.suspect is not None:
            raise StudyError(f"{self.suspect}: its workers died again and again (out of memory?), and none is left")
        pending = next(iter(self.pending.values()))
        raise CannotRun(f"no worker has been left for {self.patience:.0f} s; among the last units was {pending[0]}")

    def _fill(self, finished: Any) -> None:
        wanted = AT_HAND * max(1, sum(self.client.ncores().values()))
        while len(self.pending) < wanted and (batch := self._batch()):
            task = self.client.submit(self.work, batch, key=self._key(batch), pure=False)
            self.pending[task] = batch
            finished.add(task)

    def _batch(self) -> list[Unit]:
        """Returns the units of the next task: about a second of them, or one to try again."""
        return [self.again.popleft()] if self.again else self.units.next()

    def _key(self, batch: Sequence[Unit]) -> str:
        """Returns a task's name, which follows from its units, and from the clock if they are tried again."""
        told = "\0".join([self.work.digest, *(f"{unit.name} {unit.seed} {unit.overheads}" for unit in batch)])
        tries = sum(self.lost[unit.name] for unit in batch)
        salt = f"-{time.monotonic_ns()}" if tries else ""
        return f"schedlab-{hashlib.sha256(told.encode()).hexdigest()[:32]}{salt}"

    def _blame(self, units: Sequence[Unit], error: Exception) -> None:
        """Queues units whose workers were lost to be tried again one by one; raises if one alone keeps losing them."""
        if len(units) == 1:
            self.lost[units[0].name] += 1
            self.suspect = units[0]
            if self.lost[units[0].name] >= MOST_LOST:
                raise StudyError(f"{units[0]}: its workers died again and again (out of memory?): {error}") from error
        self.again.extend(units)
