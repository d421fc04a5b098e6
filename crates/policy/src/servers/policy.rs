//! Tasks and budget servers of one cluster: the most urgent of them have its processors.
//!
//! Each server stands among the tasks as one of them, and executes one client at a time, so that it is on one processor
//! at most. On one processor the most urgent of them goes first; on m, the m most urgent ones go. Links are kept as far
//! as possible ([`crate::chosen_links`]). A decision takes O(n log n) for n ready jobs and servers.

use super::server::{waiting, waits, Server};
use super::setup::BudgetServer;
use super::share;
use crate::chosen_links::ChosenLinks;
use crate::decisions::{Decision, Decisions};
use crate::order::Order;
use crate::setup::ClusterSetup;
use crate::Policy;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;
use schedlab_model::{Band, CpuId, Event, Instant, Invariant, JobId, Jobs, Priority, Task, TimerKey, Work};

/// A served job that is linked, and its service when the server was last charged.
#[derive(Clone, Copy)]
struct Running {
    server: usize,
    job: JobId,
    /// True if the job has the server's urgency, and uses its budget.
    is_charged: bool,
    received: Work,
}

/// A task's job, or the first client of a server, that wants a processor.
#[derive(Clone, Copy)]
struct Candidate {
    priority: Priority,
    job: JobId,
    /// The server and the budget to count, if the job is a client.
    client: Option<(usize, Option<Work>)>,
}

/// The tasks and servers of one cluster.
pub(super) struct Served {
    order: Order,
    processors: usize,
    servers: Vec<Server>,
    /// By task: its server.
    server_of: Vec<Option<usize>>,
    /// Ready jobs of tasks that are in no server.
    ready: Vec<JobId>,
    candidates: Vec<Candidate>,
    /// The jobs of the first candidates, one for each processor at most.
    chosen: Vec<JobId>,
    links: ChosenLinks,
    /// Clients that are linked.
    running: Vec<Running>,
    /// By client: the job whose priority was set last, and that priority.
    shown: Vec<Option<(JobId, Priority)>>,
    is_work_conserving: bool,
    /// Bandwidth of the tasks that are in no server, in parts of a processor.
    parts_of_tasks: u64,
    /// By place of a processor: bandwidth of the inactive servers whose clients executed there last.
    inactive: Vec<u64>,
}

impl Served {
    /// An idle cluster. Servers of other clusters are passed over.
    pub(super) fn new(order: Order, servers: &[BudgetServer], setup: &ClusterSetup<'_>) -> Served {
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
        let processors = setup.cpus.len();
        let whole = share::whole(rooms.chain(here.iter().map(|(_, server)| server.period)));
        // Each processor's part of all bandwidths is then a whole number, too.
        let whole = whole * processors.max(1) as u64;
        let parts = plain.iter().map(|task| share::parts(task.wcet, share::room(task), whole));
        let never_waits = |(_, server): &(u32, &BudgetServer)| {
            server.is_in_background || server.kind.is_in_background() || server.kind.always_grants()
        };
        Served {
            order,
            processors,
            // Where there are more processors, a server's second client waits for the first one.
            is_work_conserving: processors == 1 && here.iter().all(never_waits),
            servers: (0..)
                .zip(here)
                .map(|(place, (index, server))| {
                    Server::new((place, index), server, order, (whole, processors))
                })
                .collect(),
            parts_of_tasks: parts.fold(0, u64::saturating_add),
            server_of,
            ready: Vec::with_capacity(setup.tasks.len()),
            candidates: Vec::with_capacity(setup.tasks.len()),
            chosen: Vec::with_capacity(processors),
            links: ChosenLinks::new(setup.cpus, setup.platform.processors().into(), setup.tasks.len()),
            running: Vec::with_capacity(processors),
            inactive: vec![0; processors],
            shown: vec![None; setup.tasks.len()],
        }
    }

    fn server_of(&self, job: JobId) -> Option<usize> {
        self.server_of[job.task.index()]
    }

