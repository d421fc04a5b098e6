//! Many random task sets, each judged by a few tests: the inner loop of schedulability studies.
//!
//! A [`Question`] names a scheduler, a guarantee and, if wanted, the tests that may answer it:
//!
//! ```text
//! P-EDF hard          each processor's tasks, placed first fit by decreasing utilization, by any test
//! G-EDF hard gfb      by this test alone
//! NG-EDF soft
//! ```
//!
//! The answer is whether the guarantee is proved, so of two sets of tests the larger one never proves less.
//! Set `i` of a seed depends on nothing but the generator, the seed and `i`; the answers depend on the set
//! alone. Overheads are not looked at: there are none in these sets.

use core::fmt;
use core::ops::Range;
use core::str::FromStr;
use schedlab_analysis::registry::{self, TESTS};
use schedlab_analysis::{Answer, Arrivals, Guarantee, Order, Scheduler, System, SystemError, Test};
use schedlab_model::{Duration, Task, TaskId};
use schedlab_policy::{find, Make, Scope};
use schedlab_workload::generate::{GenerateError, Generator};
use schedlab_workload::placement::{Packing, PlacementError};

/// A question asked of every task set.
#[derive(Clone, Debug)]
pub struct Question {
    scope: Scope,
    rule: Rule,
    preemptive: bool,
    tests: Vec<&'static Test>,
}

/// Which job goes first, as far as analysis cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Edf,
    RateMonotonic,
    DeadlineMonotonic,
    Fifo,
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
                write!(f, "{name}: allowed are P- and G- with EDF, RM, DM and FIFO, with N or without")
            }
            QuestionError::Guarantee(word) => write!(f, "unknown guarantee \"{word}\"; allowed: hard, soft"),
            QuestionError::Test(name) => {
                let names: Vec<_> = TESTS.iter().map(|test| test.name).collect();
                write!(f, "\"{name}\" is no test of this guarantee; tests are {}", names.join(", "))
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
        let refused = || QuestionError::NotForBatches(scheduler.name.clone());
        let Make::Clustered { order, preemptive } = scheduler.make else { return Err(refused()) };
        let rule = match (order.name, scheduler.scope) {
            (_, Scope::Clustered) => return Err(refused()),
            ("EDF", _) => Rule::Edf,
            ("RM", _) => Rule::RateMonotonic,
            ("DM", _) => Rule::DeadlineMonotonic,
            ("FIFO", _) => Rule::Fifo,
            _ => return Err(refused()),
        };
        let guarantee = match words.next().unwrap_or_default() {
            "hard" => Guarantee::Hard,
            "soft" => Guarantee::Soft,
            other => return Err(QuestionError::Guarantee(other.into())),
        };
        // Deadlines that are met bound tardiness too.
        let helps = |test: &&'static Test| guarantee == Guarantee::Soft || test.guarantee == Guarantee::Hard;
        let named =
            |name: &str| registry::find(name).filter(helps).ok_or_else(|| QuestionError::Test(name.into()));
        let mut tests = words.map(named).collect::<Result<Vec<_>, _>>()?;
        if tests.is_empty() {
            tests = TESTS.iter().copied().filter(helps).collect();
        }
        Ok(Question { scope: scheduler.scope, rule, preemptive, tests })
    }
}

