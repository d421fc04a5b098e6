//! The non-preemptive explorer against schedules written down instant by instant, from the definition alone:
//! every release and every cost of tiny job sets; periodic tasks followed for many hyperperiods.

use crate::schedules;

use schedlab_analysis::explore::{
    explore_jobs, explore_tasks, Choice, Conclusion, CounterExample, Explored, JobSpan, PeriodicTask, Span,
    MOST_STATES,
};
use schedlab_model::{JobId, TaskId};
use schedules::{all_completions, completions, Numbers};

fn span(numbers: &mut Numbers, low: u64, width: u64) -> Span {
    let low = low + numbers.up_to(3);
    Span::new(low, low + numbers.up_to(width))
}

fn random_jobs(numbers: &mut Numbers, count: u32) -> Vec<JobSpan> {
    let job = |task: u32, numbers: &mut Numbers| {
        let release = span(numbers, 0, 2);
        let cost = span(numbers, 1, 1);
        let due = release.low + cost.high + numbers.up_to(7);
        JobSpan { id: JobId::new(TaskId(task), 0), release, cost, due, point: numbers.up_to(4) }
    };
    (0..count).map(|task| job(task, numbers)).collect()
}

/// The counter-example's choices are allowed and make that job late.
fn assert_is_late(jobs: &[JobSpan], example: &CounterExample, processors: usize) {
    let known: Vec<JobSpan> =
        jobs.iter().filter(|job| example.jobs.iter().any(|(id, _)| *id == job.id)).copied().collect();
    let choice = |job: &JobSpan| example.jobs.iter().find(|(id, _)| *id == job.id).expect("it is known").1;
    let choices: Vec<Choice> = known.iter().map(choice).collect();
    for (job, choice) in known.iter().zip(&choices) {
        assert!(job.release.low <= choice.release && choice.release <= job.release.high);
        assert!(job.cost.low <= choice.cost && choice.cost <= job.cost.high);
    }
    let index = known.iter().position(|job| job.id == example.late).expect("the late job is known");
    assert!(completions(&known, &choices, processors)[index] > example.due);
}

fn explored(jobs: &[JobSpan], processors: usize) -> Explored {
    explore_jobs(jobs, processors as u32, MOST_STATES).expect("the jobs are well-formed")
}

/// Whether a job is late or not, completions are those of all schedules.
#[test]
fn one_processor_is_exact() {
    let mut numbers = Numbers(0x5EED_0001);
    let (mut safe, mut late) = (0, 0);
    for _ in 0..400 {
        let count = 2 + numbers.up_to(2) as u32;
        let jobs = random_jobs(&mut numbers, count);
        let (spans, is_late) = all_completions(&jobs, 1);
        let found = explored(&jobs, 1);
        assert_eq!(found.completions, Some(spans), "{jobs:?}");
        match &found.outcome {
            Conclusion::Safe => {
                assert!(!is_late, "{jobs:?}");
                safe += 1;
            }
            Conclusion::Late(example) => {
                assert!(is_late, "{jobs:?}");
                assert_is_late(&jobs, example, 1);
                late += 1;
            }
            other => panic!("{other:?}: {jobs:?}"),
        }
    }
    assert!(safe > 80 && late > 80, "{safe} safe, {late} late");
}

/// Whether a job is late or not, completions bound those of all schedules.
#[test]
fn several_processors_are_sound() {
    let mut numbers = Numbers(0x5EED_0002);
    let (mut safe, mut late, mut doubtful, mut tight) = (0, 0, 0, 0);
    for _ in 0..300 {
        let count = 3 + numbers.up_to(1) as u32;
        let jobs = random_jobs(&mut numbers, count);
        let (spans, is_late) = all_completions(&jobs, 2);
        let found = explored(&jobs, 2);
        let bounds = found.completions.expect("all schedules were explored");
        assert!(bounds.iter().zip(&spans).all(|(bound, span)| bound.contains(*span)), "{jobs:?}");
        match &found.outcome {
            Conclusion::Safe => {
                assert!(!is_late, "{jobs:?}");
                safe += 1;
                tight += u32::from(bounds == spans);
            }
            Conclusion::Late(example) => {
                assert!(is_late, "{jobs:?}");
                assert_is_late(&jobs, example, 2);
                late += 1;
            }
            Conclusion::Doubtful => doubtful += 1,
            Conclusion::OutOfBudget => panic!("{jobs:?}"),
        }
    }
    assert!(safe > 100 && late > 40, "{safe} safe, {late} late, {doubtful} doubtful");
    // Merging loses little on sets so small: a rule that is merely safe would show here.
    assert!(10 * tight > 9 * safe && 10 * doubtful < late, "{tight} of {safe} tight, {doubtful} doubtful");
}

