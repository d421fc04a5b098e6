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
mod losses;
mod membus;
mod overheads;
mod pfair_sharing;
mod pieces;
mod place;
mod plain;
pub mod plugin;
mod policy;
mod reach;
mod rows;
mod scenario;
mod signals;
mod simulate;
mod simulations;
mod supertasks;
mod table;
mod trace;
mod windows;

use pyo3::prelude::*;
use schedlab_lab::sensitivity::Factor;

/// Version of PyO3 with which schedulers of others are built: the one in Cargo.toml.
const PYO3_VERSION: &str = "0.29";

/// Contents of the module; `schedlab` re-exports the public part.
#[pymodule]
mod _native {
    use super::*;

    #[pymodule_export]
    use super::{
        analyze::analyze_many,
        batch::judge_sets,
        catalog::{defaults, generate, is_scheduler, names, nanoseconds, schema},
        compared::over_bound,
        conclusion::conclude,
        crosscheck::accounting::accounted,
        crosscheck::bounds::{
            edf_response_times, fair_lateness_points, generalized_responses, largest_piece, suspension_bounds,
        },
        crosscheck::locking::{blocking_bounds, pedf_msrp_schedulable, response_times_with_blocking},
        crosscheck::overheads::requests_with_overheads,
        crosscheck::programs::program_bounds,
        crosscheck::utility::utility_queues,
        crosscheck::{
            busy_windows, devi_anderson_x, global_edf_responses, global_fp_responses, is_proved, pack,
        },
        jobs::{explore_job_set, rewrite_job_set},
        membus::{bus_slots, memory_use},
        overheads::{import_overheads, overheads_of_objects, whole_overheads},
        pfair_sharing::{guaranteed_weight, pfair_requests},
        policy::{PyDecisions, PyEvent, PyJob, PyJobId, PyJobs},
        reach::{breakdown_of, required_processors_of},
        scenario::{missing_concept, refuse_foreign, PyScenario},
        simulations::PySimulations,
        supertasks::supertask_weight,
        table::ArrowTable,
        trace::{PyDrawn, PyTrace},
        windows::{staggered_events, windows},
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("LARGEST_MARGIN_PERCENT", Factor::LARGEST.growth_percent())?;
        module.add("PYO3_VERSION", PYO3_VERSION)
    }
}
