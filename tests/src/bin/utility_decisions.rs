//! How long one decision of each utility-accrual algorithm takes, by the number of ready jobs.
//!
//! `utility_decisions [--runs K]`: jobs have 1 to 20 units left and steps of 1 to 100. Their termination times are
//! drawn so that the processors could do all of the work by the last one (*under*), or half of it (*over*). LBESA,
//! DASA, DASA-ND and HVDF are for one processor, the others for 16. *Chains* and *trees*: three of four jobs wait for
//! the one before. Of K runs in processor time, the least is printed, in nanoseconds.

use schedlab_model::{Instant, JobId, TaskId, Work};
use schedlab_policy::utility::{
    deadlocked, Candidate, DecisionMemory, Queues, UtilityKind, DASA, DASA_ND, G_GUA, G_MUA, HVDF, LBESA,
    NG_GUA,
};
use schedlab_workload::Random;
use std::hint::black_box;

const PROCESSORS: usize = 16;
const CHAIN: usize = 4;
const JOBS: [usize; 5] = [10, 32, 100, 316, 1_000];

/// `percent` of the work of all jobs fits before the last termination time. Of each `chain` of jobs all but the first
/// wait for the one before.
fn jobs(count: usize, processors: usize, percent: u64, chain: usize) -> Vec<Candidate> {
    let mut random = Random::new(1, *b"Decision", count as u64);
    let remaining: Vec<u64> = (0..count).map(|_| random.between(1, 20) * 1_000_000).collect();
    let work: u64 = remaining.iter().sum();
    let last = work / processors as u64 * percent / 100;
    let job = |(task, left): (usize, &u64)| Candidate {
        id: JobId::new(TaskId(task as u32), 0),
        // The later, the more of the work is before: jobs by index are jobs by termination time, nearly.
        termination: Instant::from_ns(
            last * (task as u64 + 1) / count as u64 + random.between(0, last / 4) + left,
        ),
        remaining: Work::from_ns(*left),
        load: Work::from_ns(*left),
        utility: random.between(1, 100),
        waits_for: (task % chain != 0).then(|| task as u32 - 1),
    };
    remaining.iter().enumerate().map(job).collect()
}

/// Nanoseconds of a decision: the least mean of so many runs.
fn nanoseconds(algorithm: UtilityKind, jobs: &[Candidate], processors: usize, runs: u64) -> f64 {
    let mut queues = Queues::new(processors, jobs.len());
    let mut memory = DecisionMemory::new(jobs.len(), processors);
    let batch = 200_000 / jobs.len().max(1);
    let mut once = || {
        let start = cpu_time::ProcessTime::now();
        for _ in 0..batch {
            queues.clear();
            if algorithm.follows_holders {
                assert_eq!(deadlocked(black_box(jobs)), None, "no chain is a circle");
            }
            (algorithm.decide)(Instant::ZERO, black_box(jobs), &mut queues, &mut memory);
            black_box(&queues);
        }
        start.elapsed().as_nanos() as f64 / batch as f64
    };
    (0..runs).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let text = arguments.iter().skip_while(|argument| *argument != "--runs").nth(1);
    let runs = text.and_then(|text| text.parse().ok()).unwrap_or(7);
    println!("algorithm,load,{}", JOBS.map(|count| count.to_string()).join(","));
    let all: [(&str, usize, usize, UtilityKind); 10] = [
        ("HVDF", 1, 1, HVDF),
        ("LBESA", 1, 1, LBESA),
        ("DASA-ND", 1, 1, DASA_ND),
        ("DASA", 1, 1, DASA),
        ("DASA chains", 1, CHAIN, DASA),
        ("gMUA", PROCESSORS, 1, G_MUA),
        ("NG-GUA", PROCESSORS, 1, NG_GUA),
        ("NG-GUA trees", PROCESSORS, CHAIN, NG_GUA),
        ("G-GUA", PROCESSORS, 1, G_GUA),
        ("G-GUA trees", PROCESSORS, CHAIN, G_GUA),
    ];
    for (name, processors, chain, algorithm) in all {
        for (load, percent) in [("under", 100), ("over", 50)] {
            let cell = |count| {
                let jobs = jobs(count, processors, percent, chain);
                let time = nanoseconds(algorithm, &jobs, processors, runs);
                format!("{time:.0}")
            };
            println!("{name},{load},{}", JOBS.map(cell).join(","));
        }
    }
}
