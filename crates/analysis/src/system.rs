//! Input of analysis: the tasks of one cluster and the rule that schedules them.

use crate::piece::Piece;
use crate::reason::Reason;
use crate::sentences::Ns;
use crate::system_error::{SystemError, LONGEST};
use schedlab_model::{CpuId, Duration, Instant, Point, Step, Suspension, Task, TaskId, Theorem};

/// Order of jobs, as far as analysis knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalysedOrder {
    /// The earlier absolute deadline goes first.
    Edf,
    /// The smaller rank of the task goes first; of equal ranks, the smaller task id.
    FixedPriority,
    /// The smaller rank of the task goes first; of equal ranks, any job may.
    FixedPriorityOpenTies,
    /// The earlier priority point goes first, which is a constant of the task after the arrival.
    AfterArrival,
    /// Subtasks are scheduled quantum by quantum, by their windows.
    Pfair(Quanta),
    /// No order: a theorem speaks of the scheduler as a whole.
    Theorem(Theorem),
    /// Any other order, for which nothing is proved.
    Unanalysed,
}

/// Parameters on which a Pfair scheduler's guarantees depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quanta {
    /// The length of a quantum.
    pub length: Duration,
    /// True if processor k's quanta begin floor(k Q / m) later than processor 0's.
    pub staggered: bool,
    /// True if weights are chosen such that no job is late, not by rounding alone.
    pub guaranteed: bool,
    /// True if the order is optimal on any number of processors; else it is on at most two.
    pub breaks_ties: bool,
}

/// Separation of successive arrivals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// Exactly one period apart, from the task's offset on.
    #[default]
    Periodic,
    /// Arrivals are at least one period apart.
    Sporadic,
    /// Arrivals are at least one period apart, those of some task at listed times, the last of which comes. Tests that
    /// take them for sporadic arrivals may refute what the list does not show.
    Listed,
}

/// Properties of a scheduler that analysis reads.
#[derive(Clone, Copy, Debug)]
pub struct AnalysedScheduler<'a> {
    /// Order of jobs.
    pub order: AnalysedOrder,
    /// True if a running job yields to one that is higher in the order.
    pub preemptive: bool,
    /// The rank of each task of the scenario, smaller is more urgent; read under fixed priorities, and where heavy
    /// tasks go first: 0 for these, 1 for others.
    pub ranks: &'a [u32],
    /// Priority point of each task's jobs, after the arrival; read under [`AnalysedOrder::AfterArrival`] only.
    pub points: &'a [Point],
    /// Separation of successive arrivals.
    pub arrivals: Arrivals,
}

impl AnalysedScheduler<'static> {
    /// Preemptive EDF of periodic tasks.
    pub const EDF: AnalysedScheduler<'static> = AnalysedScheduler {
        order: AnalysedOrder::Edf,
        preemptive: true,
        ranks: &[],
        points: &[],
        arrivals: Arrivals::Periodic,
    };
}

/// One task, reduced to the parameters that tests read. Times in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SporadicTask {
    /// Id of the task.
    pub id: TaskId,
    /// Bound on the cost of a job (C).
    pub cost: u64,
    /// Least cost of a job; 0 if that is not known.
    pub least_cost: u64,
    /// Arrival of the first job.
    pub offset: u64,
    /// Least distance of two arrivals (T).
    pub period: u64,
    /// From arrival to absolute deadline (D).
    pub relative_deadline: u64,
    /// Longest time from arrival to release (J).
    pub jitter: u64,
    /// Longest self-suspension of a job in all (S).
    pub suspension: u64,
    /// Fixed priority, smaller is more urgent; 0 for a heavy task where these go first, 1 for another one.
    pub rank: u32,
    /// Time from arrival to the priority point, under [`AnalysedOrder::AfterArrival`].
    pub priority_point: Point,
    /// Every arrival is at a quantum boundary, under Pfair.
    pub on_boundaries: bool,
    /// Time from which on the task arrives.
    pub join: Instant,
    /// Time from which on the task no longer arrives; [`Instant::NEVER`] if it stays.
    pub leave: Instant,
}

impl SporadicTask {
    /// The cost with self-suspension counted as execution.
    pub fn oblivious_cost(&self) -> u64 {
        self.cost + self.suspension
    }

