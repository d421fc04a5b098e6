//! Sinks, to which records go.

use crate::record::Record;
use alloc::vec::Vec;
use schedlab_model::Instant;

/// Takes records as they happen, in order of time.
pub trait Sink {
    /// Notes that `record` happened at `at`.
    fn record(&mut self, at: Instant, record: Record);

    /// Notes two records that follow one another at one instant, which some sinks can do faster.
    #[inline(always)]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        self.record(at, first);
        self.record(at, second);
    }
}

/// Ignores all records.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTrace;

impl Sink for NoTrace {
    #[inline(always)]
    fn record(&mut self, _: Instant, _: Record) {}
}

/// All records in memory, for tests and pictures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Records with their times.
    pub records: Vec<(Instant, Record)>,
}

impl Sink for Timeline {
    fn record(&mut self, at: Instant, record: Record) {
        self.records.push((at, record));
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        (**self).record(at, record);
    }

    #[inline]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        (**self).record_both(at, first, second);
    }
}

impl<S: Sink + ?Sized> Sink for alloc::boxed::Box<S> {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        (**self).record(at, record);
    }

    #[inline]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        (**self).record_both(at, first, second);
    }
}

impl<A: Sink, B: Sink> Sink for (A, B) {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        self.0.record(at, record);
        self.1.record(at, record);
    }

    #[inline]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        self.0.record_both(at, first, second);
        self.1.record_both(at, first, second);
    }
}

impl<S: Sink> Sink for Option<S> {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        if let Some(sink) = self {
            sink.record(at, record);
        }
    }

    #[inline]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        if let Some(sink) = self {
            sink.record_both(at, first, second);
        }
    }
}
