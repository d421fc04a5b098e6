//! Questions without a protocol: tests of independent tasks, after any placement.
//!
//! Pfair schedulers have a quantum of 1 ms, unless the question names another. Section 4.2 of litmus-rt-2006: costs are
//! rounded up to quanta once overheads are included, and the weights may add up to m. For hard guarantees that paper
//! takes a quantum from every period under staggered quanta; here every task loses the slots that its own numbers
//! demand (`Share::guaranteed`), none where quanta are aligned and periods whole quanta. With the word `less-a-quantum`
//! the paper's rule is asked instead. It is safe where arrivals are at quantum boundaries; elsewhere a job may wait for
//! a part of a quantum more, which the rule does not count.
//!
//! Overheads have their largest values for both guarantees, as in that paper. Under Pfair they are charged as the
//! simulator does, or as published, which is no safe bound ([`Charging::PfairAsPublished`]). Under partitioned
//! schedulers they are included before tasks are placed, as if all of them shared a processor; under clustered ones, as
//! if all of them shared a cluster.

mod rule;

use super::charges::{Charges, OF_PFAIR};
use super::error::{list, BatchError, QuestionError};
use super::{rank_by, Set};
use crate::charge::{Charging, Group, Taken};
use crate::prepare::catalog::Catalog;
use crate::prepare::scheduler::{theorem_order, theorem_ranks};
use rule::{is_for_batches, is_of_shipped_order, Rule};
use schedlab_analysis::decide::{decide, Scratch};
use schedlab_analysis::overheads::pfair::Continuity;
use schedlab_analysis::registry::{self, TESTS};
use schedlab_analysis::uniprocessor::edf_utilization;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Answer, Arrivals, Guarantee, System, Test};
use schedlab_model::{Duration, OrderClass, Platform, Point, Statistic, Task, TaskId, Work};
use schedlab_policy::{Scheduler, Scope};
use schedlab_scenario::duration;
use schedlab_workload::placement::{
    Fit, FitBound, Packer, Packing, Pin, PlacementOrder, PlacementWays, PlacementWeight, TaskPlaces,
};

/// Prefix of the length of quanta, in place of the platform's.
const QUANTUM: &str = "quantum=";
/// The hard rule of litmus-rt-2006 for staggered quanta, in place of ours.
const LESS_A_QUANTUM: &str = "less-a-quantum";
/// Prefix of the number of processors of each cluster.
const CLUSTER: &str = "cluster=";

/// A question without a protocol.
#[derive(Clone, Debug)]
pub(super) struct Independent {
    guarantee: Guarantee,
    scope: Scope,
    /// Number of processors of each cluster; `None` unless the scheduler is clustered.
    cluster: Option<u16>,
    rule: Rule,
    preemptive: bool,
    /// Time that every period and relative deadline is shortened by.
    shortened: Duration,
    tests: Vec<&'static Test>,
    /// The packing that the question names. If it names none, worst fit by decreasing utilization or, if that is not
    /// proved, first fit by decreasing utilization with the tests at each step.
    packing: Option<Packing>,
    /// The overheads, and whether they are accounted for as published for Pfair schedulers.
    overheads: Option<(Taken, bool)>,
}

