//! What a recording says, as plain values for programs: `schedlab observe --file --json` prints them. Python's types
//! are generated from these.

use crate::event::Urgency;
use crate::figures::{Examined, Figures};
use crate::period::Pattern;
use crate::threads::Life;
use crate::unit::StampUnit;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// Class of a thread, as its kernel priority shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadClass {
    /// `SCHED_DEADLINE`.
    Deadline,
    /// `SCHED_FIFO` or `SCHED_RR`, which the trace does not tell apart.
    RealTime,
    /// A class without real-time priority.
    Ordinary,
    /// A kernel priority that no class of Linux has.
    Unknown,
}

/// Events that a processor lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LostEvents {
    /// The machine's number of the processor.
    pub cpu: u16,
    /// Number of lost events; null if the file does not state it.
    pub lost: Option<u64>,
}

/// Waits of a thread for a holder of a mutex with priority inheritance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MutexWaits {
    /// Name of the holder.
    pub holder: String,
    /// The kernel's number of the holder.
    pub holder_pid: u32,
    /// Number of waits.
    pub count: u64,
    /// Longest of them.
    pub longest_ns: Option<u64>,
}

/// A thread of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RecordedThread {
    /// Name of the task in the scenario; null if the thread is none.
    pub task: Option<String>,
    /// Reason why the thread is no task of the scenario; null if it is one.
    pub left_out: Option<String>,
    /// The kernel's number of the thread.
    pub pid: u32,
    /// Present name of the thread.
    pub name: String,
    /// All names of the thread, in the order in which they came.
    pub names: Vec<String>,
    /// Class of the thread.
    pub class: ThreadClass,
    /// Real-time priority, 1 to 99; null in other classes.
    pub rt_priority: Option<u8>,
    /// Nice value; null in other classes.
    pub nice: Option<i16>,
    /// Kernel priorities, in the order in which they came, with those that the thread inherited.
    pub kernel_priorities: Vec<i16>,
    /// The machine's numbers of the processors on which the thread ran.
    pub cpus: Vec<u16>,
    /// Number of switches to the thread.
    pub switches_in: u64,
    /// Number of runs whose begin is not in the trace.
    pub runs_without_start: u64,
    /// Length of all runs that are known from begin to end.
    pub run_ns: Option<u64>,
    /// True if the trace has wake-ups of the thread. Otherwise releases are the first runs after sleeps.
    pub wakeups_seen: bool,
    /// Number of releases, without those of the thread's start.
    pub releases: usize,
    /// Number of releases while the thread was starting.
    pub startup_releases: usize,
    /// Period; null if the trace does not tell one.
    pub period_ns: Option<u64>,
    /// Median distance of releases; null if there are fewer than three.
    pub release_distance_median_ns: Option<u64>,
    /// Least distance of nineteen of twenty releases, if they have no period.
    pub least_distance_ns: Option<u64>,
    /// Time within which releases deviate from the period.
    pub jitter_ns: Option<u64>,
    /// Number of wake-ups that make a job.
    pub wakes_per_job: usize,
    /// Number of whole runs between two sleeps, those of the thread's start included.
    pub jobs: usize,
    /// Number of these in which the thread was starting: it got its class or priority then.
    pub startup_jobs: usize,
    /// Number of jobs of which something is not in the trace.
    pub partial_jobs: u64,
    /// Number of jobs that were not over when the next one was due.
    pub late_jobs: usize,
    /// Median cost of whole jobs.
    pub cost_median_ns: Option<u64>,
    /// Largest cost of a whole job.
    pub cost_max_ns: Option<u64>,
    /// Longest time from a wake-up to the end of its job.
    pub response_max_ns: Option<u64>,
    /// Longest time from `sched_waking` to the first run.
    pub latency_from_waking_max_ns: Option<u64>,
    /// Longest time from `sched_wakeup` to the first run.
    pub latency_from_wakeup_max_ns: Option<u64>,
    /// Number of preemptions, by the number of the thread that came.
    pub preempted_by: BTreeMap<u32, u64>,
    /// Waits for holders of mutexes with priority inheritance.
    pub waited_for: Vec<MutexWaits>,
    /// True if the thread ended.
    pub exited: bool,
    /// Period in units of the stamps, if these have no known unit.
    pub period_stamps: Option<u64>,
    /// Median cost in units of the stamps, if these have no known unit.
    pub cost_median_stamps: Option<u64>,
    /// Largest cost in units of the stamps, if these have no known unit.
    pub cost_max_stamps: Option<u64>,
}

/// What a recording says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "RecordingResult")]
pub struct RecordingResult {
    /// Meaning of the stamps.
    pub stamps: StampUnit,
    /// Length of the recording.
    pub duration_ns: Option<u64>,
    /// The machine's numbers of the processors whose context switches are in the trace.
    pub cpus: Vec<u16>,
    /// Number of the machine's processors, if the file states it.
    pub machine_cpus: Option<u16>,
    /// Number of context switches.
    pub switches: u64,
    /// Number of events that wake a thread.
    pub wakeups: u64,
    /// Number of switches whose leaving thread is not the one that came last: those runs have no begin.
    pub runs_without_start: u64,
    /// Number of runs whose end is not in the trace: another thread leaves their processor.
    pub runs_without_end: u64,
    /// Events that were lost.
    pub lost_events: Vec<LostEvents>,
    /// Number of lines that cannot be read.
    pub bad_lines: u64,
    /// Number of events that were out of order on their own processor.
    pub out_of_order: u64,
    /// Sentences on the file and on what is not in it.
    pub findings: Vec<String>,
    /// All threads but the idle ones.
    pub threads: Vec<RecordedThread>,
}

