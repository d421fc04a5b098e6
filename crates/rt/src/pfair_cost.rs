//! `schedlab-rt pfair-cost`: what Pfair decisions cost on this machine, aligned and staggered.
//!
//! *A decision* is one task given one quantum: fetch the most urgent, charge it, let it compete again. *A slot* is what
//! the decisions of one slot cost a processor: all of them under a master, which decides for the others
//! (aligned PD2), one invocation of `Schedule` under the staggered algorithm. Weights are random and add up to at most
//! M. Both sorts of scheduler are timed in turn in batches below a millisecond, in processor time of the thread, and
//! medians taken over batches: what else the machine does then disturbs both alike, and seldom.

mod caches;
pub mod fit;
mod rate;
mod slot;
mod systems;

use crate::failure::Failure;
use crate::output;
use clap::{Args, Subcommand};
use cpu_time::ThreadTime;
use std::process::ExitCode;

/// What to measure.
#[derive(Args)]
pub struct PfairCostArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The cost of a decision by number of tasks, 10 to 10,000, with a fit by log N; comparisons are counted.
    Rate(rate::RateArguments),
    /// The cost of a slot to one processor, master/slave beside staggered, by random task set; as JSON.
    Slot(slot::SlotArguments),
}

/// Measures and prints.
pub fn pfair_cost(arguments: &PfairCostArguments) -> Result<ExitCode, Failure> {
    let found = match &arguments.what {
        What::Rate(arguments) => rate::rate(arguments),
        What::Slot(arguments) => slot::slot(arguments)?,
    };
    output::say(&found)?;
    Ok(ExitCode::SUCCESS)
}

/// Nanoseconds of processor time that `work` takes, with what it returns.
fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let begin = ThreadTime::now();
    let result = work();
    (begin.elapsed().as_nanos() as f64, result)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
