//! A trace for <https://ui.perfetto.dev>, in its own binary format.
//!
//! * Lanes of processors and states of tasks, each task being a thread: see `states.rs`.
//! * "Jobs": per task a track with a slice for each job from arrival to completion, inside it what it waits
//!   for; jobs of a late task overlap, and slices of one track must nest, so each depth of backlog has a track.
//! * Deadlines and misses as instants on the job's track, with the facts as arguments.
//! * Arrows from a job that begins to wait to what the other holds, and from a release to what it lets go on.
//! * "Overheads": a track for each processor. "Resources": a track for each unit that is held at once.
//! * A counter of backlogged jobs for each cluster, and one of the budget of each budget server: it falls at the end of
//!   each use.

mod packet;
mod states;
mod tracks;

use crate::context::Context;
use crate::deadline::deadline;
use crate::files::Out;
use crate::scene::Scene;
use crate::why::blockers;
use packet::{Arg, TaskState};
use schedlab_model::{ClusterId, CpuId, Instant, JobId, OverheadKind, ResourceId};
use schedlab_trace::{about, Record, Sink, SuspendReason};
use states::States;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use tracks::Tracks;

/// A lane from another source than the records, such as the kernel's context switches of a processor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lane {
    /// Name of the lane.
    pub name: String,
    /// Slices of the lane, one after the other: begin, end, and label.
    pub slices: Vec<(Instant, Instant, String)>,
}

/// Writes a Perfetto trace (`.pftrace`) while records come in.
#[derive(Debug)]
pub struct Perfetto<W: io::Write> {
    context: Context,
    scene: Scene,
    out: Out<W>,
    states: States,
    tracks: Tracks,
    /// Deadlines that have not passed yet.
    deadlines: BinaryHeap<Reverse<(Instant, JobId)>>,
    /// By cluster: its number of backlogged jobs, and the number that was last written.
    backlog: Vec<(u64, Option<u64>)>,
    /// By server: its budget in nanoseconds, and the one that was last written.
    budgets: Vec<(u64, Option<u64>)>,
    named: usize,
}

impl<W: io::Write> Perfetto<W> {
    /// A trace into `stream`.
    pub fn new(stream: W, context: &Context) -> Self {
        let mut perfetto = Perfetto {
            context: context.clone(),
            scene: Scene::new(context),
            out: Out::new(stream),
            states: States::default(),
            tracks: Tracks::default(),
            deadlines: BinaryHeap::new(),
            backlog: Vec::new(),
            budgets: Vec::new(),
            named: 0,
        };
        perfetto.name_tasks(context.tasks.len().max(1));
        perfetto
    }

    /// A group of lanes, with a name of its own.
    pub fn lanes(&mut self, group: &str, lanes: &[Lane]) {
        let group = self.tracks.group(group);
        for (rank, lane) in lanes.iter().enumerate() {
            self.tracks.lane((group, rank as u64), lane);
            self.out.write_piece(&mut self.tracks.packets.bytes);
        }
    }

    /// Writes the rest and returns the stream, or its first error.
    pub fn finish(mut self) -> io::Result<W> {
        let end = self.scene.now;
        self.instant_over();
        // A job that is live at the end has missed a deadline there too.
        self.pass_deadlines(Instant::from_ns(end.as_ns().saturating_add(1)));
        self.states.catch_up(end, &mut self.tracks.packets);
        self.states.finish(end, &mut self.tracks.packets);
        self.tracks.finish(end);
        self.out.finish(&self.tracks.packets.bytes)
    }

    /// Names the threads of all tasks up to `count`.
    fn name_tasks(&mut self, count: usize) {
        let new: Vec<(u32, String)> = (self.named..count)
            .map(|task| (task as u32, self.context.task_name(schedlab_model::TaskId(task as u32))))
            .collect();
        if !new.is_empty() {
            self.tracks.packets.threads(&new);
            self.named = count;
        }
    }

