//! Time that was taken from jobs, by who took it, for any interval.
//!
//! Four kinds of entries: time that a decision gave to a task and the kernel to another thread, or to none while the
//! task's was on its way; time for which a job's release was late, where its thread has to wake up for it; time that
//! jobs executed for beyond their costs, because interrupts, the host or caches made the processor slower than when the
//! workload was calibrated; and, where quanta drive the scheduler, the quanta that such jobs needed more.

use crate::jobs::{group_of, group_of_cpu, Jobs};
use crate::trace::real_run::RealRun;
use schedlab_lab::Prepared;
use schedlab_model::{ClusterId, Instant};
use std::collections::BTreeMap;
use std::fmt;

/// Taker of processor time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taker {
    /// No other thread: the task's own thread was on its way.
    Way,
    /// Jobs that executed for longer than their costs.
    Slowness,
    /// Quanta that jobs needed beyond those that their costs fill, to make up for losses in these.
    Quanta,
    /// The host, as far as the kernel counted its time as stolen.
    Host,
    /// Whatever kept the whole run from executing: its process was stopped, or the machine was.
    Standstill,
    /// Another thread, or one of the runtime's own, by name.
    Thread(String),
}

impl fmt::Display for Taker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Taker::Way => f.write_str("threads on their way"),
            Taker::Slowness => f.write_str("execution beyond costs (interrupts, the host, caches)"),
            Taker::Quanta => f.write_str("further quanta for what was lost"),
            Taker::Host => f.write_str("the host (stolen time)"),
            Taker::Standstill => f.write_str(
                "a standstill of the whole run (SIGSTOP, a debugger, the fair server, throttling, or the machine)",
            ),
            Taker::Thread(name) => f.write_str(name),
        }
    }
}

/// Time that each taker took, in ns.
pub(crate) type Taken = BTreeMap<Taker, u64>;

/// Points in time, each with a weight. The sum of the weights before a point is looked up, not computed.
#[derive(Default)]
struct Column {
    /// Points by time, with their weights.
    points: Vec<(u64, u64)>,
    /// By number of points: the sum of their weights, and of their weights times their places.
    sums: Vec<(u128, u128)>,
}

impl Column {
    fn new(mut points: Vec<(u64, u64)>) -> Self {
        points.sort_unstable();
        let mut sums = vec![(0, 0)];
        for (at, weight) in &points {
            let (weights, places) = sums[sums.len() - 1];
            sums.push((weights + u128::from(*weight), places + u128::from(*weight) * u128::from(*at)));
        }
        Column { points, sums }
    }

    /// Returns the sum of the weights of the points before `to`, with that one if `inclusive`.
    fn weight(&self, to: u64, inclusive: bool) -> u128 {
        self.sums[self.points.partition_point(|(at, _)| *at < to + u64::from(inclusive))].0
    }

    /// The sum of the distances from the points before `to` to it.
    fn distance(&self, to: u64) -> u128 {
        let (weights, places) = self.sums[self.points.partition_point(|(at, _)| *at < to)];
        weights * u128::from(to) - places
    }
}

/// Intervals in which one taker took time from a group.
struct Intervals {
    starts: Column,
    ends: Column,
    /// True if all that was taken counts if its interval touches the one asked for; otherwise the part within counts.
    whole: bool,
}

impl Intervals {
    /// Builds the intervals, each with the time that was taken in it.
    fn new(taken: &[(Instant, Instant, u64)], whole: bool) -> Self {
        let weight = |taken: u64| if whole { taken } else { 1 };
        let starts = taken.iter().map(|(from, _, taken)| (from.as_ns(), weight(*taken)));
        let ends = taken.iter().map(|(_, to, taken)| (to.as_ns(), weight(*taken)));
        Intervals { starts: Column::new(starts.collect()), ends: Column::new(ends.collect()), whole }
    }

    fn within(&self, from: u64, to: u64) -> u64 {
        let taken = if self.whole {
            self.starts.weight(to, false) - self.ends.weight(from, true)
        } else {
            let until = |at| self.starts.distance(at) - self.ends.distance(at);
            until(to) - until(from)
        };
        u64::try_from(taken).unwrap_or(u64::MAX)
    }
}

/// All time that was taken in a run.
pub(crate) struct TakenTime {
    takers: BTreeMap<(ClusterId, Taker), Intervals>,
    /// Time that the host stole, by group, wherever it shows.
    stolen: BTreeMap<ClusterId, Intervals>,
}

/// Longest lost time in ns that is not attributed to a standstill at the same time.
const STANDSTILL: u64 = 1_000_000;

