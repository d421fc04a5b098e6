//! One question asked of every set of a batch.
//!
//! Pfair schedulers have the platform's quantum of 1 ms. Section 4.2 of litmus-rt-2006: costs are rounded up to quanta once
//! overheads are included, and the weights may add up to m. For hard guarantees that paper takes a quantum from
//! every period under staggered quanta; here every task loses the slots that its own numbers demand
//! (`Share::guaranteed`), none where quanta are aligned and periods whole quanta.
//!
//! Overheads have their largest values for both guarantees, as in that paper. Under Pfair they are charged as the simulator
//! does, or as published, which is no promise ([`pfair::published`]). Under partitioned schedulers they are
//! included before tasks are placed, as if all of them shared a processor.

use super::BatchError;
use crate::catalog::Catalog;
use core::str::FromStr;
use schedlab_analysis::decide::Scratch;
use schedlab_analysis::overheads::jlfp::{Accounting, Inflation};
use schedlab_analysis::overheads::pfair::Continuity;
use schedlab_analysis::overheads::{jlfp, pfair};
use schedlab_analysis::registry::{self, TESTS};
use schedlab_analysis::{uniprocessor, Arrivals, Guarantee, Order, Quanta, Scheduler, System, Test};
use schedlab_model::{
    Alignment, Cost, Duration, OrderClass, OverheadKind, Overheads, Platform, Point, Statistic, Suspension,
    Task, TaskId,
};
use schedlab_policy::{
    all_schedulers, find, Make, Needs, Scheduler as Named, Scope, UnknownScheduler, ALL_ORDERS,
};
use schedlab_scenario::{duration, shipped_names};
use schedlab_workload::generate::Drawn;
use schedlab_workload::placement::{self, FitBound, Packer, Packing};

/// The word for the published accounting of a Pfair scheduler's overheads.
const PUBLISHED: &str = "published";

/// What comes before the length of every reload, where that is another than the overheads say.
const RELOAD: &str = "reload=";

/// A question asked of every task set.
#[derive(Clone, Debug)]
pub struct Question {
    scope: Scope,
    rule: Rule,
    preemptive: bool,
    tests: Vec<&'static Test>,
    packing: Packing,
    overheads: Option<Charged>,
}

/// What the machine takes for itself.
#[derive(Clone, Debug)]
struct Charged {
    whole: Overheads,
    /// Of jobs that nothing takes off their processor, if no scheduler does.
    unpreempted: Option<Overheads>,
    /// By the published accounting for Pfair schedulers, which is no promise.
    published: bool,
    /// All reloads take so long, whatever `whole` was made of.
    reload: Option<Duration>,
}

/// Which job goes first.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// As the class of its order says.
    Ordered(OrderClass),
    Pfair(Quanta),
}

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// The first word is no scheduler; the text says what is.
    #[error("{0}")]
    Scheduler(String),
    /// This scheduler's clusters or priorities are not determined by the task set alone.
    #[error(
        "{0}: allowed are P- and G- with {orders}, with N or without, and {others}",
        orders = stated_orders(),
        others = others()
    )]
    NotForBatches(String),
    /// The second word is neither `hard` nor `soft`.
    #[error("unknown guarantee \"{0}\"; allowed: hard, soft")]
    Guarantee(String),
    /// A further word is no test of this guarantee.
    #[error(
        "\"{0}\" is no test of this guarantee; tests are {tests}; overheads are {overheads}; placements, of P- only and \
         one at most, are such as worst_fit_decreasing",
        tests = TESTS.iter().map(|test| test.name).collect::<Vec<_>>().join(", "),
        overheads = shipped_names().collect::<Vec<_>>().join(", ")
    )]
    Test(String),
    /// No bound is known for this locking protocol under the scheduler.
    #[error("\"{0}\": no batch bounds blocking of this protocol under this scheduler")]
    Protocol(String),
    /// The length of a reload is none, or stands where there are no overheads.
    #[error("\"{0}\": a length such as reload=300us stands once, after the overheads")]
    Reload(String),
    /// There are no overheads of this name, or too many words.
    #[error("\"{0}\" names no overheads, or follows them")]
    Overheads(String),
    /// The word for the published accounting, where it says nothing.
    #[error("\"published\" stands once, after the overheads of a Pfair scheduler")]
    Published,
    /// The overheads do not say what this protocol's locks take.
    #[error("\"{0}\": the overheads do not say what its requests take; allowed: those that do, or none")]
    OverheadsOf(String),
}

