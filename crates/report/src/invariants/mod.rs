//! Does a trace make sense, and does it keep its scheduler's promises?
//!
//! One named predicate per file. Each is a fold that looks at the [`Scene`] before every record, and
//! some look again when all records of an instant have happened: a policy decides once per instant, so only
//! then do its links count. [`Checker`] runs any number of them in one pass.

mod blocked_at_most_once;
mod checked;
mod cluster_rule;
mod completed_jobs_dont_execute;
mod completed_jobs_received_their_cost;
mod grants_in_order;
mod holders_are_not_preempted;
mod jobs_in_order;
mod jobs_must_be_ready_to_execute;
mod jobs_stay_in_their_cluster;
mod links;
mod misses_are_recorded;
mod mutual_exclusion;
mod no_deadlock;
mod non_preemptive;
mod one_processor_at_a_time;
mod overheads_occupy_the_processor;
mod own;
mod patience;
mod pieces_are_kept;
mod ready;
mod requests_are_never_denied;
mod respects_priority;
mod retries_are_bounded;
mod servers_keep_their_budgets;
mod time_is_monotone;
mod unused_quanta_are_wasted;
mod violation;
mod work_conserving;

pub use checked::CheckedResult;
pub use own::OwnInvariant;
pub use violation::{InvariantCheck, Violation, Violations};

use crate::context::Context;
use crate::scene::Scene;
use cluster_rule::ClusterRule;
use grants_in_order::{GrantsInOrder, Rule};
use links::Links;
use schedlab_model::{Instant, Invariant};
use schedlab_trace::{Record, Sink};

/// A predicate on traces, evaluated record by record.
pub trait Predicate {
    /// Returns true if records of this kind, whatever their contents, concern the predicate: it sees no others.
    fn concerns(&self, _record: &Record) -> bool {
        true
    }

    /// Examines `record`, which is about to happen in `scene`.
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations);

    /// Examines the scene after all records of the instant `scene.now` have happened.
    fn instant_over(&mut self, _scene: &Scene, _found: &mut Violations) {}

    /// Examines the end of the trace; `ended` is true if the trace has the record of its end, false if it was cut.
    fn over(&mut self, _scene: &Scene, _ended: bool, _found: &mut Violations) {}
}

/// Way in which an invariant is judged.
enum Judged {
    Alone(Box<dyn Predicate>),
    /// The invariant is judged by the links of clusters.
    ByLinks(ClusterRule),
}

