"""Results of the core as plain values: types that `make renew` generates from structs of Rust."""


from typing import Literal, NotRequired, TypeAlias, TypedDict


class BesideCharged(TypedDict):
    """The longest time to load a working set again; None where it is unknown."""

    scheduler: str
    kind: Literal['cache_related_preemption', 'cache_related_migration']
    working_set_bytes: int
    charged_ns: int | None
    modelled_ns: int | None


class Blocking(TypedDict):
    """Bounds on blocking by task: `remote_ns` while others hold, `local_ns` on the processor."""

    method: str
    protocol: str
    source: str
    assumptions: list[str]
    is_bound: bool
    """False where the method proves nothing, with a `reason`: its terms are then no bounds."""
    reason: str | None
    remote_ns: list[int | None]
    local_ns: list[int | None]
    total_ns: list[int | None]


class BlockingTerm(TypedDict):
    """A section that may block."""

    task: int
    name: str
    resource: str
    length_ns: int
    counts: bool
    """True if the bound contains it."""


class BoundPart(TypedDict):
    """A part of a bound."""

    what: str
    length_ns: int


class BudgetAt(TypedDict):
    """The least budget with one period."""

    period_ns: int
    budget_ns: int | None
    """None if no budget suffices with this period."""
    relative_deadline_ns: int | None
    """The latest deadline with that budget; the period, unless the server states a deadline."""
    bandwidth: str | None
    """The budget over the period, such as 7/25."""


class BusMachine(TypedDict):
    """Processors that execute slots, each with a cache, on one bus. Durations are cycles."""

    processors: int
    staggered: bool
    quantum_cycles: int
    """Length of a slot."""
    cache_bytes: int
    line_bytes: int
    ways: int
    read_miss: int
    write_miss: int
    upgrade: int
    write_back: int
    """Additional cycles for each dirty line that goes to memory first."""
    round_robin: bool
    """True if processors take turns; else the oldest request is served first."""
    cells: int
    """Number of cells of each array."""
    cell_bytes: int
    random_seed: int | None
    """Seed of the order of writes; None if arrays are written cell after cell."""
    gap: int
    """Cycles between two accesses."""


class BusSeen(TypedDict):
    """Counts of the machine's caches and bus: by processor, and by part of a slot."""

    machine: BusMachine
    lost_cycles: list[int]
    """Cycles in which the processor's own request waited."""
    served_cycles: list[int]
    """Cycles in which the processor's own request was served."""
    requests: list[int]
    accesses: list[int]
    part_cycles: int
    pending_sum: list[int]
    """Requests that were pending, summed over the part's cycles."""
    pending_max: list[int]
    """Requests that were pending in the part's worst cycle."""


class CacheDelay(TypedDict):
    """Delays of jobs that loaded a working set again."""

    kind: Literal['cache_related_preemption', 'cache_related_migration']
    working_set_bytes: int
    co_runners: int
    """Other processors that executed jobs when the job went on."""
    samples: int
    max_ns: int
    mean_ns: int


class ChangedTime(TypedDict):
    """A time of a task as the scenario has it, and as the test uses it."""

    task: int
    name: str
    time: Literal['cost', 'period', 'relative_deadline', 'jitter']
    """A time of a task: C, T, D or J."""
    scenario_ns: int
    used_ns: int
    because: list[Literal['jitter', 'suspension', 'waiting', 'ticks', 'accounting']]


class CheckedDict(TypedDict):
    """An [`InvariantCheck`] as plain values."""

    name: str
    """Name of the invariant, or of another property that ought to hold."""
    holds: bool
    """Whether the property holds."""
    detail: str | None
    """Reason why it does not hold, or a remark."""


class DeadlockLink(TypedDict):
    """A job in a deadlock, in words."""

    job: str
    holds: str
    wants: str


class Deadlock(TypedDict):
    """Jobs that wait for each other in a circle."""

    at_ns: int
    circle: list[DeadlockLink]
    text: str


class DelayTerm(TypedDict):
    """A section of another task that adds to the bound on a task's delay."""

    task: int
    name: str
    resource: str
    cause: Literal['waiting', 'ahead_of_holder', 'holder_kept_off', 'arrival', 'arrival_spinning', 'kept_off']
    """Why a section of another task delays a job."""
    length_ns: int
    count: int
    """How often it counts."""
    total_ns: int


class DemandPart(TypedDict):
    """The demand of a task in an interval."""

    task: int
    name: str
    demand_ns: int


class Demand(TypedDict):
    """The interval in which EDF has the least room on a processor."""

    cluster: int
    within_ns: int
    demand_ns: int
    exceeds: bool
    parts: list[DemandPart]


class DemandingTask(TypedDict):
    """A task of a processor whose demand is examined."""

    task: int
    name: str
    cost_ns: int
    period_ns: int
    window_ns: int
    """The relative deadline less the jitter."""


class DeployedProof(TypedDict):
    """The proof of the tasks' deadlines under the settings that are written."""

    proved: bool
    """True if all deadlines are proved to be met, on conditions that a machine keeps."""
    verdict: str
    """The result of the tests, in a line."""
    assumptions: list[str]
    """Assumptions of the proof; empty without one."""


class Distribution(TypedDict):
    """Distribution of lengths of time."""

    count: int
    largest_ns: int
    median_ns: int
    p999_ns: int
    p99_ns: int


class DoctorFinding(TypedDict):
    """A property of the machine, and whether real runs can do with it."""

    what: str
    state: Literal['ok', 'note', 'no']
    """Meaning of a finding for runs."""
    found: str
    advice: str
    """Empty where nothing is to be changed."""


class Drawing(TypedDict):
    """Rows of numbers for a picture of a schedule, with jobs counted from 0. A mark is a task, its job, and the time."""

    aborts: list[tuple[int, int, int]]
    arrivals: list[tuple[int, int, int]]
    blockings: list[tuple[int, int, int, int, int, int]]
    """Task and job, those of the holder, begin, end."""
    budgets: list[tuple[int, int, int]]
    """Budgets that were used up."""
    completions: list[tuple[int, int, int]]
    critical_sections: list[tuple[int, int, int, int, int]]
    """Task, job, resource, begin, end."""
    deadlines: list[tuple[int, int, int]]
    handlers: list[tuple[int, int, int]]
    """Begins of abort handlers."""
    misses: list[tuple[int, int, int]]
    """Missed deadlines, at the times of the deadlines."""
    overheads: list[tuple[int, str, int, int]]
    """Processor, kind by its word in the glossary, begin, end."""
    replenishments: list[tuple[int, int, int]]
    """Budgets that servers are given back: server, time, amount."""
    segments: list[tuple[int, int, int, int, int]]
    """Processor, task, job, begin, end."""
    server_budgets: list[tuple[int, int, int, int, int]]
    """Budgets of servers: server, begin, end, budget at the begin and at the end."""
    server_deadlines: list[tuple[int, int]]
    """Deadlines of servers: server, time."""
    servers: list[str]
    """Names of the budget servers."""
    spinning: list[tuple[int, int, int, int, int]]
    """Segments in which the job spins."""
    subtasks: list[tuple[int, int, int, int]]
    """Windows of granted quanta (Pfair): task, job, release, deadline."""
    waits: list[tuple[int, int, str, int, int]]
    """Task, job, reason, begin, end."""
    wastes: list[tuple[int, int, int]]
    """Rests of quanta (Pfair): processor, begin, end."""
    window: tuple[int, int]


