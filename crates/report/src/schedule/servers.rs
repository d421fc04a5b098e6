//! Budgets of servers in a window of time, from the records of their uses and replenishments.

use super::Window;
use schedlab_model::{Duration, Instant, Work};

/// A stretch of time in which a budget server keeps its budget, or clients use it without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetStretch {
    /// Index of the server.
    pub server: u32,
    /// Begin of the stretch.
    pub from: Instant,
    /// End of the stretch.
    pub to: Instant,
    /// Budget at the begin.
    pub left: Work,
    /// Budget at the end, before what is given back there. It is the same, or less by the length of the stretch.
    pub left_at_end: Work,
}

/// Budget that a server is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replenishment {
    /// Index of the server.
    pub server: u32,
    /// Time of the replenishment.
    pub at: Instant,
    /// Budget by which the server has more.
    pub amount: Work,
}

/// A deadline that is a server's urgency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerDeadline {
    /// Index of the server.
    pub server: u32,
    /// Time of the deadline.
    pub at: Instant,
}

/// Budgets of all servers in a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    /// Names of the servers, by index.
    pub names: Vec<String>,
    /// Stretches by time, those of each server one after the other. What the trace does not say is left out.
    pub stretches: Vec<BudgetStretch>,
    /// Replenishments by time.
    pub replenishments: Vec<Replenishment>,
    /// Deadlines by time.
    pub deadlines: Vec<ServerDeadline>,
}

impl Budgets {
    /// Number of things to draw.
    pub(super) fn size(&self) -> usize {
        self.stretches.len() + self.replenishments.len() + self.deadlines.len()
    }

    /// The largest budget that the server has in the window.
    pub(super) fn largest(&self, server: u32) -> Work {
        let mine = self.stretches.iter().filter(|stretch| stretch.server == server);
        mine.map(|stretch| stretch.left).max().unwrap_or(Work::ZERO)
    }
}

/// The last that records said of a server.
#[derive(Clone, Copy, Debug)]
struct Known {
    since: Instant,
    left: Work,
    absolute_deadline: Instant,
}

/// The budget that is left of `left` after `used`; nothing if the records contradict themselves.
fn less(left: Work, used: Work) -> Work {
    if used < left {
        left - used
    } else {
        Work::ZERO
    }
}

/// Makes [`Budgets`] from records.
#[derive(Clone, Debug)]
pub(super) struct BudgetRecorder {
    window: Window,
    known: Vec<Option<Known>>,
    budgets: Budgets,
}

impl BudgetRecorder {
    pub(super) fn new(names: &[String], window: Window) -> Self {
        let budgets = Budgets { names: names.to_vec(), ..Budgets::default() };
        BudgetRecorder { window, known: vec![None; names.len()], budgets }
    }

    pub(super) fn size(&self) -> usize {
        self.budgets.size()
    }

    /// Clients of `server` have used `used` without a break, up to `at`.
    pub(super) fn used(&mut self, at: Instant, server: u32, used: Work) {
        let Some(Some(known)) = self.known.get(server as usize).copied() else { return };
        let length = used.at_unit_speed().min(at.saturating_since(known.since));
        let begin = Instant::from_ns(at.as_ns() - length.as_ns());
        self.add(server, known.since, begin, known.left, known.left);
        let rest = less(known.left, used);
        self.add(server, begin, at, known.left, rest);
        self.known[server as usize] = Some(Known { since: at, left: rest, ..known });
    }

    /// From `at` on, `server` has this budget and deadline.
    pub(super) fn set(&mut self, at: Instant, server: u32, left: Work, absolute_deadline: Instant) {
        let Some(place) = self.known.get_mut(server as usize) else { return };
        let before = place.replace(Known { since: at, left, absolute_deadline });
        if let Some(known) = before {
            self.add(server, known.since, at, known.left, known.left);
        }
        let had = before.map_or(Work::ZERO, |known| known.left);
        if left > had && self.window.holds(at) {
            self.budgets.replenishments.push(Replenishment { server, at, amount: left - had });
        }
        let is_new = before.is_none_or(|known| known.absolute_deadline != absolute_deadline);
        if is_new && absolute_deadline != Instant::NEVER && self.window.holds(absolute_deadline) {
            self.budgets.deadlines.push(ServerDeadline { server, at: absolute_deadline });
        }
    }

    /// Returns the budgets up to `end`. `using` says since when a client of a server has used it, if one does then.
    pub(super) fn finish(mut self, end: Instant, using: impl Fn(u32) -> Option<Instant>) -> Budgets {
        for server in 0..self.known.len() as u32 {
            let Some(known) = self.known[server as usize] else { continue };
            let begin = using(server).map_or(end, |since| since.max(known.since).min(end));
            self.add(server, known.since, begin, known.left, known.left);
            let used = Work::done_in(end.saturating_since(begin));
            self.add(server, begin, end, known.left, less(known.left, used));
        }
        self.budgets.deadlines.sort_by_key(|deadline| (deadline.at, deadline.server));
        self.budgets
    }

    /// Adds the part of a stretch that is inside the window, and joins what only goes on.
    fn add(&mut self, server: u32, from: Instant, to: Instant, left: Work, left_at_end: Work) {
        let Some((inside_from, inside_to)) = self.window.cut(from, to) else { return };
        let is_used = left_at_end < left;
        let after = |length: Duration| match is_used {
            true => less(left, Work::done_in(length)),
            false => left,
        };
        let (first, last) = (after(inside_from - from), after(inside_to - from).max(left_at_end));
        if let Some(before) = self.budgets.stretches.iter_mut().rev().find(|one| one.server == server) {
            let was_used = before.left_at_end < before.left;
            if (before.to, before.left_at_end, was_used) == (inside_from, first, is_used) {
                (before.to, before.left_at_end) = (inside_to, last);
                return;
            }
        }
        let stretch =
            BudgetStretch { server, from: inside_from, to: inside_to, left: first, left_at_end: last };
        self.budgets.stretches.push(stretch);
    }
}
