//! After its set-up no protocol allocates anything, nor does its list of effects: measured around each call.

mod locks;
mod support;

use locks::harness::protocols;
use locks::random::{system, Shape};
use locks::run_locked;
use schedlab_lock::*;
use schedlab_model::*;
use std::cell::Cell;
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

thread_local! {
    /// The protocol that [`measured`] makes: a plain function holds nothing.
    static PROTOCOL: Cell<&'static Protocol> = const { Cell::new(&ALL_PROTOCOLS[0]) };
}

fn measured(setup: &LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError> {
    Ok(Box::new(Measured((PROTOCOL.get().make)(setup)?)))
}

#[test]
fn no_protocol_allocates_after_its_set_up() {
    for protocol in protocols() {
        PROTOCOL.set(protocol);
        let (scheduler, processors, platform) = match protocol.reach {
            Reach::Local => ("P-FP", 1, Platform::partitioned(1)),
            Reach::Partitioned => ("P-FP", 3, Platform::partitioned(3)),
            Reach::Global | Reach::Any => ("G-FP", 1, Platform::global(3)),
        };
        let depth = if protocol.nesting == Nesting::Any { 3 } else { 1 };
        for seed in 0..100 {
            let made = system(seed, Shape { processors, units: 1, depth });
            run_locked(ideal(made.tasks, platform.clone(), 500), &made.resources, scheduler, measured);
        }
    }
}

/// The measure itself can fail.
#[test]
#[should_panic(expected = "a protocol allocates")]
fn an_allocation_is_seen() {
    without_allocating(|| drop(std::hint::black_box(vec![1u8; 100])));
}
