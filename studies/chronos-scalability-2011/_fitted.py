"""How ChronOS decides on 48 AMD cores: an overheads file, in part fitted to table I of chronos-scalability-2011.

Of a few values, those were taken whose knees (`_tardiness`) are nearest to the table by the sum of squares, with one to
six sets a load. There are three numbers, one for each thing that makes overload begin earlier:

* A share of each processor is lost, whatever the tasks do. It is charged as ticks of 1 ms, fitted to P-EDF's row: under
  P-EDF no processor waits for another. The text expects some such loss: it fills processors up to 0.95 only, to leave
  room for overhead (section 3.3).
* A hand-over of the lock, or the access to a descriptor, while the world is stopped: fitted to G-EDF's row.
* The time for which a concurrent scheduler locks the queue: fitted to G-NP-EDF's light uniform sets.

SCHED_FIFO chooses in O(1), as P-EDF does, and pays for each push and pull. That is published, not fitted: table II's
average under the concurrent architecture, where a processor that pulls a thread seldom meets the other one in the
scheduler. The paper has no row of SCHED_FIFO's own.

The utility-accrual schedulers have costs of their own for choosing, by the number of ready jobs: those of schedlab's
algorithms, as nothing of the paper's is in the text. G-EDF's costs of stopping the world are theirs, too.

The queue's own lock under stop-the-world (`queue_lock`) is not charged: what making a job ready takes there is unknown.

The shipped profile `fitted-2011-amd` was fitted to another reading, tardiness that stays above 100 ms. It has no lost
share, and a longer hand-over.
"""

from __future__ import annotations

NAME = "decisions fitted to table I by the knee"

#: The text of the file.
PROFILE = '''\
schedlab-overheads = 1
title = "ChronOS on 48 AMD cores in 2011: how it decides; in part fitted to knees"
machine = "four 12-core AMD Opteron processors at 1.7 GHz, two 6 MB L3 caches each; ChronOS Linux"
source = """M. Dellinger, A. Lindsay, B. Ravindran, An Experimental Evaluation of the Scalability of Real-Time \\
Scheduling Algorithms on Large-Scale Multicore Platforms, 2011, sections 2 and 3.5 and tables I and II; in part \\
fitted or measured elsewhere, see decisions"""
notes = """
The text has the architectures, their locks, which parts grow with the processors, and what migrations take (table II,
ticks of 1.7 GHz). The other costs stand in figures, which are pictures.
What is fitted was chosen among a few values so that overload begins about where table I says, by the knee of tardiness.
The text has no architecture for the global utility-accrual schedulers; in the authors' code they stop the world.
What choosing takes them and P-LBESA and P-DASA-ND is measured elsewhere, by the number of ready jobs: their figure 4
is not in the paper. SCHED_FIFO has run queues and locks of its own. Its pushes and pulls take what table II says of
migrations under the concurrent architecture: there, too, the kernel locks two run queues and moves a ready thread.
The tick is what each processor loses in 1 ms, whatever takes it; it is fitted to P-EDF's row (40, 50 and 60 us tried).
Releases (but for concurrent schedulers), context switches, inter-processor interrupts and reloads are unknown.
"""

[all]
tick = "50 us"

[[scheduler]]
name = "G-EDF"
stands_for = ["G-RM"]
scheduling = "1.2 us"
[scheduler.decisions]
architecture = "stop-the-world"
lock = "mcs"
hand_over = "225 ns"
access = "225 ns"
migration = "8745 ns"
fitted = ["hand_over", "access"]
source = """Migration: table II, 14866 ticks. Scheduling: figure 4 repeated on another machine (Xeon, 2 processors). \\
Hand-over and access: one number, fitted to G-EDF's row of table I: 200 ns are too late, 250 ns too early."""

[[scheduler]]
name = "C-EDF"
scheduling = "1.2 us"
[scheduler.decisions]
architecture = "stop-the-world"
lock = "mcs"
hand_over = "56 ns"
access = "56 ns"
migration = "8745 ns"
fitted = ["hand_over", "access"]
source = """As for G-EDF. Hand-over and access: a quarter of G-EDF's, as data of the same processor take a quarter of \\
the time (section 3.5.2)."""

[[scheduler]]
name = "G-FIFO"
stands_for = ["NG-EDF", "NG-HVDF"]
release = "20 us"
scheduling = "20 us"
[scheduler.decisions]
architecture = "concurrent"
lock = "ticket"
hand_over = "100 ns"
migration = "2656 ns"
fitted = ["hand_over", "release", "scheduling"]
source = """Migration: table II, 4516 ticks. Release and scheduling, during which the queue is locked, are one \\
number, fitted to G-NP-EDF's light uniform sets (14, 18, 20 and 22 us tried). The hand-over is that of \\
`fitted-2011-amd`."""

[[scheduler]]
name = "P-EDF"
stands_for = ["P-*"]
scheduling = "0.5 us"

[[scheduler]]
name = "SCHED_FIFO"
scheduling = "0.5 us"
push = "2656 ns"
pull = "2656 ns"
'''

#: By scheduler: what choosing takes, in microseconds, by the number of ready jobs in `JOBS`, in underload. By the table
#: of docs/cost-of-real-runs.md, which has the machine and the command; the engine's own bookkeeping is not in it.
CHOOSING = {
    "P-LBESA": (0.10, 0.66, 2.6, 9.6, 35),
    "P-DASA-ND": (0.27, 1.4, 9.3, 66, 535),
    "gMUA": (0.28, 1.1, 3.9, 13, 48),
    "NG-GUA": (0.28, 1.1, 4.0, 13, 48),
    "G-GUA": (0.25, 0.93, 3.7, 17, 98),
}
JOBS = (10, 32, 100, 316, 1000)
#: What global ones have besides.
_STOPPING = '''\
[scheduler.decisions]
architecture = "stop-the-world"
lock = "mcs"
hand_over = "225 ns"
access = "225 ns"
migration = "8745 ns"
fitted = ["hand_over", "access"]
source = """Architecture: ChronOS Linux, gmua.c, ggua.c and nggua.c. Scheduling: measured elsewhere, by schedlab's \\
algorithm. All else as for G-EDF."""
'''


def _choosing(scheduler: str, times: tuple[float, ...]) -> str:
    """The section of a utility-accrual scheduler."""
    rows = ", ".join(f'[{jobs}, "{time:g} us"]' for jobs, time in zip(JOBS, times, strict=True))
    section = f'\n[[scheduler]]\nname = "{scheduler}"\nscheduling = {{ ready = [{rows}] }}\n'
    return section if scheduler.startswith("P-") else section + _STOPPING


PROFILE += "".join(_choosing(scheduler, times) for scheduler, times in CHOOSING.items())
