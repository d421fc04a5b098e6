//! Figures of a thread: what its releases and its jobs say together.

use crate::period::{median, median_distance, pattern, Pattern, Stretch};
use crate::recording::Recording;
use crate::threads::{sweep, Fact, Hole, Job, Life, Swept};
use crate::unit::{StampUnit, Stamps};

/// Largest mean distance of the stamps of two events that are numbers of events, and no times.
const COUNTED: u64 = 16;

/// Figures of a thread, in units of the stamps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// Number of releases, without those of the start.
    pub(crate) releases: usize,
    /// True if wake-ups of the thread were seen: otherwise releases are its first runs after sleeps.
    pub(crate) is_woken: bool,
    /// Median distance of releases.
    pub(crate) median_distance: Option<u64>,
    pub(crate) pattern: Option<Pattern>,
    /// Number of whole runs between two sleeps, those of the start included.
    pub(crate) whole_jobs: usize,
    /// Number of those in which the thread was starting.
    pub(crate) startup_jobs: usize,
    /// Costs of whole jobs, without those of the start, sorted.
    pub(crate) costs: Vec<u64>,
    /// Longest time from a wake-up to the end of its job. Begins of runs that are not seen do not matter to it.
    pub(crate) response: Option<u64>,
    /// Number of jobs that were not over when the next one was due.
    pub(crate) late_jobs: usize,
}

impl Figures {
    /// Median cost.
    pub(crate) fn median_cost(&self) -> Option<u64> {
        (!self.costs.is_empty()).then(|| median(&mut self.costs.clone()))
    }

    /// Period, if releases have one.
    pub(crate) fn period(&self) -> Option<u64> {
        match self.pattern? {
            Pattern::Periodic { period, .. } => Some(period),
            Pattern::Irregular { .. } => None,
        }
    }

    /// Number of wake-ups that make a job.
    pub(crate) fn wakes(&self) -> usize {
        match self.pattern {
            Some(Pattern::Periodic { wakes, .. }) => wakes,
            Some(Pattern::Irregular { .. }) | None => 1,
        }
    }
}

/// A recording, its threads and their figures.
#[derive(Debug)]
pub struct Examined {
    pub(crate) recording: Recording,
    pub(crate) swept: Swept,
    /// Figures by life.
    pub(crate) figures: Vec<Figures>,
}

impl Examined {
    /// Examines a recording.
    pub fn of(recording: Recording) -> Self {
        let swept = sweep(&recording, |_, _: Fact| {});
        let is_ns = recording.stamps != Stamps::Bare || recording.has_unit;
        let of = |life: &Life| figures(life, &merged(life, &swept.holes), is_ns);
        let figures = swept.lives.iter().map(of).collect();
        Examined { recording, swept, figures }
    }

    /// Meaning of the stamps.
    pub(crate) fn stamp_unit(&self) -> StampUnit {
        let recording = &self.recording;
        let events = recording.tally.used() + recording.tally.others;
        match (recording.stamps, recording.has_unit) {
            (Stamps::Bare, false) if (recording.end - recording.begin) / events.max(1) <= COUNTED => {
                StampUnit::Counts
            }
            (Stamps::Bare, false) => StampUnit::Unknown,
            (Stamps::Seconds | Stamps::Relative | Stamps::Nanoseconds, _) | (Stamps::Bare, true) => {
                StampUnit::Time
            }
        }
    }

    /// Threads with their figures, by number of the thread.
    pub(crate) fn threads(&self) -> Vec<(usize, &Life, &Figures)> {
        let mut all: Vec<_> = self
            .swept
            .lives
            .iter()
            .zip(&self.figures)
            .enumerate()
            .map(|(place, (life, of))| (place, life, of))
            .collect();
        all.sort_by_key(|(place, life, _)| (life.pid, *place));
        all
    }

    /// Name of a thread.
    pub(crate) fn name(&self, life: &Life) -> String {
        life.names.last().map_or_else(String::new, |name| self.recording.names.text(*name))
    }
}

/// Holes of processors on which the thread runs, joined where they overlap, in order of time.
fn merged(life: &Life, holes: &[Hole]) -> Vec<(u64, u64)> {
    let own = holes.iter().filter(|hole| life.own_cpus.contains(&hole.cpu));
    let mut sorted: Vec<(u64, u64)> = own.map(|hole| (hole.from, hole.to)).collect();
    sorted.sort_unstable();
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (from, to) in sorted {
        match all.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => all.push((from, to)),
        }
    }
    all
}

