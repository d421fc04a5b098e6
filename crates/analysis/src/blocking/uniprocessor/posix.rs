//! POSIX mutexes of one processor, each without protocol, with inheritance or with a ceiling: response times.
//!
//! L. Sha, R. Rajkumar and J. Lehoczky, *Priority inheritance protocols*, IEEE Transactions on Computers 39(9), 1990,
//! Theorems 3 and 12, bound the mutexes with a protocol. Here both kinds stand beside each other, and mutexes without
//! one as well. Let `lower` be the tasks that are less urgent than i, and `boosting` the sections on mutexes with
//! inheritance or a ceiling that a task of i's urgency or above uses.
//!
//! **Boosted sections.** While a job of i is ready, a less urgent task executes only within a boosting section that it
//! has begun before: each at most one (Theorem 3). Of those under ceilings there is at most one altogether (Theorem
//! 12): who holds such a mutex is as urgent as i from its begin on, so that no other less urgent task begins a section.
//!
//! ```text
//! B_i = the largest sum of one boosting section of each task of `lower`, of which one at most is under a ceiling
//! ```
//!
//! **Waiting without a protocol.** A job of i that asks for a mutex without protocol may wait for the section of a task
//! L in `lower`. That section is not boosted: every task M between both may execute meanwhile, and boosted sections of
//! tasks below L. Then the job is ready again, and goes before all in `lower`, so that a request waits for one such
//! section at most. With n requests that may wait so:
//!
//! ```text
//! R_i = C_i + (n + 1) B_i + sum over n of max over L (length of its section + B_L)
//!     + sum over M ceil((R_i + R_M) / T_M) C_M + sum over higher h ceil((R_i + carry_h) / T_h) C_h
//! ```
//!
//! **Carry-in.** All that executes within a job's response time arrived at most a response time R_h before, thus
//! carry_h = R_h. It is 0 for all h if no job of i's urgency or above may wait for a task of `lower` under a mutex
//! without protocol: a pending job of theirs then keeps the processor from all else but B_i, as in the usual busy
//! interval.
//!
//! Response times depend on those of less urgent tasks, too. All are iterated from below. The least common fixed point
//! bounds them, by induction over the first job to exceed it.
//!
//! The bounds hold if a released mutex is handed over, and if the task that is woken finds it free. Tasks of equal
//! urgency count as more urgent.
//!
//! Assumes one processor in each cluster, resources used in one cluster only, no nesting, constrained deadlines, and
//! jobs that suspend themselves for nothing else.

use crate::blocking::ceilings::ceilings;
use crate::blocking::{Case, Judged, Sharer, Sharing, Terms};
use crate::reason::Reason;
use crate::sentences::Ns;
use schedlab_model::{Duration, MutexProtocol, TaskId};

/// Rounds after which an iteration is given up; each round raises some response time.
const MOST_ROUNDS: usize = 10_000;

/// Bounds the response times of tasks whose mutexes have the protocols of `kinds`, by resource.
pub fn judge(kinds: &[MutexProtocol], sharing: &Sharing) -> Judged {
    let system = Mixed::new(kinds, sharing);
    let tasks = sharing.tasks();
    let mut responses: Vec<u64> = tasks.iter().map(|task| task.cost).collect();
    let mut terms: Vec<Terms> = (0..tasks.len()).map(|task| system.terms(task, &responses)).collect();
    for _ in 0..MOST_ROUNDS {
        let before = responses.clone();
        for (index, task) in tasks.iter().enumerate() {
            terms[index] = system.terms(index, &responses);
            let own = task.cost.saturating_add(terms[index].total().unwrap_or(u64::MAX));
            responses[index] =
                own.saturating_add(system.interference(index, &responses)).max(responses[index]);
            if responses[index] > task.relative_deadline {
                let (blocked, due) =
                    (Ns(terms[index].total().unwrap_or(u64::MAX)), Ns(task.relative_deadline));
                let task = TaskId(index as u32);
                let why = Reason::BlockedTooLong { task, blocked, relative_deadline: due };
                return Judged { terms, met: Err(why) };
            }
        }
        if responses == before {
            return Judged { terms, met: Ok(responses.into_iter().map(Duration::from_ns).collect()) };
        }
    }
    Judged { terms, met: Err(Reason::TooManyRounds) }
}

/// Bounds response times as [`judge`] does, for the mutexes of `case`.
pub(crate) fn of_case(case: &Case<'_>, sharing: &Sharing) -> Judged {
    judge(case.locking.mutexes, sharing)
}

/// A request that may wait for a less urgent task under a mutex without protocol.
struct Wait {
    count: u64,
    /// The longest time for the holder's section and the boosted ones below it.
    longest: u64,
}