impl Independent {
    /// Reads the words that follow the guarantee.
    pub(super) fn parse<'a>(
        scheduler: &Scheduler,
        guarantee: Result<Guarantee, QuestionError>,
        words: impl Iterator<Item = &'a str>,
        catalog: &Catalog,
    ) -> Result<Self, QuestionError> {
        if !is_for_batches(scheduler) {
            let others = catalog.schedulers().filter(|one| is_for_batches(one) && !is_of_shipped_order(one));
            let others = list(others.map(|one| one.name));
            return Err(QuestionError::NotForBatches { scheduler: scheduler.name.clone(), others });
        }
        let guarantee = guarantee?;
        let mut rule = Rule::of(scheduler, guarantee);
        let (mut quantum, mut cluster, mut less_a_quantum) = (None, None, false);
        let preemptive = matches!(rule, Rule::Pfair(_)) || scheduler.is_preemptive();
        let account = matches!(rule, Rule::Pfair(_)).then_some(OF_PFAIR);
        let (mut tests, mut packing, mut charges) = (Vec::new(), None, None);
        for word in words {
            if Charges::read(&mut charges, word, &scheduler.name, account, catalog)? {
                continue;
            }
            if let Some(length) = word.strip_prefix(QUANTUM) {
                let refused = || QuestionError::Quantum(word.into());
                let length = duration(length).ok().filter(|length| *length > Duration::ZERO);
                let length = length.filter(|_| quantum.is_none()).ok_or_else(refused)?;
                let Rule::Pfair(quanta) = &mut rule else { return Err(refused()) };
                quanta.length = length;
                quantum = Some(length);
                continue;
            }
            if word == LESS_A_QUANTUM {
                rule.shorten_all()?;
                less_a_quantum = true;
                continue;
            }
            if let Some(size) = word.strip_prefix(CLUSTER) {
                let size = size.parse().ok().filter(|size| *size > 0);
                let is_free = scheduler.scope == Scope::Clustered && cluster.is_none();
                let size = size.filter(|_| is_free).ok_or_else(|| QuestionError::Cluster(word.into()))?;
                cluster = Some(size);
                continue;
            }
            match (test_named(word, catalog), word.parse::<Packing>()) {
                (Some(test), _) => tests.push(test),
                (None, Ok(named)) if scheduler.scope != Scope::Global && packing.is_none() => {
                    packing = Some(named);
                }
                (None, _) => {
                    return Err(QuestionError::Test {
                        word: word.into(),
                        tests: list(tests_of(catalog).map(|test| test.name)),
                        overheads: list(catalog.overheads_names()),
                    })
                }
            }
        }
        if scheduler.scope == Scope::Clustered && cluster.is_none() {
            return Err(QuestionError::NoCluster(scheduler.name.clone()));
        }
        // Of shortened tasks it is asked whether their weights fit, as for bounded tardiness.
        let guarantee = if less_a_quantum { Guarantee::Soft } else { guarantee };
        let shortened = if less_a_quantum { rule.quantum() } else { Duration::ZERO };
        let named = tests.clone();
        if tests.is_empty() {
            tests = TESTS.iter().chain(catalog.added_tests()).copied().collect();
        }
        // Tests of the other guarantee are asked only if none of these decides: deadlines that are met bound tardiness,
        // and a bound of no tardiness proves deadlines.
        tests.sort_by_key(|test| test.guarantee != guarantee);
        let overheads = charges.map(|charges| {
            let whole = charges.of(schedlab_lock::NONE).overheads;
            (Taken::new(whole, preemptive), charges.as_published)
        });
        let scope = scheduler.scope;
        let question =
            Independent { guarantee, scope, cluster, rule, preemptive, shortened, tests, packing, overheads };
        question.check_speaks(&named, &scheduler.name, catalog)?;
        Ok(question)
    }

    /// Refuses overheads that no test accounts for, and tests that are not about this scheduler on its processors.
    fn check_speaks(
        &self,
        named: &[&'static Test],
        scheduler: &str,
        catalog: &Catalog,
    ) -> Result<(), QuestionError> {
        if self.overheads.is_some() && self.rule.plans() {
            return Err(QuestionError::Planned(scheduler.to_owned()));
        }
        let any = [Task::implicit(Work::from_ns(1), Duration::from_ns(2))];
        let processors = self.group(2);
        let (mut order, mut ranks, mut points) = (Vec::new(), Vec::new(), Vec::new());
        self.rank(&any, processors, &mut order, (&mut ranks, &mut points));
        let analysed = self.analysed(&ranks, &points);
        let system = System::global(&any, processors.into(), &analysed).expect("it can be analysed");
        let Some(silent) = named.iter().find(|test| !(test.applies)(&system)) else { return Ok(()) };
        Err(QuestionError::Silent {
            test: silent.name,
            scheduler: scheduler.into(),
            machine: if processors == 1 { "one processor" } else { "several processors" },
            tests: list(tests_of(catalog).filter(|test| (test.applies)(&system)).map(|test| test.name)),
        })
    }

    /// True if clusters of the question's size share out this many processors.
    pub(super) fn suits(&self, processors: u16) -> bool {
        self.cluster.is_none_or(|size| processors % size == 0)
    }

    /// Returns the number of processors that share a ready queue.
    fn group(&self, processors: u16) -> u16 {
        match self.scope {
            Scope::Global => processors,
            Scope::Clustered => self.cluster.expect("the question was accepted"),
            Scope::Partitioned => 1,
        }
    }
}

