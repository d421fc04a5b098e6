//! Random mixes of a few tasks and servers, in small whole numbers of nanoseconds, where many events coincide.

use schedlab_policy::servers::{ClientOrder, ServerKind, Urgency};
use schedlab_workload::Random;
use std::fmt::Write;

/// Cost of an overloaded job beyond its usual one, in ns.
const OVERLOAD: u64 = 40;

/// A task, or a client of a server.
#[derive(Clone, Debug)]
pub(super) struct MixTask {
    pub(super) wcet: u64,
    pub(super) period: u64,
    pub(super) deadline: u64,
    offset: u64,
    /// Index of its server.
    pub(super) server: Option<usize>,
    /// Priority among the clients of its server.
    pub(super) priority: u64,
    /// Arrivals and costs of a client's jobs.
    listed: Vec<(u64, u64)>,
}

impl MixTask {
    /// Arrivals and costs of the jobs before `horizon`.
    pub(super) fn jobs(&self, horizon: u64) -> Vec<(u64, u64)> {
        match self.server {
            Some(_) => self.listed.iter().copied().filter(|(at, _)| *at < horizon).collect(),
            None => (self.offset..horizon).step_by(self.period as usize).map(|at| (at, self.wcet)).collect(),
        }
    }
}

/// A server.
#[derive(Clone, Debug)]
pub(super) struct MixServer {
    pub(super) kind: ServerKind,
    pub(super) budget: u64,
    pub(super) period: u64,
    /// Relative deadline of a periodic server; of others the period.
    pub(super) deadline: u64,
    pub(super) background: bool,
    /// Order of its clients: first come, first served, EDF or FP.
    pub(super) order: ClientOrder,
    /// True if deadlines are urgencies, false if periods are.
    pub(super) has_deadlines: bool,
}

/// Tasks and servers of some processors that share a ready queue.
#[derive(Clone, Debug)]
pub(super) struct Mix {
    pub(super) has_deadlines: bool,
    pub(super) processors: usize,
    /// True if inactive servers belong to no processor, which no rule says: only to see that it makes a difference.
    pub(super) reclaims_elsewhere: bool,
    pub(super) tasks: Vec<MixTask>,
    pub(super) servers: Vec<MixServer>,
    pub(super) horizon: u64,
}

impl Mix {
    /// Mix `index` of `seed`: rate-monotonic priorities, or EDF on up to three processors.
    pub(super) fn draw(seed: u64, index: u64) -> Mix {
        let mut random = Random::new(seed, *b"Servers!", index);
        let (has_deadlines, horizon) = (random.below(2) == 0, 80);
        let kinds: Vec<ServerKind> = ServerKind::NAMED.map(|(_, kind)| kind).into();
        let processors = if has_deadlines { [1, 1, 2, 2, 3][random.below(5) as usize] } else { 1 };
        let foreign = if has_deadlines { Urgency::Fixed } else { Urgency::Deadline };
        let kinds: Vec<ServerKind> = kinds.into_iter().filter(|kind| kind.urgency() != foreign).collect();
        let may_be = |kind: &ServerKind| processors == 1 || kind.knows_several_processors();
        let kinds: Vec<ServerKind> = kinds.into_iter().filter(may_be).collect();
        let servers: Vec<MixServer> = (0..random.between(1, 1 + processors as u64))
            .map(|_| {
                let period = random.between(2, 12);
                let kind = kinds[random.below(kinds.len() as u64) as usize];
                let background = !has_deadlines && random.below(3) == 0;
                let budget = random.between(1, period.min(5));
                let is_explicit = kind == ServerKind::Periodic && random.below(2) == 0;
                let deadline = if is_explicit { random.between(budget, period) } else { period };
                let order = match random.below(8) {
                    0 if !kind.is_by_job() => ClientOrder::Edf,
                    1 if !kind.is_by_job() => ClientOrder::Fp,
                    _ => ClientOrder::Arrival,
                };
                MixServer { kind, budget, period, deadline, background, order, has_deadlines }
            })
            .collect();
        let mut tasks: Vec<MixTask> =
            (0..random.between(0, 2 + processors as u64)).map(|_| plain(&mut random)).collect();
        for server in 0..servers.len() {
            for _ in 0..random.between(1, 2) {
                let client = client(server, horizon, &mut random);
                tasks.insert(random.below(tasks.len() as u64 + 1) as usize, client);
            }
        }
        Mix { has_deadlines, processors, reclaims_elsewhere: false, tasks, servers, horizon }
    }

