//! Tests of schedulability that include blocking.

pub mod edf;
pub mod feed;
pub mod response;
