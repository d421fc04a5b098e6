//! Task sets per second of one core that tests of global scheduling judge, beside SchedCAT's figures.
//!
//! `cargo bench -p schedlab-analysis --bench global [-- TEST]`. The workload is that of the peer's figures: periods
//! log-uniform in 10..=100 ms in whole microseconds, utilizations uniform among those that add up to u m, relative
//! deadlines C + (0.5..1) (T - C). Processor time, best of three windows over 1,000 sets.

use cpu_time::ProcessTime;
use schedlab_analysis::{registry, AnalysedOrder, AnalysedScheduler, Answer, Arrivals, System, Test};
use schedlab_model::{Duration, Task, Work};

const SETS: usize = 1_000;

struct Mixer(u64);

impl Mixer {
    /// In 0..1.
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform among those that add up to `sum` and are at most 1 (UUniFast, again until all are).
    fn utilizations(&mut self, count: usize, sum: f64) -> Vec<f64> {
        loop {
            let mut left = sum;
            let mut found = Vec::with_capacity(count);
            for rest in (1..count).rev() {
                let next = left * self.unit().powf(1.0 / rest as f64);
                found.push(left - next);
                left = next;
            }
            found.push(left);
            if found.iter().all(|&utilization| utilization <= 1.0) {
                return found;
            }
        }
    }

    fn task(&mut self, utilization: f64) -> Task {
        let period = (10_000.0 * 10f64.powf(self.unit())) as u64;
        let cost = ((period as f64 * utilization) as u64).clamp(1, period);
        let room = (period - cost) as f64 * (0.5 + 0.5 * self.unit());
        let relative_deadline = Duration::from_ns(cost + room as u64);
        Task::constrained(Work::from_ns(cost), Duration::from_ns(period), relative_deadline)
    }
}

fn sets(processors: u32, count: usize, load: f64, order: AnalysedOrder) -> Vec<System> {
    let mut random = Mixer(0x9E37_79B9_7F4A_7C15);
    let mut set = || {
        let utilizations = random.utilizations(count, load * f64::from(processors));
        let tasks: Vec<Task> = utilizations.into_iter().map(|u| random.task(u)).collect();
        let rank = |of: &Task| tasks.iter().filter(|t| t.relative_deadline < of.relative_deadline).count();
        let ranks: Vec<u32> = tasks.iter().map(|task| rank(task) as u32).collect();
        let scheduler = AnalysedScheduler {
            order,
            preemptive: true,
            ranks: &ranks,
            points: &[],
            arrivals: Arrivals::Sporadic,
        };
        System::global(&tasks, processors, &scheduler).expect("valid parameters")
    };
    (0..SETS).map(|_| set()).collect()
}

fn measure(test: &Test, systems: &[System]) -> (f64, usize) {
    let window = |_| {
        let start = ProcessTime::now();
        let accepted = systems.iter().filter(|s| (test.run)(s).answer == Answer::Schedulable).count();
        (SETS as f64 / start.elapsed().as_secs_f64(), accepted)
    };
    (0..3).map(window).max_by(|a, b| a.0.total_cmp(&b.0)).expect("three windows")
}

/// SchedCAT's sets per second at u = 0.4 and 0.7 for m = 8 and n = 40.
const TESTS: &[(&str, &str)] = &[
    ("gfb", "50 k / 49 k"),
    ("baker", "13 k / 38 k"),
    ("bcl", "31 k / 52 k"),
    ("bcl_iterative", "13 k / 14 k"),
    ("bertogna_cirinei_edf", "389 / 501"),
    ("baruah", "520 / 4704"),
    ("load", "83 / 45"),
    ("ff_dbf", "30 / 43 k"),
    ("liu_anderson", "55 / 410"),
    ("global_edf", "1384 / 202"),
    ("bertogna_cirinei_fp", "-"),
    ("guan", "65 / 85"),
];

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!("| test, m = 8, n = 40 | u = 0.4, sets/s | accepted | u = 0.7, sets/s | accepted | SchedCAT |");
    println!("|---|---|---|---|---|---|");
    for &(name, peer) in TESTS.iter().filter(|(name, _)| only.is_empty() || only.iter().any(|o| o == name)) {
        let test = registry::find(name).expect("a test of this name");
        let order = if name.ends_with("_fp") || name == "guan" {
            AnalysedOrder::FixedPriority
        } else {
            AnalysedOrder::Edf
        };
        let cell = |load| {
            let (rate, accepted) = measure(test, &sets(8, 40, load, order));
            format!("{:.0} | {:.1}%", rate, accepted as f64 / SETS as f64 * 100.0)
        };
        println!("| {name} | {} | {} | {peer} |", cell(0.4), cell(0.7));
    }
}
