//! Priority inheritance on one processor: a job may be blocked several times.
//!
//! L. Sha, R. Rajkumar and J. Lehoczky, *Priority inheritance protocols*, IEEE Transactions on Computers 39(9), 1990,
//! Theorems 3 and 6: at most one section of each less urgent task and at most one section on each resource
//! block a job, and only sections on resources that a task of its level or above uses. [`bounds`] gives the smaller of
//! both sums; [`exact`] the heaviest choice that satisfies both conditions (R. Rajkumar's exhaustive search),
//! as an assignment problem.
//!
//! "At most one section on each resource" assumes that a lock which is released goes to the job that executes next and asks for it. Where
//! it is handed to a waiting job at once, as in most implementations, it does not hold: C holds R, B waits for R, A arrives,
//! waits for C, and releases R to B; if A (or A's next job, while another job is pending) requests R again, B blocks it
//! on the same resource. [`once_per_task`] then remains.
//!
//! Assumes one processor in each cluster, resources used in one cluster only, no nesting, and jobs that suspend
//! themselves for nothing else.

use crate::blocking::ceilings::ceilings;
use crate::blocking::{Sharing, Terms};

/// By task: the longest section of each less urgent task, whichever way locks are handed over.
pub fn once_per_task(sharing: &Sharing) -> Vec<Terms> {
    let sum = |blockers: Vec<Vec<u64>>| {
        let longest = blockers.iter().map(|row| row.iter().copied().max().unwrap_or(0));
        Terms::new(0, longest.fold(0, u64::saturating_add))
    };
    Blockers::new(sharing).map(sum).collect()
}

/// By task: the smaller of the sums over less urgent tasks and over resources.
pub fn bounds(sharing: &Sharing) -> Vec<Terms> {
    let by_task = Blockers::new(sharing).map(|blockers| {
        let sum = |lengths: &mut dyn Iterator<Item = u64>| lengths.fold(0, u64::saturating_add);
        let tasks = sum(&mut blockers.iter().map(|row| row.iter().copied().max().unwrap_or(0)));
        let columns = blockers.first().map_or(0, Vec::len);
        let resources =
            sum(&mut (0..columns).map(|at| blockers.iter().map(|row| row[at]).max().unwrap_or(0)));
        Terms::new(0, tasks.min(resources))
    });
    by_task.collect()
}

/// By task: the heaviest set of sections with at most one of each less urgent task and on each resource.
pub fn exact(sharing: &Sharing) -> Vec<Terms> {
    Blockers::new(sharing).map(|blockers| Terms::new(0, heaviest_assignment(&blockers))).collect()
}

/// By less urgent task and resource: the longest section that may block; for each task in turn.
struct Blockers<'a> {
    sharing: &'a Sharing,
    ceilings: Vec<u32>,
    next: usize,
}

impl<'a> Blockers<'a> {
    fn new(sharing: &'a Sharing) -> Self {
        Blockers { sharing, ceilings: ceilings(sharing), next: 0 }
    }
}

impl Iterator for Blockers<'_> {
    type Item = Vec<Vec<u64>>;

    fn next(&mut self) -> Option<Self::Item> {
        let task = self.sharing.tasks().get(self.next)?;
        let mut rows = Vec::new();
        for (other, lower) in self.sharing.tasks().iter().enumerate() {
            if other == self.next || lower.cluster != task.cluster || lower.level <= task.level {
                continue;
            }
            let mut row = vec![0; self.ceilings.len()];
            for request in self.sharing.requests(other) {
                if self.ceilings[request.resource as usize] <= task.level {
                    row[request.resource as usize] = request.length();
                }
            }
            rows.push(row);
        }
        self.next += 1;
        Some(rows)
    }
}

/// The largest sum of entries, at most one of each row and each column: the Hungarian method on costs `-weight`, with
/// potentials. O(n^2 m) for the smaller side n.
fn heaviest_assignment(weights: &[Vec<u64>]) -> u64 {
    let columns = weights.first().map_or(0, Vec::len);
    let size = weights.len().max(columns);
    let cost = |row: usize, column: usize| -> i128 {
        -i128::from(weights.get(row).and_then(|row| row.get(column)).copied().unwrap_or(0))
    };
    // Index 0 is a helper; rows and columns count from 1.
    let (mut of_row, mut of_column) = (vec![0i128; size + 1], vec![0i128; size + 1]);
    let mut row_of = vec![0usize; size + 1];
    for row in 1..=size {
        let (mut least, mut way) = (vec![i128::MAX; size + 1], vec![0usize; size + 1]);
        let mut used = vec![false; size + 1];
        row_of[0] = row;
        let mut column = 0;
        while row_of[column] != 0 {
            used[column] = true;
            let from = row_of[column];
            let (mut delta, mut next) = (i128::MAX, 0);
            for to in (1..=size).filter(|to| !used[*to]) {
                let reduced = cost(from - 1, to - 1) - of_row[from] - of_column[to];
                if reduced < least[to] {
                    (least[to], way[to]) = (reduced, column);
                }
                if least[to] < delta {
                    (delta, next) = (least[to], to);
                }
            }
            for to in 0..=size {
                if used[to] {
                    of_row[row_of[to]] += delta;
                    of_column[to] -= delta;
                } else if to > 0 {
                    least[to] = least[to].saturating_sub(delta);
                }
            }
            column = next;
        }
        while column != 0 {
            row_of[column] = row_of[way[column]];
            column = way[column];
        }
    }
    let sum: i128 = (1..=size).map(|column| -cost(row_of[column] - 1, column - 1)).sum();
    u64::try_from(sum).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heaviest choice by trying all.
    fn brute(weights: &[Vec<u64>], used: u32) -> u64 {
        let Some((row, rest)) = weights.split_first() else { return 0 };
        let take = |(at, weight): (usize, &u64)| {
            if used >> at & 1 == 1 {
                0
            } else {
                weight + brute(rest, used | 1 << at)
            }
        };
        row.iter().enumerate().map(take).max().unwrap_or(0).max(brute(rest, used))
    }

    #[test]
    fn assignments_are_the_heaviest() {
        let mut seed = 1u64;
        let mut draw = |bound: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        for _ in 0..500 {
            let (rows, columns) = (draw(5) as usize, 1 + draw(5) as usize);
            let weights: Vec<Vec<u64>> = (0..rows).map(|_| (0..columns).map(|_| draw(9)).collect()).collect();
            assert_eq!(heaviest_assignment(&weights), brute(&weights, 0), "{weights:?}");
        }
    }
}