/// What does not depend on response times.
struct Mixed<'s> {
    sharing: &'s Sharing,
    /// By task: B_i.
    boosted: Vec<u64>,
    /// By task: its requests that may wait for less urgent tasks under mutexes without protocol.
    waits: Vec<Vec<Wait>>,
    /// By task: the tasks that may execute while it so waits.
    between: Vec<Vec<usize>>,
    /// By task: whether it, or a task of its urgency or above, may so wait for a task below it.
    is_inverted: Vec<bool>,
}

impl<'s> Mixed<'s> {
    fn new(kinds: &[MutexProtocol], sharing: &'s Sharing) -> Self {
        let (tasks, count) = (sharing.tasks(), sharing.tasks().len());
        let boosted: Vec<u64> = (0..count).map(|task| longest_boosted(kinds, sharing, task)).collect();
        let plain = |resource: u32| kinds[resource as usize] == MutexProtocol::None;
        // By task and request for a mutex without protocol: its less urgent users, and how often.
        let holders = |task: usize| {
            let own = sharing.requests(task).iter().filter(|request| plain(request.resource));
            own.map(move |request| (request.count(), lower_users(sharing, task, request.resource)))
                .filter(|(_, users)| !users.is_empty())
                .collect::<Vec<_>>()
        };
        let waits = |task: usize| {
            let longest = |users: &[(usize, u64)]| {
                let of = |(user, length): &(usize, u64)| length.saturating_add(boosted[*user]);
                users.iter().map(of).max().unwrap_or(0)
            };
            let all = holders(task).into_iter();
            all.map(|(count, users)| Wait { count, longest: longest(&users) }).collect()
        };
        let lowest = |task: usize| {
            let users = holders(task).into_iter().flat_map(|(_, users)| users);
            users.map(|(user, _)| tasks[user].level).max()
        };
        let between = |task: usize| {
            let users: Vec<usize> =
                holders(task).into_iter().flat_map(|(_, users)| users).map(|(user, _)| user).collect();
            let is_between = |other: &usize| {
                is_lower(&tasks[*other], &tasks[task])
                    && users.iter().any(|user| user != other && tasks[*other].level <= tasks[*user].level)
            };
            (0..count).filter(is_between).collect()
        };
        let is_inverted = |task: usize| {
            let waits_below = |other: &usize| {
                !is_lower(&tasks[*other], &tasks[task])
                    && tasks[*other].cluster == tasks[task].cluster
                    && lowest(*other).is_some_and(|level| level > tasks[task].level)
            };
            (0..count).any(|other| waits_below(&other))
        };
        Mixed {
            sharing,
            waits: (0..count).map(waits).collect(),
            between: (0..count).map(between).collect(),
            is_inverted: (0..count).map(is_inverted).collect(),
            boosted,
        }
    }

    /// Returns how long less urgent tasks delay a job of `task`, for these response times.
    fn terms(&self, task: usize, responses: &[u64]) -> Terms {
        let waits = &self.waits[task];
        let times = waits.iter().map(|wait| wait.count).fold(1, u64::saturating_add);
        let sections = waits.iter().map(|wait| wait.count.saturating_mul(wait.longest));
        let between = self.between[task].iter().map(|other| {
            let jobs = self.sharing.jobs_within(*other, responses[task], responses[*other]);
            jobs.saturating_mul(self.sharing.tasks()[*other].cost)
        });
        let remote = sections.chain(between).fold(0, u64::saturating_add);
        Terms::new(remote, self.boosted[task].saturating_mul(times))
    }

    /// Returns how long tasks of the urgency of `task` or above execute before its job.
    fn interference(&self, task: usize, responses: &[u64]) -> u64 {
        let tasks = self.sharing.tasks();
        let goes_first = |other: &usize| {
            *other != task
                && tasks[*other].cluster == tasks[task].cluster
                && tasks[*other].level <= tasks[task].level
        };
        let of = |other: usize| {
            let carry = if self.is_inverted[task] { responses[other] } else { 0 };
            let jobs = self.sharing.jobs_within(other, responses[task], carry);
            jobs.saturating_mul(tasks[other].cost)
        };
        (0..tasks.len()).filter(goes_first).map(of).fold(0, u64::saturating_add)
    }
}

/// True if `one` is of the cluster of `than`, and less urgent.
fn is_lower(one: &Sharer, than: &Sharer) -> bool {
    one.cluster == than.cluster && one.level > than.level
}

/// Returns the less urgent users of `resource`, with their longest sections.
fn lower_users(sharing: &Sharing, task: usize, resource: u32) -> Vec<(usize, u64)> {
    let tasks = sharing.tasks();
    let lower = (0..tasks.len()).filter(|other| is_lower(&tasks[*other], &tasks[task]));
    let of = |other: usize| {
        let request = sharing.requests(other).iter().find(|request| request.resource == resource)?;
        Some((other, request.length()))
    };
    lower.filter_map(of).collect()
}

