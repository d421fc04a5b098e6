//! Resource-protocols-2020, figure 2: costs of P and V by the number of waiting tasks.

use super::{length, values};
use crate::bench::Bench;
use crate::runs::locking;
use crate::runs::sets::scheduler_for;
use schedlab_lock::find_protocol;
use schedlab_model::Duration;
use serde_json::{json, Value};

/// The run.
#[derive(clap::Args)]
pub struct LocksArguments {
    /// The locking protocol.
    #[arg(long)]
    protocol: String,
    /// On so many processors; on those that the protocol takes otherwise.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    processors: Option<u16>,
    /// How long it runs.
    #[arg(long, default_value = "2s", value_parser = length)]
    length: Duration,
}

/// Runs cascades and returns the times of P and V.
pub(crate) fn measure(arguments: &LocksArguments, bench: &Bench) -> Result<Value, String> {
    let protocol = find_protocol(&arguments.protocol).map_err(|error| error.to_string())?;
    let processors = arguments.processors.unwrap_or_else(|| locking::processors(protocol, bench.count()));
    let found = locking::measure(protocol, processors, arguments.length, bench.burner, &bench.stop)?;
    let row =
        |(&(what, waiters), samples)| json!({ "what": what, "waiters": waiters, "ns": values(samples) });
    Ok(json!({
        "scheduler": scheduler_for(protocol),
        "processors": processors,
        "tasks": locking::tasks(processors),
        "rows": found.iter().map(row).collect::<Vec<_>>(),
    }))
}
