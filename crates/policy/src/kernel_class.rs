//! The scheduling classes of Linux itself, as baselines of real runs, in which the kernel decides and no policy. In
//! simulations [`crate::sched_fifo`] stands for the first two.
//!
//! The class `SCHED_FIFO` is one for the whole machine: each processor has a queue, and threads are pushed and pulled
//! between processors so that the most urgent ones execute. `P-SCHED_FIFO` is the same class with each thread bound to
//! the processor of its task, as one would pin threads by hand. `SCHED_DEADLINE` (Lelli, Scordino, Abeni and Faggioli,
//! Software: Practice and Experience 46(6), 2016) is global EDF with a constant-bandwidth server for each thread. It
//! has no partitioned form here, for the kernel refuses its threads an affinity to a part of the machine.

use crate::scheduler::{KernelClass, Make, Scheduler, Scope};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

fn class(name: &str, scope: Scope, description: &str, class: KernelClass) -> Scheduler {
    Scheduler {
        name: name.to_string(),
        aliases: Vec::new(),
        description: description.to_string(),
        scope,
        make: Make::Kernel(class),
        quanta: None,
    }
}

/// Returns the name of the scheduler that stands for a class of Linux: with each thread bound to a processor, or with
/// all on all processors. Panics for a scope that the class does not have.
pub fn class_name(class: KernelClass, scope: Scope) -> String {
    let is_it = |one: &Scheduler| one.kernel_class() == Some(class) && one.scope == scope;
    let known = kernel_classes().into_iter().find(is_it);
    known.expect("Linux has SCHED_FIFO in both scopes, and a global SCHED_DEADLINE").name
}

/// All classes, as schedulers.
pub fn kernel_classes() -> Vec<Scheduler> {
    const FIFO: &str =
        "Linux decides, by fixed priorities: the given ones, else the shortest period goes first";
    const DEADLINE: &str = "Linux decides, by deadlines and budgets";
    [
        class("SCHED_FIFO", Scope::Global, FIFO, KernelClass::Fifo),
        class("P-SCHED_FIFO", Scope::Partitioned, FIFO, KernelClass::Fifo),
        class("SCHED_DEADLINE", Scope::Global, DEADLINE, KernelClass::Deadline),
    ]
    .into_iter()
    .collect()
}
