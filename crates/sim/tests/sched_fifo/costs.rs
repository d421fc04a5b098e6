//! What pushes and pulls take: schedules computed by hand, and a small model of its own on the kernel's functions.

use super::{with_priority, Draw, Literally, HORIZON};
use crate::support;
use schedlab_model::*;
use schedlab_sim::{Charges, Setup};
use schedlab_trace::{Record, Timeline};
use std::collections::VecDeque;
use support::{draw, ideal, platform, run_setup};

fn ns(length: u64) -> Duration {
    Duration::from_ns(length)
}

fn charged(tasks: &[Task], name: &str, processors: u16, charges: Charges, horizon: u64) -> Timeline {
    let platform = platform(schedlab_policy::find(name).unwrap().scope, processors, 2);
    run_setup(Setup { charges, ..ideal(tasks.to_vec(), platform, horizon) }, name)
}

#[track_caller]
fn drawn(tasks: &[Task], charges: Charges, expected: &str) {
    let until = expected.split(" / ").next().unwrap().len() as u64;
    assert_eq!(draw(&charged(tasks, "SCHED_FIFO", 2, charges, until), 2, until), expected);
}

/// A thread that arrives at `offset`.
fn at(offset: u64, cost: u64, fixed_priority: u32) -> Task {
    Task { offset: Instant::from_ns(offset), ..with_priority(cost, 100, fixed_priority) }
}

/// A wakes up on P0, where C executes. P0 pays for the push of C before it switches to A; C goes on on P1 after that.
#[test]
fn the_processor_of_the_queue_pays_for_a_push() {
    let tasks = |offset| [at(offset, 3, 1), at(90, 1, 2), at(0, 4, 3)];
    drawn(&tasks(1), Charges { push: ns(2), pull: ns(9), ..Charges::default() }, "CppAAA.. / ...CCC..");
    // P1 hears of it one later.
    let charges = Charges { push: ns(2), ipi: ns(1), ..Charges::default() };
    drawn(&tasks(1), charges, "CppAAA... / ....CCC..");
    // The scheduler and the switch come after the push, and on P1 after C is there.
    let charges = Charges { push: ns(2), scheduling: ns(1), context_switch: ns(1), ..Charges::default() };
    drawn(&tasks(3), charges, "scCppscAAA / .....scCCC");
}

/// D waits behind B on P1. When A is complete, P0 pulls D, which takes 2, and B is not delayed.
#[test]
fn the_processor_that_gets_a_thread_pays_for_a_pull() {
    let tasks = [at(0, 2, 1), at(0, 6, 1), at(90, 1, 2), at(0, 3, 2)];
    drawn(&tasks, Charges { push: ns(9), pull: ns(2), ..Charges::default() }, "AAppDDD. / BBBBBB..");
    drawn(&tasks, Charges { push: ns(9), ..Charges::default() }, "AADDD... / BBBBBB..");
}

/// A preempts C on P0, which pushes C to P1, where D executes until C is there. When A is complete, P0 pulls D, for
/// nothing.
#[test]
fn a_processor_works_on_until_the_pushed_thread_is_there() {
    let tasks = [at(1, 3, 1), at(90, 1, 9), at(0, 4, 2), at(0, 5, 3)];
    drawn(&tasks, Charges { push: ns(2), ..Charges::default() }, "CppAAADD.. / DDDCCC....");
}

/// A move that a processor has to make.
struct Owed {
    task: usize,
    /// Number of the thread's job, if it has one.
    number: Option<u64>,
    left: u64,
    has_begun: bool,
}

/// The kernel's functions with what moves take, one nanosecond at a time.
struct Slowly<'a> {
    kernel: Literally<'a>,
    push: u64,
    pull: u64,
    /// By processor.
    occupant: Vec<Option<usize>>,
    owed: Vec<VecDeque<Owed>>,
    /// By task: how many jobs are complete.
    complete: Vec<u64>,
    made: usize,
}

