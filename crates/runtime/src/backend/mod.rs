//! How are decisions made true? By gates, where the engine decides; or by a scheduling class of Linux, which decides
//! itself.

pub(crate) mod gates;
pub(crate) mod kernel_class;
