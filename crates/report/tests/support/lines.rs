//! Records from lines of text, as [`schedlab_report::lines`] writes them. Empty lines are skipped, and a `#` begins a
//! comment.

use schedlab_model::{
    Band, ClusterId, CpuId, Duration, Instant, JobId, OverheadKind, Priority, ResourceId, TaskId, Work,
};
use schedlab_report::lines::parse_job;
use schedlab_trace::{Record, RunRecord, SuspendReason, Thread};

/// The records of a text. Panics at a line that is none.
pub fn parse(text: &str) -> Vec<(Instant, Record)> {
    let mut records = Vec::new();
    for line in text.lines() {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        if words.clone().next().is_none() {
            continue;
        }
        let record = record(&mut words).filter(|_| words.next().is_none());
        records.push(record.unwrap_or_else(|| {
            panic!("`{line}` is not `TIME KIND ARGUMENTS...` of a record that `record` in {} knows", file!())
        }));
    }
    records
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
        "server_use" => Record::ServerUse { server: server(w)?, used: Work::from_ns(number(w)?) },
        "server_budget" => Record::ServerBudget {
            server: server(w)?,
            left: Work::from_ns(number(w)?),
            absolute_deadline: Instant::from_ns(number(w)?),
        },
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
        kind => Record::Run(run_record(kind, w)?),
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

fn server(w: &mut Words) -> Option<u32> {
    w.next()?.strip_prefix('S')?.parse().ok()
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
            (
                bands.into_iter().find(|known| format!("{known:?}").to_lowercase() == band)?,
                point,
                parse_job(tie)?,
            )
        }
        _ => return None,
    };
    let point = point.parse().ok().filter(|point| *point <= Priority::MAX_POINT)?;
    Some(Priority::in_band(band, point, tie))
}

/// What only real runs have.
fn run_record(kind: &str, w: &mut Words) -> Option<RunRecord> {
    Some(match kind {
        "decided_dispatch" => RunRecord::Dispatch { cpu: cpu(w)?, job: job(w)? },
        "decided_preempt" => RunRecord::Preempt { cpu: cpu(w)?, job: job(w)? },
        "switch_in" => RunRecord::SwitchIn { cpu: cpu(w)?, thread: thread(w)? },
        "switch_out" => RunRecord::SwitchOut { cpu: cpu(w)?, thread: thread(w)? },
        "switch_out_ready" => RunRecord::SwitchOutReady { cpu: cpu(w)?, thread: thread(w)? },
        "switches_missing" => RunRecord::Switches { missing: number(w)? },
        "stolen" => RunRecord::Stolen { cpu: cpu(w)?, since: instant(w)?, length: duration(w)? },
        "standstill" => RunRecord::Standstill { since: instant(w)? },
        "afterwards" => RunRecord::Afterwards { task: task(w)?, length: duration(w)? },
        _ => return None,
    })
}

fn thread(w: &mut Words) -> Option<Thread> {
    let text = w.next()?;
    match text.strip_prefix('T') {
        Some(task) => task.parse().ok().map(TaskId).map(Thread::Task),
        None => text.parse().ok().map(Thread::Other),
    }
}

fn instant(w: &mut Words) -> Option<Instant> {
    number(w).map(Instant::from_ns)
}

fn duration(w: &mut Words) -> Option<Duration> {
    number(w).map(Duration::from_ns)
}
