//! Theorems about whole schedulers, for those whose decisions follow no order of jobs.

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
    /// No job is late of tasks that arrive together at time zero and then periodically, with deadlines equal to their
    /// periods, that EKG assigns to processors in groups of so many. The scheduler refuses other tasks. Processors may
    /// idle while jobs are ready.
    SplitsWithinGroups(u16),
    /// No job is late of sporadic tasks with deadlines equal to their periods if the reserves of their notional
    /// processors fit into slots, of which the shortest period has so many. The scheduler refuses other tasks.
    /// Processors may idle while jobs are ready.
    ReservesInSlots(u16),
    /// Tasks of a utilization above the threshold go before all others, which go by absolute deadline; ties by job id.
    /// No processor idles while a job is ready.
    HeavyTasksFirst(Threshold),
    /// Each piece of a task is executed on its processor: there the earliest deadline of a piece goes first. Processors
    /// may idle while jobs are ready.
    KeepsPieces,
}

impl Theorem {
    /// True if the scheduler takes only tasks that arrive together at time zero and then periodically.
    pub const fn is_for_periodic(self) -> bool {
        matches!(self, Theorem::OptimalForPeriodic | Theorem::SplitsWithinGroups(_))
    }

    /// True if no processor idles while a job is ready.
    pub const fn is_work_conserving(self) -> bool {
        matches!(self, Theorem::MeetsWhatEdfMeets | Theorem::HeavyTasksFirst(_))
    }
}

/// The utilization above which EDF-US takes a task for heavy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// m / (2m - 1) on m processors.
    OfProcessors,
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
            Threshold::OfProcessors => {
                let m = if processors == 0 { 1 } else { processors as u64 };
                (m, 2 * m - 1)
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
