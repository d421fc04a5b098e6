//! Programs over many jobs: which tasks have one, and when each was completed.
//!
//! Litmus-rt-2006, section 4.3: continuously backlogged tasks execute a program in proportion to their weights, so that
//! ideally all complete it at once; recorded is when each does. A job's budget ends the job, not the program, which
//! goes on in the next.

use super::Code;
use crate::run::threads::Body;
use crate::task::context::Context;
use schedlab_model::{Duration, Instant, TaskId};
use schedlab_scenario::TaskSpec;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, OnceLock};

/// Number of rounds between two looks at whether the run is over: some microseconds.
const CHUNK: u64 = 1_000;

/// The programs of a run.
#[derive(Debug)]
pub struct Programs {
    /// By task with a program: when its program was completed.
    ends: Vec<Option<OnceLock<Instant>>>,
    left: AtomicUsize,
}

impl Programs {
    /// The programs of `tasks`, none of them completed.
    pub fn of(tasks: &[TaskSpec]) -> Arc<Self> {
        let ends: Vec<_> =
            tasks.iter().map(|task| task.workload.program().map(|_| OnceLock::new())).collect();
        let left = AtomicUsize::new(ends.iter().flatten().count());
        Arc::new(Programs { ends, left })
    }

    /// When the programs were completed; none if no task has one.
    pub fn completions(&self) -> Option<Completions> {
        let get = |end: &Option<OnceLock<Instant>>| end.as_ref().and_then(OnceLock::get).copied();
        let count = self.ends.iter().flatten().count();
        let ends = self.ends.iter().map(get).collect();
        (count > 0).then(|| Completions::of(ends, count, self.nothing_left()))
    }

    /// True if every task has a program and all are completed.
    fn nothing_left(&self) -> bool {
        self.left.load(SeqCst) == 0 && self.ends.iter().all(Option::is_some)
    }

    fn complete(&self, task: TaskId, context: &Context<'_>) {
        if let Some(end) = &self.ends[task.index()] {
            if end.set(context.now()).is_ok() {
                self.left.fetch_sub(1, SeqCst);
            }
        }
        if self.nothing_left() {
            context.end_run();
        }
    }
}

/// Programs whose executions are tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Programs")]
pub struct Completions {
    /// How many programs there are.
    count: usize,
    /// By task: none without a program, or where it was not completed.
    completed_ns: Vec<Option<u64>>,
    /// The mean; none if no program was completed.
    mean_ns: Option<f64>,
    /// The standard deviation.
    deviation_ns: Option<f64>,
    /// True if every task has a program and all are completed.
    #[serde(skip)]
    pub nothing_left: bool,
}

impl Completions {
    fn of(ends: Vec<Option<Instant>>, count: usize, nothing_left: bool) -> Self {
        let completed_ns: Vec<_> = ends.iter().map(|end| end.map(Instant::as_ns)).collect();
        let completed: Vec<f64> = completed_ns.iter().flatten().map(|end| *end as f64).collect();
        let of_all = completed.len() as f64;
        let mean = (!completed.is_empty()).then(|| completed.iter().sum::<f64>() / of_all);
        let deviation =
            mean.map(|mean| (completed.iter().map(|end| (end - mean).powi(2)).sum::<f64>() / of_all).sqrt());
        Completions { count, completed_ns, mean_ns: mean, deviation_ns: deviation, nothing_left }
    }
}

impl fmt::Display for Completions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} of {} programs were completed",
            self.completed_ns.iter().flatten().count(),
            self.count
        )?;
        if let Some((mean, deviation)) = self.mean_ns.zip(self.deviation_ns) {
            let [mean, deviation] = [mean, deviation].map(|ns| Duration::from_ns(ns as u64));
            write!(f, ", on average after {mean} (standard deviation {deviation})")?;
        }
        Ok(())
    }
}

/// The number of rounds that `task` executes of a program with this many iterations for a task of weight 1.
pub(super) fn rounds(task: &TaskSpec, iterations: u64) -> u64 {
    let all = u128::from(iterations) * u128::from(task.wcet.as_ns());
    u64::try_from(all.div_ceil(u128::from(task.period.as_ns()))).unwrap_or(u64::MAX)
}

/// A task whose jobs execute `rounds` of `code` together, and that leaves then.
pub(super) fn body(mut code: Box<dyn Code>, mut rounds: u64, programs: Arc<Programs>) -> Body {
    Box::new(move |context| {
        if !context.next_job() {
            return;
        }
        while rounds > 0 {
            if context.is_over() {
                return;
            }
            let now = rounds.min(CHUNK);
            code.run(now);
            rounds -= now;
        }
        programs.complete(context.task(), context);
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Work;
    use schedlab_scenario::Workload;

    /// 5,000,000 iterations times the weight, 10 ms of 500: 100,000; what does not come out even is rounded up.
    #[test]
    fn iterations_are_in_proportion_to_weights() {
        let task = |wcet, period| TaskSpec::new("a", Work::from_ns(wcet), Duration::from_ns(period));
        assert_eq!(rounds(&task(10, 500), 5_000_000), 100_000);
        assert_eq!(rounds(&task(1, 3), 5), 2);
    }

    /// Of three tasks one has no program; of two programs one is completed, then both.
    #[test]
    fn completions_and_their_spread() {
        let mut tasks = vec![TaskSpec::new("a", Work::from_ns(1), Duration::from_ns(2)); 3];
        assert!(Programs::of(&tasks).completions().is_none());
        for task in &mut tasks[..2] {
            task.workload = Workload::parse("backtest 5").unwrap();
        }
        let programs = Programs::of(&tasks);
        let none = programs.completions().unwrap();
        assert_eq!((none.count, none.mean_ns), (2, None));
        programs.ends[0].as_ref().unwrap().set(Instant::from_ns(2_000_000)).unwrap();
        programs.ends[1].as_ref().unwrap().set(Instant::from_ns(4_000_000)).unwrap();
        let both = programs.completions().unwrap();
        assert_eq!(both.completed_ns, [Some(2_000_000), Some(4_000_000), None]);
        let text = "2 of 2 programs were completed, on average after 3 ms (standard deviation 1 ms)";
        assert_eq!(both.to_string(), text);
        assert!(!both.nothing_left, "the third task goes on");
    }
}
