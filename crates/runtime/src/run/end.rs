//! The end of a run: no thread decides any more, all threads are let go, and those that do not come to their ends are
//! shut in.

use super::shared::Shared;
use super::POLL;
use crate::backend::kernel_class::KernelSide;
use crate::engine::domain::Domain;
use crate::engine::permission::Permission;
use crate::engine::stop_barrier::StopBarrier;
use crate::machine::sys;
use crate::options::{Options, ABOVE_TASKS};
use crate::record::outcome::{Ending, Outcome};
use crate::timers::alarm::Alarm;
use crate::timers::calls::Bell;
use schedlab_model::{Instant, TaskId};
use schedlab_trace::Record;
use std::sync::atomic::Ordering::SeqCst;
use std::thread::JoinHandle;
use std::time::Duration;

/// Waits until the tasks' threads have returned, or their time is up: threads that are left are shut in, and named.
/// Time is up if no thread returns for `grace`, as often as the threads that are left share each processor.
fn part(shared: &Shared, tasks: Vec<JoinHandle<()>>, grace: Duration, outcome: &mut Outcome) {
    let (mut before, mut since) = (tasks.len(), sys::monotonic_ns());
    loop {
        let left = tasks.iter().filter(|thread| !thread.is_finished()).count();
        if left < before {
            (before, since) = (left, sys::monotonic_ns());
        }
        let sharing = left.div_ceil(shared.processors.len()) as u64;
        if sys::monotonic_ns() - since >= sharing.saturating_mul(sys::ns(grace)) {
            break;
        }
        sys::sleep_until(sys::monotonic_ns() + POLL);
    }
    outcome.kept_waiting = shared.shutdown.close();
    let is_finished: Vec<bool> = tasks.iter().map(JoinHandle::is_finished).collect();
    for ((thread, gate), task) in tasks.into_iter().zip(shared.gates.iter()).zip((0..).map(TaskId)) {
        if is_finished[task.index()] {
            thread.join().expect("a task's code does not panic");
            continue;
        }
        gate.set(Permission::Wait);
        gate.signal();
        if !outcome.kept_waiting.contains(&task) {
            outcome.runaways.push(task);
        }
    }
}

/// Ends the run: every thread is let go; a thread whose code does not end is shut in, without its priority.
pub(super) fn end_run(
    shared: &Shared,
    tasks: Vec<JoinHandle<()>>,
    (ending, horizon): (Ending, Instant),
    options: &Options,
) -> Outcome {
    let mut outcome = Outcome::default();
    // Threads may spin for the engine's lock: this one must not wait behind them while it holds it.
    if !options.unprivileged {
        let _ = sys::set_fifo(sys::current_thread(), options.priority + ABOVE_TASKS);
    }
    shared.domains.iter().for_each(|domain| domain.close(shared.around()));
    // Not before the domains are closed: the end of a trace comes after its last decision.
    let end = if ending == Ending::Horizon { horizon } else { shared.clock.now().min(horizon) };
    for domain in &shared.domains {
        let mut decided = domain.finish(shared.around(), end);
        outcome.summary.jobs_arrived += decided.summary.jobs_arrived;
        outcome.summary.jobs_completed += decided.summary.jobs_completed;
        outcome.summary.jobs_missed += decided.summary.jobs_missed;
        outcome.summary.instants += decided.summary.instants;
        outcome.decisions.append(&mut decided.records);
        outcome.inputs.push(decided.inputs);
        outcome.spans.push(decided.measured.spans);
        outcome.moves.append(&mut decided.measured.moves);
    }
    // Each domain records the end of its part; one end is enough.
    outcome.decisions.retain(|(_, record)| !matches!(record, Record::End));
    outcome.decisions.sort_by_key(|(at, _)| *at);
    outcome.decisions.push((end, Record::End));
    shared.over.store(true, SeqCst);
    shared.kernel.iter().for_each(KernelSide::end);
    // Afterwards all threads are scheduled by their own classes.
    shared.native.iter().for_each(|native| native.scheduler.let_go());
    shared.alarms.iter().for_each(Alarm::wake);
    shared.domains.iter().filter_map(|domain| domain.event_driven().bell()).for_each(Bell::ring);
    shared.domains.iter().filter_map(Domain::stop_barrier).for_each(StopBarrier::close);
    shared.enforcer.end();
    for gate in shared.gates.iter() {
        gate.set(Permission::End);
    }
    // A thread that was at an engine may have taken its priority back.
    shared.enforcer.end();
    // Not before all gates are open: tasks' threads that are still real-time would go first.
    let _ = sys::set_other(sys::current_thread());
    part(shared, tasks, options.grace, &mut outcome);
    outcome.zero = shared.clock.monotonic(Instant::ZERO);
    outcome.processors.clone_from(&shared.processors);
    outcome
}
