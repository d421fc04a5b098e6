//! Decisions of G-GUA and NG-GUA about jobs that wait for each other: worked examples, and random ones against the
//! rules taken literally.

use crate::dasa::{candidates, random_jobs, resolve, Power};
use schedlab_model::Instant;
use schedlab_policy::utility::{Candidate, DecisionMemory, Queues, UtilityKind, G_GUA, G_MUA, NG_GUA};

fn decided(algorithm: UtilityKind, now: u64, jobs: &[Candidate], processors: usize) -> Vec<Vec<usize>> {
    let mut queues = Queues::new(processors, jobs.len());
    let mut memory = DecisionMemory::new(jobs.len(), processors);
    (algorithm.decide)(Instant::from_ns(now), jobs, &mut queues, &mut memory);
    queues.all().iter().map(|queue| queue.iter().map(|job| *job as usize).collect()).collect()
}

/// The example of `g_gua.rs`. With D counts A: 32 by 5, denser than B and C with 3.
#[test]
fn a_holder_is_as_dense_as_those_that_wait_for_it() {
    let rows = [(3, 8, 30, Some(3)), (4, 5, 12, None), (4, 5, 12, None), (2, 5, 2, None)];
    let jobs = candidates(&rows);
    assert_eq!(decided(G_GUA, 0, &jobs, 2), [[3], [1]]);
    assert_eq!(
        decided(G_GUA, 0, &candidates(&rows.map(|row| (row.0, row.1, row.2, None)))[1..], 2),
        [[0], [1]]
    );
    // By when they are due, all at 5, B and C go to a processor each; D follows B, which is less dense.
    assert_eq!(decided(NG_GUA, 0, &jobs, 2), [[3], [2]]);
}

/// The example of `ng_gua.rs`: D is due at 8, when A is. G-GUA takes D first and B before it, by its own time.
#[test]
fn a_holder_is_due_when_the_first_of_those_is_that_wait_for_it() {
    let rows = [(3, 8, 30, Some(3)), (4, 10, 12, None), (4, 10, 12, None), (2, 14, 2, None)];
    let jobs = candidates(&rows);
    assert_eq!(decided(NG_GUA, 0, &jobs, 2), [vec![3, 2], vec![1]]);
    assert_eq!(decided(G_GUA, 0, &jobs, 2), [vec![2, 3], vec![1]]);
    assert_eq!(decided(G_MUA, 0, &jobs[1..], 2), [vec![0, 2], vec![1]]);
}

/// A waits for B and B for C; D waits for C, too. All of them count for C: 1 + 2 + 3 + 4 by 8, and it is due at 7.
#[test]
fn a_tree_has_all_that_wait_by_any_number_of_steps() {
    let rows = [
        (2, 20, 1, Some(1)),
        (2, 20, 2, Some(2)),
        (2, 20, 3, None),
        (2, 7, 4, Some(2)),
        (4, 6, 5, None),
        (4, 8, 6, None),
    ];
    let jobs = candidates(&rows);
    // E is due before C, and F after it. E and C would be complete at 4 and 6, and F at 10, too late. F is the densest
    // (6 by 4); E (5 by 4) and the tree of C (10 by 8) are equally dense, and E has the higher number.
    assert_eq!(decided(NG_GUA, 0, &jobs, 1), [[2, 5]]);
    // By its own termination time C goes last, and all are in time.
    assert_eq!(decided(G_GUA, 0, &jobs, 1), [[4, 5, 2]]);
}

/// A holder that is worth nothing itself goes for those that wait for it; a tree that is worth nothing does not.
#[test]
fn a_tree_is_worth_what_its_jobs_are() {
    let rows = [(1, 9, 0, None), (1, 9, 4, Some(0)), (1, 9, 0, None), (1, 9, 0, Some(2))];
    for algorithm in [G_GUA, NG_GUA] {
        assert_eq!(decided(algorithm, 0, &candidates(&rows), 1), [[0]], "{algorithm:?}");
    }
}

/// The rules word by word, with lists and linear searches.
mod literally {
    use super::Candidate;

    /// The job that `job` and those that it waits for wait for in the end.
    fn root(jobs: &[Candidate], job: usize) -> usize {
        jobs[job].waits_for.map_or(job, |holder| root(jobs, holder as usize))
    }

    /// A job that waits for none, the utility and the time of all in its tree, and when the first of them is due.
    pub struct Tree {
        root: usize,
        utility: u64,
        time: u64,
        due: u64,
    }

