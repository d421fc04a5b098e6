//! Outcomes that tests make by hand.

use crate::{Outcome, Switched};
use schedlab_model::Instant;
use schedlab_trace::Record;

/// Two tasks, whose threads are 10 and 11, on the machine's processors 3 and 5. Switches: when, thread, processor, to it?
pub(crate) fn outcome(decisions: &[(u64, Record)], switches: &[(u64, i32, usize, bool)]) -> Outcome {
    let switched = |&(at, thread, processor, to)| Switched {
        at: 1_000 + at,
        thread,
        process: 1,
        processor,
        to,
        preempted: false,
    };
    Outcome {
        decisions: decisions.iter().map(|(at, record)| (Instant::from_ns(*at), *record)).collect(),
        zero: 1_000,
        processors: vec![3, 5],
        threads: vec![10, 11],
        witness: Some((switches.iter().map(switched).collect(), 0)),
        ..Outcome::default()
    }
}
