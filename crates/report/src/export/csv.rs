//! Rows of comma-separated values, for spreadsheets and data frames.

use serde::Serialize;
use std::io;

/// Rows of comma-separated values under a head; keeps its first error.
#[derive(Debug)]
pub(super) struct Table<W: io::Write> {
    rows: ::csv::Writer<W>,
    failed: Option<::csv::Error>,
}

impl<W: io::Write> Table<W> {
    pub(super) fn new(stream: W, columns: &str) -> Self {
        let mut rows = ::csv::WriterBuilder::new().has_headers(false).from_writer(stream);
        let failed = rows.write_record(columns.split(',')).err();
        Table { rows, failed }
    }

    pub(super) fn row(&mut self, cells: impl Serialize) {
        if self.failed.is_none() {
            self.failed = self.rows.serialize(cells).err();
        }
    }

    /// Returns the stream, or its first error.
    pub(super) fn finish(self) -> io::Result<W> {
        match self.failed {
            Some(error) => Err(error.into()),
            None => self.rows.into_inner().map_err(::csv::IntoInnerError::into_error),
        }
    }
}
