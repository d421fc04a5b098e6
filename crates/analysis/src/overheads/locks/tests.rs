//! Lock overheads by hand.

use super::*;
use schedlab_model::{Cost, Overheads, ResourceId, Statistic};

const R: ResourceId = ResourceId(0);

fn overheads() -> Overheads {
    let mut all = Overheads::default();
    for (kind, ns) in [
        (OverheadKind::Tick, 100),
        (OverheadKind::Scheduling, 30),
        (OverheadKind::ContextSwitch, 20),
        (OverheadKind::CacheRelatedPreemption, 7),
        (OverheadKind::LockAcquire, 5),
        (OverheadKind::LockRelease, 3),
        (OverheadKind::SyscallEntry, 2),
        (OverheadKind::SyscallExit, 1),
    ] {
        let cost = Cost::Constant(Duration::from_ns(ns));
        all.set(kind, cost.into());
    }
    all
}

fn one(waits: Waits, groups: bool) -> Task {
    one_as(LockAccount::Safe, waits, groups)
}

fn one_as(account: LockAccount, waits: Waits, groups: bool) -> Task {
    let inner = ResourceId(1);
    let run = |ns| Step::Execute(Work::from_ns(ns));
    let program = vec![
        run(100),
        Step::Request(R, 1),
        run(10),
        Step::Request(inner, 1),
        run(30),
        Step::Release(inner, 1),
        Step::Release(R, 1),
        run(860),
    ];
    let task = Task { program, ..Task::implicit(Work::from_ns(1_000), Duration::from_ns(1_000_000)) };
    let overheads = overheads();
    let mut platform = Platform::partitioned(1);
    platform.quantum = Duration::from_ns(1_000);
    let machine = MachineCharges { platform: &platform, overheads: &overheads, statistic: Statistic::Max };
    let locks = Locks { account, waits, groups, leaving: Duration::from_ns(4) };
    machine.inflate(&[task], locks).unwrap()[0].clone()
}

/// By hand: ticks take a tenth, so c_pre = 100 / 0.9; nothing is released, a single task pays for no reload of another.
#[test]
fn spinning_by_hand() {
    let task = one(Waits::Spins, true);
    // (1000 + 8 + 4 + 3 + 2 * 50) / 0.9 + 2 * 100 / 0.9
    assert_eq!(task.wcet.as_ns(), 1_462);
    // (40 + 8) / 0.9 + 100 / 0.9 = 164.4, of which 40 were there.
    assert_eq!(task.program[2], Step::Execute(Work::from_ns(165 - 40)));
    assert_eq!(task.program.iter().filter(|step| matches!(step, Step::Request(..))).count(), 2);
}

/// As in 2008, a section contains its lock operations alone, and its job pays for its return.
#[test]
fn as_in_2008_by_hand() {
    let task = one_as(LockAccount::AsIn2008, Waits::Suspends, true);
    // held = 8 + 2 * 3 = 14, after = 4 + 3; (1000 + 21 + 2 * 2 * 50) / 0.9 + 2 * 2 * 100 / 0.9
    assert_eq!(task.wcet.as_ns(), 1_802);
    assert_eq!(task.program[2], Step::Execute(Work::from_ns(14)));
    let task = one_as(LockAccount::AsIn2008, Waits::Spins, true);
    assert_eq!(task.wcet.as_ns(), 1_462);
    assert_eq!(task.program[2], Step::Execute(Work::from_ns(8)));
}

/// The job is switched to and reloads once more than in [`as_in_2008_by_hand`], within its section.
#[test]
fn suspending_by_hand() {
    let task = one(Waits::Suspends, true);
    // held = 8 + 2 * 3 + 50 + 7 = 71, after = 4 + 3; (1000 + 78 + 2 * 2 * 50) / 0.9 + 2 * 2 * 100 / 0.9
    assert_eq!(task.wcet.as_ns(), 1_865);
    // (40 + 71) / 0.9 + 100 / 0.9 = 234.4
    assert_eq!(task.program[2], Step::Execute(Work::from_ns(235 - 40)));
}

/// Each of two nested sections takes a lock of its own, and the outer one contains the time of the inner one.
#[test]
fn nested_sections_by_hand() {
    let task = one(Waits::Spins, false);
    // Inner: (30 + 8) / 0.9 + 100 / 0.9 = 153.3. Outer: it contains 10 + 154 + 7 on leaving the inner one, so
    // (171 + 8) / 0.9 + 100 / 0.9 = 310.
    assert_eq!(task.program[2], Step::Execute(Work::from_ns(310 - 171)));
    assert_eq!(task.program[5], Step::Execute(Work::from_ns(154 - 30)));
    // (1000 + 2 * (8 + 4 + 3) + 2 * 50) / 0.9 + 2 * 100 / 0.9
    assert_eq!(task.wcet.as_ns(), 1_478);
}

