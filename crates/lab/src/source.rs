//! The jobs of a scenario.

use crate::prepared::{PrepareError, Prepared};
use schedlab_model::{Instant, JobSource, NextJob, Step, TaskId};
use schedlab_scenario::{Arrival, CostModel, TaskSpec};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, ReleaseJitter, SourceSpec};

/// Draws jobs as the scenario says, and puts those with listed arrivals where the list has them.
pub(crate) struct ScenarioSource {
    drawn: Box<dyn JobSource + Send>,
    /// By task: the listed arrivals, and how many of them have been given.
    listed: Vec<Option<(Vec<Instant>, usize)>>,
}

impl Prepared {
    /// The scenario's jobs; the same for the same scenario.
    pub fn source(&self) -> Result<Box<dyn JobSource + Send>, PrepareError> {
        let specs: Vec<SourceSpec> = self.scenario.tasks.iter().map(source_spec).collect();
        let drawn = job_source(&self.tasks, &specs, self.scenario.seed).map_err(PrepareError::Source)?;
        let listed = |spec: &TaskSpec| match &spec.arrival {
            Arrival::Listed(times) => Some((times.clone(), 0)),
            Arrival::Periodic | Arrival::Sporadic { .. } => None,
        };
        let listed: Vec<_> = self.scenario.tasks.iter().map(listed).collect();
        if listed.iter().all(Option::is_none) {
            return Ok(drawn);
        }
        Ok(Box::new(ScenarioSource { drawn, listed }))
    }
}

fn source_spec(spec: &TaskSpec) -> SourceSpec {
    SourceSpec {
        arrivals: match spec.arrival {
            Arrival::Sporadic { delay } => Arrivals::SporadicUniform { max: delay },
            Arrival::Periodic | Arrival::Listed(_) => Arrivals::Periodic,
        },
        jitter: if spec.jitter.is_zero() { ReleaseJitter::None } else { ReleaseJitter::Uniform },
        costs: match &spec.cost {
            CostModel::Wcet => Costs::Wcet,
            CostModel::Fraction(fraction) => {
                Costs::Fixed(schedlab_model::Work::from_ns(fraction.of(spec.wcet.as_ns())))
            }
            CostModel::Uniform(least, most) => Costs::Between(*least, *most),
            CostModel::Listed(costs) => Costs::List(costs.clone()),
        },
        ..SourceSpec::default()
    }
}

impl JobSource for ScenarioSource {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        let drawn = self.drawn.next_job(task, program)?;
        let Some((times, given)) = &mut self.listed[task.index()] else { return Some(drawn) };
        let arrival = *times.get(*given)?;
        *given += 1;
        Some(NextJob { arrival, release: arrival + (drawn.release - drawn.arrival), ..drawn })
    }
}