/// The orders that need no more than the task set.
fn stated_orders() -> String {
    let stated = ALL_ORDERS.iter().filter(|order| order.needs == Needs::Nothing);
    stated.map(|order| order.name).collect::<Vec<_>>().join(", ")
}

/// The schedulers that are no order with a letter before it.
fn others() -> String {
    let others = all_schedulers().into_iter().filter(|one| matches!(one.make, Make::Other(_)));
    others.map(|one| one.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Question {
    type Err = QuestionError;

    /// Reads a question that names shipped entries only.
    fn from_str(text: &str) -> Result<Self, QuestionError> {
        Question::parse(text, &Catalog::shipped())
    }
}

impl Question {
    /// Reads a question, which may name what `catalog` has.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Self, QuestionError> {
        let mut words = text.split_whitespace();
        let scheduler = named(words.next().unwrap_or_default(), catalog)?;
        let guarantee = words.next().unwrap_or_default();
        let (rule, preemptive) = rule(&scheduler, guarantee)
            .ok_or_else(|| QuestionError::NotForBatches(scheduler.name.clone()))?;
        let guarantee = match guarantee {
            "hard" => Guarantee::Hard,
            "soft" => Guarantee::Soft,
            other => return Err(QuestionError::Guarantee(other.into())),
        };
        // Deadlines that are met bound tardiness too.
        let helps = |test: &&'static Test| guarantee == Guarantee::Soft || test.guarantee == Guarantee::Hard;
        let (mut tests, mut packing, mut overheads) = (Vec::new(), None, None::<Charged>);
        for word in words {
            if refine(word, rule, overheads.as_mut())? {
                continue;
            }
            match (test_named(word, catalog).filter(helps), word.parse::<Packing>()) {
                (Some(test), _) => tests.push(test),
                (None, Ok(named)) if scheduler.scope == Scope::Partitioned && packing.is_none() => {
                    packing = Some(named);
                }
                (None, _) => {
                    let whole = charged(word, &scheduler.name, overheads.is_some(), catalog)?;
                    overheads = Some(Charged { whole, unpreempted: None, reload: None, published: false });
                }
            }
        }
        if tests.is_empty() {
            tests = TESTS.iter().chain(catalog.added_tests()).copied().filter(helps).collect();
            // Of a soft guarantee, a bound on tardiness is quick to find and hardly ever missing; one proof is enough.
            tests.sort_by_key(|test| test.guarantee != guarantee);
        }
        let packing = packing.unwrap_or(Packing {
            order: placement::Order::Decreasing(placement::Weight::Utilization),
            ..Packing::default()
        });
        let overheads = overheads.map(|charged| Charged {
            unpreempted: (!preemptive).then(|| jlfp::without_reloads(&charged.whole)),
            ..charged
        });
        Ok(Question { scope: scheduler.scope, rule, preemptive, tests, packing, overheads })
    }
}

/// Takes `word` if it says how the overheads before it are charged.
fn refine(word: &str, rule: Rule, charged: Option<&mut Charged>) -> Result<bool, QuestionError> {
    if word == PUBLISHED {
        let charged = charged.filter(|charged| !charged.published && matches!(rule, Rule::Pfair(_)));
        charged.ok_or(QuestionError::Published)?.published = true;
        return Ok(true);
    }
    let Some(length) = word.strip_prefix(RELOAD) else { return Ok(false) };
    let refused = || QuestionError::Reload(word.into());
    let length = duration(length).map_err(|_| refused())?;
    let charged = charged.filter(|charged| charged.reload.is_none()).ok_or_else(refused)?;
    charged.reload = Some(length);
    for kind in [OverheadKind::CacheRelatedPreemption, OverheadKind::CacheRelatedMigration] {
        charged.whole.set(kind, Cost::Constant(length).into());
    }
    Ok(true)
}

/// Which job goes first under `scheduler`, and whether jobs give way; `None` if the task set alone does not say.
fn rule(scheduler: &Named, guarantee: &str) -> Option<(Rule, bool)> {
    if let OrderClass::Pfair { .. } = scheduler.class {
        let rule = Rule::Pfair(Quanta {
            length: Platform::DEFAULT_QUANTUM,
            staggered: scheduler.quanta == Some(Alignment::Staggered),
            guaranteed: guarantee == "hard",
        });
        return Some((rule, true));
    }
    is_for_batches(scheduler).then_some((Rule::Ordered(scheduler.class), scheduler.is_preemptive()))
}

/// Whether the task set alone says who goes first: drawn tasks state no priorities, and no clusters are given.
fn is_for_batches(scheduler: &Named) -> bool {
    scheduler.scope != Scope::Clustered && scheduler.needs() == Needs::Nothing
}

/// The test of this name, if batches may ask it.
fn test_named(name: &str, catalog: &Catalog) -> Option<&'static Test> {
    let added = || catalog.added_tests().iter().copied().find(|test| test.name == name);
    registry::find(name).or_else(added)
}

