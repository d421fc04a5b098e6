//! Tests that no single crate can hold: the simulator against brute force, analyses against the
//! simulator, policies against their promises, and the house against its rules.
//!
//! [`draw`] makes random systems, [`run`] simulates them, [`brute`] does the same from the definitions alone,
//! [`agreement`] compares the two, [`servers`] does both for budget servers, [`soundness`] holds what analyses say
//! against what happens, and [`answers`] what one command says against what another does.

#![forbid(unsafe_code)]

pub mod agreement;
pub mod answers;
pub mod brute;
pub mod classes;
pub mod climb;
pub mod compare;
pub mod draw;
pub mod features;
pub mod pfair_schedulers;
pub mod replay;
pub mod run;
pub mod servers;
pub mod soundness;
pub mod source;
pub mod system;
pub mod tables;
pub mod utility_schedulers;
