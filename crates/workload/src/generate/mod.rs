//! How are task sets drawn? Utilizations x periods x relative deadlines x a rule for when to stop.
//!
//! A set is drawn task by task: a utilization `u` and a period `T` in whole nanoseconds give the WCET, `u*T`
//! rounded to the nearest nanosecond, halves up, and at least 1 ns. The stopping rule looks at the exact sum
//! of the resulting `C/T`, not at the drawn numbers, so what it promises holds for the set that comes out.
//! Then each task gets its relative deadline. Utilizations, periods and deadlines come from three streams
//! of random numbers, so a set keeps its WCETs and periods when only the deadline rule changes.

pub mod accesses;
mod deadlines;
mod draw;
mod form;
mod own;
pub mod periods;
pub mod stop;
pub mod utilities;
pub mod utilization;

pub use accesses::Accesses;
pub use deadlines::Deadlines;
pub use draw::TaskDistribution;
pub use form::{FormMeaning, Named, SpecForm};
pub use own::{Own, OwnDistributions};
pub use periods::Periods;
pub use stop::Stop;
pub use utilities::Utilities;
pub use utilization::Utilization;

use crate::load::Load;
use crate::random::{Purpose, Random};
use crate::words::SpecError;
use schedlab_model::{Duration, Task, Work};
use utilization::{Each, Sampler};

/// Most tasks of a set; larger numbers count as a mistake in the specification.
pub(crate) const MAX_TASKS: u32 = 100_000;

/// The longest period, about eleven days: short enough for products with real numbers to be exact to a
/// nanosecond.
pub const MAX_PERIOD_NS: u64 = 1_000_000_000_000_000;

/// Parts of a task set generator, as text; see the forms and `NAMES` of each part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// Distribution of utilizations, such as `uniform-medium`, `bimodal 0.001 0.5 0.5 0.9 8:1`, `uunifast-discard`.
    pub utilization: String,
    /// Distribution of periods, such as `uniform 10ms 100ms`.
    pub periods: String,
    /// Rule for relative deadlines: `implicit`, `mild`, `constrained` or `arbitrary`.
    pub deadlines: String,
    /// Stopping rule, such as `trim 4`, `tasks 20 total 3.2`.
    pub stop: String,
}

/// A generator of task sets.
#[derive(Clone, Debug)]
pub struct Generator {
    plan: Plan,
    periods: Periods,
    deadlines: Deadlines,
}

/// Way in which a set gets its utilizations.
#[derive(Clone, Debug)]
enum Plan {
    EachUntil(Each, Stop),
    Together(Sampler),
}

/// A set that was drawn, in memory that serves one set after the other.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Tasks of the set.
    pub tasks: Vec<Task>,
    utilizations: Vec<f64>,
    load: Load,
}

/// Reason why no task set came out, though the specification itself is correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GenerateError {
    /// The stopping rule was not reached within [`MAX_TASKS`] tasks.
    #[error("the set did not reach its total utilization within {MAX_TASKS} tasks")]
    TooManyTasks,
    /// A distribution over whole sets threw away this many sets without finding one.
    #[error("{name} threw away {sets} sets in a row; {why}")]
    TooManyRedraws {
        /// Name of the distribution.
        name: &'static str,
        /// Number of sets that were thrown away.
        sets: u32,
        /// Reason, and what to do about it.
        why: &'static str,
    },
}

impl Generator {
    /// Makes a generator of the given parts; an error if they do not go together.
    pub(crate) fn new(
        utilizations: Utilization,
        periods: Periods,
        deadlines: Deadlines,
        stop: Stop,
    ) -> Result<Self, SpecError> {
        let plan = match utilizations {
            Utilization::Each(each) => {
                stop.check_for_single_draws()?;
                Plan::EachUntil(each, stop)
            }
            Utilization::Together(together) => {
                let (tasks, total) = stop.fixed_tasks_and_total()?;
                Plan::Together(together.sampler(tasks, total)?)
            }
        };
        Ok(Generator { plan, periods, deadlines })
    }

    /// The generator that `spec` describes.
    pub fn parse(spec: &Spec) -> Result<Self, SpecError> {
        Self::parse_with(spec, &OwnDistributions::default())
    }

    /// Makes the generator that `spec` describes, where it may also name distributions of the user's own.
    pub fn parse_with(spec: &Spec, own: &OwnDistributions) -> Result<Self, SpecError> {
        let utilizations = match own::find(&own.utilizations, "utilizations", &spec.utilization) {
            Some(found) => Utilization::Each(Each::new(found?)),
            None => spec.utilization.parse()?,
        };
        let periods = match own::find(&own.periods, "periods", &spec.periods) {
            Some(found) => Periods::new(found?),
            None => spec.periods.parse()?,
        };
        Self::new(utilizations, periods, spec.deadlines.parse()?, spec.stop.parse()?)
    }

    /// Task set number `index` of `seed`.
    ///
    /// Tasks have offsets of zero, no jitter and no suspension; all that is drawn is WCET, period
    /// and relative deadline. A set may be empty, where a rule discards the only task.
    pub fn generate(&self, seed: u64, index: u64) -> Result<Vec<Task>, GenerateError> {
        let mut drawn = Drawn::default();
        self.draw(seed, index, &mut drawn)?;
        Ok(drawn.tasks)
    }

    /// Draws task set number `index` of `seed` in place of the set in `drawn`.
    pub fn draw(&self, seed: u64, index: u64, drawn: &mut Drawn) -> Result<(), GenerateError> {
        let Drawn { tasks, utilizations: together, load } = drawn;
        tasks.clear();
        together.clear();
        load.clear();
        let mut utilizations = Random::stream(seed, Purpose::Utilizations, index);
        let mut periods = Random::stream(seed, Purpose::Periods, index);
        let mut deadlines = Random::stream(seed, Purpose::Deadlines, index);
        let mut next_period = || self.periods.draw(&mut periods);
        match &self.plan {
            Plan::EachUntil(each, stop) => {
                stop.fill(tasks, load, || (each.draw(&mut utilizations), next_period()))?;
            }
            Plan::Together(sampler) => sampler.draw_into(&mut utilizations, together)?,
        }
        tasks.extend(together.iter().map(|&u| task(u, next_period())));
        for task in tasks {
            let (wcet, period) = (task.wcet.as_ns(), task.period.as_ns());
            task.relative_deadline = Duration::from_ns(self.deadlines.draw(wcet, period, &mut deadlines));
        }
        Ok(())
    }
}

/// The task of this period whose utilization is nearest to `utilization`, with at least 1 ns to do.
fn task(utilization: f64, period: u64) -> Task {
    let wcet = (utilization * period as f64 + 0.5) as u64;
    Task::implicit(Work::from_ns(wcet.max(1)), Duration::from_ns(period))
}

#[cfg(test)]
mod tests;
