//! Positions in a trace from which a reader knows all that matters: an index beside the file.
//!
//! An entry is a point of the trace, and an earlier position from which to read. It holds no state: what is going on at
//! the point follows from the records in between. A reader from the position knows at the point, and ever after:
//!
//! * every live job, with all that it did, holds and waits for: no job is live whose arrival comes before the position;
//! * what every processor does: no overhead is going on at the position or at the point;
//! * every wasted quantum that ends later than the point: what tells of it comes after the position, too;
//! * where a time is asked about, every deadline and window of a subtask that ends later, and the budget and deadlines
//!   of every server, too.
//!
//! A question about a job does not need the last, and a far deadline moves the position back. So an entry has one
//! position for either kind of question.
//!
//! A reader that begins at an entry does not know jobs that had ended. Between position and point, it meets records of
//! jobs whose arrivals it has not read; they have all ended at the point. So a question about a job is asked from an
//! entry before its arrival, and one about a time from an entry before that time.
//!
//! A trace has no entries if one of its records names a job that is not live, or a task or processor that the context
//! lacks, or if an arrival is out of order: what such a record means depends on all records before. Reading from
//! further back is slower, not wrong.

use crate::context::Context;
use crate::deadline::deadline;
use schedlab_model::{CpuId, Instant, JobId, OverheadKind};
use schedlab_trace::{about, Record};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// A point between two records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// Bytes of records before it.
    pub offset: u64,
    /// The time of the last record before it.
    pub clock: Instant,
}

/// Question about a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Events of this job.
    Job(JobId),
    /// Events from this time on.
    From(Instant),
}

/// A point of the trace, and the positions from which to read up to it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// Position from which to read for a question about a job.
    for_job: Position,
    /// Position from which to read for a question about a time.
    for_time: Position,
    /// The time of the last record before the point.
    clock: Instant,
    /// By task: the number of its jobs that have arrived before the point.
    arrived: Vec<u64>,
}

/// The entries, in the order of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    entries: Vec<Entry>,
}

impl Index {
    /// Returns the position from which to read to know all that is asked; `None` if that is the beginning.
    pub(crate) fn position_for(&self, asked: Asked) -> Option<Position> {
        let is_before = |entry: &Entry| match asked {
            Asked::Job(job) => {
                entry.arrived.get(job.task.index()).is_none_or(|arrived| *arrived <= u64::from(job.number))
            }
            Asked::From(time) => entry.clock < time,
        };
        let count = self.entries.partition_point(is_before);
        self.entries[..count].last().map(|entry| match asked {
            Asked::Job(_) => entry.for_job,
            Asked::From(_) => entry.for_time,
        })
    }

    /// True if the index has no entry.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.iter().all(|entry| entry.for_job == Position::default())
    }
}

/// One task's jobs.
#[derive(Clone, Debug, Default)]
struct Jobs {
    arrived: u64,
    /// Numbers of live jobs, each with the bytes before its arrival.
    live: VecDeque<(u32, u64)>,
}

impl Jobs {
    fn place(&self, job: JobId) -> Option<usize> {
        self.live.iter().position(|(number, _)| *number == job.number)
    }
}

/// Makes the index of the records that it is given.
#[derive(Clone, Debug)]
pub(crate) struct IndexBuilder {
    stride: u64,
    processors: usize,
    here: Position,
    /// Jobs by task, at least for the tasks of the context.
    tasks: Vec<Jobs>,
    /// Overheads that have not ended.
    open: Vec<(CpuId, OverheadKind)>,
    /// Deadlines and windows of subtasks.
    marks: Ends,
    /// Ends of wasted quanta.
    wastes: Ends,
    /// By budget server: the bytes before the last record of its budget.
    servers: Vec<Option<u64>>,
    /// Clean positions from which a reader may begin, without those that no later entry needs.
    clean: VecDeque<Position>,
    index: Index,
    is_broken: bool,
}

