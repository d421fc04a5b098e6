//! Sections that go on, or begin, when the run is over: they exclude each other all the same, and a task that waits for
//! one goes home.
//!
//! These runs need real-time priorities; where those are refused, the tests say so and pass.

mod support;

use schedlab_lock::LockProtocol;
use schedlab_model::*;
use schedlab_runtime::{each_job, sys, Body, Context, Ending, Options, Outcome};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use support::*;

const R: ResourceId = ResourceId(0);
const INNER: ResourceId = ResourceId(1);

/// A room that counts the visitors in a section while others are in it.
#[derive(Default)]
struct Room {
    inside: AtomicU64,
    met: AtomicU64,
    visits: AtomicU64,
    /// Number of visitors to come, as far as is known.
    awaited: AtomicU64,
}

impl Room {
    fn come_in(&self) {
        self.met.fetch_add(self.inside.fetch_add(1, SeqCst), SeqCst);
        self.visits.fetch_add(1, SeqCst);
    }

    fn go_out(&self) {
        self.inside.fetch_sub(1, SeqCst);
    }

    fn await_visits(&self, count: u64) {
        self.awaited.fetch_add(count, SeqCst);
    }

    /// The numbers of meetings of two visitors, of visitors that have come, and of those that were awaited.
    fn visitors(&self) -> (u64, u64, u64) {
        (self.met.load(SeqCst), self.visits.load(SeqCst), self.awaited.load(SeqCst))
    }

    fn visit(&self, us: u64) {
        self.come_in();
        burn(us);
        self.go_out();
    }
}

/// A task of one long job a second, with the section on `R`, and one on `INNER` within; if partitioned, without that,
/// and on the processor of its parity.
fn sharing(index: usize, partitioned: bool) -> Task {
    let mut program = holding(R, 199);
    if !partitioned {
        program.splice(1..1, holding(INNER, 1));
    } else {
        program.push(Step::Execute(Work::from_ns(1_000_000)));
    }
    let cluster = ClusterId(if partitioned { index as u16 % 2 } else { 0 });
    Task { program, cluster, ..task(200, 1_000, 1_000) }
}

/// Four tasks whose only jobs, which begin in the order of their numbers, do `job`.
fn four(
    protocol: &'static str,
    job: impl Fn(usize, &mut Context<'_>) + Clone + Send + 'static,
) -> Option<Outcome> {
    let partitioned = protocol == "msrp";
    let scheduler = if partitioned { "P-EDF" } else { "G-EDF" };
    let tasks: Vec<Task> = (0..4).map(|index| sharing(index, partitioned)).collect();
    let body = |index: usize| -> Body {
        let job = job.clone();
        each_job(move |context| job(index, context))
    };
    let locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol> = match protocol {
        "msrp" => |tasks, platform| make("msrp", tasks, platform),
        "fmlp-long" => |tasks, platform| make("fmlp-long", tasks, platform),
        _ => |tasks, platform| make("fmlp-short", tasks, platform),
    };
    Run { locks, ..Run::of(tasks, scheduler, 2, 100, (0..4).map(body).collect()) }.go()
}

/// The first one is in the section on `R` from its beginning until the run is over, at least; the others ask for it
/// meanwhile.
fn lock_until_the_end(room: &Room, index: usize, context: &mut Context<'_>) {
    if index > 0 {
        burn(1_000);
    }
    context.lock(R);
    room.come_in();
    while index == 0 && !context.is_over() {
        std::hint::spin_loop();
    }
}

/// One task is in the section when the run ends, and stays there for a while; the others wait for it, or had not asked
/// yet.
#[test]
fn a_task_that_waits_for_a_lock_at_the_end_gets_it_alone() {
    for protocol in ["msrp", "fmlp-short", "fmlp-long"] {
        let room = Arc::new(Room::default());
        let visited = Arc::clone(&room);
        let job = move |index: usize, context: &mut Context<'_>| {
            room.await_visits(2);
            lock_until_the_end(&room, index, context);
            burn(5_000);
            room.go_out();
            context.unlock(R);
            // And once more, when nothing is decided any more.
            context.lock(R);
            room.visit(500);
        };
        let Some(outcome) = four(protocol, job) else { return };
        let (met, visits, awaited) = visited.visitors();
        assert_eq!((met, visits, outcome.runaways), (0, awaited, vec![]), "{protocol}");
        assert!(awaited >= if protocol == "fmlp-long" { 8 } else { 4 }, "{protocol}: {awaited} awaited");
    }
}

