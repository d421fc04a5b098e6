//! The tracks below "Jobs", "Overheads" and "Resources", and their open slices.

use super::packet::{Arg, EventType, Flow, Packets, Unit};
use super::{facts, is_slice, rank, signed, Lane};
use crate::deadline::deadline;
use crate::scene::LiveJob;
use schedlab_model::{CpuId, Instant, JobId, OverheadKind, ResourceId, Work};

/// The tracks at the top, which have fixed numbers; others follow as they come to be needed.
const JOBS: u64 = 1;
const RESOURCES: u64 = 2;
const OVERHEADS: u64 = 3;
const BACKLOGS: u64 = 4;
const ROOTS: [&str; 4] = ["Jobs", "Resources", "Overheads", "Backlogged jobs"];

/// Deepest backlog whose ranks are separate from those of the next task.
const DEPTHS: u64 = 1 << 20;

/// A job's slice on a track of its task.
#[derive(Clone, Copy, Debug)]
struct OpenJob {
    job: JobId,
    depth: usize,
    waiting: bool,
}

/// One task's tracks and open slices.
#[derive(Clone, Debug, Default)]
struct TaskTracks {
    by_depth: Vec<u64>,
    open: Vec<OpenJob>,
    /// The tracks of jobs whose deadline has not passed although they ended.
    ended: Vec<(JobId, u64)>,
}

/// A held resource's slice.
#[derive(Clone, Copy, Debug)]
struct Holding {
    job: JobId,
    resource: ResourceId,
    place: usize,
}

/// All tracks.
#[derive(Debug, Default)]
pub(super) struct Tracks {
    pub(super) packets: Packets,
    /// Number of track ids that are given to other tracks than the roots.
    given: u64,
    roots_written: bool,
    tasks: Vec<TaskTracks>,
    cpus: Vec<Option<(u64, Option<OverheadKind>)>>,
    backlogs: Vec<Option<u64>>,
    /// The group of the servers' budgets, once there is one.
    budgets: Option<u64>,
    budgets_of: Vec<Option<u64>>,
    holdings: Vec<Holding>,
    /// By resource and place: the id of its track.
    places: Vec<(ResourceId, usize, u64)>,
    /// Number of arrows.
    flows: u64,
    /// Job and resource of the last release, with its time.
    last_release: Option<(JobId, ResourceId, Instant)>,
}

impl Tracks {
    fn new_track(&mut self, name: &str, place: (u64, u64), unit: Option<Unit>) -> u64 {
        if !core::mem::replace(&mut self.roots_written, true) {
            for (uuid, name) in (1..).zip(ROOTS) {
                self.packets.track(uuid, name, None, None);
            }
        }
        self.given += 1;
        let uuid = ROOTS.len() as u64 + self.given;
        self.packets.track(uuid, name, Some(place), unit);
        uuid
    }

    /// A group of lanes at the top.
    pub(super) fn group(&mut self, name: &str) -> u64 {
        self.given += 1;
        let uuid = ROOTS.len() as u64 + self.given;
        self.packets.track(uuid, name, None, None);
        uuid
    }

    /// Adds a lane to a group, with its slices.
    pub(super) fn lane(&mut self, (group, rank): (u64, u64), lane: &Lane) {
        let track = self.new_track(&lane.name, (group, rank), None);
        for (from, to, name) in &lane.slices {
            self.packets.event(*from, EventType::Begin, track, Some(name), &[]);
            self.packets.event(*to, EventType::End, track, None, &[]);
        }
    }

    fn task(&mut self, job: JobId) -> &mut TaskTracks {
        if job.task.index() >= self.tasks.len() {
            self.tasks.resize_with(job.task.index() + 1, TaskTracks::default);
        }
        &mut self.tasks[job.task.index()]
    }

    /// The open slice of a job, and its track.
    fn open(&mut self, job: JobId) -> Option<(&mut OpenJob, u64)> {
        let task = self.tasks.get_mut(job.task.index())?;
        let open = task.open.iter_mut().find(|open| open.job == job)?;
        let track = task.by_depth[open.depth];
        Some((open, track))
    }

    pub(super) fn job_begins(
        &mut self,
        at: Instant,
        job: JobId,
        name: &str,
        (deadline, cost): (Instant, Work),
    ) {
        let task = self.task(job);
        let free = |depth: &usize| task.open.iter().all(|open| open.depth != *depth);
        let depth = (0..).find(free).expect("some depth is free");
        if depth == task.by_depth.len() {
            let label = if depth == 0 { name.to_string() } else { format!("{name}, {depth} late") };
            let place = (JOBS, u64::from(job.task.0) * DEPTHS + depth as u64);
            let track = self.new_track(&label, place, None);
            self.task(job).by_depth.push(track);
        }
        let task = self.task(job);
        task.open.push(OpenJob { job, depth, waiting: false });
        let track = task.by_depth[depth];
        let args = facts(job, deadline, cost.as_ns());
        self.packets.event(at, EventType::Begin, track, Some(&job.to_string()), &args);
    }

