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

/// The first bytes of an index.
const MAGIC: &[u8; 8] = b"SCHEDIDX";
/// Its format.
const VERSION: u16 = 1;

/// What tells a trace from others: how long it is, and a hash of its bytes. It is no protection against forgers.
#[derive(Clone, Debug)]
pub(crate) struct Fingerprint {
    lanes: [u64; 4],
    waiting: Vec<u8>,
    length: u64,
}

impl Default for Fingerprint {
    fn default() -> Self {
        let lanes =
            [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0x2545_f491_4f6c_dd1d];
        Fingerprint { lanes, waiting: Vec::with_capacity(BLOCK), length: 0 }
    }
}

/// Bytes that are mixed in at once.
const BLOCK: usize = 32;

impl Fingerprint {
    /// The fingerprint's two numbers of `bytes`.
    fn of(bytes: &[u8]) -> (u64, u64) {
        let mut all = Fingerprint::default();
        all.add(bytes);
        all.finish()
    }

    /// Takes the next bytes. How they are cut does not matter.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        self.length += bytes.len() as u64;
        if !self.waiting.is_empty() {
            let missing = (BLOCK - self.waiting.len()).min(bytes.len());
            let (first, rest) = bytes.split_at(missing);
            self.waiting.extend_from_slice(first);
            bytes = rest;
            if self.waiting.len() < BLOCK {
                return;
            }
            let block = core::mem::take(&mut self.waiting);
            mix(&mut self.lanes, &block);
            self.waiting = block;
            self.waiting.clear();
        }
        let mut blocks = bytes.chunks_exact(BLOCK);
        for block in blocks.by_ref() {
            mix(&mut self.lanes, block);
        }
        self.waiting.extend_from_slice(blocks.remainder());
    }

    /// The length and the hash.
    pub(crate) fn finish(mut self) -> (u64, u64) {
        self.waiting.resize(BLOCK, 0);
        mix(&mut self.lanes, &self.waiting);
        let hash = self.lanes.iter().fold(self.length, |hash, lane| mixed(hash ^ lane, hash >> 29));
        (self.length, hash)
    }
}

#[inline]
fn mix(lanes: &mut [u64; 4], block: &[u8]) {
    for (lane, word) in lanes.iter_mut().zip(block.chunks_exact(8)) {
        *lane = mixed(*lane, u64::from_le_bytes(word.try_into().expect("eight bytes")));
    }
}

/// Each word has one result for each state, and each state one for each word.
#[inline]
fn mixed(state: u64, word: u64) -> u64 {
    (state ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(31)
}

impl Index {
    /// The bytes of the index of a trace with this fingerprint.
    pub(crate) fn encode(&self, fingerprint: (u64, u64)) -> Vec<u8> {
        let tasks = self.entries.last().map_or(0, |entry| entry.arrived.len());
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        let head = [fingerprint.0, fingerprint.1, tasks as u64, self.entries.len() as u64];
        head.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
        for entry in &self.entries {
            let known = entry.arrived.iter().copied().chain(core::iter::repeat(0)).take(tasks);
            for number in [entry.from.offset, entry.from.clock.as_ns()].into_iter().chain(known) {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        let (_, own) = Fingerprint::of(&bytes);
        bytes.extend_from_slice(&own.to_le_bytes());
        bytes
    }

    /// The index in `bytes`, and the fingerprint of its trace; nothing if it is damaged or of another version.
    pub(crate) fn decode(bytes: &[u8]) -> Option<(Index, (u64, u64))> {
        let (content, own) = bytes.split_last_chunk::<8>()?;
        if Fingerprint::of(content).1 != u64::from_le_bytes(*own) {
            return None;
        }
        let rest = content.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?;
        let mut numbers =
            rest.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
        let fingerprint = (numbers.next()?, numbers.next()?);
        let (tasks, count) = (numbers.next()?, numbers.next()?);
        let mut index = Index::default();
        for _ in 0..count {
            let from = Position { offset: numbers.next()?, clock: Instant::from_ns(numbers.next()?) };
            let arrived = (0..tasks).map(|_| numbers.next()).collect::<Option<_>>()?;
            index.entries.push(Entry { from, arrived });
        }
        Some((index, fingerprint))
    }
}