impl TakenTime {
    /// Collects the time that was taken in `run`, whose jobs are `jobs`.
    pub(crate) fn of(prepared: &Prepared, run: &RealRun, jobs: &Jobs) -> Self {
        let mut taken: BTreeMap<(ClusterId, Taker), Vec<_>> = BTreeMap::new();
        let stood_still = |from: Instant, to: Instant| {
            let meets = |standstill: &(Instant, Instant)| from < standstill.1 && standstill.0 < to;
            (to - from).as_ns() > STANDSTILL && run.standstills.iter().any(meets)
        };
        for lost in run.lost() {
            let taker = match lost.thread {
                _ if stood_still(lost.from, lost.to) => Taker::Standstill,
                None => Taker::Way,
                Some(thread) => Taker::Thread(run.threads.name(thread).to_owned()),
            };
            let whose = (group_of_cpu(prepared, lost.cpu), taker);
            taken.entry(whose).or_default().push((lost.from, lost.to, lost.ns()));
        }
        for late in jobs.late_releases(run) {
            let taker = if stood_still(late.due, late.ready) { Taker::Standstill } else { Taker::Way };
            let taken = taken.entry((group_of(prepared, late.job), taker)).or_default();
            taken.push((late.due, late.ready, (late.ready - late.due).as_ns()));
        }
        for slow in jobs.slow(run) {
            let whose = (group_of(prepared, slow.job), Taker::Slowness);
            taken.entry(whose).or_default().push((slow.from, slow.to, slow.extra));
        }
        for more in jobs.needing_quanta(prepared, run) {
            let whose = (group_of(prepared, more.job), Taker::Quanta);
            taken.entry(whose).or_default().push((more.from, more.to, more.extra));
        }
        let intervals = |(whose, taken): ((ClusterId, Taker), Vec<_>)| {
            let whole = matches!(whose.1, Taker::Slowness | Taker::Quanta);
            (whose, Intervals::new(&taken, whole))
        };
        TakenTime { takers: taken.into_iter().map(intervals).collect(), stolen: stolen(prepared, run) }
    }

    /// Returns the time that was taken from `group` between `from` and `to`.
    pub(crate) fn within(&self, group: ClusterId, from: Instant, to: Instant) -> Taken {
        let mut taken = Taken::new();
        if from < to {
            for ((of, taker), account) in &self.takers {
                let ns = if *of == group { account.within(from.as_ns(), to.as_ns()) } else { 0 };
                if ns > 0 {
                    taken.insert(taker.clone(), ns);
                }
            }
            let stolen =
                self.stolen.get(&group).map_or(0, |account| account.within(from.as_ns(), to.as_ns()));
            name_the_host(&mut taken, stolen);
        }
        taken
    }
}

/// Returns the time that the host stole from each group.
fn stolen(prepared: &Prepared, run: &RealRun) -> BTreeMap<ClusterId, Intervals> {
    let mut taken: BTreeMap<ClusterId, Vec<_>> = BTreeMap::new();
    for stolen in run.stolen.iter().flatten() {
        let whose = taken.entry(group_of_cpu(prepared, stolen.cpu)).or_default();
        whose.push((stolen.from, stolen.to, stolen.length.as_ns()));
    }
    taken.into_iter().map(|(group, taken)| (group, Intervals::new(&taken, true))).collect()
}

/// Attributes stolen time to the host. It shows as jobs that execute longer, and as threads on their way, so as much of
/// that is the host's. The total stays the same.
fn name_the_host(taken: &mut Taken, mut stolen: u64) {
    for shows_as in [Taker::Slowness, Taker::Way] {
        let Some(ns) = taken.get_mut(&shows_as) else { continue };
        let part = stolen.min(*ns);
        *ns -= part;
        stolen -= part;
        if part > 0 {
            *taken.entry(Taker::Host).or_default() += part;
        }
    }
    taken.retain(|_, ns| *ns > 0);
}