fn judged(invariant: Invariant, context: &Context) -> Judged {
    Judged::Alone(match invariant {
        Invariant::TimeIsMonotone => Box::new(time_is_monotone::TimeIsMonotone),
        Invariant::CompletedJobsDontExecute => {
            Box::new(completed_jobs_dont_execute::CompletedJobsDontExecute)
        }
        Invariant::JobsMustBeReadyToExecute => {
            Box::new(jobs_must_be_ready_to_execute::JobsMustBeReadyToExecute::new(context))
        }
        Invariant::OneProcessorAtATime => {
            Box::new(one_processor_at_a_time::OneProcessorAtATime::new(context))
        }
        Invariant::JobsInOrder => Box::new(jobs_in_order::JobsInOrder::default()),
        Invariant::CompletedJobsReceivedTheirCost => {
            Box::new(completed_jobs_received_their_cost::CompletedJobsReceivedTheirCost)
        }
        Invariant::JobsStayInTheirCluster => {
            Box::new(jobs_stay_in_their_cluster::JobsStayInTheirCluster::new(context))
        }
        Invariant::MissesAreRecorded => Box::new(misses_are_recorded::MissesAreRecorded::default()),
        Invariant::OverheadsOccupyTheProcessor => {
            Box::new(overheads_occupy_the_processor::OverheadsOccupyTheProcessor)
        }
        Invariant::MutualExclusion => Box::new(mutual_exclusion::MutualExclusion::new(context)),
        Invariant::HoldersAreNotPreempted => {
            Box::new(holders_are_not_preempted::HoldersAreNotPreempted::new(context))
        }
        Invariant::GrantsAreFifo => Box::new(GrantsInOrder::new(Rule::Fifo)),
        Invariant::GrantsByBasePriority => Box::new(GrantsInOrder::new(Rule::ByBase)),
        Invariant::GrantsByPriority => Box::new(GrantsInOrder::new(Rule::ByEffective)),
        Invariant::RequestsAreNeverDenied => Box::new(requests_are_never_denied::RequestsAreNeverDenied),
        Invariant::RetriesAreBounded => Box::new(retries_are_bounded::RetriesAreBounded::new(context)),
        Invariant::NoDeadlock => Box::new(no_deadlock::NoDeadlock::new(context)),
        Invariant::BlockedAtMostOnce => Box::new(blocked_at_most_once::BlockedAtMostOnce::default()),
        Invariant::WorkConserving => {
            return Judged::ByLinks(ClusterRule::new(context, work_conserving::judge));
        }
        Invariant::RespectsPriority => {
            return Judged::ByLinks(ClusterRule::new(context, respects_priority::judge));
        }
        Invariant::NonPreemptive => Box::new(non_preemptive::NonPreemptive::default()),
        Invariant::UnusedQuantaAreWasted => {
            Box::new(unused_quanta_are_wasted::UnusedQuantaAreWasted::new(context))
        }
        Invariant::PiecesAreKept => Box::new(pieces_are_kept::PiecesAreKept::new(context)),
        Invariant::ServersKeepTheirBudgets => {
            Box::new(servers_keep_their_budgets::ServersKeepTheirBudgets::new(context))
        }
        Invariant::Own(name) => panic!("{name} is the user's own: `Checker::also` takes it"),
    })
}

/// Results of a whole check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantChecks {
    /// One outcome for each invariant that was checked, in the order of [`Invariant::ALL`], the user's own last.
    pub outcomes: Vec<InvariantCheck>,
    /// Number of records that were judged.
    pub records: u64,
    /// Time at which records are missing, if any are: nothing from there on is judged.
    pub lost_at: Option<Instant>,
    /// True if the trace has the record of its end.
    pub ended: bool,
}

impl InvariantChecks {
    /// True if nothing was violated.
    pub fn holds(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.found.count == 0)
    }
}

/// An invariant that is checked.
struct Asked {
    invariant: Invariant,
    judged: Judged,
    found: Violations,
}

/// Runs predicates over the records that it is given.
pub struct Checker {
    scene: Scene,
    asked: Vec<Asked>,
    /// By the number of a record's kind: the checked invariants that it concerns. Known once a record of the kind was
    /// seen.
    concerned: Vec<Option<Vec<usize>>>,
    /// Links of clusters, if some of the checked invariants are judged by them.
    links: Option<Links>,
    records: u64,
    lost_at: Option<Instant>,
    ended: bool,
}

impl Checker {
    /// Checks the invariants of every trace, and those that the context's scheduler promises.
    pub fn new(context: &Context) -> Self {
        let asked = |invariant: &&Invariant| {
            Invariant::UNIVERSAL.contains(invariant) || context.promises.contains(invariant)
        };
        let wanted: Vec<Invariant> = Invariant::ALL.iter().filter(asked).copied().collect();
        Self::only(context, &wanted)
    }

    /// Checks `wanted` alone. Panics if one is the user's own: [`Checker::also`] takes those.
    pub fn only(context: &Context, wanted: &[Invariant]) -> Self {
        let asked = wanted.iter().map(|invariant| Asked {
            invariant: *invariant,
            judged: judged(*invariant, context),
            found: Violations::default(),
        });
        let asked: Vec<Asked> = asked.collect();
        let by_links = asked.iter().any(|asked| matches!(asked.judged, Judged::ByLinks(_)));
        Checker {
            scene: Scene::new(context),
            asked,
            concerned: Vec::new(),
            links: by_links.then(|| Links::new(context)),
            records: 0,
            lost_at: None,
            ended: false,
        }
    }

