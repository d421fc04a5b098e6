//! The part of a processor that Linux keeps from real-time threads, and whether threads ever come near it.
//!
//! **Throttling** (`kernel/sched/rt.c`; from Linux 6.12 on only with `CONFIG_RT_GROUP_SCHED`): a processor adds up what
//! its real-time threads execute, and takes `sched_rt_runtime_us` off at the end of each period. It stops them while
//! the sum is above the runtime. So if they execute for at most the runtime in each period, the sum is zero after each,
//! and they are never stopped.
//!
//! **The fair server** (from 6.12 on, `kernel/sched/deadline.c`): a reservation of 50 ms in a second for ordinary
//! threads. It waits until its deadline is as near as its runtime is long, and what ordinary threads and idleness have
//! had until then comes off the runtime. So it begins only where real-time threads executed for 950 ms of a period.
//! Settings of throttling do not change it, and a scenario has no field for it: it is as by default wherever throttling
//! ever stops a thread.
//!
//! Both are excluded by one bound: the most that threads execute on a processor in a window as long as the period. A
//! processor is busy whenever a thread is ready. So no window is busier than one that begins with a busy period, and
//! that one is busiest if all tasks arrive together at its begin (C. L. Liu and J. W. Layland, "Scheduling algorithms
//! for multiprogramming in a hard-real-time environment", JACM 1973; with jitter: N. Audsley et al., "Applying new
//! scheduling theory to static priority pre-emptive scheduling", 1993). What arrives before any time in it, and the
//! rest of the window, bound what it executes.
//!
//! **Admission**: threads of `SCHED_DEADLINE` may reserve a part of the processors ([`ReservedShare`]).

use crate::prepare::accounting::{account, OverheadOutcome};
use crate::prepare::kernel_order;
use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use schedlab_model::{Duration, OrderClass, Step, Suspension, Task, ThreadClass};
use schedlab_policy::{KernelClass, Make, Throttling};
use schedlab_scenario::{ReservedShare, FAIR_PERIOD, FAIR_SERVER};

/// Part of the runtime that is left unused: the timer at the end of a period may be late, and the fair server begins
/// up to a millisecond early (`dl_server_min_res`).
const GRANULARITY: Duration = Duration::from_ms(1);

/// Number of a task's last arrivals in a window at which the work before is counted. More make bounds no tighter but
/// for loads close to the whole processor.
const ARRIVALS: u64 = 32;

/// The fair server's period, and the time in it that it leaves to real-time threads, by default.
const FAIR: Throttling =
    Throttling { runtime: Duration::from_ns(FAIR_PERIOD.as_ns() - FAIR_SERVER.as_ns()), period: FAIR_PERIOD };

/// Reason why it is not certain that no processor stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stops {
    /// Nothing bounds what threads execute on a processor in a period.
    Unbounded,
    /// Threads may execute for this long on a processor in a period.
    Busy {
        /// Number of the processor.
        processor: u16,
        /// Time for which threads may execute.
        busy: Duration,
        /// What leaves them less: throttling, or the fair server.
        by: Throttling,
    },
}

impl Stops {
    /// The reason in words: what threads need, and how to say that a machine has no throttling.
    pub(crate) fn reason(self, scheduler: String, throttling: Throttling) -> Reason {
        let Throttling { runtime, period } = throttling;
        match self {
            Stops::Unbounded => Reason::Throttled { scheduler, runtime, period },
            Stops::Busy { processor, busy, by: Throttling { runtime, period } } => {
                Reason::ThrottledBeyond { scheduler, processor, busy, runtime, period }
            }
        }
    }
}

impl Prepared {
    /// Returns the class of the scheduler's order; under a class of Linux, the order that the kernel follows with these
    /// tasks.
    pub(crate) fn order_class(&self) -> OrderClass {
        match self.unknown_of_kernel() {
            Some(_) => OrderClass::Unanalysed,
            None => kernel_order::order_class(&self.scheduler, &self.tasks),
        }
    }

    /// Returns the reason why no test knows what Linux does with these tasks, if Linux itself decides.
    pub(crate) fn unknown_of_kernel(&self) -> Option<Reason> {
        let scheduler = || self.scheduler.name.to_string();
        self.scheduler.kernel_class()?;
        let overheads = !self.charged.overheads.are_none();
        let (platform, tasks, class) = (&self.platform, &self.tasks, self.protocol.class);
        if let Some(gap) = kernel_order::gap(&self.scheduler, platform, tasks, class, overheads) {
            return Some(gap.reason(scheduler()));
        }
        if let Some(reason) = self.not_admitted() {
            return Some(reason);
        }
        let throttling = self.scenario.heeded_throttling()?;
        Some(self.stops_under(throttling)?.reason(scheduler(), throttling))
    }