class EarlierTask(TypedDict):
    """A task that goes before another one."""

    task: int
    name: str
    cost_ns: int
    spinning_ns: int
    """Part of the cost for which a job spins."""
    period_ns: int
    jitter_ns: int
    """How much later than their arrivals let expect its jobs may execute."""
    jitter_cause: Literal['jitter', 'carry_in', 'suspension']
    """Reason of a task's jitter: why its jobs may execute later than their arrivals let expect."""
    below_ns: int | None
    """Suspension of this task and tasks below it that delays those below; None unless that is the cause."""
    carried_ns: int | None
    """Response time less cost; 0 if the suspension counts in `below_ns`; None unless that is the cause."""


class EndedWith(TypedDict):
    """A test that ended because a task fails."""

    cluster: int
    task: int
    """The task that fails: the test did not look at those that come after it."""
    name: str


class EventFindings(TypedDict):
    """The calls for the jobs of an event-driven task."""

    task: str
    """The task."""
    calls: int
    """All calls during the run."""
    arrived: int
    """Jobs that arrived. The job of the last call may not have arrived by the run's end."""
    delayed: int
    """Calls that came earlier than the task's period allows: their jobs arrived later."""
    refused: int
    """Calls that came while the job of an earlier one was still to arrive: they released none."""


class ExplainedBound(TypedDict):
    """The parts of a task's bound."""

    task: int
    name: str
    bound_ns: int
    parts: list[BoundPart]


class ExploredJob(TypedDict):
    """
    Bounds on the completion of a job of a job set, over all schedules; None where the budget ended before all were
    explored.
    """

    task: int
    job: int
    best_completion: int | None
    worst_completion: int | None
    best_response: int | None
    worst_response: int | None


class ExploredJobs(TypedDict):
    """The schedules that a non-preemptive scheduler may produce from a job set."""

    answer: Literal['schedulable', 'unschedulable', 'unknown']
    """The name of an answer."""
    reason: str
    complete: bool
    """False where the budget ended before all schedules were explored: completions are then not known."""
    states: int
    dispatches: int
    jobs: list[ExploredJob]


class Histogram(TypedDict):
    """Number of values in each bin. There is one more edge than bins."""

    edges_ns: list[int]
    counts: list[int]


class JobMemory(TypedDict):
    """The memory accesses of a job, and how long it waited for them."""

    task: int
    name: str
    job: int
    accesses: int
    requests: int
    served_ns: int
    """Time in which the bus served the job."""
    lost_ns: int
    """Time in which the job waited while the bus served another processor."""


class JobsTerm(TypedDict):
    """Jobs of a task in an interval."""

    jobs: int
    work_ns: int


class LeastServer(TypedDict):
    """The least bandwidth of one server."""

    name: str
    kind: str
    order: str
    clients: list[str]
    utilization: str
    """What the clients need in the long run: no bandwidth below suffices."""
    tried: list[BudgetAt]
    """By period, in rising order."""
    best: int | None
    """The index among those with the least bandwidth, of equal ones the longest period; none if no budget suffices."""


class LeastServers(TypedDict):
    """The least bandwidths of all servers with subsystems."""

    scheduler: str
    servers: list[LeastServer]
    answer: Literal['schedulable', 'unschedulable', 'unknown'] | None
    """Answer about the whole scenario with the best servers; none if one has none."""
    reason: str
    """The reason for the answer, or why a server has no period."""
    toml: str | None
    """The servers as a scenario file states them."""


class LengthenedBound(TypedDict):
    """A task whose bound a resource lengthens."""

    task: str
    """Name of the task."""
    by_ns: int | None
    """The growth of its bound; None if that is unknown, because no bound is proved with the resource."""


class LinuxMutex(TypedDict):
    """The settings of a mutex on Linux."""

    name: str
    """Name of the resource."""
    protocol: str
    """Protocol as in `resource.protocol`: `none`, `inherit` or `protect`."""
    attribute: str
    """Argument of `pthread_mutexattr_setprotocol`."""
    ceiling: int | None
    """Argument of `pthread_mutexattr_setprioceiling`: the priority of the most urgent user; None without protection."""
    users: list[str]
    """Names of the tasks that take the mutex."""


LinuxThread = TypedDict(
    'LinuxThread',
    {
        'name': str,
        'class': str,
        'priority': int | None,
        'reservation_ns': list[int] | None,
        'processors': list[int],
        'mutexes': list[str],
        'chrt': str,
        'taskset': str | None,
    },
)


class LinuxWay(TypedDict):
    """A way to run a scenario's threads on Linux."""

    scheduler: str
    """The scheduler that stands for the way in scenarios: `P-SCHED_FIFO`, `SCHED_FIFO` or `SCHED_DEADLINE`."""
    placement: str | None
    """Rule of the places; None if they are those of the scenario, or if no thread is bound."""
    priorities: str | None
    """Rule of the priorities; None if they are those of the scenario, or under `SCHED_DEADLINE`."""
    is_own: bool
    """True if the way leaves all as the scenario states it."""
    changes: int
    """Number of threads with another place or priority than the scenario states, and of mutexes with another protocol."""
    schedulable: bool
    margin_percent: float
    """How much all costs may grow in percent, as in the ways of `advise`."""
    margin_at_best_percent: float
    """The margin with the smallest overheads that were measured of the same code; else equal to `margin_percent`."""
    rank: int
    """Rank from 1 on; ways with equal margins share one."""
    unheeded: list[str]
    """
    Statements of the scenario that the way does not heed: "places", "throttling". Such ways are ranked behind
    those that heed everything.
    """
    left_out: list[str]
    """
    What is left out, a line each: what was ignored of another tool's file, what the scheduler does not heed, and
    measured overheads that nothing charges.
    """
    rests_on: list[str]
    """Conditions besides the scenario's own numbers, such as a statistic of overheads that measured values exceed."""
    overheads_unknown: list[str]
    """Kinds of overheads without a value for the scheduler, which are not charged."""
    test: str | None
    """The test that decides, if one does."""
    reason: str
    missed: int | None
    """Jobs that were late in a simulation until the horizon, where no test knows the way; else None."""
    threads: list[LinuxThread]
    """The settings by thread, in the order of the scenario; empty if there are none."""
    mutexes: list[LinuxMutex]
    """The settings by mutex."""
    assumptions: list[str]
    """
    What the proof rests on: assumptions of its tests, and conditions on the kernel and the machine. Empty without
    a proof.
    """
    export_refuses: str | None
    """The reason why `schedlab export threads` writes no script for it; None if it does."""


