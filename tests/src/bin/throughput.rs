//! Jobs per second of one core: G-EDF and P-EDF, with metrics and without a trace, and with a whole trace.
//!
//! `throughput [--runs K] [--seconds S] [--only G-EDF,4,100,medium]`: the sets are those of the peer's script in
//! `benches/`: periods uniform in
//! 10..=100 ms, synchronous; utilizations uniform, light in [.001, .1], medium [.1, .4], heavy [.5, .9], scaled down
//! to 0.9 m where they exceed it. Each cell is run K times; the median is printed.

use schedlab_model::{Instant, Overrun, Platform};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::{find, ClusterSetup, Clustered, Make};
use schedlab_report::metrics::Metrics;
use schedlab_sim::{simulate_within, Charges, NoLocks, Setup, Workspace};
use schedlab_tests::classes::{tasks, CLASSES};
use schedlab_trace::{Encoder, NoTrace, Record, Sink};
use schedlab_workload::arrivals::PeriodicSource;
use schedlab_workload::placement::Packing;

/// A trace whose buffer is used again and again, as a writer to a file would.
struct Buffer {
    encoder: Encoder,
    bytes: u64,
}

/// So many bytes are written at once.
const PIECE: usize = 1 << 16;

impl Buffer {
    /// With all its room, as a writer has it.
    fn new() -> Self {
        let mut encoder = Encoder::new();
        encoder.bytes.reserve(PIECE + 512);
        Buffer { encoder, bytes: 0 }
    }

    #[inline(always)]
    fn write(&mut self) {
        if self.encoder.bytes.len() >= PIECE {
            self.bytes += self.encoder.bytes.len() as u64;
            self.encoder.bytes.clear();
        }
    }
}

impl Sink for Buffer {
    #[inline(always)]
    fn record(&mut self, at: Instant, record: Record) {
        self.encoder.record(at, record);
        self.write();
    }

    #[inline(always)]
    fn record_both(&mut self, at: Instant, first: Record, second: Record) {
        self.encoder.record_both(at, first, second);
        self.write();
    }
}

fn setup(name: &str, m: u16, n: usize, range: (f64, f64), seconds: u64) -> Setup {
    let mut tasks = tasks(m, n, range);
    let mut platform = Platform::global(m);
    if name.starts_with('P') {
        platform = Platform::partitioned(m);
        let packing: Packing = "worst_fit_decreasing".parse().expect("it is a packing");
        packing.place(&tasks, m).expect("there are processors").assign(&mut tasks);
    }
    let horizon = Instant::from_ns(seconds * 1_000_000_000);
    Setup { tasks, platform, charges: Charges::default(), overruns: Overrun::Ignore, horizon }
}

/// What a simulation is made of.
type Parts = (Setup, Vec<Clustered>, PeriodicSource);

fn parts(setup: &Setup, name: &str) -> Parts {
    let Make::Clustered { order, preemptive } = find(name).expect("it exists").make else { unreachable!() };
    let clusters = setup.platform.clusters.iter().enumerate();
    let policies = clusters.map(|(index, cluster)| {
        let cluster_id = schedlab_model::ClusterId(index as u16);
        let setup = ClusterSetup {
            cluster: cluster_id,
            cpus: &cluster.cpus,
            platform: &setup.platform,
            tasks: &setup.tasks,
            affinity: Affinity::default(),
            supertasks: &[],
            throttling: None,
        };
        Clustered::new(order, preemptive, &setup)
    });
    let policies = policies.collect();
    (setup.clone(), policies, PeriodicSource::new(&setup.tasks).expect("plain tasks"))
}

fn run((setup, policies, source): Parts, sink: impl Sink) -> u64 {
    let workspace = &mut Workspace::default();
    simulate_within(workspace, setup, policies, NoLocks, source, sink, &mut |_| true).jobs_completed
}

/// In processor time, since other programs share the machine.
fn jobs_per_second(runs: usize, mut once: impl FnMut() -> u64) -> f64 {
    let mut rates: Vec<f64> = (0..runs)
        .map(|_| {
            let start = cpu_time::ProcessTime::now();
            let jobs = once();
            jobs as f64 / start.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    rates[runs / 2]
}

/// The tasks of a cell such as `G-EDF,4,100,medium`, for the peer's script: period, cost and cluster of each.
fn print_tasks(cell: &str) {
    for task in &setup_of(cell, 1).tasks {
        println!("{},{},{}", task.period.as_ns(), task.wcet.as_ns(), task.cluster.0);
    }
}

/// The machine and the tasks of a cell.
fn setup_of(cell: &str, seconds: u64) -> Setup {
    let parts: Vec<&str> = cell.split(',').collect();
    let [name, m, n, class] = parts[..] else { panic!("a cell is scheduler,m,n,class: {cell}") };
    let range = CLASSES.iter().find(|(known, _)| *known == class).expect("a class").1;
    setup(name, m.parse().expect("m"), n.parse().expect("n"), range, seconds)
}

/// What is counted: one simulation, without the preparation of its parts. Kept a function of its own for profilers.
#[inline(never)]
fn counted(kind: &str, parts: Parts, metrics: Option<Metrics>) -> u64 {
    match kind {
        "nothing" => run(parts, NoTrace),
        "metrics" => run(parts, metrics.expect("they were made")),
        "trace" => run(parts, Buffer::new()),
        _ => panic!("nothing, metrics or trace: {kind}"),
    }
}

/// One simulation of a cell, for `benches/instructions.py`: prints how many jobs it completed.
fn print_once(kind: &str, cell: &str, seconds: u64) {
    let setup = setup_of(cell, seconds);
    let parts = parts(&setup, cell.split(',').next().expect("a name"));
    let processors = usize::from(setup.platform.processors());
    let metrics = || Metrics::new(setup.tasks.len(), processors).summaries_only();
    println!("{}", counted(kind, parts, (kind == "metrics").then(metrics)));
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |flag: &str, default: u64| {
        let index = arguments.iter().position(|argument| argument == flag);
        index.and_then(|index| arguments.get(index + 1)).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    if let Some(index) = arguments.iter().position(|argument| argument == "--tasks") {
        return print_tasks(&arguments[index + 1]);
    }
    let (runs, seconds) = (number("--runs", 5) as usize, number("--seconds", 0));
    let only = arguments.iter().position(|argument| argument == "--only").map(|index| &arguments[index + 1]);
    if let Some(index) = arguments.iter().position(|argument| argument == "--once") {
        let [kind, cell] = &arguments[index + 1..=index + 2] else { panic!("--once KIND CELL") };
        return print_once(kind, cell, number("--seconds", 2));
    }
    println!("scheduler,m,n,class,nothing,metrics,trace");
    for (m, n) in [(4, 100), (48, 400)] {
        for (class, range) in CLASSES {
            for name in ["G-EDF", "P-EDF"] {
                if only.is_some_and(|only| *only != format!("{name},{m},{n},{class}")) {
                    continue;
                }
                let seconds = if seconds > 0 { seconds } else { 40_000 / n as u64 };
                let setup = setup(name, m, n, range, seconds);
                let processors = usize::from(m);
                let parts = || parts(&setup, name);
                let nothing = jobs_per_second(runs, || run(parts(), NoTrace));
                let metrics =
                    jobs_per_second(runs, || run(parts(), Metrics::new(n, processors).summaries_only()));
                let trace = jobs_per_second(runs, || run(parts(), Buffer::new()));
                println!("{name},{m},{n},{class},{nothing:.0},{metrics:.0},{trace:.0}");
            }
        }
    }
}
