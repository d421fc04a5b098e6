//! Utility-accrual decisions: worked examples, and random ones against the algorithms taken literally.

use schedlab_model::{Instant, JobId, TaskId, Work};
use schedlab_policy::utility::{
    Candidate, DecisionMemory, Queues, UtilityKind, DASA_ND, G_GUA, G_MUA, G_NP_HVDF, HVDF, LBESA, NG_GUA,
};

/// Remaining time, termination time, utility.
type Row = (u64, u64, u64);

fn candidates(rows: &[Row]) -> Vec<Candidate> {
    let candidate = |(task, &(remaining, termination, utility)): (usize, &Row)| Candidate {
        id: JobId::new(TaskId(task as u32), 0),
        termination: Instant::from_ns(termination),
        remaining: Work::from_ns(remaining),
        load: Work::from_ns(remaining),
        utility,
        waits_for: None,
    };
    rows.iter().enumerate().map(candidate).collect()
}

fn decided(algorithm: UtilityKind, now: u64, jobs: &[Candidate], processors: usize) -> Vec<Vec<u32>> {
    decided_after(algorithm, now, jobs, processors, &[])
}

/// The same, and abort handlers go first.
fn decided_after(
    algorithm: UtilityKind,
    now: u64,
    jobs: &[Candidate],
    processors: usize,
    handlers: &[u64],
) -> Vec<Vec<u32>> {
    let mut queues = Queues::new(processors, jobs.len());
    for (index, handler) in handlers.iter().enumerate() {
        assert_eq!(queues.occupy(Work::from_ns(*handler)), index < processors);
    }
    let idle = queues.heads().filter(Option::is_some).count();
    assert_eq!(idle, 0);
    let mut memory = DecisionMemory::new(jobs.len(), processors);
    (algorithm.decide)(Instant::from_ns(now), jobs, &mut queues, &mut memory);
    queues.all().to_vec()
}

/// The queues of single processors under LBESA and DASA-ND, and the densest job.
fn on_one(rows: &[Row]) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    let jobs = candidates(rows);
    let [lbesa] = decided(LBESA, 0, &jobs, 1).try_into().unwrap();
    let [dasa] = decided(DASA_ND, 0, &jobs, 1).try_into().unwrap();
    let [densest] = decided(HVDF, 0, &jobs, 1).try_into().unwrap();
    (lbesa, dasa, densest)
}

/// Example `tuf-underload`: both run by deadline; the densest job first would be late for the first deadline.
#[test]
fn underload() {
    let jobs = [(4000, 5000, 10), (2000, 6000, 12), (3000, 9000, 3)];
    assert_eq!(on_one(&jobs), (vec![0, 1, 2], vec![0, 1, 2], vec![1]));
}

/// Example `tuf-overload`: the least dense job is shed.
#[test]
fn overload() {
    let jobs = [(4000, 5000, 10), (3000, 6000, 12), (3000, 9000, 30)];
    assert_eq!(on_one(&jobs), (vec![1, 2], vec![1, 2], vec![2]));
}

/// Example `tuf-dasa-vs-lbesa`.
#[test]
fn one_job_too_many() {
    let jobs = [(5000, 5000, 5), (2000, 6000, 20), (1000, 7000, 4), (4000, 9000, 12)];
    assert_eq!(on_one(&jobs), (vec![1, 2, 3], vec![1, 2, 3], vec![1]));
}

/// Example `tuf-differ`: LBESA removes job 1, the least dense one, though a denser job is what does not fit.
#[test]
fn lbesa_and_dasa_differ() {
    let jobs = [(5000, 7000, 13), (1000, 6000, 1), (5000, 9000, 17), (4000, 12000, 16), (5000, 11000, 15)];
    assert_eq!(on_one(&jobs), (vec![2, 3], vec![1, 2, 3], vec![3]));
}

/// The examples that the files of the algorithms draw.
#[test]
fn drawn_examples() {
    assert_eq!(on_one(&[(4, 5, 10), (2, 6, 12), (3, 9, 3)]).2, [1], "hvdf.rs");
    assert_eq!(on_one(&[(4, 5, 10), (3, 6, 12), (3, 9, 30)]).0, [1, 2], "lbesa.rs");
    let alone = on_one(&[(5, 4, 20), (2, 6, 2)]);
    assert_eq!((alone.0, alone.1), (vec![], vec![1]), "dasa_nd.rs");
    let four = candidates(&[(4, 4, 8), (3, 5, 9), (3, 6, 3), (3, 7, 12)]);
    assert_eq!(decided(G_MUA, 0, &four, 2), [[0, 3], [1, 2]], "gmua.rs");
    let three = candidates(&[(2, 3, 4), (2, 3, 2), (2, 3, 6)]);
    assert_eq!(decided(NG_GUA, 0, &three, 2), [[2], [1]], "ng_gua.rs");
    assert_eq!(decided(G_GUA, 0, &three, 2), [[2], [0]], "g_gua.rs");
    let densest = candidates(&[(4, 9, 4), (2, 9, 6), (3, 9, 3)]);
    assert_eq!(decided(G_NP_HVDF, 0, &densest, 2), [[1], [0]], "g_np_hvdf.rs");
}

