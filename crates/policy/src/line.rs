//! Line of the linked jobs that give way first.

use crate::entry::{Entry, Link};
use schedlab_model::HeapKey;

/// Longest line, a power of two. Clusters with at most this many places have no line: their places are walked over.
const LENGTH: usize = 8;

/// The least urgent linked jobs in order, with their places.
///
/// A job that is linked where another one is complete is mostly less urgent than all that run. The job that gives way
/// is the least urgent one. So the line grows and shrinks at its end. Jobs that are gone stay in line until they are
/// its last ones.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Jobs in line with their places, by falling urgency.
    jobs: [(Entry, u16); LENGTH],
    /// Number of jobs in line, less than [`LENGTH`].
    len: usize,
    /// No linked job outside of the line is less urgent than this entry, whose job may be gone. With few places, no job
    /// is in line.
    others: Entry,
    is_used: bool,
}

impl Line {
    /// A line for `places` places to which no job is linked.
    pub(crate) fn new(places: usize) -> Self {
        Line { jobs: [(Entry::IDLE, 0); LENGTH], len: 0, others: Entry::IDLE, is_used: places > LENGTH }
    }

    /// Adds a job that was linked to the place `index`.
    #[inline(always)]
    pub(crate) fn insert(&mut self, entry: Entry, index: u16) {
        if !self.others.goes_before(entry) {
            return;
        }
        match self.is_used {
            true => self.line_up(entry, index),
            false => self.others = entry,
        }
    }

    fn line_up(&mut self, entry: Entry, index: u16) {
        let mut place = self.len % LENGTH;
        while place > 0 && entry.goes_before(self.jobs[place - 1].0) {
            self.jobs[place] = self.jobs[place - 1];
            place -= 1;
        }
        self.jobs[place] = (entry, index);
        self.len = self.len.wrapping_add(1);
        if self.len == LENGTH {
            self.make_room();
        }
    }

    /// Moves the more urgent half of the line to the others.
    #[cold]
    fn make_room(&mut self) {
        self.others = self.jobs[LENGTH / 2 - 1].0;
        self.jobs.copy_within(LENGTH / 2.., 0);
        self.len = LENGTH / 2;
    }

    /// Returns the least urgent linked job and its place, if `top` goes before it; `linked` holds the links by place.
    #[inline(always)]
    pub(crate) fn displaced_by(&mut self, top: Entry, linked: &[Link]) -> Option<(Entry, u16)> {
        let last = match self.is_used {
            true => self.last_in_line(linked).or_else(|| self.form_anew(linked)),
            false if top.goes_before(self.others) => self.walk(linked),
            false => None,
        };
        last.filter(|(least_urgent, _)| top.goes_before(*least_urgent))
    }

    #[inline(always)]
    fn walk(&mut self, linked: &[Link]) -> Option<(Entry, u16)> {
        let mut last = linked.first()?.entry;
        let mut its_place = 0;
        #[expect(clippy::needless_range_loop, reason = "an iterator takes 5 instructions more per job")]
        for index in 1..linked.len() {
            let entry = linked[index].entry;
            if last.goes_before(entry) {
                (last, its_place) = (entry, index);
            }
        }
        self.others = last;
        Some((last, its_place as u16))
    }

    #[inline(always)]
    fn last_in_line(&mut self, linked: &[Link]) -> Option<(Entry, u16)> {
        while self.len > 0 {
            let last = self.jobs[(self.len - 1) % LENGTH];
            if linked.get(usize::from(last.1)).is_some_and(|place| place.entry == last.0) {
                return Some(last);
            }
            self.len -= 1;
        }
        None
    }

    fn form_anew(&mut self, linked: &[Link]) -> Option<(Entry, u16)> {
        self.others = Entry::IDLE;
        linked.iter().zip(0..).for_each(|(place, index)| self.insert(place.entry, index));
        self.last_in_line(linked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use schedlab_model::{JobId, Priority, TaskId};

    /// The line agrees with a walk over all places, over a fixed sequence that mixes all operations.
    #[test]
    fn agrees_with_a_walk() {
        for places in [1, 3, 7, 8, 9, 48_u32] {
            let (mut line, mut x) = (Line::new(places as usize), 12345u32);
            let mut linked = vec![Link::IDLE; places as usize];
            for _ in 0..20_000 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (place, urgency) = ((x >> 8) % places, x >> 20);
                let job = JobId::new(TaskId(place), 0);
                let there = &mut linked[place as usize].entry;
                if core::mem::replace(there, Entry::IDLE) == Entry::IDLE {
                    *there = Entry::new(job, Priority::new(urgency.into(), job));
                    line.insert(*there, place as u16);
                }
                if x % 3 == 0 {
                    let all = linked
                        .iter()
                        .map(|place| place.entry)
                        .zip(0..)
                        .filter(|(entry, _)| *entry != Entry::IDLE);
                    let last = all.reduce(|a, b| if a.0.goes_before(b.0) { b } else { a });
                    let top = Entry::new(job, Priority::new(u64::from(x >> 18) & 0xfff, job));
                    let displaced = last.filter(|(entry, _)| top.goes_before(*entry));
                    assert_eq!(line.displaced_by(top, &linked), displaced);
                }
            }
        }
    }
}
