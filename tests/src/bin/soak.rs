//! The long soundness run: `cargo run --release -p schedlab-tests --bin soak -- --systems 100000 --seed 1 --threads 2`.
//!
//! Prints the power of the run; the same numbers for any number of threads. Exit status 1 if anything
//! is refuted, with one command per case that replays it.

#![forbid(unsafe_code)]

use schedlab_tests::soundness::{examine, Power};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::process::ExitCode;

struct Options {
    systems: u64,
    seed: u64,
    threads: u64,
    /// Only this case.
    case: Option<u64>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { systems: 100_000, seed: 1, threads: 1, case: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|text| text.parse().ok());
        let value: u64 = value.ok_or(format!("{name} needs a whole number"))?;
        match name.as_str() {
            "--systems" => options.systems = value,
            "--seed" => options.seed = value,
            "--threads" => options.threads = value.max(1),
            "--case" => options.case = Some(value),
            _ => {
                return Err(format!("unknown option {name}; known are --systems, --seed, --threads, --case"))
            }
        }
    }
    Ok(options)
}

/// Examines the cases that are `first` modulo `step`.
fn examine_all(options: &Options, first: u64) -> (Power, Vec<(u64, String)>) {
    let (mut power, mut wrong) = (Power::default(), Vec::new());
    let cases = match options.case {
        Some(case) if first == 0 => case..case + 1,
        Some(_) => 0..0,
        None => first..options.systems,
    };
    for case in cases.step_by(options.threads as usize) {
        let mut one = Power::default();
        let result = catch_unwind(AssertUnwindSafe(|| examine(options.seed, case, &mut one)));
        match result.unwrap_or_else(|_| Err("it panics".to_owned())) {
            Ok(()) => power.merge(&one),
            Err(what) => wrong.push((case, what)),
        }
    }
    (power, wrong)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("soak: {message}");
            return ExitCode::from(2);
        }
    };
    let (mut power, mut wrong) = (Power::default(), Vec::new());
    std::thread::scope(|scope| {
        let options = &options;
        let threads: Vec<_> =
            (0..options.threads).map(|first| scope.spawn(move || examine_all(options, first))).collect();
        for thread in threads {
            let (part, found) = thread.join().expect("panics are caught");
            power.merge(&part);
            wrong.extend(found);
        }
    });
    wrong.sort();
    print!("{power}");
    for (case, what) in wrong.iter().take(20) {
        println!("\ncase {case}: {what}");
        println!(
            "replay: cargo run --release -p schedlab-tests --bin soak -- --seed {} --case {case}",
            options.seed
        );
    }
    println!("{} cases are wrong", wrong.len());
    ExitCode::from(u8::from(!wrong.is_empty()))
}
