//! Tasks and budget servers on one processor: the most urgent of them goes first.
//!
//! Each server stands among the tasks as one of them. Its first client, in the order of its clients, is as urgent as
//! the server while it has budget, and all other clients wait behind. So a trace shows the urgency that each job has
//! at each time.

use super::setup::BudgetServer;
use super::{share, Grant, Replenishment};
use crate::decisions::{Annotation, Decision, Decisions};
use crate::order::{Order, Rule};
use crate::setup::ClusterSetup;
use crate::timer::Timer;
use crate::Policy;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{
    Band, CpuId, Event, Instant, Invariant, JobId, Jobs, Priority, Task, TaskId, TimerKey, Work,
};

/// Priority point of clients in the background.
const BACKGROUND: u64 = 0;

/// Priority point of clients that wait.
const WAITS: u64 = Priority::MAX_POINT;

/// A server with its clients' jobs.
struct Server {
    /// Index of the server among those of all processors.
    index: u32,
    /// Bandwidth in parts of the processor.
    parts: u64,
    rule: Box<dyn Replenishment>,
    /// Priority point of the server, if that is fixed.
    fixed_point: Option<u64>,
    is_in_background: bool,
    /// Order of the clients among themselves, if it is not that of arrival.
    within: Option<Rule>,
    /// Jobs that are ready, by their points among the clients.
    queue: Vec<(u64, JobId)>,
    /// The first job, once the rule knows of it.
    begun: Option<JobId>,
    /// A client whose next job becomes ready at this instant, and was pending before.
    awaited: Option<TaskId>,
    /// The server's timer, whose key is the server's place among those of its processor.
    timer: Timer,
    /// The job whose budget the engine counts, and what is left of that.
    counted: Option<(JobId, Work)>,
    /// Budget that was used since the trace last heard of it.
    untold: Work,
    /// Budget and deadline as the trace knows them.
    told: Option<(Work, Instant)>,
}

impl Server {
    fn new(place: u32, index: u32, setup: &BudgetServer, order: Order, whole: u64) -> Server {
        let fixed_point = match order.rule {
            Rule::Fixed(key) => Some(key(&setup.as_task())),
            Rule::Deadline | Rule::AfterArrival(_) | Rule::HeavyFirst(_) | Rule::Unanalysed(_) => None,
        };
        Server {
            index,
            parts: share::parts(setup.budget, setup.period, whole),
            rule: setup.kind.rule(setup.budget, setup.period, setup.relative_deadline, whole),
            fixed_point,
            is_in_background: setup.is_in_background || setup.kind.is_in_background(),
            within: setup.order.within().map(|order| order.rule),
            queue: Vec::with_capacity(setup.clients.len()),
            begun: None,
            awaited: None,
            timer: Timer::of(place),
            counted: None,
            untold: Work::ZERO,
            told: None,
        }
    }

    fn first(&self) -> Option<JobId> {
        self.queue.first().map(|(_, job)| *job)
    }

    fn is_pending(&self) -> bool {
        !self.queue.is_empty() || self.awaited.is_some()
    }

    fn admit(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        if !self.is_pending() {
            self.rule.wake(now);
        }
        if self.awaited == Some(job.task) {
            self.awaited = None;
        }
        let arrival = jobs.get(job).arrival.as_ns();
        let entry = (self.within.map_or(arrival, |rule| rule.point(job, jobs, 1)), job);
        let place = self.queue.partition_point(|known| *known < entry);
        self.queue.insert(place, entry);
    }

    fn leave(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        self.queue.retain(|(_, known)| *known != job);
        if jobs.of_task(job.task).has_successor {
            self.awaited = Some(job.task);
        }
        if !self.is_pending() {
            self.rule.rest(now);
        }
    }

    /// Brings the rule up to `now`, after all events of the instant.
    fn settle(&mut self, now: Instant, jobs: &Jobs) {
        if let Some(job) = self.first().filter(|job| self.begun != Some(*job)) {
            let entry = jobs.get(job);
            self.rule.begin(entry.arrival, entry.wcet);
            self.begun = Some(job);
        }
        self.rule.settle(now, self.is_pending());
    }

