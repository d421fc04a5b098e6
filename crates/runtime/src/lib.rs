//! For real: threads on stock Linux under any policy and any locking protocol.
//!
//! The runtime drives the very engine that simulates ([`schedlab_sim::Live`]), by a clock and by what threads report.
//! Each task is a thread at a real-time priority behind a *gate*: the engine decides which job executes where, and the
//! gates make it true. A thread that is awake anyway reports releases and quanta to the engine, or else a timer thread
//! above the tasks.
//!
//! | folder | question |
//! |---|---|
//! | `machine` | what does the kernel give this process? |
//! | `record` | what is kept of what happens? |
//! | `timers` | when does a thread report the time to the engine? |
//! | `engine` | who decides, and what is asked of those that make decisions true? |
//! | `backend` | how are decisions made true: by gates, by links in the kernel, or by a scheduling class of Linux? |
//! | `task` | what may a task's code ask for? |
//! | `run` | how does a run begin and end? |
//! | [`program`] | how does a scenario, or a user's program, become a run and its trace a file? |
//!
//! Each folder needs only those above it. `examples/camera.rs` is a small program.

#![warn(clippy::wildcard_enum_match_arm)]
#![warn(unreachable_pub)]

mod backend;
mod engine;
mod machine;
mod options;
pub mod program;
mod record;
mod run;
mod task;
mod timers;

pub use backend::enforcement::Enforcement;
pub use backend::gates::gate::{enter_uncut, leave_uncut, uncut};
pub use backend::kernel_class::KernelRun;
pub use backend::native::{NativeRun, NativeSide};
pub use engine::domain::DomainSetup;
pub use engine::replay::replay;
pub use machine::context_switches::{SwitchListener, Switched};
pub use machine::lease::Lease;
pub use machine::life::{is_alive, this_life};
pub use machine::not_native::NotNative;
pub use machine::owner::Owner;
pub use machine::refusal::Refusal;
pub use machine::room::{spawn, try_priority, try_threads, SMALLEST_STACK, STACK};
pub use machine::shared_object::{place_for_good, SharedObject};
pub use machine::stolen::stolen_from;
pub use machine::sys;
pub use machine::time_stamps::TimeStamps;
pub use options::{BackendChoice, Options};
pub use program::{App, AppError, Finished};
pub use record::call_counts::CallCounts;
pub use record::inputs::EngineInput;
pub use record::keeper::Keep;
pub use record::kernel_scheduler::{KernelScheduler, NativeCounts, QuantaCounts};
pub use record::outcome::{Ending, Outcome};
pub use record::span::{Span, Trigger};
pub use record::tracer::Passage;
pub use run::threads::{each_job, server, Background, Body};
pub use run::{run, Decides, System};
pub use schedlab_model::{Architecture, Duration, Instant, QueueLock, ResourceId, TaskId, Work};
pub use schedlab_scenario::{Scenario, TaskSpec};
pub use task::context::Context;
pub use task::sections::{Call, Misuse};
pub use timers::calls::{EventSource, Released};
