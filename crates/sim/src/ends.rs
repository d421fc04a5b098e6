//! When the activity of each processor ends.
//!
//! Eight processors form a group whose minimum is remembered. A change marks its group; the minima are computed anew
//! once an instant. A tree of comparisons takes more instructions for up to 64 processors, since a completion and
//! the dispatch after it would be two changes.

use schedlab_model::{BitSet, CpuId, Instant};

const GROUP: usize = 8;
const NEVER: u64 = u64::MAX;

#[inline]
fn earliest(at: &[u64; GROUP]) -> u64 {
    let [a, b, c, d, e, f, g, h] = *at;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

/// The first place from `from` on that ends now.
#[inline(always)]
fn ending_in(at: &[u64; GROUP], from: usize, now: u64) -> Option<usize> {
    // Mostly one ends alone, and the minimum of the others tells so.
    if from > 0 && earliest(at) > now {
        return None;
    }
    (from..GROUP).find(|place| at[*place] == now)
}

/// By processor: when what it does ends, if it does.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    at: Vec<[u64; GROUP]>,
    /// By group: its earliest end, never later than that, and exact after [`Ends::settle`]. As long as whole groups, and
    /// not used if there is one.
    earliest: Vec<u64>,
    changed: BitSet,
    first: u64,
}

impl Ends {
    /// Nothing ends on so many processors.
    pub(crate) fn new(processors: usize) -> Self {
        let groups = processors.div_ceil(GROUP);
        Ends {
            at: vec![[NEVER; GROUP]; groups],
            earliest: vec![NEVER; groups.next_multiple_of(GROUP)],
            changed: BitSet::new(groups),
            first: NEVER,
        }
    }

    /// The activity of `cpu` ends at that instant; never if it is idle.
    #[inline]
    pub(crate) fn set(&mut self, cpu: CpuId, at: Instant) {
        let group = cpu.index() / GROUP;
        self.at[group][cpu.index() % GROUP] = at.as_ns();
        self.changed.insert(group);
    }

    /// When the activity of `cpu` ends.
    #[inline]
    pub(crate) fn at(&self, cpu: CpuId) -> Instant {
        Instant::from_ns(self.at[cpu.index() / GROUP][cpu.index() % GROUP])
    }

    /// The earliest end as of the last [`Ends::settle`].
    #[inline]
    pub(crate) fn first(&self) -> Instant {
        Instant::from_ns(self.first)
    }

    /// Takes note of all changes.
    #[inline]
    pub(crate) fn settle(&mut self) {
        if let [only] = self.at.as_slice() {
            self.first = earliest(only);
            return;
        }
        if self.changed.is_empty() {
            return;
        }
        while let Some(group) = self.changed.take_first() {
            self.earliest[group] = earliest(&self.at[group]);
        }
        let groups = self.earliest.chunks_exact(GROUP).flat_map(|groups| groups.first_chunk());
        self.first = groups.map(earliest).fold(NEVER, u64::min);
    }

    /// The lowest processor from `from` on whose activity ends at that instant, which is the first one or passed.
    #[inline(always)]
    pub(crate) fn ending(&self, now: Instant, from: usize) -> Option<CpuId> {
        let now = now.as_ns();
        if let [only] = self.at.as_slice() {
            return ending_in(only, from, now).map(|found| CpuId(found as u16));
        }
        let (mut group, mut within) = (from / GROUP, from % GROUP);
        while let Some(groups) = self.earliest.get(group..self.at.len()) {
            let skipped = groups.iter().position(|earliest| *earliest <= now)?;
            if skipped > 0 {
                (group, within) = (group + skipped, 0);
            }
            if let Some(found) = ending_in(&self.at[group], within, now) {
                return Some(CpuId((GROUP * group + found) as u16));
            }
            (group, within) = (group + 1, 0);
        }
        None
    }

    /// The one processor whose activity ends first, if it is one alone.
    pub(crate) fn alone(&self) -> Option<CpuId> {
        let first = self.ending(self.first(), 0)?;
        self.ending(self.first(), first.index() + 1).is_none().then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a walk over all processors.
    #[test]
    fn agrees_with_a_list() {
        for processors in [1, 4, 8, 9, 48, 70, 600_usize] {
            let (mut ends, mut list, mut x) = (Ends::new(processors), vec![NEVER; processors], 12345u32);
            for round in 0..3_000 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let cpu = (x >> 8) as usize % processors;
                list[cpu] = if x % 5 == 0 { NEVER } else { u64::from(x >> 28) };
                ends.set(CpuId(cpu as u16), Instant::from_ns(list[cpu]));
                assert_eq!(ends.at(CpuId(cpu as u16)).as_ns(), list[cpu]);
                if round % 3 > 0 {
                    continue;
                }
                ends.settle();
                let first = *list.iter().min().expect("there are processors");
                assert_eq!(ends.first().as_ns(), first);
                if first == NEVER {
                    continue;
                }
                let ending: Vec<usize> = (0..processors).filter(|cpu| list[*cpu] == first).collect();
                let mut from = 0;
                for expected in &ending {
                    let found = ends.ending(Instant::from_ns(first), from).expect("it is there");
                    assert_eq!(found.index(), *expected);
                    from = expected + 1;
                }
                assert_eq!(ends.ending(Instant::from_ns(first), from), None);
                assert_eq!(ends.alone().is_some(), ending.len() == 1);
            }
        }
    }
}