    /// Adds to the trace what clients have used since the last call.
    fn tell_use(&mut self, out: &mut Decisions) {
        let used = core::mem::take(&mut self.untold);
        if used.is_zero() {
            return;
        }
        out.annotate(Annotation::ServerUse { server: self.index, used });
        if let Some((left, _)) = &mut self.told {
            *left -= used;
        }
    }

    /// Adds the server's budget and deadline to the trace if they are not what the trace knows. A server that grants
    /// nothing keeps its deadline, and one that had no job yet has none.
    fn tell_budget(&mut self, out: &mut Decisions) {
        let (left, absolute_deadline) = match self.rule.grant() {
            Grant::Budget { left, absolute_deadline } => {
                let known = absolute_deadline.filter(|deadline| *deadline > Instant::ZERO);
                (left.unwrap_or(Work::ZERO), known.unwrap_or(Instant::NEVER))
            }
            Grant::Nothing => (Work::ZERO, self.told.map_or(Instant::NEVER, |(_, deadline)| deadline)),
        };
        if self.told != Some((left, absolute_deadline)) {
            self.told = Some((left, absolute_deadline));
            out.annotate(Annotation::ServerBudget { server: self.index, left, absolute_deadline });
        }
    }

    /// The server's priority point while it has budget.
    fn point(&self) -> Option<u64> {
        let due = |grant| match grant {
            Grant::Budget { absolute_deadline, .. } => absolute_deadline,
            Grant::Nothing => None,
        };
        self.fixed_point.or_else(|| Some(due(self.rule.grant())?.as_ns().min(Priority::MAX_POINT)))
    }

    /// The priority of the first job, and the budget that the engine is to count while it executes.
    fn standing(&self, job: JobId) -> (Priority, Option<Work>) {
        match self.rule.grant() {
            Grant::Budget { left, .. } => {
                let point = self.point().expect("a server with budget has an urgency");
                (Priority::new(point, job), left)
            }
            Grant::Nothing if self.is_in_background => {
                (Priority::in_band(Band::Background, BACKGROUND, job), None)
            }
            Grant::Nothing => (waiting(job), None),
        }
    }
}

fn waiting(job: JobId) -> Priority {
    Priority::in_band(Band::Background, WAITS, job)
}

fn waits(priority: Priority) -> bool {
    priority.band() == Band::Background && priority.point() == WAITS
}

/// The served job that is linked, and its service when the server was last charged.
#[derive(Clone, Copy)]
struct Running {
    server: usize,
    job: JobId,
    /// True if the job has the server's urgency, and uses its budget.
    is_charged: bool,
    received: Work,
}

/// The tasks and servers of one processor.
pub(super) struct Served {
    cpu: CpuId,
    order: Order,
    servers: Vec<Server>,
    /// By task: its server.
    server_of: Vec<Option<usize>>,
    /// Ready jobs of tasks that are in no server.
    ready: Vec<JobId>,
    linked: Option<JobId>,
    running: Option<Running>,
    /// By client: the job whose priority was set last, and that priority.
    shown: Vec<Option<(JobId, Priority)>>,
    is_work_conserving: bool,
    /// Bandwidth of the tasks that are in no server, in parts of the processor.
    parts_of_tasks: u64,
}

