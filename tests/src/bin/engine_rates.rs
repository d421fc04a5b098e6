//! What locks and quanta cost the simulator: rates beside each other in one run, in processor time.
//!
//! `engine_rates [--runs K]`: PD2 through the engine, in quanta per second, and the MSRP with two requests a job
//! beside the same tasks without any, in jobs per second with metrics. m = 4, n = 100, light; medians of K rounds.
//!
//! `engine_rates --schedulers G-EDF,DP-WRAP [--seconds S]` runs the same light tasks under each of these global
//! schedulers, without metrics, and prints jobs and dispatches per second.
//!
//! `engine_rates --once plain|msrp [--seconds S]` runs one of the latter once and prints how many jobs it completed.

#![forbid(unsafe_code)]

use schedlab_lock::{find_protocol, LockProtocol, LockSetup, PriorityOrder};
use schedlab_model::{
    Cluster, ClusterId, Duration, Instant, Overrun, Platform, Resource, ResourceId, Step, Task, Work,
};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Clustered, Make, Policy};
use schedlab_report::metrics::Metrics;
use schedlab_sim::{simulate_within, Charges, NoLocks, Setup, Workspace};
use schedlab_tests::classes::{tasks, CLASSES};
use schedlab_trace::{Record, Sink};
use schedlab_workload::arrivals::PeriodicSource;
use schedlab_workload::placement::Packing;

const M: u16 = 4;
const N: usize = 100;
const RESOURCES: usize = 10;
const QUANTUM_NS: u64 = 1_000_000;

/// Counts the quanta that are granted.
#[derive(Default)]
struct Quanta(u64);

impl Sink for Quanta {
    fn record(&mut self, _: Instant, record: Record) {
        self.0 += u64::from(matches!(record, Record::Subtask { .. }));
    }
}

/// Counts jobs that complete, and dispatches.
#[derive(Default)]
struct Stretches {
    jobs: u64,
    dispatches: u64,
}

impl Sink for Stretches {
    fn record(&mut self, _: Instant, record: Record) {
        self.jobs += u64::from(matches!(record, Record::Complete { .. }));
        self.dispatches += u64::from(matches!(record, Record::Dispatch { .. }));
    }
}

fn setup(tasks: &[Task], platform: &Platform, seconds: u64) -> Setup {
    Setup {
        tasks: tasks.to_vec(),
        platform: platform.clone(),
        charges: Charges::default(),
        overruns: Overrun::Ignore,
        horizon: Instant::from_ns(seconds * 1_000_000_000),
    }
}

