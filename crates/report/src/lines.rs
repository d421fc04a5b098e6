//! Records as lines of text, one each, for people.
//!
//! `TIME KIND ARGUMENTS...`, for instance `4000 dispatch P0 T3J7`. Times and costs are whole
//! nanoseconds, an absent job is `-`, and a priority is `BAND:POINT:JOB`, or just its point where the band is
//! `base` and the job breaks its own ties.

mod run;

use crate::Context;
use core::fmt;
use schedlab_model::{Band, Instant, JobId, Priority, TaskId};
use schedlab_trace::{Record, SuspendReason};

/// A record and its time, to be written as a line.
#[derive(Clone, Copy, Debug)]
pub struct Line(pub Instant, pub Record);

impl Line {
    /// A line whose priorities are those that the tasks state, as `context` knows them.
    pub fn as_stated(at: Instant, record: Record, context: &Context) -> Self {
        let stated = |priority: Priority| match context.stated_priorities.get(&priority.point()) {
            Some(&stated) => Priority::in_band(priority.band(), stated.into(), priority.tie()),
            None => priority,
        };
        let mut record = record;
        if let Record::Ready { priority, .. } | Record::Priority { priority, .. } = &mut record {
            *priority = stated(*priority);
        }
        Line(at, record)
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(at, record) = self;
        write!(f, "{} {}", at.as_ns(), record.name())?;
        match *record {
            Record::Arrival { job, absolute_deadline, cost } => {
                write!(f, " {job} {} {}", absolute_deadline.as_ns(), cost.as_ns())
            }
            Record::Ready { job, priority, cluster } => {
                write!(f, " {job} {} {}", priority_text(job, priority), cluster.0)
            }
            Record::Link { cpu, job } => write!(f, " {cpu} {}", optional(job)),
            Record::Dispatch { cpu, job } | Record::Preempt { cpu, job } => write!(f, " {cpu} {job}"),
            Record::Suspend { job, reason } => match reason {
                SuspendReason::Itself => write!(f, " {job} itself"),
                SuspendReason::HeldBack => write!(f, " {job} gate"),
                SuspendReason::Resource(resource) => write!(f, " {job} {resource}"),
            },
            Record::Priority { job, priority } => write!(f, " {job} {}", priority_text(job, priority)),
            Record::Resume { job }
            | Record::NpEnter { job }
            | Record::NpExit { job }
            | Record::Budget { job }
            | Record::GiveUp { job }
            | Record::Abort { job }
            | Record::Complete { job }
            | Record::Miss { job } => write!(f, " {job}"),
            Record::Request { job, resource, units }
            | Record::Acquire { job, resource, units }
            | Record::Release { job, resource, units } => write!(f, " {job} {resource} {units}"),
            Record::Spin { job, resource }
            | Record::Delay { job, resource }
            | Record::Attempt { job, resource }
            | Record::Retry { job, resource }
            | Record::Commit { job, resource } => write!(f, " {job} {resource}"),
            Record::Quantum { cpu } => write!(f, " {cpu}"),
            Record::Subtask { cpu, job, release, deadline } => {
                write!(f, " {cpu} {job} {} {}", release.as_ns(), deadline.as_ns())
            }
            Record::Waste { cpu, until } => write!(f, " {cpu} {}", until.as_ns()),
            Record::ServerUse { server, used } => write!(f, " S{server} {}", used.as_ns()),
            Record::ServerBudget { server, left, absolute_deadline } => {
                write!(f, " S{server} {} {}", left.as_ns(), absolute_deadline.as_ns())
            }
            Record::Move { job, cluster } => write!(f, " {job} {}", cluster.0),
            Record::OverheadBegin { cpu, kind, job } => write!(f, " {cpu} {} {}", kind.name(), optional(job)),
            Record::OverheadEnd { cpu, kind } => write!(f, " {cpu} {}", kind.name()),
            Record::Join { task } | Record::Leave { task } => write!(f, " {task}"),
            Record::Lost { count } => write!(f, " {count}"),
            Record::Run(record) => run::write(f, &record),
            Record::End => Ok(()),
        }
    }
}

/// The name of a band in lines.
fn band_name(band: Band) -> &'static str {
    match band {
        Band::Boosted => "boosted",
        Band::Base => "base",
        Band::Background => "background",
    }
}

fn priority_text(job: JobId, priority: Priority) -> String {
    if priority.band() == Band::Base && priority.tie() == job {
        return priority.point().to_string();
    }
    format!("{}:{}:{}", band_name(priority.band()), priority.point(), priority.tie())
}

fn optional(job: Option<JobId>) -> String {
    job.map_or_else(|| "-".into(), |job| job.to_string())
}

/// Reads `T3J7`.
pub fn parse_job(text: &str) -> Option<JobId> {
    let (task, number) = text.strip_prefix('T')?.split_once('J')?;
    Some(JobId::new(TaskId(task.parse().ok()?), number.parse().ok()?))
}
