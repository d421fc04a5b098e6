//! The class `SCHED_FIFO` as the scheduler of a file that was made for Linux.

use crate::scenario::TaskSpec;
use schedlab_policy::{kernel_classes, KernelClass, Scheduler, Scope};
use std::collections::BTreeMap;

/// Name of Linux's class for fixed priorities, of this scope.
pub(super) fn kernel_fifo(scope: Scope) -> String {
    let is_it = |class: &Scheduler| class.kernel_class() == Some(KernelClass::Fifo) && class.scope == scope;
    kernel_classes().into_iter().find(is_it).expect("Linux has it partitioned and global").name
}

/// True if two threads that may meet on a processor have the same priority. Linux takes such threads first come, first
/// served; fixed priorities take them by the order of the file. A thread without a processor may meet all others.
pub(super) fn has_ties<'t>(threads: impl Iterator<Item = &'t TaskSpec>, scope: Scope) -> bool {
    let mut seen: BTreeMap<Option<u32>, Vec<Option<u16>>> = BTreeMap::new();
    for one in threads {
        let place = one.processor.filter(|_| scope == Scope::Partitioned);
        let equals = seen.entry(one.priority).or_default();
        let meets = |other: &Option<u16>| place.is_none() || other.is_none() || *other == place;
        if equals.iter().any(meets) {
            return true;
        }
        equals.push(place);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    #[test]
    fn a_thread_without_a_processor_may_meet_all_of_its_priority() {
        let task = |(processor, priority): &(Option<u16>, u32)| TaskSpec {
            processor: *processor,
            priority: Some(*priority),
            ..TaskSpec::new("t", Work::from_ns(1), Duration::from_ns(10))
        };
        let tied = |threads: &[(Option<u16>, u32)]| {
            let tasks: Vec<TaskSpec> = threads.iter().map(task).collect();
            [Scope::Partitioned, Scope::Global].map(|scope| has_ties(tasks.iter(), scope))
        };
        assert_eq!(tied(&[(Some(0), 10), (Some(1), 10)]), [false, true]);
        assert_eq!(tied(&[(Some(0), 10), (Some(0), 10)]), [true, true]);
        assert_eq!(tied(&[(Some(0), 10), (None, 10)]), [true, true]);
        assert_eq!(tied(&[(None, 10), (Some(0), 10)]), [true, true]);
        assert_eq!(tied(&[(Some(0), 10), (None, 11)]), [false, false]);
    }
}
