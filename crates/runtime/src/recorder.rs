//! Keeps a domain's records in memory that was there before the run.

use schedlab_model::Instant;
use schedlab_trace::{Record, Sink};

/// A list of records with a bound; what does not fit is counted.
#[derive(Debug)]
pub(crate) struct Recorder {
    records: Vec<(Instant, Record)>,
    lost: u64,
}

impl Recorder {
    /// Room for `capacity` records, touched so that no page is missing later.
    pub fn new(capacity: usize) -> Self {
        let mut records = vec![(Instant::ZERO, Record::End); capacity];
        records.clear();
        Recorder { records, lost: 0 }
    }

    /// Takes the records out; at their end, how many are missing.
    pub fn take(&mut self) -> Vec<(Instant, Record)> {
        if self.lost > 0 {
            let at = self.records.last().map_or(Instant::ZERO, |(at, _)| *at);
            self.records.push((at, Record::Lost { count: self.lost }));
        }
        std::mem::take(&mut self.records)
    }
}

impl Sink for Recorder {
    #[inline]
    fn record(&mut self, at: Instant, record: Record) {
        // One place stays free for the count of what is lost.
        if self.records.len() + 1 < self.records.capacity() {
            self.records.push((at, record));
        } else {
            self.lost += 1;
        }
    }
}
