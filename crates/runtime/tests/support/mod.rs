//! Makes systems of tasks in milliseconds and runs them.

#![allow(dead_code, reason = "each test file uses its own part")]

mod backend;
mod skipped;

use backend::wished_backend;
use schedlab_account::{Lost, RealRun, Sizes};
use schedlab_lock::{find_protocol, LockProtocol, LockSetup, PriorityOrder};
use schedlab_model::*;
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Policy, Scope};
use schedlab_runtime::*;
use schedlab_sim::{Charges, NoLocks, Setup};
use schedlab_trace::Header;
use schedlab_workload::arrivals::PeriodicSource;
use std::sync::{Arc, Mutex};

/// A turn: the tests share the processors, so one run at a time executes.
static ALONE: Mutex<()> = Mutex::new(());

/// A task of cost, period and relative deadline in milliseconds.
pub fn task(cost: u64, period: u64, relative_deadline: u64) -> Task {
    let ms = 1_000_000;
    Task::constrained(
        Work::from_ns(cost * ms),
        Duration::from_ns(period * ms),
        Duration::from_ns(relative_deadline * ms),
    )
}

/// The program of a task that has `resource` throughout its `cost` (in milliseconds); its body need not take it.
pub fn holding(resource: ResourceId, cost: u64) -> Vec<Step> {
    vec![
        Step::Request(resource, 1),
        Step::Execute(Work::from_ns(cost * 1_000_000)),
        Step::Release(resource, 1),
    ]
}

fn policies(name: &str, platform: &Platform, tasks: &[Task]) -> Vec<Box<dyn Policy>> {
    let scheduler = find(name).unwrap();
    let make = |(index, cluster): (usize, &Cluster)| {
        let cluster_id = ClusterId(index as u16);
        let affinity = Affinity::default();
        let setup = ClusterSetup {
            cluster: cluster_id,
            cpus: &cluster.cpus,
            platform,
            tasks,
            affinity,
            supertasks: &[],
            throttling: None,
        };
        scheduler.policy(&setup).unwrap()
    };
    platform.clusters.iter().enumerate().map(make).collect()
}

/// A run of one domain.
pub struct Run {
    pub tasks: Vec<Task>,
    pub name: &'static str,
    pub processors: u16,
    /// The horizon, in milliseconds.
    pub horizon: u64,
    pub bodies: Vec<Body>,
    pub locks: fn(&[Task], &Platform) -> Box<dyn LockProtocol>,
    pub overruns: Overrun,
    pub background: Vec<Background>,
    /// A wrapper between the engine and its policies.
    pub watch: fn(Box<dyn Policy>) -> Box<dyn Policy>,
    pub options: Options,
}

/// The protocol of tasks that share nothing.
fn no_locks(_: &[Task], _: &Platform) -> Box<dyn LockProtocol> {
    Box::new(NoLocks)
}

/// The backend of tests that are about gates.
pub const GATES: BackendChoice = BackendChoice::Only(schedlab_trace::Backend::Threads);

/// Runs `tasks` for `horizon` milliseconds in one domain; `None` where that is refused.
pub fn run(
    tasks: Vec<Task>,
    name: &'static str,
    processors: u16,
    horizon: u64,
    bodies: Vec<Body>,
) -> Option<Outcome> {
    Run::of(tasks, name, processors, horizon, bodies).go()
}

impl Run {
    /// Tasks that share nothing and have no budgets.
    pub fn of(
        tasks: Vec<Task>,
        name: &'static str,
        processors: u16,
        horizon: u64,
        bodies: Vec<Body>,
    ) -> Self {
        let (locks, overruns) =
            (no_locks as fn(&[Task], &Platform) -> Box<dyn LockProtocol>, Overrun::Ignore);
        let (background, options) = (Vec::new(), Options::default());
        let watch = |policy| policy;
        Run { tasks, name, processors, horizon, bodies, locks, overruns, background, watch, options }
    }

    /// Runs it, and holds the replay against it; `None`, and noted as skipped, where this machine refuses it.
    pub fn go(self) -> Option<Outcome> {
        let noted = |refusal: &Refusal| match wished_backend() {
            None => skipped::skipped(&refusal.to_string()),
            Some(_) => panic!("the backend of all tests is refused: {refusal}"),
        };
        self.attempt().inspect_err(noted).ok()
    }

