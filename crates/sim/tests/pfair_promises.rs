//! Sharing under Pfair scheduling keeps its promises on random systems, and each rule matters. It has tests of its
//! own beside those of the other protocols (protocols_promises.rs): jobs lose their processors at the ends of quanta,
//! and no job has one priority that others could wait by. Bounds are held against such systems in schedlab-lab.

use crate::locks;
use crate::support;

use locks::filtered::{Filter, Filtered};
use locks::random::Random;
use locks::*;
use schedlab_lock::*;
use schedlab_model::*;
use schedlab_trace::{Record, SuspendReason, Timeline};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::Arc;
use support::*;

const QUANTUM: u64 = 10;
const NAMES: [&str; 4] = ["zone-skip", "zone-rollback", "pfair-server", "lock-free"];

struct System {
    tasks: Vec<Task>,
    resources: Vec<Resource>,
    platform: Platform,
}

fn execute(length: u64) -> Step {
    Step::Execute(Work::from_ns(length))
}

/// A task of so many quanta in each period of `period` of them.
fn of_quanta(quanta: u64, period: u64, program: Vec<Step>) -> Task {
    Task { program, ..task(QUANTUM * quanta, QUANTUM * period, QUANTUM * period) }
}

/// One or two resources, each with a server if the protocol has such; then users for as long as weights fit.
fn system(protocol: &str, seed: u64) -> System {
    let mut random = Random(seed);
    let alignment = if random.below(2) == 0 { Alignment::Aligned } else { Alignment::Staggered };
    let processors = 2 + random.below(2);
    let platform =
        Platform { quantum: Duration::from_ns(QUANTUM), alignment, ..Platform::global(processors as u16) };
    let resources = vec![Resource { units: 1 }; 1 + random.below(2) as usize];
    let mut tasks = Vec::new();
    if protocol == "pfair-server" {
        let served = (0..resources.len() as u32).map(ResourceId);
        tasks.extend(served.map(|r| of_quanta(1, 2, vec![Step::Serve(r), execute(QUANTUM)])));
    }
    // In thousandths of a processor, rounded up.
    let mut free = 1_000 * processors - 500 * tasks.len() as u64;
    loop {
        let mut program = Vec::new();
        for _ in 0..1 + random.below(2) {
            let resource = ResourceId(random.below(resources.len() as u64) as u32);
            let section =
                [Step::Request(resource, 1), execute(1 + random.below(7)), Step::Release(resource, 1)];
            program.push(execute(1 + random.below(2 * QUANTUM)));
            program.extend(section);
        }
        program.push(execute(1 + random.below(QUANTUM)));
        let quanta = program.iter().map(|step| if let Step::Execute(work) = step { work.as_ns() } else { 0 });
        let quanta = quanta.sum::<u64>().div_ceil(QUANTUM) + 1;
        let period = quanta + 1 + random.below(8);
        let weight = (1_000 * quanta).div_ceil(period);
        if weight > free {
            return System { tasks, resources, platform };
        }
        free -= weight;
        tasks.push(Task { leave: Instant::from_ns(60 * QUANTUM), ..of_quanta(quanta, period, program) });
    }
}

/// What a trace has shown so far.
#[derive(Default)]
struct Seen {
    live: BTreeSet<JobId>,
    running: BTreeSet<JobId>,
    holder: BTreeMap<ResourceId, JobId>,
    /// Whose sections servers have to execute, in order.
    clients: BTreeMap<ResourceId, Vec<JobId>>,
    commits: BTreeMap<ResourceId, u64>,
    /// By job: how many commits its attempt has seen.
    began: BTreeMap<JobId, u64>,
    waits: usize,
}

impl Seen {
    fn holds(&self, job: JobId) -> bool {
        self.holder.values().any(|holder| *holder == job)
    }

    fn gone(&mut self, job: JobId) {
        assert!(self.live.remove(&job), "{job} ends twice");
        self.running.remove(&job);
        self.holder.retain(|_, holder| *holder != job);
        self.clients.values_mut().for_each(|clients| clients.retain(|client| *client != job));
    }

    fn begins(&mut self, job: JobId, resource: ResourceId) {
        self.began.insert(job, *self.commits.entry(resource).or_default());
    }

    fn note(&mut self, record: &Record, serves: bool) {
        match *record {
            Record::Ready { job, .. } => assert!(self.live.insert(job)),
            Record::Dispatch { job, .. } => {
                self.running.insert(job);
            }
            Record::Preempt { job, .. } => {
                assert!(serves || !self.holds(job), "{job} is preempted while it holds a resource");
                self.running.remove(&job);
            }
            Record::Request { job, resource, .. } if serves => {
                self.clients.entry(resource).or_default().push(job);
            }
            Record::Spin { .. } | Record::Delay { .. } => self.waits += 1,
            Record::Suspend { job, reason } => {
                self.running.remove(&job);
                self.waits += usize::from(matches!(reason, SuspendReason::Resource(_)));
            }
            Record::Resume { job } if serves => {
                let first = self.clients.values_mut().find(|clients| clients.first() == Some(&job));
                first.unwrap_or_else(|| panic!("{job} is served out of turn")).remove(0);
            }
            Record::Acquire { job, resource, .. } => {
                let before = self.holder.insert(resource, job);
                assert_eq!(before, None, "{job} acquires what is held");
                assert!(serves || self.running.contains(&job), "{job} acquires without a processor");
            }
            Record::Release { job, resource, .. } => assert_eq!(self.holder.remove(&resource), Some(job)),
            Record::Attempt { job, resource } => self.begins(job, resource),
            Record::Retry { job, resource } => {
                self.waits += 1;
                assert!(self.commits[&resource] > self.began[&job], "{job} retries for nothing");
                self.begins(job, resource);
            }
            Record::Commit { job, resource } => {
                let commits = self.commits.get_mut(&resource).expect("it was attempted");
                assert_eq!(self.began[&job], *commits, "{job} commits over another's commit");
                *commits += 1;
            }
            Record::Complete { job } => {
                assert!(!self.holds(job), "{job} completes with a resource");
                self.gone(job);
            }
            Record::Abort { job } => self.gone(job),
            _ => {}
        }
    }
}