impl IndexBuilder {
    /// A builder that makes an entry for every `stride` bytes of records.
    pub(crate) fn new(stride: u64, context: &Context) -> Self {
        IndexBuilder {
            stride,
            processors: context.clusters.len(),
            here: Position::default(),
            tasks: vec![Jobs::default(); context.tasks.len()],
            open: Vec::new(),
            marks: Ends::default(),
            wastes: Ends::default(),
            servers: vec![None; context.server_names.len()],
            clean: VecDeque::from([Position::default()]),
            index: Index::default(),
            is_broken: false,
        }
    }

    /// Takes the next record, which ends after `offset` bytes of records.
    pub(crate) fn record(&mut self, at: Instant, record: &Record, offset: u64) {
        let before = core::mem::replace(&mut self.here, Position { offset, clock: at });
        if self.is_broken {
            return;
        }
        self.marks.pass(at);
        self.wastes.pass(at);
        self.is_broken = self.note(before.offset, record).is_none();
        if self.is_broken || !self.open.is_empty() {
            return;
        }
        let last = self.clean.back().map_or(0, |place| place.offset);
        if offset - last >= self.stride / 16 {
            self.clean.push_back(self.here);
        }
        if offset / self.stride > self.index.entries.len() as u64 {
            self.enter();
        }
    }

    /// The index of all records so far.
    pub(crate) fn finish(self) -> Index {
        match self.is_broken {
            true => Index::default(),
            false => self.index,
        }
    }

    /// Returns `None` if the record's job is not live.
    fn check_job(&self, record: &Record) -> Option<()> {
        match record.job() {
            Some(job) => self.tasks.get(job.task.index())?.place(job).map(|_| ()),
            None => Some(()),
        }
    }

    /// Returns `None` if the context lacks the processor.
    fn check_cpu(&self, cpu: CpuId) -> Option<()> {
        (cpu.index() < self.processors).then_some(())
    }

    /// Updates the builder's state. Returns `None` if the record does not follow the rules.
    fn note(&mut self, before: u64, record: &Record) -> Option<()> {
        match *record {
            Record::Arrival { job, absolute_deadline, .. } => {
                let task = self.tasks.get_mut(job.task.index())?;
                if u64::from(job.number) < task.arrived {
                    return None;
                }
                task.arrived = u64::from(job.number) + 1;
                task.live.push_back((job.number, before));
                if let Some(due) = deadline(absolute_deadline) {
                    self.marks.add(due, before);
                }
            }
            Record::Complete { job } | Record::Abort { job } => {
                let task = self.tasks.get_mut(job.task.index())?;
                let place = task.place(job)?;
                task.live.remove(place);
            }
            Record::OverheadBegin { cpu, kind, .. } => {
                self.check_cpu(cpu)?;
                self.open.push((cpu, kind));
            }
            Record::OverheadEnd { cpu, kind } => {
                self.check_cpu(cpu)?;
                if let Some(place) = self.open.iter().position(|known| *known == (cpu, kind)) {
                    self.open.swap_remove(place);
                }
            }
            Record::Subtask { deadline, .. } => {
                self.check_job(record)?;
                self.marks.add(deadline, before);
            }
            Record::Waste { until, .. } => self.wastes.add(until, before),
            Record::ServerBudget { server, absolute_deadline, .. } => {
                *self.servers.get_mut(server as usize)? = Some(before);
                if let Some(due) = deadline(absolute_deadline) {
                    self.marks.add(due, before);
                }
            }
            Record::ServerUse { server, .. } => {
                self.servers.get(server as usize)?;
            }
            Record::Link { cpu, .. } | Record::Dispatch { cpu, .. } => {
                self.check_cpu(cpu)?;
                self.check_job(record)?;
            }
            // They change nothing, whose they may be.
            Record::Miss { .. } | Record::Run(_) => {}
            about![
                Ready, GiveUp, Preempt, Suspend, Resume, Move, Quantum, Lost, End, urgencies, requests,
                attempts, tasks
            ] => self.check_job(record)?,
        }
        Some(())
    }

