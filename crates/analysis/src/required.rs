//! The measures of litmus-rt-2006, section 4.2, over any test: RNP, NST, TD.

use crate::exact::{ceiling_of_sum, Pair};
use crate::verdict::Answer;
use schedlab_model::Duration;

/// RNP: the least number of processors, from ceil(U) to `most`, on which `accepts` says yes.
///
/// Searched upwards one by one: tests need not stay satisfied with more processors.
pub fn required_processors(
    utilizations: &[Pair],
    most: u32,
    mut accepts: impl FnMut(u32) -> bool,
) -> Option<u32> {
    let least = u32::try_from(ceiling_of_sum(utilizations)).ok()?.max(1);
    (least..=most).find(|&processors| accepts(processors))
}

/// NST: how many task sets are schedulable.
pub fn schedulable_sets(answers: impl IntoIterator<Item = Answer>) -> usize {
    answers.into_iter().filter(|&answer| answer == Answer::Schedulable).count()
}

/// TD: the mean of the tasks' tardiness bounds, rounded up, or `None` if one is unknown or there is none.
pub fn mean_tardiness(bounds: &[Option<Duration>]) -> Option<Duration> {
    let total =
        bounds.iter().try_fold(0u128, |sum, bound| Some(sum + u128::from(bound.as_ref()?.as_ns())))?;
    let count = (!bounds.is_empty()).then_some(bounds.len() as u128)?;
    u64::try_from(total.div_ceil(count)).ok().map(Duration::from_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::multiprocessor::gfb;

    /// Three tasks (2, 3): GFB rejects them on two and three processors (`gedf-all-reject` of the published
    /// examples) and accepts, with equality, on four.
    #[test]
    fn three_tasks_need_four_processors_by_gfb() {
        let tasks = [(2000, 3000); 3];
        assert_eq!(required_processors(&tasks, 8, |m| gfb::holds(&tasks, m)), Some(4));
        assert_eq!(required_processors(&tasks, 3, |m| gfb::holds(&tasks, m)), None);
    }

    #[test]
    fn the_search_begins_at_the_utilization() {
        let mut asked = Vec::new();
        let tried = required_processors(&[(3, 3), (1, 3)], 3, |m| {
            asked.push(m);
            false
        });
        assert_eq!((tried, asked), (None, vec![2, 3]));
    }

    #[test]
    fn means_round_up_and_need_every_bound() {
        let ns = |value| Some(Duration::from_ns(value));
        assert_eq!(mean_tardiness(&[ns(1), ns(2)]), ns(2));
        assert_eq!(mean_tardiness(&[ns(1), None]), None);
        assert_eq!(mean_tardiness(&[]), None);
        assert_eq!(schedulable_sets([Answer::Schedulable, Answer::Unknown, Answer::Schedulable]), 2);
    }
}
