//! What the threads of a recording did: a sweep over its events, in order of time.
//!
//! A job of a thread is what it executes from its release until it sleeps. A release is a wake-up; where the trace has
//! none, the first run after a sleep. A wait for a mutex with priority inheritance is no end of a job.
//!
//! The sweep never guesses. A processor's switch is believed if the thread that leaves is the one that came last.
//! Otherwise the run of the thread that leaves has no known begin, and its job has no known cost. Where events of a
//! processor are missing, nothing is concluded across the hole.

mod job;
mod life;
mod sweep;

pub(crate) use job::Job;
pub(crate) use life::Life;
pub(crate) use sweep::{sweep, Fact, Hole, Swept};
