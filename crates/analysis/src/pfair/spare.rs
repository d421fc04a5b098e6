//! What the weights of Pfair tasks leave for the time that a real machine takes.
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

/// What the weights add up to.
pub fn sum(tasks: &[Task], quantum: Duration) -> f64 {
    let weight = |task: &Task| {
        let (quanta, slots) = asked(task, quantum);
        quanta as f64 / slots as f64
    };
    tasks.iter().map(weight).sum()
}

/// What the weights add up to if each of these tasks, by place, had a quantum more.
pub fn sum_with_more(tasks: &[Task], filled: &[usize], quantum: Duration) -> f64 {
    let more = |at: &usize| 1.0 / asked(&tasks[*at], quantum).1 as f64;
    sum(tasks, quantum) + filled.iter().map(more).sum::<f64>()
}

/// The tasks, by place, whose costs fill the quanta of the weights that they are given.
pub fn filled(tasks: &[Task], given: &[Task], quantum: Duration) -> Vec<usize> {
    let fills = |at: &usize| asked(&given[*at], quantum).0 * quantum.as_ns() == tasks[*at].wcet.as_ns();
    (0..given.len()).filter(fills).collect()
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
        let full = filled(&tasks, &tasks, quantum);
        assert_eq!(full, [0]);
        assert!((sum(&tasks, quantum) - 0.4).abs() < 1e-9);
        assert!((sum_with_more(&tasks, &full, quantum) - 0.5).abs() < 1e-9);
        let longer = [ms(2_000_001, 10), tasks[1].clone()];
        assert!(filled(&tasks, &longer, quantum).is_empty(), "a weight of 3/10 bears a loss");
    }
}
