//! The task sets that rates are measured on: those of the peer's script in `benches/`.

use schedlab_model::{Duration, Task, Work};
use schedlab_workload::Random;

/// Names of classes, and the ranges of their utilizations.
pub const CLASSES: [(&str, (f64, f64)); 3] =
    [("light", (0.001, 0.1)), ("medium", (0.1, 0.4)), ("heavy", (0.5, 0.9))];

/// Synchronous periodic tasks with implicit deadlines. Periods are uniform in 10..=100 ms, utilizations in this range,
/// scaled down to 0.9 m where their sum exceeds it.
pub fn tasks(m: u16, n: usize, (low, high): (f64, f64)) -> Vec<Task> {
    let mut random = Random::new(1, *b"through1", n as u64);
    let periods: Vec<u64> = (0..n).map(|_| random.between(10, 100) * 1_000_000).collect();
    let utilizations: Vec<f64> = (0..n).map(|_| low + (high - low) * random.unit()).collect();
    let sum: f64 = utilizations.iter().sum();
    let scale = (0.9 * f64::from(m) / sum).min(1.0);
    let task = |(period, u): (&u64, &f64)| {
        let cost = ((*period as f64 * u * scale) as u64).max(1);
        Task::implicit(Work::from_ns(cost), Duration::from_ns(*period))
    };
    periods.iter().zip(&utilizations).map(task).collect()
}
