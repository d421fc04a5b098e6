//! Reduction to uniprocessors: servers, and servers of duals, until only servers of rate 1 are left.
//!
//! P. Regnier et al., *RUN*, RTSS 2011, section III. *Pack*: servers are put together by first fit decreasing while
//! their rates add up to at most 1; *dual*: each such server of rate r becomes one of rate 1 - r. Both are repeated:
//! each step at least halves the number of servers of rates below 1 (lemma 6).

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// An exact number that can be a rate.
pub trait Rate: Clone {
    /// The sum of two rates.
    #[must_use]
    fn plus(&self, other: &Self) -> Self;
    /// The rate less `other`, which is not larger.
    #[must_use]
    fn minus(&self, other: &Self) -> Self;
    /// Compares two rates.
    fn compare(&self, other: &Self) -> Ordering;
}

/// Rates in parts of a whole that is stated beside them.
impl Rate for u128 {
    fn plus(&self, other: &u128) -> u128 {
        self + other
    }

    fn minus(&self, other: &u128) -> u128 {
        self - other
    }

    fn compare(&self, other: &u128) -> Ordering {
        self.cmp(other)
    }
}

/// A server: a task, or a group of servers of the level below.
#[derive(Clone, Debug)]
pub struct Server<R> {
    /// Rate of the server.
    pub rate: R,
    /// The places of its clients: units on the lowest level, servers of the level below on the others, whose duals they
    /// are.
    pub clients: Vec<usize>,
}

/// Reduces units of these rates, none above `one`, which add up to a multiple of `one`. Returns the packed servers of
/// each reduction, the lowest first; the last level holds only servers of rate `one`.
pub fn reduce<R: Rate>(mut units: Vec<R>, one: &R) -> Vec<Vec<Server<R>>> {
    let mut levels = Vec::new();
    loop {
        let servers = pack(&units, one);
        let is_done = servers.iter().all(|server| server.rate.compare(one).is_eq());
        units = servers.iter().map(|server| one.minus(&server.rate)).collect();
        levels.push(servers);
        if is_done {
            return levels;
        }
    }
}

/// First fit decreasing up to a rate of 1; those of rate 0 need no processor and join the first.
fn pack<R: Rate>(rates: &[R], one: &R) -> Vec<Server<R>> {
    let mut order: Vec<usize> = (0..rates.len()).collect();
    order.sort_by(|&a, &b| rates[b].compare(&rates[a]).then(a.cmp(&b)));
    let mut servers: Vec<Server<R>> = Vec::new();
    for index in order {
        let sum = |server: &Server<R>| server.rate.plus(&rates[index]);
        match servers.iter().position(|server| sum(server).compare(one).is_le()) {
            Some(place) => {
                servers[place].rate = sum(&servers[place]);
                servers[place].clients.push(index);
            }
            None => servers.push(Server { rate: rates[index].clone(), clients: vec![index] }),
        }
    }
    servers
}

/// Rates of the idle tasks that fill up `left`, each of rate `one` but the last.
pub fn idle_rates<R: Rate>(mut left: R, one: &R, zero: &R) -> Vec<R> {
    let mut idle = Vec::new();
    while left.compare(zero).is_gt() {
        let rate = if left.compare(one).is_gt() { one.clone() } else { left.clone() };
        left = left.minus(&rate);
        idle.push(rate);
    }
    idle
}