    /// Adds an entry for this position, which must be clean.
    #[cold]
    fn enter(&mut self) {
        let Position { offset, clock } = self.here;
        let live = self.tasks.iter().filter_map(|task| task.live.front()).map(|(_, before)| *before);
        let oldest = live.chain(self.wastes.oldest()).min().unwrap_or(offset);
        let for_job = self.last_clean(oldest);
        let known = self.servers.iter().flatten().copied();
        let oldest = known.chain(self.marks.oldest()).chain([oldest]).min().unwrap_or(oldest);
        let for_time = self.last_clean(oldest);
        self.clean.retain(|position| position.offset >= for_time.offset);
        let arrived = self.tasks.iter().map(|task| task.arrived).collect();
        self.index.entries.push(Entry { for_job, for_time, clock, arrived });
    }

    /// Returns the last clean position with at most `most` bytes before it.
    fn last_clean(&self, most: u64) -> Position {
        let count = self.clean.partition_point(|position| position.offset <= most);
        count.checked_sub(1).map(|index| self.clean[index]).unwrap_or_default()
    }
}

/// Things that records announce and that end later: the end, and the bytes before the record. Both rise; a thing that
/// ends no later than an earlier record's is left out.
#[derive(Clone, Debug, Default)]
struct Ends(VecDeque<(Instant, u64)>);

impl Ends {
    /// Adds a thing that the next record announces and that ends at `end`.
    fn add(&mut self, end: Instant, before: u64) {
        if self.0.back().is_none_or(|(last, _)| end > *last) {
            self.0.push_back((end, before));
        }
    }

    /// Removes the things that have ended by `now`.
    fn pass(&mut self, now: Instant) {
        while self.0.front().is_some_and(|(end, _)| *end <= now) {
            self.0.pop_front();
        }
    }

    /// Returns the bytes before the first record whose announced thing has not ended.
    fn oldest(&self) -> Option<u64> {
        self.0.front().map(|(_, before)| *before)
    }
}

/// Version of the index's format.
const VERSION: u16 = 4;

/// Fingerprint that distinguishes traces: the length and a checksum of the bytes. It is no protection against forgers.
pub(crate) type Fingerprint = (u64, u32);

/// Stored form of an index: the version, the fingerprint of the trace, and of each entry both positions, its time, and
/// the arrived jobs.
#[derive(Serialize, Deserialize)]
struct Stored(u16, Fingerprint, Vec<StoredEntry>);

type StoredEntry = ((u64, u64), (u64, u64), u64, Vec<u64>);

impl Index {
    /// The bytes of the index of a trace with this fingerprint.
    pub(crate) fn encode(&self, fingerprint: Fingerprint) -> Vec<u8> {
        let numbers = |position: Position| (position.offset, position.clock.as_ns());
        let entry = |Entry { for_job, for_time, clock, arrived }: &Entry| {
            (numbers(*for_job), numbers(*for_time), clock.as_ns(), arrived.clone())
        };
        let stored = Stored(VERSION, fingerprint, self.entries.iter().map(entry).collect());
        let content = serde_json::to_vec(&stored).expect("numbers are JSON");
        [content.as_slice(), &crc32fast::hash(&content).to_le_bytes()].concat()
    }

    /// Reads the index in `bytes`, and the fingerprint of its trace; `None` if it is damaged or of another version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Index, Fingerprint)> {
        let (content, own) = bytes.split_last_chunk()?;
        let is_whole = crc32fast::hash(content) == u32::from_le_bytes(*own);
        let stored = is_whole.then(|| serde_json::from_slice(content).ok()).flatten();
        let Stored(version, fingerprint, entries) = stored?;
        let position = |(offset, clock_ns)| Position { offset, clock: Instant::from_ns(clock_ns) };
        let entry = |(for_job, for_time, clock_ns, arrived)| Entry {
            for_job: position(for_job),
            for_time: position(for_time),
            clock: Instant::from_ns(clock_ns),
            arrived,
        };
        let entries = entries.into_iter().map(entry).collect();
        (version == VERSION).then_some((Index { entries }, fingerprint))
    }
}
