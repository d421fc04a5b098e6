//! After its set-up no protocol allocates anything, nor does its list of effects: measured around each call.

mod locks;
mod support;

use locks::random::{system, Shape};
use locks::run_locked;
use schedlab_lock::*;
use schedlab_model::*;
use support::*;

/// Calls of `self.0` must not allocate.
struct Measured<L>(L);

fn without_allocating<T>(call: impl FnOnce() -> T) -> T {
    let mut result = None;
    let seen = allocation_counter::measure(|| result = Some(call()));
    assert_eq!(seen.count_total, 0, "a protocol allocates");
    result.expect("it was called")
}

impl<L: LockProtocol> LockProtocol for Measured<L> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        without_allocating(|| self.0.request(section, turn))
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        without_allocating(|| self.0.release(section, turn));
    }

    fn withdraw(&mut self, section: Section, turn: &mut Turn<'_>) -> bool {
        without_allocating(|| self.0.withdraw(section, turn))
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        without_allocating(|| self.0.note(event, turn));
    }
}

/// One protocol at a time, since what is made is a plain function.
macro_rules! measured {
    ($name:literal) => {
        ($name, |setup| Ok(Box::new(Measured((find_protocol($name).unwrap().make)(setup)?))))
    };
}

#[test]
fn no_protocol_allocates_after_its_set_up() {
    let all: [(&str, locks::Make); 30] = [
        measured!("none"),
        measured!("npcs"),
        measured!("pip"),
        measured!("pcp"),
        measured!("ipcp"),
        measured!("srp"),
        measured!("msrp"),
        measured!("mpcp"),
        measured!("mpcp-all"),
        measured!("task-fair"),
        measured!("fmlp"),
        measured!("fmlp-short"),
        measured!("fmlp-long"),
        measured!("dpcp"),
        measured!("dflp"),
        measured!("fmlp+"),
        measured!("omlp"),
        measured!("omlp-partitioned"),
        measured!("omlp-clustered"),
        measured!("mrsp"),
        measured!("gpip"),
        measured!("ppcp"),
        measured!("by-schedule"),
        measured!("rw-task-fair"),
        measured!("rw-phase-fair"),
        measured!("spin-priority"),
        measured!("spin-unordered"),
        measured!("spin-fifo-preemptable"),
        measured!("spin-priority-preemptable"),
        measured!("spin-unordered-preemptable"),
    ];
    for (name, make) in all {
        let protocol = find_protocol(name).unwrap();
        let (scheduler, processors, platform) = match protocol.reach {
            Reach::Local => ("P-FP", 1, Platform::partitioned(1)),
            Reach::Partitioned => ("P-FP", 3, Platform::partitioned(3)),
            Reach::Global | Reach::Any => ("G-FP", 1, Platform::global(3)),
        };
        let depth = if protocol.nesting == Nesting::Any { 3 } else { 1 };
        for seed in 0..100 {
            let made = system(seed, Shape { processors, units: 1, depth });
            run_locked(ideal(made.tasks, platform.clone(), 500), &made.resources, scheduler, make);
        }
    }
    let covered = all.iter().map(|(name, _)| *name);
    let mut known = ALL_PROTOCOLS.iter().filter(|protocol| protocol.ceilings != Ceilings::Quanta);
    let missing =
        known.find(|protocol| !protocol.attempts() && !covered.clone().any(|name| name == protocol.name));
    assert!(missing.is_none(), "{} is not measured", missing.unwrap().name);
}

/// The measure itself can fail.
#[test]
#[should_panic(expected = "a protocol allocates")]
fn an_allocation_is_seen() {
    without_allocating(|| drop(std::hint::black_box(vec![1u8; 100])));
}
