//! Keeps a domain's records in memory that was there before the run.

use crate::record::log::Writer;
use schedlab_model::Instant;
use schedlab_trace::{Record, Sink};

/// A list of records with a bound; what does not fit is counted.
#[derive(Debug)]
pub(crate) struct Recorder(Writer<(Instant, Record)>);

impl Recorder {
    /// A recorder that writes to `log`.
    pub(crate) fn new(log: Writer<(Instant, Record)>) -> Self {
        Recorder(log)
    }

    /// The records; the last one counts those that are missing.
    pub(crate) fn take(&mut self) -> Vec<(Instant, Record)> {
        let (records, lost) = self.0.items();
        let mut records = records.to_vec();
        if lost > 0 {
            let at = records.last().map_or(Instant::ZERO, |(at, _)| *at);
            records.push((at, Record::Lost { count: lost }));
        }
        records
    }
}

impl Sink for Recorder {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        self.0.push((at, record));
    }
}
