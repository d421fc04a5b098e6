//! Lanes of budget servers: the budget over time, its replenishments, and the server's deadlines.

use super::{Arrow, ArrowKind, Picture, Slope};
use crate::schedule::Schedule;

impl Schedule {
    /// Adds a lane for each budget server of which the trace tells, below all others.
    pub(super) fn add_budgets(&self, picture: &mut Picture) {
        let servers = &self.servers;
        let first = picture.labels.len();
        let lane = |server: u32| first + server as usize;
        picture.labels.extend(servers.names.iter().cloned());
        let name = |server: u32| &servers.names[server as usize];
        let largest: Vec<f64> =
            (0..servers.names.len() as u32).map(|server| servers.largest(server).as_ns() as f64).collect();
        for stretch in &servers.stretches {
            let (left, left_at_end) = (stretch.left.at_unit_speed(), stretch.left_at_end.at_unit_speed());
            let most = largest[stretch.server as usize].max(1.0);
            let (server, from, to) = (stretch.server, stretch.from, stretch.to);
            let tip = match left == left_at_end {
                true => format!("server {} has {left} of budget, {from} to {to}", name(server)),
                false => {
                    format!(
                        "server {} uses its budget from {left} to {left_at_end}, {from} to {to}",
                        name(server)
                    )
                }
            };
            let (begins, ends) = (left.as_ns() as f64 / most, left_at_end.as_ns() as f64 / most);
            picture.slopes.push(Slope { lane: lane(server), from, to, begins, ends, tip });
        }
        for given in &servers.replenishments {
            let (server, at, amount) = (given.server, given.at, given.amount.at_unit_speed());
            let tip = format!("server {} is given {amount} of budget at {at}", name(server));
            picture.arrows.push(Arrow { lane: lane(server), at, kind: ArrowKind::Replenishment, tip });
        }
        for deadline in &servers.deadlines {
            let (server, at) = (deadline.server, deadline.at);
            let tip = format!("server {} has a deadline at {at}", name(server));
            picture.arrows.push(Arrow { lane: lane(server), at, kind: ArrowKind::Deadline, tip });
        }
    }
}