/// True if the guarantee is proved for the tasks of each bin.
fn are_proved(
    bins: &[Vec<TaskId>],
    mut proves: impl FnMut(&[TaskId]) -> Result<bool, BatchError>,
) -> Result<bool, BatchError> {
    for bin in bins.iter().filter(|bin| !bin.is_empty()) {
        if !proves(bin)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns a test for packings that notes the first `failure` of `proves`, and accepts nothing then.
fn noting<'a>(
    mut proves: impl FnMut(&[TaskId]) -> Result<bool, BatchError> + 'a,
    failure: &'a mut Option<BatchError>,
) -> impl FnMut(&[TaskId]) -> bool + 'a {
    move |bin| {
        proves(bin).unwrap_or_else(|error| {
            failure.get_or_insert(error);
            false
        })
    }
}

/// Returns a packing that places the tasks of the largest utilization first.
fn by_decreasing_utilization(fit: Fit) -> Packing {
    Packing { fit, order: PlacementOrder::Decreasing(PlacementWeight::Utilization), ..Packing::default() }
}

/// Iterates over the tests that batches may ask, the added ones last.
fn tests_of(catalog: &Catalog) -> impl Iterator<Item = &'static Test> + '_ {
    TESTS.iter().copied().chain(catalog.added_tests().iter().copied())
}

/// Returns the test of this name, if batches may ask it.
fn test_named(name: &str, catalog: &Catalog) -> Option<&'static Test> {
    let added = || catalog.added_tests().iter().copied().find(|test| test.name == name);
    registry::find(name).or_else(added)
}

