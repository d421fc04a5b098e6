//! Drawing, placing and judging one set after the other allocates nothing once memory is as large as the largest set
//! needs.

use schedlab_lab::batch::{Measure, Memory, Question, Sets};
use schedlab_workload::generate::{Accesses, Generator, Spec};

/// Allocations of sets 200 to 300, judged after sets 0 to 300.
fn allocations(spec: [&str; 4], names: &[&str]) -> u64 {
    let [utilization, periods, deadlines, stop] = spec.map(str::to_owned);
    let generator = Generator::parse(&Spec { utilization, periods, deadlines, stop }).unwrap();
    let questions: Vec<Question> = names.iter().map(|name| name.parse().unwrap()).collect();
    let sets = Sets {
        generator: &generator,
        accesses: &Accesses::NONE,
        seed: 3,
        processors: 4,
        questions: &questions,
    };
    let (mut memory, mut answers) = (Memory::default(), vec![None; names.len()]);
    let mut accepted = 0;
    let mut judge = |index| {
        sets.answer(index, Measure::Proof, &mut memory, &mut answers).unwrap();
        accepted += usize::from(answers[0].is_some());
    };
    (0..300).for_each(&mut judge);
    let seen = allocation_counter::measure(|| (200..300).for_each(&mut judge)).count_total;
    assert!(accepted > 100, "{accepted}");
    seen
}

const ASKED: &[&str] = &[
    "P-EDF hard qpa worst_fit_decreasing",
    "P-EDF hard qpa",
    "P-EDF hard edf_utilization density:best_fit_decreasing",
    "P-EDF hard qpa worst_fit_decreasing paper-2008-4k",
];

#[test]
fn sets_of_a_total_utilization() {
    for deadlines in ["implicit", "mild", "arbitrary"] {
        for utilization in ["randfixedsum 0 1", "uunifast-discard"] {
            let spec = [utilization, "log-uniform 10ms 100ms", deadlines, "tasks 20 total 2.4"];
            assert_eq!(allocations(spec, ASKED), 0, "{spec:?}");
        }
    }
}

#[test]
fn sets_that_are_filled_up() {
    let spec = ["uniform 0.1 0.4", "uniform 10ms 100ms", "implicit", "trim 3"];
    assert_eq!(allocations(spec, ASKED), 0);
}

/// Other tests put their verdicts in words, which is seen.
#[test]
fn words_are_allocated() {
    let spec = ["randfixedsum 0 1", "log-uniform 10ms 100ms", "implicit", "tasks 20 total 2.4"];
    assert!(allocations(spec, &["P-EDF hard qpa", "G-EDF hard gfb"]) >= 100);
}
