//! Random systems that stand near the border between schedulable and not.

use super::mixer::Mixer;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, System};
use schedlab_model::{Duration, Suspension, Task, Work};

/// What tasks are drawn with besides costs and periods.
#[derive(Clone, Copy, Default)]
pub struct Freedoms {
    /// Relative deadlines below the periods.
    pub constrained: bool,
    /// Relative deadlines beyond the periods.
    pub arbitrary: bool,
    pub jitter: bool,
    pub suspension: bool,
}

/// Some tasks, of a total utilization between about 0.3 and 1 for each processor.
pub fn tasks(random: &mut Mixer, processors: u64, freedoms: Freedoms) -> Vec<Task> {
    const PERIODS: [u64; 8] = [5, 8, 10, 12, 15, 20, 30, 60];
    let count = 2 + random.below(processors + 4);
    let percent = (30 + random.below(75)) * processors / count;
    let draw = |_| {
        let period = PERIODS[random.below(PERIODS.len() as u64) as usize];
        let share = percent / 2 + random.below(percent + 1);
        let cost = (period * share / 100).clamp(1, period);
        let relative_deadline = match freedoms {
            Freedoms { arbitrary: true, .. } => cost + random.below(2 * period),
            Freedoms { constrained: true, .. } => period - random.below((period - cost) / 2 + 1),
            _ => period,
        };
        let mut task = Task::constrained(
            Work::from_ns(cost),
            Duration::from_ns(period),
            Duration::from_ns(relative_deadline),
        );
        let some = |random: &mut Mixer, wanted| {
            let length = if wanted && random.below(2) == 0 { random.below(period / 5 + 1) } else { 0 };
            Duration::from_ns(length)
        };
        task.jitter = some(random, freedoms.jitter);
        task.suspension = Suspension::Dynamic(some(random, freedoms.suspension));
        task
    };
    (0..count).map(draw).collect()
}

/// The tasks with sporadic arrivals; under fixed priorities, an earlier task is more urgent.
pub fn system(tasks: &[Task], processors: u32, order: AnalysedOrder, preemptive: bool) -> System {
    let ranks: Vec<u32> = (0..tasks.len() as u32).collect();
    let scheduler =
        AnalysedScheduler { order, preemptive, ranks: &ranks, points: &[], arrivals: Arrivals::Sporadic };
    System::global(tasks, processors, &scheduler).expect("what is drawn can be analysed")
}