impl Served {
    /// An idle processor. Servers of other processors are passed over.
    pub(super) fn new(
        order: Order,
        servers: &[BudgetServer],
        cpu: CpuId,
        setup: &ClusterSetup<'_>,
    ) -> Served {
        let mut server_of = vec![None; setup.tasks.len()];
        let is_here = |server: &&BudgetServer| {
            server.clients.iter().any(|client| setup.tasks[client.index()].cluster == setup.cluster)
        };
        let here: Vec<(u32, &BudgetServer)> =
            (0..).zip(servers).filter(|(_, server)| is_here(server)).collect();
        for (index, (_, server)) in here.iter().enumerate() {
            server.clients.iter().for_each(|client| server_of[client.index()] = Some(index));
        }
        let is_plain =
            |(index, task): &(usize, &Task)| server_of[*index].is_none() && task.cluster == setup.cluster;
        let plain: Vec<&Task> =
            setup.tasks.iter().enumerate().filter(is_plain).map(|(_, task)| task).collect();
        let rooms = plain.iter().map(|task| share::room(task));
        let whole = share::whole(rooms.chain(here.iter().map(|(_, server)| server.period)));
        let parts = plain.iter().map(|task| share::parts(task.wcet, share::room(task), whole));
        let never_waits = |(_, server): &(u32, &BudgetServer)| {
            server.is_in_background || server.kind.is_in_background() || server.kind.always_grants()
        };
        Served {
            cpu,
            order,
            is_work_conserving: here.iter().all(never_waits),
            servers: (0..)
                .zip(here)
                .map(|(place, (index, server))| Server::new(place, index, server, order, whole))
                .collect(),
            parts_of_tasks: parts.fold(0, u64::saturating_add),
            server_of,
            ready: Vec::with_capacity(setup.tasks.len()),
            linked: None,
            running: None,
            shown: vec![None; setup.tasks.len()],
        }
    }

    fn server_of(&self, job: JobId) -> Option<usize> {
        self.server_of[job.task.index()]
    }

    /// Charges the server of the linked job for the time since the last call.
    fn charge(&mut self, now: Instant, jobs: &Jobs) {
        let Some(running) = &mut self.running else { return };
        let service = jobs.get(running.job).service(now);
        let used = service - running.received;
        running.received = service;
        if !running.is_charged || used.is_zero() {
            return;
        }
        let server = &mut self.servers[running.server];
        server.rule.spend(now, used);
        if server.counted.is_some() {
            server.untold += used;
        }
        if let Some((_, left)) = &mut server.counted {
            *left -= used;
        }
        // The engine forgets a budget of which nothing is left.
        server.counted = server.counted.filter(|(_, left)| !left.is_zero());
    }

    fn admit(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        match self.server_of(job) {
            Some(server) => {
                self.shown[job.task.index()] = Some((job, waiting(job)));
                self.servers[server].admit(job, now, jobs);
            }
            None => self.ready.push(job),
        }
    }

    fn leave(&mut self, job: JobId, now: Instant, jobs: &Jobs) {
        if self.running.is_some_and(|running| running.job == job) {
            self.running = None;
        }
        self.linked = self.linked.filter(|linked| *linked != job);
        match self.server_of(job) {
            Some(server) => self.servers[server].leave(job, now, jobs),
            None => self.ready.retain(|known| *known != job),
        }
    }

    /// Lets each server know how much of the processor is active.
    fn share(&mut self) {
        let active = self.servers.iter().filter(|server| server.rule.is_active()).map(|server| server.parts);
        let active = active.fold(self.parts_of_tasks, u64::saturating_add);
        self.servers.iter_mut().for_each(|server| server.rule.share(active));
    }

    /// Sets the priorities of all clients. Returns the most urgent of the first ones that do not wait, with its server
    /// and the budget to count.
    fn rank(&mut self, out: &mut Decisions) -> Option<(Priority, JobId, usize, Option<Work>)> {
        let mut best = None;
        for (index, server) in self.servers.iter().enumerate() {
            for (place, (_, job)) in server.queue.iter().enumerate() {
                let (priority, left) = match place {
                    0 => server.standing(*job),
                    _ => (waiting(*job), None),
                };
                let shown = &mut self.shown[job.task.index()];
                if *shown != Some((*job, priority)) {
                    *shown = Some((*job, priority));
                    out.push(Decision::SetPriority(*job, priority));
                }
                let is_first =
                    |known: &(Priority, JobId, usize, Option<Work>)| priority.is_higher_than(known.0);
                if !waits(priority) && best.as_ref().is_none_or(is_first) {
                    best = Some((priority, *job, index, left));
                }
            }
        }
        best
    }

