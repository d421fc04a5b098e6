//! Links make the engine's decisions true: a scheduler in the kernel executes each task's thread where it is linked,
//! and nowhere else.
//!
//! The gate of a thread still says what the thread may do, and the thread sleeps there between its jobs. But a thread
//! in its job's code is not signalled: the kernel takes its processor. The decisions of one call of the engine become
//! links together, so that threads which change places are never on one processor.

use crate::backend::gates::gate::{make_ordinary, Gate};
use crate::engine::enforcer::Enforcer;
use crate::engine::permission::Permission;
use crate::machine::sys::Tid;
use schedlab_model::{CpuId, TaskId};
use schedlab_scx::Follower;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::Arc;

/// No task.
const NONE: u32 = 0;

/// A processor of the system.
#[derive(Debug, Default)]
struct Linked {
    /// The task that is to be linked to the processor, plus one; 0 for none. It is also the index of its thread.
    index: AtomicU32,
    /// True if the kernel does not know the link yet.
    is_new: AtomicBool,
    /// True if the linked thread has not got its permission yet.
    opens: AtomicBool,
    /// True if it is to spin.
    spins: AtomicBool,
}

/// The links of all processors of a run, with the gates of its threads.
///
/// Domains have different processors and tasks, so each entry is written under one engine's lock.
#[derive(Debug)]
pub(crate) struct Links {
    gates: Arc<Vec<Gate>>,
    follower: Arc<Follower>,
    /// By processor of the system.
    linked: Vec<Linked>,
    /// By processor of the system: the machine's number of it.
    processors: Vec<usize>,
    /// By task: the processor to which its thread was linked last, plus one.
    last: Vec<AtomicU32>,
}

/// The index of the thread of `task` in the kernel.
pub(crate) fn index_of(task: TaskId) -> u32 {
    task.0 + 1
}

impl Links {
    /// No links yet, of the threads of `gates` to these processors of the machine.
    pub(crate) fn new(gates: Arc<Vec<Gate>>, follower: Arc<Follower>, processors: &[usize]) -> Self {
        Links {
            last: gates.iter().map(|_| AtomicU32::new(NONE)).collect(),
            linked: processors.iter().map(|_| Linked::default()).collect(),
            processors: processors.to_vec(),
            gates,
            follower,
        }
    }

    /// Takes the link of `task` away, unless another thread has its processor already.
    fn unlink(&self, task: TaskId) {
        let Some(place) = self.last[task.index()].swap(NONE, SeqCst).checked_sub(1) else { return };
        let linked = &self.linked[place as usize];
        if linked.index.compare_exchange(index_of(task), NONE, SeqCst, SeqCst).is_ok() {
            linked.is_new.store(true, SeqCst);
        }
    }

    /// Links `cpu` to the thread of `task`.
    fn link(&self, task: TaskId, cpu: CpuId) {
        let place = u32::from(cpu.0) + 1;
        if self.last[task.index()].load(SeqCst) != place {
            self.unlink(task);
            self.last[task.index()].store(place, SeqCst);
        }
        let linked = &self.linked[cpu.index()];
        if linked.index.swap(index_of(task), SeqCst) != index_of(task) {
            linked.is_new.store(true, SeqCst);
        }
    }

    /// The link of `cpu` for the kernel, if it does not know that yet.
    fn take_new(&self, cpu: CpuId) -> Option<(u32, u32)> {
        let linked = &self.linked[cpu.index()];
        let is_new = linked.is_new.swap(false, SeqCst);
        is_new.then(|| (self.processors[cpu.index()] as u32, linked.index.load(SeqCst)))
    }
}

impl Enforcer for Links {
    fn thread(&self, task: TaskId) -> Option<Tid> {
        self.gates.thread(task)
    }

    fn permission(&self, task: TaskId) -> Permission {
        self.gates.permission(task)
    }

    fn open(&self, task: TaskId, permission: Permission, number: u32) {
        self.gates[task.index()].note_job(number);
        let (cpu, spins) = match permission {
            Permission::Execute(cpu) => (cpu, false),
            Permission::Spin(cpu) => (cpu, true),
            Permission::Wait | Permission::End => return,
        };
        self.link(task, cpu);
        let linked = &self.linked[cpu.index()];
        linked.spins.store(spins, SeqCst);
        linked.opens.store(true, SeqCst);
    }

    fn commit(&self, cpus: &[CpuId]) {
        self.follower.relink(cpus.iter().filter_map(|cpu| self.take_new(*cpu)));
        // Not before the links are there: a thread that wakes up executes where it is linked.
        for cpu in cpus {
            let linked = &self.linked[cpu.index()];
            if linked.opens.swap(false, SeqCst) {
                let task = linked.index.load(SeqCst) - 1;
                let spins = linked.spins.load(SeqCst);
                let permission = if spins { Permission::Spin(*cpu) } else { Permission::Execute(*cpu) };
                self.gates[task as usize].set(permission);
            }
        }
    }

    fn close(&self, task: TaskId) {
        self.gates.close(task);
    }

    fn stop(&self, task: TaskId) {
        self.unlink(task);
    }

    fn wake_early(&self, task: TaskId) {
        self.gates.wake_early(task);
    }

    fn is_asleep(&self, task: TaskId) -> bool {
        self.gates.is_asleep(task)
    }

    /// Links move threads.
    fn move_to(&self, _: TaskId, _: usize) {}

    fn abort(&self, task: TaskId, number: u32) {
        self.gates.abort(task, number);
    }

    fn withdraw(&self, task: TaskId, number: u32) {
        self.gates.withdraw(task, number);
    }

    fn interrupt(&self, task: TaskId) {
        self.gates.interrupt(task);
    }

    /// A thread without a link cannot report the time.
    fn arm_waiting(&self, _: TaskId, _: u64) {}

    fn waiting_until(&self, _: TaskId) -> Option<u64> {
        None
    }

    fn can_be_timed(&self, task: TaskId) -> bool {
        self.gates.can_be_timed(task)
    }

    fn arm_executing(&self, task: TaskId, due: u64) {
        self.gates.arm_executing(task, due);
    }

    fn disarm_executing(&self, task: TaskId) {
        self.gates.disarm_executing(task);
    }

    /// Without the scheduler in the kernel, all threads are scheduled by their own classes.
    fn end(&self) {
        self.follower.let_go();
        make_ordinary(&self.gates);
    }
}