class LinuxAdvice(TypedDict):
    """The result of `advise --for linux`."""

    proved: int
    """Number of ways that are proved to meet all deadlines."""
    ways: list[LinuxWay]
    """All ways, the best first."""
    not_judged: list[str]
    """What stock Linux has and no model or test here knows, a line each."""
    scenario: str | None
    """The best proved way as a scenario in TOML, which `analyze`, `simulate` and `export` take; None without proof."""


class ListedJob(TypedDict):
    """A job that arrives before the deadline of a late job."""

    task: int
    job: int
    arrival_ns: int
    release_ns: int
    cost_ns: int


class LateJob(TypedDict):
    """A late job that the simulator found: evidence that a cluster is not schedulable."""

    cluster: int
    rule: str
    task: int
    name: str
    job: int
    absolute_deadline_ns: int
    late_by_ns: int | None
    """Tardiness of the job; None where it is not known."""
    jobs: list[ListedJob]
    """Jobs that arrive until the deadline; empty if they are too many, or the scenario's own."""


class LoadTerm(TypedDict):
    """Share of the time before a job's deadline that a task may take: min(1, (C/T (D_k + T - D) + max(0, C - λ T))/D_k)."""

    task: int
    name: str
    cost_ns: int
    period_ns: int
    relative_deadline_ns: int
    exact: str | None
    """The exact share, such as "3/4"; None if it has more than 60 digits."""
    value: float
    text: str
    """The value in percent."""


class ComparedLoad(TypedDict):
    """Baker's shares of the time before a deadline, compared with a bound."""

    cluster: int
    task: int
    """The task k whose deadline is examined, with its C_k and D_k; λ is their quotient."""
    name: str
    cost_ns: int
    relative_deadline_ns: int
    terms: list[LoadTerm]
    sum: float
    sum_text: str
    bound: float
    bound_text: str
    bound_formula: str
    holds: bool


class LongestResponse(TypedDict):
    """A task's longest response, and the lost time in it."""

    job: str
    response_ns: int
    lost_ns: int
    """Time that was taken since the processors of the job were last idle."""
    lost_to_ns: dict[str, int]
    longest_less_lost_ns: int
    """Largest response of any job less its lost time: no response is longer than this and its own loss."""
    longest_in_schedule_ns: int
    """Longest response of the task in a simulation without overheads."""
    reconstructed_ns: int
    """Response of this job in a simulation in which lost time is part of the costs."""


class Lost(TypedDict):
    """
    Time that was taken from a job of a real run since its processors were last idle, and the reason why it missed its
    deadline.
    """

    busy_since_ns: int
    lost_ns: int
    lost_to_ns: dict[str, int]
    missed_by: str | None


class LostEvents(TypedDict):
    """Events that a processor lost."""

    cpu: int
    """The machine's number of the processor."""
    lost: int | None
    """Number of lost events; null if the file does not state it."""


class Machine(TypedDict):
    """The machine on which schedlab runs."""

    model: str
    """The processors' model."""
    processors: int
    """Number of processors."""
    is_virtual: bool
    """True if the machine is virtual."""
    kernel: str
    """The kernel's release."""
    mitigations: str
    """Mitigations of flaws, which slow the machine down."""


class Doctor(TypedDict):
    """Findings on what this machine can run."""

    real_runs: bool
    """True if scenarios can run for real."""
    machine: Machine
    findings: list[DoctorFinding]


class MemoryUse(TypedDict):
    """The memory accesses of the jobs in a schedule."""

    scheduler: str
    jobs: list[JobMemory]
    delays: list[CacheDelay]
    resumptions: int
    """Number of times that a job went on after others had executed."""
    beyond_the_cache: int
    """Resumptions of jobs whose working set exceeds the cache: no delay is known."""


class Mixes(TypedDict):
    """The search for mixes of schemes, where tasks request several objects."""

    objects: int
    """Number of objects that tasks request."""
    is_exhaustive: bool
    """True if all combinations were tried; else another scheme of each object alone, which may miss the best."""
    searches: int
    """Number of searches: schedulers, each with a placement, priorities and a protocol."""
    tried: int
    """Number of mixes that were tried in all searches."""
    better: int
    """Number of searches that found a mix with a larger margin than anything else there; each adds a way."""


class MutexWaits(TypedDict):
    """Waits of a thread for a holder of a mutex with priority inheritance."""

    holder: str
    """Name of the holder."""
    holder_pid: int
    """The kernel's number of the holder."""
    count: int
    """Number of waits."""
    longest_ns: int | None
    """Longest of them."""


class Occupant(TypedDict):
    """The occupant of a processor: a job, or an overhead."""

    job: NotRequired[int]
    overhead: NotRequired[str]
    task: NotRequired[int]


class OrdinaryOverRealTime(TypedDict):
    """Ordinary threads that ran over ready real-time ones."""

    count: int
    total_ns: int


class LostTime(TypedDict):
    """Processor time that tasks lost."""

    on_the_way_ns: int
    to_others_ns: int
    ordinary_over_real_time: OrdinaryOverRealTime


class OtherOccupants(TypedDict):
    """Occupants of a processor in two schedules."""

    at_ns: int
    cpu: int
    occupants: tuple[Occupant | None, Occupant | None]


class OtherRecord(TypedDict):
    """The first record that is not in both traces."""

    number: int
    """Number of the record, from 0."""
    lines: tuple[str | None, str | None]
    """The records of both traces; None for a trace that has ended."""


class Difference(TypedDict):
    """First difference of two traces; None where they are equal."""

    schedule: OtherOccupants | None
    """First difference of the schedules."""
    record: OtherRecord | None
    """First difference of the records."""


class OutsideItem(TypedDict):
    """The time that threads outside of the scenario had on one of its processors."""

    kernel_ns: int
    """Kernel threads that are bound to the processor, which go before all tasks, in ns."""
    ordinary_ns: int
    """All other threads, in ns."""
    reserve_ns: int
    """The part of `ordinary_ns` that the reserve gave although a task was ready, in ns."""


