//! Replay: an engine decides once more, from the recorded inputs of a run.

use crate::engine::domain::{Decided, DomainSetup};
use crate::record::inputs::EngineInput;
use crate::record::span::Measured;
use schedlab_model::{Instant, JobId};
use schedlab_sim::Setup;
use schedlab_trace::Timeline;

/// Decides by these inputs as a domain does. If they are the inputs of a run, the decisions are all that the run
/// recorded.
pub fn replay(setup: DomainSetup, system: &Setup, inputs: &[(Instant, JobId, EngineInput)]) -> Decided {
    let mut live = setup.live(system, Timeline::default());
    for (at, job, what) in inputs {
        match what {
            EngineInput::Reported(input) => {
                live.report(*at, *job, *input);
            }
            EngineInput::FastSection(input) => live.begin_fast_section(*at, *job, *input),
            EngineInput::Resumed => live.wake(*at, *job),
        }
    }
    let summary = live.finish(system.horizon);
    Decided {
        summary,
        records: live.into_sink().records,
        inputs: Some(inputs.to_vec()),
        measured: Measured::default(),
    }
}
