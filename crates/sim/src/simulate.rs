//! One call simulates, through pointers or compiled for its parts.

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
/// The parts are called through pointers, so that the simulator is compiled once, not for each kind of them.
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

/// As [`simulate`], of parts that are pointers. `watch` is asked from time to time whether to go on; it is given the
/// simulated time.
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

/// As [`simulate_by_pointers`], compiled for parts of these types: up to three times as fast, and slow to compile. It
/// takes memory that simulations before have left. Their traces are the same.
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

/// Simulates, and leaves the memory for the next one.
fn run<P: Policy, L: LockProtocol, J: Source<Behaviour = Script>, S: Sink, const WHOLE: bool>(
    mut engine: Engine<P, L, J, S, WHOLE>,
    workspace: &mut Workspace,
    watch: &mut dyn FnMut(Instant) -> bool,
) -> Summary {
    let summary = engine.run(watch);
    workspace.0 = Some(engine.into_parts());
    summary
}
