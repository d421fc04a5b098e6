//! Memory that simulations reuse one after another.

use crate::behaviour::Script;
use crate::budgets::Budgets;
use crate::clusters::Clusters;
use crate::job_table::JobTable;
use crate::locks::Locking;
use crate::overheads::Overheads;
use crate::processors::Processors;
use crate::progress::Progress;
use crate::streams::Streams;
use crate::timers::Timers;
use schedlab_lock::Inheritance;

/// The memory of an engine, kept for the next one. After the largest system, another one allocates nothing in the
/// engine, except for decisions that cost more than scheduling.
#[derive(Default)]
pub struct Workspace(pub(crate) Option<Parts<Script>>);

/// The parts of an engine without those that the caller gives: policies, protocol, source of jobs and sink.
#[derive(Default)]
pub(crate) struct Parts<B> {
    pub jobs: JobTable,
    pub progress: Vec<Progress<B>>,
    pub streams: Streams<()>,
    pub timers: Timers,
    pub budgets: Budgets,
    pub processors: Processors<true>,
    pub overheads: Overheads,
    pub clusters: Clusters<()>,
    pub locks: Locking<()>,
    pub inheritance: Inheritance,
}
