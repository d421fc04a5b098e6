//! Questions with a protocol, answered by the one method that bounds its blocking.
//!
//! Under global EDF, see [`schedlab_analysis::blocking::global_edf`]. `fmlp-long` under P-EDF first tries to keep tasks
//! that share on one processor, where resources then follow the stack resource policy. If that is not proved, it places
//! them apart (see `fmlp` for the test).

use super::charges::{Charges, OF_LOCKS};
use super::error::{list, BatchError, QuestionError};
use super::{rank_by, Set};
use crate::prepare::access_costs::accessing;
use crate::prepare::catalog::Catalog;
use crate::prepare::lock_overheads::leaving;
use schedlab_analysis::blocking::response::Waiting;
use schedlab_analysis::blocking::{
    feed, global_edf, methods, pip, with_requests, Case, Locking, Method, Sections,
};
use schedlab_analysis::overheads::locks::{LockAccount, Locks, MachineCharges, Waits};
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Arrivals, Guarantee};
use schedlab_lock::{protocol_of, Protocol, ALL_PROTOCOLS};
use schedlab_lp_blocking::PROGRAMS;
use schedlab_model::{Duration, LockingClass, OverheadKind, Platform, Resource, Scheme, Statistic, Task};
use schedlab_policy::{Needs, Scheduler, Scope};
use schedlab_workload::placement::{
    place_together, Fit, Packing, PlacementOrder, PlacementWeight, TaskPlaces,
};
use std::borrow::Cow;

/// A question with a protocol.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    rule: Rule,
    protocol: Protocol,
    /// True if the sums as they were published are used, not those that are safe.
    published: bool,
    soft: bool,
    charges: Option<Charges>,
}

/// The rule that orders jobs.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// The task with the smallest key goes first.
    Ranked(fn(&Task) -> u64),
    /// The earliest deadline goes first, on each processor or on all of them.
    Deadline { is_global: bool },
}

impl Rule {
    /// Returns the rule of a scheduler; `None` if the bounds of batches do not cover it.
    fn of(scheduler: &Scheduler) -> Option<Rule> {
        let (class, is_global) = (scheduler.class(), scheduler.scope == Scope::Global);
        let suits = scheduler.is_preemptive() && scheduler.needs() == Needs::Nothing;
        if !suits || scheduler.scope == Scope::Clustered {
            return None;
        }
        let ranked = class.fixed_key().filter(|_| !is_global).map(Rule::Ranked);
        ranked.or(class.is_deadline().then_some(Rule::Deadline { is_global }))
    }
}

/// Suffix of the name of priority inheritance for its published sums.
const PUBLISHED: &str = "-published";

/// Returns the protocol that a word names, and whether it means the protocol's published sums.
pub(super) fn protocol_named(word: &str, catalog: &Catalog) -> Option<(Protocol, bool)> {
    match word.strip_suffix(PUBLISHED) {
        // Only the published sums of priority inheritance differ from the safe ones.
        Some(name) => catalog
            .protocol(name)
            .filter(|found| found.class == LockingClass::Inheritance)
            .map(|found| (found, true)),
        None => catalog.protocol(word).map(|found| (found, false)),
    }
}

/// Iterates over the words that [`protocol_named`] knows.
pub(super) fn protocol_words(catalog: &Catalog) -> impl Iterator<Item = String> + '_ {
    let published = catalog.protocols().filter(|one| one.class == LockingClass::Inheritance);
    let published = published.map(|one| format!("{}{PUBLISHED}", one.name));
    catalog.protocols().map(|one| one.name.to_owned()).chain(published)
}

/// Returns the stack resource policy.
fn stack() -> Protocol {
    let is_stack = |protocol: &&Protocol| protocol.class == LockingClass::Stack;
    *ALL_PROTOCOLS.iter().find(is_stack).expect("it is in the list")
}