/// The example of `docs/peers.md`: balanced by what remains, gMUA keeps what global EDF has in time; by WCETs it does
/// not.
#[test]
fn loads_are_what_remains() {
    let mut jobs = candidates(&[(1, 2, 1), (2, 3, 3), (2, 4, 2), (2, 4, 2)]);
    assert_eq!(decided(G_MUA, 0, &jobs, 2), [[0, 2], [1, 3]]);
    jobs[0].load = Work::from_ns(10);
    assert_eq!(decided(G_MUA, 0, &jobs, 2), [vec![0], vec![1, 2]]);
}

/// Equal densities as fractions, which floating point does not tell from unequal ones; and the largest numbers.
#[test]
fn densities_are_exact() {
    let third = 1 << 60;
    let jobs = candidates(&[(3 * third + 1, u64::MAX, third), (3, u64::MAX, 1), (6, u64::MAX, 2)]);
    assert_eq!(decided(HVDF, 0, &jobs, 3), [[1], [2], [0]]);
    let large = candidates(&[(u64::MAX, u64::MAX, u64::MAX), (u64::MAX, u64::MAX, u64::MAX - 1), (0, 1, 0)]);
    assert_eq!(decided(HVDF, 7, &large, 3), [[0], [1], [2]]);
    assert_eq!(decided(DASA_ND, 0, &large, 1), [[0]]);
}

/// The algorithms word by word, with lists and linear searches.
mod literally {
    use super::Candidate;

    fn densest(jobs: &[Candidate], among: &[usize]) -> usize {
        let denser = |a: usize, b: usize| {
            let [left, right] = [(a, b), (b, a)]
                .map(|(x, y)| u128::from(jobs[x].utility) * u128::from(jobs[y].remaining.as_ns()));
            left > right || left == right && a < b
        };
        *among.iter().find(|job| among.iter().all(|other| other == *job || denser(**job, *other))).unwrap()
    }

    pub fn by_density(jobs: &[Candidate]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..jobs.len()).collect();
        let mut sorted = Vec::new();
        while !left.is_empty() {
            let next = densest(jobs, &left);
            left.retain(|job| *job != next);
            sorted.push(next);
        }
        sorted
    }

    pub fn by_termination(jobs: &[Candidate], mut some: Vec<usize>) -> Vec<usize> {
        some.sort_by_key(|job| (jobs[*job].termination, *job));
        some
    }

    pub fn is_feasible(now: u64, jobs: &[Candidate], queue: &[usize]) -> bool {
        (1..=queue.len()).all(|count| {
            let work: u64 = queue[..count].iter().map(|job| jobs[*job].remaining.as_ns()).sum();
            now + work <= jobs[queue[count - 1]].termination.as_ns()
        })
    }

    pub fn lbesa(now: u64, jobs: &[Candidate], some: Vec<usize>) -> Vec<usize> {
        let mut queue = by_termination(jobs, some);
        while !is_feasible(now, jobs, &queue) {
            let sorted = by_density(jobs);
            let least = *sorted.iter().rev().find(|job| queue.contains(job)).unwrap();
            queue.retain(|job| *job != least);
        }
        queue
    }

    pub fn dasa_nd(now: u64, jobs: &[Candidate]) -> Vec<usize> {
        by_density(jobs)
            .into_iter()
            .fold(Vec::new(), |queue, job| with(now, jobs, &queue, job).unwrap_or(queue))
    }

    /// The queue with one more job, if that is feasible.
    fn with(now: u64, jobs: &[Candidate], queue: &[usize], job: usize) -> Option<Vec<usize>> {
        let more = by_termination(jobs, queue.iter().copied().chain([job]).collect());
        is_feasible(now, jobs, &more).then_some(more)
    }

    /// Each handler to the processor that is free first: how long each is occupied.
    pub fn occupied(handlers: &[u64], processors: usize) -> Vec<u64> {
        let mut busy = vec![(0, 0); processors];
        for handler in handlers {
            let least = (0..processors).min_by_key(|index| (busy[*index], *index)).unwrap();
            busy[least] = (1, busy[least].1 + handler);
        }
        busy.into_iter().map(|(_, time)| time).collect()
    }

    fn by_load(jobs: &[Candidate], queues: &[Vec<usize>], busy: &[u64]) -> Vec<usize> {
        let of_job = |job: &usize| jobs[*job].load.as_ns();
        let load = |processor: usize| busy[processor] + queues[processor].iter().map(of_job).sum::<u64>();
        let mut sorted: Vec<usize> = (0..queues.len()).collect();
        sorted.sort_by_key(|processor| (load(*processor), *processor));
        sorted
    }

    pub fn gmua(now: u64, jobs: &[Candidate], busy: &[u64]) -> Vec<Vec<usize>> {
        let mut queues = vec![Vec::new(); busy.len()];
        for job in by_termination(jobs, (0..jobs.len()).collect()) {
            let least = by_load(jobs, &queues, busy)[0];
            queues[least].push(job);
        }
        queues.into_iter().zip(busy).map(|(queue, busy)| lbesa(now + busy, jobs, queue)).collect()
    }

    pub fn g_gua(now: u64, jobs: &[Candidate], busy: &[u64]) -> Vec<Vec<usize>> {
        let mut queues = vec![Vec::new(); busy.len()];
        for job in by_density(jobs) {
            for processor in by_load(jobs, &queues, busy) {
                if let Some(more) = with(now + busy[processor], jobs, &queues[processor], job) {
                    queues[processor] = more;
                    break;
                }
            }
        }
        queues
    }
}