impl Slowly<'_> {
    fn is_moving(&self, task: usize) -> bool {
        self.owed.iter().flatten().any(|owed| owed.task == task)
    }

    /// Lets processors begin what they owe, and follow the kernel's choice if they owe nothing.
    fn follow(&mut self) {
        let processors = 0..self.owed.len();
        for cpu in processors.clone() {
            while let Some(owed) = self.owed[cpu].front_mut().filter(|owed| !owed.has_begun) {
                if owed.number == Some(self.complete[owed.task]) {
                    owed.has_begun = true;
                    self.made += 1;
                } else {
                    self.owed[cpu].pop_front();
                }
            }
        }
        let wants = |cpu: usize| self.kernel.current[cpu];
        let follows =
            |cpu: &usize| self.owed[*cpu].is_empty() && !wants(*cpu).is_some_and(|task| self.is_moving(task));
        let following: Vec<usize> = processors.filter(follows).collect();
        for &cpu in &following {
            if self.occupant[cpu] != self.kernel.current[cpu] {
                self.occupant[cpu] = None;
            }
        }
        for cpu in following {
            let next = self.kernel.current[cpu];
            if next.is_some() && !self.occupant.contains(&next) {
                self.occupant[cpu] = next;
            }
        }
    }

    fn drawn(&mut self, horizon: u64) -> String {
        let mut rows = vec![String::new(); self.owed.len()];
        for now in 0..horizon {
            for owed in &mut self.owed {
                if owed.front().is_some_and(|first| first.left == 0) {
                    owed.pop_front();
                }
            }
            let mut complete = Vec::new();
            for occupant in &mut self.occupant {
                if let Some(task) = occupant.take_if(|task| self.kernel.left[*task] == 0) {
                    self.complete[task] += 1;
                    complete.push(task);
                }
            }
            self.kernel.happens(now, complete);
            for (cpu, task, is_pull) in self.kernel.moves.drain(..) {
                let left = if is_pull { self.pull } else { self.push };
                // A thread that was moved and then slept, all at this instant, needs no move any more.
                let number = (self.kernel.backlog[task] > 0).then_some(self.complete[task]);
                if left > 0 {
                    self.owed[cpu].push_back(Owed { task, number, left, has_begun: false });
                }
            }
            self.follow();
            for (cpu, row) in rows.iter_mut().enumerate() {
                row.push(match (self.owed[cpu].front_mut(), self.occupant[cpu]) {
                    (Some(owed), _) => {
                        owed.left -= 1;
                        'p'
                    }
                    (None, Some(task)) => {
                        self.kernel.left[task] -= 1;
                        char::from(b'A' + task as u8)
                    }
                    (None, None) => '.',
                });
            }
        }
        rows.join(" / ")
    }
}

/// Random systems: the schedule is that of the small model, and each move takes exactly its time.
#[test]
fn as_a_slow_kernel_does() {
    let mut made = 0;
    for seed in 0..3_000 {
        let mut random = Draw(seed);
        let processors = 1 + random.below(4) as u16;
        let tasks = random.tasks(seed % 3 == 0);
        let (push, pull) = (random.below(4), random.below(4));
        let charges = Charges { push: ns(push), pull: ns(pull), ..Charges::default() };
        let timeline = charged(&tasks, "SCHED_FIFO", processors, charges, HORIZON);
        let mut slowly = Slowly {
            kernel: Literally::new(&tasks, processors.into()),
            push,
            pull,
            occupant: vec![None; processors.into()],
            owed: (0..processors).map(|_| VecDeque::new()).collect(),
            complete: vec![0; tasks.len()],
            made: 0,
        };
        let expected = slowly.drawn(HORIZON);
        assert_eq!(draw(&timeline, processors, HORIZON), expected, "seed {seed}: {push} {pull} {tasks:?}");
        let is_move = |(_, record): &&(Instant, Record)| match record {
            Record::OverheadBegin { kind, .. } => matches!(kind, OverheadKind::Push | OverheadKind::Pull),
            _ => false,
        };
        let found = timeline.records.iter().filter(is_move).count();
        assert_eq!(found, slowly.made, "seed {seed}");
        made += found;
    }
    assert!(made > 10_000, "{made} moves");
}

/// Threads that are bound to processors never move, and pay for no move.
#[test]
fn bound_threads_pay_for_no_move() {
    for seed in 0..200 {
        let mut tasks = Draw(seed).tasks(false);
        tasks.iter_mut().enumerate().for_each(|(index, task)| task.cluster = ClusterId(index as u16 % 2));
        let plain = Charges { scheduling: ns(1), ..Charges::default() };
        let [with, without] = [Charges { push: ns(3), pull: ns(3), ..plain.clone() }, plain]
            .map(|charges| charged(&tasks, "P-SCHED_FIFO", 2, charges, HORIZON).records);
        assert_eq!(with, without, "seed {seed}");
    }
}
