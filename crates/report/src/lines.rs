//! Records as lines of text, one each, for people and for tests; what is written can be read back.
//!
//! `TIME KIND ARGUMENTS...`, for instance `4000 dispatch P0 T3J7`. Times and costs are whole
//! nanoseconds, an absent job is `-`, and a priority is `BAND:POINT:JOB`, or just its point where the band is
//! `base` and the job breaks its own ties. A `#` begins a comment.

mod run;

use core::fmt;
use schedlab_model::{
    Band, ClusterId, CpuId, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work,
};
use schedlab_trace::{Record, SuspendReason};

/// The name of the record's kind, as in lines and tables.
pub fn kind(record: &Record) -> &'static str {
    match record {
        Record::Arrival { .. } => "arrival",
        Record::Ready { .. } => "ready",
        Record::Link { .. } => "link",
        Record::Dispatch { .. } => "dispatch",
        Record::Preempt { .. } => "preempt",
        Record::Suspend { .. } => "suspend",
        Record::Resume { .. } => "resume",
        Record::Priority { .. } => "priority",
        Record::NpEnter { .. } => "np_enter",
        Record::NpExit { .. } => "np_exit",
        Record::Request { .. } => "request",
        Record::Spin { .. } => "spin",
        Record::Delay { .. } => "delay",
        Record::Attempt { .. } => "attempt",
        Record::Retry { .. } => "retry",
        Record::Commit { .. } => "commit",
        Record::Acquire { .. } => "acquire",
        Record::Release { .. } => "release",
        Record::Quantum { .. } => "quantum",
        Record::Subtask { .. } => "subtask",
        Record::Waste { .. } => "waste",
        Record::Budget { .. } => "budget",
        Record::Move { .. } => "move",
        Record::OverheadBegin { .. } => "overhead_begin",
        Record::OverheadEnd { .. } => "overhead_end",
        Record::GiveUp { .. } => "give_up",
        Record::Abort { .. } => "abort",
        Record::Complete { .. } => "complete",
        Record::Miss { .. } => "miss",
        Record::Join { .. } => "join",
        Record::Leave { .. } => "leave",
        Record::Lost { .. } => "lost",
        Record::Run(record) => run::kind(record),
        Record::End => "end",
    }
}