    fn instant_over(&mut self) {
        let now = self.scene.now;
        self.states.instant_over(now, &mut self.tracks.packets);
        for (cluster, (count, shown)) in self.backlog.iter_mut().enumerate() {
            if *shown != Some(*count) {
                let track = self.tracks.backlog(cluster);
                self.tracks.packets.count(now, track, *count);
                *shown = Some(*count);
            }
        }
        for (server, (left, shown)) in self.budgets.iter_mut().enumerate() {
            if *shown != Some(*left) {
                let known = self.context.server_names.get(server).cloned();
                let track = self.tracks.budget(server, &known.unwrap_or_else(|| format!("S{server}")));
                self.tracks.packets.count(now, track, *left);
                *shown = Some(*left);
            }
        }
    }

    /// Takes note of what a server has used, or of its new budget.
    fn count_budget(&mut self, record: &Record) {
        let of = |server: u32| self.budgets.get(server as usize).map_or(0, |(left, _)| *left);
        let (server, left) = match *record {
            Record::ServerUse { server, used } => (server, of(server).saturating_sub(used.as_ns())),
            Record::ServerBudget { server, left, .. } => (server, left.as_ns()),
            about![lives, places, urgencies, requests, attempts, quanta, overheads, tasks, trace] => return,
        };
        let server = server as usize;
        if server >= self.budgets.len() {
            self.budgets.resize(server + 1, (0, None));
        }
        self.budgets[server].0 = left;
    }

    /// Writes the deadlines before `now`: a job that is still live has missed it.
    fn pass_deadlines(&mut self, now: Instant) {
        while let Some(Reverse((at, job))) =
            self.deadlines.peek().copied().filter(|Reverse((at, _))| *at < now)
        {
            self.deadlines.pop();
            let missed = self.scene.job(job).is_some();
            self.tracks.deadline(at, job, missed);
        }
    }

    /// Returns the cluster in whose backlog the job counts.
    fn backlogged_in(&self, job: JobId) -> Option<ClusterId> {
        let live = self.scene.job(job).filter(|live| live.is_ready() && live.on.is_none())?;
        Some(live.cluster)
    }

    fn count_backlog(&mut self, before: Option<ClusterId>, after: Option<ClusterId>) {
        if before == after {
            return;
        }
        for cluster in before.into_iter().chain(after) {
            if cluster.index() >= self.backlog.len() {
                self.backlog.resize(cluster.index() + 1, (0, None));
            }
        }
        if let Some(cluster) = before {
            self.backlog[cluster.index()].0 = self.backlog[cluster.index()].0.saturating_sub(1);
        }
        if let Some(cluster) = after {
            self.backlog[cluster.index()].0 += 1;
        }
    }

    fn state(&mut self, record: &Record) {
        let (job, state, cpu) = match *record {
            Record::Ready { job, .. } | Record::Resume { job } => (job, TaskState::Runnable, None),
            Record::Dispatch { cpu, job } => (job, TaskState::Running, Some(cpu)),
            Record::Preempt { job, .. } => (job, TaskState::Runnable, None),
            Record::Suspend { job, reason: SuspendReason::Resource(_) } => (job, TaskState::Blocked, None),
            Record::Suspend { job, .. } | Record::Complete { job } | Record::Abort { job } => {
                (job, TaskState::Sleeping, None)
            }
            about![Arrival, GiveUp, Miss, Link, Move, urgencies, requests, attempts, machine] => return,
        };
        self.name_tasks(job.task.index() + 1);
        self.states.change(job.task.0, state, cpu);
    }

