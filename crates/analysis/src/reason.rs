//! Why tests answer as they do, and in which words that is said: no code reads the words.

use crate::delaying_section::{DelayingSection, DelayingSections};
use crate::sentences::Ns;
use crate::sharing_error::SharingError;
use crate::sides::{Share, Sides};
use crate::system_error::SystemError;
use num_bigint::BigInt;
use schedlab_model::{Duration, JobId, ResourceId, TaskId};
use std::borrow::Cow;

crate::sentences! {
    /// Reason for an answer.
    pub enum Reason {
        Own(text: Cow<'static, str>) => "{text}",
        OwnOf { task: TaskId, text: Cow<'static, str> } => "{task} {text}",
        But { reason: Box<Reason>, doubt: Box<Reason> } => "{reason}; but {doubt}",
        Counting { delays: &'static str, reason: Box<Reason> } => "with {delays} counted as execution, {reason}",

        // What a test does not speak of.
        SectionsNotCounted => "requests and non-preemptive sections are not accounted for",
        RequestsNotCounted => "requests are not accounted for",
        DeadlineBeyondPeriod => "a relative deadline is beyond its period",
        DeadlineBelowPeriod => "a relative deadline is below its period",
        DeadlineNotPeriod => "a relative deadline differs from its period",
        NotRateMonotonic => "the priorities are not rate-monotonic",
        BlockedAfterSuspension => "a task suspends itself and may be blocked again when it resumes",
        SuspendsOrIsBlocked => "a job suspends itself or may be blocked",
        JitterOrSuspension => "a task has jitter or suspends itself",
        Leaves => "a task leaves",
        NotSynchronousPeriodic => "tasks do not all arrive at time zero and then periodically",
        NotPeriodic => "only periodic arrivals are explored",
        TooLong => "the times are too long for this number of tasks",
        LongOffset => "an offset is too long to be explored",
        ManyProcessorsForPoints => "there are too many processors for exact priority points",
        MoreTasksThanProcessors { tasks: usize, processors: u32 }
            => "there are more tasks ({tasks}) than processors ({processors})",
        NeedsWholeSystem => "it needs the whole system",
        MethodNeedsWholeSystem => "a method of blocking needs the whole system",
        NotPfair => "not a Pfair scheduler",

        // What ended too soon.
        BudgetSpent => "the budget is spent",
        BudgetSpentOn(task: TaskId) => "{task}: the iteration's budget is spent",
        BudgetOfDemandSpent => "the budget for examining demand is spent",
        NoLimit => "no limit of the intervals to examine was found within the budget",
        TooClose => "too many sides are too close to compare within the budget",
        TooManyRounds => "the iteration of blocking and response times takes too many rounds",
        StatesSpent { states: u64 } => "the budget of {states} states is spent",
        TooManyPrograms { tasks: usize, requests: usize }
            => "{tasks} programs of {requests} requests each are too many to solve",

        // Utilizations and densities.
        Utilization(sides: Sides) => "the utilization is {sides}",
        Density(sides: Sides) => "the densities add up to {sides}",
        LiuAndLayland { sides: Sides, tasks: usize }
            => "the utilization is {sides}, n(2^(1/n) - 1) for n = {tasks}",
        Hyperbola(sides: Sides) => "the product of (U_i + 1) is {sides}",
        Densities(sides: Sides) => "the densities add up to {sides}, m - (m - 1) times the largest",
        LoadFits { bound: Share } => "the load is at most {bound}",
        LoadOfUtilization(sides: Sides) => "the load is not below the utilization, {sides}",
        LoadExceeds { within: Ns<u64>, demand: Ns<u128>, sides: Sides }
            => "within {within}, {demand} of work may be due: a load of {sides}",
        SpeedTooHigh(sides: Sides)
            => "the utilization is {sides}, m - (m - 1) times the least speed that is left",
        LightDensities { heavy: usize, left: u32, sides: Sides }
            => "{heavy} tasks are heavy; on the {left} processors that these leave, the densities of the others add up to \
                {sides}, m - (m - 1) times the largest",
        NotDeadlineMonotonic => "apart from m - 1 tasks that go first, the priorities are not deadline-monotonic",
        DensitiesOfMonotonic(sides: Sides)
            => "the densities add up to {sides}, m/2 (1 - d) + d for the largest, d",
        LightDensitiesOfMonotonic { heavy: usize, left: u32, sides: Sides }
            => "{heavy} tasks go first; on the {left} processors that these leave, the densities of the others add up to \
                {sides}, m/2 (1 - d) + d for the largest, d",
        HeavyLeaveNone { heavy: usize, processors: u32 }
            => "{heavy} tasks are heavy, which leave none of {processors} processors to the others",
        AssignedInGroups { k: u32 } => "all tasks are assigned, and none is split between groups of {k}",
        ReservesFit { notional: usize, needed: Ns<u128>, available: Ns<u128> }
            => "the reserves of {notional} notional processors take {needed} of each slot, of {available}",
        ReservesExceed { needed: Ns<u128>, available: Ns<u128> }
            => "the reserves of notional processors need {needed} of each slot, more than {available}",
        NotPeriodicAtTheLimit
            => "the tasks fit if they arrive periodically, but not with what a grid of whole nanoseconds takes from sporadic \
                ones",
        RoundedUpDoNotFit
            => "utilizations rounded up so that budgets are whole nanoseconds add up to more than the processors",
        SlotsTooShort { task: TaskId } => "the period of {task} is too short for its slots",
        PiecesFit => "EDF meets the deadlines of all pieces on their processors",
        PiecesDoNotFit { cpu: u16 } => "EDF may miss the deadline of a piece on P{cpu}",
        PiecesOverlap { task: TaskId } => "a piece of {task} begins before the one before it is due",
        PiecesHoldLess { task: TaskId, needs: Ns<u64>, has: Ns<u64> }
            => "a job of {task} may need {needs}, but its pieces hold {has}",
        FitsNoGroup { task: TaskId, k: u32 } => "{task} fits on no processor, as tasks are split within groups of {k}",
        NoConditionViolated => "no necessary condition is violated",
        WithinProcessors(sides: Sides) => "no necessary condition is violated: the utilization is {sides}",
        EnoughProcessors { tasks: usize, processors: u32 }
            => "there are no more tasks ({tasks}) than processors ({processors})",

        // One task or job.
        LateAlone { task: TaskId, needs: Ns<u64>, has: Ns<u64> }
            => "a job of {task} alone may need {needs}, but has {has}",
        BeyondPeriodAlone { task: TaskId, needs: Ns<u64>, period: Ns<u64> }
            => "each job of {task} may need {needs}, more than its period of {period}",
        ResponseTooLong { task: TaskId, response: Ns<u128>, relative_deadline: Ns<u128> }
            => "{task} may take {response}, but has {relative_deadline}",
        LevelOverloaded { task: TaskId, sides: Sides } => "{task} and what goes before it need {sides}",
        ResponseNotKnown { task: TaskId, period: Ns<u64> }
            => "{task} is not known to respond within its period of {period}",
        ResponseMayBeLong { task: TaskId, response: Ns<u64>, relative_deadline: Ns<u64> }
            => "the bound on a response of {task} is {response} or more, but it has {relative_deadline}",
        ResponsesShort => "no response time is above its relative deadline",
        Closest { task: TaskId, response: Ns<u128>, relative_deadline: Ns<u128> }
            => "no response time is above its relative deadline; closest: {task}, {response} of {relative_deadline}",
        ConditionHolds => "the condition holds for every task",
        RoomExceeded { task: TaskId, within: Ns<u64>, demand: Ns<u128>, room: Ns<u128> }
            => "within {within} up to a deadline of {task}, {demand} of work may go before it, but there is room for {room}",
        RoomReached { task: TaskId, within: Ns<u64>, demand: Ns<u128>, room: Ns<u128> }
            => "within {within} up to a deadline of {task}, {demand} of work may go before it, but it has to be less than {room}",
        RoomForAllExceeded { within: Ns<u64>, demand: Ns<u128>, room: Ns<u128> }
            => "within {within}, {demand} of work may be due, but there is room for {room}",
        DelayExceeds { task: TaskId, delay: Ns<u64>, room: Ns<u64> }
            => "a job of {task} may be delayed by {delay}, but has {room} to spare",
        LoadsBefore { task: TaskId, sides: Sides }
            => "the loads before a deadline of {task} add up to {sides}, m (1 - C/D) + C/D",
        ProvedBy { test: &'static str } => "proved by {test}",
        ProvedByNone => "no test proves it",

        // Demand.
        DemandFits { limit: Ns<u64> } => "no demand exceeds its time below {limit}",
        DemandExceeds { within: Ns<u64>, demand: Ns<u128> } => "within {within}, {demand} of work may be due",
        BlockedDemandFits => "demand and blocking never exceed their time",
        BlockedDemandExceeds { within: Ns<u64>, demand: Ns<u128> }
            => "{demand} of work may delay what is due within {within}",

        // Tardiness.
        TardinessAtMost { x: Ns<BigInt> } => "tardiness is at most x + C with x = {x}",
        ResponsesAfterPoint => "response times are at most x + C after the priority point",
        NoBound => "no bound",
        BoundTooLarge => "a bound is beyond what can be represented",

        // Schedules that were explored.
        NoneLate { states: u64 } => "no job is late in any of {states} states",
        MissFound { job: JobId, due: Duration } => "{job} misses its deadline at {due} in a schedule that was found",
        PerhapsLate => "a job might be late; no schedule that makes it late was found",
        TicksMayPreventSchedule => "releases at ticks may prevent the schedule in which a job is late",

        // Pfair.
        WeightsFit(sides: Sides) => "the weights add up to {sides}",
        WeightsFitAtAnyTime => "the weights of the tasks that are there at a time add up to at most m",
        LateByPartOfQuantum { task: TaskId, advice: Box<Reason> }
            => "a job of {task} may be late by a part of a quantum; {advice}",
        GuaranteedFits => "weights = \"guaranteed\" prevents that, and fits",
        GuaranteedDoesNotFit => "weights that prevent that do not fit",
        QuantaBeyondPeriod { task: TaskId, taken: Ns<u64>, period: Ns<u64> }
            => "the quanta of each job of {task} take {taken}, more than its period of {period}",
        QuantaBeyondProcessors(sides: Sides) => "the quanta that jobs take, whole ones, add up to {sides}",
        WithinWindows { most: Duration } => "subtasks run within their windows: tardiness is at most {most}",
        TiesOnProcessors { processors: u32 }
            => "the order breaks no ties of pseudo-deadlines: it is proved on at most 2 processors, and these are \
                {processors}",
        SuspensionWastesQuanta => "a job that suspends itself wastes quanta at unknown times",
        MoreQuantaThanSlots(task: TaskId)
            => "{task} needs more quanta than it has slots: the scheduler refuses them",
        WeightsDoNotFit(sides: Sides)
            => "the weights, costs rounded up to quanta, add up to {sides}: the scheduler refuses them",
        WeightNeededWhenJoined => "a task with jitter may still need its weight when another one joins for it",
        OddQuantum => "a quantum of 0, too long, or not above the delay of its last processor",
        OddComponent { longest: Ns<u64> } => "a time of a component is 0, or above {longest}",

        // Locks.
        NoMethod { protocol: String }
            => "no blocking analysis of \"{protocol}\" is known here under this scheduler",
        LocksNonPreemptive => "no blocking bound is for non-preemptive scheduling",
        LocksBelowQuantum(task: TaskId)
            => "{task} has a period below the quantum, whose jobs may be released together at a tick: no blocking bound here covers that",
        LocksDisturbed(task: TaskId)
            => "{task} has jitter or suspends itself, which no blocking bound here covers",
        LocksBeyondPeriod(task: TaskId)
            => "{task} has a relative deadline beyond its period, which no blocking bound here covers",
        CrossesProcessors { resource: ResourceId, protocol: String }
            => "{resource} is used on several processors, but bounds of \"{protocol}\" are for one",
        Sharing(error: SharingError) => "{error}",
        System(error: SystemError) => "{error}",
        SectionsOfOthers => "sections of other clusters may execute here",
        NoMissWithBlocking => "no deadline is missed with blocking",
        BlockingNotBounded => "blocking is not bounded",
        ClusterMeetsDeadlines { cluster: u32 } => "cluster {cluster} meets all deadlines",
        WaitingAboveOne { cluster: u32 } => "with waiting, cluster {cluster} has a utilization above 1",
        WaitingTooLong { task: TaskId, needs: Ns<u64>, relative_deadline: Ns<u64> }
            => "with waiting, a job of {task} may need {needs}, but has {relative_deadline}",
        WaitingExceeds { cluster: u32, within: Ns<u64>, demand: Ns<u128> }
            => "with waiting, cluster {cluster} may be asked for {demand} within {within}",
        BlockingExceeds { cluster: u32, within: Ns<u64>, demand: Ns<u128>, blocking: Ns<u64>, by: DelayingSection }
            => "with blocking, cluster {cluster} may be asked for {demand} within {within}: blocked for {blocking} by {by}",
        WaitingNotProved { cluster: usize, task: TaskId, waits: Ns<u64> }
            => "with waiting as execution, no test proves cluster {cluster} schedulable; {task} waits longest, for {waits}",
        BlockedTooLong { task: TaskId, blocked: Ns<u64>, relative_deadline: Ns<u64> }
            => "with blocking of {blocked}, {task} may take longer than its relative deadline of {relative_deadline}",
        BlockedForever { task: TaskId } => "no bound on the blocking of {task} is known",
        BlockedBy { reason: Box<Reason>, by: DelayingSections } => "{reason}: blocked by {by}",

        // Why what refutes need not happen.
        OverApproximated => "suspension or blocking is over-approximated",
        JitterOverApproximated => "jitter is over-approximated",
        MayLeaveBefore => "a task leaves, perhaps before that happens",
        TicksMayPrevent => "releases at ticks may prevent the worst case",
        OffsetsMayPrevent => "the offsets may prevent the worst case",
        PeriodsMayPreventJitter => "periodic arrivals may prevent the worst case of jitter",
        PeriodsMayPrevent => "periodic arrivals may prevent that",
        TasksWereInflated => "the tasks were inflated",
        ProvedOtherwise => "another test proves the deadlines",
        MissSimulated => "a simulated job is late",
        NeverScheduled => "the scheduler or its locking protocol refuses these tasks: no run has a late job",
        NoMissSimulated { jobs: u64 } => "no deadline was missed in {jobs} simulated jobs",
    }
}

impl Reason {
    /// Returns this reason with a doubt about it.
    pub fn but(self, doubt: Reason) -> Reason {
        Reason::But { reason: Box::new(self), doubt: Box::new(doubt) }
    }
}
