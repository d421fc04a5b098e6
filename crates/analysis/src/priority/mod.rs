//! In which order should fixed priorities stand?
//!
//! A rule sorts tasks by their parameters, ties by task; [`audsley`] finds an order that a test accepts, if there is
//! one.

pub mod audsley;
mod dkc;
mod dm;
mod dm_us;
mod rm;
mod rm_us;
mod slack_weighted;
mod tkc;

use crate::system::SporadicTask;
use std::cmp::Ordering;

/// A rule that orders tasks.
#[derive(Clone, Copy, Debug)]
pub struct PriorityRule {
    /// Name of the rule in the literature.
    pub name: &'static str,
    /// Publication of the rule.
    pub source: &'static str,
    /// Order of two tasks on this many processors: less if the first goes before the second. Equal ones go by task.
    pub compare: fn(&SporadicTask, &SporadicTask, u32) -> Ordering,
}

/// Every rule. A new one is one file and one line here.
pub const ALL: &[PriorityRule] = &[rm::RULE, dm::RULE, tkc::RULE, dkc::RULE, rm_us::RULE, dm_us::RULE];

/// The rule of this name.
pub fn find(name: &str) -> Option<&'static PriorityRule> {
    ALL.iter().find(|rule| rule.name.eq_ignore_ascii_case(name))
}

impl PriorityRule {
    /// The rank of each task, 0 the highest priority.
    pub fn ranks(&self, tasks: &[SporadicTask], processors: u32) -> Vec<u32> {
        let mut order: Vec<usize> = (0..tasks.len()).collect();
        order.sort_by(|&a, &b| {
            (self.compare)(&tasks[a], &tasks[b], processors).then(tasks[a].id.cmp(&tasks[b].id))
        });
        let mut ranks = vec![0; tasks.len()];
        order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank as u32);
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Point, TaskId};

    pub(super) fn tasks(rows: &[(u64, u64, u64)]) -> Vec<SporadicTask> {
        let task = |(index, &(cost, period, relative_deadline)): (usize, &(u64, u64, u64))| SporadicTask {
            least_cost: 0,
            offset: 0,
            id: TaskId(index as u32),
            cost,
            period,
            relative_deadline,
            jitter: 0,
            suspension: 0,
            rank: 0,
            priority_point: Point::whole(0),
            on_boundaries: false,
            join: schedlab_model::Instant::ZERO,
            leave: schedlab_model::Instant::NEVER,
        };
        rows.iter().enumerate().map(task).collect()
    }

    fn ranks(name: &str, rows: &[(u64, u64, u64)], processors: u32) -> Vec<u32> {
        find(name).unwrap().ranks(&tasks(rows), processors)
    }

    #[test]
    fn by_period_and_by_deadline() {
        let rows = [(1, 10, 4), (1, 8, 8), (1, 10, 10), (1, 8, 3)];
        assert_eq!(ranks("RM", &rows, 1), [2, 0, 3, 1]);
        assert_eq!(ranks("DM", &rows, 1), [1, 2, 3, 0]);
    }

    /// On one processor k = 1: T - C. On two, k = (1 + 3) / 4 = 1; on three, (2 + sqrt 28) / 6 = 1.2153: 20 - 1.2153 *
    /// 10 = 7.85 is below 13 - 1.2153 * 4 = 8.14, though with k = 1 it is above.
    #[test]
    fn the_factor_of_the_cost_grows_with_the_processors() {
        let rows = [(4, 13, 13), (10, 20, 20)];
        assert_eq!(ranks("TkC", &rows, 1), [0, 1]);
        assert_eq!(ranks("TkC", &rows, 2), [0, 1]);
        assert_eq!(ranks("TkC", &rows, 3), [1, 0]);
        assert_eq!(ranks("DkC", &[(4, 40, 13), (10, 30, 20)], 3), [1, 0]);
        assert_eq!(ranks("DkC", &[(4, 40, 13), (10, 30, 20)], 1), [0, 1]);
    }

    /// m / (3m - 2) is 1/2 on two processors: a task of exactly that is light.
    #[test]
    fn heavy_tasks_go_first() {
        assert_eq!(ranks("RM-US", &[(1, 4, 4), (5, 10, 10), (51, 100, 100)], 2), [1, 2, 0]);
        // By density, above 1/3; light ones by relative deadline (not by period).
        assert_eq!(ranks("DM-US", &[(1, 50, 40), (1, 100, 10), (4, 30, 12), (5, 30, 12)], 2), [3, 1, 2, 0]);
    }

    #[test]
    fn names_are_unique() {
        for rule in ALL {
            assert_eq!(ALL.iter().filter(|other| other.name == rule.name).count(), 1);
            assert!(!rule.source.is_empty());
        }
        assert!(find("nobody").is_none());
    }
}
