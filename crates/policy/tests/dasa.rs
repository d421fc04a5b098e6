//! DASA's decisions: worked examples, and random ones against the algorithm taken literally.

use schedlab_model::{Instant, JobId, TaskId, Work};
use schedlab_policy::utility::{deadlocked, Candidate, DecisionMemory, Queues, UtilityKind, DASA, DASA_ND};

/// Remaining time, termination time, utility, and whom the job waits for.
type Row = (u64, u64, u64, Option<u32>);

pub(crate) fn candidates(rows: &[Row]) -> Vec<Candidate> {
    let candidate = |(task, &(remaining, termination, utility, waits_for)): (usize, &Row)| Candidate {
        id: JobId::new(TaskId(task as u32), 0),
        termination: Instant::from_ns(termination),
        remaining: Work::from_ns(remaining),
        load: Work::from_ns(remaining),
        utility,
        waits_for,
    };
    rows.iter().enumerate().map(candidate).collect()
}

fn decided(algorithm: UtilityKind, now: u64, jobs: &[Candidate]) -> Vec<usize> {
    let mut queues = Queues::new(1, jobs.len());
    (algorithm.decide)(Instant::from_ns(now), jobs, &mut queues, &mut DecisionMemory::new(jobs.len(), 1));
    queues.all()[0].iter().map(|job| *job as usize).collect()
}

fn dasa(now: u64, rows: &[Row]) -> Vec<usize> {
    decided(DASA, now, &candidates(rows))
}

/// The example of `dasa.rs` at 2: A waits for C, and both go before B.
#[test]
fn a_holder_goes_first_for_who_waits() {
    let rows = [(3, 9, 30, Some(2)), (4, 10, 12, None), (2, 14, 2, None)];
    assert_eq!(dasa(2, &rows), [2, 0]);
    assert_eq!(decided(DASA_ND, 2, &candidates(&rows[1..])), [0, 1], "A is not ready");
}

/// C, who is due last, holds what B wants, and B what A wants.
#[test]
fn a_chain_is_tightened_link_by_link() {
    let rows = [(1, 5, 9, Some(1)), (1, 8, 1, Some(2)), (1, 90, 1, None), (1, 6, 2, None)];
    assert_eq!(dasa(0, &rows), [2, 1, 0, 3]);
}

/// C is in the schedule by its own time already, when A, who is less dense, pulls it before B.
#[test]
fn a_holder_in_the_schedule_moves_forward() {
    let rows = [(1, 4, 1, Some(2)), (2, 6, 9, None), (1, 9, 8, None)];
    assert_eq!(dasa(0, &rows), [2, 0, 1]);
}

/// With C before it, A is late; then C stays where it was.
#[test]
fn a_chain_that_is_late_leaves_the_schedule_as_it_was() {
    let rows = [(2, 4, 1, Some(2)), (2, 6, 9, None), (3, 9, 12, None)];
    assert_eq!(dasa(0, &rows), [1, 2]);
}

/// A and B wait for each other, and C for A; B is the least dense of the circle, C less dense still.
#[test]
fn the_least_dense_of_a_circle_is_given_up() {
    let rows = [(2, 20, 9, Some(1)), (3, 20, 9, Some(0)), (9, 90, 1, Some(0)), (1, 20, 1, None)];
    assert_eq!(deadlocked(&candidates(&rows)), Some(1));
    let itself = [(1, 9, 1, Some(1)), (1, 9, 1, None)];
    assert_eq!(deadlocked(&candidates(&itself)), None, "no circle");
}

/// The pseudo-code word by word, with lists of (when it is due, the job).
mod literally {
    use super::Candidate;

    type Schedule = Vec<(u64, usize)>;

    /// The job, who holds what it waits for, and so on; up to who comes again.
    pub fn chain(jobs: &[Candidate], head: usize) -> Vec<usize> {
        let mut chain = vec![head];
        while let Some(holder) = jobs[*chain.last().unwrap()].waits_for {
            if chain.contains(&(holder as usize)) {
                break;
            }
            chain.push(holder as usize);
        }
        chain
    }

    /// Those that wait for each other in a circle with `job`, if it is in one.
    pub fn circle(jobs: &[Candidate], job: usize) -> Option<Vec<usize>> {
        let chain = chain(jobs, job);
        (jobs[*chain.last().unwrap()].waits_for == Some(job as u32)).then_some(chain)
    }

    pub fn is_denser(jobs: &[Candidate], left: &[usize], right: &[usize]) -> bool {
        let utility = |all: &[usize]| all.iter().map(|job| u128::from(jobs[*job].utility)).sum::<u128>();
        let time =
            |all: &[usize]| all.iter().map(|job| u128::from(jobs[*job].remaining.as_ns())).sum::<u128>();
        let (a, b) = (utility(left) * time(right), utility(right) * time(left));
        a > b || a == b && left[0] < right[0]
    }

    fn by_density(jobs: &[Candidate]) -> Vec<usize> {
        let mut left: Vec<usize> = (0..jobs.len()).collect();
        let mut sorted = Vec::new();
        while !left.is_empty() {
            let beats = |a: usize, b: usize| is_denser(jobs, &chain(jobs, a), &chain(jobs, b));
            let next = *left.iter().find(|a| left.iter().all(|b| a == &b || beats(**a, *b))).unwrap();
            left.retain(|job| *job != next);
            sorted.push(next);
        }
        sorted
    }

