//! A thread's context switches as jobs: when they were released, and what they cost.

use schedlab_runtime::Switched;

/// Activity of a thread.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// Times at which the thread was woken: it had given up its processor and got one.
    pub(crate) wakes: Vec<u64>,
    /// Intervals in which the thread ran.
    pub(crate) ran: Vec<(u64, u64)>,
}

impl Activity {
    /// Reads the thread's own switches, by time.
    pub(crate) fn of<'a>(switches: impl Iterator<Item = &'a Switched>) -> Self {
        let mut found = Activity::default();
        // Who lost the processor before the observation was not seen.
        let (mut since, mut preempted) = (None, true);
        for switch in switches {
            if switch.to {
                if !preempted {
                    found.wakes.push(switch.at);
                }
                since = Some(switch.at);
            } else {
                if let Some(from) = since.take() {
                    found.ran.push((from, switch.at));
                }
                preempted = switch.preempted;
            }
        }
        found
    }

    /// Returns for how long the thread was not woken before the observation's `end`, if that is longer than the time in
    /// which it was woken before, and it was woken rarely: what a thread did at its start is no task.
    pub(crate) fn idle_since(&self, end: u64) -> Option<u64> {
        let (first, last) = (*self.wakes.first()?, *self.wakes.last()?);
        let idle = end.saturating_sub(last);
        (self.wakes.len() < MANY && idle > last - first).then_some(idle)
    }

    /// Returns the mean distance of two wake-ups, 0 if there are no two.
    pub(crate) fn distance(&self) -> u64 {
        let (Some(first), Some(last)) = (self.wakes.first(), self.wakes.last()) else { return 0 };
        (last - first) / (self.wakes.len() as u64 - 1).max(1)
    }

    /// Returns for how long the thread ran in this interval.
    fn ran_within(&self, from: u64, to: u64) -> u64 {
        let first = self.ran.partition_point(|(_, end)| *end <= from);
        let spans = self.ran[first..].iter().take_while(|(begin, _)| *begin < to);
        spans.map(|(begin, end)| end.min(&to) - begin.max(&from)).sum()
    }
}

/// Pattern of a thread's jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// Releases are this many nanoseconds apart, as the program itself states.
    Stated(u64),
    /// Releases are this many nanoseconds apart, in this share of all cases (in percent).
    Periodic(u64, u64),
    /// Releases are at least this far apart, except for the closest twentieth.
    Sporadic(u64),
}

/// A thread's jobs.
#[derive(Debug)]
pub(crate) struct Jobs {
    pub(crate) pattern: Pattern,
    /// Cost of each job, sorted.
    pub(crate) costs: Vec<u64>,
    /// Distances of successive releases that were seen, sorted.
    pub(crate) distances: Vec<u64>,
}

impl Jobs {
    /// The period, or the least distance.
    pub(crate) fn period(&self) -> u64 {
        match self.pattern {
            Pattern::Stated(period) => period,
            Pattern::Periodic(period, _) => rounded(period),
            Pattern::Sporadic(distance) => distance,
        }
    }

    /// Returns the largest cost.
    pub(crate) fn most(&self) -> u64 {
        self.costs.last().copied().unwrap_or(0)
    }
}

/// Rounds to whole microseconds, because anything shorter is not seen.
fn rounded(period: u64) -> u64 {
    if period < 1_000_000 {
        period
    } else {
        (period + 500) / 1_000 * 1_000
    }
}

/// Fewest wake-ups that make a task: the largest of nine costs is exceeded by one of the next ten.
pub(crate) const ENOUGH: usize = 10;
/// Number of wake-ups below which they may be in periods of their own by chance.
const MANY: usize = 20;
/// Tolerance: how far from its time a wake-up may be, as a part of the distance between two of them. At random, every
/// other one is.
const TOLERANCE: u64 = 4;
/// Percentage of the best period's share of kept wake-ups that another period has to reach.
const NEARLY: u64 = 80;
/// Least percentage of wake-ups that makes a pattern.
const REGULAR: u64 = 60;

/// Returns the jobs of `activity`, of which the program may state the period; `None` if it was woken too rarely.
pub(crate) fn jobs(activity: &Activity, stated: Option<u64>) -> Option<Jobs> {
    let wakes = &activity.wakes;
    if wakes.len() < ENOUGH {
        return None;
    }
    if let Some(period) = stated {
        let found = periodic(activity, Beat { period, tolerance: period / TOLERANCE }, 100);
        return Some(Jobs { pattern: Pattern::Stated(period), ..found });
    }
    // A job that waits for something is woken in its middle: the period may be a distance of several wake-ups.
    let steps = (1..=4).filter_map(|step| Beat::of(wakes, step));
    let candidates: Vec<(Beat, u64)> = steps.map(|beat| (beat, beat.regularity(wakes))).collect();
    let best = candidates.iter().map(|(_, share)| *share).max().unwrap_or(0);
    let good = candidates.into_iter().filter(|(_, share)| *share * 100 >= best * NEARLY);
    match good.min_by_key(|(beat, _)| beat.period) {
        Some((beat, share)) if share >= REGULAR => Some(periodic(activity, beat, share)),
        _ => Some(late(activity).unwrap_or_else(|| sporadic(activity))),
    }
}