    /// Checks these invariants of the user's own, too.
    #[must_use]
    pub fn also(mut self, own: &[OwnInvariant], context: &Context) -> Self {
        self.asked.extend(own.iter().map(|own| Asked {
            invariant: Invariant::Own(own.name),
            judged: Judged::Alone((own.make)(context)),
            found: Violations::default(),
        }));
        self.concerned.clear();
        self
    }

    /// Returns the verdict on the records so far, as a whole trace.
    pub fn finish(mut self) -> InvariantChecks {
        // The last instant of a cut trace may lack records, so its links are not judged.
        let whole = self.ended && self.lost_at.is_none();
        if whole {
            self.instant_over();
        }
        let (scene, now) = (&self.scene, self.scene.now);
        for Asked { judged, found, .. } in &mut self.asked {
            match judged {
                Judged::Alone(predicate) => predicate.over(scene, whole, found),
                Judged::ByLinks(rule) => rule.over(now, whole, found),
            }
        }
        let outcome = |asked: Asked| InvariantCheck { invariant: asked.invariant, found: asked.found };
        InvariantChecks {
            outcomes: self.asked.into_iter().map(outcome).collect(),
            records: self.records,
            lost_at: self.lost_at,
            ended: self.ended,
        }
    }

    /// Judges the invariants after all records of the scene's instant have happened.
    fn instant_over(&mut self) {
        let scene = &self.scene;
        let changed = self.links.as_mut().map_or(&[][..], |links| links.changed(scene));
        for Asked { judged, found, .. } in &mut self.asked {
            match judged {
                Judged::Alone(predicate) => predicate.instant_over(scene, found),
                Judged::ByLinks(rule) => rule.instant_over(changed, scene.now, found),
            }
        }
    }

    /// Finds out which invariants a record of a new kind concerns.
    #[cold]
    fn learn(&mut self, record: &Record) {
        let kind = usize::from(record.kind());
        if kind >= self.concerned.len() {
            self.concerned.resize(kind + 1, None);
        }
        let concerns = |(index, asked): (usize, &Asked)| match &asked.judged {
            Judged::Alone(predicate) => predicate.concerns(record).then_some(index),
            Judged::ByLinks(_) => None,
        };
        self.concerned[kind] = Some(self.asked.iter().enumerate().filter_map(concerns).collect());
    }
}

impl Sink for Checker {
    fn record(&mut self, at: Instant, record: Record) {
        // What the machine did is no instant of the schedule.
        if let Record::Run(_) = record {
            return;
        }
        if let Record::Lost { .. } = record {
            self.lost_at = self.lost_at.or(Some(at));
        }
        self.ended |= record == Record::End;
        if self.lost_at.is_some() {
            return;
        }
        if at > self.scene.now && self.records > 0 {
            self.instant_over();
        }
        let kind = usize::from(record.kind());
        if self.concerned.get(kind).is_none_or(|concerned| concerned.is_none()) {
            self.learn(&record);
        }
        for index in self.concerned[kind].iter().flatten() {
            let Asked { judged, found, .. } = &mut self.asked[*index];
            if let Judged::Alone(predicate) = judged {
                predicate.see(&self.scene, at, &record, found);
            }
        }
        if let Some(links) = &mut self.links {
            links.see(&self.scene, &record);
        }
        self.records += 1;
        self.scene.apply(at, &record);
    }
}

/// Checks the invariants of [`Checker::new`] in one pass.
pub fn check(context: &Context, records: impl IntoIterator<Item = (Instant, Record)>) -> InvariantChecks {
    let mut checker = Checker::new(context);
    for (at, record) in records {
        checker.record(at, record);
    }
    checker.finish()
}
