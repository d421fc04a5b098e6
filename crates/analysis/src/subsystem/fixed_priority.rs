//! A subsystem under preemptive fixed priorities.
//!
//! The q-th job of a busy interval of task i and of all that may go before it is complete within the least w with
//!
//! ```text
//! sbf(w) >= q C_i + sum over the others j, as urgent at least, of ceil(w / T_j) C_j
//! ```
//!
//! and its response time is at most w - (q - 1) T_i. The first q whose w is at most q T_i ends the busy interval, so
//! the largest bound up to there holds for all jobs. On a whole processor this is J. Lehoczky, *Fixed priority
//! scheduling of periodic task sets with arbitrary deadlines*, RTSS 1990; for q = 1 it is the test of I. Shin and I.
//! Lee, *Periodic resource model for compositional real-time guarantees*, RTSS 2003, with sporadic tasks and deadlines
//! up to the periods.

use super::{Client, SubsystemOutcome};
use crate::budget::Budget;
use crate::supply::Supply;

/// Terms that the test may evaluate.
const TERMS: u64 = 1 << 22;

pub(super) fn judge(clients: &[Client], supply: &dyn Supply) -> SubsystemOutcome {
    let mut budget = Budget::of(TERMS);
    let mut bounds = Vec::with_capacity(clients.len());
    for index in 0..clients.len() {
        match response_bound(clients, index, supply, &mut budget) {
            Ok(bound) => bounds.push(Some(bound)),
            Err(outcome) => return outcome,
        }
    }
    SubsystemOutcome::Fits(bounds)
}

/// Bounds the response times of the client at `index`, or says why a job of it may be late.
fn response_bound(
    clients: &[Client],
    index: usize,
    supply: &dyn Supply,
    budget: &mut Budget,
) -> Result<u64, SubsystemOutcome> {
    let own = clients[index];
    let before = |(other, client): &(usize, &Client)| *other != index && client.priority <= own.priority;
    let others: Vec<Client> = clients.iter().enumerate().filter(before).map(|(_, client)| *client).collect();
    let [cost, period, due] = [own.cost, own.period, own.relative_deadline].map(u128::from);
    let (mut longest, mut end) = (0, 0);
    for number in 1u128.. {
        let work = |length: u128| {
            let of = |client: &Client| length.div_ceil(client.period.into()) * u128::from(client.cost);
            number * cost + others.iter().map(of).sum::<u128>()
        };
        let latest = (number - 1) * period + due;
        let next = |length: u128| supply.length_of(work(length));
        let terms = others.len() + 1;
        // From 1 on, the others that arrive with the job count.
        match budget.least_fixed_point(end.max(1), latest, terms, next) {
            Some(length) => end = length,
            None if budget.spend(terms) => return Err(SubsystemOutcome::Late(index)),
            None => return Err(SubsystemOutcome::Spent),
        }
        longest = longest.max(end - (number - 1) * period);
        if end <= number * period {
            break;
        }
    }
    Ok(u64::try_from(longest).expect("a bound is at most the relative deadline"))
}
