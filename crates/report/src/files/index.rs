//! Positions in a trace from which a reader knows all that matters: an index beside the file.
//!
//! What is going on at a point of a trace follows from the records since the arrival of the oldest job that is live
//! there. So an entry holds no state. It says from which earlier position one has to read, and which jobs had arrived
//! at the point. Both positions are *clean*: no overhead is going on, and no quantum is wasted.
//!
//! A trace has no entries if one of its records names a job that is not live, or an arrival is out of order: what such
//! a record means depends on all jobs before. Reading from further back is slower, not wrong.

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

/// A point of the trace, and from where one has to read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    from: Position,
    /// By task: how many of its job numbers are used up at the point.
    arrived: Vec<u64>,
}

/// The entries, in the order of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    entries: Vec<Entry>,
}

impl Index {
    /// From where to read to know all about `job`; none if that is the beginning.
    pub(crate) fn position_before(&self, job: JobId) -> Option<Position> {
        let is_before = |entry: &Entry| {
            entry.arrived.get(job.task.index()).is_none_or(|arrived| *arrived <= u64::from(job.number))
        };
        let count = self.entries.partition_point(is_before);
        self.entries[..count].last().map(|entry| entry.from)
    }

    /// True if it is of no use.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// One task's jobs.
#[derive(Clone, Debug, Default)]
struct Jobs {
    arrived: u64,
    /// Numbers, and the bytes before the arrival.
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
    here: Position,
    tasks: Vec<Jobs>,
    /// Overheads that have not ended.
    open: Vec<(CpuId, OverheadKind)>,
    wasted_until: Instant,
    /// Clean positions from which a reader may begin, those that no later entry needs left out.
    clean: VecDeque<Position>,
    index: Index,
    is_broken: bool,
}

impl IndexBuilder {
    /// With an entry for so many bytes of records.
    pub(crate) fn new(stride: u64) -> Self {
        IndexBuilder {
            stride,
            here: Position::default(),
            tasks: Vec::new(),
            open: Vec::new(),
            wasted_until: Instant::ZERO,
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
        self.is_broken = self.note(before.offset, record).is_none();
        if self.is_broken || !self.open.is_empty() || self.wasted_until > at {
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

    fn task(&mut self, job: JobId) -> &mut Jobs {
        if job.task.index() >= self.tasks.len() {
            self.tasks.resize_with(job.task.index() + 1, Jobs::default);
        }
        &mut self.tasks[job.task.index()]
    }

    /// Nothing if the record does not follow the rules.
    fn note(&mut self, before: u64, record: &Record) -> Option<()> {
        match *record {
            Record::Arrival { job, .. } => {
                let task = self.task(job);
                if u64::from(job.number) < task.arrived {
                    return None;
                }
                task.arrived = u64::from(job.number) + 1;
                task.live.push_back((job.number, before));
            }
            Record::Complete { job } | Record::Abort { job } => {
                let task = self.task(job);
                let place = task.place(job)?;
                task.live.remove(place);
            }
            Record::OverheadBegin { cpu, kind, .. } => self.open.push((cpu, kind)),
            Record::OverheadEnd { cpu, kind } => {
                if let Some(place) = self.open.iter().position(|known| *known == (cpu, kind)) {
                    self.open.swap_remove(place);
                }
            }
            Record::Waste { until, .. } => self.wasted_until = self.wasted_until.max(until),
            // They change nothing, whose they may be.
            Record::Miss { .. } | Record::Run(_) => {}
            about![
                Ready, GiveUp, Quantum, Subtask, Lost, End, places, urgencies, requests, attempts, tasks
            ] => {
                if let Some(job) = record.job() {
                    self.task(job).place(job)?;
                }
            }
        }
        Some(())
    }

    /// An entry for this position, which is clean.
    #[cold]
    fn enter(&mut self) {
        let oldest = self.tasks.iter().filter_map(|task| task.live.front()).map(|(_, before)| *before).min();
        let oldest = oldest.unwrap_or(self.here.offset);
        let count = self.clean.partition_point(|place| place.offset <= oldest);
        self.clean.drain(..count.saturating_sub(1));
        let from = self.clean.front().copied().filter(|place| place.offset <= oldest).unwrap_or_default();
        let arrived = self.tasks.iter().map(|task| task.arrived).collect();
        self.index.entries.push(Entry { from, arrived });
    }
}

/// The version of its format.
const VERSION: u16 = 2;

/// What tells a trace from others: how long it is, and a checksum of its bytes. It is no protection against forgers.
pub(crate) type Fingerprint = (u64, u32);

/// A version, what trace it is of, and of each entry the position's two numbers and what had arrived.
#[derive(Serialize, Deserialize)]
struct Stored(u16, Fingerprint, Vec<(u64, u64, Vec<u64>)>);

impl Index {
    /// The bytes of the index of a trace with this fingerprint.
    pub(crate) fn encode(&self, fingerprint: Fingerprint) -> Vec<u8> {
        let entry = |Entry { from, arrived }: &Entry| (from.offset, from.clock.as_ns(), arrived.clone());
        let stored = Stored(VERSION, fingerprint, self.entries.iter().map(entry).collect());
        let content = serde_json::to_vec(&stored).expect("numbers are JSON");
        [content.as_slice(), &crc32fast::hash(&content).to_le_bytes()].concat()
    }

    /// The index in `bytes`, and the fingerprint of its trace; nothing if it is damaged or of another version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Index, Fingerprint)> {
        let (content, own) = bytes.split_last_chunk()?;
        let is_whole = crc32fast::hash(content) == u32::from_le_bytes(*own);
        let stored = is_whole.then(|| serde_json::from_slice(content).ok()).flatten();
        let Stored(version, fingerprint, entries) = stored?;
        let entry = |(offset, clock_ns, arrived)| Entry {
            from: Position { offset, clock: Instant::from_ns(clock_ns) },
            arrived,
        };
        let entries = entries.into_iter().map(entry).collect();
        (version == VERSION).then_some((Index { entries }, fingerprint))
    }
}
