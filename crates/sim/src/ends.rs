//! Ends of the activities of all processors.
//!
//! Eight processors form a group whose minimum is remembered. Setting an end costs two comparisons; taking the first
//! one costs a walk over its group and over the minima. A tree of comparisons takes twice as many instructions for 48
//! processors, be it binary or of fours; so does a list in the order of time even for 4 processors. Up to four
//! processors are walked over once an instant, and lie in the value itself, so that their indices need no check.

use schedlab_model::{CpuId, Instant};

const GROUP: usize = 8;
/// Up to this many processors have no minima: the earliest end is found when the instant is over.
const FEW: usize = 4;
const NEVER: u64 = u64::MAX;

#[inline(always)]
fn earliest(at: &[u64; GROUP]) -> u64 {
    let [a, b, c, d, e, f, g, h] = *at;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

/// Selects `second` or `first` without a branch, because which processor comes next cannot be predicted.
#[inline(always)]
fn either(is_second: bool, first: u64, second: u64) -> u64 {
    first ^ (first ^ second) & u64::from(is_second).wrapping_neg()
}

/// Returns the first index among the `wanted` ones (a bit for each) whose end is at `now`.
#[inline(always)]
fn first_due(ends: &[u64; GROUP], now: Instant, wanted: u32) -> Option<u16> {
    let due = ends.iter().rev().fold(0, |all, end| all << 1 | u32::from(*end == now.as_ns()));
    (due & wanted != 0).then(|| (due & wanted).trailing_zeros() as u16)
}

/// Ends of activities by processor; never for a processor whose activity has no end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ends {
    few: [u64; FEW],
    /// Ends by processor and group, if there are more than a few.
    at: Vec<[u64; GROUP]>,
    /// Earliest end of each group, in rows of as many groups as a group has processors.
    earliest: Vec<[u64; GROUP]>,
    first: u64,
    are_few: bool,
}

impl Ends {
    /// Resets the ends for a number of processors, none of whose activities ends.
    pub(crate) fn renew(&mut self, processors: usize) {
        self.are_few = processors <= FEW;
        let groups = if self.are_few { 0 } else { processors.div_ceil(GROUP) };
        self.few = [NEVER; FEW];
        self.at.clear();
        self.at.resize(groups, [NEVER; GROUP]);
        self.earliest.clear();
        self.earliest.resize(groups.div_ceil(GROUP), [NEVER; GROUP]);
        self.first = NEVER;
    }

    /// Sets the end of the activity of `cpu`; [`Instant::NEVER`] if it has none.
    #[inline(always)]
    pub(crate) fn set(&mut self, cpu: CpuId, at: Instant) {
        let at = at.as_ns();
        if self.are_few {
            self.few[cpu.index() % FEW] = at;
            self.first = self.first.min(at);
            return;
        }
        self.set_of_many(cpu, at);
    }

    /// Sets the end of the activity of `cpu`, if [`Ends::settle`] follows before the first end is read.
    #[inline(always)]
    pub(crate) fn set_before_settling(&mut self, cpu: CpuId, at: Instant) {
        match self.are_few {
            true => self.few[cpu.index() % FEW] = at.as_ns(),
            false => self.set_apart(cpu, at),
        }
    }

    #[inline(never)]
    fn set_apart(&mut self, cpu: CpuId, at: Instant) {
        self.set_of_many(cpu, at.as_ns());
    }

    #[inline(always)]
    fn set_of_many(&mut self, cpu: CpuId, at: u64) {
        let group = cpu.index() / GROUP;
        let known = &mut self.at.as_flattened_mut()[cpu.index()];
        let before = core::mem::replace(known, at);
        let earliest = &mut self.earliest.as_flattened_mut()[group];
        if at <= *earliest {
            *earliest = at;
            self.first = self.first.min(at);
        } else if before == *earliest {
            self.settle_group(group);
        }
    }

    /// Clears the end of the activity of `cpu`.
    #[inline(always)]
    pub(crate) fn clear(&mut self, cpu: CpuId) {
        if self.are_few || self.at(cpu) != Instant::NEVER {
            self.set(cpu, Instant::NEVER);
        }
    }

