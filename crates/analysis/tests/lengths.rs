//! Short and long times together: conditions of tests by their definitions, in whole numbers of any size.

use crate::mixer::Mixer;
use num_bigint::BigInt;
use schedlab_analysis::registry;
use schedlab_analysis::{AnalysedOrder, AnalysedScheduler, Answer, System};
use schedlab_model::{Duration, Task, Work};

/// Lengths of time from a nanosecond to a year, each number of digits as often.
fn of_any_length(random: &mut Mixer, longest: u64) -> u64 {
    let bits = 1 + random.below(55);
    (1 + random.below(1 << bits)).min(longest)
}

/// Conditions of sums, by their definitions in whole numbers of any size, of tasks from a nanosecond to a year.
#[test]
fn long_and_short_times_together_are_exact() {
    let mut random = Mixer(0xd3a2_646c);
    let (mut yes, mut no) = ([0; 4], [0; 4]);
    for _ in 0..6_000 {
        let count = 2 + random.below(4);
        let draw = |_| {
            let period = of_any_length(&mut random, System::LONGEST.as_ns());
            let cost = match random.below(3) {
                0 => of_any_length(&mut random, period),
                _ => (period / count).max(1),
            };
            let relative_deadline = match random.below(2) {
                0 => period,
                _ => cost + random.below(period - cost + 1),
            };
            [cost, period, relative_deadline]
        };
        let rows: Vec<[u64; 3]> = (0..count).map(draw).collect();
        let task = |&[cost, period, relative_deadline]: &[u64; 3]| {
            let (period, due) = (Duration::from_ns(period), Duration::from_ns(relative_deadline));
            Task::constrained(Work::from_ns(cost), period, due)
        };
        let tasks: Vec<Task> = rows.iter().map(task).collect();
        let of = |m: u32| System::global(&tasks, m, &AnalysedScheduler::EDF).unwrap();
        let fp = AnalysedScheduler {
            order: AnalysedOrder::FixedPriority,
            ranks: &[0, 1, 2, 3, 4],
            ..AnalysedScheduler::EDF
        };
        let holds = |name: &str, system: &System| {
            (registry::find(name).unwrap().run)(system).answer == Answer::Schedulable
        };
        let found = [
            (holds("edf_utilization", &of(1)), implicit(&rows) && sum_of_shares(&rows, 1, 1, 0) <= 0.into()),
            (holds("gfb", &of(2)), by_densities(&rows, 2)),
            (holds("bcl", &of(2)), by_work_before_deadlines(&rows, 2)),
            (
                holds("response_time", &System::global(&tasks, 1, &fp).unwrap()),
                responses_are_short(&rows).unwrap_or(false),
            ),
        ];
        for (index, (found, expected)) in found.into_iter().enumerate() {
            // A response that takes too many steps is not known.
            assert!(
                found == expected || index == 3 && responses_are_short(&rows).is_none(),
                "{index} {rows:?}"
            );
            yes[index] += u32::from(expected);
            no[index] += u32::from(!expected);
        }
    }
    assert!(yes.iter().chain(&no).all(|count| *count > 100), "{yes:?} {no:?}");
}

fn implicit(rows: &[[u64; 3]]) -> bool {
    rows.iter().all(|[_, period, relative_deadline]| period == relative_deadline)
}

/// The sum of C / (the time at this place), and `more` times the largest of them, less `limit`, times all the times.
fn sum_of_shares(rows: &[[u64; 3]], place: usize, limit: u64, more: u64) -> BigInt {
    let all: BigInt = rows.iter().map(|row| BigInt::from(row[place])).product();
    let shares: Vec<BigInt> = rows.iter().map(|row| &all / row[place] * row[0]).collect();
    let largest = shares.iter().max().unwrap() * more;
    shares.iter().sum::<BigInt>() + largest - all * limit
}

fn by_densities(rows: &[[u64; 3]], processors: u64) -> bool {
    sum_of_shares(rows, 2, processors, processors - 1) <= 0.into()
}

fn by_work_before_deadlines(rows: &[[u64; 3]], processors: u64) -> bool {
    (0..rows.len()).all(|k| {
        let [own, _, window] = rows[k].map(i128::from);
        let work = |[cost, period, relative_deadline]: [i128; 3]| {
            let jobs = ((window - relative_deadline).div_euclid(period) + 1).max(0);
            jobs * cost + cost.min((window - jobs * period).max(0))
        };
        let others = (0..rows.len()).filter(|&i| i != k).map(|i| work(rows[i].map(i128::from)));
        let room = window - own;
        let sum: i128 = others.clone().map(|work| work.min(room)).sum();
        let limit = i128::from(processors) * room;
        sum < limit || sum == limit && others.clone().any(|work| 0 < work && work <= room)
    })
}

/// Whether the first job of each task, released with all others, completes in time; `None` after too many steps.
fn responses_are_short(rows: &[[u64; 3]]) -> Option<bool> {
    for (k, [cost, _, relative_deadline]) in rows.iter().enumerate() {
        let mut response = i128::from(*cost);
        let mut steps = 0;
        loop {
            let delay = |[cost, period, _]: &[u64; 3]| {
                let period = i128::from(*period);
                (response + period - 1) / period * i128::from(*cost)
            };
            let next = i128::from(*cost) + rows[..k].iter().map(delay).sum::<i128>();
            if next > i128::from(*relative_deadline) {
                return Some(false);
            }
            if next == response {
                break;
            }
            response = next;
            steps += 1;
            if steps > 200_000 {
                return None;
            }
        }
    }
    Some(true)
}
