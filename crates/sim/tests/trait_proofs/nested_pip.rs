//! Priority inheritance with nested requests: L. Sha, R. Rajkumar and J. P. Lehoczky, IEEE Transactions on
//! Computers 39(9), 1990. Inheritance is transitive across three locks and two processors.

use crate::support::*;
use schedlab_lock::{find_protocol, Effect, LockProtocol, LockSetup, PriorityOrder, Reply, Section, Turn};
use schedlab_model::*;
use schedlab_sim::simulate;
use schedlab_trace::{Record, Timeline};

#[derive(Default)]
struct Pip {
    holder: Vec<Option<JobId>>,
    waiters: Vec<(JobId, ResourceId)>,
}

impl Pip {
    fn new(resources: usize) -> Self {
        Pip { holder: vec![None; resources], waiters: Vec::new() }
    }

    fn inherit_from_waiters(&self, holder: JobId, turn: &mut Turn<'_>) {
        for &(from, resource) in &self.waiters {
            if self.holder[resource.index()] == Some(holder) {
                turn.inherit(holder, from);
            }
        }
    }
}

impl LockProtocol for Pip {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let Some(holder) = self.holder[resource.index()] else {
            self.holder[resource.index()] = Some(job);
            return Reply::Granted;
        };
        self.waiters.push((job, resource));
        turn.inherit(holder, job);
        Reply::Suspend
    }

    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        let waiting = (0..self.waiters.len()).filter(|&index| self.waiters[index].1 == resource);
        let jobs = turn.jobs;
        let priority = |index: usize| jobs.get(self.waiters[index].0).effective;
        let first = waiting.reduce(|a, b| if priority(b).is_higher_than(priority(a)) { b } else { a });
        let next = first.map(|index| self.waiters.remove(index).0);
        self.holder[resource.index()] = next;
        turn.restore(job);
        self.inherit_from_waiters(job, turn);
        if let Some(next) = next {
            turn.out.push(Effect::Grant(next, resource));
            self.inherit_from_waiters(next, turn);
        }
    }
}

fn execute(ns: u64) -> Step {
    Step::Execute(Work::from_ns(ns))
}

fn hold(inner: Vec<Step>, resource: u32) -> Vec<Step> {
    let r = ResourceId(resource);
    [vec![Step::Request(r, 1)], inner, vec![Step::Release(r, 1)]].concat()
}

/// D holds R2; C holds R1 and waits for R2; B holds R0 and waits for R1; A waits for R0, so D runs at A's priority
/// and the two middling jobs (E, F) on the two processors cannot keep it from running.
fn chain() -> Vec<Task> {
    let mut tasks: Vec<Task> = [10, 60, 70, 80, 30, 40].iter().map(|d| task(5, 1000, *d)).collect();
    tasks[3].program = [hold(vec![execute(4)], 2), vec![execute(1)]].concat();
    tasks[2].program = hold([vec![execute(1)], hold(vec![execute(1)], 2)].concat(), 1);
    tasks[1].program = hold([vec![execute(1)], hold(vec![execute(1)], 1)].concat(), 0);
    tasks[0].program = hold(vec![execute(1)], 0);
    for (task, offset) in [(3, 0), (2, 0), (1, 1), (0, 2), (4, 2), (5, 2)] {
        tasks[task].offset = Instant::from_ns(offset);
        tasks[task].wcet = tasks[task].program.iter().fold(Work::ZERO, |sum, step| match step {
            Step::Execute(work) => sum + *work,
            _ => sum,
        });
    }
    for task in [4, 5] {
        tasks[task].wcet = Work::from_ns(20);
    }
    tasks
}

#[test]
fn inheritance_is_transitive_across_three_locks_and_two_processors() {
    let setup = ideal(chain(), Platform::global(2), 60);
    let policies = policies("G-EDF", &setup.platform, &setup.tasks);
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    simulate(setup, policies, Pip::new(3), source, &mut timeline);
    // D (from 2 on at A's priority) to 4, then C, B and A in turn, and E beside them; F has to wait for a processor.
    assert_eq!(draw(&timeline, 2, 12), "CBEEEEEEEEEE / DDDDCBAFFFFF");
    let inherits = |at: u64, task: u32, from: u32| {
        let from = JobId::new(TaskId(from), 0);
        timeline.records.iter().any(|(when, record)| match record {
            Record::Priority { job, priority } => {
                when.as_ns() == at && job.task.0 == task && priority.tie() == from && priority.point() == 12
            }
            _ => false,
        })
    };
    assert!(inherits(2, 1, 0) && inherits(2, 2, 0) && inherits(2, 3, 0), "{:#?}", timeline.records);
}

/// Without inheritance the chain waits for E and F: the test above can fail.
#[test]
fn plain_semaphores_let_the_middling_jobs_go_first() {
    let setup = ideal(chain(), Platform::global(2), 60);
    let policies = policies("G-EDF", &setup.platform, &setup.tasks);
    let (source, mut timeline) = (periodic(&setup.tasks), Timeline::default());
    let lock_setup = LockSetup {
        tasks: &setup.tasks,
        resources: &[Resource { units: 1 }; 3],
        platform: &setup.platform,
        order: PriorityOrder::EarliestDeadline,
        lengths: &[],
    };
    let semaphores = (find_protocol("none").unwrap().make)(&lock_setup).unwrap();
    simulate(setup, policies, semaphores, source, &mut timeline);
    let of_a = completions(&timeline).into_iter().find(|(task, ..)| *task == 0).unwrap();
    assert!(of_a.2 > 20, "A completes at {}", of_a.2);
}
