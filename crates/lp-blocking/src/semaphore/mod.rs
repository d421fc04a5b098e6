//! Semaphores: jobs that wait are suspended, and holders are boosted.

mod columns;
pub mod dflp;
pub mod fmlp_plus;
pub mod mpcp;
