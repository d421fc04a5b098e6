//! Bounds where a job that waits gives up its processor.

pub mod clustered_omlp;
pub mod fmlp_plus;
pub mod global_fmlp;
pub mod global_omlp;
pub mod global_pip;
pub mod mpcp;
pub mod ppcp;
