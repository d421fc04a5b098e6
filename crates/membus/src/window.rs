//! Observation of a run between two cycles.

use crate::counts::Counts;
use crate::error::MachineError;
use crate::machine::Machine;
use crate::run::{PendingRequests, Run};

/// Requests pending in a part of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowPart {
    /// Number of pending requests, summed over the cycles of the part.
    pub sum: u64,
    /// Number of pending requests in the worst cycle of the part.
    pub max: u32,
}

/// Observations of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Counts by processor.
    pub processors: Vec<Counts>,
    /// Pending requests by part of the window; all parts have the same length.
    pub parts: Vec<WindowPart>,
}

/// Runs a machine until cycle `to` and observes it from cycle `from` on, in `parts` parts of `(to - from) / parts`
/// cycles. The division must leave no rest. Asks from time to time whether to go on; `None` if it is not to.
pub fn watch(
    machine: &Machine,
    from: u64,
    to: u64,
    parts: usize,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Seen>, MachineError> {
    assert!(from < to && parts > 0, "a window has cycles and parts");
    let length = (to - from) / parts as u64;
    assert_eq!(length * parts as u64, to - from, "parts have the same length");
    let mut run = Run::new(machine)?;
    if !run.advance_while(from, |_| {}, go_on) {
        return Ok(None);
    }
    let all = 0..machine.processors.len();
    let sums = |run: &Run<'_>| -> Vec<Counts> {
        let of = |processor| {
            let mut sum = Counts::default();
            run.counts(processor).into_iter().for_each(|counts| sum += counts);
            sum
        };
        all.clone().map(of).collect()
    };
    let before = sums(&run);
    let mut found = vec![WindowPart::default(); parts];
    if !run.advance_while(to, |span| add(&mut found, from, length, span), go_on) {
        return Ok(None);
    }
    let processors = sums(&run).into_iter().zip(before).map(|(now, before)| now - before).collect();
    Ok(Some(Seen { processors, parts: found }))
}

fn add(parts: &mut [WindowPart], from: u64, length: u64, span: PendingRequests) {
    let mut at = span.from;
    while at < span.to {
        let index = (at - from) / length;
        let end = span.to.min(from + (index + 1) * length);
        let part = &mut parts[index as usize];
        part.sum += (end - at) * u64::from(span.requests);
        part.max = part.max.max(span.requests);
        at = end;
    }
}
