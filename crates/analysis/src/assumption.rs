//! Assumptions on which verdicts rest, with their text for users. No code reads the text.

use std::fmt;

macro_rules! assumptions {
    ($($name:ident: $text:literal,)*) => {
        /// Assumption on which an answer or a bound rests.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Assumption {
            $(#[doc = $text] $name,)*
            /// Further assumption of a test that is not shipped, in the test's own words.
            Own(&'static str),
        }

        impl Assumption {
            const fn text(self) -> &'static str {
                match self {
                    $(Assumption::$name => $text,)*
                    Assumption::Own(text) => text,
                }
            }

            /// All assumptions that shipped tests may state.
            #[cfg(test)]
            const ALL: &[Assumption] = &[$(Assumption::$name,)*];
        }
    };
}

assumptions! {
    // Which scheduler, on which machine.
    OneProcessorEdf: "one processor, preemptive EDF",
    OneProcessorNonPreemptiveEdf: "one processor, non-preemptive EDF",
    OneProcessorFixedPriorities: "one processor, preemptive fixed priorities",
    OneProcessorFixedPrioritiesOpenTies:
        "one processor, preemptive fixed priorities, equal ones in any order, such as first come, first served",
    OneProcessorRateMonotonic: "one processor, preemptive fixed priorities in rate-monotonic order",
    OneProcessorNonPreemptiveFixedPriorities: "one processor, non-preemptive fixed priorities",
    ClustersOfOneEdf: "one processor in each cluster, preemptive EDF",
    ClustersOfOneFixedPriorities: "one processor in each cluster, preemptive fixed priorities",
    GlobalEdf: "preemptive global EDF on identical processors",
    GlobalNonPreemptiveEdf: "non-preemptive global EDF on identical processors",
    GlobalFixedPriorities: "preemptive global fixed priorities on identical processors",
    GlobalFixedPrioritiesWithLocks: "preemptive global fixed priorities",
    GlobalAfterArrival: "preemptive global EDF, FIFO, fair lateness or given priority points on identical processors",
    NonPreemptiveJobPriorities: "non-preemptive scheduling by fixed job priorities, ties by job id",
    Pfair: "PD2, PD or PF on identical processors, or EPDF on at most two",
    PfairWithSupertasks: "Pfair with supertasks that never suspend; weights add up to at most m",
    OptimalScheduler: "DP-WRAP, LLREF, LRE-TL, BF, RUN, U-EDF or EKG on identical processors",
    EkgInGroups: "EKG in groups of identical processors",
    Qps: "QPS on identical processors",
    NpsF: "NPS-F on identical processors",
    SemiPartitionedEdf: "semi-partitioned EDF of the stated pieces",
    EdfUs: "EDF-US or PriD on identical processors",
    DeadlineMonotonicBelowHeavy: "deadline-monotonic order, apart from less than m tasks that go first",
    GlobalEdzl: "EDZL on identical processors",
    OneProcessorMllf: "one processor, MLLF",
    WorkConserving: "work-conserving scheduler of identical processors",
    UnitSpeed: "identical processors of unit speed",
    // Which tasks, and how their jobs arrive and execute.
    ImplicitDeadlines: "implicit deadlines",
    ConstrainedDeadlines: "relative deadlines at most the periods",
    LongDeadlines: "relative deadlines at least the periods",
    ConstrainedWithoutDelays: "constrained deadlines, no jitter, no self-suspension besides waiting",
    SynchronousPeriodic: "all tasks arrive together at time zero, then periodically",
    PeriodicWithOffsets: "periodic arrivals with offsets, whole nanoseconds",
    CostsAtLeastBestCase: "each job costs at least its task's best case, 1 ns if none is stated",
    AsBadAsStated: "jobs may need, wait and suspend themselves as long as stated, tasks may arrive as often as stated",
    SporadicComponents: "components are sporadic, with release jitter at most",
    JobsInSequence: "a job waits for its task's job before",
    ResponsesWithinPeriods: "response times within the periods",
    CostsInQuanta: "costs rounded up to quanta, unused parts of quanta are wasted",
    TimesInQuanta: "periods and relative deadlines rounded down to quanta",
    WaitsForQuantum: "a job waits for the first quantum boundary after it is ready",
    // How jitter and self-suspension enter.
    NoJitter: "no jitter",
    NoSelfSuspension: "no self-suspension",
    DelaysAsExecution: "self-suspension and jitter count as execution",
    DelaysAsExecutionOrSuspension: "self-suspension and jitter count as execution, or as in Liu and Anderson's test",
    SuspensionAsExecution: "self-suspension counts as execution",
    JitterShortensDeadlines: "jitter shortens the time to the deadline",
    JitterAsSuspension: "jitter is a self-suspension",
    JitterAsFirstSuspension: "jitter is self-suspension before the first execution",
    CarryInOfSuspending: "more urgent tasks that suspend themselves have a carry-in of R - C",
    // How requests enter.
    NoBlocking: "no blocking",
    NoNesting: "no nesting",
    UsersOnOneProcessor: "all users of a resource are on one processor",
    GroupLocks: "resources that nest are one group, with one lock",
    BlockedOnce: "a job is blocked at most once, by one section of a less urgent task",
    BlockedByEachLessUrgent: "one section of each less urgent task blocks, no nesting",
    MutexesTogether:
        "one section of each less urgent task blocks, one at most under a ceiling, anew after a wait without protocol; no nesting",
    SpinningAsExecution: "spinning counts as execution",
    WaitingAsExecution: "waiting counts as execution",
    WaitingAndSectionsAsExecution: "waiting and delay by sections without preemption count as execution",
    RequestsNotCounted: "requests are not counted by response times",
    DelayedOnArrival: "each job is delayed once on arrival, which counts as execution",
    LocalCeilings: "local resources follow ceilings, once at each arrival and resumption",
    LocalLongStack: "local long resources follow the stack resource policy",
    HolderWaitsOnResuming: "a holder that resumes waits for other jobs of its processor",
    ShortInLongSpins: "short requests inside long sections spin there",
    AnyLaterDeadline: "any other task of the processor may have a later deadline",
    ResourcesInTurn: "resources belong to processors in turn",
    SharedResourcesInTurn: "resources of several processors belong to processors in turn, others to their users'",
    AllUnitsWrite: "a request for all units writes, one for fewer reads",
    LinearProgram: "the bound is the optimum of a linear program, proved by a dual solution in integers",
    SpinningCountsOnce: "spinning of more urgent jobs counts once, as blocking",
    PreemptedAsksAnew: "who is preempted while it spins asks anew",
    RetriesAsExecution: "attempts that fail count as execution",
    WaitsWhilePending: "a wait lasts as long as the job is pending",
    // What the machine takes.
    NoOverheads: "no overheads",
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_assumptions_are_said_alike() {
        let texts: BTreeSet<&str> = Assumption::ALL.iter().map(|one| one.text()).collect();
        assert_eq!(texts.len(), Assumption::ALL.len());
    }
}