/// Returns the costs of jobs from one wake-up to the next.
fn between(activity: &Activity) -> Vec<u64> {
    sorted(activity.wakes.windows(2).map(|pair| activity.ran_within(pair[0], pair[1])))
}

fn sporadic(activity: &Activity) -> Jobs {
    let distances = distances_of(&activity.wakes);
    let least = distances[distances.len() / 20].max(1);
    Jobs { pattern: Pattern::Sporadic(least), costs: between(activity), distances }
}

/// Returns the jobs of a thread that waits behind others: its switches show when it gets a processor, up to a period
/// after it was woken. Each wake-up is then in a period of its own, counted from the first, as those that come at
/// random are not for long.
fn late(activity: &Activity) -> Option<Jobs> {
    let wakes = &activity.wakes;
    let third = wakes.len() / 3;
    if wakes.len() < MANY {
        return None;
    }
    // From the first third's mean to the last third's: single delays weigh little.
    let sum = |some: &[u64]| some.iter().map(|at| i128::from(*at)).sum::<i128>();
    let apart = sum(&wakes[wakes.len() - third..]) - sum(&wakes[..third]);
    let period = apart / (third * (wakes.len() - third)) as i128;
    let delays = wakes.iter().zip(0..).map(|(at, number)| i128::from(*at) - number * period);
    let (least, most) =
        delays.fold((i128::MAX, i128::MIN), |(least, most), delay| (least.min(delay), most.max(delay)));
    let fits = period > 0 && most - least < period;
    fits.then(|| Jobs {
        pattern: Pattern::Periodic(period as u64, 100),
        costs: between(activity),
        distances: distances_of(wakes),
    })
}

fn distances_of(times: &[u64]) -> Vec<u64> {
    sorted(times.windows(2).map(|pair| pair[1] - pair[0]))
}

fn sorted(all: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut all: Vec<u64> = all.collect();
    all.sort_unstable();
    all
}

/// A possible period, and the tolerance of its wake-ups.
#[derive(Clone, Copy, Debug)]
struct Beat {
    period: u64,
    tolerance: u64,
}

impl Beat {
    /// Returns the median distance of wake-ups that are `step` apart.
    fn of(wakes: &[u64], step: usize) -> Option<Self> {
        let distances = sorted(wakes.windows(step + 1).map(|some| some[step] - some[0]));
        let period = distances.get(distances.len() / 2).copied().filter(|median| *median > 0)?;
        Some(Beat { period, tolerance: period / (TOLERANCE * step as u64) })
    }

    /// Returns the wake-up nearest to a period after `at`, if it is near enough.
    fn next(&self, wakes: &[u64], at: u64) -> Option<u64> {
        let due = at + self.period;
        let next = wakes.partition_point(|wake| *wake < due);
        let around = wakes[next.saturating_sub(1)..(next + 1).min(wakes.len())].iter().copied();
        around.min_by_key(|wake| wake.abs_diff(due)).filter(|wake| wake.abs_diff(due) <= self.tolerance)
    }

    /// Returns the percentage of wake-ups that have another one a period later.
    fn regularity(&self, wakes: &[u64]) -> u64 {
        let last = wakes.last().copied().unwrap_or(0);
        let all: Vec<u64> = wakes.iter().copied().filter(|wake| wake + self.period <= last).collect();
        let kept = all.iter().filter(|wake| self.next(wakes, **wake).is_some()).count();
        kept as u64 * 100 / all.len().max(1) as u64
    }
}

