//! Every rule of every protocol matters: without it, some test of the promises fails. The mutants are made for all
//! protocols of the registry alike, one for each kind of effect that a protocol has, and one whose ceilings forget
//! the most urgent user.

use crate::locks;

use locks::filtered::{Filter, Filtered};
use locks::harness::{hold, protocols};
use schedlab_lock::*;
use schedlab_model::*;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{catch_unwind, set_hook, take_hook};

/// What a mutant lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lacks {
    Inheritance,
    Boosts,
    Preemptability,
    Moves,
    Gates,
    Restoring,
    AskingAgain,
    /// Ceilings are those without the most urgent task.
    HighCeilings,
    /// An aborted job stays in the queues and holds what it held.
    Withdrawal,
}

fn kind(effect: &Effect) -> Option<Lacks> {
    Some(match effect {
        Effect::Inherit { .. } => Lacks::Inheritance,
        Effect::SetPriority(..) => Lacks::Boosts,
        Effect::SetPreemptable(..) => Lacks::Preemptability,
        Effect::Move(..) => Lacks::Moves,
        Effect::Hold(_) | Effect::Admit(_) => Lacks::Gates,
        Effect::Restore(_) => Lacks::Restoring,
        Effect::AskAgain(_) => Lacks::AskingAgain,
        Effect::Grant(..) | Effect::Serve { .. } => return None,
    })
}

thread_local! {
    /// The protocol, and what it lacks.
    static MUTANT: Cell<Option<(&'static Protocol, Option<Lacks>)>> = const { Cell::new(None) };
    /// Which kinds of effects there were.
    static SEEN: RefCell<BTreeMap<Lacks, u64>> = const { RefCell::new(BTreeMap::new()) };
}

/// One kind of effect is missing; and how many effects there were.
struct Lacking(Option<Lacks>, u32);

impl Filter for Lacking {
    fn hears(&self, event: Event) -> bool {
        self.0 != Some(Lacks::Withdrawal) || !matches!(event, Event::Aborted(_))
    }

    fn keeps(&mut self, effect: &Effect) -> bool {
        self.1 += 1;
        assert!(self.1 < 20_000, "the run does not come to an end");
        let Some(kind) = kind(effect) else { return true };
        SEEN.with_borrow_mut(|seen| *seen.entry(kind).or_default() += 1);
        self.0 != Some(kind)
    }
}

/// Makes the mutant that is asked for.
fn make(setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    let (protocol, lacks) = MUTANT.get().expect("one is chosen");
    if lacks != Some(Lacks::HighCeilings) {
        return Ok(Box::new(Filtered((protocol.make)(setup)?, Lacking(lacks, 0))));
    }
    let mut tasks = setup.tasks.to_vec();
    // Their programs become those of a task without urgency: the resources stay as local or global as they are.
    let urgent = tasks[0].clone();
    let order = match setup.order {
        PriorityOrder::Fixed(points) => {
            let mut points = points.to_vec();
            points[0] = 1_000;
            return (protocol.make)(&LockSetup { order: PriorityOrder::Fixed(&points), ..*setup });
        }
        other => other,
    };
    tasks[0] = Task { relative_deadline: Duration::from_ns(1_000_000), ..urgent };
    (protocol.make)(&LockSetup { tasks: &tasks, order, ..*setup })
}

/// The first seed at which a test of the promises fails for the mutant.
fn killed(protocol: &'static Protocol, lacks: Lacks, seeds: u64) -> Option<u64> {
    MUTANT.set(Some((protocol, Some(lacks))));
    let aborts = lacks == Lacks::Withdrawal;
    (0..seeds).find(|seed| catch_unwind(|| hold(protocol, make, *seed, aborts)).is_err())
}

fn seeds() -> u64 {
    std::env::var("LOCK_SYSTEMS").map_or(6_000, |count| count.parse().unwrap())
}

/// Nothing changes without these. Where inheritance is all that raises a job, the engine takes it back by itself when
/// the heir is granted or inherits to another.
const WITHOUT_CONSEQUENCE: [(&str, Lacks); 4] = [
    ("pip", Lacks::Restoring),
    ("pcp", Lacks::Restoring),
    ("omlp", Lacks::Restoring),
    ("gpip", Lacks::Restoring),
];

#[test]
fn each_rule_of_each_protocol_has_a_mutant_that_is_killed() {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let (mut survivors, mut kills) = (Vec::new(), 0);
    for protocol in protocols() {
        MUTANT.set(Some((protocol, None)));
        SEEN.with_borrow_mut(BTreeMap::clear);
        let waits: usize = (0..100).map(|seed| hold(protocol, make, seed, false)).sum();
        assert!(protocol.waiting == Waiting::Never || waits > 0);
        let mut rules: Vec<Lacks> = SEEN.with_borrow(|seen| seen.keys().copied().collect());
        // The global PIP needs fixed priorities, and has no ceilings.
        rules.extend(
            (matches!(protocol.ceilings, Ceilings::Priorities | Ceilings::Levels) && protocol.name != "gpip")
                .then_some(Lacks::HighCeilings),
        );
        rules.push(Lacks::Withdrawal);
        for lacks in rules {
            match killed(protocol, lacks, seeds()) {
                Some(seed) => {
                    println!("{} without {lacks:?}: killed by seed {seed}", protocol.name);
                    kills += 1;
                }
                None => survivors.push((protocol.name, lacks)),
            }
        }
    }
    set_hook(hook);
    assert_eq!(survivors, WITHOUT_CONSEQUENCE, "survive; {kills} were killed");
}
