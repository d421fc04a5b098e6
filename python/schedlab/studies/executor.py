"""Who does the work: this machine's processes now; a cluster would be one more class with the same method."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from schedlab.studies.errors import StudyError
from schedlab.studies.study import Unit


class Executor(Protocol):
    """Runs a picklable function over units. The order of completion is free, the results are not."""

    def run(self, work: Callable[[Unit], bytes], units: Sequence[Unit]) -> Generator[tuple[Unit, bytes], None, None]:
        """Yields each unit with its result as it is finished. Closing the generator abandons the rest."""
        ...


class SerialExecutor:
    """In this process, one after the other."""

    def run(self, work: Callable[[Unit], bytes], units: Sequence[Unit]) -> Generator[tuple[Unit, bytes], None, None]:
        """See ``Executor``."""
        for unit in units:
            yield unit, work(unit)


class LocalExecutor:
    """In ``workers`` processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, work: Callable[[Unit], bytes], units: Sequence[Unit]) -> Generator[tuple[Unit, bytes], None, None]:
        """See ``Executor``. Only a few units per worker are queued at a time, so that a stop is prompt."""
        # Spawned, not forked: a fork would copy the native library's threads in an unknown state.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(self.workers, mp_context=context, initializer=_start_worker)
        pending: dict[Future[bytes], Unit] = {}
        todo = iter(units)
        try:
            while True:
                for unit in _take(todo, 3 * self.workers - len(pending)):
                    pending[pool.submit(work, unit)] = unit
                if not pending:
                    break
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    yield pending.pop(future), future.result()
        except BrokenProcessPool as error:
            raise StudyError("a worker process died (out of memory, or killed)") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def local_executor(workers: int) -> Executor:
    """The executor for a number of workers; 0 means one per processor that this process may use."""
    if workers < 0:
        raise StudyError(f"--workers is {workers}, it must be 0 (one per processor) or more")
    count = workers or len(os.sched_getaffinity(0))
    return SerialExecutor() if count == 1 else LocalExecutor(count)


def _take(units: Iterator[Unit], count: int) -> Iterator[Unit]:
    for _ in range(count):
        unit = next(units, None)
        if unit is None:
            return
        yield unit


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and do not outlive a parent that was killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow_parent() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow_parent, daemon=True).start()