    /// All trees that are worth something, by job.
    fn trees(jobs: &[Candidate]) -> Vec<Tree> {
        let tree = |root: usize| {
            let mine: Vec<&Candidate> =
                (0..jobs.len()).filter(|job| self::root(jobs, *job) == root).map(|job| &jobs[job]).collect();
            Tree {
                root,
                utility: mine.iter().map(|job| job.utility).sum(),
                time: mine.iter().map(|job| job.remaining.as_ns()).sum(),
                due: mine.iter().map(|job| job.termination.as_ns()).min().unwrap(),
            }
        };
        let roots = (0..jobs.len()).filter(|job| jobs[*job].waits_for.is_none());
        roots.map(tree).filter(|tree| tree.utility > 0).collect()
    }

    fn densest_first(mut trees: Vec<Tree>) -> Vec<Tree> {
        trees.sort_by(|a, b| (b.utility * a.time).cmp(&(a.utility * b.time)).then(a.root.cmp(&b.root)));
        trees
    }

    fn is_feasible(now: u64, jobs: &[Candidate], queue: &[usize]) -> bool {
        (1..=queue.len()).all(|count| {
            let work: u64 = queue[..count].iter().map(|job| jobs[*job].remaining.as_ns()).sum();
            now + work <= jobs[queue[count - 1]].termination.as_ns()
        })
    }

    fn by_load(jobs: &[Candidate], queues: &[Vec<usize>]) -> Vec<usize> {
        let load = |queue: &[usize]| queue.iter().map(|job| jobs[*job].load.as_ns()).sum::<u64>();
        let mut sorted: Vec<usize> = (0..queues.len()).collect();
        sorted.sort_by_key(|processor| (load(&queues[*processor]), *processor));
        sorted
    }

    pub fn g_gua(now: u64, jobs: &[Candidate], processors: usize) -> Vec<Vec<usize>> {
        let mut queues = vec![Vec::new(); processors];
        for Tree { root, .. } in densest_first(trees(jobs)) {
            for processor in by_load(jobs, &queues) {
                let mut copy = queues[processor].clone();
                copy.push(root);
                copy.sort_by_key(|job| (jobs[*job].termination, *job));
                if is_feasible(now, jobs, &copy) {
                    queues[processor] = copy;
                    break;
                }
            }
        }
        queues
    }

    pub fn ng_gua(now: u64, jobs: &[Candidate], processors: usize) -> Vec<Vec<usize>> {
        let mut queues: Vec<Vec<usize>> = vec![Vec::new(); processors];
        let mut by_due = trees(jobs);
        by_due.sort_by_key(|tree| (tree.due, tree.root));
        for Tree { root, .. } in by_due {
            let least = by_load(jobs, &queues)[0];
            queues[least].push(root);
        }
        let densest: Vec<usize> = densest_first(trees(jobs)).into_iter().map(|tree| tree.root).collect();
        for queue in &mut queues {
            while !is_feasible(now, jobs, queue) {
                let least = *densest.iter().rev().find(|root| queue.contains(root)).unwrap();
                queue.retain(|root| *root != least);
            }
        }
        queues
    }
}

/// Every job in a queue waits for none, and is there once. The queues are the literal ones.
fn decisions_are_literal(decisions: usize, seed: u32) {
    let (mut x, mut circles) = (seed, Power::default());
    let (mut held, mut shed, mut apart) = (0, 0, 0);
    for round in 0..decisions {
        let (now, mut jobs) = random_jobs(&mut x);
        resolve(&mut jobs, &mut circles);
        let m = 1 + round % 4;
        let what = format!("at {now} of {m}: {jobs:?}");
        let (g_gua, ng_gua) = (decided(G_GUA, now, &jobs, m), decided(NG_GUA, now, &jobs, m));
        assert_eq!(g_gua, literally::g_gua(now, &jobs, m), "G-GUA {what}");
        assert_eq!(ng_gua, literally::ng_gua(now, &jobs, m), "NG-GUA {what}");
        for queues in [&g_gua, &ng_gua] {
            let mut all: Vec<usize> = queues.concat();
            assert!(all.iter().all(|job| jobs[*job].waits_for.is_none()), "{what}");
            all.sort_unstable();
            assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "{what}");
        }
        let waited =
            jobs.iter().filter_map(|job| job.waits_for).any(|job| ng_gua.concat().contains(&(job as usize)));
        held += usize::from(waited);
        let roots = jobs.iter().filter(|job| job.waits_for.is_none()).count();
        shed += usize::from(ng_gua.concat().len() < roots);
        apart += usize::from(g_gua != ng_gua);
    }
    let least = decisions / 10;
    assert!(held > 2 * least && shed > 2 * least && apart > 2 * least, "power: {held}, {shed}, {apart}");
}

#[test]
fn decisions_are_the_rules_taken_literally() {
    decisions_are_literal(20_000, 5);
}

#[test]
#[ignore = "200,000 decisions: `make soak`; each change tries 20,000"]
fn many_decisions_are_the_rules_taken_literally() {
    decisions_are_literal(200_000, 6);
}
