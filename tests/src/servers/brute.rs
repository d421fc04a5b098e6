//! A simulator of tasks and servers that goes through time nanosecond by nanosecond, from the published rules alone.
//!
//! On several processors, the most urgent candidates stay where they are, others go to their last processors if these
//! are free, and the rest to free ones in turn. A job that executed until now keeps its processor: one that has got it
//! moves.

use super::budget::{
    begin, charge, idle, initial, is_inactive, lasts, observe, parts_of_tasks, replenish, share, urgency,
    wake, Budget, Open, State, Urgency, WHOLE,
};
use super::mix::{Mix, MixServer, MixTask};
use super::Ticks;
use schedlab_model::JobId;
use schedlab_policy::servers::ClientOrder;

/// The processors of a mix, and which jobs they execute.
struct Machine {
    on: Vec<Option<Open>>,
    /// The jobs that executed in the nanosecond before, and are not complete.
    before: Vec<Option<JobId>>,
    /// By task: the processor where it executed last.
    last: Vec<Option<usize>>,
    /// By server: the processor where a client executed last.
    home: Vec<usize>,
}

impl Machine {
    fn new(mix: &Mix) -> Machine {
        Machine {
            on: vec![None; mix.processors],
            before: vec![None; mix.processors],
            last: vec![None; mix.tasks.len()],
            home: (0..mix.servers.len()).map(|server| server % mix.processors).collect(),
        }
    }

    /// Assigns the chosen jobs, the most urgent one first.
    fn assign(&mut self, chosen: &[(Urgency, Open)]) {
        let is_on = |on: &Option<Open>, job: &Open| on.is_some_and(|known| known.id() == job.id());
        for place in &mut self.on {
            *place = place.filter(|known| chosen.iter().any(|(_, job)| job.id() == known.id()));
        }
        let mut waiting = Vec::new();
        for (_, job) in chosen {
            match self.last[job.task] {
                _ if self.on.iter().any(|on| is_on(on, job)) => {}
                Some(place) if self.on[place].is_none() => self.on[place] = Some(*job),
                _ => waiting.push(*job),
            }
        }
        for job in waiting {
            let free = self.on.iter().position(Option::is_none).expect("no more are chosen");
            let own = self.before.iter().position(|known| *known == Some(job.id()));
            let place = own.unwrap_or(free);
            self.on[free] = self.on[place].take();
            self.on[place] = Some(job);
        }
    }

    /// Notes where the jobs execute.
    fn execute_there(&mut self, mix: &Mix) {
        for (place, job) in self.on.iter().enumerate() {
            let Some(job) = job else { continue };
            self.last[job.task] = Some(place);
            if let Some(server) = mix.tasks[job.task].server {
                self.home[server] = place;
            }
        }
    }
}

/// The schedule of the mix up to its horizon.
pub(super) fn schedule(mix: &Mix) -> Ticks {
    let mut ticks = Ticks { on: vec![Vec::new(); mix.processors], completions: Vec::new() };
    let mut machine = Machine::new(mix);
    let mut budgets: Vec<Budget> = mix.servers.iter().map(initial).collect();
    let mut open: Vec<Open> = Vec::new();
    for (task, spec) in mix.tasks.iter().enumerate() {
        let jobs = spec.jobs(mix.horizon).into_iter().zip(0..);
        open.extend(jobs.map(|((arrival, left), number)| Open { arrival, task, number, left }));
    }
    let mut was_pending = vec![false; mix.servers.len()];
    for now in 0..mix.horizon {
        let firsts = firsts(mix, &mut budgets, &mut was_pending, &open, now);
        let active = share(mix, &mut budgets);
        let (chosen, paces) = loop {
            let mut chosen = candidates(mix, &budgets, &firsts, &open, now);
            chosen.truncate(mix.processors);
            machine.assign(&chosen);
            let paces = paces(mix, &budgets, &machine);
            let lasting = (0..paces.len()).filter(|index| lasts(&mut budgets[*index], paces[*index])).count();
            if lasting == paces.len() {
                break (chosen, paces);
            }
        };
        machine.execute_there(mix);
        for (budget, server) in budgets.iter_mut().zip(&mix.servers) {
            let own = match budget {
                Budget::Periodic { deadline, .. } if server.has_deadlines => *deadline,
                _ => server.period,
            };
            let is_as_urgent = |((is_behind, point, ..), _): &(Urgency, Open)| !is_behind && *point <= own;
            observe(budget, server, now, chosen.first().is_some_and(is_as_urgent));
            if let (true, Budget::Reclaiming { state, .. }) = (chosen.is_empty(), budget) {
                *state = State::Inactive;
            }
        }
        for (place, row) in ticks.on.iter_mut().enumerate() {
            row.push(machine.on[place].map(Open::id));
        }
        for ((is_behind, ..), job) in &chosen {
            if let (Some(index), false) = (mix.tasks[job.task].server, is_behind) {
                charge(&mut budgets[index], &mix.servers[index], now, (active, paces[index]));
            }
        }
        execute(&mut ticks, &mut machine, &mut open, now);
    }
    ticks.completions.sort_unstable_by_key(|(at, job)| (*at, job.task, job.number));
    ticks
}

