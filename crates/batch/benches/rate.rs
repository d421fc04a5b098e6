//! Random sets per second, drawn, placed and judged by the whole engine, on one thread and on two.
//!
//! `cargo bench -p schedlab-batch [-- SETS]`. Two processors of a machine seldom give twice what one gives, whatever
//! they run: they share caches, memory, power, and a host. So two threads are compared with one, and with two runs of
//! half the sets each that know nothing of one another.

#![expect(clippy::disallowed_types, reason = "a benchmark reads the clock")]

use schedlab_batch::{table_of_sets, Control};
use schedlab_lab::batch::{Measure, Question, Sets};
use schedlab_workload::generate::{Accesses, Generator, Spec};
use std::ops::Range;
use std::time::Instant;

/// The questions of each row; the first is asked of 40 tasks on 8 processors.
const ROWS: &[&[&str]] = &[
    &["P-EDF hard qpa worst_fit_decreasing"],
    &["P-EDF hard", "P-RM hard", "G-EDF hard gfb", "G-EDF soft", "PD2 hard"],
    &["P-EDF hard qpa worst_fit_decreasing paper-2008-4k"],
];

/// How often each is measured, by turns; an odd number.
const ROUNDS: usize = 7;

fn main() {
    let sets = std::env::args().filter_map(|text| text.parse().ok()).next().unwrap_or(50_000);
    let generator = Generator::parse(&Spec {
        utilization: "randfixedsum 0 1".into(),
        periods: "log-uniform 10ms 100ms".into(),
        deadlines: "implicit".into(),
        stop: "tasks 40 total 6.4".into(),
    });
    let generator = generator.expect("a generator of the list");
    println!("Sets per second by the clock, medians of {ROUNDS} rounds; ratios within each round.\n");
    println!("| questions | one thread | two threads | two runs apart | two to one | two to apart |\n|---|---|---|---|---|---|");
    for names in ROWS {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let questions: Vec<Question> = names.iter().map(|name| name.parse().expect("a question")).collect();
        let judge = |sets: Range<u64>, threads: usize| {
            let asked = Sets {
                generator: &generator,
                accesses: &Accesses::NONE,
                seed: 1,
                processors: 8,
                questions: &questions,
            };
            let table =
                table_of_sets(&asked, Measure::Proof, sets.clone(), &names, threads, &Control::default());
            assert_eq!(table.map(|table| table.num_rows() as u64), Ok(sets.end - sets.start));
        };
        let clocked = |work: &dyn Fn()| {
            let begin = Instant::now();
            work();
            sets as f64 / begin.elapsed().as_secs_f64()
        };
        let apart = || {
            std::thread::scope(|scope| {
                scope.spawn(|| judge(0..sets / 2, 1));
                scope.spawn(|| judge(sets / 2..sets, 1));
            });
        };
        // By turns, so that what else the machine does meets all alike.
        let rounds: Vec<[f64; 3]> = (0..ROUNDS)
            .map(|_| [clocked(&|| judge(0..sets, 1)), clocked(&|| judge(0..sets, 2)), clocked(&apart)])
            .collect();
        let [one, two, two_apart] = [0, 1, 2].map(|which| median(rounds.iter().map(|round| round[which])));
        let to_one = median(rounds.iter().map(|[one, two, _]| two / one));
        let to_apart = median(rounds.iter().map(|[_, two, apart]| two / apart));
        println!(
            "| {} | {one:.0} | {two:.0} | {two_apart:.0} | {to_one:.2} | {to_apart:.2} |",
            names.join(", ")
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