/// Panics at the first broken promise; how often a job had to wait or to try again.
fn check(timeline: &Timeline, serves: bool) -> usize {
    let mut seen = Seen::default();
    timeline.records.iter().for_each(|(_, record)| seen.note(record, serves));
    assert!(seen.live.is_empty(), "{:?} never end", seen.live);
    seen.waits
}

/// Runs a random system for `protocol` under what `make` makes.
fn hold(protocol: &str, make: Make, seed: u64, aborts: bool) -> usize {
    let System { tasks, resources, platform } = system(protocol, seed);
    let scheduler = if platform.alignment == Alignment::Aligned { "PD2" } else { "S-PD2" };
    let setup = ideal(tasks, platform, 5_000);
    let timeline = match aborts {
        true => run_giving_up_at(setup, &resources, scheduler, make, Arc::new(given_up)),
        false => run_locked(setup, &resources, scheduler, make),
    };
    check(&timeline, protocol == "pfair-server")
}

/// Every other job, some way through its window; the others may end, and so may those of servers, which have no
/// deadline.
fn given_up(job: &Job) -> Instant {
    let never = Instant::from_ns(1_000_000);
    if job.id.number % 2 == 1 || job.absolute_deadline > never {
        return never;
    }
    let window = job.absolute_deadline - job.arrival;
    job.arrival + Duration::from_ns(window.as_ns() * (2 + u64::from(job.id.task.0) % 3) / 5)
}

#[test]
fn zones_servers_and_lock_free_objects_keep_their_promises() {
    for name in NAMES {
        let make = find_protocol(name).unwrap().make;
        let waits: usize = (0..150).map(|seed| hold(name, make, seed, false)).sum();
        assert!(waits > 150, "{name}: {waits}");
    }
}

#[test]
fn jobs_that_are_given_up_leave_zones_and_servers() {
    for name in NAMES {
        (0..150).for_each(|seed| {
            hold(name, find_protocol(name).unwrap().make, seed, true);
        });
    }
}

/// A protocol that is not told of jobs that were given up.
struct DeafToAborts;

impl Filter for DeafToAborts {
    fn hears(&self, event: Event) -> bool {
        !matches!(event, Event::Aborted(_))
    }

    fn keeps(&mut self, _: &Effect) -> bool {
        true
    }
}

/// The protocol of this name, not told of jobs that were given up.
fn deaf(name: &str, setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    Ok(Box::new(Filtered((find_protocol(name).unwrap().make)(setup)?, DeafToAborts)))
}

/// Zones as if each section took 1.
fn short_zones(setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    let mut tasks = setup.tasks.to_vec();
    let steps = tasks.iter_mut().flat_map(|task| &mut task.program);
    steps.filter(|step| matches!(step, Step::Execute(_))).for_each(|step| *step = execute(1));
    (find_protocol("zone-skip").unwrap().make)(&LockSetup { tasks: &tasks, ..*setup })
}

/// Each commit succeeds.
struct Careless(Box<dyn LockProtocol>);

impl LockProtocol for Careless {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        self.0.request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        self.0.release(section, turn);
    }

    fn commit(&mut self, job: JobId, resource: ResourceId) -> bool {
        self.0.commit(job, resource);
        true
    }
}

#[test]
fn each_rule_has_a_mutant_that_is_killed() {
    let mutants: [(&str, &str, Make, bool); 5] = [
        ("short zones", "zone-skip", short_zones, false),
        (
            "careless commits",
            "lock-free",
            |setup| Ok(Box::new(Careless((find_protocol("lock-free").unwrap().make)(setup)?))),
            false,
        ),
        ("zones keep who is gone", "zone-skip", |setup| deaf("zone-skip", setup), true),
        (
            "zones keep who is gone and rolls back",
            "zone-rollback",
            |setup| deaf("zone-rollback", setup),
            true,
        ),
        ("servers keep who is gone", "pfair-server", |setup| deaf("pfair-server", setup), true),
    ];
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let survives = |(_, name, make, aborts): &(&str, &str, Make, bool)| {
        (0..600).all(|seed| catch_unwind(|| hold(name, *make, seed, *aborts)).is_ok())
    };
    let survivors: Vec<&str> =
        mutants.iter().filter(|mutant| survives(mutant)).map(|mutant| mutant.0).collect();
    set_hook(hook);
    assert!(survivors.is_empty(), "{survivors:?}");
}