/// The scheduler of this name.
pub(crate) fn named(name: &str, catalog: &Catalog) -> Result<Named, QuestionError> {
    let unknown = |error: UnknownScheduler| QuestionError::Scheduler(error.to_string());
    catalog.scheduler(name).map_or_else(|| find(name).map_err(unknown), Ok)
}

/// The overheads that `word` names: a profile, or what a profile charges another scheduler.
fn charged(word: &str, scheduler: &str, twice: bool, catalog: &Catalog) -> Result<Overheads, QuestionError> {
    let (profile, scheduler) = word.split_once(':').unwrap_or((word, scheduler));
    match catalog.overheads(profile) {
        Some(_) if twice => Err(QuestionError::Overheads(word.into())),
        Some(profile) => {
            let scheduler = named(scheduler, catalog)?;
            Ok(profile.charged(&scheduler.name, schedlab_lock::NONE).overheads)
        }
        None => Err(QuestionError::Test(word.into())),
    }
}

/// Memory that serves one set after the other.
#[derive(Clone, Debug)]
pub struct Workspace {
    pub(super) drawn: Drawn,
    packer: Packer,
    system: System,
    scratch: Scratch,
    inflated: Vec<Task>,
    order: Vec<TaskId>,
    ranks: Vec<u32>,
    points: Vec<Point>,
}