    /// The mix with clients whose jobs need far more than before.
    pub(super) fn overloaded(&self) -> Mix {
        let mut mix = self.clone();
        for task in mix.tasks.iter_mut().filter(|task| task.server.is_some()) {
            task.wcet += OVERLOAD;
            task.listed.iter_mut().for_each(|(_, cost)| *cost += OVERLOAD);
        }
        mix
    }

    /// The mix as a scenario file.
    pub(super) fn text(&self) -> String {
        let scheduler = match (self.has_deadlines, self.processors) {
            (false, _) => "P-RM",
            (true, 1) => "P-EDF",
            (true, _) => "G-EDF",
        };
        let mut text = format!(
            "schedlab = 1\nhorizon = \"{} ns\"\nscheduler = \"{scheduler}\"\nplatform.processors = {}\n",
            self.horizon, self.processors
        );
        for (index, server) in self.servers.iter().enumerate() {
            let MixServer { kind, budget, period, deadline, background, order, .. } = server;
            let _ = write!(
                text,
                "[[server]]\nname = \"s{index}\"\nkind = \"{}\"\nbudget = \"{budget} ns\"\nperiod = \"{period} ns\"\n",
                kind.name()
            );
            text += if *background { "background = true\n" } else { "" };
            if *kind == ServerKind::Periodic {
                let _ = writeln!(text, "deadline = \"{deadline} ns\"");
            }
            let _ = writeln!(text, "order = \"{}\"", order.name());
        }
        for (index, task) in self.tasks.iter().enumerate() {
            let MixTask { wcet, period, deadline, offset, server, listed, priority } = task;
            let _ = write!(
                text,
                "[[task]]\nname = \"t{index}\"\nwcet = \"{wcet} ns\"\nperiod = \"{period} ns\"\n"
            );
            let list = |values: Vec<u64>| {
                values.iter().map(|value| format!("\"{value} ns\"")).collect::<Vec<_>>().join(", ")
            };
            let order = server.map_or(ClientOrder::Arrival, |server| self.servers[server].order);
            if order.is_subsystem() {
                let _ = writeln!(text, "deadline = \"{deadline} ns\"\nwcet_may_exceed_deadline = true");
            }
            if order == ClientOrder::Fp {
                let _ = writeln!(text, "priority = {priority}");
            }
            let _ = match server {
                Some(server) => write!(
                    text,
                    "server = \"s{server}\"\narrival = {{ at = [{}] }}\ncost = {{ list = [{}] }}\n",
                    list(listed.iter().map(|(at, _)| *at).collect()),
                    list(listed.iter().map(|(_, cost)| *cost).collect())
                ),
                None => writeln!(text, "deadline = \"{deadline} ns\"\noffset = \"{offset} ns\""),
            };
        }
        text
    }
}

fn plain(random: &mut Random) -> MixTask {
    let period = random.between(3, 16);
    let wcet = random.between(1, (period / 2).min(4));
    let deadline = if random.below(4) == 0 { random.between(wcet, period) } else { period };
    let offset = random.below(3) * random.below(4);
    MixTask { wcet, period, deadline, offset, server: None, priority: 0, listed: Vec::new() }
}

fn client(server: usize, horizon: u64, random: &mut Random) -> MixTask {
    let (mut listed, mut at) = (Vec::new(), random.below(8));
    let apart = random.between(2, 14);
    while at < horizon {
        listed.push((at, random.between(1, 5)));
        at += random.between(1, apart);
    }
    let most = listed.iter().map(|(_, cost)| *cost).max().unwrap_or(1);
    let wcet = most + random.below(3);
    let (deadline, priority) = (random.between(1, 40), random.below(2));
    MixTask { wcet, period: 1, deadline, offset: 0, server: Some(server), priority, listed }
}
