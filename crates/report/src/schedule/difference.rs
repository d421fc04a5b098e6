//! First difference of two schedules: the processor that does something else, or does it at another time.

mod pair;

use super::{OverheadSegment, ScheduleRecorder, Segment, Window};
use crate::context::Context;
use pair::{is_settled, Pair, Stretch};
use schedlab_model::{Duration, Instant, JobId};
use schedlab_trace::{Record, Sink};
use schemars::JsonSchema;
use serde::Serialize;

/// The occupant of a processor: a job, or an overhead.
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

/// Occupants of a processor in two schedules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherOccupants {
    at_ns: u64,
    cpu: u16,
    occupants: (Option<Occupant>, Option<Occupant>),
}

/// The first record that is not in both traces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OtherRecord {
    /// Number of the record, from 0.
    pub number: u64,
    /// The records of both traces; None for a trace that has ended.
    pub lines: (Option<String>, Option<String>),
}

/// First difference of two traces; None where they are equal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Difference")]
pub struct TraceDifference {
    /// First difference of the schedules.
    pub schedule: Option<OtherOccupants>,
    /// First difference of the records.
    pub record: Option<OtherRecord>,
}

/// Compares two schedules while their records come, and forgets what has been compared.
#[derive(Clone, Debug)]
pub struct FirstDifference {
    recorders: [ScheduleRecorder; 2],
    /// By schedule: the time before which all of it is known.
    known: [Instant; 2],
    pairs: Pairs,
}

impl FirstDifference {
    /// A comparison of the schedules of two traces; instants that lie no further apart than `tolerance` are equal.
    pub fn new(contexts: [&Context; 2], tolerance: Duration) -> Self {
        let recorders = contexts.map(|context| ScheduleRecorder::new(context, Window::ALL));
        FirstDifference { recorders, known: [Instant::ZERO; 2], pairs: Pairs { tolerance, all: Vec::new() } }
    }

    /// Returns the schedule of which less is known: its records are to come next.
    pub fn behind(&self) -> usize {
        usize::from(self.known[1] < self.known[0])
    }

    /// Adds a record of a schedule.
    pub fn record(&mut self, side: usize, at: Instant, record: Record) {
        self.recorders[side].record(at, record);
        self.known[side] = at;
    }

    /// Notes that a schedule has no more records.
    pub fn end(&mut self, side: usize) {
        self.known[side] = Instant::NEVER;
    }

    /// Compares what has come. Returns false if records still to come do not matter.
    pub fn goes_on(&mut self) -> bool {
        for (side, recorder) in self.recorders.iter_mut().enumerate() {
            let (segments, overheads) = recorder.take_occupied();
            self.pairs.push(side, &segments, &overheads);
        }
        self.pairs.go_on(self.known())
    }

    /// Returns the first difference of the two, if there is one.
    pub fn finish(mut self) -> Option<OtherOccupants> {
        let known = self.known();
        self.pairs.first(known)
    }

    fn known(&self) -> Instant {
        self.known[0].min(self.known[1])
    }
}

/// States of processors in two schedules, by processor. A schedule without the processor idles on it.
#[derive(Clone, Debug)]
struct Pairs {
    tolerance: Duration,
    all: Vec<Pair>,
}

impl Pairs {
    /// Adds a part of a schedule. Overheads that are no longer than the tolerance are left out.
    fn push(&mut self, side: usize, segments: &[Segment], overheads: &[OverheadSegment]) {
        let jobs = segments.iter().map(|one| (one.cpu.index(), (one.job.into(), one.from, one.to)));
        let long = overheads.iter().filter(|one| one.to - one.from > self.tolerance);
        let others = long.map(|one| {
            let occupant = Occupant { overhead: Some(one.kind.name()), ..Occupant::default() };
            (one.cpu.index(), (occupant, one.from, one.to))
        });
        let mut stretches: Vec<(usize, Stretch)> = jobs.chain(others).collect();
        stretches.sort_by_key(|(_, (_, from, _))| *from);
        for (cpu, stretch) in stretches {
            if cpu >= self.all.len() {
                self.all.resize_with(cpu + 1, Pair::default);
            }
            self.all[cpu].push(side, stretch, self.tolerance);
        }
    }

    /// Compares all that lies before `known`. Returns false if records still to come do not matter.
    fn go_on(&mut self, known: Instant) -> bool {
        let differ = self.all.iter_mut().filter_map(|pair| pair.look(known, self.tolerance));
        let first = differ.min().unwrap_or(Instant::NEVER);
        known != Instant::NEVER && !is_settled(first, known, self.tolerance)
    }

