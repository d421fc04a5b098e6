//! Theorems about whole schedulers, for those whose decisions follow no order of jobs.

use crate::largest_first::LargestFirst;
use crate::task::Task;

/// What a scheduler guarantees of all systems, whatever it does at one time. A test for the theorem says where it is
/// proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theorem {
    /// No job is late of tasks that arrive together at time zero and then periodically, with deadlines equal to their
    /// periods, where utilizations add up to at most the number of processors and none is above 1. The scheduler
    /// refuses other tasks. Processors may idle while jobs are ready.
    OptimalForPeriodic,
    /// Where preemptive global EDF meets all deadlines whatever jobs cost up to their WCETs, the schedule is that of
    /// EDF, ties by job id. No processor idles while a job is ready.
    MeetsWhatEdfMeets,
    /// On one processor, no job is late where preemptive EDF meets all deadlines whatever jobs cost up to their WCETs.
    /// On several, nothing is proved. Jobs may be preempted at other times than arrivals. No processor idles while a
    /// job is ready.
    OptimalOnOneProcessor,
    /// No job is late of tasks that arrive together at time zero and then periodically, with deadlines equal to their
    /// periods, that EKG assigns to processors in groups of so many. The scheduler refuses other tasks. Processors may
    /// idle while jobs are ready.
    SplitsWithinGroups(u16),
    /// No job is late of sporadic tasks with deadlines equal to their periods if the reserves of their notional
    /// processors fit into slots, of which the shortest period has so many. The scheduler refuses other tasks.
    /// Processors may idle while jobs are ready.
    ReservesInSlots(u16),
    /// No job is late of tasks with deadlines equal to their periods for which QPS has a plan: sporadic ones, or
    /// periodic ones alone, where utilizations add up to at most the number of processors. The scheduler refuses other
    /// tasks. Processors may idle while jobs are ready.
    QuasiPartitions,
    /// Heavy tasks go before all others, which have an order of their own; ties by job id. No processor idles while a
    /// job is ready.
    HeavyTasksFirst(HeavyFirst),
    /// The tasks of the largest utilizations go before all others, which go by absolute deadline; ties by job id. No
    /// processor idles while a job is ready.
    LargestTasksFirst(LargestFirst),
    /// Each piece of a task is executed on its processor: there the earliest deadline of a piece goes first. Processors
    /// may idle while jobs are ready.
    KeepsPieces,
}

impl Theorem {
    /// True if the scheduler takes only tasks that arrive together at time zero and then periodically.
    pub const fn is_for_periodic(self) -> bool {
        matches!(self, Theorem::OptimalForPeriodic | Theorem::SplitsWithinGroups(_))
    }

    /// True if the scheduler takes only tasks with deadlines equal to their periods whose jobs do nothing but execute.
    pub const fn is_for_implicit_deadlines(self) -> bool {
        self.is_for_periodic() || matches!(self, Theorem::ReservesInSlots(_) | Theorem::QuasiPartitions)
    }

    /// True if longer costs make up for time that overheads take. Other schedulers count on it in what they plan, or
    /// preempt jobs more often than others arrive.
    pub const fn bears_overheads(self) -> bool {
        self.is_work_conserving() && !matches!(self, Theorem::OptimalOnOneProcessor)
    }

    /// True if no processor idles while a job is ready.
    pub const fn is_work_conserving(self) -> bool {
        matches!(
            self,
            Theorem::MeetsWhatEdfMeets
                | Theorem::OptimalOnOneProcessor
                | Theorem::HeavyTasksFirst(_)
                | Theorem::LargestTasksFirst(_)
        )
    }
}

/// Heavy tasks first, then the others in an order of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeavyFirst {
    /// Utilization or density above which a task is heavy.
    pub threshold: Threshold,
    /// Order of the others.
    pub others: LightOrder,
}

/// Order of the tasks that are not heavy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightOrder {
    /// The earliest absolute deadline goes first; tasks are heavy by their utilizations.
    Deadline,
    /// The shortest period goes first; tasks are heavy by their utilizations.
    Period,
    /// The shortest relative deadline goes first; tasks are heavy by their densities.
    RelativeDeadline,
}

impl HeavyFirst {
    /// True if the task is heavy on so many processors.
    pub fn is_heavy(self, task: &Task, processors: u32) -> bool {
        let length = match self.others {
            LightOrder::Deadline | LightOrder::Period => task.period,
            LightOrder::RelativeDeadline => task.relative_deadline.min(task.period),
        };
        self.threshold.is_below((task.wcet.as_ns(), length.as_ns()), processors)
    }

    /// Key of a task on so many processors, if all priorities are fixed: the smaller one goes first.
    pub fn fixed_key(self, task: &Task, processors: u32) -> Option<u64> {
        let of_light = match self.others {
            LightOrder::Deadline => return None,
            LightOrder::Period => task.period,
            LightOrder::RelativeDeadline => task.relative_deadline,
        };
        Some(if self.is_heavy(task, processors) { 0 } else { of_light.as_ns() })
    }
}

/// Utilization or density above which a task is heavy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// m / (k m - k + 1) on m processors.
    OfProcessors {
        /// The number k: 2 for EDF-US, 3 for RM-US.
        times: u32,
    },
    /// A given fraction.
    Given {
        /// Numerator of the fraction.
        numerator: u32,
        /// Denominator of the fraction, not zero.
        denominator: u32,
    },
}

impl Threshold {
    /// Returns the fraction for so many processors: numerator and denominator.
    pub const fn on(self, processors: u32) -> (u64, u64) {
        match self {
            Threshold::OfProcessors { times } => {
                let (m, k) = (if processors == 0 { 1 } else { processors as u64 }, times as u64);
                (m, k * (m - 1) + 1)
            }
            Threshold::Given { numerator, denominator } => (numerator as u64, denominator as u64),
        }
    }

    /// True if a task of this cost in nanoseconds and period is heavy on so many processors.
    pub fn is_below(self, (cost, period): (u64, u64), processors: u32) -> bool {
        let (numerator, denominator) = self.on(processors);
        u128::from(cost) * u128::from(denominator) > u128::from(period) * u128::from(numerator)
    }
}
