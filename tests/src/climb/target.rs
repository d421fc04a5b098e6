//! A system, what analysis bounds of it, and one run of it.

use super::plan::{Plan, Replayed};
use super::seen::{Blocked, Seen};
use crate::features::Scene;
use schedlab_analysis::blocking::{Blocking, METHODS};
use schedlab_analysis::{Answer, Guarantee, SystemError};
use schedlab_lab::{analyze, findings, Finding, PrepareError, Prepared};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::Duration;
use schedlab_policy::{Clustered, Make};
use schedlab_sim::{simulate, NoLocks, Setup};
use schedlab_trace::Timeline;

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// From arrival to completion.
    Response,
    /// By requests of other jobs.
    Blocking(Blocked),
}

/// What one test says of each task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The test; a method of blocking with its protocol.
    pub name: String,
    /// Of what.
    pub quantity: Quantity,
    /// By task, in nanoseconds.
    pub values: Vec<Option<u64>>,
}

/// A system under attack.
#[derive(Debug)]
pub struct Target {
    /// As drawn.
    pub scene: Scene,
    /// Ready to run.
    pub prepared: Prepared,
    setup: Setup,
    /// Everything that is claimed of it.
    pub bounds: Vec<Bound>,
}

impl Target {
    /// `None` if the scene is refused, or nothing is bounded.
    pub fn new(scene: &Scene) -> Option<Target> {
        let prepared = scene.prepared().ok()?;
        let bounds = bounds(&prepared)?;
        let is_bounded =
            bounds.iter().any(|bound| bound.values.iter().any(|value| value.is_some_and(|ns| ns > 0)));
        let setup = prepared.setup();
        is_bounded.then(|| Target { scene: scene.clone(), prepared, setup, bounds })
    }

    /// The first bound that a run exceeds.
    pub fn exceeded(&self, seen: &Seen) -> Option<String> {
        self.bounds.iter().find_map(|bound| {
            let exceeds = |(task, most): &(usize, &Option<u64>)| {
                most.is_some_and(|most| seen.value(bound.quantity, *task) > most)
            };
            let (task, most) = bound.values.iter().enumerate().find(exceeds)?;
            let found = seen.value(bound.quantity, task);
            let (of, name) = (&self.prepared.scenario.tasks[task].name, &bound.name);
            let what = match bound.quantity {
                Quantity::Response => "took".to_owned(),
                Quantity::Blocking(counted) => format!("was blocked ({counted:?}) for"),
            };
            Some(format!("a job of {of} {what} {found} ns, {name} bounds it by {most:?} ns"))
        })
    }

    /// Whether a task's bound is not met by the task alone.
    pub fn is_worthwhile(&self, bound: &Bound, task: usize) -> bool {
        let alone = match bound.quantity {
            Quantity::Response => self.prepared.tasks[task].wcet.as_ns(),
            Quantity::Blocking(_) => 0,
        };
        bound.values[task].is_some_and(|most| most > alone)
    }

    /// Whether the same tests bound the same quantities.
    pub fn is_like(&self, other: &Target) -> bool {
        let alike = |(a, b): (&Bound, &Bound)| a.name == b.name && a.quantity == b.quantity;
        self.bounds.len() == other.bounds.len() && self.bounds.iter().zip(&other.bounds).all(alike)
    }

    /// What happens if jobs are as planned.
    pub fn run(&self, plan: &Plan, timeline: &mut Timeline) -> Seen {
        timeline.records.clear();
        let prepared = &self.prepared;
        let source = Replayed::new(plan, prepared);
        match prepared.scheduler.make {
            Make::Clustered { order, preemptive } => {
                let policies = prepared.for_each_cluster(|setup| Clustered::new(order, preemptive, setup));
                match prepared.resources.is_empty() {
                    true => simulate(self.setup.clone(), policies, NoLocks, source, &mut *timeline),
                    false => simulate(self.setup.clone(), policies, self.locks(), source, &mut *timeline),
                }
            }
            Make::Pfair { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
                let policies = prepared.policies().expect("made once when prepared");
                match prepared.resources.is_empty() {
                    true => simulate(self.setup.clone(), policies, NoLocks, source, &mut *timeline),
                    false => simulate(self.setup.clone(), policies, self.locks(), source, &mut *timeline),
                }
            }
        };
        Seen::of(timeline, prepared, self.bounds.iter().map(|bound| bound.quantity))
    }

    fn locks(&self) -> Box<dyn schedlab_lock::LockProtocol> {
        self.prepared.locks().expect("made once when prepared")
    }
}

/// Everything that is claimed; `None` if the analysis fails.
fn bounds(prepared: &Prepared) -> Option<Vec<Bound>> {
    let analysis = match analyze(prepared) {
        Err(error @ PrepareError::Analysis { error: SystemError::Contradiction { .. }, .. }) => {
            panic!("{error}")
        }
        answer => answer.ok()?,
    };
    let mut all: Vec<Bound> =
        findings(prepared, &analysis).iter().filter_map(|finding| of_finding(finding, prepared)).collect();
    // Overheads are in the terms of blocking, and what is seen of blocking would hold them too.
    if let Some(found) = analysis.analysis.as_ref().filter(|_| prepared.setup().charges.are_none()) {
        all.extend(
            found.blocking.iter().chain(&found.more_blocking).filter_map(|one| of_blocking(one, prepared)),
        );
    }
    Some(all)
}

fn of_finding(finding: &Finding, prepared: &Prepared) -> Option<Bound> {
    let proves = finding.answer == Answer::Schedulable && finding.guarantee == Guarantee::Hard;
    let ns = |bound: &Option<Duration>| bound.map(Duration::as_ns);
    let mut values: Vec<Option<u64>> = match &finding.response_times {
        Some(bounds) => bounds.iter().map(ns).collect(),
        None if proves => vec![None; prepared.tasks.len()],
        None => return None,
    };
    // What is schedulable is done by its deadline.
    for (value, task) in values.iter_mut().zip(&prepared.tasks).filter(|_| proves) {
        let due = task.relative_deadline.as_ns();
        *value = Some(value.map_or(due, |bound| bound.min(due)));
    }
    let is_method = METHODS.iter().chain(PROGRAMS).any(|method| method.test.name == finding.test);
    let name = match is_method {
        true => format!("{}, {}", finding.test, prepared.protocol.name),
        false => finding.test.to_owned(),
    };
    Some(Bound { name, quantity: Quantity::Response, values })
}

fn of_blocking(blocking: &Blocking, prepared: &Prepared) -> Option<Bound> {
    if blocking.not_a_bound.is_some() {
        return None;
    }
    let counted = Blocked::of_method(blocking.method);
    let parts = match counted {
        Blocked::Shares => u64::from(prepared.platform.processors()),
        Blocked::Aware | Blocked::Oblivious => 1,
    };
    let values = blocking.terms.iter().map(|terms| terms.total().map(|total| total.saturating_mul(parts)));
    let name = format!("{}, {}", blocking.method, blocking.protocol);
    Some(Bound { name, quantity: Quantity::Blocking(counted), values: values.collect() })
}
