//! A run's decisions once more, from what its engines were told.

use crate::decide::domain::{Decided, DomainSetup};
use crate::record::inputs::Told;
use crate::record::span::Measured;
use schedlab_model::{Instant, JobId};
use schedlab_sim::{Live, Setup};
use schedlab_trace::Timeline;

/// What a domain decides when it is told this: all that a run recorded, if it was told what the run was.
pub fn replay(setup: DomainSetup, system: &Setup, told: &[(Instant, JobId, Told)]) -> Decided {
    let DomainSetup { policies, locks, source, .. } = setup;
    let mut live = Live::new(system.clone(), policies, locks, source, Timeline::default());
    for (at, job, what) in told {
        match what {
            Told::Does(input) => {
                live.tell(*at, *job, *input);
            }
            Told::Did(input) => live.claim(*at, *job, *input),
            Told::Wakes => live.wake(*at, *job),
        }
    }
    let summary = live.finish(system.horizon);
    Decided {
        summary,
        records: live.into_sink().records,
        told: Some(told.to_vec()),
        measured: Measured::default(),
    }
}