    /// Writes slices and instants that the record begins or ends. The scene is still the one before the record.
    fn slices(&mut self, at: Instant, record: &Record) {
        match *record {
            Record::Arrival { job, absolute_deadline, cost } => {
                let name = self.context.task_name(job.task);
                self.tracks.job_begins(at, job, &name, (absolute_deadline, cost));
                self.deadlines.extend(deadline(absolute_deadline).map(|due| Reverse((due, job))));
            }
            Record::Complete { job } | Record::Abort { job } => {
                if let Some(live) = self.scene.job(job) {
                    let completed = matches!(record, Record::Complete { .. });
                    self.tracks.job_ends(at, live, completed);
                }
                self.tracks.let_go(at, job, None);
            }
            Record::Suspend { job, reason } => {
                let what = match reason {
                    SuspendReason::Itself => "self-suspended".into(),
                    SuspendReason::HeldBack => "held back by a protocol".into(),
                    SuspendReason::Resource(resource) => self.wait("blocked on", resource),
                };
                self.tracks.wait_begins(at, job, &what);
            }
            Record::Spin { job, resource } => {
                let what = self.wait("spinning for", resource);
                self.tracks.wait_begins(at, job, &what);
            }
            Record::Delay { job, resource } => {
                let what = self.wait("delayed to the quantum's end, for", resource);
                self.tracks.wait_begins(at, job, &what);
            }
            Record::Resume { job } => {
                let flow = self.tracks.let_on(at, job);
                self.tracks.wait_ends(at, job);
                flow.into_iter().for_each(|flow| self.tracks.goes_on(at, job, flow));
            }
            Record::Acquire { job, resource, units } => {
                let flow = self.tracks.let_on(at, job);
                self.tracks.wait_ends(at, job);
                let name = self.context.resource_name(resource);
                self.tracks.take(at, job, (resource, &name, units), flow);
            }
            Record::Release { job, resource, .. } => self.tracks.let_go(at, job, Some(resource)),
            Record::OverheadBegin { cpu, kind, job } => self.tracks.overhead_begins(at, cpu, kind, job),
            Record::OverheadEnd { cpu, kind } => self.tracks.overhead_ends(at, cpu, kind),
            about![
                Ready, GiveUp, Miss, Link, Dispatch, Preempt, Move, Request, urgencies, attempts, quanta,
                servers, tasks, trace
            ] => {}
        }
    }

    /// Draws an arrow after a record by which a job begins to wait.
    fn show_whom_it_waits_for(&mut self, at: Instant, record: &Record) {
        let (Record::Suspend { job, .. } | Record::Spin { job, .. }) = *record else { return };
        let holder = self.scene.job(job).and_then(|live| blockers(&self.scene, live).first().copied());
        if let Some(holder) = holder {
            self.tracks.waits_for(at, job, holder);
        }
    }

    fn wait(&self, what: &str, resource: ResourceId) -> String {
        let holders: Vec<String> = self.scene.holders(resource).iter().map(|job| job.to_string()).collect();
        let name = self.context.resource_name(resource);
        match holders.is_empty() {
            true => format!("{what} {name}"),
            false => format!("{what} {name} (holder {})", holders.join(", ")),
        }
    }
}

impl<W: io::Write> Sink for Perfetto<W> {
    fn record(&mut self, at: Instant, record: Record) {
        if let Record::Run(_) = record {
            return;
        }
        if at > self.scene.now {
            self.instant_over();
            self.states.catch_up(at, &mut self.tracks.packets);
            self.pass_deadlines(at);
        }
        let moves =
            matches!(record, about![Ready, Dispatch, Preempt, Suspend, Resume, Move, Abort, Complete]);
        let job = record.job().filter(|_| moves);
        self.slices(at, &record);
        self.state(&record);
        self.count_budget(&record);
        let before = job.and_then(|job| self.backlogged_in(job));
        self.scene.apply(at, &record);
        let after = job.and_then(|job| self.backlogged_in(job));
        self.show_whom_it_waits_for(at, &record);
        self.count_backlog(before, after);
        self.out.write_piece(&mut self.tracks.packets.bytes);
    }
}

/// Returns whether an overhead is drawn as a slice, because it occupies its processor; interrupts may overlap and are
/// drawn as instants.
fn is_slice(kind: OverheadKind) -> bool {
    kind != OverheadKind::Ipi
}

/// The place of a processor among its siblings.
fn rank(cpu: CpuId) -> u64 {
    cpu.0.into()
}

/// A signed difference of two instants.
fn signed(later: Instant, earlier: Instant) -> i64 {
    (i128::from(later.as_ns()) - i128::from(earlier.as_ns())).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The arguments of a job's begin.
fn facts(job: JobId, absolute_deadline: Instant, cost: u64) -> Vec<(&'static str, Arg<'static>)> {
    let due = deadline(absolute_deadline).map(|at| ("absolute_deadline_ns", Arg::Uint(at.as_ns())));
    let number = ("job", Arg::Uint(job.number.into()));
    [number].into_iter().chain(due).chain([("cost_ns", Arg::Uint(cost))]).collect()
}
