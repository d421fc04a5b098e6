//! Errors of questions and of batches.

use schedlab_analysis::SystemError;
use schedlab_policy::{Needs, ALL_ORDERS};
use schedlab_workload::generate::GenerateError;
use schedlab_workload::placement::PlacementError;

/// The reason why a batch has no answers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BatchError {
    /// A set could not be drawn.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// A set could not be placed.
    #[error(transparent)]
    Placement(#[from] PlacementError),
    /// Clusters of this size do not share out the processors of a set.
    #[error(
        "clusters of {size} on {processors} processors: they leave some out; allowed: a size that divides the number"
    )]
    Clusters {
        /// The number of processors of a cluster.
        size: u16,
        /// The number of processors.
        processors: u16,
    },
    /// A set could not be analysed.
    #[error(transparent)]
    System(#[from] SystemError),
}

/// The reason why a question cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// The first word is no scheduler; the text lists the known ones.
    #[error("{0}")]
    Scheduler(String),
    /// This scheduler's priorities are not determined by the task set alone.
    #[error(
        "{scheduler}: allowed are P-, C- and G- with {orders}, with N or without, and {others}",
        orders = stated_orders()
    )]
    NotForBatches {
        /// The scheduler's name.
        scheduler: String,
        /// The schedulers for batches whose names are no order with a letter before it.
        others: String,
    },
    /// No method for questions with a protocol covers this scheduler.
    #[error("{scheduler}: with a protocol, allowed are {allowed}")]
    NotWithProtocols {
        /// The scheduler's name.
        scheduler: String,
        /// The schedulers that some method covers.
        allowed: String,
    },
    /// The word after the scheduler or the protocol is neither `hard` nor `soft`.
    #[error("unknown guarantee \"{0}\"; allowed: hard, soft")]
    Guarantee(String),
    /// The word after the scheduler is neither a guarantee nor a protocol.
    #[error(
        "\"{word}\" is neither a guarantee nor a locking protocol; allowed: hard, soft, or before them one of {protocols}"
    )]
    ProtocolOrGuarantee {
        /// The word.
        word: String,
        /// The known protocols.
        protocols: String,
    },
    /// A further word is no test.
    #[error(
        "\"{word}\" is no test; tests are {tests}; overheads are {overheads}; placements, of P- and C- only and \
         one at most, are such as worst_fit_decreasing"
    )]
    Test {
        /// The word.
        word: String,
        /// The known tests.
        tests: String,
        /// The names of overheads.
        overheads: String,
    },
    /// A test is not about the scheduler, so that it could prove nothing of any set.
    #[error("{test} does not speak of {scheduler} on {machine}; allowed: {tests}")]
    Silent {
        /// The test's name.
        test: &'static str,
        /// The scheduler's name.
        scheduler: String,
        /// The processors that share a ready queue, in words.
        machine: &'static str,
        /// The tests that speak of it.
        tests: String,
    },
    /// No bound is known for this locking protocol under the scheduler.
    #[error("\"{0}\": no batch bounds blocking of this protocol under this scheduler")]
    Protocol(String),
    /// A further word of a question with a protocol is no overheads.
    #[error(
        "\"{word}\" names no overheads, which alone may follow a guarantee with a protocol; overheads are {overheads}"
    )]
    Word {
        /// The word.
        word: String,
        /// The names of overheads.
        overheads: String,
    },
    /// The length of a reload cannot be read, or no overheads stand before it.
    #[error("\"{0}\": a length such as reload=300us stands once, after the overheads")]
    Reload(String),
    /// The length of quanta cannot be read, or the scheduler has none.
    #[error("\"{0}\": a length such as quantum=250us stands once, after the guarantee of a Pfair scheduler")]
    Quantum(String),
    /// The published rule for hard deadlines under staggered quanta is asked of another guarantee or scheduler.
    #[error("\"less-a-quantum\" stands once, after the hard guarantee of a scheduler with staggered quanta (S-PD2)")]
    LessAQuantum,
    /// The size of clusters cannot be read, or the scheduler has none.
    #[error(
        "\"{0}\": a size such as cluster=2 stands once, after the guarantee of a clustered scheduler (C-)"
    )]
    Cluster(String),
    /// A clustered scheduler without the size of its clusters.
    #[error(
        "{0}: how many processors share a queue? allowed: a size after the guarantee, such as cluster=2"
    )]
    NoCluster(String),
    /// The size of working sets cannot be read, or no overheads stand before it.
    #[error("\"{0}\": a size such as wss=32KiB stands once, after overheads, and not beside reload=")]
    WorkingSet(String),
    /// The overheads have no reload of that size.
    #[error(
        "\"{0}\": the overheads do not say by size what reloads of working sets take, up to this one; \
         `schedlab measure` measures them"
    )]
    UnknownReload(String),
    /// The kind of object is not known, or the question has no overheads or no protocol.
    #[error(
        "\"{0}\": a kind such as object=heap stands once, after the overheads of a question with a protocol"
    )]
    Object(String),
    /// The overheads do not state what operations on such an object cost under this protocol.
    #[error(
        "\"{protocol}\": the overheads do not say what operations on a {kind} cost under it; allowed: overheads with \
         such an [[object]], and a protocol among {protocols}"
    )]
    CostOfObject {
        /// The protocol's name.
        protocol: String,
        /// The kind of object.
        kind: &'static str,
        /// The protocols that schemes stand for.
        protocols: String,
    },
    /// The question names overheads twice.
    #[error("\"{0}\": other overheads stand before it; allowed: one name of overheads")]
    Overheads(String),
    /// The overheads include delays by the decisions of other processors, for which no test accounts.
    #[error(
        "\"{overheads}\": it says how the decisions of {scheduler} delay other processors, which no test accounts for; \
         allowed: overheads without \"decisions\" of this scheduler"
    )]
    Decisions {
        /// The name of the overheads.
        overheads: String,
        /// The scheduler that decides.
        scheduler: String,
    },
    /// The overheads include moves between run queues, for which no test accounts.
    #[error(
        "\"{overheads}\": it says what pushes and pulls take under {scheduler}, which no test accounts for; \
         allowed: overheads without \"push\" and \"pull\" of this scheduler"
    )]
    Moves {
        /// The name of the overheads.
        overheads: String,
        /// The scheduler that moves threads.
        scheduler: String,
    },
    /// The scheduler plans with time that overheads take, for which no test accounts.
    #[error("\"{0} hard\" with overheads: they take time that its plans count on, and no test accounts for that; allowed: no overheads")]
    Planned(String),
    /// The question does not take this published account, or takes it twice.
    #[error("\"{word}\" stands once, after the overheads of {of}")]
    Account {
        /// The word for the account.
        word: &'static str,
        /// The questions that take it.
        of: &'static str,
    },
    /// The overheads do not state what this protocol's locks take.
    #[error("\"{0}\": the overheads do not say what its requests take; allowed: those that do, or none")]
    OverheadsOf(String),
}

/// Lists the orders that need no more than the task set.
fn stated_orders() -> String {
    let stated = ALL_ORDERS.iter().filter(|order| order.needs == Needs::Nothing);
    stated.map(|order| order.name).collect::<Vec<_>>().join(", ")
}

/// Lists names as a sentence does.
pub(super) fn list<N: AsRef<str>>(names: impl Iterator<Item = N>) -> String {
    names.map(|name| name.as_ref().to_owned()).collect::<Vec<_>>().join(", ")
}