    /// The cost with self-suspension and jitter counted as execution: a job that is not yet released is
    /// a job that suspends itself before it begins.
    pub fn pending_cost(&self) -> u64 {
        self.cost + self.suspension + self.jitter
    }
}

/// The tasks of one cluster and how they are scheduled.
#[derive(Clone, Debug)]
pub struct System {
    /// The tasks.
    pub tasks: Vec<SporadicTask>,
    /// Number of processors of the cluster.
    pub processors: u32,
    /// Order of jobs.
    pub order: AnalysedOrder,
    /// True if a running job yields to one that is higher in the order.
    pub preemptive: bool,
    /// Separation of successive arrivals.
    pub arrivals: Arrivals,
    /// Pieces of all tasks, where a theorem speaks of pieces; else empty.
    pub(crate) pieces: Vec<(CpuId, Piece)>,
    /// Part of each jitter that is due to releases being noticed at ticks, in ns.
    release_delay: u64,
    synchronous: bool,
    all_stay: bool,
    needs_blocking: bool,
}

impl System {
    /// The longest parameter that is analysed: a year of 365 days, the longest time that a file may state.
    pub const LONGEST: Duration = LONGEST;

    /// The tasks `ids` of `tasks` on a cluster of `processors`, without tasks that leave before they arrive.
    /// `release_delay` is added to every jitter: the time by which an arrival may be noticed later than by a timer.
    pub fn new(
        tasks: &[Task],
        ids: impl IntoIterator<Item = TaskId>,
        processors: u32,
        scheduler: &AnalysedScheduler<'_>,
        release_delay: Duration,
    ) -> Result<System, SystemError> {
        let mut system = System::empty();
        system.refill(tasks, ids, processors, scheduler, release_delay)?;
        Ok(system)
    }

    /// A system without tasks, to be filled.
    pub fn empty() -> System {
        System {
            tasks: Vec::new(),
            processors: 0,
            order: AnalysedOrder::Edf,
            preemptive: true,
            arrivals: Arrivals::Periodic,
            pieces: Vec::new(),
            release_delay: 0,
            synchronous: true,
            all_stay: true,
            needs_blocking: false,
        }
    }

    /// Fills this system as [`System::new`] does, and reuses its memory.
    pub fn refill(
        &mut self,
        tasks: &[Task],
        ids: impl IntoIterator<Item = TaskId>,
        processors: u32,
        scheduler: &AnalysedScheduler<'_>,
        release_delay: Duration,
    ) -> Result<(), SystemError> {
        let mut reduced = std::mem::take(&mut self.tasks);
        reduced.clear();
        *self = System {
            tasks: reduced,
            processors,
            order: scheduler.order,
            preemptive: scheduler.preemptive,
            arrivals: scheduler.arrivals,
            ..System::empty()
        };
        let mut first = None;
        for id in ids {
            let task = &tasks[id.index()];
            let reduced = reduce(id, task, scheduler, release_delay)?;
            if !task.arrives() {
                continue;
            }
            let start = task.offset.max(task.join);
            self.tasks.push(reduced);
            if scheduler.order == AnalysedOrder::Theorem(Theorem::KeepsPieces) {
                self.pieces.extend(
                    task.pieces.iter().map(|piece| (piece.cpu, Piece::of(id, reduced.period, piece))),
                );
            }
            self.synchronous &= *first.get_or_insert(start) == start;
            self.all_stay &= task.leave == Instant::NEVER;
            self.needs_blocking |= needs_blocking(task);
        }
        // Fits, or `reduce` would have refused; without tasks it does not matter.
        self.release_delay = if self.tasks.is_empty() { 0 } else { release_delay.as_ns() };
        Ok(())
    }

    /// A system with all of `tasks` on one cluster.
    pub fn global(
        tasks: &[Task],
        processors: u32,
        scheduler: &AnalysedScheduler<'_>,
    ) -> Result<System, SystemError> {
        let ids = (0..tasks.len() as u32).map(TaskId);
        System::new(tasks, ids, processors, scheduler, Duration::ZERO)
    }

