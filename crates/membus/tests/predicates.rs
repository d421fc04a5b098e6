//! Each predicate over caches finds what breaks it.

use crate::coherence::{broken, Broken};
use schedlab_membus::{Shape, Slot, State};
use State::{Exclusive, Invalid, Modified, Shared};

/// Two sets of two ways.
const SHAPE: Shape = Shape { bytes: 64, line_bytes: 16, ways: 2 };

fn cache(slots: [(u64, State); 4]) -> Vec<Slot> {
    slots.into_iter().map(|(line, state)| Slot { line, state }).collect()
}

const NOTHING: [(u64, State); 4] = [(0, Invalid); 4];

fn found(first: [(u64, State); 4], second: [(u64, State); 4]) -> Option<Broken> {
    broken(&[cache(first), cache(second)], &SHAPE)
}

#[test]
fn whole_caches_break_nothing() {
    let first = [(2, Modified), (4, Shared), (1, Exclusive), (7, Invalid)];
    assert_eq!(found(first, [(6, Modified), (4, Shared), (2, Invalid), (2, Invalid)]), None);
    assert_eq!(found(NOTHING, NOTHING), None);
}

#[test]
fn an_owned_line_is_nowhere_else() {
    for owned in [Modified, Exclusive] {
        for other in [Modified, Exclusive, Shared] {
            let first = [(4, owned), (0, Invalid), (0, Invalid), (0, Invalid)];
            let second = [(0, Invalid), (4, other), (0, Invalid), (0, Invalid)];
            assert_eq!(found(first, second), Some(Broken::OneWriter { line: 4 }));
            assert_eq!(found(second, first), Some(Broken::OneWriter { line: 4 }));
        }
    }
}

#[test]
fn a_line_is_in_its_set_and_once() {
    let misplaced = [(0, Invalid), (0, Invalid), (4, Shared), (0, Invalid)];
    assert_eq!(found(NOTHING, misplaced), Some(Broken::OwnSet { processor: 1, line: 4 }));
    let twice = [(4, Shared), (4, Shared), (0, Invalid), (0, Invalid)];
    assert_eq!(found(twice, NOTHING), Some(Broken::Once { processor: 0, line: 4 }));
}