/// Returns the largest sum of one boosting section of each task below `task`, of which one at most is under a ceiling.
fn longest_boosted(kinds: &[MutexProtocol], sharing: &Sharing, task: usize) -> u64 {
    let (tasks, ceilings) = (sharing.tasks(), ceilings(sharing));
    let longest = |other: usize, wanted: MutexProtocol| {
        let sections = sharing.requests(other).iter().filter(|request| {
            let resource = request.resource as usize;
            kinds[resource] == wanted && ceilings[resource] <= tasks[task].level
        });
        sections.map(|request| request.length()).max().unwrap_or(0)
    };
    let (mut sum, mut ceiling) = (0u64, 0);
    for other in (0..tasks.len()).filter(|other| is_lower(&tasks[*other], &tasks[task])) {
        let inherits = longest(other, MutexProtocol::Inherit);
        sum = sum.saturating_add(inherits);
        // A task whose section under the ceiling counts has none with inheritance.
        ceiling = longest(other, MutexProtocol::Protect).saturating_sub(inherits).max(ceiling);
    }
    sum.saturating_add(ceiling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocking::Requests;

    const KINDS: [MutexProtocol; 3] = [MutexProtocol::None, MutexProtocol::Inherit, MutexProtocol::Protect];

    fn task(level: u32, cost: u64, period: u64) -> Sharer {
        Sharer { cost, period, relative_deadline: period, cluster: 0, level }
    }

    /// A task's sections: the resource, their number and their length.
    type Sections<'s> = &'s [(u32, u32, u64)];

    /// Tasks, each with its sections.
    fn sharing(tasks: &[(Sharer, Sections<'_>)]) -> Sharing {
        let mut sharing = Sharing::new(1, vec![1; 3]);
        for (task, sections) in tasks {
            let requests: Vec<Requests> = sections
                .iter()
                .map(|(resource, count, length)| Requests::mutex(*resource, *count, *length))
                .collect();
            sharing.push(*task, &requests).unwrap();
        }
        sharing
    }

    fn responses(judged: Judged) -> Vec<u64> {
        judged.met.unwrap().into_iter().map(Duration::as_ns).collect()
    }

    /// A and C share a mutex; B, between them, delays A without protocol.
    #[test]
    fn only_without_a_protocol_does_a_middle_task_delay() {
        let of = |kind: usize| {
            let shared = sharing(&[
                (task(0, 4, 60), &[(kind as u32, 1, 2)]),
                (task(1, 10, 90), &[]),
                (task(2, 9, 200), &[(kind as u32, 1, 5)]),
            ]);
            judge(&KINDS, &shared)
        };
        // A: 4 + 5 and a job of B; B, with a job of A that has arrived before: 10 + 4 + 4; C: 9 + 4 + 10.
        let none = of(0);
        assert_eq!(none.terms, [Terms::new(15, 0), Terms::new(0, 0), Terms::new(0, 0)]);
        assert_eq!(responses(none), [19, 14, 23]);
        for kind in [1, 2] {
            let found = of(kind);
            assert_eq!(found.terms, [Terms::new(0, 5), Terms::new(0, 5), Terms::new(0, 0)]);
            assert_eq!(responses(found), [9, 19, 23]);
        }
    }

    /// Of three less urgent tasks, each delays A by its section with inheritance, or one of them by that under a
    /// ceiling.
    #[test]
    fn one_section_under_a_ceiling_delays() {
        let shared = sharing(&[
            (task(0, 4, 100), &[(1, 1, 1), (2, 1, 1)]),
            (task(1, 10, 100), &[(1, 1, 3), (2, 1, 4)]),
            (task(2, 10, 100), &[(2, 1, 9)]),
            (task(3, 10, 200), &[(1, 2, 5), (2, 1, 6)]),
        ]);
        let found = judge(&KINDS, &shared);
        assert_eq!(found.terms[0], Terms::new(0, 3 + 5 + 9));
        assert_eq!(found.terms[1], Terms::new(0, 5 + 9));
        // With the longest section under a ceiling in its only place, the last task has no other.
        assert_eq!(found.terms[2], Terms::new(0, 6));
    }

    /// Equal ones do not preempt each other: each waits for the other as for a more urgent one, and for C's section.
    #[test]
    fn equal_urgency_counts_as_more_urgent() {
        let shared = sharing(&[
            (task(0, 4, 60), &[]),
            (task(0, 10, 60), &[(1, 1, 2)]),
            (task(1, 9, 200), &[(1, 1, 5)]),
        ]);
        assert_eq!(responses(judge(&KINDS, &shared)), [4 + 10 + 5, 10 + 4 + 5, 9 + 14]);
    }
}
