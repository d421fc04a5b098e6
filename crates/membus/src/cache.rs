//! A cache: its lines with their states, and the choice of the victim.

use crate::line::{Slot, State};
use crate::machine::Begin;
use crate::program::AccessProgram;
use crate::shape::Shape;

/// A processor's cache.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    /// Places of all sets, set by set.
    slots: Vec<Slot>,
    /// The first cycle after each place's last use, 0 before any; kept where a set has several ways.
    used: Vec<u64>,
    sets: u64,
    ways: usize,
}

impl Cache {
    pub(crate) fn new(shape: &Shape, begin: Begin, processor: usize) -> Cache {
        let (sets, ways) = (shape.sets(), shape.ways as usize);
        let slot = |place: u64| {
            let (set, way) = (place / shape.ways, place % shape.ways);
            let line = AccessProgram::line_before(processor, way * sets + set);
            match begin {
                Begin::Dirty => Slot { line, state: State::Modified },
                Begin::Empty => Slot { line, state: State::Invalid },
            }
        };
        let slots: Vec<Slot> = (0..shape.lines()).map(slot).collect();
        let used = if ways > 1 { vec![0; slots.len()] } else { Vec::new() };
        Cache { slots, used, sets, ways }
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn slot(&self, place: usize) -> Slot {
        self.slots[place]
    }

    /// Returns the place of the line, if the cache holds it.
    #[inline]
    pub(crate) fn find(&self, line: u64) -> Option<usize> {
        let first = self.first(line);
        let held = |slot: &Slot| slot.line == line && slot.state != State::Invalid;
        self.slots[first..first + self.ways].iter().position(held).map(|way| first + way)
    }

    /// Returns the place for a new line: the first that holds nothing, else the least recently used one.
    pub(crate) fn victim(&self, line: u64) -> usize {
        let first = self.first(line);
        let places = first..first + self.ways;
        if self.ways == 1 {
            return first;
        }
        let free = places.clone().find(|place| self.slots[*place].state == State::Invalid);
        free.or_else(|| places.min_by_key(|place| self.used[*place])).expect("a set has ways")
    }

    #[inline]
    pub(crate) fn put(&mut self, place: usize, slot: Slot) {
        self.slots[place] = slot;
    }

    /// Notes that the place was used in a cycle that ended at `end`, or later. A processor uses at most one place in a
    /// cycle, so among places that were used the times differ: nothing but their order decides which gives way.
    #[inline]
    pub(crate) fn touch(&mut self, place: usize, end: u64) {
        if let Some(used) = self.used.get_mut(place) {
            *used = end.max(*used);
        }
    }

    /// True if the order of uses matters.
    pub(crate) fn has_order(&self) -> bool {
        self.ways > 1
    }

    #[inline]
    fn first(&self, line: u64) -> usize {
        (line & (self.sets - 1)) as usize * self.ways
    }
}