class KernelSchedulerFindings(TypedDict):
    """The scheduler in the kernel that executed tasks' threads."""

    reserve_ns: int
    """The part of each second that was reserved for threads outside of the scenario, in ns."""
    outside: list[OutsideItem]
    """By processor: what these threads had."""
    end: str | None
    """How it ended; none if the run ended it."""


class OverBound(TypedDict):
    """A longest response above its proved bound, with the reason."""

    index: int
    job: str | None
    response_time_ns: int
    bound_ns: int
    explained: bool | None
    """Whether the time that was taken explains the excess; None if the kernel was not asked."""
    taken_ns: dict[str, int]
    """Processor time by who took it, since the task's processors were last idle."""


class Piece(TypedDict):
    """A task as it was placed, or a piece of a split one."""

    name: str
    of: str
    piece: int
    pieces: int
    offset_ns: int
    """Earliest begin after the job's arrival."""
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    cluster: int
    processors: list[int]
    priority: int | None
    overflowed: bool


class Placed(TypedDict):
    """The placement of a scenario's tasks."""

    scheduler: str
    error: str | None
    """The reason why nothing can be placed."""
    only_analysis: str | None
    tasks: list[Piece]


class Programs(TypedDict):
    """Programs whose executions are tasks."""

    count: int
    """How many programs there are."""
    completed_ns: list[int | None]
    """By task: none without a program, or where it was not completed."""
    mean_ns: float | None
    """The mean; none if no program was completed."""
    deviation_ns: float | None
    """The standard deviation."""


class QuantaFindings(TypedDict):
    """Quanta of a scheduler in the kernel that decided by them."""

    missed: int
    """Quanta that were over before the kernel gave them to their tasks."""
    unused: int
    """
    Quanta, those in a row as one, that were given to a job whose thread the kernel never ran in them. If without as
    many as were missed these are more than one, and more than one decision in a hundred, the run fails its check.
    """
    longest_stop_ns: int
    """Longest time for which a job's thread went on after its quantum, however many quanta later it stopped, in ns."""
    other_choices: int
    """
    Quanta that either the kernel or the engine gave to a job, and the other one did not: with one of them, the run
    fails its check.
    """


class NativeFindings(TypedDict):
    """Decisions of a scheduler in the kernel that decided by itself."""

    inputs: int
    """What jobs did by the kernel's and the threads' records, from which the engine decided."""
    kicks: int
    """Kicks of processors so that another job may take them."""
    needless_kicks: int
    """Kicks after which the processor's job went on."""
    late_stops: int
    """
    Inputs of jobs that came after the engine would have stopped them, or after the quantum: they count just before
    that decision.
    """
    late_starts: int
    """
    Jobs that were ready just before a more urgent one, and that the kernel had not let execute by then; by quanta,
    inputs that the next decision did not see: they count just after it.
    """
    early_starts: int
    """Inputs of jobs that the kernel executed before the engine would have."""
    longest_move_ns: int
    """Longest time by which one of these inputs counts earlier or later than it came, in ns."""
    quanta: QuantaFindings | None
    """Numbers of the quanta; none if the kernel did not decide by quanta."""
    lost_records: int
    """Records that found no room: with one of them, the run cannot be checked."""
    sections: int
    """Critical sections on resources that tasks share, as their threads recorded them."""
    overlapping_sections: int
    """Sections that began before the one before on the same lock had ended."""
    overtaking_sections: int
    """Sections that began before another one on the same lock whose job had asked earlier."""
    sections_granted_otherwise: int
    """Sections that the engine granted in another order than that in which threads took the lock."""
    sections_compared: int
    """Outermost sections whose order was compared: their requests count when they were made."""
    outermost_sections: int
    """Outermost sections that began: all that could be compared."""
    broken_sections: int
    """Sections that were too long, and were not heeded any more."""
    slept_sections: int
    """Times that a job slept in the kernel in a section that was heeded: it counts as executing meanwhile."""
    late_requests: int
    """
    Requests, and inputs after a release of a lock, that came over 10 ms after the engine had stopped their jobs:
    these count as not preempted meanwhile.
    """
    never_begun: int
    """
    Jobs that a clustered scheduler did not begin although the engine would have let them execute for over 10 ms by
    the kernel's last record. 0 by quanta, where it is not asked.
    """
    longest_unbegun_ns: int
    """Longest time for which the engine would have let one of them execute, in ns."""
    waits: int
    """Number of times that a job was ready for over 1 ms before it executed. 0 by quanta, as are the next two."""
    overtaken_waits: int
    """
    Waits in which less urgent jobs executed for over 1 ms on the processor that the job got in the end, since it
    had been stopped there or since 2 ms after it was ready. Where jobs are not preempted: waits in which one of
    them began in the job's cluster after it had been ready for over 1 ms. A job whose section delays a preemption
    does not count, nor does one that is in the background.
    """
    longest_overtaking_ns: int
    """Longest time for which one of these jobs waited that way, in ns."""
    early_overruns: int
    """Jobs whose budgets the kernel took for used up before they had executed for so long."""


RecordedThread = TypedDict(
    'RecordedThread',
    {
        'task': str | None,
        'left_out': str | None,
        'pid': int,
        'name': str,
        'names': list[str],
        'class': Literal['deadline', 'real_time', 'ordinary', 'unknown'],
        'rt_priority': int | None,
        'nice': int | None,
        'kernel_priorities': list[int],
        'cpus': list[int],
        'switches_in': int,
        'runs_without_start': int,
        'run_ns': int | None,
        'wakeups_seen': bool,
        'releases': int,
        'startup_releases': int,
        'period_ns': int | None,
        'release_distance_median_ns': int | None,
        'least_distance_ns': int | None,
        'jitter_ns': int | None,
        'wakes_per_job': int,
        'jobs': int,
        'startup_jobs': int,
        'partial_jobs': int,
        'late_jobs': int,
        'cost_median_ns': int | None,
        'cost_max_ns': int | None,
        'response_max_ns': int | None,
        'latency_from_waking_max_ns': int | None,
        'latency_from_wakeup_max_ns': int | None,
        'preempted_by': dict[str, int],
        'waited_for': list[MutexWaits],
        'exited': bool,
        'period_stamps': int | None,
        'cost_median_stamps': int | None,
        'cost_max_stamps': int | None,
    },
)


