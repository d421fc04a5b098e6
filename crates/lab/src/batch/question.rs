//! One question asked of every set of a batch.
//!
//! Pfair schedulers have the platform's quantum of 1 ms. Section 4.2 of litmus-rt-2006: costs are rounded up to quanta once
//! overheads are included, and the weights may add up to m. For hard guarantees that paper takes a quantum from
//! every period under staggered quanta; here every task loses the slots that its own numbers demand
//! (`Share::guaranteed`), none where quanta are aligned and periods whole quanta.
//!
//! Overheads have their largest values for both guarantees, as in that paper. Under partitioned schedulers they are
//! included before tasks are placed, as if all of them shared a processor.

use super::charged::inflated;
use super::BatchError;
use core::fmt;
use core::str::FromStr;
use schedlab_analysis::overheads::{jlfp, pfair};
use schedlab_analysis::registry::{self, TESTS};
use schedlab_analysis::{Answer, Arrivals, Guarantee, Order, Quanta, Scheduler, System, Test};
use schedlab_model::{Alignment, Duration, Overheads, Platform, Statistic, Task, TaskId};
use schedlab_policy::pfair::NAMES;
use schedlab_policy::{find, Make, Scheduler as Named, Scope};
use schedlab_scenario::{shipped, shipped_names};
use schedlab_workload::placement::Packing;
use std::borrow::Cow;

/// A question asked of every task set.
#[derive(Clone, Debug)]
pub struct Question {
    scope: Scope,
    rule: Rule,
    preemptive: bool,
    tests: Vec<&'static Test>,
    overheads: Option<Overheads>,
}

/// Which job goes first, as far as analysis cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Edf,
    RateMonotonic,
    DeadlineMonotonic,
    Fifo,
    Pfair(Quanta),
}

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionError {
    /// The first word is no scheduler; the text says what is.
    Scheduler(String),
    /// This scheduler's clusters or priorities are not determined by the task set alone.
    NotForBatches(String),
    /// The second word is neither `hard` nor `soft`.
    Guarantee(String),
    /// A further word is no test of this guarantee.
    Test(String),
    /// No bound is known for this locking protocol under the scheduler.
    Protocol(String),
    /// There are no overheads of this name, or too many words.
    Overheads(String),
    /// The overheads of this protocol's locks are not known.
    OverheadsOf(String),
}

impl fmt::Display for QuestionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QuestionError::Scheduler(message) => f.write_str(message),
            QuestionError::NotForBatches(name) => {
                write!(
                    f,
                    "{name}: allowed are P- and G- with EDF, RM, DM and FIFO, with N or without, and PD2, \
                     S-PD2, PD, PF"
                )
            }
            QuestionError::Guarantee(word) => write!(f, "unknown guarantee \"{word}\"; allowed: hard, soft"),
            QuestionError::Test(name) => {
                let names: Vec<_> = TESTS.iter().map(|test| test.name).collect();
                write!(f, "\"{name}\" is no test of this guarantee; tests are {}", names.join(", "))?;
                write!(f, "; overheads are {}", shipped_names().collect::<Vec<_>>().join(", "))
            }
            QuestionError::Protocol(name) => {
                write!(f, "\"{name}\": no batch bounds blocking of this protocol under this scheduler")
            }
            QuestionError::Overheads(name) => write!(f, "\"{name}\" names no overheads, or follows them"),
            QuestionError::OverheadsOf(name) => {
                write!(f, "\"{name}\": overheads are for fmlp-short and fmlp-long only")
            }
        }
    }
}

impl std::error::Error for QuestionError {}

impl FromStr for Question {
    type Err = QuestionError;

    fn from_str(text: &str) -> Result<Self, QuestionError> {
        let mut words = text.split_whitespace();
        let name = words.next().unwrap_or_default();
        let scheduler = find(name).map_err(|error| QuestionError::Scheduler(error.to_string()))?;
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
        let (mut tests, mut overheads) = (Vec::new(), None);
        for word in words {
            match registry::find(word).filter(helps) {
                Some(test) => tests.push(test),
                None => overheads = Some(charged(word, &scheduler.name, overheads.is_some())?),
            }
        }
        if tests.is_empty() {
            tests = TESTS.iter().copied().filter(helps).collect();
        }
        Ok(Question { scope: scheduler.scope, rule, preemptive, tests, overheads })
    }
}