    /// Lets the engine count the budget of the linked client. Returns the client as it runs on.
    fn count(
        &mut self,
        (priority, job, index, left): (Priority, JobId, usize, Option<Work>),
        now: Instant,
        jobs: &Jobs,
        out: &mut Decisions,
    ) -> Running {
        let counted = &mut self.servers[index].counted;
        let wanted = left.map(|left| (job, left));
        if *counted != wanted && (left.is_some() || counted.is_some_and(|(known, _)| known == job)) {
            out.push(Decision::Budget(job, left));
        }
        *counted = wanted;
        let (received, is_charged) = (jobs.get(job).service(now), priority.band() == Band::Base);
        Running { server: index, job, is_charged, received }
    }

    fn set_timers(&mut self, now: Instant, out: &mut Decisions) {
        for server in &mut self.servers {
            let next = server.rule.next(server.is_pending());
            debug_assert!(next.is_none_or(|at| at > now), "what is due is settled");
            server.timer.set(next, out);
        }
    }
}

impl Policy for Served {
    fn priority(&self, job: JobId, jobs: &Jobs) -> Priority {
        match self.server_of(job) {
            // The server ranks the job once all events of the instant are known.
            Some(_) => waiting(job),
            None => Priority::new(self.order.rule.point(job, jobs, 1), job),
        }
    }

    fn note(&mut self, now: Instant, event: Event, jobs: &Jobs) {
        self.charge(now, jobs);
        match event {
            Event::Ready(job) | Event::Resumed(job) => self.admit(job, now, jobs),
            Event::Completed(job) | Event::Suspended(job) | Event::Aborted(job) => self.leave(job, now, jobs),
            Event::Timer(TimerKey(server)) => self.servers[server as usize].timer.went_off(),
            Event::PriorityChanged(_)
            | Event::Dispatched { .. }
            | Event::Undispatched { .. }
            | Event::BudgetExhausted(_)
            | Event::Joined(_)
            | Event::Left(_) => {}
        }
    }

    fn decide(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.charge(now, jobs);
        self.servers.iter_mut().for_each(|server| server.tell_use(out));
        self.servers.iter_mut().for_each(|server| server.settle(now, jobs));
        self.share();
        let client = self.rank(out);
        let mut task: Option<(Priority, JobId)> = None;
        for job in &self.ready {
            let priority = jobs.get(*job).effective;
            if task.is_none_or(|(known, _)| priority.is_higher_than(known)) {
                task = Some((priority, *job));
            }
        }
        let client = client.filter(|found| task.is_none_or(|(known, _)| found.0.is_higher_than(known)));
        let first = client.map(|(priority, job, ..)| (priority, job)).or(task);
        self.running = client.map(|found| self.count(found, now, jobs, out));
        for server in &mut self.servers {
            let own = server.point();
            let is_as_urgent = |(priority, _): (Priority, JobId)| {
                priority.band() == Band::Base && own.is_some_and(|own| priority.point() <= own)
            };
            server.rule.observe(now, first.is_some_and(is_as_urgent));
            if first.is_none() {
                server.rule.idle();
            }
            server.tell_budget(out);
        }
        self.set_timers(now, out);
        let linked = first.map(|(_, job)| job);
        if linked != self.linked {
            self.linked = linked;
            out.look(self.cpu);
        }
    }

    fn linked(&self, _: CpuId) -> Option<JobId> {
        self.linked
    }

    fn promises(&self) -> &'static [Invariant] {
        match self.is_work_conserving {
            true => {
                &[Invariant::WorkConserving, Invariant::RespectsPriority, Invariant::ServersKeepTheirBudgets]
            }
            false => &[Invariant::RespectsPriority, Invariant::ServersKeepTheirBudgets],
        }
    }
}
