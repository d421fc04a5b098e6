//! Results of reading or writing another format, with their losses.

/// Something read or written, with the losses on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted<T> {
    /// The result.
    pub value: T,
    /// Parts of the input that have no place in the result, a line each. Empty if nothing was lost.
    pub lost: Vec<String>,
}