    /// The first place before which nothing is due later, nor as late with a higher number.
    fn place(schedule: &Schedule, due: u64, job: usize) -> usize {
        (0..schedule.len()).find(|index| schedule[*index] > (due, job)).unwrap_or(schedule.len())
    }

    fn with_chain(jobs: &[Candidate], schedule: &Schedule, job: usize) -> Schedule {
        let mut copy = schedule.clone();
        let own = |job: usize| jobs[job].termination.as_ns();
        copy.insert(place(&copy, own(job), job), (own(job), job));
        for pair in chain(jobs, job).windows(2) {
            let (waiter, holder) = (pair[0], pair[1]);
            let find = |copy: &Schedule, job| copy.iter().position(|entry| entry.1 == job);
            let known = find(&copy, holder);
            if known.is_some_and(|index| index < find(&copy, waiter).unwrap()) {
                continue;
            }
            let due = known.map_or(own(holder), |index| copy.remove(index).0);
            let before = find(&copy, waiter).unwrap();
            let due = due.min(copy[before].0);
            copy.insert(place(&copy, due, holder).min(before), (due, holder));
        }
        copy
    }

    /// All of the schedule complete by when they are due, tightened as that is.
    fn is_feasible(now: u64, jobs: &[Candidate], schedule: &Schedule) -> bool {
        (1..=schedule.len()).all(|count| {
            let work: u64 = schedule[..count].iter().map(|entry| jobs[entry.1].remaining.as_ns()).sum();
            now + work <= schedule[count - 1].0
        })
    }

    pub fn dasa(now: u64, jobs: &[Candidate]) -> (Vec<usize>, usize) {
        let (mut schedule, mut refused) = (Schedule::new(), 0);
        for job in by_density(jobs) {
            let is_worth_nothing = chain(jobs, job).iter().all(|job| jobs[*job].utility == 0);
            if is_worth_nothing || schedule.iter().any(|entry| entry.1 == job) {
                continue;
            }
            let copy = with_chain(jobs, &schedule, job);
            match is_feasible(now, jobs, &copy) {
                true => schedule = copy,
                false => refused += 1,
            }
        }
        (schedule.into_iter().map(|(_, job)| job).collect(), refused)
    }
}

/// Small numbers, so that densities and termination times tie. A third of the jobs wait.
pub(crate) fn random_jobs(x: &mut u32) -> (u64, Vec<Candidate>) {
    let mut draw = |below: u32| {
        *x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u64::from((*x >> 12) % below)
    };
    let (now, count, load) = (draw(5), draw(11) as u32, 1 + draw(20));
    let rows: Vec<Row> = (0..count)
        .map(|job| {
            let other = draw(count) as u32;
            let waits = (draw(3) == 0 && other != job).then_some(other);
            (1 + draw(6), now + draw(4) + draw(1 + 2 * load as u32), draw(9), waits)
        })
        .collect();
    (now, candidates(&rows))
}

/// What else the decisions tried: chains, refusals, circles.
#[derive(Default)]
pub(crate) struct Power {
    chains: usize,
    refused: usize,
    circles: usize,
}

/// Resolves the circles, one victim after the other: it waits for no job any more, and hands back what others wait for.
pub(crate) fn resolve(jobs: &mut [Candidate], power: &mut Power) {
    while let Some(victim) = deadlocked(jobs) {
        let circle = literally::circle(jobs, victim as usize).expect("only a circle is a deadlock");
        let is_least = |other: &usize| {
            *other == victim as usize || literally::is_denser(jobs, &[*other], &[victim as usize])
        };
        assert!(circle.iter().all(is_least), "{victim} of {circle:?}: {jobs:?}");
        jobs[victim as usize].waits_for = None;
        jobs.iter_mut().filter(|job| job.waits_for == Some(victim)).for_each(|job| job.waits_for = None);
        power.circles += 1;
    }
    assert!((0..jobs.len()).all(|job| literally::circle(jobs, job).is_none()), "{jobs:?}");
}

fn decisions_are_literal(decisions: usize, seed: u32) {
    let (mut x, mut power) = (seed, Power::default());
    for _ in 0..decisions {
        let (now, mut jobs) = random_jobs(&mut x);
        resolve(&mut jobs, &mut power);
        let (expected, refused) = literally::dasa(now, &jobs);
        let queue = decided(DASA, now, &jobs);
        assert_eq!(queue, expected, "at {now}: {jobs:?}");
        power.refused += usize::from(refused > 0);
        power.chains += usize::from(queue.iter().any(|job| jobs[*job].waits_for.is_some()));
        for (index, job) in queue.iter().enumerate() {
            let holder = jobs[*job].waits_for;
            assert!(
                holder.is_none_or(|holder| queue[..index].contains(&(holder as usize))),
                "{queue:?}: {jobs:?}"
            );
        }
        jobs.iter_mut().for_each(|job| job.waits_for = None);
        jobs.retain(|job| job.utility > 0);
        let alone = decided(DASA, now, &jobs);
        assert_eq!(alone, decided(DASA_ND, now, &jobs), "no job waits: {jobs:?}");
    }
    let least = decisions / 10;
    assert!(
        power.chains > least && power.refused > 2 * least && power.circles > least / 5,
        "power: {} chains, {} refused, {} circles",
        power.chains,
        power.refused,
        power.circles
    );
}

#[test]
fn decisions_are_the_algorithm_taken_literally() {
    decisions_are_literal(5_000, 1);
}

#[test]
#[ignore = "100,000 decisions: `make soak`; each change tries 5,000"]
fn many_decisions_are_the_algorithm_taken_literally() {
    decisions_are_literal(100_000, 2);
}