/// The one that is in the section waits there for a nested one: no other gets into the outer meanwhile.
#[test]
fn a_section_within_a_section_keeps_the_outer_one() {
    let room = Arc::new(Room::default());
    let visited = Arc::clone(&room);
    let job = move |index: usize, context: &mut Context<'_>| {
        room.await_visits(1);
        lock_until_the_end(&room, index, context);
        context.lock(INNER);
        burn(1_000);
        context.unlock(INNER);
        burn(1_000);
        room.go_out();
        context.unlock(R);
    };
    let Some(outcome) = four("fmlp-long", job) else { return };
    assert_eq!((visited.visitors(), outcome.runaways), ((0, 4, 4), vec![]));
}

/// On one processor: one is in a section at the end, and the one that it had preempted outside of sections enters one
/// then.
#[test]
fn non_preemptive_sections_exclude_each_other_at_the_end() {
    let room = Arc::new(Room::default());
    let section = |context: &mut Context<'_>, room: &Room, length| {
        context.enter_non_preemptive();
        room.come_in();
        while !context.is_over() {
            std::hint::spin_loop();
        }
        burn(length);
        room.go_out();
        context.exit_non_preemptive();
    };
    let (urgent, other) = (Arc::clone(&room), Arc::clone(&room));
    let bodies: Vec<Body> = vec![
        each_job(move |context| {
            // The other one begins before the second.
            if context.job().number > 0 {
                section(context, &urgent, 20_000);
            }
        }),
        each_job(move |context| {
            while !context.is_over() {
                std::hint::spin_loop();
            }
            section(context, &other, 1_000);
        }),
    ];
    let Some(outcome) = run(vec![task(10, 20, 20), task(100, 1_000, 1_000)], "P-EDF", 1, 100, bodies) else {
        return;
    };
    assert_eq!((room.met.load(SeqCst), room.visits.load(SeqCst), outcome.runaways), (0, 2, vec![]));
}

/// Code after a task's last job may be under a lock, too. All tasks together may take longer than one may, and one may
/// look every now and then whether the others are done. They sleep meanwhile: other programs take a thread's processor,
/// not its sleep.
#[test]
fn tasks_may_put_their_results_together_when_the_run_is_over() {
    let room = Arc::new(Room::default());
    let body = |at| -> Body {
        let room = Arc::clone(&room);
        Box::new(move |context| {
            while context.next_job() {
                burn(200);
            }
            context.lock(R);
            room.come_in();
            sleep_ms(60);
            room.go_out();
            context.unlock(R);
            let mut is_done = at > 0;
            while !is_done {
                sleep_ms(5);
                context.lock(R);
                is_done = room.visits.load(SeqCst) == 8;
                context.unlock(R);
            }
        })
    };
    let tasks = (0..8).map(|_| Task { program: holding(R, 1), ..task(1, 10, 10) }).collect();
    let locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol> =
        |tasks, platform| make("fmlp-long", tasks, platform);
    let options = Options { grace: std::time::Duration::from_millis(400), ..Options::default() };
    let run = Run { locks, options, ..Run::of(tasks, "G-EDF", 2, 100, (0..8).map(body).collect()) };
    let Some(outcome) = run.go() else { return };
    assert_eq!(room.met.load(SeqCst), 0);
    let all = room.visits.load(SeqCst) == 8 && outcome.runaways.is_empty();
    assert!(all || is_too_noisy(&outcome), "{:?}, runaways {:?}", room.visits, outcome.runaways);
}

