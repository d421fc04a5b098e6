//! Reservations of `SCHED_DEADLINE`: a constant-bandwidth server for each thread of that class.
//!
//! L. Abeni and G. Buttazzo, *Integrating multimedia applications in hard real-time systems*, RTSS 1998, as
//! `kernel/sched/deadline.c` has it:
//!
//! * A thread that wakes up keeps budget and deadline if the deadline is not past and the budget is no larger part of
//!   the time until then than that of the reservation (`dl_entity_overflow`). Otherwise it gets a whole budget, and a
//!   deadline counted from now.
//! * A thread that has used its budget stops until its next period begins, and then has a whole budget and a deadline a
//!   period later (`dl_next_period`, `replenish_dl_entity`).
//!
//! Outside of the model are the reclaiming of unused budgets (`GRUB`), the revised wake-up rule of deadlines below the
//! period, and the admission test.

use alloc::vec::Vec;
use schedlab_model::{Instant, Task, ThreadClass};

/// The server of one thread, in ns.
#[derive(Clone, Copy, Debug)]
struct Server {
    budget: u64,
    relative_deadline: u64,
    period: u64,
    /// Budget that is left until the deadline.
    left: u64,
    absolute_deadline: u64,
    /// Time at which a thread that was stopped gets a whole budget.
    stopped_until: Option<u64>,
    /// Time to which the policy's timer is set.
    armed: Option<Instant>,
}

/// The servers of all tasks.
#[derive(Clone, Debug)]
pub(super) struct Reservations {
    /// By task; `None` for a task of another class.
    servers: Vec<Option<Server>>,
    /// Time up to which budgets are charged.
    kept_until: u64,
}

impl Reservations {
    /// Servers of the tasks that have one.
    pub(super) fn new(tasks: &[Task]) -> Self {
        let of = |task: &Task| {
            (task.class == ThreadClass::Deadline).then(|| Server {
                budget: task.wcet.as_ns(),
                relative_deadline: task.relative_deadline.as_ns(),
                period: task.period.as_ns(),
                left: 0,
                absolute_deadline: 0,
                stopped_until: None,
                armed: None,
            })
        };
        Reservations { servers: tasks.iter().map(of).collect(), kept_until: 0 }
    }

    /// True if no task has a server.
    pub(super) fn are_none(&self) -> bool {
        self.servers.iter().all(Option::is_none)
    }

    /// Tasks that have a server.
    pub(super) fn tasks(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.servers).filter(|(_, server)| server.is_some()).map(|(task, _)| task)
    }

    fn server(&mut self, task: u32) -> Option<&mut Server> {
        self.servers[task as usize].as_mut()
    }

    /// Charges the time since the last call to the threads of `running`.
    pub(super) fn charge(&mut self, now: Instant, running: impl Iterator<Item = u32>) {
        let passed = now.as_ns() - self.kept_until;
        self.kept_until = now.as_ns();
        for task in running {
            if let Some(server) = self.server(task) {
                server.left = server.left.saturating_sub(passed);
            }
        }
    }

    /// Notes that the thread wakes up. Returns its deadline, if it has a server; the inner `None` means that it is
    /// stopped until its next period.
    pub(super) fn wake(&mut self, task: u32, now: Instant) -> Option<Option<u64>> {
        let now = now.as_ns();
        let server = self.server(task)?;
        if server.stopped_until.is_some() {
            return Some(None);
        }
        let until = server.absolute_deadline.saturating_sub(now);
        let (left, share) = (u128::from(server.left), u128::from(server.budget));
        let is_too_much = left * u128::from(server.relative_deadline) > u128::from(until) * share;
        if until == 0 || is_too_much {
            server.left = server.budget;
            server.absolute_deadline = now + server.relative_deadline;
        }
        Some(Some(server.absolute_deadline))
    }

    /// Stops the thread if its budget is used, or gives it the next one if it is due. Returns true if it stops, and
    /// the new deadline if it has one.
    pub(super) fn exhaust(&mut self, task: u32, now: Instant) -> (bool, Option<u64>) {
        let Some(server) = self.server(task).filter(|server| server.left == 0) else { return (false, None) };
        let next = server.absolute_deadline - server.relative_deadline + server.period;
        if next > now.as_ns() {
            server.stopped_until = Some(next);
            return (true, None);
        }
        server.replenish(next);
        (false, Some(server.absolute_deadline))
    }

    /// Gives the thread its next budget if it was stopped until now; returns its new deadline.
    pub(super) fn resume(&mut self, task: u32, now: Instant) -> Option<u64> {
        let server = self.server(task)?;
        let due = server.stopped_until.filter(|due| *due <= now.as_ns())?;
        server.stopped_until = None;
        server.replenish(due);
        Some(server.absolute_deadline)
    }

    /// Returns when the thread's state may change next, if that differs from the last answer. The inner `None` takes
    /// the timer back.
    pub(super) fn next_timer(&mut self, task: u32, runs: bool, now: Instant) -> Option<Option<Instant>> {
        let server = self.server(task)?;
        let due = match (server.stopped_until, runs) {
            (Some(due), _) => Some(due),
            (None, true) => Some(now.as_ns() + server.left),
            (None, false) => None,
        };
        let due = due.map(Instant::from_ns);
        (server.armed != due).then(|| {
            server.armed = due;
            due
        })
    }

    /// Notes that the thread's timer came due.
    pub(super) fn rang(&mut self, task: u32) {
        if let Some(server) = self.server(task) {
            server.armed = None;
        }
    }
}

