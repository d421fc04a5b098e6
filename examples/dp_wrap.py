"""A scheduler in Python that migrates running jobs: DP-Wrap.

    schedlab simulate examples/dp-wrap.toml --policy examples/dp_wrap.py:DpWrap --draw

G. Levin, S. Funk, C. Sadowski, I. Pye and S. Brandt, "DP-FAIR: a simple model for understanding optimal multiprocessor
scheduling", ECRTS 2010. Deadlines cut time into slices. In each slice, a job gets its share of the processors, and all
shares lie end to end: first along the first processor, then along the next one (McNaughton 1959). A job whose share
goes over the end of a processor begins the slice on the next one and ends it on the first. So it may run on one
processor when a slice ends, and on another one when the next slice begins.

All periodic tasks whose utilizations sum up to the number of processors meet their deadlines, if these are the
periods. A share that is no whole number of nanoseconds is rounded down here, and the job gets the rest in the last
slice before its deadline.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import schedlab


@dataclass(frozen=True)
class Piece:
    """A part of a slice that a processor keeps for a job, in nanoseconds."""

    cpu: int
    start: int
    end: int
    job: schedlab.JobId


class DpWrap(schedlab.Policy):
    """each job gets its share of each slice between deadlines (Levin et al. 2010)"""

    name = "G-DP-WRAP"

    def __init__(self, cpus: Sequence[int], tasks: int) -> None:
        super().__init__(cpus, tasks)
        self.end = 0
        self.pieces: list[Piece] = []

    def decide(self, now: int, jobs: schedlab.Jobs, out: schedlab.Decisions) -> None:
        if now >= self.end:
            self.begin_slice(now, jobs.live())
        ready = {job.id for job in jobs.ready()}
        for cpu in self.cpus:
            out.link(cpu, None)
        for piece in self.pieces:
            if piece.start <= now < piece.end and piece.job in ready:
                out.link(piece.cpu, piece.job)
        later = [at for piece in self.pieces for at in (piece.start, piece.end) if at > now]
        out.timer(0, min(later, default=None))

    def begin_slice(self, now: int, jobs: list[schedlab.Job]) -> None:
        """Lays the shares of all jobs end to end, from now to the next deadline."""
        self.pieces = []
        self.end = min((job.absolute_deadline_ns for job in jobs if job.absolute_deadline_ns > now), default=now)
        length, place = self.end - now, 0
        for job in jobs:
            left = job.wcet_ns * length // job.period_ns
            if job.absolute_deadline_ns <= self.end:
                left = job.wcet_ns - job.service_ns(now)
            while left > 0 and place < length * len(self.cpus):
                index, start = divmod(place, length)
                part = min(left, length - start)
                self.pieces.append(Piece(self.cpus[index], now + start, now + start + part, job.id))
                place, left = place + part, left - part