fn each_cluster<P>(platform: &Platform, tasks: &[Task], make: impl Fn(&ClusterSetup<'_>) -> P) -> Vec<P> {
    let of_cluster = |(index, cluster): (usize, &Cluster)| {
        let (affinity, cpus) = (Affinity::default(), &cluster.cpus[..]);
        let cluster = ClusterId(index as u16);
        make(&ClusterSetup { cluster, cpus, platform, tasks, affinity, supertasks: &[], throttling: None })
    };
    platform.clusters.iter().enumerate().map(of_cluster).collect()
}

/// Whole quanta, at least one, so that they fit on the processors.
fn in_quanta(task: &Task) -> Task {
    let quanta = (task.wcet.as_ns() / QUANTUM_NS).max(1);
    Task::implicit(Work::from_ns(quanta * QUANTUM_NS), task.period)
}

/// Granted quanta of a run under PD2.
fn pd2(seconds: u64) -> u64 {
    let tasks: Vec<Task> = tasks(M, N, CLASSES[0].1).iter().map(in_quanta).collect();
    let platform = Platform { quantum: Duration::from_ns(QUANTUM_NS), ..Platform::global(M) };
    let scheduler = find("PD2").expect("it is in the list");
    let policies: Vec<Box<dyn Policy>> =
        each_cluster(&platform, &tasks, |setup| scheduler.policy(setup).expect("the weights fit"));
    let source = PeriodicSource::new(&tasks).expect("plain tasks");
    let mut quanta = Quanta::default();
    let (setup, workspace) = (setup(&tasks, &platform, seconds), &mut Workspace::default());
    simulate_within(workspace, setup, policies, NoLocks, source, &mut quanta, &mut |_| true);
    quanta.0
}

/// The job executes in five parts, the second and the fourth of which are sections of 5 us or a fifth of it.
fn with_sections(task: &Task, index: usize) -> Task {
    let section = 5_000.min(task.wcet.as_ns() / 5);
    let part = (task.wcet.as_ns() - 2 * section) / 3;
    let rest = task.wcet.as_ns() - 2 * section - 2 * part;
    let [first, second] = [index, index + 3].map(|number| ResourceId((number % RESOURCES) as u32));
    let execute = |ns| Step::Execute(Work::from_ns(ns));
    let locked = |resource| [Step::Request(resource, 1), execute(section), Step::Release(resource, 1)];
    let mut program = vec![execute(part)];
    program.extend(locked(first));
    program.push(execute(part));
    program.extend(locked(second));
    program.push(execute(rest));
    Task { program, ..task.clone() }
}

/// Jobs and dispatches of a run under the global scheduler of this name, which is driven by pointers.
fn under(name: &str, seconds: u64) -> Stretches {
    let tasks: Vec<Task> = tasks(M, N, CLASSES[0].1).iter().map(in_quanta).collect();
    let platform = Platform { quantum: Duration::from_ns(QUANTUM_NS), ..Platform::global(M) };
    let scheduler = find(name).unwrap_or_else(|error| panic!("{error}"));
    let made = |setup: &ClusterSetup<'_>| scheduler.policy(setup).unwrap_or_else(|error| panic!("{error}"));
    let policies: Vec<Box<dyn Policy>> = each_cluster(&platform, &tasks, made);
    let source = PeriodicSource::new(&tasks).expect("plain tasks");
    let (mut stretches, workspace) = (Stretches::default(), &mut Workspace::default());
    let setup = setup(&tasks, &platform, seconds);
    simulate_within(workspace, setup, policies, NoLocks, source, &mut stretches, &mut |_| true);
    stretches
}

/// Prints what each of the named schedulers does in a second of processor time.
fn print_schedulers(names: &str, seconds: u64) {
    for name in names.split(',') {
        let start = cpu_time::ProcessTime::now();
        let Stretches { jobs, dispatches } = under(name, seconds);
        let passed = start.elapsed().as_secs_f64() * 1e6;
        let (job_rate, rate) = (jobs as f64 / passed, dispatches as f64 / passed);
        println!("{name}: {job_rate:.3} M jobs, {rate:.2} M dispatches per second");
    }
}

/// What a simulation under P-EDF with metrics is made of.
type Parts = (Setup, Vec<Clustered>, Box<dyn LockProtocol>, PeriodicSource, Metrics);

/// With the MSRP and two requests a job, or without.
fn p_edf(seconds: u64, locks: bool) -> Parts {
    let mut tasks = tasks(M, N, CLASSES[0].1);
    let platform = Platform::partitioned(M);
    let packing: Packing = "worst_fit_decreasing".parse().expect("it is a packing");
    packing.place(&tasks, M).expect("there are processors").assign(&mut tasks);
    let Make::Clustered { order, preemptive } = find("P-EDF").expect("it exists").make else {
        unreachable!()
    };
    let metrics = Metrics::new(N, M.into()).summaries_only();
    if locks {
        tasks = tasks.iter().enumerate().map(|(index, task)| with_sections(task, index)).collect();
    }
    let policies = each_cluster(&platform, &tasks, |setup| Clustered::new(order, preemptive, setup));
    let source = PeriodicSource::new(&tasks).expect("programs that add up");
    let protocol: Box<dyn LockProtocol> = match locks {
        false => Box::new(NoLocks),
        true => {
            let resources = vec![Resource { units: 1 }; RESOURCES];
            let system = LockSetup {
                tasks: &tasks,
                resources: &resources,
                platform: &platform,
                order: PriorityOrder::EarliestDeadline,
                lengths: &[],
            };
            (find_protocol("msrp").expect("it is in the list").make)(&system).expect("it suits the tasks")
        }
    };
    (setup(&tasks, &platform, seconds), policies, protocol, source, metrics)
}

/// What is counted: one simulation, without the preparation of its parts. Kept a function of its own for profilers.
#[inline(never)]
fn counted((setup, policies, protocol, source, metrics): Parts) -> u64 {
    let workspace = &mut Workspace::default();
    simulate_within(workspace, setup, policies, protocol, source, metrics, &mut |_| true).jobs_completed
}

/// Per second of processor time, in millions.
fn rate(what: impl Fn() -> u64) -> f64 {
    let start = cpu_time::ProcessTime::now();
    let count = what();
    count as f64 / start.elapsed().as_secs_f64() / 1e6
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |flag: &str| {
        let index = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(index + 1).map(String::as_str)
    };
    let number = |flag, default| after(flag).and_then(|text| text.parse().ok()).unwrap_or(default);
    if let Some(which) = after("--once") {
        assert!(["plain", "msrp"].contains(&which), "plain or msrp: {which}");
        return println!("{}", counted(p_edf(number("--seconds", 2), which == "msrp")));
    }
    if let Some(names) = after("--schedulers") {
        return print_schedulers(names, number("--seconds", 20));
    }
    let (runs, seconds) = (number("--runs", 5), 200);
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    for _ in 0..runs {
        let p_edf = |locks| rate(|| counted(p_edf(seconds, locks)));
        rounds.push([rate(|| pd2(seconds)), p_edf(false), p_edf(true)]);
    }
    let median = |column: usize| {
        let mut values: Vec<f64> = rounds.iter().map(|round| round[column]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let (plain, locked) = (median(1), median(2));
    println!("PD2 through the engine: {:.2} M quanta per second", median(0));
    println!("P-EDF with metrics: {plain:.2} M jobs per second");
    println!("the same under the MSRP, two requests a job: {locked:.2} M, {:.2} of that", locked / plain);
}
