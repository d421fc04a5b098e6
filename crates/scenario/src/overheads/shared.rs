//! Estimates of one cost: schedulers that share their code, except for the order of jobs, cost the same.
//!
//! A measurement estimates the overheads under each scheduler by itself. The estimates of P-EDF and P-RM then differ by
//! chance alone, and so would proofs about them. Therefore a scheduler is charged the largest estimate, and how far the
//! smallest is below says how well it is known. Published values are not estimates of this kind: only values with a
//! number of samples are shared.

use super::{Measured, OfScheduler, OverheadProfile, Value};
use schedlab_model::{Alignment, Cost, Duration, OverheadKind};
use schedlab_policy::{find as find_scheduler, Make, Scope};
use std::collections::BTreeMap;

/// Code that schedulers share: the clustered engine over one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Code {
    scope: Scope,
    preemptive: bool,
    quanta: Option<Alignment>,
}

impl Code {
    /// Code of the scheduler of this name; `None` if it has code of its own.
    fn of(name: &str) -> Option<Code> {
        let scheduler = find_scheduler(name).ok()?;
        match scheduler.make {
            Make::Clustered { preemptive, .. } => {
                Some(Code { scope: scheduler.scope, preemptive, quanta: scheduler.quanta })
            }
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => None,
        }
    }
}

/// Choice among several estimates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Smallest,
    Largest,
}

impl OverheadProfile {
    /// The largest estimate of this kind among schedulers of the same code as `section`'s.
    pub(super) fn shared(&self, section: &OfScheduler, kind: OverheadKind) -> Option<Measured> {
        self.joined(section, kind, Which::Largest)
    }

    /// Returns the profile with each shared estimate at its smallest value; `None` if none is shared, or all agree.
    pub fn at_least(&self) -> Option<OverheadProfile> {
        let mut least = self.clone();
        for (section, of) in self.schedulers.iter().zip(&mut least.schedulers) {
            for (kind, measured) in &mut of.kinds {
                if let Some(smallest) = self.joined(section, *kind, Which::Smallest) {
                    *measured = smallest;
                }
            }
        }
        let charges = |profile: &OverheadProfile| -> Vec<_> {
            self.schedulers.iter().map(|section| profile.charged(&section.name, "").overheads).collect()
        };
        (charges(&least) != charges(self)).then_some(least)
    }

    fn joined(&self, section: &OfScheduler, kind: OverheadKind, which: Which) -> Option<Measured> {
        let own = section.kinds.get(&kind).filter(|measured| measured.samples.is_some())?;
        let code = Code::of(&section.name)?;
        let others = self.schedulers.iter().filter(|other| other.name != section.name);
        let alike = others.filter(|other| Code::of(&other.name) == Some(code));
        let estimates = alike.filter_map(|other| other.kinds.get(&kind));
        let joined = |of: Measured, other: &Measured| of.joined(other, which);
        Some(estimates.filter(|other| other.samples.is_some()).fold(own.clone(), joined))
    }
}

impl Measured {
    /// Chooses one of the two values for each statistic that both have.
    fn joined(&self, other: &Measured, which: Which) -> Measured {
        let of = |one: &Option<Value>, other: &Option<Value>| match (one, other) {
            (Some(one), Some(other)) => Some(one.joined(other, which)),
            (one, _) => one.clone(),
        };
        let percentiles = self.percentiles.iter().map(|(tenths, value)| {
            let joined = other.percentiles.get(tenths).map(|other| value.joined(other, which));
            (*tenths, joined.unwrap_or_else(|| value.clone()))
        });
        let percentiles: BTreeMap<u16, Value> = percentiles.collect();
        let (max, mean) = (of(&self.max, &other.max), of(&self.mean, &other.mean));
        Measured { max, mean, percentiles, samples: self.samples, paths: self.paths.clone() }
    }
}

impl Value {
    /// Joins two lines: the larger (smaller) base and slope, which is no less (no more) than either line.
    fn joined(&self, other: &Value, which: Which) -> Value {
        let (Value::Cost(one), Value::Cost(other)) = (self, other) else { return self.clone() };
        let (Some((base, slope)), Some((other_base, other_slope))) = (line(one), line(other)) else {
            return self.clone();
        };
        let (base, slope) = match which {
            Which::Smallest => (base.min(other_base), slope.min(other_slope)),
            Which::Largest => (base.max(other_base), slope.max(other_slope)),
        };
        Value::Cost(match slope {
            0 => Cost::Constant(base),
            per_task_ps => Cost::Linear { base, per_task_ps },
        })
    }
}

/// A cost as a line in the number of tasks; `None` for a table.
fn line(cost: &Cost) -> Option<(Duration, u64)> {
    match cost {
        Cost::Constant(base) => Some((*base, 0)),
        Cost::Linear { base, per_task_ps } => Some((*base, *per_task_ps)),
        Cost::ByWorkingSet(_) | Cost::ByTaskCount(_) | Cost::ByReadyJobs(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Statistic;

    const FILE: &str = r#"
schedlab-overheads = 1
[[scheduler]]
name = "P-EDF"
stands_for = ["P-*", "NP-*"]
release = { max = "30 us", p99 = "20 us", samples = 1000 }
scheduling = { max = "9 us + 100 ns * N", p99 = "7 us", samples = 1000 }
tick = { max = "4 us" }
[[scheduler]]
name = "P-RM"
release = { max = "25 us", p99 = "28 us", samples = 900 }
scheduling = { max = "12 us", p99 = "7 us", samples = 900 }
tick = { max = "5 us" }
[[scheduler]]
name = "G-EDF"
stands_for = ["G-*"]
release = { max = "50 us", p99 = "40 us", samples = 1000 }
"#;

    fn profile(text: &str) -> OverheadProfile {
        let none = |_: &str| Err("there are no other files".to_owned());
        OverheadProfile::parse_with("measured.toml", text.as_bytes().to_vec(), &none).unwrap()
    }

    fn charge(profile: &OverheadProfile, scheduler: &str, kind: OverheadKind, statistic: Statistic) -> u64 {
        profile.charged(scheduler, "none").overheads.evaluate(kind, statistic, 10, 0).as_ns()
    }

    #[test]
    fn schedulers_of_one_code_are_charged_alike() {
        let (profile, p99) = (profile(FILE), Statistic::Percentile(990));
        for scheduler in ["P-EDF", "P-RM", "P-DM"] {
            assert_eq!(charge(&profile, scheduler, OverheadKind::Release, p99), 28_000, "{scheduler}");
            assert_eq!(charge(&profile, scheduler, OverheadKind::Scheduling, Statistic::Max), 13_000);
        }
        assert_eq!(charge(&profile, "G-EDF", OverheadKind::Release, p99), 40_000, "other code");
        assert_eq!(
            charge(&profile, "P-RM", OverheadKind::Tick, Statistic::Max),
            5_000,
            "no samples: published"
        );
    }

    #[test]
    fn how_far_estimates_are_apart_is_known() {
        let least = profile(FILE).at_least().unwrap();
        assert_eq!(charge(&least, "P-DM", OverheadKind::Release, Statistic::Percentile(990)), 20_000);
        assert_eq!(charge(&least, "P-RM", OverheadKind::Scheduling, Statistic::Max), 9_000);
        assert_eq!(charge(&least, "P-EDF", OverheadKind::Tick, Statistic::Max), 4_000);
        let alone = profile(&FILE.replace("P-RM", "PD2"));
        assert_eq!(alone.at_least(), None, "no two are the same code");
    }
}
