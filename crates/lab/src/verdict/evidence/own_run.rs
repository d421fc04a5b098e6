//! Evidence from the scenario's own run: the first late job that `simulate` shows.
//!
//! It needs no test: a deadline missed in the stated scenario itself refutes the scenario.

use super::MOST_JOBS;
use crate::prepare::prepared::Prepared;
use schedlab_analysis::{Analysis, Answer};
use schedlab_model::{Duration, Instant, JobId, TaskId};
use schedlab_trace::{Life, Record, Sink};
use std::cell::Cell;
use std::collections::BTreeMap;

/// A late job of the scenario's own run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateJob {
    /// The job's id.
    pub id: JobId,
    /// The job's absolute deadline.
    pub absolute_deadline: Instant,
    /// Tardiness of the job; `None` if the job was not complete when the run ended.
    pub by: Option<Duration>,
}

/// Returns the first late job in the scenario's own run, among clusters that no test decides.
///
/// Returns `None` also if the scenario cannot be simulated, and if none of the first [`MOST_JOBS`] jobs is late.
pub(crate) fn first_late(prepared: &Prepared, analysis: Option<&Analysis>) -> Option<LateJob> {
    let open: Vec<bool> = (0..prepared.tasks.len()).map(|task| is_open(analysis, task)).collect();
    if !open.contains(&true) || prepared.only_analysis.is_some() {
        return None;
    }
    let over = Cell::new(false);
    let mut run = OwnRun { open, due: BTreeMap::new(), arrived: 0, late: None, ended: None, over: &over };
    prepared.simulate(&mut run, &mut |_| !over.get()).ok()?;
    run.late
}

/// True if the tests do not decide whether this task's cluster meets its deadlines.
fn is_open(analysis: Option<&Analysis>, task: usize) -> bool {
    let task = TaskId(task as u32);
    let cluster =
        |found: &Analysis| found.clusters.iter().find(|one| one.tasks.contains(&task)).map(|one| one.hard);
    analysis.is_none_or(|found| cluster(found).is_none_or(|hard| hard == Answer::Unknown))
}

/// A sink that looks for the first late job, and sets `over` when the simulation may stop.
struct OwnRun<'a> {
    /// True for each task whose late jobs count.
    open: Vec<bool>,
    /// The absolute deadlines of jobs that are not complete.
    due: BTreeMap<JobId, Instant>,
    arrived: u64,
    late: Option<LateJob>,
    /// The job that completed last, with its absolute deadline.
    ended: Option<(JobId, Instant)>,
    over: &'a Cell<bool>,
}

impl Sink for &mut OwnRun<'_> {
    fn record(&mut self, at: Instant, record: Record) {
        if self.over.get() {
            return;
        }
        let Some(life) = record.life() else { return };
        match life {
            Life::Arrival(job, absolute_deadline) => {
                self.due.insert(job, absolute_deadline);
                self.arrived += 1;
                self.over.set(self.arrived > MOST_JOBS);
            }
            Life::Completion(job) => self.ended = self.due.remove(&job).map(|due| (job, due)),
            Life::Miss(job) if self.open[job.task.index()] => {
                let ended = self.ended.filter(|(ended, _)| *ended == job);
                let due = ended.map(|(_, due)| due).or_else(|| self.due.get(&job).copied());
                self.late = due.map(|absolute_deadline| LateJob {
                    id: job,
                    absolute_deadline,
                    by: ended.map(|_| at - absolute_deadline),
                });
                self.over.set(true);
            }
            Life::Miss(_) | Life::Abort(_) => {}
        }
    }
}
