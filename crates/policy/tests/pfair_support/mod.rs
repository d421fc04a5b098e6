//! Drives the aligned scheduler slot by slot, and watches windows and lags.

#![allow(dead_code, reason = "each test file uses its own part")]

use schedlab_policy::pfair::{Affinity, Aligned, PfairOrder, Stream, Weight};

/// A weight as `(quanta, slots)`.
pub type Share = (u64, u64);

/// Small numbers, the same every time.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((u128::from(self.0) * u128::from(bound)) >> 64) as u64
    }
}

/// The streams of synchronous tasks.
pub fn streams(weights: &[Share], early_release: bool) -> Vec<Stream> {
    let stream = |&(e, p): &Share| Stream::new(Weight::new(e, p).unwrap(), early_release, 0);
    weights.iter().map(stream).collect()
}

/// A scheduler of synchronous tasks, all of them in.
pub fn aligned(order: PfairOrder, weights: &[Share], early_release: bool, processors: usize) -> Aligned {
    let mut scheduler =
        Aligned::new(order, Affinity::BackToBack, streams(weights, early_release), processors);
    (0..weights.len() as u32).for_each(|task| scheduler.add(task));
    scheduler
}

/// What running synchronous tasks for `slots` slots showed.
#[derive(Default, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// By slot: a bit for each task that ran.
    pub sets: Vec<u64>,
    /// Subtasks that ran after their pseudo-deadlines.
    pub missed: usize,
    /// Times that a lag was not below 1.
    pub behind: usize,
    /// Times that a lag was not above -1.
    pub ahead: usize,
}

/// Runs synchronous tasks of weights `weights`.
pub fn run(order: PfairOrder, weights: &[Share], early: bool, processors: usize, slots: u64) -> Outcome {
    let mut scheduler = aligned(order, weights, early, processors);
    let mut outcome = Outcome::default();
    let mut received = vec![0i128; weights.len()];
    for slot in 0..slots {
        let due: Vec<u64> =
            (0..weights.len() as u32).map(|task| scheduler.stream(task).window().deadline).collect();
        let picked = scheduler.fill().to_vec();
        let mut set = 0;
        for &task in &picked {
            assert!(set & 1 << task == 0, "a task is on two processors");
            set |= 1 << task;
            received[task as usize] += 1;
            outcome.missed += usize::from(slot >= due[task as usize]);
            scheduler.add(task);
        }
        outcome.sets.push(set);
        for (&(e, p), &received) in weights.iter().zip(&received) {
            let (e, p) = (i128::from(e), i128::from(p));
            let lag_in_pths = e * i128::from(slot + 1) - received * p;
            outcome.behind += usize::from(lag_in_pths >= p);
            outcome.ahead += usize::from(lag_in_pths <= -p);
        }
    }
    outcome
}

/// The least common multiple.
pub fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
