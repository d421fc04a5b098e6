//! How blocking enters tests of schedulability.

pub mod edf;
pub mod feed;
pub mod response;