    /// True if throttling may stop a processor while jobs are ready, because it has run such jobs for the runtime of a
    /// period.
    pub(crate) fn is_throttled(&self) -> bool {
        let throttling = self.scenario.heeded_throttling();
        throttling.is_some_and(|throttling| self.stops_under(throttling).is_some())
    }

    /// True if nothing is known of the scheduler's policy, not even that it keeps processors busy, as all tests assume
    /// but those that prove an overload.
    pub(crate) fn is_unanalysed(&self) -> bool {
        match self.scheduler.make {
            Make::Clustered { .. } => false,
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
                matches!(self.order_class(), OrderClass::Unanalysed)
            }
        }
    }

    /// Returns the reason why `throttling`, or a fair server that has the rest of its period, may take a processor from
    /// threads; `None` if neither ever does.
    pub(crate) fn stops_under(&self, throttling: Throttling) -> Option<Stops> {
        if !throttling.ever_stops() {
            return None;
        }
        let Some(tasks) = self.tasks_with_overheads() else { return Some(Stops::Unbounded) };
        let tasks: Vec<&Task> = tasks.iter().filter(|task| task.class != ThreadClass::Ordinary).collect();
        if !self.keeps_processors_busy(&tasks) {
            return Some(Stops::Unbounded);
        }
        self.beyond(throttling, &tasks, most_busy)
    }

    /// Returns the reason why `throttling`, or a fair server, may take a processor from threads that are in time unless
    /// it does; `None` if neither ever does.
    ///
    /// Up to the first stop, each job executes between its arrival and its absolute deadline. So no processor executes
    /// for longer than all jobs of its cluster that can be in a window.
    pub(crate) fn stops_though_in_time(&self, throttling: Throttling) -> Option<Stops> {
        let stops = self.stops_under(throttling)?;
        let (Stops::Unbounded, Some(tasks)) = (&stops, self.tasks_with_overheads()) else {
            return Some(stops);
        };
        self.beyond(throttling, &tasks.iter().collect::<Vec<_>>(), most_in_time)
    }

    /// The tasks with what overheads add to their costs; `None` if no account of these is known.
    fn tasks_with_overheads(&self) -> Option<Vec<Task>> {
        match account(self) {
            OverheadOutcome::None => Some(self.analysed_tasks().into_owned()),
            OverheadOutcome::Inflated(tasks) => Some(tasks),
            OverheadOutcome::NotAccounted(_) => None,
        }
    }

    /// Returns the first processor that `tasks` may take for longer than `throttling` or the fair server leaves them,
    /// by a bound on what the tasks of its cluster execute there in any window.
    fn beyond(
        &self,
        throttling: Throttling,
        tasks: &[&Task],
        most_in: fn(&[&Task], Duration) -> Duration,
    ) -> Option<Stops> {
        self.platform.clusters.iter().enumerate().find_map(|(index, cluster)| {
            let own = tasks.iter().filter(|task| task.cluster.index() == index);
            let own: Vec<&Task> = own.copied().collect();
            [throttling, FAIR].into_iter().find_map(|kept| {
                let most = kept.runtime.as_ns().saturating_sub(GRANULARITY.as_ns());
                let busy = most_in(&own, kept.period);
                (busy.as_ns() > most).then(|| Stops::Busy { processor: cluster.cpus[0].0, busy, by: kept })
            })
        })
    }

    /// True if each processor is alone with its tasks, and executes one of them whenever one has work.
    fn keeps_processors_busy(&self, tasks: &[&Task]) -> bool {
        let is_alone = |task: &&Task| self.platform.clusters[task.cluster.index()].cpus.len() == 1;
        let is_awake = |task: &&Task| {
            let suspends = task.program.iter().any(|step| !step.suspends().is_zero());
            task.suspension == Suspension::None && !suspends
        };
        // A thread that waits for one of another processor leaves its own one idle.
        let is_local = |index: usize| {
            let asks = |step: &Step| step.requested().is_some_and(|asked| asked.index() == index);
            let mut users =
                tasks.iter().filter(|task| task.program.iter().any(asks)).map(|task| task.cluster);
            users.next().is_none_or(|first| users.all(|other| other == first))
        };
        tasks.iter().all(is_alone) && tasks.iter().all(is_awake) && (0..self.resources.len()).all(is_local)
    }

    /// Returns the reason why the kernel does not admit the threads of `SCHED_DEADLINE` beside others, or all of them
    /// under that scheduler; `None` if it does.
    pub(crate) fn not_admitted(&self) -> Option<Reason> {
        let class = self.scheduler.kernel_class()?;
        self.not_admitted_as(class)
    }

    /// Returns the reason why the kernel does not admit the threads of `SCHED_DEADLINE` where the scheduler is this
    /// `class`; `None` if it does.
    pub(crate) fn not_admitted_as(&self, class: KernelClass) -> Option<Reason> {
        let is_reserved = |(_, task): &(usize, &Task)| {
            class == KernelClass::Deadline || task.class == ThreadClass::Deadline
        };
        let share = |(index, task): (usize, &Task)| {
            let (budget, _, period) = self.reserved(index, task);
            ReservedShare::of(budget.at_unit_speed(), period)
        };
        let admitted = ReservedShare::admitted(self.scenario.scheduler.throttling.unwrap_or_default())?;
        let admitted = admitted * u128::from(self.platform.processors());
        let needed: ReservedShare = self.tasks.iter().enumerate().filter(is_reserved).map(share).sum();
        (needed > admitted).then(|| Reason::NotAdmitted {
            scheduler: self.scheduler.name.to_string(),
            needed: needed.to_string(),
            admitted: admitted.to_string(),
        })
    }

    /// Returns the class of Linux whose threads execute these tasks where stock Linux runs them; `None` if it has none.
    pub(crate) fn class_on_linux(&self) -> Option<KernelClass> {
        self.scheduler.kernel_class().or(match self.scheduler.class() {
            OrderClass::Fixed(_) => Some(KernelClass::Fifo),
            OrderClass::Deadline => Some(KernelClass::Deadline),
            OrderClass::FixedOpenTies(_)
            | OrderClass::AfterArrival(_)
            | OrderClass::Pfair { .. }
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed => None,
        })
    }
}

