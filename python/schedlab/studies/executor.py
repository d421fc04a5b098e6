"""Who does the work: this machine's processes; `cluster.py` has one more class with the same method."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from schedlab.store import Part
from schedlab.studies.errors import StudyError
from schedlab.studies.study import Unit
from schedlab.studies.worker import Work


class Executor(Protocol):
    """Has units evaluated. The order of completion is free, the results are not."""

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """Yields the parts as they are finished. Closing the generator abandons the rest.

        Units are taken from the iterator when they are begun: what others have stored by then is no longer in it.
        """
        ...


class SerialExecutor:
    """In this process, one after the other."""

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """See ``Executor``."""
        for unit in units:
            yield from work([unit])


class LocalExecutor:
    """In ``workers`` processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """See ``Executor``. Only a few units per worker are queued at a time, so that a stop is prompt."""
        # Spawned, not forked: a fork would copy the native library's threads in an unknown state.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_start_worker)
        pending: set[Future[list[Part]]] = set()
        todo = iter(units)
        try:
            while True:
                for unit in itertools.islice(todo, 3 * self.workers - len(pending)):
                    pending.add(pool.submit(work, [unit]))
                if not pending:
                    break
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield from future.result()
        except BrokenProcessPool as error:
            raise StudyError("a worker process died (out of memory, or killed)") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def local_executor(workers: int) -> Executor:
    """The executor for a number of workers; 0 means one per processor that this process may use."""
    count = number_of_workers(workers)
    return SerialExecutor() if count == 1 else LocalExecutor(count)


def number_of_workers(asked: int) -> int:
    """As many as are asked for; 0 means one per processor that this process may use."""
    if asked < 0:
        raise StudyError(f"--workers is {asked}, it must be 0 (one per processor) or more")
    return asked or len(os.sched_getaffinity(0))


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive a parent that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow_parent, daemon=True).start()