/// Returns the taker of most time; further quanta only follow from what others took.
pub(crate) fn mostly(taken: &Taken) -> Option<&Taker> {
    taken.iter().max_by_key(|(taker, ns)| (**taker != Taker::Quanta, **ns)).map(|(taker, _)| taker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{ran, OTHER, OWN};
    use crate::jobs::tests::{given_three_quanta, one_task_under};
    use crate::trace::real_run::Switches;

    fn ns(ns: u64) -> Instant {
        Instant::from_ns(ns)
    }

    /// The time taken in every interval agrees with sums by hand.
    #[test]
    fn an_account_sums_what_is_within() {
        let taken = [(10, 20, 4), (15, 30, 7), (40, 41, 1), (40, 60, 9)];
        let given: Vec<_> = taken.map(|(from, to, much)| (ns(from), ns(to), much)).to_vec();
        let (parts, wholes) = (Intervals::new(&given, false), Intervals::new(&given, true));
        for from in 0..65 {
            for to in from + 1..66 {
                let mut expected = (0, 0);
                for (begin, end, much) in taken {
                    let length = end.min(to).saturating_sub(begin.max(from));
                    expected.0 += length;
                    expected.1 += if length > 0 { much } else { 0 };
                }
                assert_eq!((parts.within(from, to), wholes.within(from, to)), expected, "{from}..{to}");
            }
        }
    }

    #[test]
    fn groups_and_takers_are_apart() {
        let taken = |of: &[(u64, u64)]| {
            let given: Vec<_> = of.iter().map(|(from, to)| (ns(*from), ns(*to), to - from)).collect();
            Intervals::new(&given, false)
        };
        let rustc = Taker::Thread("rustc".to_owned());
        let takers = BTreeMap::from([
            ((ClusterId(0), Taker::Way), taken(&[(0, 5)])),
            ((ClusterId(0), rustc.clone()), taken(&[(5, 25)])),
            ((ClusterId(1), rustc.clone()), taken(&[(0, 90)])),
        ]);
        let taken_time = TakenTime { takers, stolen: BTreeMap::new() };
        let found = taken_time.within(ClusterId(0), ns(2), ns(20));
        assert_eq!(found, Taken::from([(Taker::Way, 3), (rustc.clone(), 15)]));
        assert_eq!(mostly(&found), Some(&rustc));
        assert_eq!(taken_time.within(ClusterId(0), ns(9), ns(9)), Taken::new());
        assert_eq!(mostly(&Taken::new()), None);
    }

    /// Of 30 ns that jobs were slow and 5 on the way, 32 were the host's; more than all is not.
    #[test]
    fn what_was_stolen_is_named_and_counts_once() {
        let before = Taken::from([(Taker::Slowness, 30), (Taker::Way, 5), (Taker::Quanta, 9)]);
        for (stolen, expected) in [
            (0, before.clone()),
            (
                10,
                Taken::from([(Taker::Slowness, 20), (Taker::Way, 5), (Taker::Quanta, 9), (Taker::Host, 10)]),
            ),
            (32, Taken::from([(Taker::Way, 3), (Taker::Quanta, 9), (Taker::Host, 32)])),
            (90, Taken::from([(Taker::Quanta, 9), (Taker::Host, 35)])),
        ] {
            let mut taken = before.clone();
            name_the_host(&mut taken, stolen);
            assert_eq!(taken, expected);
            assert_eq!(taken.values().sum::<u64>(), 44, "it explains no more than before");
        }
    }

    /// A job of 1.6 ms under PD2 with quanta of 1 ms. Of the first two it loses 10 us to a thread and 20 until it is
    /// there again; it executes for 2.13 ms, and needs a third quantum.
    #[test]
    fn each_kind_is_counted_and_what_has_no_place_as_a_whole() {
        let prepared = one_task_under("PD2");
        let at = |us: u64| ns(us * 1_000);
        let switches =
            [ran(OWN, 20, 2_000), ran(OTHER, 2_000, 2_010), ran(OWN, 2_030, 2_040), ran(OWN, 5_000, 5_140)];
        let switches = Switches { all: switches.concat(), missing: 0 };
        let run = RealRun { switches: Some(switches), ..given_three_quanta() };
        let taken_time = TakenTime::of(&prepared, &run, &Jobs::of(&prepared, &run).unwrap());
        let gone = Taker::Thread("threads that are gone".to_owned());
        let whole = Taken::from([(Taker::Slowness, 530_000), (Taker::Quanta, 1_000_000)]);
        let mut all = Taken::from([(Taker::Way, 20_000), (gone, 10_000)]);
        all.extend(whole.clone());
        assert_eq!(taken_time.within(ClusterId(0), at(0), at(9_000)), all);
        assert_eq!(taken_time.within(ClusterId(0), at(1_000), at(1_001)), whole);
        assert_eq!(
            taken_time.within(ClusterId(0), at(3_000), at(3_000)),
            Taken::new(),
            "nothing fits in no time"
        );
        assert_eq!(mostly(&all), Some(&Taker::Slowness), "the quantum follows from the others");
    }
}
