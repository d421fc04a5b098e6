//! Short descriptions of many lengths of time.

use crate::results::Distribution;
use schedlab_model::Duration;
use std::fmt;

/// Median, high quantiles and largest of the sorted `all`, in ns; `None` if `all` is empty.
pub fn of(all: &[Duration]) -> Option<Distribution> {
    all.last().map(|largest| Distribution {
        count: all.len(),
        median_ns: quantile(all, 500).as_ns(),
        p99_ns: quantile(all, 990).as_ns(),
        p999_ns: quantile(all, 999).as_ns(),
        largest_ns: largest.as_ns(),
    })
}

/// The value below which this part of the sorted `all` lies.
fn quantile(all: &[Duration], per_mille: usize) -> Duration {
    all[(all.len() - 1) * per_mille / 1_000]
}

/// Prints a line of the distribution after its name; nothing if `all` is empty.
pub fn write(f: &mut fmt::Formatter<'_>, name: &str, all: &[Duration]) -> fmt::Result {
    let Some(largest) = all.last() else { return Ok(()) };
    let (half, most, nearly) = (quantile(all, 500), quantile(all, 990), quantile(all, 999));
    writeln!(f, "{name:<34} median {half}, 99% {most}, 99.9% {nearly}, largest {largest} (of {})", all.len())
}
