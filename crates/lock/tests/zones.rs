//! Zone-based locking without an engine: places in the line, and what is refused.

use schedlab_lock::*;
use schedlab_model::*;

const R: ResourceId = ResourceId(0);
const SKIP: &str = "zone-skip";
const ROLLBACK: &str = "zone-rollback";

fn make(name: &str, setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    (find_protocol(name).unwrap().make)(setup)
}

fn job(task: u32) -> JobId {
    JobId::new(TaskId(task), 0)
}

fn section(task: u32) -> Section {
    Section { job: job(task), resource: R, units: 1 }
}

fn at(ns: u64) -> Instant {
    Instant::from_ns(ns)
}

/// Three jobs, each on its processor, with sections of 2 in quanta of 10.
struct System {
    jobs: Jobs,
    locks: Box<dyn LockProtocol>,
}

fn task(section: u64) -> Task {
    let program = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(section)), Step::Release(R, 1)];
    Task { program, ..Task::implicit(Work::from_ns(section), Duration::from_ns(90)) }
}

fn platform() -> Platform {
    Platform { quantum: Duration::from_ns(10), ..Platform::global(3) }
}

impl System {
    fn new(name: &str) -> Self {
        let (tasks, platform) = (vec![task(2); 3], platform());
        let resources = &[Resource { units: 1 }];
        let setup = LockSetup {
            tasks: &tasks,
            resources,
            platform: &platform,
            order: PriorityOrder::Pfair,
            lengths: &[],
        };
        let locks = make(name, &setup).unwrap();
        let mut jobs = Jobs::new(tasks);
        for task in 0..3 {
            jobs.of_task_mut(TaskId(task)).scheduled_on = Some(CpuId(task as u16));
        }
        System { jobs, locks }
    }

    fn ask(&mut self, now: u64, task: u32) -> Reply {
        let turn = &mut Turn { now: at(now), jobs: &self.jobs, out: &mut Effects::default() };
        self.locks.request(section(task), turn)
    }

    fn release(&mut self, now: u64, task: u32) -> Option<JobId> {
        let mut out = Effects::default();
        self.locks.release(section(task), &mut Turn { now: at(now), jobs: &self.jobs, out: &mut out });
        match out.as_slice() {
            [] => None,
            [Effect::Grant(job, R)] => Some(*job),
            other => panic!("{other:?}"),
        }
    }
}

/// Job 1 waits in vain in the first quantum; in the second, job 2 comes to wait before job 1 asks again.
#[test]
fn who_is_skipped_keeps_its_place_and_who_is_rolled_back_does_not() {
    for (name, next) in [(SKIP, 1), (ROLLBACK, 2)] {
        let mut system = System::new(name);
        assert_eq!(system.ask(1, 0), Reply::Granted);
        assert_eq!(system.ask(2, 1), Reply::SpinUntil(at(10)));
        assert_eq!(system.release(9, 0), None, "job 1 is in its zone");
        assert_eq!(system.ask(10, 0), Reply::NotBefore(at(10)), "the decision may take the processor away");
        assert_eq!(system.ask(10, 0), Reply::Granted);
        assert_eq!(system.ask(11, 2), Reply::SpinUntil(at(20)));
        assert_eq!(system.ask(12, 1), Reply::SpinUntil(at(20)));
        assert_eq!(system.release(13, 0), Some(job(next)));
        assert_eq!(system.release(15, next), Some(job(3 - next)));
        assert_eq!(system.release(17, 3 - next), None);
    }
}

/// A job that has no quantum is passed over, not served.
#[test]
fn who_has_no_quantum_is_not_served() {
    for name in [SKIP, ROLLBACK] {
        let mut system = System::new(name);
        assert_eq!(system.ask(1, 0), Reply::Granted);
        assert_eq!(system.ask(2, 1), Reply::SpinUntil(at(10)));
        assert_eq!(system.release(10, 0), None, "the quantum of job 1 is over");
        assert_eq!(system.ask(11, 0), Reply::Granted);
        assert_eq!(system.release(13, 0), None, "job 1 has not asked in this quantum");
    }
}

#[test]
fn the_zone_is_exactly_as_long_as_the_longest_section() {
    let mut system = System::new(SKIP);
    assert_eq!(system.ask(9, 0), Reply::NotBefore(at(10)));
    assert_eq!(system.ask(8, 1), Reply::Granted);
    assert_eq!(system.ask(8, 2), Reply::SpinUntil(at(10)));
    let mut system = System::new(SKIP);
    assert_eq!(system.ask(6, 1), Reply::Granted);
    assert_eq!(system.ask(7, 2), Reply::SpinUntil(at(10)));
    assert_eq!(system.release(8, 1), Some(job(2)));
}

fn refusal(tasks: &[Task], order: PriorityOrder<'_>) -> String {
    let platform = platform();
    let setup =
        LockSetup { tasks, resources: &[Resource { units: 1 }], platform: &platform, order, lengths: &[] };
    make(SKIP, &setup).err().unwrap().to_string()
}

#[test]
fn refusals_say_why() {
    let other = refusal(&[task(2)], PriorityOrder::EarliestDeadline);
    assert_eq!(other, "zone-based locking needs a Pfair scheduler");
    let long = refusal(&[task(2), task(11)], PriorityOrder::Pfair);
    assert_eq!(long, "T1 holds R0 for 11 ns: zone-based locking allows at most the quantum of 10 ns");
    let whole = [task(10)];
    let platform = platform();
    let setup = LockSetup {
        tasks: &whole,
        resources: &[Resource { units: 1 }],
        platform: &platform,
        order: PriorityOrder::Pfair,
        lengths: &[],
    };
    assert!(make(SKIP, &setup).is_ok());
}
