//! Conditions of a proof about threads of Linux that no scenario states: versions of the kernel, and the machine.

use schedlab_policy::KernelClass;

/// Returns what a proof about threads of `class` rests on besides the assumptions of its tests, a line each.
///
/// `is_throttled` is true if the kernel keeps some time from real-time threads, though never from these.
pub(super) fn conditions(
    class: KernelClass,
    is_throttled: bool,
    has_mutexes: bool,
    is_bound: bool,
) -> Vec<&'static str> {
    let mut all = vec![
        "each thread sleeps until an absolute time (clock_nanosleep with TIMER_ABSTIME), a period after the last one",
    ];
    match class {
        KernelClass::Fifo if is_throttled => {
            all.push(
                "throttling is as stated, by default 950 ms of each second (kernel.sched_rt_runtime_us; from Linux 6.12 \
                 on only with CONFIG_RT_GROUP_SCHED), or weaker, and the fair server (from 6.12 on) has its default of \
                 50 ms of each second, or less: these threads leave that time to ordinary ones, so that neither stops \
                 them; `schedlab doctor` says how a machine is set",
            );
            all.push(
                "no other real-time thread is on these processors; interrupts and threads of the kernel take what the \
                 overheads charge",
            );
        }
        KernelClass::Fifo => {
            all.push(
                "the kernel gives ordinary threads no time: kernel.sched_rt_runtime_us is -1, and from Linux 6.12 on the \
                 runtime of the fair server is 0, or no ordinary thread starves on these processors; `schedlab doctor` \
                 says how a machine is set",
            );
            all.push(
                "no other thread of these processors has such a priority or a higher one; interrupts and threads of \
                 the kernel take what the overheads charge",
            );
        }
        KernelClass::Deadline if !is_throttled => {
            all.push(
                "the kernel admits all threads and gives ordinary ones no time: kernel.sched_rt_runtime_us is -1, and \
                 from Linux 6.12 on the runtime of the fair server is 0; `schedlab doctor` says how a machine is set",
            );
            all.push("no job exceeds its runtime, for the kernel postpones the deadline of one that does");
        }
        KernelClass::Deadline => {
            all.push(
                "the kernel admits all threads, as no other thread has this class: kernel.sched_rt_runtime_us leaves \
                 95% of the processors to it, and fair servers (from Linux 6.12 on) reserve 5% of these",
            );
            all.push(
                "bounds on response times are of machines without a fair server: deadlines are kept beside one, too",
            );
            all.push("no job exceeds its runtime, for the kernel postpones the deadline of one that does");
        }
    }
    if is_bound {
        all.push("each thread is bound before its first job, and nothing else changes its affinity");
    }
    if has_mutexes {
        all.push("threads share by these mutexes alone, and sleep for nothing else while they hold one");
    }
    all
}
