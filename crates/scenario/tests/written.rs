//! What is written reads back as the same, whatever the texts in it are and whichever fields are there.

use crate::random::Random;
use schedlab_model::{
    AbortHandler, Alignment, Cost, Duration, Instant, OverheadKind, Overrun, ResourceId, Step, Suspension,
    TimeUtility, Utility, Work,
};
use schedlab_scenario::{
    Arrival, CostModel, Measured, Millionths, OfScheduler, OverheadProfile, ResourceSpec, Scenario, TaskSpec,
    Value, Wcets,
};

/// Pieces of texts that a writer may take for syntax.
const PIECES: &[&str] = &[
    "a",
    "B7",
    " ",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\\",
    "\\u0041",
    "\\n",
    "#",
    "=",
    "[",
    "]]",
    "{",
    "}",
    ",",
    ".",
    "µs",
    "\u{1f980}",
    "\u{fffd}",
    "\u{2028}",
    "\u{feff}",
    "e\u{301}",
    "true",
    "1e9",
    "inf",
    "-",
    "0x1f",
    "2026-01-01",
];
/// What only texts of several lines have.
const LINES: &[&str] = &["\n", "\n\n", "\t", "\\\n", "\"\n"];
/// What the reader refuses, and TOML can say.
const CONTROLS: &[&str] = &["\r", "\r\n", "\0", "\u{7}", "\u{1b}[31m", "\u{7f}", "\u{85}"];

fn text(random: &mut Random, of: &[&[&str]]) -> String {
    let length = random.below(9);
    let mut one = |_| {
        let pieces = of[random.below(of.len())];
        pieces[random.below(pieces.len())]
    };
    (0..length).map(&mut one).collect()
}

/// A name that is allowed, and no other's.
fn name(random: &mut Random, number: usize) -> String {
    format!("n{}{number}", text(random, &[PIECES]).replace('\u{feff}', ""))
}

/// Any of a thousand lengths, from nanoseconds to seconds.
fn length(random: &mut Random) -> u64 {
    (1 + random.below(1_000) as u64) * 10u64.pow(random.below(7) as u32)
}

fn utility(random: &mut Random) -> Utility {
    let digits = random.below(16) as u32;
    Utility::from_millionths(1 + random.next() % 10u64.pow(digits))
}

fn function(random: &mut Random, height: Utility) -> TimeUtility {
    let last = Utility::ZERO;
    let termination = (random.below(2) == 0).then(|| Duration::from_ns(length(random)));
    let half_life = Duration::from_ns(length(random));
    match random.below(4) {
        0 => TimeUtility::Step { height, termination },
        1 => TimeUtility::Linear { height, last, termination },
        2 => TimeUtility::Exponential { height, half_life, termination },
        _ => TimeUtility::Piecewise(vec![(Duration::ZERO, height), (half_life, last)]),
    }
}

fn program(random: &mut Random, resource: ResourceId) -> Vec<Step> {
    let work = |random: &mut Random| Step::Execute(Work::from_ns(length(random)));
    match random.below(3) {
        0 => Vec::new(),
        1 => vec![work(random), Step::Suspend(Duration::from_ns(length(random))), work(random)],
        _ => vec![Step::Request(resource, 1), work(random), Step::Release(resource, 1)],
    }
}

fn task(random: &mut Random, number: usize, resources: usize) -> TaskSpec {
    let resource = ResourceId(random.below(resources) as u32);
    let program = program(random, resource);
    let executes = |step: &Step| if let Step::Execute(work) = step { work.as_ns() } else { 0 };
    let wcet = match program.iter().map(executes).sum() {
        0 => length(random),
        sum => sum,
    };
    let deadline = wcet + length(random);
    let mut task = TaskSpec::new(
        name(random, number),
        Work::from_ns(wcet),
        Duration::from_ns(deadline + length(random)),
    );
    task.relative_deadline = Duration::from_ns(deadline);
    task.program = program;
    if task.program.iter().any(|step| matches!(step, Step::Suspend(_))) {
        task.suspension = Suspension::Segmented;
    } else if task.program.is_empty() && random.below(2) == 0 {
        task.suspension = Suspension::Dynamic(Duration::from_ns(length(random)));
    }
    if random.below(2) == 0 {
        let height = utility(random);
        task.utility = Some(function(random, height));
        task.abort_handler = Some(AbortHandler { cost: Work::from_ns(length(random)), utility: height });
    }
    task.offset = Instant::from_ns(length(random));
    task.priority = Some(random.next() as u32);
    task.processor = Some(random.below(4) as u16);
    task.working_set = length(random);
    task.cost = match random.below(3) {
        0 => CostModel::Wcet,
        1 => {
            let millionths = 1 + random.below(1_000_000) as u32;
            CostModel::Fraction(Millionths::from_millionths(millionths).expect("a part of one"))
        }
        _ => CostModel::Uniform(Work::from_ns(1), Work::from_ns(wcet)),
    };
    task.arrival = match random.below(2) {
        0 => Arrival::Periodic,
        _ => Arrival::Sporadic { delay: Duration::from_ns(length(random)), like: None },
    };
    task
}

