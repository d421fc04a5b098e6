//! Random sets per second, drawn, placed and judged by the whole engine, on one thread and on two.
//!
//! `cargo bench -p schedlab-batch [-- SETS]`. By wall clock two threads give twice the rate only while nobody else uses the processors; the processor time
//! that a set takes, beside it, tells whether a second thread costs anything.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use cpu_time::ProcessTime;
use schedlab_batch::{table_of_sets, Control};
use schedlab_lab::batch::{Question, Sets};
use schedlab_workload::generate::{Generator, Spec};
use std::time::Instant;

/// The questions of each row; the first is asked of 40 tasks on 8 processors.
const ROWS: &[&[&str]] = &[
    &["P-EDF hard qpa worst_fit_decreasing"],
    &["P-EDF hard", "P-RM hard", "G-EDF hard gfb", "G-EDF soft", "PD2 hard"],
    &["P-EDF hard qpa worst_fit_decreasing paper-2008-4k"],
];

fn main() {
    let sets = std::env::args().filter_map(|text| text.parse().ok()).next().unwrap_or(50_000);
    println!("| questions | threads | sets/s by the clock | sets/s of processor time |\n|---|---|---|---|");
    let generator = Generator::parse(&Spec {
        utilization: "randfixedsum 0 1".into(),
        periods: "log-uniform 10ms 100ms".into(),
        deadlines: "implicit".into(),
        stop: "tasks 40 total 6.4".into(),
    });
    let generator = generator.expect("a generator of the list");
    for names in ROWS {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let questions: Vec<Question> = names.iter().map(|name| name.parse().expect("a question")).collect();
        let asked = Sets { generator: &generator, seed: 1, processors: 8, questions: &questions };
        // By turns, so that what else the machine does meets both alike.
        for turn in 0..6 {
            let threads = 1 + turn % 2;
            let (clock, work) = (Instant::now(), ProcessTime::now());
            let table = table_of_sets(&asked, 0..sets, &names, threads, &Control::default());
            assert_eq!(table.map(|table| table.num_rows() as u64), Ok(sets));
            let rate = |seconds: f64| sets as f64 / seconds;
            let (clock, work) = (rate(clock.elapsed().as_secs_f64()), rate(work.elapsed().as_secs_f64()));
            println!("| {} | {threads} | {clock:.0} | {work:.0} |", names.join(", "));
        }
    }
}
