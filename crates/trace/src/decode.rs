//! Bytes to records.

use crate::part::{byte, cpu, instant, job, number, resource, task};
use crate::record::{Record, SuspendReason};
use crate::run::{self, RunRecord};
use crate::varint;
use core::fmt;
use schedlab_model::{Band, ClusterId, Duration, Instant, JobId, OverheadKind, Priority, Work};

/// Why bytes are not records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeError {
    /// They end within a record: the trace was cut there. What came before is whole.
    Truncated {
        /// Bytes of records before the cut.
        at: usize,
    },
    /// A record has no time, or does not hold what its kind holds.
    Malformed {
        /// Where the record begins, in bytes of records.
        at: usize,
        /// Its kind.
        kind: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Truncated { at } => write!(f, "the trace is cut short after {at} bytes of records"),
            DecodeError::Malformed { at, kind } => {
                write!(f, "the record of kind {kind} at byte {at} of the records is malformed")
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Iterates over the records in `bytes` (those after the header). Skips kinds that it does not know.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    bytes: &'a [u8],
    whole: usize,
    now: Instant,
    failed: bool,
}

impl<'a> Decoder<'a> {
    /// A decoder whose first record is relative to time zero.
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder { bytes, whole: bytes.len(), now: Instant::ZERO, failed: false }
    }

    /// A decoder for bytes that follow others, the last of which left the clock at `now`.
    pub fn resume(bytes: &'a [u8], now: Instant) -> Self {
        Decoder { now, ..Decoder::new(bytes) }
    }

    /// The time of the last record, known or skipped.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Bytes that are decoded.
    #[inline]
    pub fn decoded_bytes(&self) -> usize {
        self.whole - self.bytes.len()
    }

    fn step(&mut self) -> Result<Option<(Instant, Record)>, DecodeError> {
        while let Some((&kind, rest)) = self.bytes.split_first() {
            let at = self.decoded_bytes();
            let cut = DecodeError::Truncated { at };
            let (&length, rest) = rest.split_first().ok_or(cut)?;
            let (mut payload, rest) = rest.split_at_checked(length.into()).ok_or(cut)?;
            let malformed = DecodeError::Malformed { at, kind };
            let since = varint::read(&mut payload).ok_or(malformed)?;
            self.now = self.now.checked_add(Duration::from_ns(since)).ok_or(malformed)?;
            self.bytes = rest;
            if (1..=LAST_KIND).contains(&kind) {
                let record = fields(kind, &mut payload).ok_or(malformed)?;
                return Ok(Some((self.now, record)));
            }
        }
        Ok(None)
    }
}

impl Iterator for Decoder<'_> {
    type Item = Result<(Instant, Record), DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}

/// The highest number of a kind.
const LAST_KIND: u8 = 42;

/// A record of a known kind; `None` if it does not hold what that kind holds.
fn fields(kind: u8, p: &mut &[u8]) -> Option<Record> {
    Some(match kind {
        1 => Record::Arrival {
            job: job(p)?,
            absolute_deadline: instant(p)?,
            cost: Work::from_ns(varint::read(p)?),
        },
        2 => Record::Ready { job: job(p)?, priority: priority(p)?, cluster: ClusterId(number(p)?) },
        3 => Record::Link { cpu: cpu(p)?, job: optional_job(p)? },
        4 => Record::Dispatch { cpu: cpu(p)?, job: job(p)? },
        5 => Record::Preempt { cpu: cpu(p)?, job: job(p)? },
        6 => Record::Suspend { job: job(p)?, reason: reason(p)? },
        7 => Record::Resume { job: job(p)? },
        8 => Record::Priority { job: job(p)?, priority: priority(p)? },
        9 => Record::NpEnter { job: job(p)? },
        10 => Record::NpExit { job: job(p)? },
        11 => Record::Request { job: job(p)?, resource: resource(p)?, units: number(p)? },
        12 => Record::Spin { job: job(p)?, resource: resource(p)? },
        13 => Record::Acquire { job: job(p)?, resource: resource(p)?, units: number(p)? },
        14 => Record::Release { job: job(p)?, resource: resource(p)?, units: number(p)? },
        15 => Record::Quantum { cpu: cpu(p)? },
        16 => Record::Budget { job: job(p)? },
        17 => Record::Move { job: job(p)?, cluster: ClusterId(number(p)?) },
        18 => Record::OverheadBegin { cpu: cpu(p)?, kind: overhead(p)?, job: optional_job(p)? },
        19 => Record::OverheadEnd { cpu: cpu(p)?, kind: overhead(p)? },
        20 => Record::Abort { job: job(p)? },
        21 => Record::Complete { job: job(p)? },
        22 => Record::Miss { job: job(p)? },
        23 => Record::Join { task: task(p)? },
        24 => Record::Leave { task: task(p)? },
        25 => Record::Lost { count: varint::read(p)? },
        26 => Record::End,
        27 => Record::Delay { job: job(p)?, resource: resource(p)? },
        28 => Record::Attempt { job: job(p)?, resource: resource(p)? },
        29 => Record::Retry { job: job(p)?, resource: resource(p)? },
        30 => Record::Commit { job: job(p)?, resource: resource(p)? },
        31 => Record::Subtask { cpu: cpu(p)?, job: job(p)?, release: instant(p)?, deadline: instant(p)? },
        32 => Record::Waste { cpu: cpu(p)?, until: instant(p)? },
        run::FIRST_KIND..=run::LAST_KIND => Record::Run(RunRecord::read(kind, p)?),
        LAST_KIND => Record::GiveUp { job: job(p)? },
        _ => return None,
    })
}

fn optional_job(p: &mut &[u8]) -> Option<Option<JobId>> {
    match byte(p)? {
        0 => Some(None),
        1 => job(p).map(Some),
        _ => None,
    }
}

fn priority(p: &mut &[u8]) -> Option<Priority> {
    let band = match byte(p)? {
        0 => Band::Boosted,
        1 => Band::Base,
        2 => Band::Background,
        _ => return None,
    };
    let point = varint::read(p).filter(|point| *point <= Priority::MAX_POINT)?;
    Some(Priority::in_band(band, point, job(p)?))
}

fn reason(p: &mut &[u8]) -> Option<SuspendReason> {
    match byte(p)? {
        0 => Some(SuspendReason::Itself),
        1 => resource(p).map(SuspendReason::Resource),
        2 => Some(SuspendReason::HeldBack),
        _ => None,
    }
}

fn overhead(p: &mut &[u8]) -> Option<OverheadKind> {
    OverheadKind::ALL.get(usize::from(byte(p)?)).copied()
}
