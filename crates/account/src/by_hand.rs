//! Real runs that tests make by hand.

use crate::trace::real_run::{RealRun, Switch, Switches};
use schedlab_model::{CpuId, Duration, Instant, TaskId};
use schedlab_trace::{Record, Thread};

/// The thread of the first task.
pub(crate) const OWN: Thread = Thread::Task(TaskId(0));
/// A thread of another program.
pub(crate) const OTHER: Thread = Thread::Other(99);

/// Switches of a thread that was on processor 0 between these microseconds, and was ready as it left.
pub(crate) fn ran(thread: Thread, from: u64, to: u64) -> [Switch; 2] {
    let at = |us: u64| Instant::from_ns(us * 1_000);
    [(from, true), (to, false)].map(|(us, to)| Switch { at: at(us), cpu: CpuId(0), thread, to, ready: !to })
}

/// A run of one task on one processor.
pub(crate) fn one_task(decisions: Vec<(Instant, Record)>, switches: Vec<Switch>, missing: u64) -> RealRun {
    of(1, 1, decisions, switches, missing)
}

/// A run of `tasks` tasks on `processors` processors.
pub(crate) fn of(
    tasks: usize,
    processors: usize,
    decisions: Vec<(Instant, Record)>,
    switches: Vec<Switch>,
    missing: u64,
) -> RealRun {
    RealRun {
        tasks,
        decisions,
        switches: Some(Switches { all: switches, missing }),
        afterwards: vec![Duration::ZERO; tasks],
        processors: (0..processors).collect(),
        has_priorities: true,
        ..RealRun::default()
    }
}

/// Two tasks on two processors, decided and switched at these nanoseconds. Switches: the time, the task, the processor,
/// and whether the thread got it.
pub(crate) fn two_tasks(decisions: &[(u64, Record)], switches: &[(u64, u32, u16, bool)]) -> RealRun {
    let switch = |&(at, task, cpu, to): &(u64, u32, u16, bool)| Switch {
        at: Instant::from_ns(at),
        cpu: CpuId(cpu),
        thread: Thread::Task(TaskId(task)),
        to,
        ready: false,
    };
    let decisions = decisions.iter().map(|(at, record)| (Instant::from_ns(*at), *record)).collect();
    of(2, 2, decisions, switches.iter().map(switch).collect(), 0)
}
