//! What holds of all caches in every cycle, as predicates over what they hold.

use schedlab_membus::{Shape, Slot, State};
use std::collections::BTreeMap;

/// A rule that caches broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A line is owned by one cache and in another one too.
    OneWriter {
        /// The line.
        line: u64,
    },
    /// A line is in a set that is not its own.
    OwnSet {
        /// The processor.
        processor: usize,
        /// The line.
        line: u64,
    },
    /// A cache holds a line twice.
    Once {
        /// The processor.
        processor: usize,
        /// The line.
        line: u64,
    },
}

/// The first rule that these caches break. Each lists its places, set by set.
pub fn broken(caches: &[Vec<Slot>], shape: &Shape) -> Option<Broken> {
    let mut holders: BTreeMap<u64, Vec<(usize, State)>> = BTreeMap::new();
    for (processor, slots) in caches.iter().enumerate() {
        for (place, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.state != State::Invalid) {
            if slot.line % shape.sets() != place as u64 / shape.ways {
                return Some(Broken::OwnSet { processor, line: slot.line });
            }
            holders.entry(slot.line).or_default().push((processor, slot.state));
        }
    }
    for (line, held) in holders {
        if let Some(pair) = held.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Some(Broken::Once { processor: pair[0].0, line });
        }
        if held.len() > 1 && held.iter().any(|(_, state)| matches!(state, State::Modified | State::Exclusive))
        {
            return Some(Broken::OneWriter { line });
        }
    }
    None
}
