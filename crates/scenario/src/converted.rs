//! What is read or written in another format, and what is lost on the way.

/// Something read or written, and what was lost on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted<T> {
    /// The result.
    pub value: T,
    /// What has no place in the result, a line each. Empty if nothing was lost.
    pub lost: Vec<String>,
}
