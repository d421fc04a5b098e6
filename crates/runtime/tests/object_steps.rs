//! Wait-free objects under every real-time scheduler that is measured: no operation takes more steps than the object
//! says, wherever its thread is preempted, and whatever the others do meanwhile.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

extern crate alloc;

mod inner {
    pub(crate) use core::sync::atomic::AtomicU64 as Inner;
    pub(crate) use std::thread_local;
}
#[path = "../../objects/tests/explored/counted.rs"]
mod counted;
#[macro_use]
#[path = "../../objects/tests/explored/std_sync.rs"]
#[allow(dead_code, unused_imports, reason = "the objects need a part of it")]
mod sync;
#[path = "../../objects/tests/explored/sources.rs"]
#[allow(dead_code, unused_macros, reason = "these tests use the nine objects")]
mod sources;
mod support;

use schedlab_model::{ClusterId, Task};
use schedlab_runtime::{each_job, Body};
use sources::{Kind, Request, Scheme, Shape, TicketLock, Together, Words};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::Arc;
use support::{task, Run};

/// Those that `schedlab measure` measures.
const SCHEDULERS: [&str; 8] = ["P-EDF", "G-EDF", "NG-EDF", "P-RM", "G-RM", "G-FIFO", "PD2", "S-PD2"];
const PROCESSORS: u16 = 2;
/// Operations of a job.
const ROUND: u64 = 500;

/// An object that tasks share, and what was seen of its operations.
struct Shared {
    shape: Shape,
    words: Vec<counted::Word>,
    lock: TicketLock,
    operations: AtomicU64,
    most_steps: AtomicU64,
    most_attempts: AtomicU64,
}

impl Shared {
    fn new(kind: Kind, tasks: usize) -> Self {
        let size = if kind == Kind::Buffer { 10 } else { 1_000 };
        let shape = Shape::new(kind, Scheme::WaitFree, size, tasks);
        let words: Vec<counted::Word> = (0..shape.words()).map(|_| counted::Word::new(0)).collect();
        shape.set_up(Words::new(&words));
        let [operations, most_steps, most_attempts] = [0; 3].map(AtomicU64::new);
        Shared { shape, words, lock: TicketLock::new(), operations, most_steps, most_attempts }
    }

    /// What a job of task `me` does.
    fn operate(&self, me: usize) {
        let (words, shape) = (Words::new(&self.words), self.shape);
        let mut value = [me as u64; 10];
        let mut step = |at: u64| match shape.kind {
            Kind::Buffer => {
                let mut buffer = shape.buffer(&self.lock, words, me);
                match at % 2 {
                    0 => buffer.write(&value, &Together).expect("all live"),
                    _ => buffer.read(&mut value, &Together).expect("all live"),
                }
                buffer.attempts()
            }
            Kind::Queue | Kind::Heap => {
                let mut container = shape.container(&self.lock, words, me);
                let request = if at % 5 < 3 { Request::Put(at) } else { Request::Take };
                let _ = container.apply(request, &Together).expect("all live");
                container.attempts()
            }
        };
        for at in 0..ROUND {
            counted::steps();
            let attempts = step(at);
            self.most_steps.fetch_max(counted::steps() as u64, Relaxed);
            self.most_attempts.fetch_max(attempts, Relaxed);
        }
        self.operations.fetch_add(ROUND, Relaxed);
    }
}

/// So many tasks share an object for so many milliseconds; how often they operated. `None` where real-time priorities
/// are refused.
fn run(scheduler: &'static str, kind: Kind, tasks: u64, ms: u64) -> Option<u64> {
    let shared = Arc::new(Shared::new(kind, tasks as usize));
    let is_partitioned = scheduler.starts_with("P-");
    let made = (0..tasks).map(|at| {
        let period = tasks + 1 + at % 3;
        let cluster = ClusterId(if is_partitioned { at as u16 % PROCESSORS } else { 0 });
        Task { cluster, ..task(1, period, period) }
    });
    let body = |me: u64| -> Body {
        let shared = Arc::clone(&shared);
        each_job(move |_| shared.operate(me as usize))
    };
    let bodies = (0..tasks).map(body).collect();
    Run::of(made.collect(), scheduler, PROCESSORS, ms, bodies).go()?;
    let Shared { shape, operations, most_steps, most_attempts, .. } = &*shared;
    let [operations, steps, attempts] = [operations, most_steps, most_attempts].map(|one| one.load(Relaxed));
    let most = (shape.steps().expect("it is wait-free"), shape.most_attempts().expect("it is wait-free"));
    println!(
        "{scheduler}, {} of {tasks}: {operations} operations, {steps} of {} steps, {attempts} of {} attempts",
        kind.name(),
        most.0,
        most.1
    );
    assert!(steps as usize <= most.0 && attempts <= most.1, "{scheduler} {shape:?}: {steps} steps");
    Some(operations)
}

#[test]
fn wait_free_operations_keep_their_bounds_under_real_schedulers() {
    for kind in Kind::ALL {
        let Some(operations) = run("G-EDF", kind, 4, 50) else { return };
        assert!(operations > 0);
    }
}

#[test]
#[ignore = "10 million operations under eight schedulers: each change runs some, `make soak` these"]
fn ten_million_wait_free_operations_keep_their_bounds() {
    let mut operations = 0;
    for round in 0.. {
        for scheduler in SCHEDULERS {
            for kind in Kind::ALL {
                for tasks in [2, 8, 32] {
                    let Some(more) = run(scheduler, kind, tasks, 200) else { return };
                    operations += more;
                }
            }
        }
        println!("{operations} operations");
        if operations >= 10_000_000 {
            break;
        }
        assert!(round < 20, "the machine is too slow: {operations} operations");
    }
}