/// What was seen until the budget ended bounds nothing, late job or not.
#[test]
fn no_completions_are_given_where_the_budget_ends() {
    let mut numbers = Numbers(0x5EED_0003);
    let (mut late, mut whole) = (0, 0);
    for _ in 0..200 {
        let jobs = random_jobs(&mut numbers, 4);
        for most in 1..40 {
            let found = explore_jobs(&jobs, 1, most).expect("the jobs are well-formed");
            match found.completions {
                None => late += u32::from(matches!(found.outcome, Conclusion::Late(_))),
                Some(completions) => {
                    assert_eq!(completions, all_completions(&jobs, 1).0, "{jobs:?}");
                    whole += 1;
                    break;
                }
            }
        }
    }
    assert!(late > 50 && whole > 150, "{late} late before the budget ended, {whole} whole");
}

fn random_tasks(numbers: &mut Numbers, count: u32, vary: bool, edf: bool) -> Vec<PeriodicTask> {
    let periods = [4, 5, 6, 8, 10, 12];
    let task = |task: u32, numbers: &mut Numbers| {
        let period = periods[numbers.up_to(5) as usize];
        let cost = 1 + numbers.up_to(3);
        let relative_deadline = period + numbers.up_to(4) - numbers.up_to(3).min(period - cost);
        PeriodicTask {
            id: TaskId(task),
            offset: numbers.up_to(7),
            period,
            relative_deadline,
            jitter: if vary { numbers.up_to(2) } else { 0 },
            cost: Span::new(if vary { cost - numbers.up_to(1).min(cost - 1) } else { cost }, cost),
            point: if edf { relative_deadline } else { task.into() },
            point_scale: u32::from(edf),
        }
    };
    (0..count).map(|index| task(index, numbers)).collect()
}

/// The jobs that arrive before `end`.
fn unroll(tasks: &[PeriodicTask], end: u64) -> Vec<JobSpan> {
    let jobs = tasks.iter().flat_map(|task| {
        (task.offset..end).step_by(task.period as usize).enumerate().map(|(number, arrival)| JobSpan {
            id: JobId::new(task.id, number as u32),
            release: Span::new(arrival, arrival + task.jitter),
            cost: task.cost,
            due: arrival + task.relative_deadline,
            point: task.point + u64::from(task.point_scale) * arrival,
        })
    });
    jobs.collect()
}

/// The largest response times of jobs that arrive before `count_until`, and whether one of these is late.
fn observed(tasks: &[PeriodicTask], jobs: &[JobSpan], done: &[u64], count_until: u64) -> (Vec<u64>, bool) {
    let mut worst = vec![0; tasks.len()];
    let mut late = false;
    for (job, end) in jobs.iter().zip(done).filter(|(job, _)| job.release.low < count_until) {
        let task = job.id.task.index();
        worst[task] = worst[task].max(end - job.release.low);
        late |= *end > job.due;
    }
    (worst, late)
}

/// Without jitter and variation there is one schedule; followed for some hyperperiods, it must tell the same story.
#[test]
fn repeating_states_are_all_states() {
    let mut numbers = Numbers(0x5EED_0003);
    let (mut safe, mut late) = (0, 0);
    for round in 0..300 {
        let tasks = random_tasks(&mut numbers, 2 + round % 3, false, round % 2 == 0);
        let jobs = unroll(&tasks, 7 + 120 * 4);
        let choices: Vec<Choice> =
            jobs.iter().map(|job| Choice { release: job.release.low, cost: job.cost.low }).collect();
        let (worst, is_late) = observed(&tasks, &jobs, &completions(&jobs, &choices, 1), 7 + 120 * 3);
        let found = explore_tasks(&tasks, 1, MOST_STATES);
        match &found.outcome {
            Conclusion::Safe => {
                let responses: Vec<u64> = found.responses.iter().map(|span| span.unwrap().high).collect();
                assert_eq!(responses, worst, "{tasks:?}");
                assert!(!is_late, "{tasks:?}");
                safe += 1;
            }
            Conclusion::Late(example) => {
                assert!(is_late, "{tasks:?}");
                assert_is_late(&unroll(&tasks, example.due + 1), example, 1);
                late += 1;
            }
            other => panic!("{other:?}: {tasks:?}"),
        }
    }
    assert!(safe > 60 && late > 60, "{safe} safe, {late} late");
}

