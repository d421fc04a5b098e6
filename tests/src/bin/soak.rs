//! The long soundness run: `cargo run --release -p schedlab-tests --bin soak -- --systems 100000 --seed 1 --threads 2`.
//!
//! Prints the power of the run; the same numbers for any number of threads. Exit status 1 if anything
//! is refuted, with one command per case that replays it. `soak --help` lists the options.

#![forbid(unsafe_code)]

use schedlab_tests::agreement::agrees;
use schedlab_tests::answers::{examine_answers, AnswerPower};
use schedlab_tests::climb::{climb, ClimbPower, Effort};
use schedlab_tests::draw::Scale;
use schedlab_tests::features::{examine_features, FeaturePower};
use schedlab_tests::servers::{examine_servers, ServerPower};
use schedlab_tests::soundness::{
    examine, examine_many, examine_pfair, examine_scenario, examine_units, PfairPower, Power, ScenarioPower,
    Tally, UnitPower, Wrong,
};
use schedlab_tests::tables;
use std::fmt::Display;
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
    /// Only this examination.
    only: Option<Kind>,
    /// The document whose tables are renewed.
    write: Option<String>,
}

/// What examines cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Tests,
    Pfair,
    Scenarios,
    Features,
    Climb,
    Units,
    Answers,
    Servers,
    BruteForce,
}

/// As `--only` names them.
const KINDS: &[(&str, Kind)] = &[
    ("tests", Kind::Tests),
    ("pfair", Kind::Pfair),
    ("scenarios", Kind::Scenarios),
    ("features", Kind::Features),
    ("climb", Kind::Climb),
    ("units", Kind::Units),
    ("answers", Kind::Answers),
    ("servers", Kind::Servers),
    ("brute-force", Kind::BruteForce),
];

impl Options {
    fn wants(&self, kind: Kind) -> bool {
        self.only.is_none_or(|only| only == kind)
    }
}

const HELP: &str = "\
soak [OPTION VALUE]...: holds analysis against simulations of random systems

  --systems N    number of systems, 100,000 unless stated
  --seed S       seed of all systems; 1 unless stated
  --threads N    threads that examine; 1 unless stated
  --first N      the first system, so that a long run can be cut in parts; 0 unless stated
  --case N       only this system, by every examination or by that of --only
  --only NAME    only this examination: tests, pfair, scenarios, features, climb, units, answers, servers,
                 brute-force
  --write FILE   renews the tables of this document

The examinations scenarios and climb look at one system in ten, because they take longer than all else: the first tenth
of each 10,000. brute-force looks at every third one.";