    pub(super) fn job_ends(&mut self, at: Instant, live: &LiveJob, completed: bool) {
        let (job, due) = (live.id, deadline(live.absolute_deadline));
        self.wait_ends(at, job);
        let Some((_, track)) = self.open(job) else { return };
        if completed {
            let response = ("response_time_ns", Arg::Int(signed(at, live.arrival)));
            let lateness = due.map(|due| ("lateness_ns", Arg::Int(signed(at, due))));
            let args: Vec<_> = [response].into_iter().chain(lateness).collect();
            self.packets.event(at, EventType::End, track, None, &args);
        } else {
            self.packets.event(at, EventType::End, track, None, &[("aborted", Arg::Text("yes"))]);
        }
        let task = self.task(job);
        task.open.retain(|open| open.job != job);
        if due.is_some_and(|due| at <= due) {
            task.ended.push((job, track));
        }
    }

    pub(super) fn wait_begins(&mut self, at: Instant, job: JobId, what: &str) {
        self.wait_ends(at, job);
        if let Some((open, track)) = self.open(job) {
            open.waiting = true;
            self.packets.event(at, EventType::Begin, track, Some(what), &[]);
        }
    }

    pub(super) fn wait_ends(&mut self, at: Instant, job: JobId) {
        if let Some((open, track)) = self.open(job) {
            if core::mem::replace(&mut open.waiting, false) {
                self.packets.event(at, EventType::End, track, None, &[]);
            }
        }
    }

    /// Draws an arrow when `waiter` begins to wait because `holder` holds something: from the waiter's job to the held
    /// resource.
    pub(super) fn waits_for(&mut self, at: Instant, waiter: JobId, holder: JobId) {
        let held = self.holdings.iter().find(|holding| holding.job == holder).copied();
        let target = held.and_then(|held| self.place(held.resource, held.place));
        let (Some(target), Some((_, source))) = (target, self.open(waiter)) else { return };
        let flow = self.next_flow();
        let (asks, waits) = (format!("waits for {holder}"), format!("{waiter} waits"));
        let begins = Some(Flow::Begins(flow));
        self.packets.linked(at, EventType::Instant, source, Some(&asks), &[], begins);
        self.packets.linked(at, EventType::Instant, target, Some(&waits), &[], Some(Flow::Ends(flow)));
    }

    /// Returns the begin of an arrow to `job`, which goes on after waiting, if another job has just released something.
    /// The arrow is still to end.
    pub(super) fn let_on(&mut self, at: Instant, job: JobId) -> Option<Flow> {
        let (other, _, when) = self.last_release?;
        if when != at || other == job || !self.open(job)?.0.waiting {
            return None;
        }
        let (_, source) = self.open(other)?;
        let flow = self.next_flow();
        let what = format!("lets {job} go on");
        let begins = Some(Flow::Begins(flow));
        self.packets.linked(at, EventType::Instant, source, Some(&what), &[], begins);
        Some(Flow::Ends(flow))
    }

    /// Ends an arrow at `job`, which goes on without a resource.
    pub(super) fn goes_on(&mut self, at: Instant, job: JobId, flow: Flow) {
        if let Some((_, track)) = self.open(job) {
            self.packets.linked(at, EventType::Instant, track, Some("goes on"), &[], Some(flow));
        }
    }

    fn next_flow(&mut self) -> u64 {
        self.flows += 1;
        self.flows
    }

    /// The track of a unit of a resource.
    fn place(&self, resource: ResourceId, place: usize) -> Option<u64> {
        self.places.iter().find(|(r, p, _)| (*r, *p) == (resource, place)).map(|(_, _, track)| *track)
    }

    /// Marks a passed deadline of a job that is live (and has missed it) or that ended before.
    pub(super) fn deadline(&mut self, at: Instant, job: JobId, missed: bool) {
        let task = self.task(job);
        let ended =
            task.ended.iter().position(|(known, _)| *known == job).map(|index| task.ended.remove(index).1);
        let Some(track) = ended.or_else(|| self.open(job).map(|(_, track)| track)) else { return };
        let name = if missed { "deadline missed" } else { "deadline" };
        self.packets.event(
            at,
            EventType::Instant,
            track,
            Some(name),
            &[("job", Arg::Uint(job.number.into()))],
        );
    }