impl Question {
    /// Whether the guarantee is proved for `tasks` on `processors` processors.
    pub fn is_proved(&self, tasks: &[Task], processors: u16) -> Result<bool, BatchError> {
        let ranks = self.ranks(tasks);
        let scheduler = Scheduler {
            order: match self.rule {
                Rule::Edf => Order::Edf,
                Rule::Fifo => Order::Fifo,
                Rule::RateMonotonic | Rule::DeadlineMonotonic => Order::FixedPriority,
            },
            preemptive: self.preemptive,
            ranks: &ranks,
            arrivals: Arrivals::Sporadic,
        };
        if self.scope == Scope::Global {
            return Ok(self.is_proved_for(&System::global(tasks, processors.into(), &scheduler)?));
        }
        let packing: Packing = "first_fit_decreasing".parse().expect("a placement of this crate's own list");
        let placement = packing.place(tasks, processors)?;
        if !placement.fits() {
            return Ok(false);
        }
        for bin in placement.bins.into_iter().filter(|bin| !bin.is_empty()) {
            if !self.is_proved_for(&System::new(tasks, bin, 1, &scheduler, Duration::ZERO)?) {
                return Ok(false);
            }
        }
        Ok(true)
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
            Rule::Edf | Rule::Fifo => Duration::ZERO,
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

/// Why a batch has no answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// A set could not be drawn.
    Generate(GenerateError),
    /// A set could not be placed.
    Placement(PlacementError),
    /// A set could not be analysed.
    System(SystemError),
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Generate(error) => error.fmt(f),
            BatchError::Placement(error) => error.fmt(f),
            BatchError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BatchError {}

impl From<GenerateError> for BatchError {
    fn from(error: GenerateError) -> Self {
        BatchError::Generate(error)
    }
}

impl From<PlacementError> for BatchError {
    fn from(error: PlacementError) -> Self {
        BatchError::Placement(error)
    }
}

impl From<SystemError> for BatchError {
    fn from(error: SystemError) -> Self {
        BatchError::System(error)
    }
}

/// One task set of a batch: its size, and the answer to each question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Number of tasks.
    pub tasks: usize,
    /// Whether the guarantee of each question is proved.
    pub proved: Vec<bool>,
}

/// Draws the sets `sets` of `seed` and asks each of them all questions.
pub fn judge(
    generator: &Generator,
    seed: u64,
    sets: Range<u64>,
    processors: u16,
    questions: &[Question],
) -> Result<Vec<Judged>, BatchError> {
    sets.map(|index| {
        let tasks = generator.generate(seed, index)?;
        let proved = questions.iter().map(|question| question.is_proved(&tasks, processors));
        Ok(Judged { tasks: tasks.len(), proved: proved.collect::<Result<_, BatchError>>()? })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::Work;
    use schedlab_workload::generate::Spec;

    fn tasks(parameters: &[(u64, u64)]) -> Vec<Task> {
        let implicit = |&(cost, period)| Task::implicit(Work::from_ns(cost), Duration::from_ns(period));
        parameters.iter().map(implicit).collect()
    }

    fn proved(question: &str, parameters: &[(u64, u64)], processors: u16) -> bool {
        question.parse::<Question>().unwrap().is_proved(&tasks(parameters), processors).unwrap()
    }

    /// X, Y and Z of litmus-rt-2006, figure 1: no two fit on one processor, yet tardiness is bounded on two.
    #[test]
    fn three_tasks_that_cannot_be_partitioned_have_bounded_tardiness() {
        let xyz = [(1500, 3000), (2000, 3000), (4000, 6000)];
        assert!(!proved("P-EDF hard", &xyz, 2));
        assert!(proved("P-EDF hard", &xyz, 3));
        assert!(!proved("G-EDF hard", &xyz, 2));
        assert!(proved("G-EDF soft", &xyz, 2));
        assert!(proved("NG-EDF soft", &xyz, 2));
        assert!(!proved("NG-EDF hard", &xyz, 2));
    }

    /// Equal tasks of utilization 1/2: GFB holds with equality for three of them on two processors.
    #[test]
    fn a_named_test_answers_alone() {
        let three = [(1000, 2000); 3];
        assert!(proved("G-EDF hard gfb", &three, 2));
        assert!(!proved("G-EDF hard one_processor_each", &three, 2));
        assert!(proved("G-EDF hard one_processor_each gfb", &three, 2));
    }

    /// Two processors of tasks that RM schedules only because the periods are harmonic.
    #[test]
    fn partitioned_rate_monotonic_ranks_by_period() {
        assert!(proved("P-RM hard", &[(1, 2), (2, 4), (4, 8), (4, 8)], 2));
        assert!(!proved("P-RM hard", &[(2, 5), (4, 7)], 1));
        assert!(proved("P-EDF hard", &[(2, 5), (4, 7)], 1));
    }

    #[test]
    fn bad_questions_say_what_is_allowed() {
        let message = |text: &str| text.parse::<Question>().unwrap_err().to_string();
        assert!(message("X-EDF hard").contains("did you mean"));
        assert!(message("C-EDF hard").contains("allowed are P- and G-"));
        assert!(message("G-FP hard").contains("allowed are P- and G-"));
        assert_eq!(message("G-EDF"), "unknown guarantee \"\"; allowed: hard, soft");
        assert!(message("G-EDF hard nonsense")
            .starts_with("\"nonsense\" is no test of this guarantee; tests are "));
        assert!(message("G-EDF hard devi_anderson").starts_with("\"devi_anderson\" is no test"));
        assert!(message("").contains("did you mean"));
    }

    #[test]
    fn answers_do_not_depend_on_how_the_sets_are_cut() {
        let spec = Spec {
            utilization: "uniform 0.1 0.5".into(),
            periods: "uniform 10ms 100ms".into(),
            deadlines: "implicit".into(),
            stop: "trim 3".into(),
        };
        let generator = Generator::parse(&spec).unwrap();
        let ask: Vec<Question> =
            ["P-EDF hard", "G-EDF hard", "G-EDF soft"].iter().map(|text| text.parse().unwrap()).collect();
        let whole = judge(&generator, 7, 0..20, 4, &ask).unwrap();
        let mut cut = judge(&generator, 7, 0..13, 4, &ask).unwrap();
        cut.extend(judge(&generator, 7, 13..20, 4, &ask).unwrap());
        assert_eq!(whole, cut);
        assert!(whole.iter().all(|set| set.proved[2]), "a total of 3 on 4 processors bounds tardiness");
        assert!(whole.iter().any(|set| set.proved[0]) && whole.iter().any(|set| !set.proved[1]));
    }
}
