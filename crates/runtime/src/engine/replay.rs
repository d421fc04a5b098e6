//! Replay: an engine decides once more, from the recorded inputs of a run.

use crate::engine::domain::{Decided, DomainSetup};
use crate::engine::native::{begun_jobs, is_by_kernel, placed};
use crate::record::inputs::EngineInput;
use crate::record::span::Measured;
use schedlab_model::{Instant, Invariant, JobId};
use schedlab_policy::Policy;
use schedlab_sim::Setup;
use schedlab_trace::Timeline;

/// Decides by these inputs as a domain does. If they are the inputs of a run, the decisions are all that the run
/// recorded.
pub fn replay(setup: DomainSetup, system: &Setup, inputs: &[(Instant, JobId, EngineInput)]) -> Decided {
    // Where jobs may be preempted at any time, they may move, too.
    let may_move = is_preemptive(&setup.policies);
    let setup = DomainSetup { source: begun_jobs(setup.source, system.tasks.len(), inputs), ..setup };
    let mut live = setup.live(system, Timeline::default());
    if is_by_kernel(inputs) {
        live.leave_budgets_to_inputs();
    }
    for (at, job, what) in inputs {
        match what {
            EngineInput::Reported(input) => {
                live.report(*at, *job, *input);
            }
            EngineInput::FastSection(input) => live.begin_fast_section(*at, *job, *input),
            EngineInput::Resumed => live.wake(*at, *job),
            EngineInput::Called(arrival) => {
                live.advance(*at);
                live.let_arrive(job.task, *arrival);
            }
            EngineInput::Began(_) | EngineInput::Executes(_) | EngineInput::Left => {}
        }
    }
    let summary = live.finish(system.horizon);
    Decided {
        summary,
        records: placed(live.into_sink().records, &system.platform, inputs, may_move),
        inputs: Some(inputs.to_vec()),
        measured: Measured::default(),
    }
}

/// True if a job may be preempted at any time.
pub(crate) fn is_preemptive(policies: &[Box<dyn Policy>]) -> bool {
    policies.iter().all(|policy| policy.promises().contains(&Invariant::RespectsPriority))
}
