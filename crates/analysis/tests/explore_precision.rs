//! How tight the bounds of the non-preemptive explorer are on several processors: never looser than those of the
//! published rule, and closer to what happens in the worst case.

use crate::published;
use crate::schedules;

use published::Order;
use schedlab_analysis::explore::{
    explore_jobs, explore_jobs_as_published, Conclusion, JobSpan, Span, MOST_STATES,
};
use schedlab_model::{JobId, TaskId};
use schedules::{all_completions, Numbers};

/// How jobs are drawn: up to so much of each.
struct Drawn {
    jobs: u32,
    release: u64,
    jitter: u64,
    cost: u64,
    variation: u64,
}

impl Drawn {
    /// Without deadlines, so that everything is explored.
    fn draw(&self, numbers: &mut Numbers) -> Vec<JobSpan> {
        let job = |task: u32| {
            let (release, cost) = (numbers.up_to(self.release), 1 + numbers.up_to(self.cost));
            JobSpan {
                id: JobId::new(TaskId(task), 0),
                release: Span::new(release, release + numbers.up_to(self.jitter)),
                cost: Span::new(cost, cost + numbers.up_to(self.variation)),
                due: u64::MAX,
                point: numbers.up_to(u64::from(self.jobs)),
            }
        };
        (0..self.jobs).map(job).collect()
    }
}

fn bounds(jobs: &[JobSpan], processors: u32) -> Vec<Span> {
    let found = explore_jobs(jobs, processors, MOST_STATES).expect("the jobs are well-formed");
    assert_eq!(found.outcome, Conclusion::Safe);
    found.completions.expect("all schedules were explored")
}

fn all_within(inner: &[Span], outer: &[Span]) -> bool {
    inner.iter().zip(outer).all(|(inner, outer)| outer.contains(*inner))
}

/// How much later than in `worst` jobs may complete by `bounds`, in all.
fn looseness(bounds: &[Span], worst: &[Span]) -> u64 {
    bounds.iter().zip(worst).map(|(bound, worst)| bound.high - worst.high).sum()
}

/// Bounds are within those of the rule carried to its end, for every set. By the order of the authors' tool, some jobs
/// of some sets have smaller bounds: of one set in a thousand now, of one in two hundred when all states that intersect
/// were merged at once.
#[test]
fn bounds_are_within_the_published_ones() {
    let mut numbers = Numbers(0x5EED_0101);
    let drawn = [
        Drawn { jobs: 12, release: 10, jitter: 3, cost: 5, variation: 4 },
        Drawn { jobs: 16, release: 20, jitter: 3, cost: 11, variation: 4 },
    ];
    const SETS: u32 = 3000;
    let (mut tighter, mut looser) = (0, 0);
    for round in 0..SETS {
        let processors = 2 + round % 3;
        let jobs = drawn[round as usize % 2].draw(&mut numbers);
        let ours = bounds(&jobs, processors);
        let by = |order| published::completions(&jobs, processors as usize, order);
        assert!(all_within(&ours, &by(Order::UntilNoneIntersect)), "{processors} processors: {jobs:?}");
        let tool = by(Order::Newest);
        looser += u32::from(!all_within(&ours, &tool));
        tighter += u32::from(!all_within(&tool, &ours));
    }
    println!(
        "of {SETS} sets, {tighter} have a tighter bound than by the authors' tool, {looser} a looser one"
    );
    assert!(10 * tighter > 8 * SETS && 500 * looser <= SETS, "{tighter} tighter, {looser} looser, of {SETS}");
}

/// Against every release and every cost.
#[test]
fn bounds_are_close_to_the_worst_case() {
    let mut numbers = Numbers(0x5EED_0102);
    let drawn = Drawn { jobs: 7, release: 3, jitter: 1, cost: 3, variation: 1 };
    let (mut ours_loose, mut theirs_loose) = (0, 0);
    for round in 0..300 {
        let processors = 2 + round % 3;
        let jobs = drawn.draw(&mut numbers);
        let (worst, _) = all_completions(&jobs, processors as usize);
        let ours = bounds(&jobs, processors);
        let theirs = published::completions(&jobs, processors as usize, Order::Newest);
        assert!(all_within(&worst, &ours), "{processors} processors: {jobs:?}");
        ours_loose += looseness(&ours, &worst);
        theirs_loose += looseness(&theirs, &worst);
    }
    println!("bounds beyond the worst case, in all: {ours_loose}, published {theirs_loose}");
    assert!(4 * ours_loose < theirs_loose, "{ours_loose}, published {theirs_loose}");
}

/// With no room to keep states apart, the published rule decides.
#[test]
fn a_small_budget_is_spent_as_published() {
    let mut numbers = Numbers(0x5EED_0103);
    let drawn = Drawn { jobs: 16, release: 20, jitter: 3, cost: 11, variation: 4 };
    let mut again = 0;
    for _ in 0..20 {
        let jobs = drawn.draw(&mut numbers);
        let published = explore_jobs_as_published(&jobs, 4, MOST_STATES).expect("the jobs are well-formed");
        let enough = |most: u64| explore_jobs(&jobs, 4, most).expect("the jobs are well-formed");
        let most = (1..).map(|step| step * published.states / 16).find(|&most| {
            explore_jobs_as_published(&jobs, 4, most).expect("the jobs are well-formed").outcome
                == Conclusion::Safe
        });
        let found = enough(most.expect("some budget is enough"));
        assert_eq!(found.outcome, Conclusion::Safe);
        again += u32::from(found.completions == published.completions && found.states > published.states);
    }
    assert!(again > 10, "{again} were explored again");
}