/// Lets the jobs on the processors execute for a nanosecond.
fn execute(ticks: &mut Ticks, machine: &mut Machine, open: &mut Vec<Open>, now: u64) {
    for place in &mut machine.on {
        let Some(id) = place.map(Open::id) else { continue };
        let job = open.iter_mut().find(|known| known.id() == id).expect("it is open");
        job.left -= 1;
        if job.left == 0 {
            ticks.completions.push((now + 1, id));
            open.retain(|job| job.id() != id);
            *place = None;
        }
    }
    machine.before = machine.on.iter().map(|on| on.map(Open::id)).collect();
}

/// Brings all servers up to `now`. Returns, by server, the first of its pending jobs.
fn firsts(
    mix: &Mix,
    budgets: &mut [Budget],
    was_pending: &mut [bool],
    open: &[Open],
    now: u64,
) -> Vec<Option<Open>> {
    let mut firsts: Vec<Option<Open>> = Vec::new();
    for (index, server) in mix.servers.iter().enumerate() {
        let budget = &mut budgets[index];
        let is_mine = |job: &Open| mix.tasks[job.task].server == Some(index) && job.arrival <= now;
        let mine = open.iter().copied().filter(is_mine);
        let first = mine.clone().min_by_key(|job| place(server, &mix.tasks[job.task], *job));
        let is_new = !mine.clone().any(|job| job.arrival < now);
        if was_pending[index] && is_new {
            idle(budget, server);
        }
        if first.is_some() && is_new {
            wake(budget, server, now);
        }
        was_pending[index] = first.is_some();
        if let Some(job) = first {
            begin(budget, server, now, job, mix.tasks[job.task].wcet);
        }
        replenish(budget, server, now, first.is_some());
        firsts.push(first);
    }
    firsts
}

/// The jobs that may execute, the most urgent one first.
fn candidates(
    mix: &Mix,
    budgets: &[Budget],
    firsts: &[Option<Open>],
    open: &[Open],
    now: u64,
) -> Vec<(Urgency, Open)> {
    let mut candidates: Vec<(Urgency, Open)> = Vec::new();
    for ((budget, server), first) in budgets.iter().zip(&mix.servers).zip(firsts) {
        candidates.extend(first.and_then(|job| Some((urgency(budget, server, now, job)?, job))));
    }
    for (task, spec) in mix.tasks.iter().enumerate().filter(|(_, spec)| spec.server.is_none()) {
        if let Some(job) = open.iter().filter(|job| job.task == task && job.arrival <= now).min() {
            let point = if mix.has_deadlines { job.arrival + spec.deadline } else { spec.period };
            candidates.push(((false, point, task, job.number), *job));
        }
    }
    candidates.sort_unstable_by_key(|(urgency, _)| *urgency);
    candidates
}

/// By server: parts of its budget that it uses in this nanosecond, if it executes and reclaims as Linux has it.
fn paces(mix: &Mix, budgets: &[Budget], machine: &Machine) -> Vec<u64> {
    let own = |server: &MixServer| server.budget * WHOLE / server.period;
    let all = parts_of_tasks(mix) + mix.servers.iter().map(own).sum::<u64>();
    let mut paces = vec![0; mix.servers.len()];
    for (place, job) in machine.on.iter().enumerate() {
        let Some(index) = job.and_then(|job| mix.tasks[job.task].server) else { continue };
        let is_here = |other: &usize| machine.home[*other] == place && !mix.reclaims_elsewhere;
        let inactive = (0..mix.servers.len()).filter(is_here).filter(|other| is_inactive(&budgets[*other]));
        let unused: u64 = inactive.map(|other| own(&mix.servers[other])).sum();
        // Umax - Uinact - Uextra, with an Uextra of 1 less the part of each processor.
        let left = (all / mix.processors as u64).saturating_sub(unused);
        paces[index] = left.max(own(&mix.servers[index])).min(WHOLE);
    }
    paces
}

/// Place of a job among those of its server; the smallest one is the first.
fn place(server: &MixServer, task: &MixTask, job: Open) -> (u64, usize, u32) {
    let point = match server.order {
        ClientOrder::Arrival => job.arrival,
        ClientOrder::Edf => job.arrival + task.deadline,
        ClientOrder::Fp => task.priority,
        ClientOrder::Rm | ClientOrder::Dm => unreachable!("no mix has these orders"),
    };
    (point, job.task, job.number)
}