/// On each of two processors one is in a section at the end, and begins another one within.
#[test]
fn non_preemptive_sections_nest_at_the_end() {
    let body = |_| -> Body {
        each_job(|context| {
            context.enter_non_preemptive();
            while !context.is_over() {
                std::hint::spin_loop();
            }
            context.enter_non_preemptive();
            burn(1_000);
            context.exit_non_preemptive();
            context.exit_non_preemptive();
        })
    };
    let tasks = (0..2).map(|index| Task { cluster: ClusterId(index), ..task(100, 1_000, 1_000) }).collect();
    let Some(outcome) = run(tasks, "P-EDF", 2, 50, (0..2).map(body).collect()) else { return };
    assert_eq!((outcome.runaways, outcome.kept_waiting), (vec![], vec![]));
}

/// A task that never leaves the section keeps the others from it; it alone is to blame, and all are shut in.
#[test]
fn a_section_that_never_ends_is_the_fault_of_the_task_in_it() {
    let room = Arc::new(Room::default());
    let visited = Arc::clone(&room);
    let job = move |index: usize, context: &mut Context<'_>| {
        if index > 0 {
            burn(1_000);
        }
        context.lock(R);
        room.come_in();
        if index == 0 {
            loop {
                std::hint::spin_loop();
            }
        }
    };
    let Some(outcome) = four("fmlp-long", job) else { return };
    let others = [1, 2, 3].map(TaskId);
    assert_eq!((&outcome.runaways[..], &outcome.kept_waiting[..]), (&[TaskId(0)][..], &others[..]));
    assert_eq!((visited.met.load(SeqCst), visited.visits.load(SeqCst)), (0, 1));
}

/// Wherever code never ends, it is shut in: before the first job, behind the loop over the jobs, and where a job's
/// sections were not left.
#[test]
fn code_that_never_ends_is_shut_in_wherever_it_is() {
    let steps: Arc<[AtomicU64; 3]> = Arc::default();
    let endless = |index: usize| {
        let steps = Arc::clone(&steps);
        move || loop {
            steps[index].fetch_add(1, SeqCst);
        }
    };
    let (first, behind, within) = (endless(0), endless(1), endless(2));
    let bodies: Vec<Body> = vec![
        Box::new(move |_| first()),
        Box::new(move |context| {
            while context.next_job() {}
            behind();
        }),
        Box::new(move |context| {
            while context.next_job() {
                // The inner one is reported to the engine.
                context.enter_non_preemptive();
                context.enter_non_preemptive();
                while !context.is_over() {
                    std::hint::spin_loop();
                }
            }
            within();
        }),
    ];
    let cluster = |index: u16| Task { cluster: ClusterId(u16::from(index > 0)), ..task(1, 10, 10) };
    let Some(outcome) = run((0..3).map(cluster).collect(), "P-EDF", 2, 50, bodies) else { return };
    assert_eq!(outcome.runaways, [0, 1, 2].map(TaskId));
    let read = || [0, 1, 2].map(|index: usize| steps[index].load(SeqCst));
    // The signals may be on their way.
    sleep_ms(50);
    let before = read();
    sleep_ms(50);
    assert!(before.iter().all(|steps| *steps > 0) && read() == before, "{before:?}: all are parked");
}

/// A panic is noticed before the first job, too, and after the last.
#[test]
fn code_that_panics_outside_of_jobs_crashes_the_run() {
    // The panic says where it comes from, which takes its time.
    for (behind, horizon) in [(false, 5_000), (true, 100)] {
        let bodies: Vec<Body> = vec![
            each_job(|_| burn(200)),
            Box::new(move |context| {
                while behind && context.next_job() {}
                panic!("this task crashes on purpose");
            }),
        ];
        let tasks = vec![task(1, 10, 10), task(1, 10, 10)];
        let Some(outcome) = run(tasks, "P-EDF", 1, horizon, bodies) else { return };
        assert_eq!(outcome.ending, Ending::Crashed(TaskId(1)));
        assert_eq!(
            (outcome.end() == Instant::from_ns(horizon * 1_000_000), outcome.runaways),
            (behind, vec![])
        );
    }
}

fn sleep_ms(ms: u64) {
    sys::sleep_until(sys::monotonic_ns() + ms * 1_000_000);
}