/// Memory that is reused from one set to the next.
#[derive(Clone, Debug)]
pub struct Workspace {
    packer: Packer,
    system: System,
    scratch: Scratch,
    unshared: Vec<Task>,
    inflated: Vec<Task>,
    order: Vec<TaskId>,
    ranks: Vec<u32>,
    points: Vec<Point>,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace {
            packer: Packer::default(),
            system: System::empty(),
            scratch: Scratch::default(),
            unshared: Vec::new(),
            inflated: Vec::new(),
            order: Vec::new(),
            ranks: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl Independent {
    /// True if the guarantee is proved for `set`, as if nothing were shared.
    pub(super) fn is_proved(&self, set: Set<'_>, workspace: &mut Workspace) -> Result<bool, BatchError> {
        let Workspace { packer, system, scratch, unshared, inflated, order, ranks, points } = workspace;
        let Set { mut tasks, processors, .. } = set;
        if tasks.iter().any(|task| !task.program.is_empty()) {
            unshared.clear();
            unshared.extend(tasks.iter().map(|task| Task { program: Vec::new(), ..task.clone() }));
            tasks = unshared;
        }
        self.rank(tasks, processors, order, (ranks, points));
        let scheduler = self.analysed(ranks, points);
        let Some(tasks) = self.with_overheads(tasks, processors, inflated) else { return Ok(false) };
        if self.scope == Scope::Global {
            let ids = (0..tasks.len() as u32).map(TaskId);
            system.refill(tasks, ids, processors.into(), &scheduler, Duration::ZERO)?;
            return Ok(self.is_proved_for(system, scratch));
        }
        let group = self.group(processors);
        let mut proves = |bin: &[TaskId]| -> Result<bool, BatchError> {
            system.refill(tasks, bin.iter().copied(), group.into(), &scheduler, Duration::ZERO)?;
            Ok(self.is_proved_for(system, scratch))
        };
        let [spreading, filling] = [Fit::Worst, Fit::First].map(by_decreasing_utilization);
        // Clusters of one processor are placed as under a partitioned scheduler, which they are.
        if group > 1 {
            return self.is_proved_in_clusters(processors, tasks, spreading, &mut proves);
        }
        if let Some(packing) = &self.packing {
            let placement = packer.place(packing, tasks, processors)?;
            return self.is_proved_as_placed(packing, placement, tasks, &mut proves);
        }
        if self.fits_are_proofs(&filling, tasks) {
            // If fitting is a proof, first fit is seldom beaten, so it is tried first.
            let is_filled = packer.place(&filling, tasks, processors)?.fits();
            return Ok(is_filled || packer.place(&spreading, tasks, processors)?.fits());
        }
        let placement = packer.place(&spreading, tasks, processors)?;
        if self.is_proved_as_placed(&spreading, placement, tasks, &mut proves)? {
            return Ok(true);
        }
        let mut failure = None;
        let fits =
            packer.place_tested(&filling, tasks, processors, noting(&mut proves, &mut failure))?.fits();
        failure.map_or(Ok(fits), Err)
    }

    /// True if the guarantee is proved for each cluster. Tasks are placed as in a scenario with the question's packing,
    /// or else with `spreading`: on single processors, or where that leaves a task over in clusters as wholes.
    fn is_proved_in_clusters(
        &self,
        processors: u16,
        tasks: &[Task],
        spreading: Packing,
        mut proves: impl FnMut(&[TaskId]) -> Result<bool, BatchError>,
    ) -> Result<bool, BatchError> {
        let size = self.group(processors);
        if !self.suits(processors) {
            return Err(BatchError::Clusters { size, processors });
        }
        let (platform, pins) = (Platform::clustered(processors, size), vec![Pin::Free; tasks.len()]);
        let named = self.packing.unwrap_or(spreading);
        let ways = PlacementWays { named, filling: None, whole: true };
        let found = ways.place(tasks, &platform, &pins)?;
        Ok(found.placed.fits() && are_proved(&found.by_cluster(&platform), &mut proves)?)
    }

    /// True if the guarantee is proved for each processor with the tasks that were placed there.
    fn is_proved_as_placed(
        &self,
        packing: &Packing,
        placement: &TaskPlaces,
        tasks: &[Task],
        mut proves: impl FnMut(&[TaskId]) -> Result<bool, BatchError>,
    ) -> Result<bool, BatchError> {
        if !placement.fits() || self.fits_are_proofs(packing, tasks) {
            return Ok(placement.fits());
        }
        are_proved(&placement.bins, &mut proves)
    }

    /// True if a task set placed by exact utilizations needs no further test.
    fn fits_are_proofs(&self, packing: &Packing, tasks: &[Task]) -> bool {
        matches!(self.rule, Rule::Ordered(OrderClass::Deadline))
            && self.preemptive
            && packing.weight == PlacementWeight::Utilization
            && packing.fit_bound == FitBound::default()
            && edf_utilization::fitting_is_enough(&self.tests, tasks)
    }

    /// Returns the tasks with overheads, shortened if the question says so; `None` if these leave no room.
    fn with_overheads<'a>(
        &self,
        tasks: &'a [Task],
        processors: u16,
        inflated: &'a mut Vec<Task>,
    ) -> Option<&'a [Task]> {
        if self.shortened.is_zero() {
            return self.charged(tasks, processors, inflated);
        }
        let mut whole = Vec::new();
        inflated.clear();
        inflated.extend_from_slice(self.charged(tasks, processors, &mut whole)?);
        for task in inflated.iter_mut() {
            let less = |length: Duration| {
                let left = length.as_ns().checked_sub(self.shortened.as_ns());
                left.filter(|left| *left > 0).map(Duration::from_ns)
            };
            (task.period, task.relative_deadline) = (less(task.period)?, less(task.relative_deadline)?);
        }
        Some(inflated)
    }