    /// Returns the reason why the worst case of sporadic arrivals might not occur among the runs of this system, so
    /// that failing an exact test does not prove a miss.
    pub fn worst_case_doubt(&self) -> Option<Reason> {
        if self.needs_blocking || self.has_suspension() {
            return Some(Reason::OverApproximated);
        }
        if !self.all_stay {
            return Some(Reason::MayLeaveBefore);
        }
        if self.release_delay > 0 {
            return Some(Reason::TicksMayPrevent);
        }
        if self.arrivals != Arrivals::Periodic {
            return None;
        }
        if !self.synchronous {
            return Some(Reason::OffsetsMayPrevent);
        }
        if self.has_jitter() {
            return Some(Reason::PeriodsMayPreventJitter);
        }
        None
    }

    /// The response time of a job that no other delays, if its cost, jitter and self-suspension are the longest.
    pub fn response_time_alone(&self, task: &SporadicTask) -> u64 {
        task.pending_cost() - self.release_delay
    }

    /// Returns the part of each jitter that is due to releases being noticed at ticks, in ns.
    pub fn release_delay(&self) -> u64 {
        self.release_delay
    }

    /// The quanta, under a Pfair scheduler.
    pub fn quanta(&self) -> Option<Quanta> {
        let AnalysedOrder::Pfair(quanta) = self.order else { return None };
        Some(quanta)
    }

    /// The theorem that speaks of the scheduler, if there is one.
    pub fn theorem(&self) -> Option<Theorem> {
        let AnalysedOrder::Theorem(theorem) = self.order else { return None };
        Some(theorem)
    }

    /// True if all tasks arrive forever.
    pub fn all_stay(&self) -> bool {
        self.all_stay
    }

    /// True if the arrivals of no task end.
    pub fn goes_on(&self) -> bool {
        self.all_stay && self.arrivals != Arrivals::Listed
    }

    /// True if some job requests a resource or has a non-preemptive section: then tests without a
    /// blocking term prove nothing.
    pub fn needs_blocking(&self) -> bool {
        self.needs_blocking
    }

    /// True if a job may be released later than it arrives.
    pub fn has_jitter(&self) -> bool {
        self.tasks.iter().any(|task| task.jitter > 0)
    }

    /// True if a job may suspend itself.
    pub fn has_suspension(&self) -> bool {
        self.tasks.iter().any(|task| task.suspension > 0)
    }

    /// True if each relative deadline is its task's period.
    pub fn has_implicit_deadlines(&self) -> bool {
        self.tasks.iter().all(|task| task.relative_deadline == task.period)
    }

    /// True if no relative deadline is beyond its task's period.
    pub fn has_constrained_deadlines(&self) -> bool {
        self.tasks.iter().all(|task| task.relative_deadline <= task.period)
    }

    /// Utilizations, self-suspension and jitter counted as execution.
    pub fn pending_utilizations(&self) -> Vec<(u64, u64)> {
        self.tasks.iter().map(|task| (task.pending_cost(), task.period)).collect()
    }

    /// The tasks' places in `tasks`, by falling priority under fixed priorities.
    pub fn by_priority(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.tasks.len()).collect();
        places.sort_by_key(|&task| (self.tasks[task].rank, self.tasks[task].id));
        places
    }

    /// True under preemptive fixed priorities on one processor.
    pub fn is_preemptive_fp_uniprocessor(&self) -> bool {
        self.processors == 1 && self.preemptive && self.order == AnalysedOrder::FixedPriority
    }

    /// True under preemptive fixed priorities on one processor, where of equal ones any may go first.
    pub fn is_open_tied_fp_uniprocessor(&self) -> bool {
        self.processors == 1 && self.preemptive && self.order == AnalysedOrder::FixedPriorityOpenTies
    }

    /// True under preemptive EDF on one processor.
    pub fn is_preemptive_edf_uniprocessor(&self) -> bool {
        self.processors == 1 && self.is_preemptive_edf()
    }

    /// True under preemptive EDF on more than one processor.
    pub fn is_preemptive_edf_multiprocessor(&self) -> bool {
        self.processors > 1 && self.is_preemptive_edf()
    }

    /// True under preemptive fixed priorities on more than one processor.
    pub fn is_preemptive_fp_multiprocessor(&self) -> bool {
        self.processors > 1 && self.preemptive && self.order == AnalysedOrder::FixedPriority
    }

    /// True under preemptive EDF.
    pub fn is_preemptive_edf(&self) -> bool {
        self.preemptive && self.order == AnalysedOrder::Edf
    }
}