fn figures(life: &Life, holes: &[(u64, u64)], is_ns: bool) -> Figures {
    let is_woken = life.releases.iter().any(|release| release.is_woken);
    let own = life.releases.iter().filter(|release| !release.is_startup && release.is_woken == is_woken);
    let stamps: Vec<u64> = own.map(|release| release.at).collect();
    let stretches = stretches(&stamps, holes);
    let pattern = pattern(&stretches, is_ns);
    let mut found = Figures {
        releases: stamps.len(),
        is_woken,
        median_distance: median_distance(&stretches),
        pattern,
        whole_jobs: life.jobs.iter().filter(|job| job.is_whole).count(),
        startup_jobs: life.jobs.iter().filter(|job| job.is_whole && job.is_startup).count(),
        ..Figures::default()
    };
    let own: Vec<Job> = life.jobs.iter().filter(|job| !job.is_startup).copied().collect();
    let all = match found.wakes() {
        1 => own,
        wakes => joined(&own, wakes),
    };
    found.costs = all.iter().filter(|job| job.is_whole).map(|job| job.cost).collect();
    found.costs.sort_unstable();
    let responses = || all.iter().filter(|job| job.is_woken).map(|job| job.ended - job.released);
    found.response = responses().max();
    if let Some(period) = found.period() {
        // A job that ends a little after the next wake-up was due may be an estimate's error.
        found.late_jobs = responses().filter(|length| *length > period + period / 50).count();
    }
    found
}

/// Divides releases where events are missing between two of them.
fn stretches(releases: &[u64], holes: &[(u64, u64)]) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for at in releases {
        let is_cut = all.last().and_then(|last: &Stretch| last.last()).is_none_or(|last| {
            let next = holes.partition_point(|(_, to)| to <= last);
            holes.get(next).is_some_and(|(from, _)| from < at)
        });
        match all.last_mut().filter(|_| !is_cut) {
            Some(last) => last.push(*at),
            None => all.push(vec![*at]),
        }
    }
    all
}

/// Joins as many successive runs as make a job. The longest time without a release is before a job.
fn joined(jobs: &[Job], wakes: usize) -> Vec<Job> {
    let gap = |phase: usize| {
        let of = jobs
            .windows(2)
            .skip(phase)
            .step_by(wakes)
            .map(|pair| pair[1].released.saturating_sub(pair[0].released));
        of.sum::<u64>()
    };
    // The job after the largest gap is the first of its group.
    let first = (0..wakes).max_by_key(|phase| gap(*phase)).map_or(0, |phase| (phase + 1) % wakes);
    let groups = jobs.get(first..).unwrap_or_default().chunks_exact(wakes);
    groups
        .map(|group| Job {
            cost: group.iter().map(|job| job.cost).sum(),
            ended: group[wakes - 1].ended,
            is_whole: group.iter().all(|job| job.is_whole),
            ..group[0]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_on_both_sides_of_a_hole_have_no_distance() {
        let hole = |cpu, from, to| Hole { cpu, from, to };
        let life = Life { own_cpus: [0, 1].into(), ..Life::default() };
        let holes = merged(&life, &[hole(0, 35, 50), hole(1, 30, 40), hole(2, 0, 99), hole(0, 90, 95)]);
        assert_eq!(holes, [(30, 50), (90, 95)]);
        assert_eq!(stretches(&[0, 20, 60, 80, 100], &holes), [vec![0, 20], vec![60, 80], vec![100]]);
        assert_eq!(
            stretches(&[20, 30, 50], &holes),
            [vec![20, 30], vec![50]],
            "a hole that begins at a release"
        );
    }

    #[test]
    fn runs_of_one_job_are_joined() {
        let job = |released, cost| Job {
            released,
            ended: released + cost,
            cost,
            is_woken: true,
            is_whole: true,
            is_startup: false,
        };
        // The first is the second half of a job.
        let all = [job(15, 1), job(100, 4), job(115, 1), job(200, 5), job(215, 2), job(300, 4)];
        let found: Vec<_> = joined(&all, 2).iter().map(|job| (job.released, job.cost)).collect();
        assert_eq!(found, [(100, 5), (200, 7)]);
    }
}