class RecordingResult(TypedDict):
    """What a recording says."""

    stamps: Literal['time', 'unknown', 'counts']
    """Meaning of the stamps."""
    duration_ns: int | None
    """Length of the recording."""
    cpus: list[int]
    """The machine's numbers of the processors whose context switches are in the trace."""
    machine_cpus: int | None
    """Number of the machine's processors, if the file states it."""
    switches: int
    """Number of context switches."""
    wakeups: int
    """Number of events that wake a thread."""
    runs_without_start: int
    """Number of switches whose leaving thread is not the one that came last: those runs have no begin."""
    runs_without_end: int
    """Number of runs whose end is not in the trace: another thread leaves their processor."""
    lost_events: list[LostEvents]
    """Events that were lost."""
    bad_lines: int
    """Number of lines that cannot be read."""
    out_of_order: int
    """Number of events that were out of order on their own processor."""
    findings: list[str]
    """Sentences on the file and on what is not in it."""
    threads: list[RecordedThread]
    """All threads but the idle ones."""


class ResourceCost(TypedDict):
    """The cost of a shared resource."""

    resource: str
    """Name of the resource."""
    longest_ns: int
    """The longest section, in execution time, and the task that has it."""
    longest_of: str
    lengthens: list[LengthenedBound]
    """
    Tasks whose bounds the resource lengthens, the most lengthened first; those of unknown growth come last. Tasks
    without a bound in either case are not among them.
    """
    all_known: bool
    """True if the bounds of all tasks are known with and without the resource."""
    enough_ns: int | None
    """
    The length of the resource's sections at which all deadlines are proved, if longer ones are cut to it and the
    rest of their work is done after them. None if the deadlines are proved as it is, and if no length was found.
    """


class Explanation(TypedDict):
    """The parts of bounds, and how far costs may grow."""

    margin_percent: float | None
    """
    How much all costs may grow in percent, to a hundredth: negative if they must shrink, -100 if no smaller costs
    are proved. None where only some tests were asked, because a margin takes all tests. The search ends at 1500:
    the margin is then at least that.
    """
    margins_ns: list[int | None]
    """
    By task, how much its cost alone may grow, rounded down to a 65,536th of relative deadline - cost; None if the
    deadlines are not proved, and as the margin above.
    """
    resources: list[ResourceCost]
    """Costs of the resources that tasks share, the most important first; empty where the margin is None."""
    bounds: list[ExplainedBound]
    demands: list[Demand]


class ResponseTimes(TypedDict):
    """Response times of a task's complete jobs."""

    max: int
    mean: float
    p50: int
    p95: int
    p99: int


class RunJobs(TypedDict):
    """Jobs of a real run."""

    arrived: int
    completed: int
    missed: int


class ScenarioTask(TypedDict):
    """A task of the compared scenario."""

    index: int
    name: str
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    offset_ns: int
    utilization: float


class Server(TypedDict):
    """A server of RUN's reduction."""

    name: str
    rate: str
    clients: list[str]


class Share(TypedDict):
    """A share of a processor."""

    processor: int
    share: str


class SimulationRow(TypedDict):
    """One simulation of many. Without a schedule, `error` has the reason, and the metrics are None or empty."""

    scheduler: str
    error: str | None
    """
    Reason why the scheduler or the protocol cannot have the tasks, such as a task set that does not fit its
    partitions.
    """
    left_out: list[str]
    """
    What is left out, a line each: what was ignored of another tool's file, what the scheduler does not heed, and
    measured overheads that nothing charges.
    """
    rests_on: list[str]
    """Conditions besides the scenario's own numbers, such as a statistic of overheads that measured values exceed."""
    overheads_unknown: list[str]
    """Kinds of overheads without a value for the scheduler, which are not charged."""
    horizon_ns: int | None
    jobs: int | None
    misses: int | None
    aborts: int | None
    deadline_satisfaction_ratio: float | None
    accrued_utility_ratio: float | None
    preemptions: int | None
    migrations: int | None
    max_tardiness_ns: int | None
    overhead_ns: int | None
    wasted_ns: int | None
    load: float | None
    deadlocks: int | None
    violated: list[str]
    """Invariants that the schedule violates, of those that were checked."""
    overflowed: list[str]
    """Tasks that fit nowhere and were placed best-effort."""
    max_response_times_ns: list[int | None]
    """By task: the longest response time of its complete jobs; None if none is complete."""


class SingleChange(TypedDict):
    """A change that alone would help, in words."""

    kind: str
    what: str
    margin_percent: float | None
    """Margin after the change, in percent of all costs; None if none was computed."""


class SlackTerm(TypedDict):
    """Work of another task before a deadline, whose own jobs complete some time before their deadlines."""

    task: int
    name: str
    jobs: int
    cost_ns: int
    period_ns: int
    slack_ns: int
    """The slack of the task that was known before."""
    carried_ns: int
    """Work of the job that is carried in."""
    counted_ns: int
    """The part of all this work that counts: at most the room and a nanosecond."""


class FoundSlack(TypedDict):
    """The slack of a task in a round: the room that the others' work leaves before its deadlines."""

    cluster: int
    task: int
    name: str
    round: int
    """The number of the round, from 1."""
    within_ns: int
    room_ns: int
    """The relative deadline less the cost."""
    processors: int
    terms: list[SlackTerm]
    sum_ns: int
    delay_ns: int
    """The sum over the processors, rounded down."""
    slack_ns: int | None
    """None if the delay is above the room."""


class Standstill(TypedDict):
    """An interval in which no thread of the run executed."""

    from_ns: int
    to_ns: int


class Stolen(TypedDict):
    """Time that the host of a virtual machine took."""

    total_ns: int
    share: float
    by_processor_ns: dict[str, int]


class FromOutside(TypedDict):
    """Losses from outside the machine, and standstills of the run."""

    stolen: Stolen | None
    stood_still: list[Standstill]


class Strongest(TypedDict):
    """The strongest of several answers: a proof, else a refutation, else nothing."""

    answer: Literal['schedulable', 'unschedulable', 'unknown']
    """The name of an answer."""
    tests: list[str]
    """The tests that give the answer, each alone; if none does, those whose bounds on tasks give it together."""


class Conclusion(TypedDict):
    """The conclusion from all verdicts; None where no test speaks of it."""

    hard: Strongest | None
    """Are all deadlines met?"""
    soft: Strongest | None
    """Is tardiness bounded?"""


class SumTerm(TypedDict):
    """A fraction of a task in a sum."""

    task: int
    name: str
    cost_ns: int | None
    """The times whose quotient it is."""
    over_ns: int | None
    exact: str | None
    """The exact fraction, such as "3/4"; None if it has more than 60 digits."""
    value: float
    text: str
    """The value in percent."""


class ComparedSum(TypedDict):
    """A sum or product that a test compared with a bound."""

    cluster: int
    kind: Literal['utilizations', 'densities', 'successors']
    """What is added or multiplied."""
    terms: list[SumTerm]
    sum: float
    sum_text: str
    """The sum with as many digits as it takes to tell it from the bound."""
    bound: float
    bound_text: str
    bound_formula: str
    """The bound in letters, such as "n (2^(1/n) - 1), n = 3"."""
    holds: bool


