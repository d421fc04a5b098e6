//! Golden job sets with release jitter and varying costs: verdicts and completions of the non-preemptive explorer.

use crate::mixer;

use flate2::read::GzDecoder;
use mixer::Mixer;
use schedlab_analysis::explore::{
    explore_jobs, explore_jobs_as_published, run, Choice, Conclusion, Explored, JobSpan, Span, MOST_STATES,
};
use schedlab_model::{JobId, TaskId};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

fn records() -> impl Iterator<Item = Value> {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/vectors/np_jitter.jsonl.gz");
    let file = std::fs::File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    BufReader::new(GzDecoder::new(file)).lines().map(|line| serde_json::from_str(&line.unwrap()).unwrap())
}

fn numbers(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect()
}

/// All jobs that arrive before a hyperperiod and the largest offset have passed.
fn jobs(record: &Value, edf: bool) -> Vec<JobSpan> {
    let (offsets, jitter) = (numbers(&record["offsets"]), numbers(&record["jitter"]));
    let (bcet, hyperperiod) = (numbers(&record["bcet"]), record["hyperperiod"].as_u64().unwrap());
    let end = hyperperiod + offsets.iter().max().unwrap();
    let mut jobs = Vec::new();
    for (task, row) in record["tasks"].as_array().unwrap().iter().enumerate() {
        let row = numbers(row);
        for (number, arrival) in (offsets[task]..end).step_by(row[1] as usize).enumerate() {
            jobs.push(JobSpan {
                id: JobId::new(TaskId(task as u32), number as u32),
                release: Span::new(arrival, arrival + jitter[task]),
                cost: Span::new(bcet[task], row[0]),
                due: arrival + row[2],
                point: if edf { arrival + row[2] } else { row[1] },
            });
        }
    }
    jobs
}

/// The completions of an exploration of all schedules.
fn all(found: &Explored) -> &[Span] {
    found.completions.as_deref().expect("all schedules were explored")
}

/// Schedules of releases and costs at random, most of them at one end: none leaves the bounds, which are within
/// deadlines.
fn nothing_is_late(jobs: &[JobSpan], processors: usize, bounds: &[Span], place: &str) {
    let mut random = Mixer(0x5EED);
    let mut choose = |span: Span| match random.below(4) {
        0 => span.low + random.below(span.high - span.low + 1),
        1 => span.low,
        _ => span.high,
    };
    for _ in 0..3000 {
        let choices: Vec<Choice> =
            jobs.iter().map(|job| Choice { release: choose(job.release), cost: choose(job.cost) }).collect();
        for done in run(jobs, &choices, processors, false) {
            let bound = bounds[done.job];
            assert!(
                done.completion <= bound.high && bound.high <= jobs[done.job].due,
                "{place}: {choices:?}"
            );
        }
    }
}

#[test]
fn verdicts_and_completions() {
    let (mut safe, mut late, mut tighter, mut proved) = (0, 0, 0, 0);
    for record in records() {
        let m = record["m"].as_u64().unwrap() as u32;
        for (key, theirs) in record["results"].as_object().unwrap() {
            let jobs = jobs(&record, key.starts_with("NP-EDF"));
            let ours = explore_jobs(&jobs, m, MOST_STATES).unwrap();
            let place = format!("{} {key}", record["id"]);
            if !theirs["schedulable"].as_bool().unwrap() {
                match ours.outcome {
                    Conclusion::Late(_) => late += 1,
                    Conclusion::Doubtful if m > 1 => {}
                    // "False" is not proved, on several processors. Less is lost here, which proves more.
                    Conclusion::Safe if m > 1 => {
                        let published = explore_jobs_as_published(&jobs, m, MOST_STATES).unwrap();
                        assert_eq!(published.outcome, Conclusion::Doubtful, "{place}");
                        nothing_is_late(&jobs, m as usize, all(&ours), &place);
                        proved += 1;
                    }
                    other => panic!("{place}: {other:?}"),
                }
                continue;
            }
            // Recorded bounds are those of the published rule. Ours may only be tighter, and on one processor there is
            // nothing to gain.
            let published = explore_jobs_as_published(&jobs, m, MOST_STATES).unwrap();
            assert_eq!(
                (&ours.outcome, &published.outcome),
                (&Conclusion::Safe, &Conclusion::Safe),
                "{place}"
            );
            let rows = theirs["completion"].as_array().unwrap();
            assert_eq!(rows.len(), jobs.len(), "{place}");
            for row in rows {
                let row = numbers(row);
                let id = JobId::new(TaskId(row[0] as u32), row[1] as u32);
                let index = jobs.iter().position(|job| job.id == id).unwrap();
                let theirs = Span::new(row[2], row[3]);
                assert_eq!(all(&published)[index], theirs, "{place} {row:?}");
                assert!(theirs.contains(all(&ours)[index]), "{place} {row:?}");
            }
            assert!(m > 1 || ours.completions == published.completions, "{place}");
            tighter += u32::from(ours.completions != published.completions);
            safe += 1;
        }
    }
    assert!(safe >= 430 && late >= 300 && tighter >= 20, "{safe} {late} {tighter}");
    assert_eq!(proved, 1, "records that the tool did not prove");
}
