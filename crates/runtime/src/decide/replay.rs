//! A run's decisions once more, from what its engines were told.

use crate::decide::domain::DomainSetup;
use crate::record::span::Measured;
use schedlab_model::{Instant, JobId};
use schedlab_sim::{Input, Live, Setup, Summary};
use schedlab_trace::{Record, Timeline};

/// What an engine was told of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// What the job does.
    Does(Input),
    /// What the job did without asking, before anything else happened.
    Did(Input),
    /// What the job waited for has happened.
    Wakes,
}

/// What a domain decided, and why.
#[derive(Debug, Default)]
pub struct Decided {
    /// Jobs counted.
    pub summary: Summary,
    /// All decisions, by time.
    pub records: Vec<(Instant, Record)>,
    /// What the engine was told; `None` if that was too much to remember.
    pub told: Option<Vec<(Instant, JobId, Told)>>,
    /// How long its own work took, as far as that was remembered.
    pub measured: Measured,
}

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