/// Returns a bound on what `tasks` execute on their processor in any window of this length.
fn most_busy(tasks: &[&Task], window: Duration) -> Duration {
    let length = u128::from(window.as_ns());
    let of = |task: &&Task| [task.wcet.as_ns(), task.period.as_ns(), task.jitter.as_ns()].map(u128::from);
    let tasks: Vec<[u128; 3]> = tasks.iter().map(of).collect();
    let arrived = |before: u128| -> u128 {
        tasks.iter().map(|[cost, period, jitter]| (before + jitter).div_ceil(*period) * cost).sum()
    };
    // Each time gives a bound, the least ones just before an arrival.
    let last = |[_, period, jitter]: &[u128; 3]| {
        let (number, period, jitter) = ((length + jitter) / period, *period, *jitter);
        let numbers = number.saturating_sub(ARRIVALS.into())..=number;
        numbers.filter_map(move |one| (one * period).checked_sub(jitter)).collect::<Vec<_>>()
    };
    let times = tasks.iter().flat_map(last).chain([length]).filter(|time| *time <= length);
    let least = times.map(|time| arrived(time) + length - time).min();
    Duration::from_ns(least.unwrap_or(length).min(length) as u64)
}

/// Returns a bound on what jobs of `tasks` that are in time execute in any window of this length, on all processors.
fn most_in_time(tasks: &[&Task], window: Duration) -> Duration {
    let length = u128::from(window.as_ns());
    let of = |task: &&Task| {
        let [within, period, cost] =
            [task.relative_deadline + task.jitter, task.period, task.wcet.at_unit_speed()]
                .map(Duration::as_ns);
        (length + u128::from(within)).div_ceil(period.into()) * u128::from(cost)
    };
    Duration::from_ns(tasks.iter().map(of).sum::<u128>().min(length) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prepare::prepared::Prepared;
    use schedlab_model::Work;
    use schedlab_scenario::Scenario;

    fn task(cost: u64, period: u64) -> Task {
        let mut task = prepared("", "").tasks.remove(0);
        (task.wcet, task.period) = (Work::from_ns(cost), Duration::from_ns(period));
        task
    }

    fn prepared(scheduler: &str, of_task: &str) -> Prepared {
        let text = format!(
            "schedlab = 1\nscheduler = {{ name = \"P-SCHED_FIFO\"{scheduler} }}\n\
             [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n{of_task}"
        );
        Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap()
    }

    fn busy(tasks: &[Task], window: u64) -> u64 {
        most_busy(&tasks.iter().collect::<Vec<_>>(), Duration::from_ns(window)).as_ns()
    }

    /// One job of 3 in 10: a window of 9 has one of them, and one of 14 two.
    #[test]
    fn a_task_alone_executes_once_in_a_period() {
        assert_eq!(busy(&[task(3, 10)], 9), 3);
        assert_eq!(busy(&[task(3, 10)], 14), 6);
        assert_eq!(busy(&[task(10, 10)], 50), 50, "it needs all");
        assert_eq!(busy(&[], 50), 0);
    }

    /// Executes random sets under fixed priorities, and looks at all windows.
    #[test]
    fn no_window_is_busier_than_the_bound() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut tight = 0;
        for _ in 0..2_000 {
            let tasks: Vec<Task> =
                (0..3).map(|_| (random(6) + 1, random(12) + 6)).map(|(c, t)| task(c, t)).collect();
            let window = random(20) + 1;
            let bound = busy(&tasks, window);
            let offsets: Vec<u64> = (0..3).map(|_| random(10)).collect();
            let (mut left, mut seen) = (0, Vec::new());
            for now in 0..300 {
                for (task, offset) in tasks.iter().zip(&offsets) {
                    if now >= *offset && (now - offset) % task.period.as_ns() == 0 {
                        left += task.wcet.as_ns();
                    }
                }
                seen.push(u64::from(left > 0));
                left = left.saturating_sub(1);
            }
            let most = seen.windows(window as usize).map(|part| part.iter().sum::<u64>()).max().unwrap();
            assert!(most <= bound, "{tasks:?}: {most} of {window}, bound {bound}");
            tight += u32::from(most == bound);
        }
        assert!(tight > 1_000, "the bound was met by {tight} of 2000");
    }

    #[test]
    fn threads_that_leave_room_are_never_stopped() {
        let of = |runtime: &str, of_task: &str| {
            let stated = format!(", throttling = {{ runtime = \"{runtime}\", period = \"100 ms\" }}");
            prepared(&stated, of_task).is_throttled()
        };
        // Ten jobs, with jitter eleven, and a millisecond for the kernel.
        assert!(of("10 ms", "") && !of("11 ms", "") && !of("100 ms", ""));
        assert!(of("11 ms", "jitter = \"9 ms\"\n") && !of("12 ms", "jitter = \"9 ms\"\n"));
        assert!(of("50 ms", "suspension = \"1 ms\"\n"), "nothing is known of threads that sleep");
    }

    /// Two threads on two processors: eleven jobs of each may be in a window of ten periods.
    #[test]
    fn threads_in_time_leave_room_on_every_processor() {
        let of = |scheduler: &str, runtime: u64| {
            let text = format!(
                "schedlab = 1\nscheduler.name = \"{scheduler}\"\nplatform.processors = 2\n\
                 [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\npriority = 1\n\
                 [[task]]\nname = \"b\"\nwcet = \"2 ms\"\nperiod = \"10 ms\"\npriority = 2\n"
            );
            let prepared = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
            let throttling =
                Throttling { runtime: Duration::from_ms(runtime), period: Duration::from_ms(100) };
            assert_eq!(
                prepared.stops_under(throttling),
                Some(Stops::Unbounded),
                "it knows nothing of deadlines"
            );
            prepared.stops_though_in_time(throttling)
        };
        assert_eq!(of("G-FP", 34), None);
        let by = Throttling { runtime: Duration::from_ms(33), period: Duration::from_ms(100) };
        let busy = Duration::from_ms(33);
        assert_eq!(of("G-FP", 33), Some(Stops::Busy { processor: 0, busy, by }));
    }

    /// Throttling that leaves more to threads than the fair server does, which has 50 ms of each second all the same.
    #[test]
    fn the_fair_server_does_not_go_by_throttling() {
        let of = |throttling: &str, task: &str| {
            let text = format!(
                "schedlab = 1\nscheduler = {{ name = \"P-SCHED_FIFO\", throttling = {{ {throttling} }} }}\n\
                 [[task]]\nname = \"a\"\n{task}"
            );
            let prepared = Prepared::new(&Scenario::parse("a.toml", &text).unwrap()).unwrap();
            prepared.unknown_of_kernel().map(|reason| reason.to_string())
        };
        let long = "wcet = \"1.8 s\"\nperiod = \"2 s\"\ndeadline = \"1.81 s\"\n";
        let said = of("runtime = \"9.5 s\", period = \"10 s\"", long).expect("the server takes 50 ms");
        assert!(said.contains("1 s of 1 s") && said.contains("after 950 ms"), "{said}");
        let much = "wcet = \"98 ms\"\nperiod = \"100 ms\"\n";
        assert!(of("runtime = \"990 ms\", period = \"1 s\"", much).is_some());
        assert!(of("runtime = \"1 s\", period = \"1 s\"", much).is_none(), "stated as switched off, both");
        assert!(
            of("runtime = \"990 ms\", period = \"1 s\"", "wcet = \"90 ms\"\nperiod = \"100 ms\"\n").is_none()
        );
    }
}
