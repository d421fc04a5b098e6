//! One processor in two schedules that are still being read: its first difference.

use super::Occupant;
use schedlab_model::{Duration, Instant};
use std::collections::VecDeque;

/// A stretch in which a processor is occupied: the occupant, begin and end.
pub(super) type Stretch = (Occupant, Instant, Instant);

/// A processor of one schedule.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// Stretches that have been compared, as far as they may still matter.
    past: Vec<Stretch>,
    /// Stretches that are still to be compared. The last one may go on.
    coming: VecDeque<Stretch>,
}

impl Lane {
    /// Returns the occupant at `at`.
    fn occupant_at(&self, at: Instant) -> Option<Occupant> {
        let found = self.past.iter().chain(&self.coming).find(|(_, from, to)| *from <= at && at < *to)?;
        Some(found.0)
    }

    /// Marks the first coming stretch as compared, and forgets stretches that end by `over`.
    fn pass(&mut self, over: Instant) {
        self.past.extend(self.coming.pop_front());
        self.past.retain(|(_, _, to)| *to > over);
    }
}

/// A processor of both schedules.
#[derive(Clone, Debug, Default)]
pub(super) struct Pair {
    lanes: [Lane; 2],
    /// First time at which the two differ, if that is known.
    differs: Option<Instant>,
}

impl Pair {
    /// Adds a stretch in which the processor is occupied in one schedule. Stretches come in the order of time; one that
    /// goes on comes again. A job that goes on is one stretch, and so is a job that stops for no longer than
    /// `tolerance`.
    pub(super) fn push(&mut self, side: usize, (occupant, from, to): Stretch, tolerance: Duration) {
        let coming = &mut self.lanes[side].coming;
        match coming.back_mut() {
            Some(last) if last.0 == occupant && from.saturating_since(last.2) <= tolerance => {
                last.2 = last.2.max(to)
            }
            Some(_) | None => coming.push_back((occupant, from, to)),
        }
    }

    /// Returns the first time at which the two differ, if that follows from all before `known`. Instants that lie no
    /// further apart than `tolerance` are equal.
    ///
    /// All is known of an instant once twice the tolerance has passed. Until then another stretch may begin near it, or
    /// one that ends near it may go on.
    pub(super) fn look(&mut self, known: Instant, tolerance: Duration) -> Option<Instant> {
        if self.differs.is_some() {
            return self.differs;
        }
        let near = |a: Instant, b: Instant| a.max(b) - a.min(b) <= tolerance;
        let is_known = |at: Instant| is_settled(at, known, tolerance);
        loop {
            let at = match self.lanes.each_ref().map(|lane| lane.coming.front().copied()) {
                [None, None] => return None,
                [Some(only), None] | [None, Some(only)] if is_known(only.1) => only.1,
                [Some(_), None] | [None, Some(_)] => return None,
                [Some(a), Some(b)] if !near(a.1, b.1) => a.1.min(b.1),
                [Some(a), Some(b)] if a.0 != b.0 => a.1.max(b.1),
                [Some(a), Some(b)] => {
                    let end = a.2.min(b.2);
                    if !is_known(end) {
                        return None;
                    }
                    if near(a.2, b.2) {
                        self.lanes.iter_mut().for_each(|lane| lane.pass(end));
                        continue;
                    }
                    end
                }
            };
            self.differs = Some(at);
            return self.differs;
        }
    }

    /// Returns the occupants at `at` in both schedules.
    pub(super) fn occupants_at(&self, at: Instant) -> (Option<Occupant>, Option<Occupant>) {
        let [mine, theirs] = self.lanes.each_ref().map(|lane| lane.occupant_at(at));
        (mine, theirs)
    }
}

/// Returns whether no later record changes the occupants at `at`, if all before `known` is there.
pub(super) fn is_settled(at: Instant, known: Instant, tolerance: Duration) -> bool {
    let wait = tolerance.as_ns().saturating_mul(2);
    known == Instant::NEVER || at.as_ns().saturating_add(wait) < known.as_ns()
}
