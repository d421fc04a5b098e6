//! Kinds of overhead that each accounting charges.

use super::jlfp::Accounting;
use super::locks::{LockAccount, Locks, MachineCharges, Waits};
use super::quanta::{Densities, Mode};
use super::{fp, jlfp, pfair, quanta};
use schedlab_model::{
    Cost, Duration, OverheadKind, Overheads, Platform, ResourceId, Statistic, Step, Task, Work,
};

/// An accounting, named after the file that implements it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Account {
    Jlfp,
    Fp,
    Pfair,
    PublishedPfair,
    Quanta,
    Locks,
}

const ACCOUNTS: [Account; 6] =
    [Account::Jlfp, Account::Fp, Account::Pfair, Account::PublishedPfair, Account::Quanta, Account::Locks];

/// Returns whether the accounting charges the kind, on several processors of which each takes interrupts.
fn is_charged(kind: OverheadKind, account: Account) -> bool {
    match kind {
        OverheadKind::Scheduling
        | OverheadKind::ContextSwitch
        | OverheadKind::Tick
        | OverheadKind::CacheRelatedPreemption
        | OverheadKind::CacheRelatedMigration => true,
        // Published for Pfair: ticks release jobs at no cost of their own.
        OverheadKind::Release => account != Account::PublishedPfair,
        // Those of fixed priorities and of quanta need none where each processor decides for itself.
        OverheadKind::Ipi => matches!(account, Account::Jlfp | Account::Pfair | Account::Locks),
        OverheadKind::LockAcquire
        | OverheadKind::LockRelease
        | OverheadKind::SyscallEntry
        | OverheadKind::SyscallExit => account == Account::Locks,
        // Schedulers with run queues have no account: verdicts refuse what pushes and pulls take.
        OverheadKind::Push | OverheadKind::Pull => false,
    }
}

fn task() -> Task {
    let execute = || Step::Execute(Work::from_ns(1_000));
    let lock = ResourceId(0);
    let program = vec![execute(), Step::Request(lock, 1), execute(), Step::Release(lock, 1)];
    Task { program, ..Task::implicit(Work::from_ns(2_000), Duration::from_ns(100_000)) }
}

/// Accounting for two tasks on two processors that take interrupts, with quanta of `quantum` ns.
pub(super) fn accounting(overheads: &Overheads, quantum: u64) -> Accounting<'_> {
    Accounting {
        overheads,
        statistic: Statistic::Max,
        quantum: Duration::from_ns(quantum),
        processors: 2,
        machine_tasks: 2,
        release_latency: Duration::ZERO,
        polled: Duration::ZERO,
        dedicated_interrupts: false,
        switches_in_progress: true,
    }
}

/// Returns two tasks after the accounting, as text.
fn inflated(account: Account, overheads: &Overheads) -> String {
    let platform = Platform { quantum: Duration::from_ns(5_000), ..Platform::global(2) };
    let accounting = accounting(overheads, 5_000);
    let tasks = [task(), task()];
    // Ten quanta of twenty: one more or less shows, and there are preemptions.
    let long = || tasks.clone().map(|task| Task { wcet: Work::from_ns(10 * 5_000), ..task });
    match account {
        Account::Jlfp => format!("{:?}", jlfp::inflate(&tasks, &accounting).unwrap()),
        Account::Fp => format!("{:?}", fp::charge(&tasks, &accounting).unwrap()),
        Account::Pfair => {
            format!("{:?}", pfair::inflate(&tasks, &accounting, pfair::Continuity::Moves).unwrap())
        }
        Account::PublishedPfair => format!("{:?}", pfair::published(&long(), &accounting).unwrap()),
        Account::Quanta => {
            let mode = Mode { polled: false, staggered_over: None, densities: Densities::UpToOne };
            format!("{:?}", quanta::account(&long(), &accounting, mode).unwrap())
        }
        Account::Locks => {
            let machine = MachineCharges { platform: &platform, overheads, statistic: Statistic::Max };
            let leaving = Duration::ZERO;
            let locks = Locks { account: LockAccount::Safe, waits: Waits::Suspends, groups: true, leaving };
            format!("{:?}", machine.inflate(&tasks, locks).unwrap())
        }
    }
}

#[test]
fn each_kind_is_charged_or_said_not_to_be() {
    for account in ACCOUNTS {
        let without = inflated(account, &Overheads::default());
        for kind in OverheadKind::ALL {
            let mut overheads = Overheads::default();
            overheads.set(kind, Cost::Constant(Duration::from_ns(10)).into());
            let differs = inflated(account, &overheads) != without;
            assert_eq!(differs, is_charged(kind, account), "{account:?} charges {}", kind.name());
        }
    }
}
