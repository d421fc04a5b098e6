//! The kernel's arithmetic, in C, and the engine's, in Rust: the same points, and the same order of jobs.

mod in_c;

use in_c::{computed, Numbers};
use schedlab_model::{Band, Instant, JobId, Point, Priority, TaskId};
use schedlab_scx::TaskPlan;

/// Operands of one computation.
#[derive(Clone, Copy, Debug)]
struct Operands {
    after: u64,
    parts: u64,
    arrival: u64,
    index: u64,
    band: u64,
    other: u64,
}

const COUNT: usize = 1_000_000;

/// Compiles the header with the C compiler of this machine, and computes with it.
fn computed_in_c(name: &str, operands: &[Operands]) -> Vec<[u64; 4]> {
    let words = |it: &Operands| [it.after, it.parts, it.arrival, it.index, it.band, it.other];
    let results = computed(name, "points/main.c", operands.iter().flat_map(words));
    results.chunks_exact(4).map(|row| row.try_into().expect("four words")).collect()
}

/// The priority that the engine gives the job, if the kernel can order it.
fn priority(it: &Operands) -> Option<Priority> {
    let arrival = Instant::from_ns(it.arrival);
    let point = match it.parts as u32 {
        0 => it.after,
        parts => Point { after: it.after, parts }.of_arrival(arrival),
    };
    let band = if it.band == 0 { Band::Base } else { Band::Background };
    let job = JobId::new(TaskId(it.index as u32 - 1), 0);
    (point <= TaskPlan::MOST_POINT).then(|| Priority::in_band(band, point, job))
}

#[test]
fn points_and_the_order_of_jobs_are_those_of_the_engine() {
    let mut numbers = Numbers(88_172_645_463_325_252);
    let mut draw = || Operands {
        after: numbers.up_to(60),
        parts: [0, 1, 1, numbers.up_to(6)][numbers.next() as usize % 4],
        arrival: numbers.up_to(60),
        index: numbers.next() % 255 + 1,
        band: numbers.next() % 2,
        other: numbers.up_to(64),
    };
    let operands: Vec<Operands> = (0..COUNT).map(|_| draw()).collect();
    let computed = computed_in_c("points", &operands);
    assert_eq!(computed.len(), COUNT);
    let (mut ordered, mut beyond, mut before) = (0, 0, None);
    for (it, [point, key, sum, left]) in operands.iter().zip(computed) {
        assert_eq!(sum, it.arrival.saturating_add(it.other), "{it:?}");
        assert_eq!(left, it.arrival.saturating_sub(it.other), "{it:?}");
        let plan = TaskPlan { after: it.after, parts: it.parts, ..TaskPlan::default() };
        let Some(priority) = priority(it) else {
            assert_eq!(point, TaskPlan::MOST_POINT, "{it:?}");
            assert_eq!(plan.last_point(it.arrival), None, "such a run is refused: {it:?}");
            beyond += 1;
            continue;
        };
        assert_eq!(point, priority.point(), "{it:?}");
        if let Some((other, its_key)) = before.replace((priority, key)) {
            assert_eq!(priority.is_higher_than(other), key < its_key, "{it:?}");
            ordered += 1;
        }
    }
    assert!(ordered > COUNT / 3 && beyond > COUNT / 20, "{ordered} compared, {beyond} beyond");
}

/// Equal points are ordered by the task, as in the engine.
#[test]
fn ties_go_by_index() {
    let at = |index| Operands { after: 7, parts: 1, arrival: 5, index, band: 0, other: 0 };
    let computed = computed_in_c("ties", &[at(1), at(2), at(255)]);
    let keys: Vec<u64> = computed.iter().map(|row| row[1]).collect();
    assert!(keys.is_sorted() && keys[0] < keys[1] && keys[1] < keys[2], "{keys:?}");
}