    /// Returns the tasks with overheads; `None` if these leave no room.
    fn charged<'a>(
        &self,
        tasks: &'a [Task],
        processors: u16,
        inflated: &'a mut Vec<Task>,
    ) -> Option<&'a [Task]> {
        let Some((taken, as_published)) = &self.overheads else { return Some(tasks) };
        let group = Group {
            overheads: taken.by(tasks),
            statistic: Statistic::Max,
            quantum: self.rule.quantum(),
            processors: self.group(processors).into(),
            machine_tasks: tasks.len(),
            polled: Duration::ZERO,
        };
        let charging = match self.rule {
            Rule::Pfair(_) if *as_published => Charging::PfairAsPublished,
            Rule::Pfair(quanta) if quanta.staggered => Charging::Pfair(Continuity::StaysStaggered),
            Rule::Pfair(_) => Charging::Pfair(Continuity::Stays),
            Rule::Ordered(_) => Charging::Jobs,
        };
        group.charge(tasks, charging, inflated).ok()?;
        Some(inflated)
    }

    /// Returns the scheduler as tests know it.
    fn analysed<'a>(&self, ranks: &'a [u32], points: &'a [Point]) -> AnalysedScheduler<'a> {
        let (order, arrivals) = match self.rule {
            Rule::Ordered(OrderClass::Deadline) => (AnalysedOrder::Edf, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::AfterArrival(_)) => (AnalysedOrder::AfterArrival, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::Fixed(_)) => (AnalysedOrder::FixedPriority, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::FixedOpenTies(_)) => {
                (AnalysedOrder::FixedPriorityOpenTies, Arrivals::Sporadic)
            }
            Rule::Ordered(OrderClass::Theorem(theorem)) => {
                let arrivals =
                    if theorem.is_for_periodic() { Arrivals::Periodic } else { Arrivals::Sporadic };
                (theorem_order(theorem), arrivals)
            }
            Rule::Ordered(OrderClass::Unanalysed | OrderClass::Pfair { .. }) => {
                (AnalysedOrder::Unanalysed, Arrivals::Sporadic)
            }
            Rule::Pfair(quanta) => (AnalysedOrder::Pfair(quanta), Arrivals::Periodic),
        };
        AnalysedScheduler { order, preemptive: self.preemptive, ranks, points, arrivals }
    }

    fn is_proved_for(&self, system: &System, scratch: &mut Scratch) -> bool {
        decide(&self.tests, self.guarantee, system, scratch) == Answer::Schedulable
    }

    /// Computes ranks under fixed priorities, ties by task, and priority points after the arrival; else leaves both
    /// empty.
    fn rank(
        &self,
        tasks: &[Task],
        processors: u16,
        order: &mut Vec<TaskId>,
        (ranks, points): (&mut Vec<u32>, &mut Vec<Point>),
    ) {
        ranks.clear();
        points.clear();
        match self.rule {
            Rule::Ordered(OrderClass::Fixed(key) | OrderClass::FixedOpenTies(key)) => {
                rank_by(key, tasks, order, ranks);
            }
            Rule::Ordered(OrderClass::AfterArrival(after)) => {
                let processors = self.group(processors).into();
                points.extend(tasks.iter().map(|task| after(task, processors)));
            }
            Rule::Ordered(OrderClass::Theorem(theorem)) => {
                let processors = self.group(processors).into();
                ranks.extend(theorem_ranks(theorem, tasks, |_| processors));
            }
            Rule::Ordered(OrderClass::Deadline | OrderClass::Unanalysed) => {}
            Rule::Ordered(OrderClass::Pfair { .. }) | Rule::Pfair(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
