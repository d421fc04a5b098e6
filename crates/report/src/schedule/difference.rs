//! Where two schedules differ first: the processor that does something else, or does it at another time.

use super::Schedule;
use schedlab_model::{Duration, Instant, JobId};
use schemars::JsonSchema;
use serde::Serialize;

/// What is on a processor: a job, or an overhead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct Occupant {
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<&'static str>,
}

impl From<JobId> for Occupant {
    fn from(job: JobId) -> Self {
        Occupant { task: Some(job.task.0), job: Some(job.number), overhead: None }
    }
}

/// What a processor does in two schedules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherOccupants {
    at_ns: u64,
    cpu: u16,
    occupants: (Option<Occupant>, Option<Occupant>),
}

/// The first record that is not in both traces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherRecord {
    /// From 0.
    pub number: u64,
    /// None of a trace that has ended.
    pub lines: (Option<String>, Option<String>),
}

/// Where two traces differ first; None where they do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
pub struct TraceDifference {
    /// What a processor does.
    pub schedule: Option<OtherOccupants>,
    /// What is recorded.
    pub record: Option<OtherRecord>,
}

/// A processor that is occupied: by what, from when, until when.
type Stretch = (Occupant, Instant, Instant);

impl Schedule {
    /// Where the two differ first, if they do; instants that lie no further apart than `tolerance` are the same.
    pub fn first_difference(&self, other: &Schedule, tolerance: Duration) -> Option<OtherOccupants> {
        let (mine, theirs) = (self.stretches(tolerance), other.stretches(tolerance));
        // A schedule without the processor does nothing on it.
        (0..mine.len().max(theirs.len()))
            .filter_map(|cpu| {
                let both = [&mine, &theirs].map(|on| on.get(cpu).map_or(&[][..], Vec::as_slice));
                differ(cpu as u16, both, tolerance)
            })
            .min_by_key(|difference| (difference.at_ns, difference.cpu))
    }

    /// By processor, in the order of time. A job that goes on is one stretch, whether it spins or not. So is one that
    /// stops for no longer than `tolerance`; overheads that are not longer are left out.
    fn stretches(&self, tolerance: Duration) -> Vec<Vec<Stretch>> {
        let mut found = vec![Vec::new(); self.processors];
        for segment in &self.segments {
            found[segment.cpu.index()].push((segment.job.into(), segment.from, segment.to));
        }
        for overhead in self.overheads.iter().filter(|overhead| overhead.to - overhead.from > tolerance) {
            let occupant = Occupant { overhead: Some(overhead.kind.name()), ..Occupant::default() };
            found[overhead.cpu.index()].push((occupant, overhead.from, overhead.to));
        }
        for stretches in &mut found {
            stretches.sort_by_key(|(_, from, _)| *from);
            stretches.dedup_by(|next, before| {
                let goes_on = next.0 == before.0 && next.1 - before.2 <= tolerance;
                if goes_on {
                    before.2 = next.2;
                }
                goes_on
            });
        }
        found
    }
}

/// When the two differ first on a processor, and what each of them has there then.
fn differ(cpu: u16, [mine, theirs]: [&[Stretch]; 2], tolerance: Duration) -> Option<OtherOccupants> {
    let near = |a: Instant, b: Instant| a.max(b) - a.min(b) <= tolerance;
    let same = |(a, b): &(&Stretch, &Stretch)| a.0 == b.0 && near(a.1, b.1) && near(a.2, b.2);
    let index = mine.iter().zip(theirs).take_while(same).count();
    let at = match (mine.get(index), theirs.get(index)) {
        (None, None) => return None,
        (Some(only), None) | (None, Some(only)) => only.1,
        (Some(a), Some(b)) if a.0 == b.0 && near(a.1, b.1) => a.2.min(b.2),
        (Some(a), Some(b)) if near(a.1, b.1) => a.1.max(b.1),
        (Some(a), Some(b)) => a.1.min(b.1),
    };
    let then = |list: &[Stretch]| {
        let found = list.iter().find(|(_, from, to)| *from <= at && at < *to)?;
        Some(found.0)
    };
    Some(OtherOccupants { at_ns: at.as_ns(), cpu, occupants: (then(mine), then(theirs)) })
}

