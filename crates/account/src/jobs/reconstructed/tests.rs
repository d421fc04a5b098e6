//! The programs that jobs had, from records made by hand.

use super::*;
use crate::by_hand::{one_task, ran, OWN};
use schedlab_model::{CpuId, ResourceId};
use schedlab_scenario::Scenario;

const JOB: JobId = JobId { task: TaskId(0), number: 0 };
const R: ResourceId = ResourceId(0);

fn execute(ns: u64) -> Step {
    Step::Execute(Work::from_ns(ns))
}

/// Returns the program of a job with these records until `end`. The kernel accounts for all time except `missing`.
/// A job that is not completed has 7 ns of `drawn` left to do.
fn program_but(missing: (u64, u64), records: &[(u64, Record)], end: u64, drawn: &[Step]) -> Vec<Step> {
    let ns = Instant::from_ns;
    let accounted = Covered::of(vec![(ns(0), ns(missing.0)), (ns(missing.1), ns(1_000))]);
    let mut life = Life::new(&accounted, Instant::NEVER);
    records.iter().for_each(|(at, record)| life.happen(ns(*at), record));
    joined(&life.past(ns(end), Duration::from_ns(7)).program(drawn))
}

/// Joins adjacent executions of a program into one.
fn joined(steps: &[Step]) -> Vec<Step> {
    let mut joined: Vec<Step> = Vec::new();
    for step in steps {
        match (joined.last_mut(), step) {
            (_, Step::Execute(Work::ZERO)) => {}
            (Some(Step::Execute(sum)), Step::Execute(work)) => *sum += *work,
            _ => joined.push(*step),
        }
    }
    joined
}

fn program(records: &[(u64, Record)], end: u64) -> Vec<Step> {
    program_but((0, 0), records, end, &[])
}

const DISPATCH: Record = Record::Dispatch { cpu: CpuId(0), job: JOB };
const PREEMPT: Record = Record::Preempt { cpu: CpuId(0), job: JOB };
const REQUEST: Record = Record::Request { job: JOB, resource: R, units: 1 };
const ACQUIRE: Record = Record::Acquire { job: JOB, resource: R, units: 1 };
const RELEASE: Record = Record::Release { job: JOB, resource: R, units: 1 };
const RESUME: Record = Record::Resume { job: JOB };

/// An operation with an attempt that failed: both are its section's execution, and it ends where it commits.
#[test]
fn an_operation_on_an_object_is_a_section_until_it_commits() {
    let attempt = Record::Attempt { job: JOB, resource: R };
    let retry = Record::Retry { job: JOB, resource: R };
    let commit = Record::Commit { job: JOB, resource: R };
    let complete = Record::Complete { job: JOB };
    let records = [(0, DISPATCH), (3, REQUEST), (3, attempt), (5, retry), (9, commit), (10, complete)];
    let section = [execute(3), Step::Request(R, 1), execute(6), Step::Release(R, 1), execute(1)];
    assert_eq!(program(&records, 10), section);
}
const COMPLETE: Record = Record::Complete { job: JOB };

fn suspend(reason: SuspendReason) -> Record {
    Record::Suspend { job: JOB, reason }
}

/// A job that is preempted, spins, enters sections by a protocol and by itself, and suspends itself.
#[test]
fn a_job_needs_what_it_executed_between_its_steps() {
    let records = [
        (10, DISPATCH),
        (20, PREEMPT),
        (30, DISPATCH),
        (35, REQUEST),
        (35, Record::NpEnter { job: JOB }),
        (35, Record::Spin { job: JOB, resource: R }),
        (45, ACQUIRE),
        (50, RELEASE),
        (50, Record::NpExit { job: JOB }),
        (55, Record::NpEnter { job: JOB }),
        (60, Record::NpExit { job: JOB }),
        (62, suspend(SuspendReason::Itself)),
        (70, RESUME),
        (71, DISPATCH),
        (75, COMPLETE),
    ];
    let steps = |lengths: [u64; 6]| {
        let [first, held, between, protected, after, last] = lengths.map(execute);
        let (request, release) = (Step::Request(R, 1), Step::Release(R, 1));
        let (enter, exit, pause) = (Step::NpEnter, Step::NpExit, Step::Suspend(Duration::from_ns(8)));
        [first, request, held, release, between, enter, protected, exit, after, pause, last]
    };
    assert_eq!(program(&records, 100), steps([15, 5, 5, 5, 2, 4]));
    let missing = |from, to| program_but((from, to), &records, 100, &[]);
    assert_eq!(missing(12, 32), steps([5, 5, 5, 5, 2, 4]), "not where it was not scheduled, from 20 to 30");
    assert_eq!(missing(36, 47), steps([15, 3, 5, 5, 2, 4]), "not where it spun, from 35 to 45");
}

