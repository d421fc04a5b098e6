//! Decisions of a policy in Python.

use super::views::{PyJob, PyJobId};
use crate::errors::bad_input;
use pyo3::prelude::*;
use schedlab_model::{ClusterId, CpuId, Instant, Job, JobId, Priority, TimerKey, Work};
use schedlab_policy::Decision;

/// A job, named or shown.
#[derive(FromPyObject)]
pub(super) enum Named {
    /// By its id.
    Id(PyJobId),
    /// A job, as it was shown to the policy.
    Job(PyJob),
}

impl Named {
    fn id(&self) -> JobId {
        match self {
            Named::Id(id) => id.0,
            Named::Job(job) => job.job.id,
        }
    }
}

/// Decisions of a policy: which job should run where, and others.
#[pyclass(name = "Decisions", module = "schedlab")]
pub(crate) struct PyDecisions {
    pub(super) cpus: Vec<CpuId>,
    /// Linked job by place in `cpus`.
    pub(super) links: Vec<Option<JobId>>,
    /// The live jobs of the cluster.
    pub(super) jobs: Vec<Job>,
    pub(super) others: Vec<Decision>,
}

#[pymethods]
impl PyDecisions {
    /// Links `job` to `cpu`, where it should run; `None`: no job should.
    fn link(&mut self, cpu: u16, job: Option<Named>) -> PyResult<()> {
        let Some(place) = self.cpus.iter().position(|known| known.0 == cpu) else {
            return Err(bad_input(format!(
                "processor {cpu} is not one of the policy's: {:?}",
                self.numbers()
            )));
        };
        self.links[place] = job.map(|job| job.id());
        Ok(())
    }

    /// The job linked to `cpu`.
    fn linked(&self, cpu: u16) -> Option<PyJobId> {
        let place = self.cpus.iter().position(|known| known.0 == cpu)?;
        self.links[place].map(PyJobId)
    }

    /// Lets the first of `jobs` run, as many as there are processors, and no other. A job stays where it is,
    /// or goes back to where it ran last, if it can.
    fn run(&mut self, jobs: Vec<Named>) {
        let chosen: Vec<JobId> = jobs.iter().take(self.cpus.len()).map(Named::id).collect();
        let before = std::mem::replace(&mut self.links, vec![None; self.cpus.len()]);
        let mut waiting = chosen;
        // First, a job that still runs keeps its processor, for a job must not be on two.
        self.settle(&mut waiting, |job, me| me.find(job).and_then(|found| found.scheduled_on));
        // Then a job that was linked, though perhaps not dispatched yet.
        self.settle(&mut waiting, |job, me| {
            before.iter().position(|linked| *linked == Some(job)).map(|place| me.cpus[place])
        });
        self.settle(&mut waiting, |job, me| me.find(job).and_then(|found| found.last_cpu));
        self.settle(&mut waiting, |_, me| {
            me.links.iter().position(Option::is_none).map(|place| me.cpus[place])
        });
    }

    /// Gives the job this base priority point: smaller is more urgent.
    fn set_priority(&mut self, job: Named, point: u64) -> PyResult<()> {
        if point > Priority::MAX_POINT {
            return Err(bad_input(format!("a priority point is at most 2^62 - 1, not {point}")));
        }
        self.others.push(Decision::SetPriority(job.id(), Priority::new(point, job.id())));
        Ok(())
    }

    /// Asks for an event "timer" with this key at that time; `None` takes the timer back.
    fn timer(&mut self, key: u32, at: Option<u64>) {
        self.others.push(Decision::Timer(TimerKey(key), at.map(Instant::from_ns)));
    }

    /// Asks for an event "budget_exhausted" once the job has received this much more service; `None` takes the budget
    /// back.
    fn budget(&mut self, job: Named, work_ns: Option<u64>) {
        self.others.push(Decision::Budget(job.id(), work_ns.map(Work::from_ns)));
    }

    /// Gives the job up.
    fn abort(&mut self, job: Named) {
        self.others.push(Decision::Abort(job.id()));
    }

    /// Lets the job run in another cluster from now on.
    fn move_to(&mut self, job: Named, cluster: u16) {
        self.others.push(Decision::Move(job.id(), ClusterId(cluster)));
    }
}

impl PyDecisions {
    fn numbers(&self) -> Vec<u16> {
        self.cpus.iter().map(|cpu| cpu.0).collect()
    }

    fn find(&self, job: JobId) -> Option<&Job> {
        self.jobs.iter().find(|found| found.id == job)
    }

    /// Links each waiting job to the processor that it `wants`, if that is free and the cluster's.
    fn settle(&mut self, waiting: &mut Vec<JobId>, wants: impl Fn(JobId, &Self) -> Option<CpuId>) {
        waiting.retain(|&job| {
            let place = wants(job, self).and_then(|cpu| self.cpus.iter().position(|known| *known == cpu));
            match place {
                Some(place) if self.links[place].is_none() => {
                    self.links[place] = Some(job);
                    false
                }
                _ => true,
            }
        });
    }
}