impl Server {
    /// Sets a whole budget from `begin` on.
    fn replenish(&mut self, begin: u64) {
        self.left = self.budget;
        self.absolute_deadline = begin + self.relative_deadline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{Duration, Work};

    /// Of 2 ns each 6 ns, with a relative deadline of 6 ns.
    fn reservations() -> Reservations {
        let task = Task::implicit(Work::from_ns(2), Duration::from_ns(6));
        Reservations::new(&[Task { class: ThreadClass::Deadline, ..task.clone() }, task])
    }

    #[test]
    fn a_used_budget_stops_until_the_next_period() {
        let (mut all, at) = (reservations(), Instant::from_ns);
        assert_eq!(all.tasks().collect::<Vec<_>>(), [0]);
        assert_eq!((all.wake(0, at(1)), all.wake(1, at(1))), (Some(Some(7)), None));
        assert_eq!(all.next_timer(0, true, at(1)), Some(Some(at(3))));
        all.charge(at(3), [0].into_iter());
        assert_eq!(all.exhaust(0, at(3)), (true, None));
        assert_eq!(all.wake(0, at(4)), Some(None), "it has no budget until its next period");
        assert_eq!((all.resume(0, at(6)), all.resume(0, at(7))), (None, Some(13)));
        assert_eq!(all.exhaust(0, at(7)), (false, None));
    }

    #[test]
    fn a_late_thread_has_its_next_budget_at_once() {
        let (mut all, at) = (reservations(), Instant::from_ns);
        assert_eq!(all.wake(0, at(0)), Some(Some(6)));
        all.charge(at(6), [].into_iter());
        all.charge(at(8), [0].into_iter());
        assert_eq!(all.exhaust(0, at(8)), (false, Some(12)));
    }

    /// One of 2 ns is left. Up to 3 ns before the deadline that is no more than 2 of each 6 ns.
    #[test]
    fn who_wakes_up_keeps_what_it_can_use_in_time() {
        for (wakes, deadline) in [(2, 6), (3, 6), (4, 10), (6, 12), (9, 15)] {
            let (mut all, at) = (reservations(), Instant::from_ns);
            assert_eq!(all.wake(0, at(0)), Some(Some(6)));
            all.charge(at(1), [0].into_iter());
            all.charge(at(wakes), [].into_iter());
            assert_eq!(all.wake(0, at(wakes)), Some(Some(deadline)), "{wakes}");
        }
    }
}
