//! Wait-free objects under every scheduler that the runtime takes: no operation takes more steps than the object says,
//! wherever its thread is preempted, and whatever the others do meanwhile.
//!
//! These runs need real-time priorities. Where those are refused, the short test says so and passes. The long one
//! fails: it was asked for.

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

use schedlab_policy::{all_schedulers, kernel_classes, Scheduler, Scope};
use schedlab_runtime::{each_job, sys, App, AppError, Body, Duration, Scenario, TaskSpec, Work};
use schedlab_scenario::Clusters;
use sources::{Kind, Request, Scheme, Shape, TicketLock, Together, Words};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};

const PROCESSORS: u16 = 2;
const MS: u64 = 1_000_000;
/// Bytes of a task's stack.
const STACK: usize = 128 << 10;
/// The part of its millisecond in which a job operates, in nanoseconds.
const JOB_NS: u64 = 800_000;
/// Operations between two looks at the clock.
const ROUND: u64 = 50;
/// Number of operations of the long test under each scheduler.
const OPERATIONS: u64 = 10_000_000;

/// A turn: one run at a time has the processors.
static TURN: Mutex<()> = Mutex::new(());

/// All that the runtime takes: a new one is among them by itself. Under the kernel's classes, the kernel decides.
fn schedulers() -> Vec<Scheduler> {
    all_schedulers().into_iter().chain(kernel_classes()).collect()
}

/// The numbers of operations and attempts that were seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    operations: u64,
    most_steps: u64,
    most_attempts: u64,
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        Seen {
            operations: self.operations + other.operations,
            most_steps: self.most_steps.max(other.most_steps),
            most_attempts: self.most_attempts.max(other.most_attempts),
        }
    }
}

/// An object that tasks share, and what was seen of its operations.
struct Shared {
    shape: Shape,
    words: Vec<counted::Word>,
    lock: TicketLock,
    operations: AtomicU64,
    most_steps: AtomicU64,
    most_attempts: AtomicU64,
}

fn shape(kind: Kind, tasks: usize) -> Shape {
    let size = if kind == Kind::Buffer { 10 } else { 1_000 };
    Shape::new(kind, Scheme::WaitFree, size, tasks)
}

/// Steps and attempts that an operation makes at most.
fn bounds(shape: &Shape) -> (u64, u64) {
    let steps = shape.steps().expect("it is wait-free");
    (steps as u64, shape.most_attempts().expect("it is wait-free"))
}

impl Shared {
    fn new(shape: Shape) -> Self {
        let words: Vec<counted::Word> = (0..shape.words()).map(|_| counted::Word::new(0)).collect();
        shape.set_up(Words::new(&words));
        let [operations, most_steps, most_attempts] = [0; 3].map(AtomicU64::new);
        Shared { shape, words, lock: TicketLock::new(), operations, most_steps, most_attempts }
    }

    fn seen(&self) -> Seen {
        let [operations, most_steps, most_attempts] =
            [&self.operations, &self.most_steps, &self.most_attempts].map(|one| one.load(Relaxed));
        Seen { operations, most_steps, most_attempts }
    }

    /// Executes a job of task `me`.
    fn operate(&self, me: usize) {
        let until = sys::thread_cpu_ns() + JOB_NS;
        while sys::thread_cpu_ns() < until {
            self.operate_for_a_round(me);
        }
    }

    fn operate_for_a_round(&self, me: usize) {
        let (words, shape) = (Words::new(&self.words), self.shape);
        let mut value = [me as u64; 10];
        let mut step = |turn: u64| match shape.kind {
            Kind::Buffer => {
                let mut buffer = shape.buffer(&self.lock, words, me);
                match turn % 2 {
                    0 => buffer.write(&value, &Together).expect("all live"),
                    _ => buffer.read(&mut value, &Together).expect("all live"),
                }
                buffer.attempts()
            }
            Kind::Queue | Kind::Heap => {
                let mut container = shape.container(&self.lock, words, me);
                let request = if turn % 5 < 3 { Request::Put(turn) } else { Request::Take };
                let _ = container.apply(request, &Together).expect("all live");
                container.attempts()
            }
        };
        let (mut most_steps, mut most_attempts) = (0, 0);
        for turn in 0..ROUND {
            counted::steps();
            most_attempts = step(turn).max(most_attempts);
            most_steps = counted::steps().max(most_steps);
        }
        self.most_steps.fetch_max(most_steps as u64, Relaxed);
        self.most_attempts.fetch_max(most_attempts, Relaxed);
        self.operations.fetch_add(ROUND, Relaxed);
    }
}

