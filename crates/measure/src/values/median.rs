//! The value in the middle.

/// The median of some values; of an even number the larger of both.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
