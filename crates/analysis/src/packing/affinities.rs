//! Feasibility where each task may run on some processors only.
//!
//! S. Baruah and B. Brandenburg, *Multiprocessor feasibility analysis of recurrent task systems with specified
//! processor affinities*, RTSS 2013: tasks with implicit deadlines are feasible on identical processors exactly if
//! shares x_ik >= 0 exist with
//!
//! ```text
//! sum over k in the affinity of i of x_ik = U_i <= 1,   sum over i of x_ik <= 1
//! ```
//!
//! The linear program is a transport problem, solved here as a maximum flow from tasks to processors, in whole numbers
//! over the common denominator of the utilizations, so exactly (J. Edmonds and R. Karp, Journal of the ACM 19(2), 1972:
//! shortest augmenting paths). If there is no solution, a cut shows why: some tasks together need more than the
//! processors that they may use.

use crate::exact::Pair;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, Zero};
use std::collections::VecDeque;

/// Result of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// By task: each processor of its affinity with the share that it gives, as numerator and denominator in big
    /// integers.
    Feasible(Vec<Vec<(u32, Share)>>),
    /// The task at this place needs more than a processor.
    TaskAboveOne(usize),
    /// The listed tasks need more than the listed processors, the only ones that they may use.
    TooMany {
        /// Places of the tasks, rising.
        tasks: Vec<usize>,
        /// Indices of the processors, rising.
        processors: Vec<u32>,
    },
}

/// A part of a processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Numerator of the share.
    pub numerator: BigUint,
    /// Denominator of the share.
    pub denominator: BigUint,
}

/// Decides whether tasks of these (cost, period) can meet implicit deadlines, where `affinities[i]` are the processors
/// that task i may use.
///
/// Panics if a processor is not below `processors`, or if a task has no affinity given.
pub fn feasibility(utilizations: &[Pair], affinities: &[Vec<u32>], processors: u32) -> Feasibility {
    assert_eq!(utilizations.len(), affinities.len(), "each task has an affinity");
    if let Some(task) = utilizations.iter().position(|&(cost, period)| cost > period) {
        return Feasibility::TaskAboveOne(task);
    }
    let whole = utilizations.iter().fold(BigUint::one(), |all, pair| all.lcm(&BigUint::from(pair.1)));
    let mut flow = Flow::new(affinities, processors as usize, &whole);
    for (task, &(cost, period)) in utilizations.iter().enumerate() {
        let mut left = &whole / period * cost;
        while !left.is_zero() {
            match flow.path_from(task) {
                Ok(path) => left -= flow.push(task, &path, &left),
                Err((tasks, processors)) => return Feasibility::TooMany { tasks, processors },
            }
        }
    }
    let share = |(&cpu, amount): (&u32, &BigUint)| {
        let divisor = amount.gcd(&whole);
        (cpu, Share { numerator: amount / &divisor, denominator: &whole / &divisor })
    };
    let of = |(cpus, amounts): (&Vec<u32>, &Vec<BigUint>)| {
        let given = cpus.iter().zip(amounts).filter(|(_, amount)| !amount.is_zero());
        given.map(share).collect()
    };
    Feasibility::Feasible(affinities.iter().zip(&flow.given).map(of).collect())
}

/// Assignment of processors' time to tasks, in which time that was given can be moved.
struct Flow<'a> {
    affinities: &'a [Vec<u32>],
    /// By task: the share that each processor gives, in the order of its affinity.
    given: Vec<Vec<BigUint>>,
    /// By processor: its free share.
    free: Vec<BigUint>,
}

/// A way from a task to a processor with room: processor by processor, each with the task that gives it up for the
/// next.
type Path = Vec<(usize, usize)>;

impl<'a> Flow<'a> {
    fn new(affinities: &'a [Vec<u32>], processors: usize, whole: &BigUint) -> Self {
        let given = affinities.iter().map(|cpus| vec![BigUint::zero(); cpus.len()]).collect();
        Flow { affinities, given, free: vec![whole.clone(); processors] }
    }

    /// A shortest way: (task, processor) pairs, where each task takes from its processor, and the next in the list
    /// moves away from that. Or, if there is none, the tasks and processors that can be reached.
    fn path_from(&self, start: usize) -> Result<Path, (Vec<usize>, Vec<u32>)> {
        let mut via: Vec<Option<usize>> = vec![None; self.free.len()];
        let mut seen = vec![false; self.affinities.len()];
        // By task, from which processor it would move away.
        let mut from: Vec<Option<usize>> = vec![None; self.affinities.len()];
        let mut queue = VecDeque::from([start]);
        seen[start] = true;
        while let Some(task) = queue.pop_front() {
            for cpu in self.affinities[task].iter().map(|&cpu| cpu as usize) {
                if via[cpu].is_some() {
                    continue;
                }
                via[cpu] = Some(task);
                if !self.free[cpu].is_zero() {
                    return Ok(trace(cpu, &via, &from));
                }
                for (other, place) in self.users(cpu) {
                    if !seen[other] && !self.given[other][place].is_zero() {
                        seen[other] = true;
                        from[other] = Some(cpu);
                        queue.push_back(other);
                    }
                }
            }
        }
        let tasks = (0..seen.len()).filter(|&task| seen[task]).collect();
        let processors = (0..via.len() as u32).filter(|&cpu| via[cpu as usize].is_some()).collect();
        Err((tasks, processors))
    }

    fn users(&self, cpu: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let place = move |cpus: &Vec<u32>| cpus.iter().position(|&other| other as usize == cpu);
        self.affinities.iter().enumerate().filter_map(move |(task, cpus)| Some((task, place(cpus)?)))
    }