/// A waiter that can be preempted is, from 20 to 40, and asks anew: none of that is work until it is granted.
#[test]
fn a_job_that_is_preempted_while_it_spins_needs_no_more() {
    let records = [
        (0, DISPATCH),
        (10, REQUEST),
        (10, Record::Spin { job: JOB, resource: R }),
        (20, PREEMPT),
        (40, DISPATCH),
        (45, Record::NpEnter { job: JOB }),
        (45, ACQUIRE),
        (50, RELEASE),
        (50, Record::NpExit { job: JOB }),
        (56, COMPLETE),
    ];
    let [request, release] = [Step::Request(R, 1), Step::Release(R, 1)];
    assert_eq!(program(&records, 100), [execute(10), request, execute(5), release, execute(6)]);
    // The run ends as it spins for the second time, with 7 to do: the section and the rest. Or 3 into its section.
    let drawn = [execute(9), request, execute(4), release, execute(5)];
    let unfinished = |count, end| program_but((0, 0), &records[..count], end, &drawn);
    assert_eq!(unfinished(5, 44), [execute(10), request, execute(2), release, execute(5)]);
    assert_eq!(unfinished(7, 48), [execute(10), request, execute(5), release, execute(5)]);
}

/// A non-preemptive section within a critical one is the job's own; the protocol's ends with the critical section.
#[test]
fn whose_a_non_preemptive_section_is_its_end_tells() {
    let (enter, exit) = (Record::NpEnter { job: JOB }, Record::NpExit { job: JOB });
    let records = [
        (0, DISPATCH),
        (1, REQUEST),
        (1, ACQUIRE),
        (1, enter),
        (3, enter),
        (6, exit),
        (10, RELEASE),
        (10, exit),
        (15, COMPLETE),
    ];
    let (request, release) = (Step::Request(R, 1), Step::Release(R, 1));
    let own = [execute(2), Step::NpEnter, execute(3), Step::NpExit, execute(4)];
    let expected = [&[execute(1), request][..], &own, &[release, execute(5)]].concat();
    assert_eq!(program(&records, 100), expected);
    // Where the run ends within both, the inner one is begun once more.
    let unfinished = program_but((0, 0), &records[..5], 4, &expected);
    let begun = unfinished.iter().filter(|step| **step == Step::NpEnter).count();
    assert_eq!((begun, executed(&unfinished)), (1, Work::from_ns(11)), "{unfinished:?}");
}

/// Waiting for a grant or for a ceiling is not a step: the simulation has its own.
#[test]
fn a_job_that_waits_for_others_does_not_suspend_itself() {
    for reason in [SuspendReason::Resource(R), SuspendReason::HeldBack] {
        let records = [(0, DISPATCH), (5, suspend(reason)), (9, RESUME), (10, DISPATCH), (12, COMPLETE)];
        assert_eq!(program(&records, 20), [execute(7)], "{reason:?}");
    }
    let delayed = [(0, DISPATCH), (5, Record::Delay { job: JOB, resource: R }), (9, ACQUIRE), (12, COMPLETE)];
    assert_eq!(program(&delayed, 20), [execute(8)]);
}

/// A job that was not completed goes on until the end, and has the rest to do.
#[test]
fn an_unfinished_job_has_more_to_do() {
    let records = [(10, DISPATCH), (20, PREEMPT), (30, DISPATCH)];
    assert_eq!(program(&records, 34), [execute(21)]);
    assert_eq!(program(&records[..2], 34), [execute(17)]);
    let given_up = [(10, DISPATCH), (20, Record::Abort { job: JOB })];
    assert_eq!(program(&given_up, 34), [execute(17)], "of the rest nothing was executed");
    assert_eq!(program(&[], 34), [execute(7)], "it never began");
}

/// A job of 1 ms that the kernel runs from 0 to 900 us, where the run ends. Its thread goes on, or sleeps.
#[test]
fn what_is_left_is_what_its_thread_does_after_the_end() {
    let text = "schedlab = 1\nscheduler = \"P-EDF\"\n[platform]\nprocessors = 1\n\
                [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n";
    let prepared = Prepared::new(&Scenario::parse("a.toml", text).unwrap()).unwrap();
    let at = |us: u64| Instant::from_ns(us * 1_000);
    let program = |until: u64, begun: bool| {
        let mut decisions = vec![
            (at(0), Record::Arrival { job: JOB, absolute_deadline: at(10_000), cost: Work::ZERO }),
            (at(0), DISPATCH),
            (at(900), Record::End),
        ];
        decisions.retain(|(_, record)| begun || *record != DISPATCH);
        let switches = if begun { ran(OWN, 0, until.min(900)).to_vec() } else { Vec::new() };
        let mut run = one_task(decisions, switches, 0);
        run.afterwards[0] = Duration::from_us(until.saturating_sub(900));
        let jobs = Jobs::of(&prepared, &run).unwrap();
        let mut program = Vec::new();
        Reconstructed::of(&prepared, &run, &jobs).unwrap().next_job(TaskId(0), &mut program).unwrap();
        joined(&program)
    };
    assert_eq!(program(1_050, true), [execute(1_050_000)], "it was slow");
    assert_eq!(program(910, true), [execute(1_000_000)], "it was cut short");
    assert_eq!(program(0, false), [execute(1_000_000)], "it never began");
}