class SummedBlocking(TypedDict):
    """The bound on a task's blocking."""

    cluster: int
    task: int
    name: str
    rule: Literal['longest', 'longest_of_each_task']
    """Which sections of those that may block count."""
    terms: list[BlockingTerm]
    total_ns: int


class SummedDelay(TypedDict):
    """The bound on the delay of a task's job by sections of others."""

    cluster: int
    task: int
    name: str
    terms: list[DelayTerm]
    total_ns: int | None
    """None if there is no bound."""


class Supertask(TypedDict):
    """A supertask that a Pfair scheduler knows; `doubt` says why its components' deadlines are not guaranteed."""

    name: str
    order: str
    scheduling: str
    weight: str
    components: list[str]
    doubt: str | None


class SweptDeadline(TypedDict):
    """An absolute deadline in a busy period, and when the work is done that is due by then."""

    due_ns: int
    turns: int
    """Number of turns in which the fixed point was found."""
    terms: list[JobsTerm]
    """In the order of `tasks`."""
    done_ns: int


class SweptTask(TypedDict):
    """A task of a processor whose absolute deadlines are swept."""

    task: int
    name: str
    cost_ns: int
    period_ns: int
    relative_deadline_ns: int
    jitter_ns: int
    bound_ns: int | None
    """None if the budget was spent."""
    due_ns: int | None
    """The absolute deadline of the slowest job, after the begin of the busy period; None if no other job delays it."""


class Tardiness(TypedDict):
    """Tardiness of a task's jobs."""

    max: int
    mean: float | None
    """None where no job is complete."""


class ComparedTask(TypedDict):
    """Metrics of a task, beside its proved bounds."""

    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""
    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None
    histogram: Histogram
    response_time_bound_ns: int | None
    tardiness_bound_ns: int | None


class ObservedTask(TypedDict):
    """Metrics of a task, with the distribution of its response times."""

    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""
    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None
    histogram: Histogram


class OfTask(TypedDict):
    """Metrics of the jobs of one task."""

    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""
    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None


class TaskMetricsDict(TypedDict):
    """Metrics of the jobs of one task, with those that only a table of metrics has."""

    index: int
    jobs: int
    completed: int
    unfinished: int
    misses: int
    preemptions: int
    migrations: int
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""
    response_time_ns: ResponseTimes | None
    tardiness_ns: Tardiness | None
    name: str
    suspensions: int
    retries: int
    """Attempts on lock-free objects that failed."""
    task_migrations: int


class MetricsDict(TypedDict):
    """`Metrics` as plain values."""

    jobs: int
    misses: int
    preemptions: int
    migrations: int
    retries: int
    """Attempts on lock-free objects that failed."""
    max_tardiness_ns: int
    overhead_ns: int
    wasted_ns: int
    load: float
    """The share of processor time that was busy."""
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""
    scheduler: str
    horizon_ns: int
    wasted_by_processor_ns: list[int]
    deadlocks: list[Deadlock]
    tasks: list[TaskMetricsDict]


class Measured(TypedDict):
    """The result of a simulation without a trace: metrics, and the checks of invariants."""

    metrics: MetricsDict
    """Metrics of jobs and processors."""
    checks: list[CheckedDict]
    """Results of checks; empty if invariants were not checked."""


class TaskRow(TypedDict):
    """A row of a task set. A terminal shows the columns that come first."""

    index: int
    name: str
    wcet_ns: int
    period_ns: int
    relative_deadline_ns: int
    utilization: float
    offset_ns: int
    jitter_ns: int
    suspension_ns: int
    working_set_bytes: int
    fixed_priority: int | None
    priority_point_ns: int | None
    utility: str | None
    """A time/utility function as in a scenario file, such as `{ linear = 10, last = 2 }`."""
    abort_handler: str | None
    """An abort handler as in a scenario file, such as `{ cost = "1 ms", utility = 2 }`."""
    processor: int | None
    cluster: int | None


class TaskShares(TypedDict):
    """The shares of processors on which a task executes within its affinity."""

    name: str
    shares: list[Share]


class Feasibility(TypedDict):
    """Feasibility by any scheduler: `levels` by RUN's reduction, `tasks` within affinities."""

    feasible: bool
    levels: NotRequired[list[list[Server]]]
    preemptions_per_job: NotRequired[int]
    processors: NotRequired[list[int]]
    reason: NotRequired[str]
    reductions: NotRequired[int]
    tasks: NotRequired[list[TaskShares | str]]


class Totals(TypedDict):
    """Sums over all tasks and processors."""

    jobs: int
    misses: int
    preemptions: int
    migrations: int
    retries: int
    """Attempts on lock-free objects that failed."""
    max_tardiness_ns: int
    overhead_ns: int
    wasted_ns: int
    load: float
    """The share of processor time that was busy."""
    aborts: int
    """Jobs that were given up."""
    deadline_satisfaction_ratio: float | None
    """Jobs in time over those that were in time or missed (DSR); None without any."""
    accrued_utility: float | None
    """Accrued utility of completions; None where neither a task nor the scheduler has utilities."""
    accrued_utility_ratio: float | None
    """Accrued utility over the utility that the jobs would have had at their arrivals (AUR)."""


class ComparedSchedule(TypedDict):
    """Metrics of a simulation, beside proved bounds."""

    tasks: list[ComparedTask]
    totals: Totals
    invariants: list[CheckedDict]
    schedule: Drawing


class Observed(TypedDict):
    """Metrics of the tasks of a schedule."""

    tasks: list[ObservedTask]
    totals: Totals


class UnexplainedMiss(TypedDict):
    """A missed deadline without an explanation."""

    job: str
    tardiness_ns: int
    lost_ns: int


class Misses(TypedDict):
    """Missed deadlines, by reason."""

    of_schedule: int
    of_lost_time: int
    of_shifted_decisions: int
    lost_mostly_to: dict[str, int]
    shifted_mostly_by: dict[str, int]
    unexplained: list[UnexplainedMiss]
    words: str


class UnknownCosts(TypedDict):
    """
    Objects whose operations have unknown costs under some schemes. Under each of these schemes, an operation counts as
    long as its section.
    """

    objects: list[str]
    """Names of the objects."""
    kind: str | None
    """Kind of the objects; None where the scenario states none, so that no cost can be known."""
    schemes: list[str]
    """The schemes with unknown costs; protocols where the scenario states no kind."""


class Utilization(TypedDict):
    """Total utilization of the tasks that are present together."""

    exact: str
    """The utilization as a fraction."""
    value: float
    """The utilization, rounded."""


