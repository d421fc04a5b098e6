//! Entry points of the simulator: called through pointers, or compiled for the types of their parts.

use crate::behaviour::{Script, Scripted, Source};
use crate::engine::Engine;
use crate::locks::NoLocks;
use crate::setup::{Setup, Summary};
use crate::workspace::Workspace;
use schedlab_lock::LockProtocol;
use schedlab_model::{Instant, JobSource};
use schedlab_policy::Policy;
use schedlab_trace::Sink;

/// Simulates until the horizon. `policies` holds one policy for each cluster of the platform.
///
/// Calls the parts through pointers, so that the simulator is compiled once, not for each combination of their types.
///
/// Panics if a cluster has no policy, if a task's cluster does not exist, or if a policy or protocol breaks its
/// contract.
pub fn simulate<'a>(
    setup: Setup,
    policies: Vec<impl Policy + 'a>,
    locks: impl LockProtocol + 'a,
    source: impl JobSource + 'a,
    mut sink: impl Sink,
) -> Summary {
    let policies = policies.into_iter().map(|policy| Box::new(policy) as Box<dyn Policy + 'a>).collect();
    simulate_by_pointers(setup, policies, Box::new(locks), Box::new(source), &mut sink, &mut |_| true)
}

/// Simulates as [`simulate`] does, with parts that are pointers. Calls `watch` from time to time with the simulated
/// time; stops if it returns false.
pub fn simulate_by_pointers<'a>(
    setup: Setup,
    policies: Vec<Box<dyn Policy + 'a>>,
    locks: Box<dyn LockProtocol + 'a>,
    source: Box<dyn JobSource + 'a>,
    sink: &mut dyn Sink,
    watch: &mut dyn FnMut(Instant) -> bool,
) -> Summary {
    simulate_within(&mut Workspace::default(), setup, policies, locks, source, sink, watch)
}

/// Simulates as [`simulate_by_pointers`] does, with the same trace, but compiled for parts of these types: up to three
/// times as fast, and slow to compile. Reuses the memory that simulations before have left in `workspace`.
pub fn simulate_within<P: Policy, L: LockProtocol, J: JobSource, S: Sink>(
    workspace: &mut Workspace,
    setup: Setup,
    policies: Vec<P>,
    locks: L,
    source: J,
    sink: S,
    watch: &mut dyn FnMut(Instant) -> bool,
) -> Summary {
    let (parts, source) = (workspace.0.take().unwrap_or_default(), Scripted(source));
    let has_handlers = setup.tasks.iter().any(|task| task.abort_handler.is_some());
    if setup.charges.are_none() && !source.has_steps() && !has_handlers {
        // Jobs without steps make no requests.
        let engine = Engine::<_, _, _, _, false>::new(parts, setup, policies, NoLocks, source, sink);
        return run(engine, workspace, watch);
    }
    run(Engine::<_, _, _, _, true>::new(parts, setup, policies, locks, source, sink), workspace, watch)
}

/// Simulates, and leaves the engine's memory in the workspace.
fn run<P: Policy, L: LockProtocol, J: Source<Behaviour = Script>, S: Sink, const WHOLE: bool>(
    mut engine: Engine<P, L, J, S, WHOLE>,
    workspace: &mut Workspace,
    watch: &mut dyn FnMut(Instant) -> bool,
) -> Summary {
    let summary = engine.run(watch);
    workspace.0 = Some(engine.into_parts());
    summary
}
