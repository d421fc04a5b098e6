"""Executors of units: processes of this machine; `cluster.py` has one more class with the same method."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Protocol

from schedlab.store.parts import Part
from schedlab.studies.batches import Batches
from schedlab.studies.errors import StudyError
from schedlab.studies.study import Unit
from schedlab.studies.worker import Work


class Executor(Protocol):
    """Evaluates units. The order of completion is free, the results are not."""

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """Yields the parts as they are finished. Closing the generator abandons the rest.

        Units are taken from the iterator when they are begun, because it leaves out what others have stored by then.
        """
        ...


class SerialExecutor:
    """Evaluates units in this process, one after the other."""

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """Yields the parts of the units as they are finished (see ``Executor``)."""
        todo = iter(units)
        while parts := work(todo):
            yield from parts


class LocalExecutor:
    """Evaluates units in ``workers`` processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Work, units: Iterable[Unit]) -> Generator[Part, None, None]:
        """Yields parts (see ``Executor``). Only a second of work per worker is queued, so that a stop is prompt."""
        # Spawned, not forked: a fork would copy the native library's threads in an unknown state.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_start_worker)
        pending: dict[Future[list[Part]], list[Unit]] = {}
        todo = Batches(iter(units))
        try:
            while True:
                while len(pending) < 2 * self.workers and (batch := todo.next()):
                    with _uninterrupted():
                        pending[pool.submit(work, batch)] = batch
                if not pending:
                    break
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                # A dead worker breaks all pending batches; results that others finished before are kept.
                for future in sorted(done, key=lambda one: one.exception() is not None):
                    parts = future.result()
                    todo.finished(pending.pop(future), parts)
                    yield from parts
        except BrokenProcessPool as error:
            raise StudyError("a worker process died (out of memory, or killed)") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def local_executor(workers: int) -> Executor:
    """Returns the executor for a number of workers; 0 means one per processor that this process may use."""
    count = number_of_workers(workers)
    return SerialExecutor() if count == 1 else LocalExecutor(count)


def number_of_workers(asked: int) -> int:
    """Returns the number of workers asked for; 0 means one per processor that this process may use."""
    if asked < 0:
        raise StudyError(f"--workers is {asked}, it must be 0 (one per processor) or more")
    return asked or len(os.sched_getaffinity(0))


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Holds Ctrl-C back here, and in processes that are started meanwhile until they leave it to their parent."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker() -> None:
    """Leaves Ctrl-C to the parent, and ends this process when the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Programs that a worker starts inherit which signals are held back.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow_parent, daemon=True).start()