fn profile(random: &mut Random) -> OverheadProfile {
    let cost = |random: &mut Random| {
        let base = Duration::from_ns(length(random));
        Some(Value::Cost(match random.below(4) {
            0 => Cost::Constant(base),
            1 => Cost::Linear { base, per_task_ps: 1 + random.next() % 1_000_000 },
            2 => Cost::ByTaskCount(vec![(1, base), (9, base)]),
            _ => Cost::ByWorkingSet(vec![(0, base), (64 << 10, base)]),
        }))
    };
    let mut measured = || Measured { max: cost(random), samples: Some(3), ..Measured::default() };
    let all = [OverheadKind::ContextSwitch, OverheadKind::Tick].map(|kind| (kind, measured())).into();
    let mut scheduling = measured();
    let least = Duration::from_ns(length(random));
    scheduling.mean =
        Some(Value::Cost(Cost::ByReadyJobs(vec![(1, least), (16, least + Duration::from_ns(7))])));
    let kinds = [(OverheadKind::Scheduling, scheduling)].into();
    let unmodelled =
        [(text(random, &[PIECES]), Measured { max: cost(random), ..Measured::default() })].into();
    let of_one = OfScheduler {
        name: "G-EDF".into(),
        stands_for: vec!["G-*".into(), "C-*".into()],
        decisions: None,
        kinds,
    };
    OverheadProfile {
        title: text(random, &[PIECES]),
        machine: text(random, &[PIECES, LINES]),
        source: text(random, &[PIECES, LINES]),
        notes: text(random, &[PIECES, LINES]),
        all,
        schedulers: vec![of_one],
        unmodelled,
        ..OverheadProfile::default()
    }
}

fn scenario(random: &mut Random) -> Scenario {
    let resources = 1 + random.below(3);
    let tasks = 1 + random.below(5);
    let mut scenario = Scenario::new((0..tasks).map(|number| task(random, number, resources)).collect());
    if let [first, .., last] = &mut scenario.tasks[..] {
        if let Arrival::Sporadic { delay, .. } = first.arrival {
            last.arrival = Arrival::Sporadic { delay, like: Some(first.name.clone()) };
        }
    }
    let resource = |number: usize| ResourceSpec {
        name: name(random, number).replace(char::is_whitespace, "_"),
        ..ResourceSpec::new("r")
    };
    scenario.resources = (0..resources).map(resource).collect();
    scenario.title = text(random, &[PIECES, LINES]);
    scenario.source = text(random, &[PIECES, LINES]);
    scenario.notes = text(random, &[PIECES, LINES]);
    scenario.seed = random.next();
    scenario.wcets = [Wcets::Bounds, Wcets::Observed][random.below(2)];
    scenario.overruns = [Overrun::Ignore, Overrun::Warn, Overrun::Cut][random.below(3)];
    scenario.platform.processors = 4;
    scenario.platform.alignment = [Alignment::Aligned, Alignment::Staggered][random.below(2)];
    scenario.overheads.name = None;
    scenario.overheads.profile = profile(random);
    scenario
}

#[test]
fn random_scenarios_read_back_as_they_were() {
    let mut random = Random(7);
    let mut several_lines = 0;
    for round in 0..3_000 {
        let scenario = scenario(&mut random);
        scenario.check().unwrap_or_else(|errors| panic!("round {round}: {errors}\n{scenario:#?}"));
        let text = scenario.to_toml();
        several_lines += usize::from(text.contains("\"\"\"\n"));
        let again = Scenario::parse("again.toml", &text).unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        assert_eq!(again, scenario, "round {round}:\n{text}");
        assert_eq!(again.to_toml(), text, "round {round}");
    }
    assert!(several_lines > 300, "only {several_lines} had texts of several lines");
}

#[test]
fn random_overheads_read_back_as_they_were() {
    let mut random = Random(8);
    for round in 0..3_000 {
        let profile = profile(&mut random);
        let text = profile.to_toml();
        let again = OverheadProfile::parse_with("o.toml", text.clone().into_bytes(), &|_| Err("none".into()));
        assert_eq!(
            again.unwrap_or_else(|errors| panic!("{errors}\n{text}")),
            profile,
            "round {round}:\n{text}"
        );
    }
}

/// Whatever a program puts into a text, what is written is TOML, and has that text.
#[test]
fn any_text_is_written_as_toml() {
    let mut random = Random(9);
    for _ in 0..5_000 {
        let given = text(&mut random, &[PIECES, LINES, CONTROLS]);
        let mut scenario =
            Scenario::new(vec![TaskSpec::new(format!("n{given}"), Work::from_ns(1), Duration::from_ns(2))]);
        scenario.notes.clone_from(&given);
        let written = scenario.to_toml();
        let table: toml::Table = written.parse().unwrap_or_else(|error| panic!("{error}\n{written:?}"));
        let notes = table.get("notes").and_then(toml::Value::as_str).unwrap_or_default();
        assert_eq!(notes, given, "{written:?}");
        let name = table["task"][0]["name"].as_str();
        assert_eq!(name, Some(format!("n{given}").as_str()), "{written:?}");
    }
}