/// Which job goes first under `scheduler`, and whether jobs give way; `None` if the task set alone does not say.
fn rule(scheduler: &Named, guarantee: &str) -> Option<(Rule, bool)> {
    let Make::Clustered { order, preemptive } = scheduler.make else {
        let rule = Rule::Pfair(Quanta {
            length: Platform::DEFAULT_QUANTUM,
            staggered: scheduler.quanta == Some(Alignment::Staggered),
            guaranteed: guarantee == "hard",
        });
        return NAMES.contains(&scheduler.name.as_str()).then_some((rule, true));
    };
    let rule = match (order.name, scheduler.scope) {
        (_, Scope::Clustered) => return None,
        ("EDF", _) => Rule::Edf,
        ("RM", _) => Rule::RateMonotonic,
        ("DM", _) => Rule::DeadlineMonotonic,
        ("FIFO", _) => Rule::Fifo,
        _ => return None,
    };
    Some((rule, preemptive))
}

/// The overheads that `word` names: a profile, or what a profile charges another scheduler.
fn charged(word: &str, scheduler: &str, twice: bool) -> Result<Overheads, QuestionError> {
    let (profile, scheduler) = word.split_once(':').unwrap_or((word, scheduler));
    match shipped(profile) {
        Some(_) if twice => Err(QuestionError::Overheads(word.into())),
        Some(profile) => {
            let scheduler = find(scheduler).map_err(|error| QuestionError::Scheduler(error.to_string()))?;
            Ok(profile.charged(&scheduler.name, "none").overheads)
        }
        None => Err(QuestionError::Test(word.into())),
    }
}

impl Question {
    /// Whether the guarantee is proved for `tasks` on `processors` processors.
    pub fn is_proved(&self, tasks: &[Task], processors: u16) -> Result<bool, BatchError> {
        let ranks = self.ranks(tasks);
        let (order, arrivals) = match self.rule {
            Rule::Edf => (Order::Edf, Arrivals::Sporadic),
            Rule::Fifo => (Order::Fifo, Arrivals::Sporadic),
            Rule::RateMonotonic | Rule::DeadlineMonotonic => (Order::FixedPriority, Arrivals::Sporadic),
            Rule::Pfair(quanta) => (Order::Pfair(quanta), Arrivals::Periodic),
        };
        let scheduler = Scheduler { order, preemptive: self.preemptive, ranks: &ranks, arrivals };
        let Some(tasks) = self.with_overheads(tasks, processors) else { return Ok(false) };
        if self.scope == Scope::Global {
            return Ok(self.is_proved_for(&System::global(&tasks, processors.into(), &scheduler)?));
        }
        let packing: Packing = "first_fit_decreasing".parse().expect("a placement of this crate's own list");
        let placement = packing.place(&tasks, processors)?;
        if !placement.fits() {
            return Ok(false);
        }
        for bin in placement.bins.into_iter().filter(|bin| !bin.is_empty()) {
            if !self.is_proved_for(&System::new(&tasks, bin, 1, &scheduler, Duration::ZERO)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The tasks with overheads, if they leave room.
    fn with_overheads<'a>(&self, tasks: &'a [Task], processors: u16) -> Option<Cow<'a, [Task]>> {
        let Some(overheads) = &self.overheads else { return Some(Cow::Borrowed(tasks)) };
        let platform = Platform::global(if self.scope == Scope::Global { processors } else { 1 });
        let inflate = match self.rule {
            Rule::Pfair(_) => pfair::inflate,
            Rule::Edf | Rule::RateMonotonic | Rule::DeadlineMonotonic | Rule::Fifo => jlfp::inflate,
        };
        inflated(tasks.to_vec(), &platform, overheads, Statistic::Max, inflate).map(Cow::Owned)
    }

    fn is_proved_for(&self, system: &System) -> bool {
        let mut tests = self.tests.iter();
        tests.any(|test| (test.applies)(system) && (test.run)(system).answer == Answer::Schedulable)
    }

    /// Ranks by period or relative deadline, ties by task.
    fn ranks(&self, tasks: &[Task]) -> Vec<u32> {
        let length = |task: &Task| match self.rule {
            Rule::RateMonotonic => task.period,
            Rule::DeadlineMonotonic => task.relative_deadline,
            Rule::Edf | Rule::Fifo | Rule::Pfair(_) => Duration::ZERO,
        };
        let mut order: Vec<TaskId> = (0..tasks.len() as u32).map(TaskId).collect();
        order.sort_by_key(|id| (length(&tasks[id.index()]), *id));
        let mut ranks = vec![0; tasks.len()];
        for (rank, id) in order.into_iter().enumerate() {
            ranks[id.index()] = rank as u32;
        }
        ranks
    }
}