class ComparedScenario(TypedDict):
    """The compared scenario."""

    title: str
    schedlab_version: str
    scenario: str
    """Canonical TOML that every number depends on."""
    overheads: str
    """The name of the overheads, "none" if none."""
    overheads_source: str
    """Source of the overheads: where they were measured or published, and how noisy the machine was then."""
    overheads_statistic: str
    """The statistic of the overheads that is charged: max, mean, p50 to p99_9."""
    processors: int
    utilization: Utilization
    seed: int | str
    """A seed: text from 2^63 on, where integers of many readers end."""
    horizon_ns: int
    """Length of each simulation."""
    tasks: list[ScenarioTask]


class VisitedDemand(TypedDict):
    """The demand at a deadline that was visited."""

    within_ns: int
    terms: list[JobsTerm]
    """In the order of `tasks`; empty if the test adds jobs one by one."""
    blocking_ns: int
    demand_ns: int


class ExaminedDemand(TypedDict):
    """The demand of a processor at the deadlines that a test visited."""

    cluster: int
    tasks: list[DemandingTask]
    limit_ns: int
    """The length, exclusive, up to which demand has to be examined."""
    limit_from_slack_ns: int | None
    """L_a of Zhang and Burns, rounded up; None if there is none."""
    busy_period_ns: int | None
    """L_b, the longest busy period; None if L_a is shorter, or the budget was spent."""
    visited: list[VisitedDemand]
    left_out: int
    """Number of deadlines that are left out before the last."""
    result: Literal['fits', 'exceeds', 'spent']
    """Result of an examination of demand."""


class Way(TypedDict):
    """A way to schedule a scenario. What is None is as in the scenario, or not needed."""

    scheduler: str
    placement: str | None
    priorities: str | None
    protocol: str
    schemes: dict[str, str] | None
    """Other schemes of objects: one for each object that tasks request."""
    changes: int
    """Number of choices among these that differ from the scenario."""
    schedulable: bool
    margin_percent: float
    """
    How much all costs may grow in percent, to a hundredth: 0 or more if proved, negative if costs must shrink,
    -100 if no smaller costs are proved. The search ends at 1500: the margin is then at least that.
    """
    margin_at_best_percent: float
    """The margin with the smallest overheads that were measured of the same code; else equal to `margin_percent`."""
    rank: int
    """Rank from 1 on; ways whose margins differ by less than their uncertainty share one."""
    unheeded: list[str]
    """
    Statements of the scenario that the way's scheduler does not heed: "places", "throttling". Such ways are ranked
    behind those that heed everything.
    """
    left_out: list[str]
    """
    What is left out, a line each: what was ignored of another tool's file, what the scheduler does not heed, and
    measured overheads that nothing charges.
    """
    rests_on: list[str]
    """Conditions besides the scenario's own numbers, such as a statistic of overheads that measured values exceed."""
    overheads_unknown: list[str]
    """Kinds of overheads without a value for the scheduler, which are not charged."""
    test: str | None
    """The test that decides, if one does."""
    reason: str
    missed: int | None
    """Jobs that were late in a simulation until the horizon, where no test knows the scheduler; else None."""
    in_a_real_run: str | None
    """Under Pfair, advice for real runs if weights leave no time to lose; else None."""


class Advice(TypedDict):
    """The result of `advise` for a scenario."""

    as_it_is: bool
    """True if all deadlines of the scenario as it is are proved."""
    single_changes: list[SingleChange]
    """
    Changes each of which alone would prove the scenario's own way, the best of a kind first; empty if none is
    needed.
    """
    mixes: Mixes | None
    """The search for mixes of schemes; None where tasks request fewer than two objects."""
    unknown_costs: list[UnknownCosts]
    """Objects without stated costs of operations: the overheads lack them, so that operations count as their sections."""
    ways: list[Way]
    """All ways to schedule the scenario, the best first."""


class WhyInterval(TypedDict):
    """Reason why a job did not go on in an interval, or that it did."""

    cause: str
    start_ns: int
    end_ns: int
    behind: NotRequired[list[str]]
    jobs: NotRequired[list[str]]
    kind: NotRequired[str]
    resource: NotRequired[str]
    resources: NotRequired[list[str]]


class WhyPart(TypedDict):
    """A cause with its total length."""

    cause: str
    length_ns: int
    behind: NotRequired[list[str]]
    jobs: NotRequired[list[str]]
    kind: NotRequired[str]
    resource: NotRequired[str]
    resources: NotRequired[list[str]]


class WhyParts(TypedDict):
    """A job's response time as parts that sum to it exactly."""

    job: str
    arrival_ns: int
    absolute_deadline_ns: int | None
    """Absolute deadline; None for a job that has none, such as a server's."""
    end_ns: int
    handler_ns: int | None
    """Begin of the job's abort handler."""
    ending: Literal['completed', 'aborted', 'unfinished']
    response_time_ns: int
    accrued_utility: float | None
    """Utility of the job's end; None where neither a task nor the scheduler has utilities, or the job has not ended."""
    largest_utility: float | None
    """Utility that a completion at the job's arrival would have had."""
    intervals: list[WhyInterval]
    parts: list[WhyPart]


class WindowIterate(TypedDict):
    """A turn of an iteration: the jobs in a window, and the window that they make."""

    window_ns: int
    terms: list[JobsTerm]
    """In the order of `before`."""
    next_ns: int


class BusyWindow(TypedDict):
    """The fixed point of the window of the first `own_jobs` jobs, or of the time until the last of them begins."""

    own_jobs: int
    own_ns: int
    """Blocking, and the work of the own jobs; until the begin of a job, without its cost."""
    iterates: list[WindowIterate]
    left_out: int
    """Number of turns that are left out before the last."""
    response_ns: int | None
    """The bound on the response time of the window's last own job; None if no fixed point was found."""


class IteratedResponse(TypedDict):
    """The bound on a task's response time, window by window."""

    cluster: int
    task: int
    name: str
    window: Literal['until_completion', 'until_begin', 'suspension_as_jitter', 'suspension_by_rule']
    """Meaning of a window that is a fixed point."""
    cost_ns: int
    blocking_ns: int
    period_ns: int
    jitter_ns: int
    relative_deadline_ns: int
    before: list[EarlierTask]
    busy: list[WindowIterate]
    """Turns that find the busy period, in which the own jobs come last; empty if the test needs none."""
    busy_left_out: int
    """Number of turns of the busy period that are left out before the last."""
    windows: list[BusyWindow]
    left_out: int
    """Number of windows that are left out before the last."""
    bound_ns: int | None
    """The bound; None if none was found."""
    from_arrival_ns: int | None
    """The bound from the arrival, which may be earlier than the release; None if none was found."""