/// Small numbers, so that densities, termination times and loads tie.
fn random_jobs(x: &mut u32) -> (u64, Vec<Candidate>) {
    let mut draw = |below: u32| {
        *x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from((*x >> 12) % below)
    };
    let (now, count, load) = (draw(5), draw(11), 1 + draw(20));
    let rows: Vec<Row> =
        (0..count).map(|_| (1 + draw(6), now + draw(4) + draw(1 + 2 * load as u32), draw(9))).collect();
    let mut jobs = candidates(&rows);
    if draw(2) == 0 {
        // ChronOS balances by the WCETs of jobs.
        jobs.iter_mut().for_each(|job| job.load = Work::from_ns(job.remaining.as_ns() + draw(5)));
    }
    (now, jobs)
}

fn plain(queues: &[Vec<usize>]) -> Vec<Vec<u32>> {
    queues.iter().map(|queue| queue.iter().map(|job| *job as u32).collect()).collect()
}

/// Where no job waits for another one, NG-GUA is gMUA and G-GUA is DASA-ND with a choice of processors, without the
/// jobs that are worth nothing.
fn without_waiting(now: u64, jobs: &[Candidate], m: usize, handlers: &[u64]) {
    let busy = literally::occupied(handlers, m);
    let what = format!("at {now} of {m} after {handlers:?}: {jobs:?}");
    let some: Vec<Candidate> = jobs.iter().filter(|job| job.utility > 0).copied().collect();
    let gmua = plain(&literally::gmua(now, &some, &busy));
    assert_eq!(decided_after(NG_GUA, now, &some, m, handlers), gmua, "NG-GUA {what}");
    let g_gua = plain(&literally::g_gua(now, &some, &busy));
    assert_eq!(decided_after(G_GUA, now, &some, m, handlers), g_gua, "G-GUA {what}");
    let of_all = |queues: Vec<Vec<u32>>| -> Vec<Vec<JobId>> {
        queues.iter().map(|queue| queue.iter().map(|job| jobs[*job as usize].id).collect()).collect()
    };
    let of_some = |queues: &[Vec<u32>]| -> Vec<Vec<JobId>> {
        queues.iter().map(|queue| queue.iter().map(|job| some[*job as usize].id).collect()).collect()
    };
    assert_eq!(of_all(decided_after(NG_GUA, now, jobs, m, handlers)), of_some(&gmua), "NG-GUA {what}");
    assert_eq!(of_all(decided_after(G_GUA, now, jobs, m, handlers)), of_some(&g_gua), "G-GUA {what}");
}

