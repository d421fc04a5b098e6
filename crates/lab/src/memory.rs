//! Time for which a schedule's jobs wait for memory: their working sets on the machine's caches and bus.
//!
//! The schedule is given, so the waiting that is found here makes no job longer. While a job executes, its task's
//! access program goes on. If a working set fits the cache, it is loaded again when a job goes on after others
//! executed; that load is the cache-related delay.

pub mod modelled;

use schedlab_membus::{Begin, Counts, Machine, MachineError, Run, Stretch};
use schedlab_model::{Instant, JobId};
use schedlab_report::schedule::Segment;
use schedlab_scenario::{Errors, MemorySpec, Scenario};
use std::collections::BTreeMap;

/// The reason why a schedule's use of memory is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The tasks do not state their access programs.
    #[error(transparent)]
    Tasks(Errors),
    /// The machine's caches or bus cannot be modelled.
    #[error("platform.memory: {0}")]
    Machine(MachineError),
}

/// The memory accesses of the jobs of a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Counts by job that executed.
    pub jobs: BTreeMap<JobId, Counts>,
    /// Resumptions of jobs after others had executed, in the order of processors and time.
    pub resumptions: Vec<Resumption>,
}

/// A job that goes on after another job executed on its processor, or on another processor than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resumption {
    /// The job.
    pub job: JobId,
    /// The time at which the job goes on.
    pub at: Instant,
    /// True if the job goes on on another processor than before.
    pub is_migration: bool,
    /// Number of other processors that execute a job at that time.
    pub co_runners: u32,
    /// Size of the working set in bytes.
    pub working_set: u64,
    /// Served and lost cycles until the job leaves. `None` if the cache cannot hold the working set: such a job loads
    /// lines all the time, preempted or not.
    pub delay: Option<u64>,
}

/// A segment of a schedule in cycles.
#[derive(Clone, Copy)]
struct Piece {
    begin: u64,
    end: u64,
    job: JobId,
    cpu: usize,
    at: Instant,
}

/// Computes how long the jobs of these segments wait for memory. Calls `go_on` from time to time; returns `None` if it
/// returns false.
pub fn memory_use(
    scenario: &Scenario,
    segments: &[Segment],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<MemoryUse>, MemoryError> {
    let programs = scenario.programs().map_err(MemoryError::Tasks)?;
    let memory = scenario.platform.memory;
    let pieces = pieces(segments, &memory);
    let mut processors = vec![Vec::new(); usize::from(scenario.platform.processors)];
    // The index of each piece's stretch on its processor.
    let mut stretches = Vec::with_capacity(pieces.len());
    for piece in &pieces {
        let own: &mut Vec<Stretch> = &mut processors[piece.cpu];
        // The idle stretch after a piece is dropped if the next piece begins where it would begin.
        if own.last().is_some_and(|last| last.begin == piece.begin) {
            own.pop();
        }
        stretches.push(own.len());
        own.push(Stretch { begin: piece.begin, program: Some(piece.job.task.index()) });
        own.push(Stretch { begin: piece.end, program: None });
    }
    let end = pieces.iter().map(|piece| piece.end).max().unwrap_or(0);
    let machine = Machine { cache: memory.cache, bus: memory.bus, begin: Begin::Dirty, programs, processors };
    let mut run = Run::new(&machine).map_err(MemoryError::Machine)?;
    if !run.advance_while(end, |_| {}, go_on) {
        return Ok(None);
    }
    let all: Vec<Vec<Counts>> = (0..machine.processors.len()).map(|cpu| run.counts(cpu)).collect();
    let counts: Vec<Counts> =
        pieces.iter().zip(&stretches).map(|(piece, stretch)| all[piece.cpu][*stretch]).collect();
    let mut jobs: BTreeMap<JobId, Counts> = BTreeMap::new();
    for (piece, counts) in pieces.iter().zip(&counts) {
        *jobs.entry(piece.job).or_default() += *counts;
    }
    Ok(Some(MemoryUse { jobs, resumptions: resumptions(scenario, &pieces, &counts) }))
}

/// Orders segments by processor and time, and joins those that follow each other without a gap.
fn pieces(segments: &[Segment], memory: &MemorySpec) -> Vec<Piece> {
    let cycles = |at: Instant| (u128::from(at.as_ns()) * u128::from(memory.clock_mhz) / 1_000) as u64;
    let mut sorted: Vec<&Segment> = segments.iter().collect();
    sorted.sort_unstable_by_key(|segment| (segment.cpu, segment.from, segment.to));
    let mut pieces: Vec<Piece> = Vec::new();
    for segment in sorted {
        let (begin, end, cpu) = (cycles(segment.from), cycles(segment.to), segment.cpu.index());
        if begin == end {
            continue;
        }
        match pieces.last_mut() {
            Some(last) if last.cpu == cpu && last.job == segment.job && last.end == begin => last.end = end,
            Some(_) | None => pieces.push(Piece { begin, end, job: segment.job, cpu, at: segment.from }),
        }
    }
    pieces
}

/// Finds the resumptions of all jobs. A piece is none if it is the job's first, or if its processor executed no other
/// job since the piece before: after such a suspension the job finds what it had loaded.
fn resumptions(scenario: &Scenario, pieces: &[Piece], counts: &[Counts]) -> Vec<Resumption> {
    let mut by_job: Vec<usize> = (0..pieces.len()).collect();
    by_job.sort_unstable_by_key(|index| (pieces[*index].job, pieces[*index].begin));
    let mut before = vec![None; pieces.len()];
    for pair in by_job.windows(2).filter(|pair| pieces[pair[0]].job == pieces[pair[1]].job) {
        let (last, next) = (pair[0], pair[1]);
        let stays = next == last + 1 && pieces[last].cpu == pieces[next].cpu;
        before[next] = (!stays).then_some(pieces[last].cpu);
    }
    let busy = Busy::of(pieces);
    let resumption = |(index, before): (usize, Option<usize>)| {
        let piece = &pieces[index];
        let working_set = scenario.tasks[piece.job.task.index()].working_set;
        let fits = working_set <= scenario.platform.memory.cache.bytes;
        before.map(|before| Resumption {
            job: piece.job,
            at: piece.at,
            is_migration: before != piece.cpu,
            co_runners: busy.at(piece.begin) - 1,
            working_set,
            delay: fits.then_some(counts[index].served + counts[index].lost),
        })
    };
    before.into_iter().enumerate().filter_map(resumption).collect()
}

/// Number of processors that execute a job, as a function of time.
struct Busy {
    begins: Vec<u64>,
    ends: Vec<u64>,
}

impl Busy {
    fn of(pieces: &[Piece]) -> Busy {
        let sorted = |of: fn(&Piece) -> u64| {
            let mut times: Vec<u64> = pieces.iter().map(of).collect();
            times.sort_unstable();
            times
        };
        Busy { begins: sorted(|piece| piece.begin), ends: sorted(|piece| piece.end) }
    }

    fn at(&self, cycle: u64) -> u32 {
        let until = |times: &[u64]| times.partition_point(|time| *time <= cycle);
        (until(&self.begins) - until(&self.ends)) as u32
    }
}
