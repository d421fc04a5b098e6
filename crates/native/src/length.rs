//! Lengths of time, as Python gives them.

use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_model::Duration;
use schedlab_scenario::{duration, DURATION};

/// A length of time: text with a unit, or whole nanoseconds.
#[derive(FromPyObject)]
pub(crate) enum Length {
    /// Text such as "2.5 ms".
    Text(String),
    /// Nanoseconds.
    Nanoseconds(i128),
}

impl Length {
    /// Returns the length, or raises an error about `field`.
    pub(crate) fn duration(&self, field: &str) -> PyResult<Duration> {
        match self {
            Length::Text(text) => {
                let wrong = |why| bad_input(format!("{field}: \"{text}\" {why}; allowed: {DURATION}"));
                duration(text).map_err(wrong)
            }
            Length::Nanoseconds(ns) => u64::try_from(*ns).map(Duration::from_ns).map_err(|_| {
                bad_input(format!("{field}: {ns} ns is out of range; allowed: from 0 to 2^64 - 1"))
            }),
        }
    }
}
