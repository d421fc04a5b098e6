//! Clients of a budget server have its urgency only while it has budget, and all that they use is recorded.
//!
//! A client of the band [`Band::Base`] on a processor uses its server's budget. Each record of a use tells exactly how
//! long clients have executed in that way since the one before, and never more than the budget that the server had.
//! When an instant is over, no client is on a processor in that band while its server has none. A server that never had
//! budget, because its rule trusts the costs of jobs, is not judged. Of a real run the decisions are judged, and not
//! the times at which threads followed them.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::{LiveJob, Scene};
use schedlab_model::{Band, Duration, Instant, Work};
use schedlab_trace::{about, Record};

pub(super) struct ServersKeepTheirBudgets {
    /// By task: its server.
    server_of: Vec<Option<u32>>,
    names: Vec<String>,
    servers: Vec<Server>,
}

#[derive(Clone, Copy, Default)]
struct Server {
    /// True if the server has had budget.
    is_counted: bool,
    left: Work,
    /// Time that clients have executed at the server's urgency since the last record of a use.
    executed: Duration,
}

impl ServersKeepTheirBudgets {
    pub(super) fn new(context: &Context) -> Self {
        let is_judged = context.tolerance == Duration::ZERO;
        let names = if is_judged { context.server_names.clone() } else { Vec::new() };
        let servers = vec![Server::default(); names.len()];
        ServersKeepTheirBudgets { server_of: context.servers.clone(), names, servers }
    }

    /// Servers whose budgets are in use, each with the client that executes.
    fn in_use<'a>(&'a self, scene: &'a Scene) -> impl Iterator<Item = (usize, &'a LiveJob)> {
        let occupants = scene.cpus.iter().filter(|cpu| cpu.overhead.is_none());
        let jobs = occupants.filter_map(|cpu| scene.job(cpu.occupant?));
        jobs.filter_map(|job| {
            let server = self.server_of.get(job.id.task.index()).copied().flatten()? as usize;
            let is_used = job.priority.is_some_and(|priority| priority.band() == Band::Base);
            (is_used && server < self.servers.len()).then_some((server, job))
        })
    }
}

impl Predicate for ServersKeepTheirBudgets {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        let elapsed = at.saturating_since(scene.now);
        if elapsed > Duration::ZERO {
            let used: Vec<usize> = self.in_use(scene).map(|(server, _)| server).collect();
            used.into_iter().for_each(|server| self.servers[server].executed += elapsed);
        }
        match *record {
            Record::ServerUse { server, used } => {
                let index = server as usize;
                let Some(place) = self.servers.get_mut(index) else { return };
                let name = &self.names[index];
                let executed = core::mem::take(&mut place.executed);
                if used.at_unit_speed() != executed {
                    let used = used.at_unit_speed();
                    let what =
                        format!("server \"{name}\" is charged {used}, and clients executed {executed}");
                    found.add(Violation::new(at, None, None, what));
                }
                if used > place.left {
                    let (used, left) = (used.at_unit_speed(), place.left.at_unit_speed());
                    let what = format!("server \"{name}\" is charged {used} of a budget of {left}");
                    found.add(Violation::new(at, None, None, what));
                }
                place.left -= used.min(place.left);
            }
            Record::ServerBudget { server, left, .. } => {
                let Some(place) = self.servers.get_mut(server as usize) else { return };
                place.left = left;
                place.is_counted |= !left.is_zero();
            }
            about![lives, places, urgencies, requests, attempts, quanta, overheads, tasks, trace] => {}
        }
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Violations) {
        for (server, job) in self.in_use(scene) {
            let Server { is_counted, left, .. } = self.servers[server];
            if is_counted && left.is_zero() {
                let what =
                    format!("{} executes, and server \"{}\" has no budget", job.id, self.names[server]);
                found.add(Violation::new(scene.now, job.id, None, what));
            }
        }
    }
}
