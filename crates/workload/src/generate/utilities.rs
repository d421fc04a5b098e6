//! Rules for the time/utility functions of tasks: a height that is drawn, and a shape that ends at the relative
//! deadline.
//!
//! The two usual ways (H. Cho, Virginia Tech 2006; P. Garyali, Virginia Tech 2010): heights that have nothing to do
//! with the cost, and heights that grow with it.

use crate::random::{Purpose, Random};
use crate::words::{allowed, SpecError, Words};
use core::str::FromStr;
use schedlab_model::{Task, TimeUtility, Utility};

/// The rule for utilities of tasks that state none.
pub const NONE: &str = "none";

/// Forms of a specification, with their meanings.
pub const FORMS: &[(&str, &str)] = &[
    (NONE, "tasks state no utility"),
    ("uniform LOW HIGH [step|linear]", "heights are whole numbers, each equally likely"),
    (
        "by-cost LOW HIGH [step|linear]",
        "heights are the WCET in milliseconds times a whole number, each equally likely: they grow with the cost",
    ),
];

/// Largest number that is drawn.
const LARGEST: u32 = 1_000_000;

/// Shape of a function between the arrival and the relative deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Step,
    /// A straight line to zero.
    Linear,
}

/// A rule by which tasks get time/utility functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Utilities(Option<Drawn>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drawn {
    by_cost: bool,
    low: u32,
    high: u32,
    shape: Shape,
}

impl Utilities {
    /// Gives `tasks` the functions of set number `index` of `seed`.
    pub fn draw(&self, tasks: &mut [Task], seed: u64, index: u64) {
        let Some(rule) = self.0 else {
            return tasks.iter_mut().for_each(|task| task.utility = None);
        };
        let mut random = Random::stream(seed, Purpose::Utilities, index);
        for task in tasks {
            let drawn = random.between(rule.low.into(), rule.high.into());
            // A millisecond is as many nanoseconds as a unit has millionths.
            let unit = if rule.by_cost { task.wcet.as_ns() } else { Utility::ONE.as_millionths() };
            let height = Utility::from_millionths(drawn.saturating_mul(unit));
            task.utility = Some(match rule.shape {
                Shape::Step => TimeUtility::Step { height, termination: None },
                Shape::Linear => TimeUtility::Linear { height, last: Utility::ZERO, termination: None },
            });
        }
    }
}

impl FromStr for Utilities {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("utility", text);
        let form = words.word("the name of a rule")?;
        let by_cost = match form {
            NONE => return words.finish().map(|()| Utilities(None)),
            "uniform" => false,
            "by-cost" => true,
            other => return Err(words.unknown(other, allowed(FORMS))),
        };
        let low = words.count_to("the least", LARGEST)?;
        let high = words.count_to("the largest", LARGEST)?;
        if high < low {
            return Err(words.out_of_range("the largest", high, format!("from {low} to {LARGEST}")));
        }
        let shape = if words.take("linear") { Shape::Linear } else { Shape::Step };
        if shape == Shape::Step {
            words.take("step");
        }
        words.finish()?;
        Ok(Utilities(Some(Drawn { by_cost, low, high, shape })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    fn drawn(spec: &str, seed: u64, index: u64) -> Vec<TimeUtility> {
        let task = |ms: u64| Task::implicit(Work::from_ns(1_000_000 * ms), Duration::from_ms(100));
        let mut tasks: Vec<Task> = (1..=200).map(task).collect();
        spec.parse::<Utilities>().unwrap().draw(&mut tasks, seed, index);
        tasks.into_iter().filter_map(|task| task.utility).collect()
    }

    #[test]
    fn heights_are_as_the_rule_says() {
        assert!(drawn("none", 1, 0).is_empty());
        let units = |found: &TimeUtility| found.largest().as_millionths() / 1_000_000;
        let uniform = drawn("uniform 3 5", 1, 0);
        assert!(uniform.iter().all(|found| matches!(found, TimeUtility::Step { termination: None, .. })));
        let counts = [3, 4, 5].map(|height| uniform.iter().filter(|found| units(found) == height).count());
        assert!(counts.iter().all(|count| *count > 40) && counts.iter().sum::<usize>() == 200, "{counts:?}");
        let by_cost = drawn("by-cost 2 4 linear", 1, 0);
        assert!(by_cost.iter().all(|found| matches!(found, TimeUtility::Linear { last: Utility::ZERO, .. })));
        assert!(by_cost.iter().zip(1..).all(|(found, ms)| [2 * ms, 3 * ms, 4 * ms].contains(&units(found))));
    }

    #[test]
    fn sets_are_their_own() {
        let spec = "uniform 1 1000 step";
        assert_eq!(drawn(spec, 7, 3), drawn(spec, 7, 3));
        assert_ne!(drawn(spec, 7, 3), drawn(spec, 7, 4));
        assert_ne!(drawn(spec, 7, 3), drawn(spec, 8, 3));
    }

    #[test]
    fn other_specifications_are_refused() {
        for (spec, why) in [
            ("", "utility: the name of a rule is missing"),
            ("normal 1 2", "utility: unknown `normal`; allowed: `none`, `uniform LOW HIGH [step|linear]`"),
            ("uniform 3", "utility: the largest is missing"),
            ("uniform 5 3", "utility: the largest is 3; allowed: from 5 to 1000000"),
            ("uniform 0 3", "utility: `0` is not the least; allowed: a whole number from 1"),
            ("by-cost 1 2 flat", "utility: `flat` is too much"),
            ("none 1", "utility: `1` is too much"),
        ] {
            let error = spec.parse::<Utilities>().unwrap_err().to_string();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
