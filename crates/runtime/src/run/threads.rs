//! The code of a run's threads: one for each task, one timer thread for each processor, and those in the background.
//!
//! Each thread waits at the start first; the run gives it its processor and its priority there (see
//! [`crate::run::crew`]).

use crate::engine::permission::Permission;
use crate::machine::start::Start;
use crate::machine::sys;
use crate::run::shared::Shared;
use crate::task::context::Context;
use crate::task::gated::Gated;
use crate::task::kernel_class_thread::{KernelClassSurroundings, KernelClassTask, KernelClassThread};
use crate::task::native_thread::{NativeSurroundings, NativeTask, NativeThread};
use crate::task::task_thread::TaskThread;
use crate::timers::thread_timer::report_by;
use schedlab_model::{CpuId, Step, TaskId};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;

/// The code of a task's thread, from before its first job to after its last. When it returns, the task leaves.
pub type Body = Box<dyn FnOnce(&mut Context<'_>) + Send>;

/// The code of an ordinary thread that uses the time that the tasks leave, until the flag is set.
pub type Background = Box<dyn FnOnce(&AtomicBool) + Send>;

/// The code of a task each of whose jobs does `job`.
pub fn each_job(mut job: impl FnMut(&mut Context<'_>) + Send + 'static) -> Body {
    Box::new(move |context| {
        while context.next_job() {
            job(context);
        }
    })
}

/// The code of a server: its jobs execute the sections of other tasks' jobs.
pub fn server() -> Body {
    each_job(|context| context.serve())
}

/// The engine or the class of Linux that decides when a task's thread executes.
pub(crate) enum Decider {
    /// The domain of this number; the program says what the thread may ask for.
    Domain(usize, Vec<Step>),
    /// A scheduling class of Linux.
    Kernel(Box<KernelClassTask>),
    /// A scheduler in the kernel, as an engine would.
    Native(Box<NativeTask>),
}

/// The code of a task's thread, and its decider.
pub(crate) struct Code {
    pub body: Body,
    pub decider: Decider,
}

/// Is the timer thread of processor `cpu`: it reports the time to the engine.
pub(crate) fn be_timer(shared: &Shared, start: &Start, cpu: usize) {
    let domain = shared.domains.iter().find(|domain| domain.has(CpuId(cpu as u16)));
    let domain = domain.expect("each processor belongs to a domain");
    if start.wait().is_none() {
        return;
    }
    while let Some(due) = shared.alarms[cpu].sleep(&shared.over) {
        domain.report_time(shared.around(), due, None);
    }
}

/// Is the thread that reports the calls for a domain's jobs to its engine.
pub(crate) fn be_interrupted(shared: &Shared, start: &Start, domain: usize) {
    let domain = &shared.domains[domain];
    let bell = domain.event_driven().bell().expect("only domains with event-driven tasks have such threads");
    if start.wait().is_none() {
        return;
    }
    let mut heard = 0;
    while bell.wait(&mut heard, &shared.over) {
        domain.report_calls(shared.around());
    }
}

/// Is the thread that makes the processor `index` of a domain stand still while a thread decides.
pub(crate) fn be_standing(shared: &Shared, start: &Start, domain: usize, index: usize) {
    let stop_barrier =
        shared.domains[domain].stop_barrier().expect("only domains that stand still have such threads");
    if start.wait().is_some() {
        stop_barrier.stand_still(index);
    }
}

/// Is the thread of a task.
pub(crate) fn be_task(shared: &Shared, start: &Start, task: TaskId, code: Code) {
    let Code { body, decider } = code;
    let gate = &shared.gates[task.index()];
    let _mine = gate.adopt();
    let reporter = reporter(shared, task, &decider);
    let _reporting = reporter.as_ref().map(|reporter| {
        gate.thread_timer.create();
        report_by(reporter)
    });
    if start.wait().is_none() {
        return;
    }
    gate.set_inside(false);
    let mut context = context(shared, task, decider);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| {
        body(&mut context);
        context.leave();
    }));
    if ended.is_err() {
        // No other task must wait for this task's job: the run ends.
        let _ = shared.crashed.compare_exchange(0, task.0 + 1, SeqCst, SeqCst);
    }
    // Dropping what the panic has left runs code of the task, too.
    drop(ended);
    let _ = sys::set_other(sys::current_thread());
    gate.set_inside(true);
    shared.shutdown.leave(task);
}

/// The reporter of the task's thread, if it may be interrupted to report the time.
fn reporter<'a>(shared: &'a Shared, task: TaskId, decider: &Decider) -> Option<TaskThread<'a>> {
    match decider {
        Decider::Domain(domain, _) => {
            let domain = Some(&shared.domains[*domain]).filter(|domain| domain.interrupts());
            let gate = &shared.gates[task.index()];
            domain.map(|domain| TaskThread::new(domain, shared.around(), gate, task))
        }
        Decider::Kernel(_) | Decider::Native(_) => None,
    }
}

fn context(shared: &Shared, task: TaskId, decider: Decider) -> Context<'_> {
    let gate = &shared.gates[task.index()];
    match decider {
        Decider::Domain(domain, program) => {
            let (domain, around) = (&shared.domains[domain], shared.around());
            let thread = TaskThread::new(domain, around, gate, task);
            Context::gated(Gated::new(thread, (&shared.shutdown, &shared.services), &shared.stop, &program))
        }
        Decider::Kernel(own) => {
            // No decision shuts the gate: only the end of the run uses it.
            gate.open(Permission::Execute(CpuId(0)), 0);
            let around = KernelClassSurroundings {
                side: shared.kernel.as_ref().expect("it is the kernel that decides"),
                clock: &shared.clock,
                gate,
                processors: &shared.processors,
                stop: &shared.stop,
            };
            Context::under_kernel(KernelClassThread::new(*own, around))
        }
        Decider::Native(own) => {
            // As above.
            gate.open(Permission::Execute(CpuId(0)), 0);
            let around = NativeSurroundings {
                native: shared.native.as_ref().expect("it is the kernel that decides"),
                side: shared.kernel.as_ref().expect("it is the kernel that decides"),
                clock: &shared.clock,
                gate,
                processors: &shared.processors,
                stop: &shared.stop,
            };
            Context::native(NativeThread::new(*own, around))
        }
    }
}

/// Is an ordinary thread, from time zero on. Returns the processor time that it got, in nanoseconds.
pub(crate) fn be_background(shared: &Shared, start: &Start, code: Background) -> u64 {
    let Some(zero) = start.wait() else { return 0 };
    sys::sleep_until(zero);
    let before = sys::thread_cpu_ns();
    code(&shared.over);
    sys::thread_cpu_ns() - before
}
