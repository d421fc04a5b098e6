//! Sections of one thread and decisions of another under loom, which explores what the memory model allows, too.

extern crate alloc;

#[path = "../src/waiting"]
mod waiting {
    #[allow(dead_code, reason = "mutexes are not explored here")]
    pub(crate) mod fast_sections;
}
#[path = "../src/padded.rs"]
mod padded;
#[path = "explored/asymmetric_sync.rs"]
mod sync;

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;
use waiting::fast_sections::{Entry, FastSection, FastSections};

/// A value that a section protects from decisions that have not noticed it: loom reports two accesses of which neither
/// happens before the other.
struct Protected {
    fast_sections: FastSections,
    value: UnsafeCell<u32>,
}

impl Protected {
    /// Enters and leaves so many sections; says how many of them had to say that they ended.
    fn sections(&self, count: u32) -> u32 {
        let mut said = 0;
        for _ in 0..count {
            let entry = self.fast_sections.enter(0, || true);
            if entry == Entry::Refused {
                continue;
            }
            // SAFETY: the test is whether this is exclusive; loom checks it.
            self.value.with_mut(|value| unsafe { *value += 1 });
            sync::light_barrier();
            said += u32::from(entry == Entry::Noticed || !self.fast_sections.exit(0));
        }
        said
    }

    /// Decides; says whether it noticed a section. Changes what sections protect if not, and `none` goes on that was
    /// noticed before.
    fn decide(&self, none: bool) -> bool {
        self.fast_sections.begin();
        if self.fast_sections.revoke(0) {
            sync::barrier();
        }
        let noticed = self.fast_sections.notice(0, |_| None, sync::barrier);
        if none && noticed.is_none() {
            // SAFETY: as above.
            self.value.with_mut(|value| unsafe { *value += 10 });
        }
        self.fast_sections.end();
        noticed == Some(FastSection::NonPreemptive)
    }
}

/// Either a decision notices a section, and then the thread has to report that it left, or it does not, and then they
/// never overlap. With `bias` the first section begins with a plain write, unless a decision came before; else with an
/// exchange, and the second so.
fn decide_beside(bias: bool, sections: u32, decisions: u32) {
    let protected =
        Arc::new(Protected { fast_sections: FastSections::new(1, 0, false), value: UnsafeCell::new(0) });
    protected.sections(u32::from(bias));
    let worker = {
        let protected = Arc::clone(&protected);
        thread::spawn(move || {
            let said = protected.sections(sections);
            sync::end();
            said
        })
    };
    let noticed = (0..decisions).fold(0, |noticed, _| noticed + u32::from(protected.decide(noticed == 0)));
    assert_eq!(worker.join().unwrap(), noticed);
}

fn explore(preemptions: usize, bias: bool, sections: u32, decisions: u32) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(move || decide_beside(bias, sections, decisions));
}

#[test]
fn no_decision_misses_a_section_or_its_end() {
    explore(2, false, 2, 1);
}

/// A bias that a decision revoked is not relied on in the next one.
#[test]
fn no_second_decision_misses_a_section() {
    explore(2, true, 1, 2);
}
