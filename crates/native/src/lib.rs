//! The Python module `schedlab._native`: converts values between Python and Rust, decides nothing.
//!
//! It is also the library that schedulers of others build against: see [`plugin`].

#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod analyze;
mod batch;
mod catalog;
mod compared;
mod conclusion;
mod crosscheck;
mod errors;
mod jobs;
mod length;
mod membus;
mod overheads;
mod pfair_sharing;
mod place;
mod plain;
pub mod plugin;
mod policy;
mod reach;
mod rows;
mod scenario;
mod simulate;
mod simulations;
mod supertasks;
mod table;
mod trace;
mod windows;

use pyo3::prelude::*;

/// The PyO3 that schedulers of others build with: the one in Cargo.toml.
const PYO3_VERSION: &str = "0.29";

/// What the Python package is made of; `schedlab` re-exports its public part.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::policy::{PyDecisions, PyEvent, PyJob, PyJobId, PyJobs};

    #[pymodule_export]
    use super::overheads::{import_overheads, overheads_of_objects, whole_overheads};

    #[pymodule_export]
    use super::scenario::PyScenario;

    #[pymodule_export]
    use super::trace::PyTrace;

    #[pymodule_export]
    use super::analyze::analyze_many;

    #[pymodule_export]
    use super::batch::judge_sets;

    #[pymodule_export]
    use super::reach::{breakdown_of, required_processors_of};

    #[pymodule_export]
    use super::simulations::PySimulations;

    #[pymodule_export]
    use super::table::ArrowTable;

    #[pymodule_export]
    use super::crosscheck::explore::explored_completions;

    #[pymodule_export]
    use super::crosscheck::locking::{blocking_bounds, pedf_msrp_schedulable, response_times_with_blocking};

    #[pymodule_export]
    use super::crosscheck::accounting::accounted;
    #[pymodule_export]
    use super::crosscheck::bounds::{
        edf_response_times, fair_lateness_points, generalized_responses, largest_piece, suspension_bounds,
    };
    #[pymodule_export]
    use super::crosscheck::locks::locked_completions;
    #[pymodule_export]
    use super::crosscheck::overheads::requests_with_overheads;
    #[pymodule_export]
    use super::crosscheck::programs::program_bounds;
    #[pymodule_export]
    use super::crosscheck::utility::utility_queues;

    #[pymodule_export]
    use super::crosscheck::{
        busy_windows, completions, devi_anderson_x, global_edf_responses, global_edf_test,
        global_fp_responses, pack, quanta, uniprocessor_test,
    };

    #[pymodule_export]
    use super::catalog::{defaults, generate, is_scheduler, names, nanoseconds, schema};

    #[pymodule_export]
    use super::compared::over_bound;
    #[pymodule_export]
    use super::conclusion::conclude;

    #[pymodule_export]
    use super::membus::{bus_slots, memory_use};

    #[pymodule_export]
    use super::jobs::{explore_job_set, rewrite_job_set};
    #[pymodule_export]
    use super::pfair_sharing::{guaranteed_weight, pfair_requests};
    #[pymodule_export]
    use super::supertasks::supertask_weight;
    #[pymodule_export]
    use super::windows::{staggered_events, windows};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("PYO3_VERSION", PYO3_VERSION)
    }
}