    /// Runs it, and holds the replay against it, or says why it is refused.
    pub fn attempt(self) -> Result<Outcome, Refusal> {
        let Run { tasks, name, processors, horizon, bodies, locks, overruns, background, watch, options } =
            self;
        let options = Options { backend: options.backend.or_else(wished_backend), ..options };
        let platform = match find(name).unwrap().scope {
            Scope::Partitioned => Platform::partitioned(processors),
            Scope::Clustered | Scope::Global => Platform::global(processors),
        };
        let domain = || DomainSetup {
            cpus: (0..processors).map(CpuId).collect(),
            policies: policies(name, &platform, &tasks).into_iter().map(watch).collect(),
            locks: locks(&tasks, &platform),
            source: Box::new(PeriodicSource::new(&tasks).expect("plain tasks")),
            may_go_without: false,
            clients: Vec::new(),
        };
        let domain_of = vec![0; tasks.len()];
        let horizon = Instant::from_ns(horizon * 1_000_000);
        let (domains, again) = (vec![domain()], domain());
        let setup = Setup { tasks, platform, charges: Charges::default(), overruns, horizon };
        let enforcement = Enforcement::of(&options, setup.tasks.len(), processors.into())?;
        let system = System {
            setup: setup.clone(),
            decides: Decides::Engine { domains, domain_of, enforcement },
            bodies,
            background,
            events: Vec::new(),
        };
        let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match schedlab_runtime::run(system, &options, &Arc::default()) {
            Ok(outcome) => {
                // A thread that has ended is there for a moment longer.
                let ends = sys::monotonic_ns() + 1_000_000_000;
                while real_time_threads() > 0 && sys::monotonic_ns() < ends {
                    std::thread::yield_now();
                }
                assert_eq!(real_time_threads(), 0, "a thread is still real-time");
                assert_eq!(locked_kib(), 0, "memory is still locked");
                let setup = Setup { horizon: outcome.end(), ..setup };
                let inputs = outcome.inputs[0].as_ref().expect("short runs are remembered");
                let again = replay(again, &setup, inputs);
                assert_eq!(again.records, outcome.decisions, "the replay is exact");
                Ok(outcome)
            }
            Err(refusal) => {
                assert!(!matches!(refusal, Refusal::Taken { .. }), "a run is in the way: {refusal}");
                Err(refusal)
            }
        }
    }
}

/// The protocol of this name, for the tasks' resources, of one unit each.
pub fn make(name: &str, tasks: &[Task], platform: &Platform) -> Box<dyn LockProtocol> {
    let used = tasks.iter().flat_map(|task| &task.program).filter_map(|step| match step {
        Step::Request(resource, _) => Some(resource.index() + 1),
        _ => None,
    });
    let resources = &vec![Resource { units: 1 }; used.max().unwrap_or(0)];
    let order = PriorityOrder::EarliestDeadline;
    (find_protocol(name).unwrap().make)(&LockSetup { tasks, resources, platform, order, lengths: &[] })
        .unwrap()
}

/// The number of threads of this process that have a real-time policy: field 41 of their status.
fn real_time_threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok());
    let policy = |stat: &String| stat.rsplit_once(')')?.1.split_whitespace().nth(38)?.parse::<u32>().ok();
    stats.filter(|stat| matches!(policy(stat), Some(1 | 2 | 6))).count()
}

/// The amount of this process's memory that is locked, in KiB.
pub fn locked_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmLck:")).expect("the kernel says so");
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// The run as its trace shows it.
pub fn real_run(outcome: &Outcome) -> RealRun {
    let sizes = Sizes { tasks: outcome.threads.len(), processors: outcome.processors.len(), resources: 100 };
    RealRun::read(sizes, &Header::new(schedlab_trace::Backend::Threads), outcome.trace())
        .expect("a run's own trace is one of its system")
}

/// Burns the processor for about this long, by what the thread itself has used.
pub fn burn(us: u64) {
    let until = sys::thread_cpu_ns() + us * 1_000;
    while sys::thread_cpu_ns() < until {
        std::hint::spin_loop();
    }
}

/// More of the processors' time than a part in so many is too much to judge a run by what it got done.
const NOISE: u64 = 20;

/// True, and said in one line, if the machine took so much from a run that what it got done says nothing: by the
/// kernel's word of what others had, by what the host stole, or since no thread of the run executed for a while. A test
/// asks only where a number is not what it ought to be.
pub fn is_too_noisy(outcome: &Outcome) -> bool {
    let lost: u64 = real_run(outcome).lost().iter().map(Lost::ns).sum();
    let stolen: u64 = outcome.stolen.iter().flatten().map(|stolen| stolen.length.as_ns()).sum();
    let all = outcome.end().as_ns() * outcome.processors.len() as u64;
    let still = outcome.stood_still.len();
    let is_noisy = lost.max(stolen) * NOISE > all || still > 0;
    if is_noisy {
        println!(
            "too noisy to judge: {} ms lost to others, {} ms stolen of {} ms; stood still {still} times",
            lost / 1_000_000,
            stolen / 1_000_000,
            all / 1_000_000
        );
    }
    is_noisy
}

/// Minimum, median and maximum time from arrival to first instruction, in microseconds.
pub fn latencies(outcome: &Outcome) -> (u64, u64, u64) {
    let mut all: Vec<u64> =
        outcome.release_latencies().iter().map(|(_, length)| length.as_ns() / 1_000).collect();
    all.sort_unstable();
    (all[0], all[all.len() / 2], all[all.len() - 1])
}