fn options() -> Result<Options, String> {
    let mut options =
        Options { systems: 100_000, seed: 1, threads: 1, first: 0, case: None, only: None, write: None };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        if name == "--only" {
            let kind = KINDS.iter().find(|(kind, _)| *kind == value);
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            options.only = Some(kind.ok_or(format!("--only needs one of {}", names.join(", ")))?.1);
            continue;
        }
        if name == "--write" {
            options.write = Some(value);
            continue;
        }
        let value: u64 = value.parse().map_err(|_| format!("{name} needs a whole number"))?;
        match name.as_str() {
            "--systems" => options.systems = value,
            "--seed" => options.seed = value,
            "--threads" => options.threads = value.max(1),
            "--first" => options.first = value,
            "--case" => options.case = Some(value),
            _ => {
                return Err(format!(
                    "unknown option {name}; known are --systems, --seed, --threads, --first, --case, --only, --write"
                ))
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
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
    wrong.iter().take(20).for_each(|(case, what)| println!("\ncase {case}: {what}"));
    let differing = compare_with_brute_force(&options);
    println!("{} cases are wrong", wrong.len() + differing);
    ExitCode::from(u8::from(!wrong.is_empty() || differing > 0))
}

/// So many scenarios hold every pair of features.
const ALL_PAIRS: u64 = 90_000;

/// So many systems between two words of how far the run is.
const PART: u64 = 10_000;

/// One case in so many is examined as a whole scenario, and climbed towards its bounds: both take longer than all else.
const SCENARIOS: u64 = 10;

/// The cases of each part, and those of them that long examinations look at.
fn parts(options: &Options) -> impl Iterator<Item = (Range<u64>, Range<u64>)> {
    let end = options.first + options.systems;
    (options.first..end).step_by(PART as usize).map(move |first| {
        let cases = first..end.min(first + PART);
        (cases.clone(), first..first + (cases.end - first).div_ceil(SCENARIOS))
    })
}

/// All examinations of all cases, a part at a time; prints the power of the whole at the end, and gives what is wrong.
fn examine_all(options: &Options) -> Vec<Wrong> {
    let (mut power, mut pfair, mut scenarios, mut features) =
        (Power::default(), PfairPower::default(), ScenarioPower::default(), FeaturePower::default());
    let (mut climbs, mut units, mut answers, mut servers) =
        (ClimbPower::default(), UnitPower::default(), AnswerPower::default(), ServerPower::default());
    let mut wrong = Vec::new();
    for (cases, some) in parts(options) {
        let found = [
            examine_into(options, Kind::Tests, &cases, &mut power),
            examine_into(options, Kind::Pfair, &cases, &mut pfair),
            examine_into(options, Kind::Scenarios, &some, &mut scenarios),
            examine_into(options, Kind::Features, &cases, &mut features),
            examine_into(options, Kind::Climb, &some, &mut climbs),
            examine_into(options, Kind::Units, &cases, &mut units),
            examine_into(options, Kind::Answers, &cases, &mut answers),
            examine_into(options, Kind::Servers, &cases, &mut servers),
        ];
        for (case, what) in found.iter().flatten() {
            eprintln!("case {case}: {what}");
        }
        wrong.extend(found.into_iter().flatten());
        eprintln!("{} of {} systems, {} wrong", cases.end - options.first, options.systems, wrong.len());
    }
    // Every pair that is not refused is drawn by a run of this length.
    if options.wants(Kind::Features) && features.scenes >= ALL_PAIRS {
        let lacking = features.holes(1).into_iter().chain(features.stale());
        wrong.extend(
            lacking.map(|pair| (options.first + options.systems, format!("the pairs of features: {pair}"))),
        );
    }
    let all: [(Kind, &dyn Display); 8] = [
        (Kind::Tests, &power),
        (Kind::Pfair, &pfair),
        (Kind::Scenarios, &scenarios),
        (Kind::Features, &features),
        (Kind::Climb, &climbs),
        (Kind::Units, &units),
        (Kind::Answers, &answers),
        (Kind::Servers, &servers),
    ];
    let some: u64 = parts(options).map(|(_, some)| some.end - some.start).sum();
    for (kind, power) in all.iter().filter(|(kind, _)| options.wants(*kind)) {
        if [Kind::Scenarios, Kind::Climb].contains(kind) {
            println!("{some} of {} systems are examined as follows:", options.systems);
        }
        print!("{power}");
    }
    if let Some(path) = &options.write {
        let tables = [
            (Kind::Features, tables::PAIRS, tables::pairs(&features, wrong_of(&wrong, "features"))),
            (Kind::Climb, tables::CLIMBS, tables::climbs(&climbs, wrong_of(&wrong, "climb"))),
        ];
        for (_, name, text) in tables.iter().filter(|(kind, ..)| options.wants(*kind)) {
            let document = std::fs::read_to_string(path).expect("the document can be read");
            let written =
                tables::replaced(&document, name, text).expect("the document has the marks of the table");
            std::fs::write(path, written).expect("the document can be written");
        }
    }
    wrong
}

/// How many cases of this examination are wrong.
fn wrong_of(wrong: &[Wrong], name: &str) -> usize {
    let replays = format!("--only {name} --seed");
    wrong.iter().filter(|(_, what)| what.contains(&replays)).count()
}

fn examine_into<T: Tally>(options: &Options, kind: Kind, cases: &Range<u64>, all: &mut T) -> Vec<Wrong> {
    if !options.wants(kind) {
        return Vec::new();
    }
    let (found, wrong) = examine_many::<T>(options.seed, cases.clone(), options.threads);
    all.merge(&found);
    let (name, _) = KINDS.iter().find(|(_, known)| *known == kind).expect("every kind has a name");
    let replay = |(case, what): Wrong| {
        let options = format!("--only {name} --seed {} --case {case}", options.seed);
        let command = format!("cargo run --release -p schedlab-tests --bin soak -- {options}");
        (case, format!("{what}\nreplay: {command}"))
    };
    wrong.into_iter().map(replay).collect()
}

/// Examines the case that it is made for.
type Examination<'a> = &'a dyn Fn() -> Result<(), String>;

/// One case alone, under whatever examines it.
fn replay(options: &Options, case: u64) -> ExitCode {
    let seed = options.seed;
    let all: [(Kind, Examination<'_>); 9] = [
        (Kind::Tests, &|| examine(seed, case, &mut Power::default())),
        (Kind::Pfair, &|| examine_pfair(seed, case, &mut PfairPower::default())),
        (Kind::Scenarios, &|| examine_scenario(seed, case, &mut ScenarioPower::default())),
        (Kind::Features, &|| examine_features(seed, case, &mut FeaturePower::default())),
        (Kind::Climb, &|| climb(seed, case, Effort::LONG, &mut ClimbPower::default())),
        (Kind::Units, &|| examine_units(seed, case, &mut UnitPower::default())),
        (Kind::Answers, &|| examine_answers(seed, case, &mut AnswerPower::default())),
        (Kind::Servers, &|| examine_servers(seed, case, &mut ServerPower::default())),
        (Kind::BruteForce, &|| agrees(seed, case, scale(case))),
    ];
    let wanted = all.iter().filter(|(kind, _)| options.wants(*kind));
    let found: Vec<_> = wanted.map(|(_, examine)| examine()).collect();
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
    if !options.wants(Kind::BruteForce) {
        return wrong;
    }
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
