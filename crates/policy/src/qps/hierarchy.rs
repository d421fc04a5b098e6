//! Execution sets of QPS, and which of them serve the masters of others.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A client of an execution set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetClient {
    /// A task, by its place in the rates.
    Task(usize),
    /// The master of a major set, by the place of that set.
    Master(usize),
}

/// Clients that share a processor of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutionSet {
    /// Clients and their rates, the largest rates first.
    pub clients: Vec<(SetClient, u128)>,
    /// Sum of the rates.
    pub rate: u128,
}

impl ExecutionSet {
    /// By how much the rate exceeds `one`: the rate of the set's master; zero for a minor set.
    pub fn excess(&self, one: u128) -> u128 {
        self.rate.saturating_sub(one)
    }

    fn add(&mut self, (client, rate): (SetClient, u128)) {
        self.clients.push((client, rate));
        self.rate += rate;
    }
}

/// Puts tasks of these rates, none above `one`, into execution sets, each of which has a processor. A set comes before
/// the one that serves its master. Returns `None` if the rates add up to more than the processors.
pub fn hierarchy(rates: &[u128], one: u128, processors: usize) -> Option<Vec<ExecutionSet>> {
    if rates.iter().sum::<u128>() > one * processors as u128 {
        return None;
    }
    let mut left: Vec<(SetClient, u128)> =
        rates.iter().enumerate().map(|(task, &rate)| (SetClient::Task(task), rate)).collect();
    let mut sets: Vec<ExecutionSet> = Vec::new();
    loop {
        let (major, minor) = quasi_partition(left, one, processors - sets.len());
        if major.is_empty() {
            sets.extend(minor);
            return Some(sets);
        }
        left = minor.into_iter().flat_map(|set| set.clients).collect();
        for set in major {
            left.push((SetClient::Master(sets.len()), set.excess(one)));
            sets.push(set);
        }
    }
}

/// Major sets and minor ones, at most `processors` in all.
///
/// In decreasing order, each client goes to the first set that it does not make major. A client that fits nowhere joins
/// the set of the least rate, which takes no other then. All clients of a major set have at least the rate of the last
/// one, and without that one the rate was below 1: each of them exceeds the set's excess.
fn quasi_partition(
    mut clients: Vec<(SetClient, u128)>,
    one: u128,
    processors: usize,
) -> (Vec<ExecutionSet>, Vec<ExecutionSet>) {
    clients.sort_by_key(|&(client, rate)| (Reverse(rate), client));
    let mut open = vec![ExecutionSet::default(); processors];
    let mut major = Vec::new();
    for client in clients {
        if let Some(set) = open.iter_mut().find(|set| set.rate + client.1 <= one) {
            set.add(client);
            continue;
        }
        let least = (0..open.len()).min_by_key(|&place| open[place].rate);
        let mut set = open.remove(least.expect("closed sets alone have no rate for this client"));
        set.add(client);
        major.push(set);
    }
    open.retain(|set| set.rate > 0);
    (major, open)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tasks: &[(usize, u128)], masters: &[(usize, u128)]) -> ExecutionSet {
        let tasks = tasks.iter().map(|&(task, rate)| (SetClient::Task(task), rate));
        let masters = masters.iter().map(|&(set, rate)| (SetClient::Master(set), rate));
        let mut set = ExecutionSet::default();
        tasks.chain(masters).for_each(|client| set.add(client));
        set
    }

    #[test]
    fn what_fits_is_partitioned() {
        let sets = hierarchy(&[3, 6, 4, 7], 10, 2).unwrap();
        assert_eq!(sets, [of(&[(3, 7), (0, 3)], &[]), of(&[(1, 6), (2, 4)], &[])]);
        assert_eq!(hierarchy(&[6, 6, 9], 10, 2), None);
    }

    /// Three of 2/3: the first two have a processor each, the third one makes the first set major.
    #[test]
    fn a_master_is_a_client_of_another_set() {
        let sets = hierarchy(&[2, 2, 2], 3, 2).unwrap();
        assert_eq!(sets, [of(&[(0, 2), (2, 2)], &[]), of(&[(1, 2)], &[(0, 1)])]);
        assert_eq!((sets[0].excess(3), sets[1].excess(3)), (1, 0));
    }

    /// Five of 4/5: on the first level one client too many, and its master makes a set of the next level major.
    #[test]
    fn masters_may_make_sets_major() {
        let sets = hierarchy(&[4; 5], 5, 4).unwrap();
        let first = of(&[(0, 4), (4, 4)], &[]);
        let second = of(&[(1, 4)], &[(0, 3)]);
        let third = of(&[(2, 4)], &[(1, 2)]);
        assert_eq!(sets, [first, second, third, of(&[(3, 4)], &[(2, 1)])]);
    }
}