class SweptResponses(TypedDict):
    """The bounds on the response times of all tasks of a processor, by the absolute deadlines of a busy period."""

    cluster: int
    tasks: list[SweptTask]
    busy: list[WindowIterate]
    """Turns that find the busy period."""
    busy_left_out: int
    """Number of turns of the busy period that are left out before the last."""
    visited: list[SweptDeadline]
    left_out: int
    """Number of deadlines that are left out before the last."""


class Witness(TypedDict):
    """Agreement of the kernel's context switches with the decisions."""

    lost: int
    never_ran: int
    on_two_processors: int
    untrue: int
    clipped_ns: int | None
    holds: bool
    invariants_hold: bool | None
    starts: Distribution | None
    stops: Distribution | None


class Account(TypedDict):
    """Account of a real run with its text and the judgements."""

    witness: Witness | None
    lost_time: LostTime | None
    from_outside: FromOutside
    misses: Misses | None
    longest_responses: list[LongestResponse | None] | None
    invariants_hold: bool | None
    holders_preempted_in_overlong_sections: int | None
    judgements: list[CheckedDict]
    text: str


class Accounted(TypedDict):
    """Account of a real run. Fields that are None need the kernel's context switches."""

    witness: Witness | None
    lost_time: LostTime | None
    from_outside: FromOutside
    misses: Misses | None
    longest_responses: list[LongestResponse | None] | None
    invariants_hold: bool | None
    holders_preempted_in_overlong_sections: int | None


class Findings(TypedDict):
    """What a real run found."""

    witness: Witness | None
    lost_time: LostTime | None
    from_outside: FromOutside
    misses: Misses | None
    longest_responses: list[LongestResponse | None] | None
    invariants_hold: bool | None
    holders_preempted_in_overlong_sections: int | None
    holds: bool
    ending: Literal['horizon', 'programs_completed', 'stopped', 'crashed', 'starved'] | Literal['stood_still'] | Literal['ejected']
    """How a run ended."""
    whole: bool
    """It reached its horizon, or its programs had nothing left to do."""
    crashed: str | None
    """The task whose code crashed, if the run ended by that."""
    end_ns: int
    jobs: RunJobs
    release_latency: Distribution | None
    decided_by: Literal['schedlab', 'kernel']
    """Who decided."""
    backend: str
    """The backend of the run: threads, scx, scx-native or class."""
    declined: str | None
    """The reason why the backend is not scx, which the user would have preferred."""
    kernel_scheduler: KernelSchedulerFindings | None
    native: NativeFindings | None
    """Where that scheduler decided by itself: its decisions in numbers."""
    replay_is_exact: bool | None
    overruns: int
    tracer_lost: int
    background_ns: list[int | None]
    warning: str | None
    overflowed: list[str]
    """Tasks that fit nowhere and are placed best-effort."""
    programs: Programs | None
    events: list[EventFindings]
    """The event-driven tasks, whose jobs the program's threads released."""
    runaways: list[str]
    kept_waiting: list[str]
    escaped: list[str]
    """Tasks whose threads left the scheduler in the kernel for a real-time class, and were put back."""
    strayed: list[str]
    """
    Tasks whose threads took other processors than the scheduler in the kernel gives them: from then on the threads
    are no tasks' any more.
    """


class WorkTerm(TypedDict):
    """Work of another task before a deadline."""

    task: int
    name: str
    jobs: int
    cost_ns: int
    carried_ns: int
    """Work of the job that is carried in."""
    work_ns: int
    counted_ns: int
    """The part that counts: at most the cap."""


class ComparedWork(TypedDict):
    """Work of others before a job's deadline, compared with the room that processors have for it."""

    cluster: int
    task: int
    name: str
    within_ns: int
    cap_ns: int
    processors: int
    terms: list[WorkTerm]
    sum_ns: int
    room_ns: int
    may_be_equal: bool
    """True if the sum may be equal to the room, because some task's work is not cut to the cap."""
    holds: bool


class TestSteps(TypedDict):
    """The computation of a test, as the test itself did it."""

    sums: list[ComparedSum]
    loads: list[ComparedLoad]
    works: list[ComparedWork]
    slacks: list[FoundSlack]
    blocking: list[SummedBlocking]
    delays: list[SummedDelay]
    responses: list[IteratedResponse]
    sweeps: list[SweptResponses]
    demands: list[ExaminedDemand]
    ended_with: list[EndedWith]
    """The tasks with which the test ended because they fail."""
    changed: list[ChangedTime]
    """The times of tasks that the test does not take from the scenario as they are."""
    release_delay_ns: int
    """The longest time from an arrival to its release at a tick; 0 where releases are at timers."""
    is_from_release: bool
    """True if T and D, and R, count from releases at ticks, not from arrivals."""
    is_cut: bool
    """True if there were more steps than are recorded; those of one task may be fewer."""


class VerdictDict(TypedDict):
    """A `Verdict` as plain values."""

    test: str
    source: str
    kind: Literal['hard', 'soft']
    """The name of a guarantee."""
    answer: Literal['schedulable', 'unschedulable', 'unknown']
    """The name of an answer."""
    reason: str
    assumptions: list[str]
    response_time_bounds_ns: list[int | None] | None
    tardiness_bounds_ns: list[int | None] | None
    steps: TestSteps | None
    """The test's computation; None unless it was asked for and the test hands it out."""


class AnalysisOfScheduler(TypedDict):
    """An `Analysis` as plain values."""

    scheduler: str
    error: str | None
    left_out: list[str]
    """
    What is left out, a line each: what was ignored of another tool's file, what the scheduler does not heed, and
    measured overheads that nothing charges.
    """
    rests_on: list[str]
    """Conditions besides the scenario's own numbers, such as a statistic of overheads that measured values exceed."""
    overheads_unknown: list[str]
    """Kinds of overheads without a value for the scheduler, which are not charged."""
    placement: list[int] | None
    overflowed: list[str]
    """Tasks that fit nowhere and are placed best-effort: the verdicts are about that placement."""
    verdicts: list[VerdictDict]
    blocking: Blocking | None
    more_blocking: list[Blocking]
    evidence: list[LateJob]
    explanation: Explanation | None


Result: TypeAlias = AnalysisOfScheduler | Conclusion | Advice | LinuxAdvice | Placed | DeployedProof | Feasibility | LeastServers | Supertask | ExploredJobs | TaskRow | CheckedDict | Accounted | Account | Lost | Findings | Doctor | RecordingResult | Totals | OfTask | MetricsDict | Measured | SimulationRow | WhyParts | Difference | Drawing | MemoryUse | BusSeen | ComparedScenario | ComparedSchedule | Observed | OverBound | BesideCharged
"""Any result that the core hands over."""