impl Default for Workspace {
    fn default() -> Self {
        Workspace {
            drawn: Drawn::default(),
            packer: Packer::default(),
            system: System::empty(),
            scratch: Scratch::default(),
            inflated: Vec::new(),
            order: Vec::new(),
            ranks: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl Question {
    /// Whether the guarantee is proved for `tasks` on `processors` processors.
    pub fn is_proved(
        &self,
        tasks: &[Task],
        processors: u16,
        workspace: &mut Workspace,
    ) -> Result<bool, BatchError> {
        let Workspace { packer, system, scratch, inflated, order, ranks, points, .. } = workspace;
        self.rank(tasks, processors, order, (ranks, points));
        let (order, arrivals) = match self.rule {
            Rule::Ordered(OrderClass::Deadline) => (Order::Edf, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::AfterArrival(_)) => (Order::AfterArrival, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::Fixed(_)) => (Order::FixedPriority, Arrivals::Sporadic),
            Rule::Ordered(OrderClass::Unanalysed | OrderClass::Pfair { .. }) => {
                (Order::Unanalysed, Arrivals::Sporadic)
            }
            Rule::Pfair(quanta) => (Order::Pfair(quanta), Arrivals::Periodic),
        };
        let scheduler = Scheduler { order, preemptive: self.preemptive, ranks, points, arrivals };
        let Some(tasks) = self.with_overheads(tasks, processors, inflated) else { return Ok(false) };
        if self.scope == Scope::Global {
            let ids = (0..tasks.len() as u32).map(TaskId);
            system.refill(tasks, ids, processors.into(), &scheduler, Duration::ZERO)?;
            return Ok(self.is_proved_for(system, scratch));
        }
        let placement = packer.place(&self.packing, tasks, processors)?;
        if !placement.fits() || self.fits_are_proofs(tasks) {
            return Ok(placement.fits());
        }
        for bin in placement.bins.iter().filter(|bin| !bin.is_empty()) {
            system.refill(tasks, bin.iter().copied(), 1, &scheduler, Duration::ZERO)?;
            if !self.is_proved_for(system, scratch) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a task set that fits needs no further test: a processor with a utilization of at most 1, which is what fitting means exactly,
    /// meets implicit and longer deadlines under EDF (Liu and Layland 1973, Theorem 7), and so do both tests answer.
    fn fits_are_proofs(&self, tasks: &[Task]) -> bool {
        let exact = [&uniprocessor::edf_utilization::TEST, &uniprocessor::qpa::TEST];
        let answers = |test: &&Test| exact.iter().any(|known| known.name == test.name);
        let is_plain = |task: &Task| {
            task.relative_deadline >= task.period
                && task.relative_deadline <= System::LONGEST
                && task.wcet.as_ns() <= System::LONGEST.as_ns()
                && task.jitter.is_zero()
                && task.suspension == Suspension::None
                && task.program.is_empty()
        };
        matches!(self.rule, Rule::Ordered(OrderClass::Deadline))
            && self.preemptive
            && self.packing.weight == placement::Weight::Utilization
            && self.packing.fit_bound == FitBound::default()
            && self.tests.iter().any(answers)
            && tasks.iter().all(is_plain)
    }

    /// The tasks with overheads, if they leave room.
    pub(super) fn with_overheads<'a>(
        &self,
        tasks: &'a [Task],
        processors: u16,
        inflated: &'a mut Vec<Task>,
    ) -> Option<&'a [Task]> {
        let Some(Charged { whole, unpreempted, published, .. }) = &self.overheads else { return Some(tasks) };
        let overheads = unpreempted.as_ref().filter(|_| jlfp::never_leave(tasks)).unwrap_or(whole);
        let accounting = Accounting {
            overheads,
            statistic: Statistic::Max,
            quantum: Platform::DEFAULT_QUANTUM,
            processors: if self.scope == Scope::Global { processors.into() } else { 1 },
            machine_tasks: tasks.len(),
            release_latency: Duration::ZERO,
            polled: Duration::ZERO,
            dedicated_interrupts: false,
            switches_in_progress: true,
        };
        match self.rule {
            Rule::Pfair(quanta) => {
                let found = match (*published, quanta.staggered) {
                    (true, _) => pfair::published(tasks, &accounting),
                    (false, true) => pfair::inflate(tasks, &accounting, Continuity::StaysStaggered),
                    (false, false) => pfair::inflate(tasks, &accounting, Continuity::Stays),
                };
                match found {
                    Inflation::Fits(tasks) => *inflated = tasks,
                    Inflation::InterruptOverload
                    | Inflation::TaskOverload(_)
                    | Inflation::UnboundedSuspensions(_) => return None,
                }
            }
            Rule::Ordered(_) => match jlfp::inflate_into(tasks, &accounting, inflated) {
                Inflation::Fits(()) => {}
                _ => return None,
            },
        }
        Some(inflated)
    }

    fn is_proved_for(&self, system: &System, scratch: &mut Scratch) -> bool {
        self.tests.iter().any(|test| (test.applies)(system) && test.accepts(system, scratch))
    }

    /// Ranks under fixed priorities, ties by task, and points after the arrival; none where nobody reads them.
    fn rank(
        &self,
        tasks: &[Task],
        processors: u16,
        order: &mut Vec<TaskId>,
        (ranks, points): (&mut Vec<u32>, &mut Vec<Point>),
    ) {
        order.clear();
        ranks.clear();
        points.clear();
        match self.rule {
            Rule::Ordered(OrderClass::Fixed(key)) => {
                order.extend((0..tasks.len() as u32).map(TaskId));
                order.sort_unstable_by_key(|id| (key(&tasks[id.index()]), *id));
                ranks.resize(tasks.len(), 0);
                for (rank, id) in order.iter().enumerate() {
                    ranks[id.index()] = rank as u32;
                }
            }
            Rule::Ordered(OrderClass::AfterArrival(after)) => {
                let processors = if self.scope == Scope::Global { processors.into() } else { 1 };
                points.extend(tasks.iter().map(|task| after(task, processors)));
            }
            Rule::Ordered(OrderClass::Deadline | OrderClass::Unanalysed | OrderClass::Pfair { .. })
            | Rule::Pfair(_) => {}
        }
    }
}
