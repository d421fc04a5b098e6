//! Slack that the weights of Pfair tasks leave for the time that a real machine takes.
//!
//! A task gets the quanta of its weight and no more, however idle the processors are. Where its cost fills them, a job
//! that loses any time needs another quantum.

use schedlab_model::{Duration, Task};

/// The weight that a task asks for, in quanta and slots: costs rounded up, windows down. It may be above 1.
pub fn asked(task: &Task, quantum: Duration) -> (u64, u64) {
    let length = quantum.as_ns();
    let slots = task.period.min(task.relative_deadline).as_ns() / length;
    (task.wcet.as_ns().div_ceil(length), slots.max(1))
}

/// Returns the sum of the weights.
pub fn sum(tasks: &[Task], quantum: Duration) -> f64 {
    let weight = |task: &Task| {
        let (quanta, slots) = asked(task, quantum);
        quanta as f64 / slots as f64
    };
    tasks.iter().map(weight).sum()
}

/// Returns the sum of the weights if each task of `which`, by place, had one more quantum.
pub fn sum_with_more(tasks: &[Task], which: &[usize], quantum: Duration) -> f64 {
    let more = |task: &usize| 1.0 / asked(&tasks[*task], quantum).1 as f64;
    sum(tasks, quantum) + which.iter().map(more).sum::<f64>()
}

/// Returns the time that a job of each task may lose within the quanta of the weight that it is given.
pub fn rooms(tasks: &[Task], given: &[Task], quantum: Duration) -> Vec<Duration> {
    let quanta = |given: &Task| asked(given, quantum).0 * quantum.as_ns();
    let room = |(task, given): (&Task, &Task)| quanta(given).saturating_sub(task.wcet.as_ns());
    tasks.iter().zip(given).map(room).map(Duration::from_ns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Work;

    /// Quanta of 1 ms: 2 ms in 10 fill 2 of 10, 0.5 ms in 5 do not fill 1 of 5; 2/10 + 1/5, with one more 3/10 + 1/5.
    #[test]
    fn a_cost_of_whole_quanta_leaves_nothing() {
        let ms = |wcet, period| Task::implicit(Work::from_ns(wcet), Duration::from_ms(period));
        let tasks = [ms(2_000_000, 10), ms(500_000, 5)];
        let quantum = Duration::from_ms(1);
        assert_eq!([asked(&tasks[0], quantum), asked(&tasks[1], quantum)], [(2, 10), (1, 5)]);
        assert_eq!(rooms(&tasks, &tasks, quantum), [Duration::ZERO, Duration::from_us(500)]);
        assert!((sum(&tasks, quantum) - 0.4).abs() < 1e-9);
        assert!((sum_with_more(&tasks, &[0], quantum) - 0.5).abs() < 1e-9);
        let longer = [ms(2_000_001, 10), tasks[1].clone()];
        assert_eq!(rooms(&tasks, &longer, quantum)[0], Duration::from_ms(1), "a weight of 3/10 bears a loss");
    }
}
