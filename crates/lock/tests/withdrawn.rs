//! Every protocol, without an engine: an aborted job neither holds nor waits, and what it held goes on.

use schedlab_lock::*;
use schedlab_model::*;

const R: ResourceId = ResourceId(0);

/// Everything happens within the first quantum.
const NOW: Instant = Instant::from_ns(1);

fn job(task: u32) -> JobId {
    JobId::new(TaskId(task), 0)
}

fn section(task: u32) -> Section {
    Section { job: job(task), resource: R, units: 1 }
}

/// Protocols under which jobs hold nothing: servers do, or nothing is held at all.
const SERVE_OR_RETRY: &[&str] = &["pfair-server", "lock-free", "wait-free"];

/// Two tasks that use one resource, on one processor if the protocol is for no more.
struct System {
    jobs: Jobs,
    locks: Box<dyn LockProtocol>,
    effects: Vec<Effect>,
}

impl System {
    fn new(protocol: &Protocol) -> Self {
        let (platform, other) = match protocol.reach {
            Reach::Local => (Platform::partitioned(2), ClusterId(0)),
            Reach::Partitioned | Reach::Any => (Platform::partitioned(2), ClusterId(1)),
            Reach::Global => (Platform::global(2), ClusterId(0)),
        };
        let program = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(1)), Step::Release(R, 1)];
        let task = |cluster| Task {
            cluster,
            program: program.clone(),
            ..Task::implicit(Work::from_ns(1), Duration::from_ns(9))
        };
        let tasks = vec![task(other), task(ClusterId(0))];
        let quanta = protocol.ceilings == Ceilings::Quanta;
        let order = if quanta { PriorityOrder::Pfair } else { PriorityOrder::Fixed(&[1, 2]) };
        let resources = &[Resource { units: 1 }];
        let setup = LockSetup { tasks: &tasks, resources, platform: &platform, order, lengths: &[] };
        let locks = (protocol.make)(&setup).unwrap();
        let mut jobs = Jobs::new(tasks);
        for task in [0, 1] {
            let entry = jobs.of_task_mut(TaskId(task));
            entry.state = JobState::Ready;
            entry.scheduled_on = Some(CpuId(task as u16));
            entry.base = Priority::new(1 + u64::from(task), job(task));
            entry.effective = entry.base;
        }
        System { jobs, locks, effects: Vec::new() }
    }

    /// Asks or tells the protocol something, and keeps what it wants.
    fn with_locks<T>(&mut self, ask: impl FnOnce(&mut dyn LockProtocol, &mut Turn<'_>) -> T) -> T {
        let mut out = Effects::default();
        let answer = ask(&mut *self.locks, &mut Turn { now: NOW, jobs: &self.jobs, out: &mut out });
        self.effects = out.as_slice().to_vec();
        answer
    }

    fn request(&mut self, task: u32) -> Reply {
        let answer = self.with_locks(|locks, turn| locks.request(section(task), turn));
        if self.effects.contains(&Effect::AskAgain(job(task))) {
            // It asks where its request executes.
            for effect in &self.effects {
                if let Effect::Move(_, cluster) = effect {
                    self.jobs.of_task_mut(TaskId(task)).cluster = *cluster;
                }
            }
            return self.request(task);
        }
        answer
    }

    fn release(&mut self, task: u32) {
        self.with_locks(|locks, turn| locks.release(section(task), turn));
    }

    fn abort(&mut self, task: u32) {
        self.with_locks(|locks, turn| locks.note(Event::Aborted(job(task)), turn));
    }

    fn lets_go(&self, task: u32) -> bool {
        self.effects.contains(&Effect::Grant(job(task), R))
            || self.effects.contains(&Effect::AskAgain(job(task)))
    }
}

#[test]
fn what_an_aborted_job_held_goes_to_who_waits() {
    for protocol in ALL_PROTOCOLS.iter().filter(|protocol| !SERVE_OR_RETRY.contains(&protocol.name)) {
        let mut system = System::new(protocol);
        assert_eq!(system.request(1), Reply::Granted, "{}", protocol.name);
        if protocol.waiting != Waiting::Never {
            assert_ne!(system.request(0), Reply::Granted, "{}", protocol.name);
        }
        system.abort(1);
        if protocol.waiting == Waiting::Never {
            assert_eq!(system.request(0), Reply::Granted, "{}", protocol.name);
        } else {
            assert!(system.lets_go(0), "{}: {:?}", protocol.name, system.effects);
        }
    }
}

#[test]
fn an_aborted_job_waits_no_longer() {
    for protocol in ALL_PROTOCOLS {
        if protocol.waiting == Waiting::Never || SERVE_OR_RETRY.contains(&protocol.name) {
            continue;
        }
        let mut system = System::new(protocol);
        let expected = match (protocol.waiting, protocol.ceilings) {
            (_, Ceilings::Quanta) => Reply::SpinUntil(Instant::from_ns(1_000_000)),
            (Waiting::Spins, _) => Reply::Spin,
            _ => Reply::Suspend,
        };
        assert_eq!([system.request(1), system.request(0)], [Reply::Granted, expected], "{}", protocol.name);
        system.abort(0);
        system.release(1);
        assert!(!system.lets_go(0), "{}: {:?}", protocol.name, system.effects);
        assert_eq!(system.request(1), Reply::Granted, "{}", protocol.name);
    }
}

/// A client that waits for a server is forgotten when it is aborted; a section that has begun is executed to its end.
#[test]
fn servers_forget_aborted_clients_that_wait() {
    let user = vec![Step::Request(R, 1), Step::Execute(Work::from_ns(1)), Step::Release(R, 1)];
    let task = |program: &[Step]| Task {
        program: program.to_vec(),
        ..Task::implicit(Work::from_ns(1), Duration::from_ns(9))
    };
    let tasks = vec![task(&user), task(&user), task(&user), task(&[Step::Serve(R)])];
    let (platform, resources) = (Platform::global(2), &[Resource { units: 1 }]);
    let order = PriorityOrder::Pfair;
    let setup = LockSetup { tasks: &tasks, resources, platform: &platform, order, lengths: &[] };
    let locks = (find_protocol("pfair-server").unwrap().make)(&setup).unwrap();
    let server = TaskId(3);
    let mut system = System { jobs: Jobs::new(tasks), locks: Box::new(locks), effects: Vec::new() };
    assert_eq!(system.request(0), Reply::RunByServer);
    assert_eq!(system.effects, [Effect::Serve { server, client: job(0) }]);
    for client in [1, 2] {
        assert_eq!(system.request(client), Reply::RunByServer);
        assert_eq!(system.effects, []);
    }
    system.abort(0);
    system.abort(2);
    system.release(0);
    assert_eq!(system.effects, [Effect::Serve { server, client: job(1) }]);
    system.release(1);
    assert_eq!(system.effects, []);
}