/// Tasks that take one to two processors, with what any scheduler may need of them.
fn tasks(scheduler: &Scheduler, count: usize) -> Vec<TaskSpec> {
    let task = |index: usize| {
        let period = Duration::from_ns(MS * (2 + count as u64 * 5 / 8 + index as u64 % 3));
        let mut spec = TaskSpec::new(format!("task-{index}"), Work::from_ns(MS), period);
        spec.priority = Some(index as u32);
        spec.priority_point = Some(period);
        spec.processor = (scheduler.scope == Scope::Partitioned).then_some(index as u16 % PROCESSORS);
        spec
    };
    (0..count).map(task).collect()
}

/// Runs `count` tasks that share an object for `ms` milliseconds.
fn run(scheduler: &Scheduler, kind: Kind, count: usize, ms: u64) -> Result<Seen, AppError> {
    let shared = Arc::new(Shared::new(shape(kind, count)));
    let mut scenario = Scenario::new(tasks(scheduler, count));
    // The clusters of clustered ones are of both processors: of one each, they are partitioned.
    scenario.platform.clusters = Clusters::OfSize(PROCESSORS);
    let scenario = scenario.with_processors(PROCESSORS).map_err(AppError::Scenario)?;
    let mut app = App::of(scenario.with_scheduler(&scheduler.name).map_err(AppError::Scenario)?);
    for me in 0..count {
        let shared = Arc::clone(&shared);
        let body: Body = each_job(move |_| shared.operate(me));
        app.code(&format!("task-{me}"), body)?;
    }
    // All of it is locked in memory, anew for each run.
    app.options.stack = STACK;
    app.run(Some(Duration::from_ns(ms * MS)))?;
    let (seen, (steps, attempts)) = (shared.seen(), bounds(&shared.shape));
    let is_bounded = seen.most_steps <= steps && seen.most_attempts <= attempts;
    assert!(
        is_bounded,
        "{} {:?}: {seen:?}, {steps} steps, {attempts} attempts",
        scheduler.name, shared.shape
    );
    Ok(seen)
}

/// Why the machine does not let it run, if that is why.
fn refusal(error: AppError, scheduler: &Scheduler) -> String {
    match error {
        AppError::Refused(why) => why.to_string(),
        other => panic!("{} does not take the tasks: {other}", scheduler.name),
    }
}

/// Every fourth scheduler: to set a run up takes longer than the run.
#[test]
fn wait_free_operations_keep_their_bounds_under_some_schedulers() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for (index, scheduler) in schedulers().iter().step_by(4).enumerate() {
        match run(scheduler, Kind::ALL[index % 3], [2, 8][index % 2], 50) {
            Ok(seen) => assert!(seen.operations > 0, "{}", scheduler.name),
            Err(error) => println!("not run: {}: {}", scheduler.name, refusal(error, scheduler)),
        }
    }
}

/// Fails where real-time priorities are refused: nothing would be shown.
#[test]
#[ignore = "10 million operations under each scheduler: each change runs some, `make soak` these"]
fn ten_million_wait_free_operations_keep_their_bounds_under_each_scheduler() {
    const COUNTS: [usize; 3] = [2, 8, 32];
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let cases: Vec<(Kind, usize)> =
        Kind::ALL.into_iter().flat_map(|kind| COUNTS.map(|count| (kind, count))).collect();
    let mut seen = vec![Seen::default(); cases.len()];
    let mut refused = Vec::new();
    for scheduler in schedulers() {
        let mut operations = 0;
        'scheduler: for round in 0.. {
            for ((kind, count), seen) in cases.iter().zip(&mut seen) {
                match run(&scheduler, *kind, *count, 250) {
                    Ok(more) => {
                        *seen = seen.and(more);
                        operations += more.operations;
                    }
                    Err(error) => {
                        refused.push(format!("{}: {}", scheduler.name, refusal(error, &scheduler)));
                        break 'scheduler;
                    }
                }
            }
            if operations >= OPERATIONS {
                break;
            }
            assert!(round < 50, "{}: the machine is too slow: {operations} operations", scheduler.name);
        }
        println!("{}: {operations} operations", scheduler.name);
    }
    for ((kind, count), seen) in cases.into_iter().zip(seen) {
        let (steps, attempts) = bounds(&shape(kind, count));
        let Seen { operations, most_steps, most_attempts } = seen;
        let name = kind.name();
        println!(
            "{name} of {count}: {operations} operations, {most_steps} of {steps} steps, {most_attempts} of {attempts} attempts"
        );
    }
    assert!(refused.is_empty(), "nothing was shown under these:\n{}", refused.join("\n"));
}