/// All algorithms, on 100,000 random decisions each.
#[test]
fn decisions_are_the_algorithms_taken_literally() {
    let (mut x, mut shed, mut differ, mut hopeless) = (1, 0, 0, 0);
    for round in 0..100_000 {
        let (now, jobs) = random_jobs(&mut x);
        let (n, all) = (jobs.len(), (0..jobs.len()).collect::<Vec<_>>());
        let m = 1 + round % 4;
        let free = vec![0; m];
        let lbesa = literally::lbesa(now, &jobs, all);
        let dasa = literally::dasa_nd(now, &jobs);
        let gmua = literally::gmua(now, &jobs, &free);
        let densest: Vec<Vec<u32>> = (0..m)
            .map(|index| literally::by_density(&jobs).get(index).map(|job| *job as u32).into_iter().collect())
            .collect();
        assert_eq!(
            decided(LBESA, now, &jobs, 1),
            plain(std::slice::from_ref(&lbesa)),
            "LBESA at {now}: {jobs:?}"
        );
        assert_eq!(
            decided(DASA_ND, now, &jobs, 1),
            plain(std::slice::from_ref(&dasa)),
            "DASA-ND at {now}: {jobs:?}"
        );
        assert_eq!(decided(HVDF, now, &jobs, m), densest, "HVDF of {jobs:?}");
        assert_eq!(decided(G_NP_HVDF, now, &jobs, m), densest, "G-NP-HVDF of {jobs:?}");
        assert_eq!(decided(G_MUA, now, &jobs, m), plain(&gmua), "gMUA at {now} of {m}: {jobs:?}");
        without_waiting(now, &jobs, m, &[]);
        shed += usize::from(lbesa.len() < n);
        differ += usize::from(lbesa != dasa);
        hopeless += usize::from((0..n).any(|job| !literally::is_feasible(now, &jobs, &[job])));
    }
    assert!(shed > 25_000 && differ > 10_000 && hopeless > 25_000, "power: {shed}, {differ}, {hopeless}");
}

/// Abort handlers go first: each schedule begins after those of its processor, and they count as load.
#[test]
fn schedules_begin_after_abort_handlers() {
    let (mut x, mut later) = (3, 0);
    for round in 0..10_000_u64 {
        let (now, jobs) = random_jobs(&mut x);
        let (n, m) = (jobs.len(), 1 + round as usize % 4);
        let handlers: Vec<u64> = (0..round / 4 % 6).map(|index| (round / 24 + index) % 5).collect();
        let busy = literally::occupied(&handlers, m);
        let all: Vec<usize> = (0..n).collect();
        let what = format!("at {now} after {handlers:?}: {jobs:?}");
        let one = literally::occupied(&handlers, 1)[0];
        let lbesa = literally::lbesa(now + one, &jobs, all);
        later += usize::from(
            lbesa.len() < n
                && literally::is_feasible(now, &jobs, &literally::by_termination(&jobs, (0..n).collect())),
        );
        assert_eq!(decided_after(LBESA, now, &jobs, 1, &handlers), plain(&[lbesa]), "LBESA {what}");
        let dasa = literally::dasa_nd(now + one, &jobs);
        assert_eq!(decided_after(DASA_ND, now, &jobs, 1, &handlers), plain(&[dasa]), "DASA-ND {what}");
        let gmua = plain(&literally::gmua(now, &jobs, &busy));
        assert_eq!(decided_after(G_MUA, now, &jobs, m, &handlers), gmua, "gMUA {what}");
        without_waiting(now, &jobs, m, &handlers);
        let free = m.saturating_sub(handlers.len());
        let mut densest = vec![Vec::new(); m - free];
        let by_density = literally::by_density(&jobs);
        densest.extend((0..free).map(|index| by_density.get(index).copied().into_iter().collect::<Vec<_>>()));
        assert_eq!(decided_after(HVDF, now, &jobs, m, &handlers), plain(&densest), "HVDF {what}");
    }
    assert!(later > 300, "power: {later}");
}

/// On one processor without removals all are EDF: where the jobs by termination time are feasible, nothing is shed.
#[test]
fn a_feasible_set_is_kept_whole() {
    let (mut x, mut tried) = (7, 0);
    for _ in 0..20_000 {
        let (now, jobs) = random_jobs(&mut x);
        let n = jobs.len();
        let edf = literally::by_termination(&jobs, (0..n).collect());
        if literally::is_feasible(now, &jobs, &edf) {
            tried += usize::from(n > 2);
            let expected = plain(&[edf]);
            assert_eq!(decided(LBESA, now, &jobs, 1), expected);
            assert_eq!(decided(DASA_ND, now, &jobs, 1), expected);
            assert_eq!(decided(G_MUA, now, &jobs, 1), expected);
        }
    }
    assert!(tried > 500, "{tried}");
}
