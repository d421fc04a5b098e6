//! Names of processors, and jobs that move.

use super::*;
use schedlab_model::TaskId;
use schedlab_trace::SuspendReason;

/// An input, with its job and its time.
type Timed = (Instant, JobId, EngineInput);

fn job(task: u32) -> JobId {
    JobId::new(TaskId(task), 0)
}

fn link(cpu: u16, task: Option<u32>) -> Record {
    Record::Link { cpu: CpuId(cpu), job: task.map(job) }
}

fn dispatch(cpu: u16, task: u32) -> Record {
    Record::Dispatch { cpu: CpuId(cpu), job: job(task) }
}

fn suspend(task: u32) -> Record {
    Record::Suspend { job: job(task), reason: SuspendReason::Itself }
}

fn timed(all: &[(u64, Record)]) -> Vec<(Instant, Record)> {
    all.iter().map(|(at, record)| (Instant::from_ns(*at), *record)).collect()
}

/// The engine has the last job of the three on its second processor, and the kernel executes it on the first one,
/// where the first job was linked until it suspended itself. As that comes back, it is linked to the second one.
#[test]
fn a_job_that_comes_back_is_linked_where_its_processor_has_another_name() {
    let records = timed(&[
        (0, link(0, Some(0))),
        (0, dispatch(0, 0)),
        (0, link(1, Some(1))),
        (0, dispatch(1, 1)),
        (10, suspend(0)),
        (11, suspend(1)),
        (20, link(1, Some(2))),
        (20, dispatch(1, 2)),
        (30, Record::Resume { job: job(0) }),
        (30, dispatch(0, 0)),
    ]);
    let executes =
        |at: u64, task: u32, cpu: u16| (Instant::from_ns(at), job(task), EngineInput::Executes(CpuId(cpu)));
    let inputs = [executes(1, 0, 0), executes(1, 1, 1), executes(21, 2, 0)];
    let mut expected = records[..6].to_vec();
    expected.extend(timed(&[
        (20, link(0, Some(2))),
        (20, dispatch(0, 2)),
        (20, link(1, None)),
        (30, Record::Resume { job: job(0) }),
        (30, link(1, Some(0))),
        (30, dispatch(1, 0)),
    ]));
    assert_eq!(placed(records, &Platform::global(2), &inputs, true), expected);
}

fn preempt(cpu: u16, task: u32) -> Record {
    Record::Preempt { cpu: CpuId(cpu), job: job(task) }
}

fn complete(task: u32) -> Record {
    Record::Complete { job: job(task) }
}

fn executes(all: &[(u64, u32, u16)]) -> Vec<Timed> {
    let input = |&(at, task, cpu)| (Instant::from_ns(at), job(task), EngineInput::Executes(CpuId(cpu)));
    all.iter().map(input).collect()
}

/// A dispatch of the engine: the time, the processor, and the task.
fn gets((at, cpu, task): (u64, u16, u32)) -> [(u64, Record); 2] {
    [(at, link(cpu, Some(task))), (at, dispatch(cpu, task))]
}

/// Two processors that are never idle. Their jobs end one just after the other, at 10 and 11, and the kernel has the
/// job that is due at 10 take the processor of the one that ends at 11.
fn crossed() -> (Vec<(u64, Record)>, Vec<Timed>) {
    let mut records = [gets((0, 0, 0)), gets((0, 1, 1))].concat();
    records.push((10, complete(0)));
    records.extend(gets((10, 0, 2)));
    records.push((11, complete(1)));
    records.extend(gets((11, 1, 3)));
    records.push((40, complete(2)));
    records.extend(gets((40, 0, 4)));
    (records, executes(&[(1, 0, 0), (1, 1, 1), (12, 2, 1), (13, 3, 0), (41, 4, 1)]))
}

/// The job that is due at 10 moves where the kernel executes it, as soon as it may: at 11. All that follow have the
/// names that the kernel chose.
#[test]
fn a_late_switch_is_made_up_for_where_no_processor_idles() {
    let (records, inputs) = crossed();
    let mut expected = records[..7].to_vec();
    expected.extend([(11, preempt(0, 2)), (11, complete(1)), (11, link(0, Some(3))), (11, dispatch(0, 3))]);
    expected.extend(gets((11, 1, 2)));
    expected.push((40, complete(2)));
    expected.extend(gets((40, 1, 4)));
    let found = placed(timed(&records), &Platform::global(2), &inputs, true);
    assert_eq!(found, timed(&expected));
}

#[test]
fn no_job_moves_where_none_may_or_in_a_section() {
    let (mut records, inputs) = crossed();
    records.truncate(10);
    let platform = Platform::global(2);
    assert_eq!(placed(timed(&records), &platform, &inputs, false), timed(&records));
    records.insert(7, (10, Record::NpEnter { job: job(2) }));
    assert_eq!(placed(timed(&records), &platform, &inputs, true), timed(&records));
    records.insert(8, (10, Record::NpExit { job: job(2) }));
    assert_ne!(placed(timed(&records), &platform, &inputs, true), timed(&records));
}

/// As before, but no job follows on the second processor: the name of that is free from 11 on.
#[test]
fn a_job_moves_to_the_name_of_a_processor_that_becomes_idle() {
    let (records, inputs) = crossed();
    let records = records[..8].to_vec();
    let mut expected = records[..7].to_vec();
    expected.extend([(11, preempt(0, 2)), (11, complete(1))]);
    expected.extend(gets((11, 1, 2)));
    let found = placed(timed(&records), &Platform::global(2), &inputs[..3], true);
    // The engine's second processor is linked to the job that is complete.
    expected.push((11, link(0, None)));
    assert_eq!(found, timed(&expected));
}

/// Three jobs whose names go round: a dispatch puts all of them right, and no job is on a processor with another one.
#[test]
fn names_that_go_round_are_all_put_right() {
    let mut records = [gets((0, 0, 0)), gets((0, 1, 1)), gets((0, 2, 2))].concat();
    records.push((10, complete(0)));
    records.extend(gets((10, 0, 3)));
    records.push((11, complete(1)));
    records.extend(gets((11, 1, 4)));
    records.push((12, complete(2)));
    records.extend(gets((12, 2, 5)));
    let inputs = executes(&[(1, 0, 0), (1, 1, 1), (1, 2, 2), (13, 3, 1), (13, 4, 2), (13, 5, 0)]);
    let found = placed(timed(&records), &Platform::global(3), &inputs, true);
    let mut on: BTreeMap<CpuId, JobId> = BTreeMap::new();
    for (at, record) in found {
        match record {
            Record::Dispatch { cpu, job } => assert_eq!(on.insert(cpu, job), None, "{at}"),
            Record::Preempt { cpu, job } => assert_eq!(on.remove(&cpu), Some(job), "{at}"),
            Record::Complete { job } => on.retain(|_, other| *other != job),
            about![
                Arrival, Ready, GiveUp, Abort, Miss, Link, Suspend, Resume, Move, urgencies, requests,
                attempts, machine
            ] => {}
        }
    }
    assert_eq!(on, BTreeMap::from([(1, 3), (2, 4), (0, 5)].map(|(cpu, task)| (CpuId(cpu), job(task)))));
}
