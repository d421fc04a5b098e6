//! Hard deadlines beside budget servers.
//!
//! Under fixed priorities, on one processor, a server delays less urgent tasks as a sporadic task of its budget and
//! period would, whose jobs are released late by at most a jitter (G. Bernat and A. Burns, *New results on fixed
//! priority aperiodic servers*, RTSS 1999):
//!
//! * A polling server has no jitter (J. Lehoczky, L. Sha and J. Strosnider, RTSS 1987), and no corrected sporadic
//!   server (M. Stanovic, T. Baker, A. Wang and M. Harbour, RTAS 2010).
//! * A deferrable server has that of its period less its budget: the budget at the end of a period and that of the next
//!   one follow each other (J. Strosnider, J. Lehoczky and L. Sha, IEEE Transactions on Computers 44(1), 1995).
//!
//! Under EDF, the jobs of a constant bandwidth server, of a constant utilization server and of a total bandwidth server
//! ask for no more than the server's bandwidth in any interval (L. Abeni and G. Buttazzo, RTSS 1998; Z. Deng, J. Liu
//! and J. Sun, ECRTS 1997; M. Spuri and G. Buttazzo, Real-Time Systems 10(2), 1996). One that reclaims bandwidth asks
//! for more only as far as others ask for less (G. Lipari and S. Baruah, ECRTS 2000). A sporadic task asks for no more
//! than its density. So deadlines are met if densities and bandwidths add up to one at most. A constant bandwidth
//! server that keeps its budget and deadline may ask for a part of its budget within a part of its period: no processor
//! demand of a periodic task bounds it. A periodic server asks for its budget as a periodic task does, under EDF as
//! under fixed priorities. Where all servers are periodic, the demand of EDF decides (S. Baruah, A. Mok and L. Rosier,
//! RTSS 1990).
//!
//! On m processors under EDF, the density test of tasks ([`crate::multiprocessor::gfb`]) is one of tasks and constant
//! bandwidth servers. Its proof compares EDF with a platform that has one processor of the speed of each density, and
//! asks that all jobs meet their deadlines there. The budgets of a server of bandwidth U do so on a processor of speed
//! U: each one is given, at the latest, where the deadline of the last one was, a period before its own, or where a job
//! finds the server idle, also a period before; and a rest c that is kept at r with the deadline d is less than (d - r)
//! U. A budget that is given earlier is there in time all the more. A server that reclaims as Linux has it asks for
//! more than its bandwidth, so that the test says nothing of it, unless m is 1.

use crate::budget::Budget;
use crate::exact::Pair;
use crate::multiprocessor::gfb;
use crate::uniprocessor::demand::Demands;
use crate::uniprocessor::examination::ExaminationEnd;
use crate::uniprocessor::qpa;
use schedlab_model::{Duration, Task, Work};

/// Work that others may ask for before a job: that of a sporadic task whose jobs are released late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interference {
    /// Work of each release.
    pub work: Work,
    /// Least distance of releases, not counting the jitter. Positive.
    pub period: Duration,
    /// Largest delay of a release.
    pub jitter: Duration,
}

impl Interference {
    /// The interference by `task`.
    pub fn of(task: &Task) -> Interference {
        Interference { work: task.wcet, period: task.period, jitter: task.jitter }
    }

    /// The largest work that is released within `length` ns.
    fn within(self, length: u128) -> u128 {
        let releases = (length + u128::from(self.jitter.as_ns())).div_ceil(u128::from(self.period.as_ns()));
        releases * u128::from(self.work.as_ns())
    }
}

/// Bounds the response time of `task` under preemptive fixed priorities, where `others` may go first. Returns `None` if
/// the bound exceeds the relative deadline or the period: a job may then be late, or wait for the one before it.
///
/// M. Joseph and P. Pandya, *Finding response times in a real-time system*, The Computer Journal 29(5), 1986.
pub fn response_bound(task: &Task, others: &[Interference]) -> Option<Duration> {
    let limit = u128::from(task.relative_deadline.min(task.period).as_ns());
    let (wcet, jitter) = (u128::from(task.wcet.as_ns()), u128::from(task.jitter.as_ns()));
    let mut busy = wcet;
    loop {
        if busy + jitter > limit {
            return None;
        }
        let next = wcet + others.iter().map(|other| other.within(busy)).sum::<u128>();
        if next == busy {
            return Some(Duration::from_ns((busy + jitter) as u64));
        }
        busy = next;
    }
}

