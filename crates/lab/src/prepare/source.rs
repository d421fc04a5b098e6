//! Sources of a scenario's jobs.

use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
use schedlab_model::{JobSource, TaskId, Work};
use schedlab_scenario::{Arrival, CostModel, TaskSpec};
use schedlab_workload::arrivals::{job_source, Arrivals, Costs, SourceSpec};

impl Prepared {
    /// Returns a source of the scenario's jobs, which are the same for the same scenario.
    pub fn source(&self) -> Result<Box<dyn JobSource + Send>, PrepareError> {
        let specs: Vec<SourceSpec> = self.scenario.tasks.iter().map(|spec| self.source_spec(spec)).collect();
        job_source(&self.tasks, &specs, self.scenario.seed).map_err(PrepareError::Source)
    }

    /// True if the task's arrivals are sporadic: those of a real run may be others than the source has.
    pub fn is_sporadic(&self, task: TaskId) -> bool {
        matches!(self.scenario.tasks[task.index()].arrival, Arrival::Sporadic { .. })
    }

    fn source_spec(&self, spec: &TaskSpec) -> SourceSpec {
        let place = |name: &String| self.scenario.tasks.iter().position(|task| task.name == *name);
        SourceSpec {
            arrivals: match &spec.arrival {
                Arrival::Periodic => Arrivals::Periodic,
                Arrival::Sporadic { delay, like } => {
                    let like = like.as_ref().and_then(place).map(|index| TaskId(index as u32));
                    Arrivals::SporadicUniform { max: *delay, like }
                }
                Arrival::Listed(times) => Arrivals::Listed(times.clone()),
            },
            costs: match &spec.cost {
                CostModel::Wcet => Costs::Wcet,
                CostModel::Fraction(part) => Costs::List(vec![Work::from_ns(part.of(spec.wcet.as_ns()))]),
                CostModel::Uniform(least, most) => Costs::Between(*least, *most),
                CostModel::Listed(costs) => Costs::List(costs.clone()),
                CostModel::Quantiles { least, points } => Costs::Quantiles {
                    least: *least,
                    points: points.iter().map(|(share, cost)| (share.millionths(), *cost)).collect(),
                },
            },
        }
    }
}
