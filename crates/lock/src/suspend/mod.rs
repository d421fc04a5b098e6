//! Protocols under which a job that waits gives up its processor.

pub(crate) mod by_schedule;
mod donation;
pub(crate) mod fmlp_plus;
pub(crate) mod gpip;
pub(crate) mod mpcp;
pub(crate) mod omlp;
pub(crate) mod omlp_clustered;
pub(crate) mod omlp_partitioned;
pub(crate) mod pip;
pub(crate) mod posix;
pub(crate) mod ppcp;
pub(crate) mod semaphore;
