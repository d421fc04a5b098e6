//! For real: threads on stock Linux under any policy and any locking protocol.
//!
//! The runtime drives the very engine that simulates ([`schedlab_sim::Live`]), by a clock and by what threads say. Each
//! task is a thread at a real-time priority behind a [gate](gate): the engine says who should execute where, the gates make
//! it true. One timer thread for each processor, above the tasks, tells the engine of releases and quanta.

mod alarm;
mod architecture;
mod awake;
mod climbed;
mod clock;
mod context;
mod crew;
mod dispatch_lock;
mod domain;
mod doorway;
mod endgame;
pub mod gate;
mod keeper;
mod lease;
mod log;
mod outcome;
mod owner;
mod passages;
mod recorder;
mod refusal;
mod replay;
mod room;
mod run;
mod run_records;
mod sections;
mod shared_object;
mod span;
mod start;
mod stolen;
pub mod sys;
mod threads;
mod ticks;
mod tracer;
mod watchdog;
mod witness;
mod words;

pub use architecture::Architecture;
pub use clock::Clock;
pub use context::Context;
pub use dispatch_lock::DispatchLock;
pub use domain::DomainSetup;
pub use keeper::{Keep, Keeper};
pub use lease::Lease;
pub use outcome::{Ending, Outcome};
pub use owner::Owner;
pub use passages::Passage;
pub use refusal::Refusal;
pub use replay::{replay, Decided, Told};
pub use room::{spawn, try_priority, try_threads, STACK};
pub use run::{run, Options, System};
pub use sections::{Call, Misuse};
pub use shared_object::SharedObject;
pub use span::{Cause, Measured, Span};
pub use stolen::{stolen, Stolen};
pub use threads::{each_job, Background, Body};
pub use ticks::Ticks;
pub use tracer::{cost_of_a_thousand_records, Act, Traced, Tracer};
pub use witness::{Switched, Witness};
