//! A deterministic, event-driven simulator of schedulers and locking protocols.
//!
//! The engine drives the same policy and protocol values as the Linux runtime does, on processors with the overheads of
//! the [`Setup`]. Time is in whole nanoseconds. Memory does not grow with the horizon.
//!
//! The events of one instant are handled in the order that [`schedlab_model::Event`] states; `Engine::do_instant`
//! implements it. Then the dispatcher makes processors execute what is linked to them. A job that starts there makes
//! its first request at once, which may cause another decision.
//!
//! A processor executes its link at once if the machine has no overheads. Otherwise it first pays for scheduling and
//! switching, and a remote processor looks at its link an inter-processor interrupt later. A job in a non-preemptive
//! section keeps its processor until the section ends; a section that begins at the very instant at which another ends
//! continues it.
//!
//! | modules | question |
//! |---|---|
//! | `engine` | what happens at an instant, in which order? |
//! | `arrivals`, `stream`, `streams`, `timers`, `ends` | what will happen when? |
//! | `behaviour`, `phase`, `progress`, `budgets`, `given_up` | what does each job do next? |
//! | `processors`, `looks`, `job_table` | which job occupies each processor, and what may policies read of it? |
//! | `clusters`, `deciders`, `locks` | which policy and protocol note an event, and what do they want done? |
//! | `charges`, `overheads` | what does the machine take for itself? |
//! | `setup`, `simulate`, `live`, `workspace`, `recording` | what is simulated, or run, and what is written down? |

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
// A default arm would take a new variant for a known one.
#![warn(clippy::wildcard_enum_match_arm)]

mod arrivals;
mod behaviour;
mod budgets;
mod charges;
mod clusters;
mod deciders;
mod ends;
mod engine;
mod given_up;
mod job_table;
mod live;
mod locks;
mod looks;
mod overheads;
mod phase;
mod processors;
mod progress;
mod recording;
mod setup;
mod simulate;
mod stream;
mod streams;
mod timers;
mod workspace;

pub use charges::Charges;
pub use live::{Input, Live};
pub use locks::NoLocks;
pub use setup::{Setup, Summary};
pub use simulate::{simulate, simulate_by_pointers, simulate_within};
pub use workspace::Workspace;