/// A record and its time, to be written as a line.
#[derive(Clone, Copy, Debug)]
pub struct Line(pub Instant, pub Record);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line(at, record) = self;
        write!(f, "{} {}", at.as_ns(), kind(record))?;
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

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{text}` is not `TIME KIND ARGUMENTS...` of a record")]
pub struct LineError {
    /// The line's number, from one.
    pub line: usize,
    /// The line.
    pub text: String,
}

/// Reads lines back. Empty ones are skipped.
pub fn parse(text: &str) -> Result<Vec<(Instant, Record)>, LineError> {
    let mut records = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let content = line.split('#').next().unwrap_or_default();
        let mut words = content.split_whitespace();
        if words.clone().next().is_none() {
            continue;
        }
        let record = record(&mut words).filter(|_| words.next().is_none());
        records.push(record.ok_or_else(|| LineError { line: index + 1, text: line.trim().into() })?);
    }
    Ok(records)
}

/// Reads `T3J7`.
pub fn parse_job(text: &str) -> Option<JobId> {
    let (task, number) = text.strip_prefix('T')?.split_once('J')?;
    Some(JobId::new(TaskId(task.parse().ok()?), number.parse().ok()?))
}

type Words<'a> = core::str::SplitWhitespace<'a>;

fn record(w: &mut Words) -> Option<(Instant, Record)> {
    let at = Instant::from_ns(number(w)?);
    let record = match w.next()? {
        "arrival" => Record::Arrival {
            job: job(w)?,
            absolute_deadline: Instant::from_ns(number(w)?),
            cost: Work::from_ns(number(w)?),
        },
        "ready" => {
            let job = job(w)?;
            Record::Ready { job, priority: priority(w, job)?, cluster: ClusterId(number(w)?) }
        }
        "link" => Record::Link { cpu: cpu(w)?, job: optional_job(w)? },
        "dispatch" => Record::Dispatch { cpu: cpu(w)?, job: job(w)? },
        "preempt" => Record::Preempt { cpu: cpu(w)?, job: job(w)? },
        "suspend" => Record::Suspend { job: job(w)?, reason: reason(w)? },
        "resume" => Record::Resume { job: job(w)? },
        "priority" => {
            let job = job(w)?;
            Record::Priority { job, priority: priority(w, job)? }
        }
        "np_enter" => Record::NpEnter { job: job(w)? },
        "np_exit" => Record::NpExit { job: job(w)? },
        "request" => Record::Request { job: job(w)?, resource: resource(w)?, units: number(w)? },
        "spin" => Record::Spin { job: job(w)?, resource: resource(w)? },
        "delay" => Record::Delay { job: job(w)?, resource: resource(w)? },
        "attempt" => Record::Attempt { job: job(w)?, resource: resource(w)? },
        "retry" => Record::Retry { job: job(w)?, resource: resource(w)? },
        "commit" => Record::Commit { job: job(w)?, resource: resource(w)? },
        "acquire" => Record::Acquire { job: job(w)?, resource: resource(w)?, units: number(w)? },
        "release" => Record::Release { job: job(w)?, resource: resource(w)?, units: number(w)? },
        "quantum" => Record::Quantum { cpu: cpu(w)? },
        "subtask" => Record::Subtask {
            cpu: cpu(w)?,
            job: job(w)?,
            release: Instant::from_ns(number(w)?),
            deadline: Instant::from_ns(number(w)?),
        },
        "waste" => Record::Waste { cpu: cpu(w)?, until: Instant::from_ns(number(w)?) },
        "budget" => Record::Budget { job: job(w)? },
        "move" => Record::Move { job: job(w)?, cluster: ClusterId(number(w)?) },
        "overhead_begin" => Record::OverheadBegin { cpu: cpu(w)?, kind: overhead(w)?, job: optional_job(w)? },
        "overhead_end" => Record::OverheadEnd { cpu: cpu(w)?, kind: overhead(w)? },
        "give_up" => Record::GiveUp { job: job(w)? },
        "abort" => Record::Abort { job: job(w)? },
        "complete" => Record::Complete { job: job(w)? },
        "miss" => Record::Miss { job: job(w)? },
        "join" => Record::Join { task: task(w)? },
        "leave" => Record::Leave { task: task(w)? },
        "lost" => Record::Lost { count: number(w)? },
        "end" => Record::End,
        kind => Record::Run(run::read(kind, w)?),
    };
    Some((at, record))
}

fn number<N: core::str::FromStr>(w: &mut Words) -> Option<N> {
    w.next()?.parse().ok()
}

fn job(w: &mut Words) -> Option<JobId> {
    parse_job(w.next()?)
}

fn optional_job(w: &mut Words) -> Option<Option<JobId>> {
    match w.next()? {
        "-" => Some(None),
        text => parse_job(text).map(Some),
    }
}

fn task(w: &mut Words) -> Option<TaskId> {
    Some(TaskId(w.next()?.strip_prefix('T')?.parse().ok()?))
}

fn cpu(w: &mut Words) -> Option<CpuId> {
    Some(CpuId(w.next()?.strip_prefix('P')?.parse().ok()?))
}

fn resource(w: &mut Words) -> Option<ResourceId> {
    resource_of(w.next()?)
}

fn resource_of(text: &str) -> Option<ResourceId> {
    Some(ResourceId(text.strip_prefix('R')?.parse().ok()?))
}

fn overhead(w: &mut Words) -> Option<OverheadKind> {
    let name = w.next()?;
    OverheadKind::ALL.into_iter().find(|kind| kind.name() == name)
}

fn reason(w: &mut Words) -> Option<SuspendReason> {
    match w.next()? {
        "itself" => Some(SuspendReason::Itself),
        "gate" => Some(SuspendReason::HeldBack),
        text => resource_of(text).map(SuspendReason::Resource),
    }
}

fn priority(w: &mut Words, own: JobId) -> Option<Priority> {
    let text = w.next()?;
    let mut parts = text.split(':');
    let (band, point, tie) = match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(point), None, None, None) => (Band::Base, point, own),
        (Some(band), Some(point), Some(tie), None) => {
            let bands = [Band::Boosted, Band::Base, Band::Background];
            (bands.into_iter().find(|known| band_name(*known) == band)?, point, parse_job(tie)?)
        }
        _ => return None,
    };
    let point = point.parse().ok().filter(|point| *point <= Priority::MAX_POINT)?;
    Some(Priority::in_band(band, point, tie))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_is_read_back() {
        let text = "\
0 arrival T0J0 10 3
0 ready T0J0 10 0
0 ready T0J0 boosted:4:T1J2 7
0 link P0 T0J0
0 link P0 -
1 dispatch P0 T0J0
2 preempt P0 T0J0
2 suspend T0J0 itself
2 suspend T0J0 gate
2 suspend T0J0 R3
3 resume T0J0
3 priority T0J0 background:0:T0J0
4 np_enter T0J0
4 np_exit T0J0
4 request T0J0 R1 2
4 spin T0J0 R1
5 acquire T0J0 R1 2
5 release T0J0 R1 2
5 quantum P1
5 budget T0J0
6 move T0J0 1
6 overhead_begin P1 tick -
6 overhead_begin P1 release T0J0
6 overhead_end P1 cache_related_migration
7 abort T0J0
7 complete T0J0
7 miss T0J0
8 join T4
8 leave T4
9 lost 17
9 end
";
        let records = parse(text).unwrap();
        assert_eq!(records.len(), 31);
        let written: String =
            records.iter().map(|(at, record)| format!("{}\n", Line(*at, *record))).collect();
        assert_eq!(written, text);
    }

    #[test]
    fn what_is_no_record_is_named() {
        let refused = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            refused("0 end\n\n3 jump T1J0"),
            "line 3: `3 jump T1J0` is not `TIME KIND ARGUMENTS...` of a record"
        );
        for text in ["0 end now", "x end", "0 miss T1", "0 link P0", "0 ready T0J0 4611686018427387904 0"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
