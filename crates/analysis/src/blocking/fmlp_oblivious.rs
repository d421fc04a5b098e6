//! The FMLP with waiting counted as execution: tasks that any test without blocking may look at.
//!
//! Block-or-not-2008, section 4.2, treats suspended jobs as executing. Where jobs may be tardy they may be pending for long, so
//! requests are then not counted by response times: each other task has at most one request before each of the job's, first
//! come, first served, and under spinning each other processor too.
//!
//! Long resources under partitioned scheduling are bounded as under the FMLP+ with holders that are not preempted
//! ([`super::fmlp_plus`]): holders are boosted in the order of their requests. The FMLP of 2007 does not boost them, and a
//! remote job then waits for whatever precedes the holder on its processor, which no bound here covers. Under EDF any
//! other task of the processor may have a later deadline, so all count as less urgent.

use super::case::Case;
use super::derive::{derive, Sections};
use super::sharing::{Sharer, Sharing};
use super::terms::Terms;
use super::{fmlp_plus, global_fmlp, task_fair_mutex};
use schedlab_model::{Task, Work};

/// How jobs wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// They spin, under any scheduler.
    Short,
    /// They suspend themselves, under global EDF.
    LongGlobal,
    /// They suspend themselves, under partitioned EDF; holders are boosted.
    LongPartitioned,
}

/// The tasks with their blocking as execution and nothing to share; `tardy` if deadlines may be missed. `None` if blocking is not
/// bounded.
pub fn with_waiting_as_execution(case: &Case<'_>, waits: Waits, tardy: bool) -> Option<Vec<Task>> {
    let levels = match waits {
        Waits::LongPartitioned => vec![0; case.tasks.len()],
        Waits::Short | Waits::LongGlobal => case.levels(),
    };
    let sharing =
        derive(case.tasks, case.locking.resources, case.platform, &levels, Sections::Groups).ok()?;
    let response = |task: &Sharer| if tardy { Sharing::LONGEST } else { task.relative_deadline };
    let responses: Vec<u64> = sharing.tasks().iter().map(response).collect();
    let terms = match waits {
        Waits::Short => task_fair_mutex::bounds(&sharing, &responses, case.processors()),
        Waits::LongGlobal => global_fmlp::bounds(&sharing, &responses),
        Waits::LongPartitioned => fmlp_plus::bounds(&sharing, &responses, false),
    };
    case.tasks.iter().zip(terms).map(|(task, terms)| inflate(task, terms)).collect()
}

/// The task with its blocking as execution and nothing to share.
pub fn inflate(task: &Task, terms: Terms) -> Option<Task> {
    let cost = task.wcet.as_ns().checked_add(terms.total()?)?;
    Some(Task { wcet: Work::from_ns(cost), program: Vec::new(), ..task.clone() })
}