/// Charges of each way to wait to a section and to a cost, without interrupts; digits count operations.
#[test]
fn each_operation_counts_as_often_as_it_may_occur() {
    let mut overheads = Overheads::default();
    for (kind, ns) in [
        (OverheadKind::LockAcquire, 1),
        (OverheadKind::LockRelease, 10),
        (OverheadKind::SyscallEntry, 100),
        (OverheadKind::SyscallExit, 1_000),
        (OverheadKind::Scheduling, 10_000),
        (OverheadKind::ContextSwitch, 100_000),
        (OverheadKind::CacheRelatedPreemption, 1_000_000),
        (OverheadKind::CacheRelatedMigration, 1_000_000),
        (OverheadKind::Ipi, 10_000_000),
    ] {
        let cost = Cost::Constant(Duration::from_ns(ns));
        overheads.set(kind, cost.into());
    }
    let platform = Platform::partitioned(2);
    let machine = MachineCharges { platform: &platform, overheads: &overheads, statistic: Statistic::Max };
    let section = [Step::Request(R, 1), Step::Execute(Work::from_ns(0)), Step::Release(R, 1)];
    let long = Duration::from_ns(1 << 40);
    let task = Task { program: section.to_vec(), ..Task::implicit(Work::from_ns(0), long) };
    let extra = |waits| {
        let locks = Locks {
            account: LockAccount::Safe,
            waits,
            groups: false,
            leaving: Duration::from_ns(100_000_000),
        };
        let tasks = machine.inflate(&[task.clone(), task.clone()], locks).unwrap();
        let Step::Execute(work) = tasks[0].program[1] else { panic!("{:?}", tasks[0].program) };
        (work.as_ns(), tasks[0].wcet.as_ns())
    };
    // A job of the other task pays two switches and a cache when it arrives: 1_220_000.
    assert_eq!(extra(Waits::Spins), (11, 11 + 100_001_100 + 1_220_000));
    assert_eq!(extra(Waits::Stacks), (2_211, 2_211 + 100_001_100 + 1_220_000));
    assert_eq!(extra(Waits::Suspends), (11_112_211, 11_112_211 + 100_001_100 + 2 * 1_220_000));
    assert_eq!(extra(Waits::Boosted), (12_222_211, 12_222_211 + 100_001_100 + 2 * 1_220_000));
    assert_eq!(extra(Waits::Donates), (12_222_211, 12_222_211 + 100_001_100 + 3 * 1_220_000));
    assert_eq!(extra(Waits::Distributed), (22_332_211, 22_332_211 + 101_000_000 + 2 * 1_220_000));
}

/// A distributed section meets the interrupts of whatever processor is worst, others those of their own.
#[test]
fn distributed_sections_meet_the_dearest_interrupts() {
    let mut overheads = Overheads::default();
    overheads.set(OverheadKind::Release, Cost::Constant(Duration::from_ns(50)).into());
    let platform = Platform::partitioned(2);
    let machine = MachineCharges { platform: &platform, overheads: &overheads, statistic: Statistic::Max };
    let section = [Step::Request(R, 1), Step::Execute(Work::from_ns(100)), Step::Release(R, 1)];
    let task = |cluster, period| Task {
        cluster: schedlab_model::ClusterId(cluster),
        program: section.to_vec(),
        ..Task::implicit(Work::from_ns(100), Duration::from_ns(period))
    };
    let tasks = [task(0, 10_000), task(1, 1_000)];
    let extra = |waits| {
        let locks = Locks { account: LockAccount::Safe, waits, groups: false, leaving: Duration::ZERO };
        let tasks = machine.inflate(&tasks, locks).unwrap();
        let Step::Execute(work) = tasks[0].program[1] else { panic!("{:?}", tasks[0].program) };
        work.as_ns()
    };
    // 100 / 0.995 + 50 / 0.995 = 150.8; 100 / 0.95 + 50 / 0.95 = 157.9
    assert_eq!((extra(Waits::Boosted), extra(Waits::Distributed)), (51, 58));
}

/// Lock overheads are nowhere smaller than those published for the same kind of lock.
#[test]
fn nothing_is_below_what_is_published() {
    use crate::overheads::requests::{charge, Operations, Waiting};
    let overheads = overheads();
    let accounting_unit = 1;
    let operations =
        Operations { acquire: 5, release: 3, kernel: 3, switch: 50, cache: 7, ..Operations::default() };
    let request = [crate::blocking::Requests::mutex(0, 1, 40)];
    let platform = Platform { quantum: Duration::from_ns(1_000), ..Platform::partitioned(1) };
    let machine = MachineCharges { platform: &platform, overheads: &overheads, statistic: Statistic::Max };
    let spec = Task {
        program: vec![Step::Request(R, 1), Step::Execute(Work::from_ns(40)), Step::Release(R, 1)],
        ..Task::implicit(Work::from_ns(1_000), Duration::from_ns(1_000_000))
    };
    for (waits, waiting) in [
        (Waits::Spins, Waiting::Spinning),
        (Waits::Suspends, Waiting::Semaphore { preemptable: false, aware: false }),
        (Waits::Boosted, Waiting::Semaphore { preemptable: true, aware: false }),
        (Waits::Donates, Waiting::Semaphore { preemptable: true, aware: false }),
        (Waits::Distributed, Waiting::Distributed),
    ] {
        let published = charge(1_000, &request, &operations, waiting, accounting_unit);
        let locks = Locks { account: LockAccount::Safe, waits, groups: false, leaving: Duration::ZERO };
        let tasks = machine.inflate(std::slice::from_ref(&spec), locks).unwrap();
        let Step::Execute(extra) = tasks[0].program[1] else { panic!("{:?}", tasks[0].program) };
        assert!(40 + extra.as_ns() >= published.requests[0].write_length, "{waits:?}");
        assert!(tasks[0].wcet.as_ns() >= published.cost, "{waits:?}");
    }
}