    fn place(&self, task: usize, cpu: usize) -> usize {
        let found = self.affinities[task].iter().position(|&other| other as usize == cpu);
        found.expect("a way leads along affinities")
    }

    /// Moves as much as possible along the way, at most `wanted`, and returns the amount.
    fn push(&mut self, start: usize, path: &Path, wanted: &BigUint) -> BigUint {
        assert_eq!(path.first().map(|step| step.0), Some(start));
        let mut amount = wanted.clone();
        // Each task but the first moves away from the processor that the one before it takes.
        for pair in path.windows(2) {
            let place = self.place(pair[1].0, pair[0].1);
            amount = amount.min(self.given[pair[1].0][place].clone());
        }
        let last = path.last().expect("a way has an end").1;
        amount = amount.min(self.free[last].clone());
        self.free[last] -= &amount;
        for (index, &(task, cpu)) in path.iter().enumerate() {
            let place = self.place(task, cpu);
            self.given[task][place] += &amount;
            if index > 0 {
                let away = self.place(task, path[index - 1].1);
                self.given[task][away] -= &amount;
            }
        }
        amount
    }
}

/// Returns the way from the start to the processor with room.
fn trace(end: usize, via: &[Option<usize>], from: &[Option<usize>]) -> Path {
    let mut path = Vec::new();
    let mut cpu = end;
    loop {
        let task = via[cpu].expect("a processor on the way was reached by a task");
        path.push((task, cpu));
        match from[task] {
            Some(before) => cpu = before,
            None => break,
        }
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::compare_sum;

    /// Two tasks of 0.6 that may use processor 0 only, beside an idle processor 1.
    #[test]
    fn a_cut_names_tasks_and_processors() {
        let found = feasibility(&[(1, 2), (6, 10), (6, 10)], &[vec![0, 1], vec![0], vec![0]], 2);
        assert_eq!(found, Feasibility::TooMany { tasks: vec![1, 2], processors: vec![0] });
        assert_eq!(feasibility(&[(3, 2)], &[vec![0]], 1), Feasibility::TaskAboveOne(0));
        assert_eq!(
            feasibility(&[(1, 2)], &[vec![]], 1),
            Feasibility::TooMany { tasks: vec![0], processors: vec![] }
        );
    }

    /// The first comes first and has to move away.
    #[test]
    fn what_was_given_can_be_moved() {
        let Feasibility::Feasible(shares) = feasibility(&[(1, 1), (1, 2)], &[vec![0, 1], vec![0]], 2) else {
            panic!()
        };
        let of = |n: u32, d: u32| Share { numerator: n.into(), denominator: d.into() };
        assert_eq!(shares, [vec![(0, of(1, 2)), (1, of(1, 2))], vec![(0, of(1, 2))]]);
    }

    /// By Hall's condition over all sets of processors: tasks inside one need at most its size.
    #[test]
    fn agrees_with_all_cuts() {
        let mut state = 11u64;
        let mut below = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let (mut yes, mut no) = (0, 0);
        for _ in 0..2_000 {
            let m = 1 + below(4) as u32;
            let pairs: Vec<Pair> = (0..1 + below(6))
                .map(|_| {
                    let period = 1 + below(8);
                    (1 + below(period), period)
                })
                .collect();
            let affinities: Vec<Vec<u32>> =
                pairs.iter().map(|_| (0..m).filter(|_| below(3) > 0).collect()).collect();
            let inside = |set: u32| {
                let fits = |cpus: &Vec<u32>| cpus.iter().all(|&cpu| set >> cpu & 1 == 1);
                let tasks: Vec<Pair> = pairs
                    .iter()
                    .zip(&affinities)
                    .filter(|(_, cpus)| fits(cpus))
                    .map(|(&pair, _)| pair)
                    .collect();
                compare_sum(&tasks, set.count_ones().into()).is_le()
            };
            let hall = (0..1u32 << m).all(inside);
            match feasibility(&pairs, &affinities, m) {
                Feasibility::Feasible(shares) => {
                    assert!(hall, "{pairs:?} {affinities:?}");
                    holds(&pairs, &shares, m);
                    yes += 1;
                }
                Feasibility::TooMany { tasks, processors } => {
                    assert!(!hall, "{pairs:?} {affinities:?}");
                    let need: Vec<Pair> = tasks.iter().map(|&task| pairs[task]).collect();
                    assert!(compare_sum(&need, processors.len() as u64).is_gt());
                    assert!(tasks.iter().all(|&t| affinities[t].iter().all(|cpu| processors.contains(cpu))));
                    no += 1;
                }
                Feasibility::TaskAboveOne(_) => unreachable!("no such task is drawn"),
            }
        }
        assert!(yes > 200 && no > 200, "{yes} {no}");
    }

    /// Shares add up to utilizations, and to at most 1 on each processor.
    fn holds(pairs: &[Pair], shares: &[Vec<(u32, Share)>], m: u32) {
        use crate::exact::Fraction;
        let fraction = |share: &Share| Fraction::new(share.numerator.clone(), share.denominator.clone());
        for (&(cost, period), shares) in pairs.iter().zip(shares) {
            let sum = Fraction::sum_of(shares.iter().map(|(_, share)| fraction(share)).collect());
            assert!(sum.compare(&Fraction::new(cost, period)).is_eq());
        }
        for cpu in 0..m {
            let on =
                shares.iter().flatten().filter(|(other, _)| *other == cpu).map(|(_, share)| fraction(share));
            assert!(Fraction::sum_of(on.collect()).compare(&Fraction::integer(1)).is_le());
        }
    }
}
