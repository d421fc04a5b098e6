//! Parts that several protocols share.

pub(crate) mod admitted;
pub(crate) mod ceilings;
pub(crate) mod denying;
pub(crate) mod groups;
pub(crate) mod highest;
pub(crate) mod holders;
pub(crate) mod mutexes;
pub(crate) mod queued;
pub(crate) mod scoped;
pub(crate) mod wait_queue;