    /// Finds the first end, once the instant is over and no end changes any more.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        if self.are_few {
            let [a, b, c, d] = self.few;
            self.first = a.min(b).min(c.min(d));
        }
    }

    /// Finds the earliest end of the group again, after it was removed.
    #[inline(always)]
    fn settle_group(&mut self, group: usize) {
        self.earliest.as_flattened_mut()[group] = earliest(&self.at[group]);
        self.first = self.earliest.iter().map(earliest).fold(NEVER, u64::min);
    }

    /// Returns the end of the activity of `cpu`.
    #[inline(always)]
    pub(crate) fn at(&self, cpu: CpuId) -> Instant {
        Instant::from_ns(match self.are_few {
            true => self.few[cpu.index() % FEW],
            false => self.at.as_flattened()[cpu.index()],
        })
    }

    /// Returns the earliest end as of the last [`Ends::settle`]; if processors are many, as of now.
    #[inline(always)]
    pub(crate) fn first(&self) -> Instant {
        Instant::from_ns(self.first)
    }

    /// Takes the end of the lowest processor whose activity ends at `now`, if that is the first end.
    #[inline(always)]
    pub(crate) fn take(&mut self, now: Instant) -> Option<CpuId> {
        let now = now.as_ns();
        let is_now = |at: &u64| *at == now;
        if self.first != now {
            return None;
        }
        if self.are_few {
            let place = self.few.iter().position(is_now)?;
            self.few[place] = NEVER;
            self.settle();
            return Some(CpuId(place as u16));
        }
        let rows = self.earliest.iter().enumerate();
        let in_row = |(row, ends): (usize, &[u64; GROUP])| Some(row * GROUP + ends.iter().position(is_now)?);
        let group = rows.filter_map(in_row).next()?;
        let place = self.at[group].iter().position(is_now)?;
        self.at[group][place] = NEVER;
        self.settle_group(group);
        Some(CpuId((group * GROUP + place) as u16))
    }

    /// Returns the lowest processor above `after` whose activity ends at `now`.
    #[inline(always)]
    pub(crate) fn next_due(&self, now: Instant, after: Option<CpuId>) -> Option<CpuId> {
        let begin = after.map_or(0, |cpu| cpu.index() + 1);
        match self.are_few {
            true => (begin..FEW).find(|cpu| self.few[*cpu] == now.as_ns()).map(|cpu| CpuId(cpu as u16)),
            false => self.next_due_of_many(now, begin),
        }
    }

    fn next_due_of_many(&self, now: Instant, begin: usize) -> Option<CpuId> {
        let mut wanted = u32::MAX << (begin % GROUP);
        for (group, ends) in self.at.iter().enumerate().skip(begin / GROUP) {
            if self.earliest.as_flattened()[group] <= now.as_ns() {
                if let Some(place) = first_due(ends, now, wanted) {
                    return Some(CpuId((group * GROUP) as u16 + place));
                }
            }
            wanted = u32::MAX;
        }
        None
    }

    /// Returns the processor whose activity ends at `now`, the first end, if it is the only one. Also returns an
    /// instant that is not after the first end of the others: that end if processors are few, else `now`.
    #[inline(always)]
    pub(crate) fn alone_at(&self, now: Instant) -> Option<(CpuId, Instant)> {
        if !self.are_few {
            return Some((self.alone()?, now));
        }
        // The first end is that of one of two pairs. The second one is the first of the other pair, or the later one of
        // the same pair; the later one of the other pair is not before it.
        let [a, b, c, d] = self.few;
        let (low, high) = (a.min(b), c.min(d));
        let is_high = high < low;
        let second = low.max(high).min(a.max(b)).min(c.max(d));
        let place = 2 * u64::from(is_high) + either(is_high, (b < a).into(), (d < c).into());
        (second > now.as_ns()).then_some((CpuId(place as u16), Instant::from_ns(second)))
    }

    /// Returns the processor whose activity ends first, if it is the only one.
    pub(crate) fn alone(&self) -> Option<CpuId> {
        let first = self.next_due(self.first(), None)?;
        self.next_due(self.first(), Some(first)).is_none().then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a walk over all processors.
    #[test]
    fn agrees_with_a_list() {
        for processors in [1, 4, 5, 8, 16, 17, 48, 64, 70, 600_usize] {
            let (mut ends, mut list, mut x) = (Ends::default(), vec![NEVER; processors], 12345u32);
            ends.renew(processors);
            for round in 0..3_000 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let cpu = (x >> 8) as usize % processors;
                list[cpu] = if x % 5 == 0 { NEVER } else { u64::from(x >> 28) };
                ends.set(CpuId(cpu as u16), Instant::from_ns(list[cpu]));
                assert_eq!(ends.at(CpuId(cpu as u16)).as_ns(), list[cpu]);
                ends.settle();
                let first = *list.iter().min().expect("there are processors");
                assert_eq!(ends.first().as_ns(), first);
                if first == NEVER {
                    continue;
                }
                let ending: Vec<usize> = (0..processors).filter(|cpu| list[*cpu] == first).collect();
                let (now, mut due) = (Instant::from_ns(first), None);
                let alone_at = ends.alone_at(now);
                for alone in [ends.alone(), alone_at.map(|(cpu, _)| cpu)] {
                    assert_eq!(
                        alone.map(CpuId::index),
                        ending.first().copied().filter(|_| ending.len() == 1)
                    );
                }
                if let Some((_, next)) = alone_at {
                    let later = list.iter().copied().filter(|at| *at > first).min().unwrap_or(NEVER);
                    assert_eq!(next.as_ns(), if processors > FEW { first } else { later });
                }
                for expected in &ending {
                    due = ends.next_due(now, due);
                    assert_eq!(due.map(CpuId::index), Some(*expected));
                }
                assert_eq!(ends.next_due(now, due), None);
                if round % 3 > 0 {
                    continue;
                }
                for expected in ending {
                    assert_eq!(ends.take(now).map(CpuId::index), Some(expected));
                    list[expected] = NEVER;
                }
                assert_eq!(ends.take(now), None);
                ends.settle();
            }
        }
    }
}
