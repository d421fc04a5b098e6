//! The class `SCHED_FIFO` as the scheduler of a file that was made for Linux.

use crate::scenario::TaskSpec;
use schedlab_policy::{kernel_classes, KernelClass, Scheduler, Scope};
use std::collections::BTreeSet;

/// Name of Linux's class for fixed priorities, of this scope.
pub(super) fn kernel_fifo(scope: Scope) -> String {
    let is_it = |class: &Scheduler| class.kernel_class() == Some(KernelClass::Fifo) && class.scope == scope;
    kernel_classes().into_iter().find(is_it).expect("Linux has it partitioned and global").name
}

/// True if two threads that may meet on a processor have the same priority. Linux takes such threads first come, first
/// served; fixed priorities take them by the order of the file.
pub(super) fn has_ties<'t>(threads: impl Iterator<Item = &'t TaskSpec>, scope: Scope) -> bool {
    let key = |one: &TaskSpec| (one.processor.filter(|_| scope == Scope::Partitioned), one.priority);
    let mut seen = BTreeSet::new();
    !threads.map(key).all(|thread| seen.insert(thread))
}