    pub(super) fn take(
        &mut self,
        at: Instant,
        job: JobId,
        (resource, name, units): (ResourceId, &str, u32),
        flow: Option<Flow>,
    ) {
        let taken = |place: &usize| {
            self.holdings.iter().any(|holding| (holding.resource, holding.place) == (resource, *place))
        };
        let place = (0..).find(|place| !taken(place)).expect("some place is free");
        let track = self.place(resource, place).unwrap_or_else(|| {
            let at = (RESOURCES, u64::from(resource.0) * DEPTHS + place as u64);
            let track = self.new_track(name, at, None);
            self.places.push((resource, place, track));
            track
        });
        self.holdings.push(Holding { job, resource, place });
        let what = format!("held by {job}");
        let args = [("units", Arg::Uint(units.into()))];
        self.packets.linked(at, EventType::Begin, track, Some(&what), &args, flow);
    }

    /// Closes the slice of a resource that the job gives back, or of all.
    pub(super) fn let_go(&mut self, at: Instant, job: JobId, resource: Option<ResourceId>) {
        while let Some(index) = self.holdings.iter().rposition(|holding| {
            holding.job == job && resource.is_none_or(|resource| holding.resource == resource)
        }) {
            let Holding { resource: held, place, .. } = self.holdings.remove(index);
            self.last_release = Some((job, held, at));
            if let Some(track) = self.place(held, place) {
                self.packets.event(at, EventType::End, track, None, &[]);
            }
            if resource.is_some() {
                return;
            }
        }
    }

    fn cpu(&mut self, cpu: CpuId) -> (u64, Option<OverheadKind>) {
        if cpu.index() >= self.cpus.len() {
            self.cpus.resize(cpu.index() + 1, None);
        }
        if let Some(known) = self.cpus[cpu.index()] {
            return known;
        }
        let track = self.new_track(&cpu.to_string(), (OVERHEADS, rank(cpu)), None);
        self.cpus[cpu.index()] = Some((track, None));
        (track, None)
    }

    pub(super) fn overhead_begins(
        &mut self,
        at: Instant,
        cpu: CpuId,
        kind: OverheadKind,
        job: Option<JobId>,
    ) {
        let (track, open) = self.cpu(cpu);
        let whose = job.map(|job| job.to_string());
        let args: Vec<(&str, Arg)> = whose.iter().map(|job| ("job", Arg::Text(job))).collect();
        if !is_slice(kind) {
            return self.packets.event(at, EventType::Instant, track, Some(kind.name()), &args);
        }
        if open.is_some() {
            self.packets.event(at, EventType::End, track, None, &[]);
        }
        self.packets.event(at, EventType::Begin, track, Some(kind.name()), &args);
        self.cpus[cpu.index()] = Some((track, Some(kind)));
    }

    pub(super) fn overhead_ends(&mut self, at: Instant, cpu: CpuId, kind: OverheadKind) {
        let (track, open) = self.cpu(cpu);
        if open == Some(kind) {
            self.packets.event(at, EventType::End, track, None, &[]);
            self.cpus[cpu.index()] = Some((track, None));
        }
    }

    /// The counter of a cluster's backlogged jobs.
    pub(super) fn backlog(&mut self, cluster: usize) -> u64 {
        if cluster >= self.backlogs.len() {
            self.backlogs.resize(cluster + 1, None);
        }
        if let Some(track) = self.backlogs[cluster] {
            return track;
        }
        let name = format!("C{cluster} backlogged");
        let track = self.new_track(&name, (BACKLOGS, cluster as u64), Some(Unit::Count));
        self.backlogs[cluster] = Some(track);
        track
    }

    /// The counter of a server's budget.
    pub(super) fn budget(&mut self, server: usize, name: &str) -> u64 {
        if server >= self.budgets_of.len() {
            self.budgets_of.resize(server + 1, None);
        }
        if let Some(track) = self.budgets_of[server] {
            return track;
        }
        let group = self.budgets.unwrap_or_else(|| self.group("Budgets of servers"));
        self.budgets = Some(group);
        let track = self.new_track(name, (group, server as u64), Some(Unit::Time));
        self.budgets_of[server] = Some(track);
        track
    }

    /// Closes all slices at the end of the trace.
    pub(super) fn finish(&mut self, end: Instant) {
        let open: Vec<JobId> = self.tasks.iter().flat_map(|task| &task.open).map(|open| open.job).collect();
        for job in open {
            self.let_go(end, job, None);
            self.wait_ends(end, job);
            if let Some((_, track)) = self.open(job) {
                self.packets.event(end, EventType::End, track, None, &[("unfinished", Arg::Text("yes"))]);
            }
        }
        for (track, kind) in self.cpus.iter().flatten() {
            if kind.is_some() {
                self.packets.event(end, EventType::End, *track, None, &[]);
            }
        }
    }
}