impl Examined {
    /// A length in nanoseconds, if stamps are times.
    pub(crate) fn ns(&self, length: Option<u64>) -> Option<u64> {
        length.filter(|_| self.stamp_unit() == StampUnit::Time)
    }

    /// A length in units of the stamps, if these are times of an unknown unit.
    fn stamps(&self, length: Option<u64>) -> Option<u64> {
        length.filter(|_| self.stamp_unit() == StampUnit::Unknown)
    }

    /// The recording as plain values. `tasks` has the name of each thread in the scenario, or the reason why it is in
    /// none, by life; `findings` has sentences on the file.
    pub(crate) fn result(&self, tasks: &[Result<String, String>], findings: Vec<String>) -> RecordingResult {
        let Examined { recording, swept, .. } = self;
        let lost = recording.flaws.losses.iter();
        let thread = |(place, life, of): (usize, &Life, &Figures)| self.thread(life, of, &tasks[place]);
        RecordingResult {
            stamps: self.stamp_unit(),
            duration_ns: self.ns(Some(recording.end - recording.begin)),
            cpus: recording.seen().into_iter().collect(),
            machine_cpus: recording.processors,
            switches: recording.tally.switches,
            wakeups: recording.tally.wakings + recording.tally.wakeups,
            runs_without_start: swept.breaks,
            runs_without_end: swept.without_end,
            lost_events: lost.map(|loss| LostEvents { cpu: loss.cpu, lost: loss.lost }).collect(),
            bad_lines: recording.flaws.bad_lines + u64::from(recording.flaws.cut_line.is_some()),
            out_of_order: recording.flaws.swapped,
            findings,
            threads: self.threads().into_iter().map(thread).collect(),
        }
    }

    fn thread(&self, life: &Life, of: &Figures, task: &Result<String, String>) -> RecordedThread {
        let urgency = Urgency::of(life.priority);
        let (least, jitter) = match of.pattern {
            Some(Pattern::Irregular { distance }) => (Some(distance), None),
            Some(Pattern::Periodic { jitter, .. }) => (None, Some(jitter)),
            None => (None, None),
        };
        let mut preempted_by = BTreeMap::new();
        for (other, count) in &life.preempted_by {
            *preempted_by.entry(self.swept.lives[*other].pid).or_default() += count;
        }
        let waited = life.waits.iter().map(|(holder, waits)| {
            let holder = &self.swept.lives[*holder];
            let longest_ns = self.ns(Some(waits.longest));
            MutexWaits { holder: self.name(holder), holder_pid: holder.pid, count: waits.count, longest_ns }
        });
        let (median, largest) = (of.median_cost(), of.costs.last().copied());
        RecordedThread {
            task: task.as_ref().ok().cloned(),
            left_out: task.as_ref().err().cloned(),
            pid: life.pid,
            name: self.name(life),
            names: life.names.iter().map(|name| self.recording.names.text(*name)).collect(),
            class: class(urgency),
            rt_priority: if let Urgency::RealTime(priority) = urgency { Some(priority) } else { None },
            nice: if let Urgency::Ordinary(nice) = urgency { Some(nice) } else { None },
            kernel_priorities: life.priorities.clone(),
            cpus: life.cpus.iter().copied().collect(),
            switches_in: life.switches_in,
            runs_without_start: life.partial_runs,
            run_ns: self.ns(Some(life.run)),
            wakeups_seen: of.is_woken,
            releases: of.releases,
            startup_releases: life.releases.iter().filter(|release| release.is_startup).count(),
            period_ns: self.ns(of.period()),
            release_distance_median_ns: self.ns(of.median_distance),
            least_distance_ns: self.ns(least),
            jitter_ns: self.ns(jitter),
            wakes_per_job: of.wakes(),
            jobs: of.whole_jobs,
            startup_jobs: of.startup_jobs,
            partial_jobs: life.lost_jobs + u64::from(life.open.is_some()),
            late_jobs: of.late_jobs,
            cost_median_ns: self.ns(median),
            cost_max_ns: self.ns(largest),
            response_max_ns: self.ns(of.response),
            latency_from_waking_max_ns: self.ns(life.latency_from_waking),
            latency_from_wakeup_max_ns: self.ns(life.latency_from_wakeup),
            preempted_by,
            waited_for: waited.collect(),
            exited: life.exited,
            period_stamps: self.stamps(of.period()),
            cost_median_stamps: self.stamps(median),
            cost_max_stamps: self.stamps(largest),
        }
    }
}

fn class(urgency: Urgency) -> ThreadClass {
    match urgency {
        Urgency::Deadline => ThreadClass::Deadline,
        Urgency::RealTime(_) => ThreadClass::RealTime,
        Urgency::Ordinary(_) => ThreadClass::Ordinary,
        Urgency::Unknown(_) => ThreadClass::Unknown,
    }
}
