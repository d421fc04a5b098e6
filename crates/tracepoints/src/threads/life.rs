//! The life of a thread in a recording.

use super::job::{Job, Open, Release};
use std::collections::{BTreeMap, BTreeSet};

/// State of a thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Doing {
    /// The state is not known.
    #[default]
    Unknown,
    /// The thread sleeps.
    Asleep,
    /// The thread waits in the queue of a processor.
    Ready { queue: u16 },
    /// The thread runs on a processor since this stamp.
    Running { cpu: u16, since: u64 },
    /// The thread has ended.
    Gone,
}

/// Time that a thread waited for the holder of a mutex with priority inheritance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waits {
    /// Number of waits.
    pub(crate) count: u64,
    /// Longest of them.
    pub(crate) longest: u64,
}

/// The life of a thread.
#[derive(Clone, Debug, Default)]
pub(crate) struct Life {
    /// The kernel's number of the thread. Another thread may have it after this one.
    pub(crate) pid: u32,
    /// Places of all names that the thread had, in the order in which they came, the present one last.
    pub(crate) names: Vec<u32>,
    /// Kernel priorities that the thread had, in the order in which they came, with those that it inherited.
    pub(crate) priorities: Vec<i16>,
    /// Present kernel priority, without what the thread inherits.
    pub(crate) priority: i16,
    /// Priority that the thread inherits, if it does.
    pub(crate) inherited: Option<i16>,
    /// Processors on which the thread ran.
    pub(crate) cpus: BTreeSet<u16>,
    /// Processors on which the thread ran since it was last found to be starting.
    pub(crate) own_cpus: BTreeSet<u16>,
    /// Number of switches to the thread.
    pub(crate) switches_in: u64,
    /// Length of all runs that are known from begin to end.
    pub(crate) run: u64,
    /// Number of runs whose begin is not known.
    pub(crate) partial_runs: u64,
    /// Switches away from the ready thread, by the life of the thread that came.
    pub(crate) preempted_by: BTreeMap<usize, u64>,
    /// Longest times from a wake-up to the first run, by the event that showed the wake-up.
    pub(crate) latency_from_waking: Option<u64>,
    pub(crate) latency_from_wakeup: Option<u64>,
    /// Waits for holders of mutexes, by the life of the holder.
    pub(crate) waits: BTreeMap<usize, Waits>,
    pub(crate) releases: Vec<Release>,
    pub(crate) jobs: Vec<Job>,
    /// Number of jobs of which something was missed, those that were open at the end left out.
    pub(crate) lost_jobs: u64,
    /// True if the thread has ended.
    pub(crate) exited: bool,
    pub(crate) doing: Doing,
    pub(crate) open: Option<Open>,
    /// Holder of the mutex that the thread has found taken.
    pub(crate) wants: Option<usize>,
    /// Begin of the wait for that mutex, while the thread sleeps for it.
    pub(crate) waits_since: Option<u64>,
}

impl Life {
    /// Notes the name of the thread.
    pub(crate) fn is_called(&mut self, name: u32) {
        if self.names.last() != Some(&name) {
            self.names.retain(|known| *known != name);
            self.names.push(name);
        }
    }

    /// Notes the priority of the thread in an event.
    pub(crate) fn has_priority(&mut self, priority: i16) {
        if !self.priorities.contains(&priority) {
            self.priorities.push(priority);
        }
        if self.inherited.is_none() {
            self.priority = priority;
        }
    }

    /// Notes the end of a job.
    pub(crate) fn ends_job(&mut self, at: u64) {
        let Some(open) = self.open.take() else { return };
        let job = open.end(at, self.priority);
        if job.is_startup {
            self.own_cpus.clear();
            // The release that belongs to this job is not one of the task.
            if let Some(last) = self.releases.last_mut().filter(|last| last.at == job.released) {
                last.is_startup = true;
            }
        }
        self.lost_jobs += u64::from(!job.is_whole);
        self.jobs.push(job);
    }

    /// Notes that something of the thread is missed from here on.
    pub(crate) fn is_lost(&mut self) {
        if self.open.take().is_some() {
            self.lost_jobs += 1;
        }
        self.doing = Doing::Unknown;
        self.wants = None;
        self.waits_since = None;
    }
}