/// Returns whether the densities of `tasks` and the bandwidths of servers, each a budget and a period, add up to one at
/// most on one processor, and pass the density test of EDF on several; there, no deadline may be beyond its period.
pub fn bandwidths_fit(tasks: &[Task], servers: &[(Work, Duration)], processors: u32) -> bool {
    if processors > 1 && tasks.iter().any(|task| task.relative_deadline > task.period) {
        return false;
    }
    let density = |task: &Task| -> Option<Pair> {
        let room =
            task.relative_deadline.as_ns().checked_sub(task.jitter.as_ns()).filter(|room| *room > 0)?;
        Some((task.wcet.as_ns(), room.min(task.period.as_ns())))
    };
    let Some(mut terms) = tasks.iter().map(density).collect::<Option<Vec<Pair>>>() else { return false };
    terms.extend(servers.iter().map(|(budget, period)| (budget.as_ns(), period.as_ns())));
    gfb::holds(&terms, processors)
}

/// Returns whether `tasks`, of which each may stand for a periodic server, meet their deadlines under EDF by their
/// demand.
pub fn demand_fits(tasks: &[Task]) -> bool {
    let stream = |task: &Task| {
        let window = task.relative_deadline.as_ns().checked_sub(task.jitter.as_ns())?;
        Some((task.wcet.as_ns(), task.period.as_ns(), window))
    };
    let Some(streams) = tasks.iter().map(stream).collect::<Option<Vec<_>>>() else { return false };
    let (demands, mut budget) = (Demands::of_streams(streams), Budget::default());
    if demands.is_sparse() {
        return true;
    }
    if demands.load().is_gt() {
        return false;
    }
    let limit = demands.limit(&mut budget).shortest();
    limit.is_some_and(|limit| qpa::walk(&demands, limit, &mut budget, |_, _| {}) == ExaminationEnd::Meets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(wcet: u64, period: u64, deadline: u64) -> Task {
        let ns = Duration::from_ns;
        Task::constrained(Work::from_ns(wcet), ns(period), ns(deadline))
    }

    fn server(budget: u64, period: u64, jitter: u64) -> Interference {
        let ns = Duration::from_ns;
        Interference { work: Work::from_ns(budget), period: ns(period), jitter: ns(jitter) }
    }

    /// The tasks of the sporadic server's counterexample: (2, 5), the server (3, 7), and (2, 15). A periodic task in
    /// the server's place lets the last one complete at 14. A deferrable server may execute twice in a row.
    #[test]
    fn a_server_delays_as_a_task_that_is_released_late() {
        let above = Interference::of(&task(2, 5, 5));
        let bound = |jitter| response_bound(&task(2, 15, 15), &[above, server(3, 7, jitter)]);
        assert_eq!(bound(0), Some(Duration::from_ns(14)));
        assert_eq!(bound(4), None);
        assert_eq!(response_bound(&task(2, 5, 5), &[]), Some(Duration::from_ns(2)));
    }

    /// Densities of (2, 10) by 4 and (3, 10) by 10 with (4, 10) by 10 add up to 1.2, and 9 of 10 are due within 10.
    #[test]
    fn the_demand_of_periodic_servers_decides_where_densities_do_not_fit() {
        let fit = [task(2, 10, 4), task(3, 10, 10), task(4, 10, 10)];
        assert!(!bandwidths_fit(&fit, &[], 1));
        assert!(demand_fits(&fit));
        assert!(!demand_fits(&[task(2, 10, 4), task(3, 10, 4)]));
        assert!(!demand_fits(&[task(6, 10, 10), task(5, 10, 10)]));
    }

    #[test]
    fn densities_and_bandwidths_fit_up_to_one() {
        let quarter = (Work::from_ns(1), Duration::from_ns(4));
        assert!(bandwidths_fit(&[task(3, 6, 6), task(2, 8, 8)], &[quarter], 1));
        assert!(!bandwidths_fit(&[task(3, 6, 6), task(2, 8, 7)], &[quarter], 1));
        assert!(!bandwidths_fit(
            &[task(3, 6, 6), task(2, 8, 8)],
            &[quarter, (Work::from_ns(1), Duration::from_ms(1))],
            1
        ));
    }

    /// Two halves and a server of a half reach 2 - 1/2 on two processors; a deadline beyond its period is not known.
    #[test]
    fn densities_and_bandwidths_fit_on_two_processors() {
        let halves = [task(1, 2, 2), task(1, 2, 2)];
        let server = |budget| [(Work::from_ns(budget), Duration::from_ns(10))];
        assert!(bandwidths_fit(&halves, &server(5), 2) && !bandwidths_fit(&halves, &server(6), 2));
        assert!(!bandwidths_fit(&[task(1, 2, 3)], &server(1), 2));
    }
}
