//! Stopping rules: when a task set is complete, and what happens to the task that completes it.
//!
//! T. P. Baker, "A comparison of global and partitioned EDF schedulability tests for multiprocessors",
//! TR-051101, 2005, adds tasks until a set is full; each paper that follows treats the last one differently.

use super::form::SpecForm;
use super::utilization::TOGETHER;
use super::{task, GenerateError, MAX_TASKS};
use crate::load::Load;
use crate::ratio::Ratio;
use crate::words::{allowed, SpecError, Words};
use core::cmp::Ordering;
use core::str::FromStr;
use schedlab_model::{Task, Work};

/// A stopping rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Adds tasks until the total or `max_tasks` is reached; then reduces the last task so that the total is met (J. M.
    /// Calandrino et al., LITMUS^RT, RTSS 2006, section 4.2).
    ///
    /// Costs are whole nanoseconds, so the total is met as far as they allow: it is never exceeded, and a
    /// nanosecond more for the last task would exceed it. A last task left with nothing is dropped.
    Trim {
        /// The total utilization to meet.
        total: Ratio,
        /// A cap on the number of tasks. The paper has one, but does not print it.
        max_tasks: Option<u32>,
    },
    /// Adds tasks until the cap or `max_tasks` is reached; then discards the last task in either case (B. B.
    /// Brandenburg et al., "Real-time synchronization on multiprocessors: to block or not to block, to suspend or
    /// spin?", RTAS 2008, section 4.2: 100 tasks).
    DiscardAtCap {
        /// The total utilization that stops the rule when it is reached.
        cap: Ratio,
        /// The number of tasks that stops the rule when it is reached.
        max_tasks: u32,
    },
    /// Adds tasks until the total is exceeded; then discards the last task (M. Dellinger, A. Lindsay, B. Ravindran, "An
    /// experimental evaluation of the scalability of real-time scheduling algorithms on large-scale multicore
    /// platforms", 2011, section 3.2).
    DiscardAbove {
        /// The total utilization not to be exceeded.
        total: Ratio,
    },
    /// Adds a fixed number of tasks; with a total too, for distributions over whole sets.
    Tasks {
        /// Number of tasks.
        tasks: u32,
        /// The sum of their utilizations. Only for distributions over whole sets.
        total: Option<Ratio>,
    },
}

/// Forms of the rules, with their meanings.
pub const FORMS: &[(&str, &str)] = &[
    ("trim TOTAL [max-tasks N]", "the last task is reduced to the exact total (2006)"),
    ("discard-at-cap CAP max-tasks N", "the task that reaches the cap, or is the N-th, is discarded (2008)"),
    ("discard-above TOTAL", "the task that exceeds the total is discarded (2011)"),
    ("tasks N", "a number of tasks"),
    ("tasks N total TOTAL", "a number of tasks with a total, for distributions over whole sets"),
];

impl Stop {
    /// Puts tasks that `draw` gives, as utilization and period, into the empty set `tasks`, whose load is `load`, until
    /// the rule holds.
    pub(super) fn fill(
        self,
        tasks: &mut Vec<Task>,
        load: &mut Load,
        mut draw: impl FnMut() -> (f64, u64),
    ) -> Result<(), GenerateError> {
        loop {
            let (utilization, period) = draw();
            let mut last = task(utilization, period);
            let parts = (last.wcet.as_ns(), period);
            let count = tasks.len() as u32 + 1;
            match self {
                Stop::Trim { total, max_tasks } => {
                    if load.compare_with(parts, total) != Ordering::Less {
                        let room = load.room(total, period).unwrap_or(0);
                        if room > 0 {
                            last.wcet = Work::from_ns(room);
                            tasks.push(last);
                        }
                        return Ok(());
                    }
                    if max_tasks == Some(count) {
                        tasks.push(last);
                        return Ok(());
                    }
                }
                Stop::DiscardAtCap { cap, max_tasks } => {
                    if count == max_tasks || load.compare_with(parts, cap) != Ordering::Less {
                        return Ok(());
                    }
                }
                Stop::DiscardAbove { total } => {
                    if load.compare_with(parts, total) == Ordering::Greater {
                        return Ok(());
                    }
                }
                Stop::Tasks { tasks: wanted, .. } => {
                    if count == wanted {
                        tasks.push(last);
                        return Ok(());
                    }
                }
            }
            if count == MAX_TASKS {
                return Err(GenerateError::TooManyTasks);
            }
            load.add(parts);
            tasks.push(last);
        }
    }

    /// Returns an error if this rule does not go with utilizations that are drawn one at a time.
    pub(super) fn check_for_single_draws(self) -> Result<(), SpecError> {
        match self {
            Stop::Tasks { total: Some(_), .. } => Err(SpecError::Mismatch {
                field: "stop",
                needs: format!(
                    "a number of tasks with a total needs a distribution over whole sets: {}",
                    over_whole_sets("or")
                ),
            }),
            _ => Ok(()),
        }
    }

    /// The number of tasks and their total, which distributions over whole sets need.
    pub(super) fn fixed_tasks_and_total(self) -> Result<(u32, Ratio), SpecError> {
        match self {
            Stop::Tasks { tasks, total: Some(total) } => Ok((tasks, total)),
            _ => Err(SpecError::Mismatch {
                field: "stop",
                needs: format!("{} need `tasks N total TOTAL`", over_whole_sets("and")),
            }),
        }
    }
}

/// Lists the distributions over whole sets, with this word before the last.
fn over_whole_sets(word: &str) -> String {
    let names: Vec<&str> = TOGETHER.iter().map(SpecForm::name).collect();
    let (last, others) = names.split_last().expect("there are distributions over whole sets");
    format!("{} {word} {last}", others.join(", "))
}

/// Reads a positive total.
fn total(words: &mut Words<'_>, what: &'static str) -> Result<Ratio, SpecError> {
    let total = words.ratio(what)?;
    match total.numerator() {
        0 => Err(words.out_of_range(what, 0, "above 0")),
        _ => Ok(total),
    }
}

/// Reads a number of tasks that can be served.
fn tasks(words: &mut Words<'_>) -> Result<u32, SpecError> {
    words.count_to("the number of tasks", MAX_TASKS)
}

impl FromStr for Stop {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("stop", text);
        let stop = match words.word("the name of a rule")? {
            "trim" => {
                let total = total(&mut words, "the total utilization")?;
                let capped = words.take("max-tasks");
                Stop::Trim { total, max_tasks: if capped { Some(tasks(&mut words)?) } else { None } }
            }
            "discard-at-cap" => {
                let cap = total(&mut words, "the cap")?;
                if !words.take("max-tasks") {
                    return Err(SpecError::Missing { field: "stop", what: "`max-tasks N`" });
                }
                Stop::DiscardAtCap { cap, max_tasks: tasks(&mut words)? }
            }
            "discard-above" => Stop::DiscardAbove { total: total(&mut words, "the total utilization")? },
            "tasks" => {
                let count = tasks(&mut words)?;
                let summed = words.take("total");
                let total = if summed { Some(total(&mut words, "the total utilization")?) } else { None };
                Stop::Tasks { tasks: count, total }
            }
            other => return Err(words.unknown(other, allowed(FORMS))),
        };
        words.finish()?;
        Ok(stop)
    }
}