    /// Returns the first difference of the two, as far as is known.
    fn first(&mut self, known: Instant) -> Option<OtherOccupants> {
        let differs = |(cpu, pair): (usize, &mut Pair)| Some((pair.look(known, self.tolerance)?, cpu));
        let (at, cpu) = self.all.iter_mut().enumerate().filter_map(differs).min()?;
        Some(OtherOccupants { at_ns: at.as_ns(), cpu: cpu as u16, occupants: self.all[cpu].occupants_at(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{CpuId, OverheadKind, TaskId};

    fn job(task: u32) -> JobId {
        JobId { task: TaskId(task), number: 0 }
    }

    /// Processor, task, begin, end.
    type Row = (u16, u32, u64, u64);

    fn segment(&(cpu, task, from, to): &Row) -> Segment {
        let (from, to) = (Instant::from_ns(from), Instant::from_ns(to));
        Segment { cpu: CpuId(cpu), job: job(task), from, to, spinning: None }
    }

    fn overhead(&(cpu, _, from, to): &Row) -> OverheadSegment {
        let (from, to) = (Instant::from_ns(from), Instant::from_ns(to));
        OverheadSegment { cpu: CpuId(cpu), kind: OverheadKind::ALL[0], from, to }
    }

    /// Returns the first difference of jobs and overheads, given all at once.
    fn difference_of(both: [(&[Row], &[Row]); 2], tolerance: u64) -> Option<OtherOccupants> {
        let mut pairs = Pairs { tolerance: Duration::from_ns(tolerance), all: Vec::new() };
        for (side, (jobs, overheads)) in both.into_iter().enumerate() {
            let (jobs, overheads): (Vec<_>, Vec<_>) =
                (jobs.iter().map(segment).collect(), overheads.iter().map(overhead).collect());
            pairs.push(side, &jobs, &overheads);
        }
        pairs.first(Instant::NEVER)
    }

    fn difference(a: &[Row], b: &[Row], tolerance: u64) -> Option<OtherOccupants> {
        difference_of([(a, &[]), (b, &[])], tolerance)
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
        let real: (&[Row], &[Row]) = (&[(0, 0, 0, 2), (0, 0, 4, 9)], &[(0, 0, 2, 4)]);
        let simulated: (&[Row], &[Row]) = (&[(0, 0, 0, 8)], &[]);
        assert_eq!(difference_of([real, simulated], 2), None);
        let at = difference_of([real, simulated], 1).map(|found| found.at_ns);
        assert_eq!(at, Some(2));
    }

    #[test]
    fn what_lies_within_the_tolerance_is_the_same() {
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 0, 12, 48)], 2), None);
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 0, 12, 47)], 2), expected(47, 0, Some(0), None));
        assert_eq!(difference(&[(0, 0, 10, 50)], &[(0, 1, 12, 50)], 2), expected(12, 0, Some(0), Some(1)));
    }

    /// A schedule of two processors by a generator of numbers, and a copy of it in which some instants and jobs differ.
    fn random_rows(mut seed: u64) -> [Vec<Row>; 2] {
        let mut number = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let mut both = [Vec::new(), Vec::new()];
        for cpu in 0..2 {
            let (mut mine, mut theirs) = (0, 0);
            for _ in 0..12 {
                let (task, from, length) = (number(2), number(4), 1 + number(9));
                let (other, later) = (if number(30) == 0 { 2 } else { task }, number(3));
                let (begin, start) = (mine + from, theirs.max(mine + from) + later);
                let end = (begin + length + number(3)).max(start + 1);
                (mine, theirs) = (begin + length, end);
                both[0].push((cpu, task as u32, begin, mine));
                both[1].push((cpu, other as u32, start, end));
            }
        }
        both
    }

    /// The first pair of stretches of a processor that is not the same, where all stretches are there.
    fn taken_literally(both: &[Vec<Row>; 2], tolerance: u64) -> Option<OtherOccupants> {
        let near = |a: u64, b: u64| a.abs_diff(b) <= tolerance;
        let differs = |cpu: u16| {
            let [mine, theirs] = both.each_ref().map(|rows| {
                let mut rows: Vec<Row> = rows.iter().copied().filter(|row| row.0 == cpu).collect();
                rows.dedup_by(|next, before| {
                    let goes_on = next.1 == before.1 && next.2 - before.3 <= tolerance;
                    before.3 = if goes_on { next.3 } else { before.3 };
                    goes_on
                });
                rows
            });
            let same = |(a, b): &(&Row, &Row)| a.1 == b.1 && near(a.2, b.2) && near(a.3, b.3);
            let index = mine.iter().zip(&theirs).take_while(same).count();
            let at = match (mine.get(index), theirs.get(index)) {
                (None, None) => return None,
                (Some(only), None) | (None, Some(only)) => only.2,
                (Some(a), Some(b)) if a.1 == b.1 && near(a.2, b.2) => a.3.min(b.3),
                (Some(a), Some(b)) if near(a.2, b.2) => a.2.max(b.2),
                (Some(a), Some(b)) => a.2.min(b.2),
            };
            let then = |rows: &[Row]| rows.iter().find(|row| row.2 <= at && at < row.3).map(|row| row.1);
            expected(at, cpu, then(&mine), then(&theirs))
        };
        (0..2).filter_map(differs).min_by_key(|found| (found.at_ns, found.cpu))
    }

    #[test]
    fn what_comes_in_pieces_differs_where_the_whole_does() {
        let mut found = [0, 0];
        for seed in 0..3000 {
            let (both, tolerance) = (random_rows(seed), seed % 6);
            let whole = taken_literally(&both, tolerance);
            assert_eq!(difference(&both[0], &both[1], tolerance), whole, "seed {seed}: {both:?}");
            let mut pairs = Pairs { tolerance: Duration::from_ns(tolerance), all: Vec::new() };
            let mut known = 0;
            let last = loop {
                let before = known;
                known += 1 + seed % 7;
                for (side, rows) in both.iter().enumerate() {
                    let come = rows.iter().filter(|(_, _, from, to)| *from < known && *to > before);
                    let cut = come.map(|&(cpu, task, from, to)| segment(&(cpu, task, from, to.min(known))));
                    pairs.push(side, &cut.collect::<Vec<_>>(), &[]);
                }
                if known > 1000 || !pairs.go_on(Instant::from_ns(known)) {
                    break if known > 1000 { Instant::NEVER } else { Instant::from_ns(known) };
                }
            };
            assert_eq!(pairs.first(last), whole, "seed {seed}: {both:?}");
            found[usize::from(whole.is_some())] += 1;
        }
        assert!(found.iter().all(|count| *count > 100), "{found:?}");
    }
}
