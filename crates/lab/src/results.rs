//! Results as plain values: `--json` prints them, and Python receives them.
//!
//! Each struct is the one description of its result. The struct's fields are the keys of the JSON; Python's types are
//! generated from its schema (`tests/tests/python_types.rs`). Times are nanoseconds, and tasks are named.

mod analysis;
mod bus;
mod comparison;
mod conclusion;
mod feasibility;
mod job_set;
mod least_servers;
mod measured;
mod memory;
mod placement;
mod steps;
mod supertask;
mod task_row;

pub use crate::advise::linux::LinuxAdvice;
pub use crate::advise::Advice;
pub use crate::deploy::DeployedProof;
pub use analysis::{analysis_of, AnalysisResult};
pub use bus::{BusMachine, BusSeen};
pub use comparison::{ComparedScenarioResult, UtilizationResult};
pub use conclusion::{conclusion_of, AnswerName, ConclusionResult, GuaranteeName, PlainVerdict};
pub use feasibility::{by_run, within_affinities, FeasibilityResult};
pub use job_set::{explored_jobs, explored_jobs_as_published, ExploredJobs};
pub use least_servers::{least_servers, LeastServers, NotSearched, TriedPeriods};
pub use measured::MeasuredResult;
pub use memory::{delays_beside, memory_use_of, BesideCharged, MemoryUseResult};
pub use placement::{placement_of, PlacementResult};
pub use steps::AskedSteps;
pub use supertask::SupertaskResult;
pub use task_row::{task_rows, TaskRow};
