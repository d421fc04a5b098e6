//! When the activity of each processor ends.
//!
//! Eight processors form a group whose minimum is remembered. A change marks its group; the minima are computed anew
//! once an instant. A tree of comparisons takes more instructions for up to 64 processors, since a completion and
//! the dispatch after it would be two changes. A list in the order of time takes twice as many, for 4 processors, too.

use schedlab_model::{BitSet, CpuId, Instant};

const GROUP: usize = 8;
/// So few processors are looked at without groups.
const FEW: usize = 4;
const NEVER: u64 = u64::MAX;

#[inline(always)]
fn earliest(at: &[u64; GROUP]) -> u64 {
    let [a, b, c, d, e, f, g, h] = *at;
    a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)))
}

/// By processor: when what it does ends, if it does.
#[derive(Clone, Debug)]
pub(crate) struct Ends {
    /// As long as whole groups.
    at: Vec<u64>,
    /// By group: its earliest end, never later than that, and exact after [`Ends::settle`]. As long as whole groups; not used
    /// if there are few processors.
    earliest: Vec<u64>,
    changed: BitSet,
    first: u64,
    /// Whose activities were found to end now and were not taken yet.
    due: BitSet,
    are_few: bool,
}

impl Ends {
    /// Nothing ends on so many processors.
    pub(crate) fn new(processors: usize) -> Self {
        let groups = processors.div_ceil(GROUP).max(1);
        Ends {
            at: vec![NEVER; groups * GROUP],
            earliest: vec![NEVER; groups.next_multiple_of(GROUP)],
            changed: BitSet::new(groups),
            first: NEVER,
            due: BitSet::new(groups * GROUP),
            are_few: processors <= FEW,
        }
    }

    /// The activity of `cpu` ends at that instant; never if it has no end.
    #[inline(always)]
    pub(crate) fn set(&mut self, cpu: CpuId, at: Instant) {
        self.at[cpu.index()] = at.as_ns();
        if !self.are_few {
            self.changed.insert(cpu.index() / GROUP);
        }
    }

    /// The activity of `cpu`, if any, has no end.
    #[inline(always)]
    pub(crate) fn clear(&mut self, cpu: CpuId) {
        self.set(cpu, Instant::NEVER);
    }

    /// When the activity of `cpu` ends.
    #[inline]
    pub(crate) fn at(&self, cpu: CpuId) -> Instant {
        Instant::from_ns(self.at[cpu.index()])
    }

    /// The earliest end as of the last [`Ends::settle`].
    #[inline(always)]
    pub(crate) fn first(&self) -> Instant {
        Instant::from_ns(self.first)
    }

    /// Takes note of all changes.
    #[inline(always)]
    pub(crate) fn settle(&mut self) {
        match self.at.first_chunk() {
            Some([a, b, c, d]) if self.are_few => self.first = *a.min(b).min(c.min(d)),
            _ => self.settle_groups(),
        }
    }

    fn settle_groups(&mut self) {
        if self.changed.is_empty() {
            return;
        }
        while let Some(group) = self.changed.take_first() {
            if let Some(at) = self.at[group * GROUP..].first_chunk() {
                self.earliest[group] = earliest(at);
            }
        }
        let groups = self.earliest.chunks_exact(GROUP).flat_map(|groups| groups.first_chunk());
        self.first = groups.map(earliest).fold(NEVER, u64::min);
    }

    /// Finds the processors whose activities end at that instant, which is the first one.
    #[inline(always)]
    pub(crate) fn find_due(&mut self, now: Instant) {
        match self.at.first_chunk::<FEW>() {
            Some(few) if self.are_few => {
                for (place, at) in few.iter().enumerate() {
                    if *at == now.as_ns() {
                        self.due.insert(place);
                    }
                }
            }
            _ => self.find_due_in_groups(now.as_ns()),
        }
    }

    fn find_due_in_groups(&mut self, now: u64) {
        for (group, at) in self.at.chunks_exact(GROUP).enumerate() {
            if self.earliest[group] == now {
                for (place, at) in at.iter().enumerate() {
                    if *at == now {
                        self.due.insert(group * GROUP + place);
                    }
                }
            }
        }
    }

    /// Takes the lowest processor that was found and whose activity still ends now.
    #[inline(always)]
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<CpuId> {
        while let Some(place) = self.due.take_first() {
            if self.at[place] == now.as_ns() {
                return Some(CpuId(place as u16));
            }
        }
        None
    }

    /// The one processor whose activity ends first, if it is one alone.
    pub(crate) fn alone(&self) -> Option<CpuId> {
        let is_first = |at: &u64| *at == self.first;
        let first = self.at.iter().position(is_first)?;
        let is_alone = !self.at[first + 1..].iter().any(is_first);
        is_alone.then_some(CpuId(first as u16))
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
                ends.settle();
                let first = *list.iter().min().expect("there are processors");
                assert_eq!(ends.first().as_ns(), first);
                if first == NEVER {
                    continue;
                }
                let ending: Vec<usize> = (0..processors).filter(|cpu| list[*cpu] == first).collect();
                assert_eq!(ends.alone().is_some(), ending.len() == 1);
                ends.find_due(Instant::from_ns(first));
                for expected in ending {
                    let found = ends.take_due(Instant::from_ns(first)).expect("it is there");
                    assert_eq!(found.index(), expected);
                }
                assert_eq!(ends.take_due(Instant::from_ns(first)), None);
            }
        }
    }
}