impl Sharing {
    /// Reads the words that follow the guarantee. The flag beside `protocol` says whether its published sums are meant.
    pub(super) fn parse<'a>(
        scheduler: &Scheduler,
        (protocol, published): (Protocol, bool),
        guarantee: Result<Guarantee, QuestionError>,
        words: impl Iterator<Item = &'a str>,
        catalog: &Catalog,
    ) -> Result<Self, QuestionError> {
        let allowed = || {
            let known = catalog.schedulers().filter(|known| Rule::of(known).is_some());
            known.map(|known| known.name).collect::<Vec<_>>().join(", ")
        };
        let refused =
            || QuestionError::NotWithProtocols { scheduler: scheduler.name.clone(), allowed: allowed() };
        let rule = Rule::of(scheduler).ok_or_else(refused)?;
        let soft = guarantee? == Guarantee::Soft;
        let mut charges = None;
        for word in words {
            if !Charges::read(&mut charges, word, &scheduler.name, Some(OF_LOCKS), catalog)? {
                let overheads = list(catalog.overheads_names());
                return Err(QuestionError::Word { word: word.into(), overheads });
            }
        }
        let question = Sharing { rule, protocol, published, soft, charges };
        question.check()?;
        Ok(question)
    }

    fn is_global(&self) -> bool {
        matches!(self.rule, Rule::Deadline { is_global: true })
    }

    fn is_fmlp(&self) -> bool {
        matches!(self.protocol.class, LockingClass::FmlpShort | LockingClass::FmlpLong)
    }

    fn check(&self) -> Result<(), QuestionError> {
        let none = [Task::implicit(schedlab_model::Work::from_ns(1), Duration::from_ns(1))];
        let platform = Platform::partitioned(1);
        let scheduler = self.scheduler(&[0]);
        let case = self.case(&none, &platform, &scheduler, (&[], &[]));
        let is_known = match self.is_global() {
            true => self.is_fmlp() || self.shares_nothing() || self.protocol.class == LockingClass::LockFree,
            false => self.is_fmlp() || self.published || first(&case).is_some(),
        };
        if !is_known {
            return Err(QuestionError::Protocol(self.protocol.name.to_owned()));
        }
        self.charges.as_ref().map_or(Ok(()), |charges| self.access_is_known(charges))?;
        match &self.charges {
            Some(charges) if !self.locks_are_known(charges) => {
                Err(QuestionError::OverheadsOf(self.protocol.name.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Returns the cost of an access to an object that `tasks` tasks share, if the question names the kind of object.
    fn access(&self, charges: &Charges, tasks: usize) -> Option<Duration> {
        let scheme = self.scheme()?;
        charges.profile.access(charges.object?, scheme, self.statistic(), tasks)
    }

    /// Returns the scheme that the protocol stands for.
    fn scheme(&self) -> Option<Scheme> {
        Scheme::ALL.into_iter().find(|scheme| protocol_of(*scheme).name == self.protocol.name)
    }

    fn access_is_known(&self, charges: &Charges) -> Result<(), QuestionError> {
        match charges.object {
            Some(kind) if self.access(charges, 1).is_none() => Err(QuestionError::CostOfObject {
                protocol: self.protocol.name.to_owned(),
                kind: kind.name(),
                protocols: Scheme::ALL.map(|scheme| protocol_of(scheme).name).join(", "),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns by resource how many attempts one operation fails at most.
    fn fails(&self, resources: usize) -> Vec<u32> {
        let kind = self.charges.as_ref().and_then(|charges| charges.object);
        kind.map_or_else(Vec::new, |kind| vec![kind.fails(); resources])
    }

    /// Returns the tasks with accesses that cost what the overheads state for the objects.
    fn with_accesses<'a>(&self, tasks: &'a [Task]) -> Cow<'a, [Task]> {
        let charges = self.charges.as_ref().filter(|charges| charges.object.is_some());
        let Some(charges) = charges else { return Cow::Borrowed(tasks) };
        let cost = |tasks| self.access(charges, tasks).expect("the question was accepted");
        Cow::Owned(accessing(tasks, |_, tasks| Some(cost(tasks))))
    }

    fn locks_are_known(&self, charges: &Charges) -> bool {
        let charged = charges.of(self.protocol.name);
        let mut unknown = charged.unknown(self.statistic());
        let covered = self.is_fmlp() || Locks::of_class(self.protocol.class, Duration::ZERO).is_some();
        self.shares_nothing()
            || charges.objects_alone
            || self.protocol.class == LockingClass::LockFree
            || (covered
                && !unknown.any(|kind| matches!(kind, OverheadKind::LockAcquire | OverheadKind::LockRelease)))
    }

    /// True if the tasks are judged as if they shared nothing: operations on wait-free objects delay no other job.
    fn shares_nothing(&self) -> bool {
        self.protocol.is_none() || self.protocol.class == LockingClass::WaitFree
    }

    /// Returns a bound on the tardiness of all tasks, zero if no deadline is missed; `None` if nothing is proved.
    pub(super) fn tardiness(&self, set: Set<'_>) -> Result<Option<Duration>, BatchError> {
        let tasks = self.with_accesses(set.tasks);
        let set = Set { tasks: &tasks, ..set };
        if self.is_global() {
            return Ok(self.global(set));
        }
        let proved = match self.protocol.class == LockingClass::FmlpLong {
            true => self.long_partitioned(set)?,
            false => self.apart(set)?,
        };
        Ok(proved.then_some(Duration::ZERO))
    }

    /// True if the tasks are proved together by the stack resource policy, or else apart.
    fn long_partitioned(&self, set: Set<'_>) -> Result<bool, BatchError> {
        let together = place_together(set.tasks, set.processors, |_| true)?;
        if together.fits() {
            let local = Sharing { protocol: stack(), ..self.clone() };
            let stacked =
                Locks { waits: Waits::Stacks, groups: false, leaving: Duration::ZERO, ..self.locks() };
            if local.placed(set, &together, stacked) {
                return Ok(true);
            }
        }
        self.apart(set)
    }

    /// True if the tasks are proved as worst fit by decreasing utilization places them.
    fn apart(&self, set: Set<'_>) -> Result<bool, BatchError> {
        let packing = Packing {
            fit: Fit::Worst,
            order: PlacementOrder::Decreasing(PlacementWeight::Utilization),
            ..Packing::default()
        };
        Ok(self.placed(set, &packing.place(set.tasks, set.processors)?, self.locks()))
    }

    fn placed(&self, set: Set<'_>, placement: &TaskPlaces, locks: Locks) -> bool {
        if !placement.fits() {
            return false;
        }
        let platform = Platform::partitioned(set.processors);
        let mut tasks = set.tasks.to_vec();
        placement.assign(&mut tasks);
        if self.shares_nothing() {
            tasks.iter_mut().for_each(|task| task.program.clear());
        }
        let Some(tasks) = self.with_overheads(tasks, &platform, locks) else { return false };
        self.is_proved(&tasks, set.resources, &platform)
    }

    fn is_proved(&self, tasks: &[Task], resources: &[Resource], platform: &Platform) -> bool {
        let ranks = self.ranks(tasks);
        let scheduler = self.scheduler(&ranks);
        let fails = self.fails(resources.len());
        let case = self.case(tasks, platform, &scheduler, (resources, &fails));
        if !self.published {
            return found(&case);
        }
        case.sharing(Sections::Flat).is_ok_and(|sharing| {
            feed::response_times(&sharing, Waiting::Suspends, &pip::bounds(&sharing)).met.is_ok()
        })
    }

    fn global(&self, set: Set<'_>) -> Option<Duration> {
        let found = self.global_alone(set);
        let is_published = self.charges.as_ref().is_some_and(|charges| charges.as_published);
        if found.is_none() && self.soft && !is_published {
            // Jobs that meet their deadlines wait and repeat less than jobs whose tardiness is to be bounded.
            return Sharing { soft: false, ..self.clone() }.global_alone(set);
        }
        found
    }

    /// Returns the bound on tardiness for this guarantee alone.
    fn global_alone(&self, set: Set<'_>) -> Option<Duration> {
        let platform = Platform::global(set.processors);
        let locks = self.locks();
        let tasks = self.with_overheads(set.tasks.to_vec(), &platform, locks)?;
        let scheduler = self.scheduler(&[]);
        let fails = self.fails(set.resources.len());
        let case = self.case(&tasks, &platform, &scheduler, (set.resources, &fails));
        if self.shares_nothing() {
            let alone: Vec<Task> = tasks.iter().map(|task| with_requests(task, |_| false)).collect();
            return global_edf::tardiness_alone(&case, &alone, self.soft);
        }
        global_edf::tardiness(&case, self.soft)
    }

    fn scheduler<'a>(&self, ranks: &'a [u32]) -> AnalysedScheduler<'a> {
        let order = match self.rule {
            Rule::Ranked(_) => AnalysedOrder::FixedPriority,
            Rule::Deadline { .. } => AnalysedOrder::Edf,
        };
        AnalysedScheduler { order, ranks, arrivals: Arrivals::Sporadic, ..AnalysedScheduler::EDF }
    }

    /// Ranks tasks by the order's key, ties by task; empty if priorities are not fixed.
    fn ranks(&self, tasks: &[Task]) -> Vec<u32> {
        let Rule::Ranked(key) = self.rule else { return Vec::new() };
        let mut ranks = Vec::new();
        rank_by(key, tasks, &mut Vec::new(), &mut ranks);
        ranks
    }

    fn case<'a>(
        &'a self,
        tasks: &'a [Task],
        platform: &'a Platform,
        scheduler: &'a AnalysedScheduler<'a>,
        (resources, fails): (&'a [Resource], &'a [u32]),
    ) -> Case<'a> {
        // Without requests any class of method will do.
        let class = if self.shares_nothing() { LockingClass::NonPreemptive } else { self.protocol.class };
        let locking = Locking {
            protocol: self.protocol.name,
            class,
            resources,
            short: &[],
            attempts: &[],
            fails,
            mutexes: &[],
        };
        Case { tasks, platform, scheduler, locking }
    }

    fn statistic(&self) -> Statistic {
        if self.soft {
            Statistic::Mean
        } else {
            Statistic::Max
        }
    }

    /// Returns how the protocol's locks enter the accounting of overheads.
    fn locks(&self) -> Locks {
        let account = match &self.charges {
            Some(Charges { as_published: true, .. }) => LockAccount::AsIn2008,
            Some(Charges { as_published: false, .. }) | None => LockAccount::Safe,
        };
        let spins = Locks { account, waits: Waits::Spins, groups: true, leaving: self.leaving() };
        let of_class = Locks::of_class(self.protocol.class, self.leaving());
        of_class.map_or(spins, |locks| Locks { account, ..locks })
    }

    /// Returns the time to leave a non-preemptive section when a preemption was delayed.
    fn leaving(&self) -> Duration {
        let all = self.charges.as_ref().filter(|charges| !charges.locks_alone && !charges.objects_alone);
        all.and_then(|charges| leaving(&charges.profile, self.statistic())).unwrap_or_default()
    }

    /// Returns the tasks with overheads; `None` if these leave no room.
    fn with_overheads(&self, tasks: Vec<Task>, platform: &Platform, locks: Locks) -> Option<Vec<Task>> {
        let Some(charges) = self.charges.as_ref().filter(|charges| !charges.objects_alone) else {
            return Some(tasks);
        };
        let charged = charges.of(self.protocol.name);
        let machine = MachineCharges { platform, overheads: &charged.overheads, statistic: self.statistic() };
        machine.inflate(&tasks, locks).ok()
    }
}

fn found(case: &Case<'_>) -> bool {
    let Some(method) = first(case) else { return false };
    case.refusal().is_none()
        && case.sharing(method.sections).is_ok_and(|sharing| (method.judge)(case, &sharing).met.is_ok())
}

/// Returns the method that batches ask: a linear program only if the protocol has no other bound.
fn first(case: &Case<'_>) -> Option<&'static Method> {
    methods::heard(case, PROGRAMS).next()
}

#[cfg(test)]
mod tests;
