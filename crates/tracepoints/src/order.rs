//! The order of observed threads: the scheduler that stands for Linux's, and the classes of threads.

use schedlab_model::ThreadClass;
use schedlab_policy::{class_name, KernelClass, Scheduler, Scope, EDF, FP};
use schedlab_scenario::interchange::kernel_fifo::{has_ties, ABOVE_ALL};
use schedlab_scenario::{SchedulerSpec, TaskSpec, UrgentPriority};

/// Remark where all are deadline threads.
pub const DEADLINE: &str =
    "ORDER: Linux lets SCHED_DEADLINE threads go by their deadlines, within their runtimes. EDF stands in its place.";

/// Remark where some are deadline threads.
pub const CLASSES: &str =
    "ORDER: Linux lets SCHED_DEADLINE threads go before all others, by their deadlines, then real-time threads by their \
     priorities, then the others: each task states its class. The runtime of a server is taken to be its largest cost, its \
     deadline to be its period.";

/// Class in which a thread was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenClass {
    /// `SCHED_DEADLINE`.
    Deadline,
    /// `SCHED_FIFO` or `SCHED_RR`, with this priority.
    RealTime(u8),
    /// A class without real-time priority.
    Ordinary,
}

/// Classes that the threads of a program have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeenOrder {
    /// All have real-time priorities.
    Fixed,
    /// Some have real-time priorities, and the others none. These have priority 0.
    FixedAndOrdinary,
    /// Some are deadline threads and others are not. Tasks state their class.
    Classes,
    /// All are deadline threads.
    Deadline,
    /// None has a real-time priority.
    Ordinary,
}

/// Returns the scheduler that stands for Linux's, and gives the tasks their priorities and classes. Partitioned if each
/// task has a processor. Where deadline threads are beside others, or threads that may meet share a priority, the
/// scheduler is the class of Linux. Ordinary threads that may meet beside real-time ones share their processor fairly,
/// of which priorities say nothing: these state their class.
pub fn order_of(classes: &[SeenClass], tasks: &mut [TaskSpec]) -> (SchedulerSpec, SeenOrder) {
    let kind = kind(classes);
    let is_fixed = [SeenOrder::Fixed, SeenOrder::FixedAndOrdinary].contains(&kind);
    let is_bound = tasks.iter().all(|task| task.processor.is_some());
    let scope = if is_bound { Scope::Partitioned } else { Scope::Global };
    let ordinary = classes.iter().zip(tasks.iter()).filter(|(seen, _)| **seen == SeenClass::Ordinary);
    let shares = has_ties(ordinary.map(|(_, task)| (task.processor, None)), scope);
    if is_fixed || kind == SeenOrder::Classes {
        for (seen, task) in classes.iter().zip(tasks.iter_mut()) {
            let (priority, class) = match seen {
                SeenClass::Deadline => (ABOVE_ALL, ThreadClass::Deadline),
                SeenClass::RealTime(priority) => (u32::from(*priority), ThreadClass::Fifo),
                // The kernel's larger priorities are more urgent, as the scenario says.
                SeenClass::Ordinary => (0, ThreadClass::Ordinary),
            };
            task.priority = Some(priority);
            task.class = if is_fixed && !shares { ThreadClass::Fifo } else { class };
        }
    }
    let threads = tasks.iter().map(|task| (task.processor, task.priority));
    let name = match kind == SeenOrder::Classes || is_fixed && has_ties(threads, scope) {
        true => class_name(KernelClass::Fifo, scope),
        false => Scheduler::of_order(if is_fixed { FP } else { EDF }, true, scope).name,
    };
    let urgent_priority = UrgentPriority::Largest;
    (SchedulerSpec { name, urgent_priority, ..SchedulerSpec::default() }, kind)
}

fn kind(classes: &[SeenClass]) -> SeenOrder {
    let deadline = classes.contains(&SeenClass::Deadline);
    let ordinary = classes.contains(&SeenClass::Ordinary);
    let fixed = classes.iter().any(|one| matches!(one, SeenClass::RealTime(_)));
    match (deadline, fixed, ordinary) {
        (true, true, _) | (true, _, true) => SeenOrder::Classes,
        (true, false, false) => SeenOrder::Deadline,
        (false, true, true) => SeenOrder::FixedAndOrdinary,
        (false, true, false) => SeenOrder::Fixed,
        (false, false, _) => SeenOrder::Ordinary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    /// Threads of these classes, each on a processor of its own unless `cpu` is one for all.
    fn ordered(
        classes: &[SeenClass],
        cpu: Option<u16>,
    ) -> (String, Vec<(Option<u32>, ThreadClass)>, SeenOrder) {
        let task = |place: u16| {
            let task = TaskSpec::new(format!("t{place}"), Work::from_ns(1), Duration::from_ns(10));
            TaskSpec { processor: Some(cpu.unwrap_or(place)), ..task }
        };
        let mut tasks: Vec<TaskSpec> = (0..classes.len() as u16).map(task).collect();
        let (scheduler, kind) = order_of(classes, &mut tasks);
        (scheduler.name, tasks.iter().map(|task| (task.priority, task.class)).collect(), kind)
    }

    #[test]
    fn classes_of_threads_become_an_order() {
        use SeenClass::{Deadline, Ordinary, RealTime};
        let (fifo, other, server) = (ThreadClass::Fifo, ThreadClass::Ordinary, ThreadClass::Deadline);
        for (classes, cpu, name, tasks, kind) in [
            (
                vec![RealTime(5), RealTime(4)],
                Some(0),
                "P-FP",
                vec![(Some(5), fifo), (Some(4), fifo)],
                SeenOrder::Fixed,
            ),
            (vec![RealTime(5), RealTime(5)], None, "P-FP", vec![(Some(5), fifo); 2], SeenOrder::Fixed),
            (
                vec![RealTime(5), RealTime(5)],
                Some(0),
                "P-SCHED_FIFO",
                vec![(Some(5), fifo); 2],
                SeenOrder::Fixed,
            ),
            (
                vec![RealTime(5), Ordinary, Ordinary],
                Some(0),
                "P-SCHED_FIFO",
                vec![(Some(5), fifo), (Some(0), other), (Some(0), other)],
                SeenOrder::FixedAndOrdinary,
            ),
            (
                vec![RealTime(5), Ordinary, Ordinary],
                None,
                "P-FP",
                vec![(Some(5), fifo), (Some(0), fifo), (Some(0), fifo)],
                SeenOrder::FixedAndOrdinary,
            ),
            (
                vec![Deadline, RealTime(5), Ordinary],
                None,
                "P-SCHED_FIFO",
                vec![(Some(99), server), (Some(5), fifo), (Some(0), other)],
                SeenOrder::Classes,
            ),
            (vec![Deadline, Deadline], None, "P-EDF", vec![(None, fifo); 2], SeenOrder::Deadline),
            (vec![Ordinary], None, "P-EDF", vec![(None, fifo)], SeenOrder::Ordinary),
        ] {
            assert_eq!(ordered(&classes, cpu), (name.to_owned(), tasks, kind), "{classes:?}");
        }
    }
}
