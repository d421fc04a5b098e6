//! Metrics of one schedule beside another, for comparisons.

use crate::context::Context;
use crate::export::{JobRow, JobRows};
use crate::invariants::CheckedResult;
use crate::measured::{OfTask, Totals};
use crate::metrics::Metrics;
use crate::schedule::Drawing;
use schedlab_model::Instant;
use schedlab_trace::{Record, Sink};
use schemars::JsonSchema;
use serde::Serialize;

/// Number of bins into which response times are sorted, if they differ by at least as many nanoseconds.
const BINS: u64 = 40;

/// Number of values in each bin. There is one more edge than bins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Histogram {
    edges_ns: Vec<u64>,
    counts: Vec<u64>,
}

impl Histogram {
    /// Counts `values` in bins of equal width, whole nanoseconds, that hold these and the `others`.
    fn of(values: &[u64], others: &[u64]) -> Histogram {
        let all = || values.iter().chain(others);
        let (Some(low), Some(high)) = (all().min(), all().max()) else {
            return Histogram { edges_ns: Vec::new(), counts: Vec::new() };
        };
        let range = high - low + 1;
        let width = range.div_ceil(BINS);
        let bins = range.div_ceil(width);
        let mut counts = vec![0; bins as usize];
        values.iter().for_each(|value| counts[((value - low) / width) as usize] += 1);
        Histogram { edges_ns: (0..=bins).map(|bin| low + width * bin).collect(), counts }
    }
}

/// Metrics of a task, with the distribution of its response times.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ObservedTask {
    #[serde(flatten)]
    of_task: OfTask,
    histogram: Histogram,
}

/// The smallest proved bounds on a task's jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
struct Bounds {
    response_time_bound_ns: Option<u64>,
    tardiness_bound_ns: Option<u64>,
}

/// Metrics of a task, beside its proved bounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct ComparedTask {
    #[serde(flatten)]
    observed: ObservedTask,
    #[serde(flatten)]
    bounds: Bounds,
}

/// Metrics of the tasks of a schedule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Observed")]
pub struct ObservedResult {
    tasks: Vec<ObservedTask>,
    totals: Totals,
}

/// Metrics of a simulation, beside proved bounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ComparedSchedule")]
pub struct ComparedResult {
    tasks: Vec<ComparedTask>,
    totals: Totals,
    invariants: Vec<CheckedResult>,
    schedule: Drawing,
}

impl ObservedResult {
    /// Joins metrics with these bounds on response times and on tardiness by task, the checked invariants, and a
    /// drawing.
    pub fn compared(
        self,
        bounds: impl IntoIterator<Item = (Option<u64>, Option<u64>)>,
        invariants: Vec<CheckedResult>,
        schedule: Drawing,
    ) -> ComparedResult {
        let bounds = bounds.into_iter().map(|(response_time_bound_ns, tardiness_bound_ns)| Bounds {
            response_time_bound_ns,
            tardiness_bound_ns,
        });
        let tasks = self.tasks.into_iter().zip(bounds);
        let tasks = tasks.map(|(observed, bounds)| ComparedTask { observed, bounds }).collect();
        ComparedResult { tasks, totals: self.totals, invariants, schedule }
    }
}

/// By task: the response times of its complete jobs.
pub type Responses = Vec<Vec<u64>>;

/// Measures what a comparison needs of a schedule.
pub struct Observer {
    metrics: Metrics,
    rows: JobRows,
}

impl Observer {
    /// An observer before the first record.
    pub fn new(context: &Context) -> Self {
        let metrics =
            Metrics::new(context.tasks.len(), context.clusters.len()).with_utilities(&context.worths);
        Observer { metrics, rows: JobRows::default() }
    }

    /// Returns the measurements; bins of response times also hold those of a schedule `beside` it.
    pub fn finish(self, beside: Option<&Responses>) -> ObservedResult {
        let own = by_task(self.metrics.tasks().len(), &self.rows.finish());
        let (of_tasks, totals) = (self.metrics.of_tasks(), self.metrics.totals());
        let task = |(index, of_task): (usize, OfTask)| {
            let others = beside.and_then(|beside| beside.get(index)).map_or(&[][..], Vec::as_slice);
            ObservedTask { of_task, histogram: Histogram::of(&own[index], others) }
        };
        ObservedResult { tasks: of_tasks.into_iter().enumerate().map(task).collect(), totals }
    }

    /// Returns the response times alone.
    pub fn responses(self) -> Responses {
        by_task(self.metrics.tasks().len(), &self.rows.finish())
    }
}

impl Sink for Observer {
    fn record(&mut self, at: Instant, record: Record) {
        self.metrics.record(at, record);
        self.rows.record(at, record);
    }
}

fn by_task(tasks: usize, rows: &[JobRow]) -> Responses {
    let mut found = vec![Vec::new(); tasks];
    for row in rows {
        found[row.job.task.index()].extend(row.response_time());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_value_of_both_and_count_one_side() {
        let found = Histogram::of(&[10, 11, 89], &[0]);
        assert_eq!(found.edges_ns.first(), Some(&0));
        assert_eq!(found.edges_ns[..3], [0, 3, 6]);
        assert_eq!((found.edges_ns.len(), found.counts.len()), (31, 30));
        assert_eq!((found.counts[3], found.counts[29], found.counts.iter().sum::<u64>()), (2, 1, 3));
        let alone = Histogram::of(&[7, 7], &[]);
        assert_eq!((alone.edges_ns, alone.counts), (vec![7, 8], vec![2]));
        assert_eq!(Histogram::of(&[], &[]).edges_ns, Vec::<u64>::new());
        let beside = Histogram::of(&[], &[5]);
        assert_eq!((beside.edges_ns, beside.counts), (vec![5, 6], vec![0]));
    }
}