#[inline]
fn reduce(
    id: TaskId,
    task: &Task,
    scheduler: &AnalysedScheduler<'_>,
    release_delay: Duration,
) -> Result<SporadicTask, SystemError> {
    let (mut rank, mut priority_point) = (0, Point::whole(0));
    match scheduler.order {
        AnalysedOrder::FixedPriority
        | AnalysedOrder::FixedPriorityOpenTies
        | AnalysedOrder::Theorem(Theorem::HeavyTasksFirst(_) | Theorem::LargestTasksFirst(_)) => {
            rank = *scheduler.ranks.get(id.index()).ok_or(SystemError::NoRank(id))?;
        }
        AnalysedOrder::AfterArrival => {
            priority_point = *scheduler.points.get(id.index()).ok_or(SystemError::NoPoint(id))?;
        }
        AnalysedOrder::Edf
        | AnalysedOrder::Pfair(_)
        | AnalysedOrder::Theorem(_)
        | AnalysedOrder::Unanalysed => {}
    }
    let (period, relative_deadline) = (task.period.as_ns(), task.relative_deadline.as_ns());
    for (field, length) in [("period", period), ("relative_deadline", relative_deadline)] {
        if length == 0 {
            return Err(SystemError::ZeroLength { task: id, field });
        }
    }
    // A sum that is capped is too long as well.
    let jitter = task.jitter.as_ns().saturating_add(release_delay.as_ns());
    let suspension = suspension_bound(task);
    let lengths = [
        ("wcet", task.wcet.as_ns()),
        ("period", period),
        ("relative_deadline", relative_deadline),
        ("jitter", jitter),
        ("suspension", suspension),
        ("priority_point", priority_point.after / u64::from(priority_point.parts.max(1))),
    ];
    let too_long = |&&(_, length): &&(_, u64)| length > System::LONGEST.as_ns();
    if let Some(&(field, length)) = lengths.iter().find(too_long) {
        return Err(SystemError::TooLong { task: id, field, length: Ns(length) });
    }
    Ok(SporadicTask {
        id,
        cost: task.wcet.as_ns(),
        least_cost: task.bcet.min(task.wcet).as_ns(),
        offset: task.offset.max(task.join).as_ns(),
        period,
        relative_deadline,
        jitter,
        suspension,
        rank,
        priority_point,
        on_boundaries: arrives_on_boundaries(task, scheduler),
        join: task.join,
        leave: task.leave,
    })
}

#[inline]
fn arrives_on_boundaries(task: &Task, scheduler: &AnalysedScheduler<'_>) -> bool {
    let AnalysedOrder::Pfair(quanta) = scheduler.order else { return false };
    let is_boundary = |ns: u64| ns.checked_rem(quanta.length.as_ns()) == Some(0);
    scheduler.arrivals == Arrivals::Periodic
        && [task.offset.as_ns(), task.join.as_ns(), task.period.as_ns()].into_iter().all(is_boundary)
}

/// Returns the longest total self-suspension of a job, wherever the task states it; capped where it cannot be
/// represented.
#[inline]
fn suspension_bound(task: &Task) -> u64 {
    let dynamic = match task.suspension {
        Suspension::Dynamic(bound) => bound.as_ns(),
        Suspension::None | Suspension::Segmented => 0,
    };
    let length = |step: &Step| match step {
        Step::Suspend(length) => length.as_ns(),
        Step::Execute(_)
        | Step::Request(..)
        | Step::Release(..)
        | Step::Serve(_)
        | Step::NpEnter
        | Step::NpExit => 0,
    };
    task.program.iter().map(length).fold(dynamic, u64::saturating_add)
}

/// Returns whether a job of the task may block others.
#[inline]
fn needs_blocking(task: &Task) -> bool {
    task.program.iter().any(|step| matches!(step, Step::Request(..) | Step::NpEnter))
}
