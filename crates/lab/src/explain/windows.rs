//! The windows of a task of one weight under Pfair's four task models, for people who want to see them.
//!
//! P. Holman and J. H. Anderson, "Adapting Pfair scheduling for symmetric multiprocessors", 2005, section II
//! and fig. 4: Pfair, early release (ER), intra-sporadic delays (IS) and absent subtasks (GIS), in any combination.

use schedlab_policy::pfair::{Weight, WeightError};
use schedlab_report::schedule::SubtaskWindow;

/// Largest number of subtasks that are listed.
pub(crate) const MOST_SUBTASKS: u64 = 10_000;

/// Largest number of subtasks that are listed unless more are asked for.
const LISTED: u64 = 100;

/// Departures of a task from the Pfair model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskModel {
    /// The subtasks of a pattern may run as soon as the pattern begins, each after the one before (ER).
    pub early_release: bool,
    /// Pairs of a subtask and a number of slots by which it and all that follow are delayed (IS).
    pub delays: Vec<(u64, u64)>,
    /// Subtasks that are left out (GIS).
    pub absent: Vec<u64>,
}

/// The reason why no windows can be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WindowsError {
    /// The text is no fraction.
    #[error("weight: \"{0}\" is no fraction; allowed: quanta/slots such as 3/10, above 0, at most 1")]
    NotAFraction(String),
    /// The fraction is no weight.
    #[error("weight: {0}")]
    Weight(WeightError),
    /// The list has no such subtask to delay or to leave out.
    #[error("there is no subtask {0} in this list; allowed: those listed, from 1")]
    NoSubtask(u64),
    /// The number of subtasks is out of range.
    #[error("{0} subtasks are not listed; allowed: from 1 to {MOST_SUBTASKS}")]
    Count(u64),
    /// The windows end after the last slot that can be represented.
    #[error("the windows end beyond slot 2^62; allowed: smaller delays")]
    TooLate,
}

/// Reads a weight such as `3/10` or `1`.
pub fn parse_weight(text: &str) -> Result<Weight, WindowsError> {
    text.parse().map_err(|error| match error {
        WeightError::NotAFraction => WindowsError::NotAFraction(text.to_owned()),
        error @ (WeightError::Zero | WeightError::AboveOne { .. } | WeightError::TooFine { .. }) => {
            WindowsError::Weight(error)
        }
    })
}

/// Returns the windows of the first `count` subtasks of a task that starts at slot 0; without `count`, of one pattern,
/// but at most 100.
pub fn windows(
    weight: Weight,
    model: &TaskModel,
    count: Option<u64>,
) -> Result<Vec<SubtaskWindow>, WindowsError> {
    let count = count.unwrap_or(weight.quanta().min(LISTED));
    if count == 0 || count > MOST_SUBTASKS {
        return Err(WindowsError::Count(count));
    }
    let named = model.delays.iter().map(|(number, _)| number).chain(&model.absent);
    if let Some(&number) = named.clone().find(|&&number| number == 0 || number > count) {
        return Err(WindowsError::NoSubtask(number));
    }
    let mut late = 0u64;
    let mut found = Vec::new();
    for number in 1..=count {
        let delays = model.delays.iter().filter(|(subtask, _)| *subtask == number);
        late = delays.fold(late, |sum, (_, slots)| sum.saturating_add(*slots));
        let window = weight.window(number).filter(|_| late < 1 << 62).ok_or(WindowsError::TooLate)?;
        if model.absent.contains(&number) {
            continue;
        }
        let window = window.delayed(late);
        let pattern = (number - 1) / weight.quanta() * weight.slots() + late;
        found.push(SubtaskWindow {
            number,
            eligible: if model.early_release { pattern } else { window.release },
            release: window.release,
            deadline: window.deadline,
            overlaps: window.overlaps,
            group_deadline: window.group_deadline,
        });
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists (subtask, eligible, release, deadline).
    fn show(text: &str, model: &TaskModel, count: u64) -> Vec<(u64, u64, u64, u64)> {
        let all = windows(parse_weight(text).unwrap(), model, Some(count)).unwrap();
        all.iter().map(|w| (w.number, w.eligible, w.release, w.deadline)).collect()
    }

    /// Fig. 4(a) to (d) of staggered-pfair-2005: weight 3/10.
    #[test]
    fn the_four_task_models() {
        let mut model = TaskModel::default();
        assert_eq!(show("3/10", &model, 4), [(1, 0, 0, 4), (2, 3, 3, 7), (3, 6, 6, 10), (4, 10, 10, 14)]);
        model.early_release = true;
        assert_eq!(show("3/10", &model, 4), [(1, 0, 0, 4), (2, 0, 3, 7), (3, 0, 6, 10), (4, 10, 10, 14)]);
        model.delays = vec![(2, 6)];
        assert_eq!(show("3/10", &model, 4), [(1, 0, 0, 4), (2, 6, 9, 13), (3, 6, 12, 16), (4, 16, 16, 20)]);
        model.absent = vec![3];
        assert_eq!(show("3/10", &model, 4), [(1, 0, 0, 4), (2, 6, 9, 13), (4, 16, 16, 20)]);
    }

    #[test]
    fn a_heavy_task_has_group_deadlines_and_a_block_is_the_default() {
        let all = windows(parse_weight("8/11").unwrap(), &TaskModel::default(), None).unwrap();
        let groups: Vec<u64> = all.iter().map(|window| window.group_deadline).collect();
        assert_eq!(groups, [4, 4, 8, 8, 8, 11, 11, 11]);
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        let message = |text: &str| parse_weight(text).unwrap_err().to_string();
        assert_eq!(message("0/5"), "weight: a weight of 0; allowed: above 0, at most 1");
        assert_eq!(message("5/4"), "weight: a weight of 5/4; allowed: above 0, at most 1");
        for text in
            ["0/0", "3/0", "", "/", "3/", "a/b", "-1/2", "+1/2", "0.3", "1/2/3", "99999999999999999999/1"]
        {
            let expected = format!(
                "weight: \"{text}\" is no fraction; allowed: quanta/slots such as 3/10, above 0, at most 1"
            );
            assert_eq!(message(text), expected);
        }
        assert_eq!(parse_weight("1").unwrap(), Weight::new(1, 1).unwrap());
        assert_eq!(parse_weight(" 2 / 4 ").unwrap(), Weight::new(2, 4).unwrap());
    }

    #[test]
    fn impossible_wishes_are_refused() {
        let weight = parse_weight("1/2").unwrap();
        let model = TaskModel { delays: vec![(3, 1)], ..TaskModel::default() };
        assert_eq!(windows(weight, &model, Some(2)), Err(WindowsError::NoSubtask(3)));
        assert_eq!(windows(weight, &model, Some(0)), Err(WindowsError::Count(0)));
        let late = TaskModel { delays: vec![(1, u64::MAX), (2, u64::MAX)], ..TaskModel::default() };
        assert_eq!(windows(weight, &late, Some(2)), Err(WindowsError::TooLate));
    }
}
