//! The threads of a run: one for each task, one timer for each processor, and those in the background.

use crate::architecture::World;
use crate::context::Context;
use crate::run::Shared;
use crate::sys;
use schedlab_model::{CpuId, Step, TaskId};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// What a task's thread does, from before its first job to after its last. When it returns, the task leaves.
pub type Body = Box<dyn FnOnce(&mut Context<'_>) + Send>;

/// What an ordinary thread does with the time that the tasks leave, until the flag is set.
pub type Background = Box<dyn FnOnce(&AtomicBool) + Send>;

/// A task each of whose jobs does `job`.
pub fn each_job(mut job: impl FnMut(&mut Context<'_>) + Send + 'static) -> Body {
    Box::new(move |context| {
        while context.next_job() {
            job(context);
        }
    })
}

/// What a task's thread does, what its program says that it does, and where its decisions are made.
pub(crate) struct Code {
    pub body: Body,
    pub program: Vec<Step>,
    pub domain: usize,
}

/// The calling thread's real-time priority, if it is to have one. That it may have one was tried before the run.
fn set_priority(priority: Option<u8>) {
    if let Some(priority) = priority {
        let _ = sys::set_fifo(sys::current_thread(), priority);
    }
}

/// A thread that the kernel, too, knows by a name.
fn named<T: Send + 'static>(name: String, code: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    thread::Builder::new().name(name).spawn(code).expect("the system has room for the run's threads")
}

/// The thread that tells of a processor's time.
pub(crate) fn spawn_timer(shared: &Arc<Shared>, cpu: usize, priority: Option<u8>) -> JoinHandle<()> {
    let shared = Arc::clone(shared);
    named(format!("timer {cpu}"), move || {
        // It was tried before the run.
        let _ = sys::set_affinity(sys::current_thread(), shared.processors[cpu]);
        set_priority(priority);
        let domain = shared.domains.iter().find(|domain| domain.has(CpuId(cpu as u16)));
        let domain = domain.expect("each processor belongs to a domain");
        while !shared.over.load(SeqCst) {
            if shared.alarms[cpu].sleep() {
                let due = shared.alarms[cpu].clear();
                domain.tell_time(shared.around(), due, None);
            }
        }
    })
}

/// The threads that make processors stand still, of all domains that decide so.
pub(crate) fn spawn_standing(shared: &Arc<Shared>, priority: u8) -> Vec<JoinHandle<()>> {
    let worlds = shared.domains.iter().enumerate().filter_map(|(at, domain)| Some((at, domain.world()?)));
    let places = worlds.flat_map(|(domain, world)| (0..world.processors().len()).map(move |at| (domain, at)));
    let spawn = |(domain, at): (usize, usize)| {
        let shared = Arc::clone(shared);
        named(format!("standstill {at}"), move || {
            let world: &World = shared.domains[domain].world().expect("it was there a moment ago");
            // Both were tried before the run.
            let _ = sys::set_affinity(sys::current_thread(), world.processors()[at]);
            set_priority(Some(priority));
            world.serve(at);
        })
    };
    places.map(spawn).collect()
}

/// The thread of a task.
pub(crate) fn spawn_task(
    shared: &Arc<Shared>,
    task: TaskId,
    code: Code,
    priority: Option<u8>,
) -> JoinHandle<()> {
    let shared = Arc::clone(shared);
    named(format!("task {}", task.0), move || {
        let Code { body, program, domain } = code;
        let _mine = shared.gates[task.index()].adopt();
        set_priority(priority);
        let (domain, gate) = (&shared.domains[domain], &shared.gates[task.index()]);
        gate.set_inside(false);
        let mut context = Context::new(domain, shared.around(), &shared.stop, task, &program);
        let ended = panic::catch_unwind(AssertUnwindSafe(|| {
            body(&mut context);
            context.leave();
        }));
        if ended.is_err() {
            // Nobody else must wait for this task's job: the run ends.
            let _ = shared.crashed.compare_exchange(0, task.0 + 1, SeqCst, SeqCst);
        }
        // What the panic has left is its code's, too.
        drop(ended);
        let _ = sys::set_other(sys::current_thread());
        gate.set_inside(true);
        shared.endgame.go(task);
    })
}

/// An ordinary thread, from time zero on. It says how much processor time it got, in nanoseconds.
pub(crate) fn spawn_background(shared: &Arc<Shared>, code: Background, zero: u64) -> JoinHandle<u64> {
    let shared = Arc::clone(shared);
    thread::spawn(move || {
        sys::sleep_until(zero);
        let before = sys::thread_cpu_ns();
        code(&shared.over);
        sys::thread_cpu_ns() - before
    })
}
