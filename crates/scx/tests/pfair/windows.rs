//! Windows of subtasks, and their points.

use crate::in_c::{computed, Numbers};
use schedlab_policy::pfair::{pack, Stream, Weight, Window};
use schedlab_scx::QuantumShare;

const STEPS: usize = 4;
const RESULTS: usize = 8;
/// Stands for a point that does not fit: `NO_POINT` of `windows.h`.
const NO_POINT: u64 = 1 << 62;

/// A stream and what becomes of it.
#[derive(Clone, Copy, Debug)]
struct Case {
    weight: Weight,
    nth: u64,
    start: u64,
    early: bool,
    steps: [(u64, u64); STEPS],
}

fn results(name: &str, cases: &[Case]) -> Vec<u64> {
    let words = |case: &Case| {
        let first = [case.weight.quanta(), case.weight.slots(), case.nth, case.start, case.early.into()];
        first.into_iter().chain(case.steps.into_iter().flat_map(|(what, by)| [what, by]))
    };
    computed(name, "pfair/windows.c", cases.iter().flat_map(words))
}

/// The words that the program in C writes of a stream.
fn words(stream: &Stream) -> [u64; RESULTS] {
    let Window { release, deadline, overlaps, group_deadline } = stream.window();
    let point = pack(stream, 0).unwrap_or(NO_POINT);
    let (eligible, next) = (stream.eligible(), stream.next_pattern());
    [release, deadline, overlaps.into(), group_deadline, eligible, next, point, stream.nth()]
}

/// The point of a subtask with this window, from its parts: pseudo-deadline, b-bit, and how much later the group
/// deadline is. None if they do not fit.
fn point(window: &Window) -> Option<u64> {
    let gap = match window.group_deadline {
        0 => 0,
        group_deadline => group_deadline - window.deadline + 1,
    };
    let fits = gap < 1 << 21 && window.deadline < 1 << 40;
    fits.then(|| (window.deadline << 22) + (u64::from(!window.overlaps) << 21) + (1 << 21) - 1 - gap)
}

/// Windows of any weights, of which only a few subtasks can be reached by steps.
#[test]
fn windows_are_those_of_the_engine() {
    const COUNT: usize = 1_000_000;
    let mut numbers = Numbers(6_364_136_223_846_793_005);
    let mut draw = || {
        let slots = numbers.up_to(32).clamp(1, QuantumShare::MOST_SLOTS);
        let quanta = match numbers.next() % 4 {
            0 => slots,
            1 => slots - (numbers.next() % 5).min(slots - 1),
            _ => 1 + numbers.next() % slots,
        };
        Case {
            weight: Weight::new(quanta, slots).unwrap(),
            nth: 1 + numbers.next() % quanta,
            start: 0,
            early: false,
            steps: [(0, 0); STEPS],
        }
    };
    let cases: Vec<Case> = (0..COUNT).map(|_| draw()).collect();
    let rows = results("windows", &cases);
    assert_eq!(rows.len(), COUNT * RESULTS * (STEPS + 1));
    let (mut overlapping, mut heavy, mut packed) = (0, 0, 0);
    for (case, rows) in cases.iter().zip(rows.chunks_exact(RESULTS * (STEPS + 1))) {
        let window = case.weight.window(case.nth).unwrap();
        let expected = [window.release, window.deadline, window.overlaps.into(), window.group_deadline];
        assert_eq!(rows[..4], expected, "{case:?}");
        let point = point(&window);
        assert_eq!(rows[6], point.unwrap_or(NO_POINT), "{case:?}");
        overlapping += usize::from(window.overlaps);
        heavy += usize::from(window.group_deadline > 0);
        packed += usize::from(point.is_some());
    }
    assert!(overlapping > COUNT / 3 && heavy > COUNT / 3, "{overlapping} overlap, {heavy} heavy");
    assert!(packed > COUNT / 2 && packed < COUNT, "{packed} of {COUNT} fit");
}

/// Subtasks that execute late, are delayed, or follow the first ones of jobs that left some out.
#[test]
fn streams_go_on_as_in_the_engine() {
    const COUNT: usize = 300_000;
    let mut numbers = Numbers(88_172_645_463_325_252);
    let mut draw = || {
        let slots = 1 + numbers.next() % 64;
        let step = |numbers: &mut Numbers| (numbers.next() % 4 % 3, numbers.next() % (slots + 3));
        Case {
            weight: Weight::new(1 + numbers.next() % slots, slots).unwrap(),
            nth: 1,
            start: numbers.up_to(41),
            early: numbers.next() % 2 == 0,
            steps: [(); STEPS].map(|()| step(&mut numbers)),
        }
    };
    let cases: Vec<Case> = (0..COUNT).map(|_| draw()).collect();
    let rows = results("streams", &cases);
    let (mut restarted, mut beyond) = (0, 0);
    for (case, rows) in cases.iter().zip(rows.chunks_exact(RESULTS * (STEPS + 1))) {
        let mut stream = Stream::new(case.weight, case.early, case.start);
        let mut rows = rows.chunks_exact(RESULTS);
        assert_eq!(rows.next().unwrap(), words(&stream), "{case:?}");
        let mut pattern = case.start;
        for (what, by) in case.steps {
            match what {
                0 => stream.advance(stream.eligible() + by),
                1 => stream.delay_until(stream.window().release + by),
                _ if pattern + by >= stream.next_pattern() => {
                    stream.restart(pattern + by);
                    restarted += 1;
                }
                _ => stream.delay_until(pattern + by),
            }
            // Where the present pattern starts.
            pattern = stream.next_pattern() - if stream.nth() == 1 { 0 } else { case.weight.slots() };
            let found = words(&stream);
            assert_eq!(rows.next().unwrap(), found, "{case:?}");
            beyond += usize::from(found[6] == NO_POINT);
        }
    }
    assert!(restarted > COUNT / 4 && beyond > COUNT / 20, "{restarted} restarted, {beyond} beyond");
}