    /// Charges the servers of the linked jobs for the time since the last call.
    fn charge(&mut self, now: Instant, jobs: &Jobs) {
        for running in &mut self.running {
            let service = jobs.get(running.job).service(now);
            let used = service - running.received;
            running.received = service;
            if !running.is_charged || used.is_zero() {
                continue;
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
        self.running.retain(|running| running.job != job);
        self.links.remove(job);
        match self.server_of(job) {
            Some(server) => self.servers[server].leave(job, now, jobs),
            None => self.ready.retain(|known| *known != job),
        }
    }

    /// Lets each server know how much bandwidth is active.
    fn share(&mut self) {
        let active = self.servers.iter().filter(|server| server.rule.is_active()).map(|server| server.parts);
        let active = active.fold(self.parts_of_tasks, u64::saturating_add);
        self.servers.iter_mut().for_each(|server| server.rule.share(active));
    }

    /// Sets the priorities of all clients, and collects the jobs that may have a processor: those of tasks, and the
    /// first clients that do not wait.
    fn rank(&mut self, jobs: &Jobs, out: &mut Decisions) {
        self.candidates.clear();
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
                if !waits(priority) {
                    self.candidates.push(Candidate { priority, job: *job, client: Some((index, left)) });
                }
            }
        }
        let of_task = |job: &JobId| Candidate { priority: jobs.get(*job).effective, job: *job, client: None };
        self.candidates.extend(self.ready.iter().map(of_task));
    }

    /// Chooses the most urgent candidates, and links them.
    fn choose(&mut self, jobs: &Jobs, out: &mut Decisions) {
        self.candidates.sort_unstable_by(|one, other| match one.priority.is_higher_than(other.priority) {
            true => Ordering::Less,
            false => Ordering::Greater,
        });
        self.candidates.truncate(self.processors);
        self.chosen.clear();
        self.chosen.extend(self.candidates.iter().map(|candidate| candidate.job));
        self.links.keep(&self.chosen, out);
        self.links.add(&self.chosen, jobs, out);
    }

    /// Lets the servers of chosen clients know at which pace they use their budgets where they are linked. Returns
    /// false if some have then none.
    fn set_paces(&mut self) -> bool {
        let mut all_have_some = true;
        let all = self.servers.iter().map(|server| server.parts);
        let each = all.fold(self.parts_of_tasks, u64::saturating_add).div_ceil(self.processors.max(1) as u64);
        self.inactive.fill(0);
        for server in self.servers.iter().filter(|server| !server.rule.is_active()) {
            self.inactive[server.home] += server.parts;
        }
        for candidate in &mut self.candidates {
            if let Some((index, left)) = &mut candidate.client {
                let place = self.links.place(candidate.job).expect("a chosen job is linked");
                let server = &mut self.servers[*index];
                all_have_some &= server.rule.set_pace(each, self.inactive[place]);
                *left = server.standing(candidate.job).1;
            }
        }
        all_have_some
    }

    /// Lets the engine count the budgets of the chosen clients.
    fn count(&mut self, now: Instant, jobs: &Jobs, out: &mut Decisions) {
        self.running.clear();
        for Candidate { priority, job, client } in &self.candidates {
            let Some((index, left)) = *client else { continue };
            self.servers[index].home = self.links.place(*job).expect("a chosen job is linked");
            let counted = &mut self.servers[index].counted;
            let wanted = left.map(|left| (*job, left));
            if *counted != wanted && (left.is_some() || counted.is_some_and(|(known, _)| known == *job)) {
                out.push(Decision::Budget(*job, left));
            }
            *counted = wanted;
            let (received, is_charged) = (jobs.get(*job).service(now), priority.band() == Band::Base);
            self.running.push(Running { server: index, job: *job, is_charged, received });
        }
    }

    /// Lets each server know whether something as urgent as it executes, and tells the trace of its budget.
    fn observe(&mut self, now: Instant, out: &mut Decisions) {
        let first = self.candidates.first().map(|candidate| candidate.priority);
        for server in &mut self.servers {
            let own = server.point();
            let is_as_urgent = |priority: Priority| {
                priority.band() == Band::Base && own.is_some_and(|own| priority.point() <= own)
            };
            server.rule.observe(now, first.is_some_and(is_as_urgent));
            if first.is_none() {
                server.rule.idle();
            }
            server.tell_budget(out);
        }
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
        loop {
            self.rank(jobs, out);
            self.choose(jobs, out);
            if self.set_paces() {
                break;
            }
        }
        self.count(now, jobs, out);
        self.observe(now, out);
        self.set_timers(now, out);
    }

    fn linked(&self, cpu: CpuId) -> Option<JobId> {
        self.links.on(cpu)
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