/// Returns the jobs from one release to the next: the wake-up that is near to a period later, or that time itself.
fn periodic(activity: &Activity, beat: Beat, share: u64) -> Jobs {
    let wakes = &activity.wakes;
    let first = wakes.iter().copied().find(|wake| beat.next(wakes, *wake).is_some()).unwrap_or(wakes[0]);
    let last = wakes[wakes.len() - 1];
    let mut releases = vec![first];
    let mut at = first;
    while at + beat.period <= last + beat.tolerance {
        at = beat.next(wakes, at).unwrap_or(at + beat.period);
        releases.push(at);
    }
    let count = releases.len() as u64 - 1;
    let length = releases[releases.len() - 1] - first;
    let period = (length + count / 2).checked_div(count).unwrap_or(beat.period);
    let costs = sorted(releases.windows(2).map(|pair| activity.ran_within(pair[0], pair[1])));
    Jobs { pattern: Pattern::Periodic(period, share), costs, distances: distances_of(&releases) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn switch(at: u64, to: bool, preempted: bool) -> Switched {
        Switched { at, thread: 7, process: 7, processor: 0, to, preempted }
    }

    /// Jobs of 2 ms every 10 ms, each late by up to 0.3 ms, preempted in the middle for 1 ms.
    fn preempted() -> Vec<Switched> {
        let job = |number: u64| {
            let at = number * 10 * MS + number * 37 % 300 * 1_000;
            [
                switch(at, true, false),
                switch(at + MS, false, true),
                switch(at + 2 * MS, true, false),
                switch(at + 3 * MS, false, false),
            ]
        };
        (1..=100).flat_map(job).collect()
    }

    #[test]
    fn a_preempted_thread_is_not_woken() {
        let found = jobs(&Activity::of(preempted().iter()), None).unwrap();
        let Pattern::Periodic(period, 100) = found.pattern else { panic!("{:?}", found.pattern) };
        assert!(period.abs_diff(10 * MS) < 10_000, "{period}");
        assert!(
            found.costs.len() >= 98 && found.costs.iter().all(|cost| *cost == 2 * MS),
            "{:?}",
            found.costs
        );
    }

    /// A job that waits for a lock is one job.
    #[test]
    fn a_wake_in_the_middle_of_a_job_begins_no_job() {
        let mut switches = preempted();
        for switch in switches.iter_mut().skip(1).step_by(4) {
            // Each third job gives its processor up instead of losing it.
            switch.preempted = switch.at / (10 * MS) % 3 != 0;
        }
        let found = jobs(&Activity::of(switches.iter()), None).unwrap();
        let Pattern::Periodic(period, _) = found.pattern else { panic!("{:?}", found.pattern) };
        assert!(period.abs_diff(10 * MS) < 10_000, "{period}");
        assert!(found.costs.iter().all(|cost| *cost == 2 * MS), "{:?}", found.costs);
    }

    /// Jobs of half a millisecond every 10 ms, that get a processor up to 9 ms late.
    #[test]
    fn a_thread_that_waits_behind_others_keeps_its_period() {
        let job = |number: u64| {
            let at = number * 10 * MS + number * number * 7919 % 91 * MS / 10;
            [switch(at, true, false), switch(at + MS / 2, false, false)]
        };
        let switches: Vec<_> = (1..=100).flat_map(job).collect();
        let activity = Activity::of(switches.iter());
        let found = jobs(&activity, None).unwrap();
        let Pattern::Periodic(period, _) = found.pattern else { panic!("{:?}", found.pattern) };
        assert!(period.abs_diff(10 * MS) < MS / 5, "{period}");
        assert!(found.costs.iter().all(|cost| *cost == MS / 2));
        let few = Activity { wakes: activity.wakes[..19].to_vec(), ..activity };
        assert!(late(&few).is_none());
    }

    /// A stated period of 10 ms is taken as it is, and each job is one.
    #[test]
    fn a_stated_period_is_taken() {
        let found = jobs(&Activity::of(preempted().iter()), Some(10 * MS)).unwrap();
        assert_eq!(
            (found.pattern, found.period(), found.most()),
            (Pattern::Stated(10 * MS), 10 * MS, 2 * MS)
        );
        assert!(found.costs.len() >= 98 && found.costs.iter().all(|cost| *cost == 2 * MS));
    }

    /// Six wake-ups in 10 ms, then a sleep: 20 of them count as a task that ended.
    #[test]
    fn what_a_thread_did_to_begin_is_no_task() {
        let woken = |count: u64| Activity {
            wakes: (0..count).map(|at| 2 * at * MS).collect(),
            ..Activity::default()
        };
        assert_eq!(woken(6).idle_since(30 * MS), Some(20 * MS));
        assert_eq!(woken(6).idle_since(20 * MS), None, "it may go on");
        assert_eq!((woken(19).idle_since(90 * MS), woken(20).idle_since(90 * MS)), (Some(54 * MS), None));
    }

    #[test]
    fn what_comes_at_random_is_sporadic_and_what_hardly_comes_is_nothing() {
        let mut at = 0;
        let mut switches = Vec::new();
        for number in 0..200u64 {
            at += MS + number * number * 7919 % 97 * MS;
            switches.extend([switch(at, true, false), switch(at + MS / 2, false, false)]);
        }
        let found = jobs(&Activity::of(switches.iter()), None).unwrap();
        let Pattern::Sporadic(distance) = found.pattern else { panic!("{:?}", found.pattern) };
        assert!(distance >= MS && found.costs.iter().all(|cost| *cost == MS / 2));
        assert!(jobs(&Activity::of(switches[..12].iter()), None).is_none());
    }
}
