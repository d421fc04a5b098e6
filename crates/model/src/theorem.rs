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
}