#[test]
fn random_releases_and_costs_stay_within_bounds() {
    let mut numbers = Numbers(0x5EED_0004);
    let (mut safe, mut late, mut reached) = (0, 0, 0);
    for round in 0..240 {
        let processors = 1 + round as usize % 2;
        let tasks = random_tasks(&mut numbers, 2 + round % 4, true, round % 3 == 0);
        let found = explore_tasks(&tasks, processors as u32, MOST_STATES);
        if let Conclusion::Late(example) = &found.outcome {
            assert_is_late(&unroll(&tasks, example.due + 1), example, processors);
            late += 1;
        }
        if found.outcome != Conclusion::Safe {
            continue;
        }
        safe += 1;
        let jobs = unroll(&tasks, 300);
        let mut largest = vec![0; tasks.len()];
        for _ in 0..8 {
            let choose = |span: Span, numbers: &mut Numbers| span.low + numbers.up_to(span.high - span.low);
            let choices: Vec<Choice> = jobs
                .iter()
                .map(|job| Choice {
                    release: choose(job.release, &mut numbers),
                    cost: choose(job.cost, &mut numbers),
                })
                .collect();
            let (worst, is_late) = observed(&tasks, &jobs, &completions(&jobs, &choices, processors), 280);
            assert!(!is_late, "{tasks:?}");
            largest.iter_mut().zip(&worst).for_each(|(most, one)| *most = (*most).max(*one));
        }
        let bounds: Vec<u64> = found.responses.iter().map(|span| span.unwrap().high).collect();
        assert!(largest.iter().zip(&bounds).all(|(seen, bound)| seen <= bound), "{tasks:?}");
        reached += u32::from(largest == bounds);
    }
    assert!(safe > 60 && late > 40 && 2 * reached > safe, "{safe} safe, {late} late, {reached} reached");
}

/// Shortening a job makes another late (a scheduling anomaly): only exploration of costs finds it.
#[test]
fn a_shorter_job_makes_another_late() {
    let job = |task: u32, release: u64, due: u64, least: u64, most: u64| JobSpan {
        id: JobId::new(TaskId(task), 0),
        release: Span::new(release, release),
        cost: Span::new(least, most),
        due,
        point: due,
    };
    let anomaly = |least| {
        [job(0, 0, 10_000, least, 2000), job(1, 2000, 4000, 1000, 1000), job(2, 0, 20_000, 5000, 5000)]
    };
    assert_eq!(explored(&anomaly(2000), 1).outcome, Conclusion::Safe);
    let Conclusion::Late(example) = explored(&anomaly(1000), 1).outcome else { panic!("a job is late") };
    assert_eq!((example.late, example.due), (JobId::new(TaskId(1), 0), 4000));
    assert_is_late(&anomaly(1000), &example, 1);
}

/// One task that needs more than its period falls behind, though it leaves a processor free, and is late once it is far
/// enough.
#[test]
fn a_second_processor_does_not_help_a_task_alone() {
    let task = PeriodicTask {
        id: TaskId(0),
        offset: 9,
        period: 3,
        relative_deadline: 8,
        jitter: 0,
        cost: Span::new(4, 4),
        point: 0,
        point_scale: 0,
    };
    let Conclusion::Late(example) = explore_tasks(&[task], 2, MOST_STATES).outcome else {
        panic!("it is late")
    };
    assert_eq!((example.late, example.due), (JobId::new(TaskId(0), 5), 32));
}

/// The states repeat before the last task arrives, whose first job then makes another late.
#[test]
fn states_repeat_only_after_all_tasks_have_arrived() {
    let task = |id, offset, jitter, relative_deadline, cost, (point, point_scale)| PeriodicTask {
        id: TaskId(id),
        offset,
        period: 8,
        relative_deadline,
        jitter,
        cost,
        point,
        point_scale,
    };
    let tasks = [
        task(0, 5, 0, 18, Span::new(1, 1), (18, 1)),
        task(1, 0, 6, 18, Span::new(1, 2), (4, 0)),
        task(2, 0, 0, 3, Span::new(2, 3), (2, 1)),
    ];
    let Conclusion::Late(example) = explore_tasks(&tasks, 1, MOST_STATES).outcome else {
        panic!("a job is late")
    };
    assert_eq!((example.late, example.due), (JobId::new(TaskId(2), 1), 11));
}

#[test]
fn a_budget_is_counted_in_states() {
    let mut numbers = Numbers(0x5EED_0005);
    let jobs = random_jobs(&mut numbers, 4);
    let found = explored(&jobs, 2);
    let spent = (1..).find(|&most| explore_jobs(&jobs, 2, most).unwrap().outcome == found.outcome).unwrap();
    assert!(spent <= found.states, "{spent} of {}", found.states);
    assert_eq!(explore_jobs(&jobs, 2, spent - 1).unwrap().outcome, Conclusion::OutOfBudget);
}

#[test]
fn what_cannot_be_explored_is_refused() {
    let good = random_jobs(&mut Numbers(1), 2);
    let with = |change: fn(&mut JobSpan)| {
        let mut jobs = good.clone();
        change(&mut jobs[1]);
        explore_jobs(&jobs, 1, 10).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(with(|job| job.cost = Span::new(2, 1)), "T1J0: the cost ends before it begins");
    assert_eq!(with(|job| job.release.high = u64::MAX), "T1J0: the release is beyond 2305843009213693952 ns");
    assert_eq!(
        with(|job| job.cost.high = u64::MAX),
        "T1J0: the sum of costs is beyond 2305843009213693952 ns"
    );
    assert_eq!(with(|job| job.id.task = TaskId(0)), "T0J0: there are two jobs of this name");
    assert_eq!(explore_jobs(&good, 0, 10).unwrap_err().to_string(), "0 processors; allowed: from 1");
}
