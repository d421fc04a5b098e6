//! The long soundness run: `cargo run --release -p schedlab-tests --bin soak -- --systems 100000 --seed 1 --threads 2`.
//!
//! Prints the power of the run; the same numbers for any number of threads. Exit status 1 if anything
//! is refuted, with one command per case that replays it.

#![forbid(unsafe_code)]

use schedlab_tests::agreement::agrees;
use schedlab_tests::draw::Scale;
use schedlab_tests::soundness::{
    examine, examine_many, examine_pfair, examine_scenario, PfairPower, Power, ScenarioPower, Tally, Wrong,
};
use std::ops::Range;
use std::process::ExitCode;

struct Options {
    systems: u64,
    seed: u64,
    threads: u64,
    /// The first case, so that a long run can be cut in parts.
    first: u64,
    /// Only this case.
    case: Option<u64>,
}

fn options() -> Result<Options, String> {
    let mut options = Options { systems: 100_000, seed: 1, threads: 1, first: 0, case: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().and_then(|text| text.parse().ok());
        let value: u64 = value.ok_or(format!("{name} needs a whole number"))?;
        match name.as_str() {
            "--systems" => options.systems = value,
            "--seed" => options.seed = value,
            "--threads" => options.threads = value.max(1),
            "--first" => options.first = value,
            "--case" => options.case = Some(value),
            _ => {
                return Err(format!(
                    "unknown option {name}; known are --systems, --seed, --threads, --first, --case"
                ))
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("soak: {message}");
            return ExitCode::from(2);
        }
    };
    if let Some(case) = options.case {
        return replay(&options, case);
    }
    let wrong = examine_all(&options);
    for (case, what) in wrong.iter().take(20) {
        println!("\ncase {case}: {what}");
        println!(
            "replay: cargo run --release -p schedlab-tests --bin soak -- --seed {} --case {case}",
            options.seed
        );
    }
    let differing = compare_with_brute_force(&options);
    println!("{} cases are wrong", wrong.len() + differing);
    ExitCode::from(u8::from(!wrong.is_empty() || differing > 0))
}

/// So many systems between two words of how far the run is.
const PART: u64 = 10_000;

/// One case in so many is examined as a whole scenario too, which takes some three times as long as all else.
const SCENARIOS: u64 = 10;

/// All examinations of all cases, a part at a time; prints the power of the whole at the end, and gives what is wrong.
fn examine_all(options: &Options) -> Vec<Wrong> {
    let end = options.first + options.systems;
    let (mut power, mut pfair, mut scenarios) =
        (Power::default(), PfairPower::default(), ScenarioPower::default());
    let mut wrong = Vec::new();
    for first in (options.first..end).step_by(PART as usize) {
        let cases = first..end.min(first + PART);
        let some = first..first + (cases.end - first).div_ceil(SCENARIOS);
        let found = [
            examine_into(options, &cases, &mut power),
            examine_into(options, &cases, &mut pfair),
            examine_into(options, &some, &mut scenarios),
        ];
        for (case, what) in found.iter().flatten() {
            eprintln!("case {case}: {what}");
        }
        wrong.extend(found.into_iter().flatten());
        eprintln!("{} of {} systems, {} wrong", cases.end - options.first, options.systems, wrong.len());
    }
    print!("{power}{pfair}{scenarios}");
    wrong
}

fn examine_into<T: Tally>(options: &Options, cases: &Range<u64>, all: &mut T) -> Vec<Wrong> {
    let (found, wrong) = examine_many::<T>(options.seed, cases.clone(), options.threads);
    all.merge(&found);
    wrong
}

/// One case alone, under whatever examines it.
fn replay(options: &Options, case: u64) -> ExitCode {
    let found = [
        examine(options.seed, case, &mut Power::default()),
        examine_pfair(options.seed, case, &mut PfairPower::default()),
        examine_scenario(options.seed, case, &mut ScenarioPower::default()),
        agrees(options.seed, case, scale(case)),
    ];
    for what in found.iter().filter_map(|found| found.as_ref().err()) {
        println!("case {case}: {what}");
    }
    ExitCode::from(u8::from(found.iter().any(Result::is_err)))
}

/// Small numbers, where ties and simultaneous events abound, and every tenth time large ones.
fn scale(case: u64) -> Scale {
    match case % 10 {
        0 => Scale::Large,
        _ => Scale::Small,
    }
}

/// The simulator against brute force and the invariants, over the whole of some systems; gives how many are wrong.
/// The beginning of every system has been compared before.
fn compare_with_brute_force(options: &Options) -> usize {
    let cases = options.first..options.first + options.systems;
    let (mut compared, mut wrong) = (0, 0);
    for case in cases.step_by(WHOLLY_COMPARED) {
        compared += 1;
        if let Err(what) = agrees(options.seed, case, scale(case)) {
            wrong += 1;
            println!("\ncase {case}: {what}");
        }
    }
    println!("{compared} systems compared with brute force, and their invariants checked");
    wrong
}

/// Every so many systems. Coprime to the ten by which their scale goes.
const WHOLLY_COMPARED: usize = 3;