#[cfg(test)]
mod tests {
    use super::super::{OverheadSegment, Segment, Window};
    use super::*;
    use schedlab_model::{CpuId, OverheadKind, TaskId};

    fn job(task: u32) -> JobId {
        JobId { task: TaskId(task), number: 0 }
    }

    /// Segments of (processor, task, from, until).
    fn schedule(segments: &[(u16, u32, u64, u64)]) -> Schedule {
        let ns = Instant::from_ns;
        let segments = segments.iter().map(|&(cpu, task, from, to)| Segment {
            cpu: CpuId(cpu),
            job: job(task),
            from: ns(from),
            to: ns(to),
            spinning: None,
        });
        let (window, segments) = (Window::ALL, segments.collect());
        Schedule { window, processors: 2, tasks: 3, segments, ..Schedule::default() }
    }

    fn difference(
        a: &[(u16, u32, u64, u64)],
        b: &[(u16, u32, u64, u64)],
        tolerance: u64,
    ) -> Option<OtherOccupants> {
        schedule(a).first_difference(&schedule(b), Duration::from_ns(tolerance))
    }

    fn expected(at_ns: u64, cpu: u16, a: Option<u32>, b: Option<u32>) -> Option<OtherOccupants> {
        let occupant = |task: Option<u32>| task.map(|task| job(task).into());
        Some(OtherOccupants { at_ns, cpu, occupants: (occupant(a), occupant(b)) })
    }

    #[test]
    fn equal_schedules_have_none() {
        let a = [(0, 0, 0, 5), (1, 1, 2, 4)];
        assert_eq!(difference(&a, &a, 0), None);
        assert_eq!(difference(&[], &[], 0), None);
    }

    #[test]
    fn segments_that_touch_are_one() {
        assert_eq!(difference(&[(0, 0, 0, 5)], &[(0, 0, 0, 2), (0, 0, 2, 5)], 0), None);
    }

    #[test]
    fn the_earliest_counts_on_whichever_processor() {
        let a = [(0, 0, 0, 5), (0, 2, 9, 10), (1, 1, 2, 4)];
        let b = [(0, 0, 0, 5), (1, 1, 2, 7)];
        assert_eq!(difference(&a, &b, 0), expected(4, 1, None, Some(1)));
        assert_eq!(difference(&b, &a, 0), expected(4, 1, Some(1), None));
    }

    #[test]
    fn another_job_or_another_beginning() {
        assert_eq!(difference(&[(0, 0, 1, 5)], &[(0, 1, 1, 5)], 0), expected(1, 0, Some(0), Some(1)));
        assert_eq!(difference(&[(0, 0, 1, 5)], &[(0, 0, 3, 5)], 0), expected(1, 0, Some(0), None));
        assert_eq!(difference(&[(0, 0, 1, 5)], &[], 0), expected(1, 0, Some(0), None));
    }

    /// A real run has overheads, and a job that goes on after one; its simulation has neither.
    #[test]
    fn short_overheads_and_what_they_split_are_within_the_tolerance() {
        let overhead = OverheadSegment {
            cpu: CpuId(0),
            kind: OverheadKind::ALL[0],
            from: Instant::from_ns(2),
            to: Instant::from_ns(4),
        };
        let real = Schedule { overheads: vec![overhead], ..schedule(&[(0, 0, 0, 2), (0, 0, 4, 9)]) };
        let simulated = schedule(&[(0, 0, 0, 8)]);
        assert_eq!(real.first_difference(&simulated, Duration::from_ns(2)), None);
        let at = real.first_difference(&simulated, Duration::from_ns(1)).map(|found| found.at_ns);
        assert_eq!(at, Some(2));
    }

    #[test]
    fn what_lies_within_the_tolerance_is_the_same() {
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 0, 12, 48)], 2), None);
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 0, 12, 47)], 2), expected(47, 0, Some(0), None));
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 1, 12, 50)], 2), expected(12, 0, Some(0), Some(1)));
    }
}
