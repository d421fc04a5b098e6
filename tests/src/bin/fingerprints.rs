//! One number for the traces of many random systems: `fingerprints --systems 100000 [--first 0]`.
//!
//! Two builds of the engine that print the same lines wrote the same bytes. A line covers 1,000 systems of one kind:
//! plain ones, such with overheads, and whole scenarios with locks, Pfair, budgets, servers, joins and suspensions. The
//! last kind is scenarios under utility accrual, many of whose jobs are given up.
//! The scenarios of a line follow one another in the same memory.

#![forbid(unsafe_code)]

use schedlab_lab::Workspace;
use schedlab_model::Instant;
use schedlab_tests::draw::{any, pick, with_overheads, Scale};
use schedlab_tests::features::{draw, Wish};
use schedlab_tests::run::run_into;
use schedlab_tests::utility_schedulers;
use schedlab_trace::{Encoder, Record, Sink};
use schedlab_workload::Random;

const SEED: u64 = 20;
const A_LINE: u64 = 1_000;

/// What was written so far, in one number (FNV-1a).
struct Fingerprint {
    encoder: Encoder,
    value: u64,
    given_up: u64,
}

impl Fingerprint {
    fn new() -> Self {
        Fingerprint { encoder: Encoder::default(), value: 0xcbf2_9ce4_8422_2325, given_up: 0 }
    }

    /// A new trace begins.
    fn begin(&mut self) {
        self.encoder = Encoder::default();
    }
}

impl Sink for Fingerprint {
    fn record(&mut self, at: Instant, record: Record) {
        self.given_up += u64::from(matches!(record, Record::Abort { .. }));
        self.encoder.record(at, record);
        for byte in self.encoder.bytes.drain(..) {
            self.value = (self.value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Writes the trace of case `index` of one kind; false if it is not for simulation.
fn simulate(kind: &str, index: u64, workspace: &mut Workspace, sink: &mut Fingerprint) -> bool {
    sink.begin();
    let scale = if index % 2 == 0 { Scale::Small } else { Scale::Large };
    match kind {
        "plain" => {
            run_into(&any(SEED, index, scale), sink);
            true
        }
        "overheads" => {
            run_into(&with_overheads(SEED, index, scale), sink);
            true
        }
        "scenarios" => simulate_scene(&Wish::default(), *b"Features", index, workspace, sink),
        "given-up" => {
            let mut random = Random::new(SEED, *b"Accruing", index);
            let scheduler = Some(pick(&mut random, &utility_schedulers::NAMES).as_str());
            simulate_scene(&Wish { scheduler, ..Wish::default() }, *b"GivingUp", index, workspace, sink)
        }
        _ => unreachable!("one of the four"),
    }
}

fn simulate_scene(
    wish: &Wish,
    stream: [u8; 8],
    index: u64,
    workspace: &mut Workspace,
    sink: &mut Fingerprint,
) -> bool {
    let scene = draw(wish, &mut Random::new(SEED, stream, index));
    let Ok(prepared) = scene.prepared() else { return false };
    let summary = prepared.simulate_within(workspace, sink, &mut |_| true);
    summary.expect("a prepared scenario is simulated");
    true
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |flag: &str, default: u64| {
        let text = arguments.iter().skip_while(|argument| *argument != flag).nth(1);
        text.and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (first, systems) = (number("--first", 0), number("--systems", 10_000));
    for kind in ["plain", "overheads", "scenarios", "given-up"] {
        for begin in (first..first + systems).step_by(A_LINE as usize) {
            let (mut fingerprint, mut workspace) = (Fingerprint::new(), Workspace::default());
            let cases = begin..(begin + A_LINE).min(first + systems);
            let is_simulated = |index: &u64| simulate(kind, *index, &mut workspace, &mut fingerprint);
            let simulated = cases.filter(is_simulated).count();
            let Fingerprint { value, given_up, .. } = fingerprint;
            println!("{kind} {begin} simulated {simulated} given up {given_up} {value:016x}");
        }
    }
}
