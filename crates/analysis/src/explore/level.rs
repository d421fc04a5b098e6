//! The states in which the same number of jobs has been dispatched.

use super::jobs::Span;

/// Rule by which states with the same jobs are merged.
///
/// Two states merge only if their intervals intersect for every number of processors, as published. The merged state
/// has the hull of each pair. The hull contains no futures beyond those of the two states if one state lies in the
/// other, or if they differ in at most one interval: such states always merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merging {
    /// Number of states with the same jobs from which on any two that intersect merge.
    pub apart: usize,
}

impl Merging {
    /// Merges all states that intersect, as published.
    pub(crate) const PUBLISHED: Merging = Merging { apart: 1 };
    /// A few states stay apart. Random job sets of `tests/explore_precision.rs` then have bounds beyond the worst case
    /// that are an eighth of the published ones, for twice the states. Each further state that stays apart gains less
    /// and costs more.
    pub(crate) const FINE: Merging = Merging { apart: 3 };

    /// The rules of merging to try in turn, until the budget suffices. On one processor no merging loses anything.
    pub(crate) fn to_try(processors: usize) -> &'static [Merging] {
        match processors {
            1 => &[Merging::PUBLISHED],
            _ => &[Merging::FINE, Merging::PUBLISHED],
        }
    }
}

/// Loss of precision by merging with a state: smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Loss {
    /// The hull stands for more than both states.
    any: bool,
    /// Total width that the hull adds to the two states.
    widening: u64,
}

impl Loss {
    /// `None` if the two do not merge.
    #[inline]
    fn of_merging(a: &[Span], b: &[Span]) -> Option<Loss> {
        let (mut a_in_b, mut b_in_a, mut differ, mut widening) = (true, true, 0, 0u64);
        for (a, b) in a.iter().zip(b) {
            if !a.intersects(*b) {
                return None;
            }
            a_in_b &= b.contains(*a);
            b_in_a &= a.contains(*b);
            differ += u32::from(a != b);
            widening = widening.saturating_add(a.low.abs_diff(b.low)).saturating_add(a.high.abs_diff(b.high));
        }
        Some(Loss { any: !a_in_b && !b_in_a && differ > 1, widening })
    }
}

/// Index that stands for no state.
const NONE: u32 = u32::MAX;

/// States, one after the other in flat arrays, and where to find them by their jobs.
///
/// Of each state there is one bit for each job from `64 * base` on: all jobs before that are dispatched, and none
/// after its last word is.
#[derive(Clone, Debug)]
pub(super) struct Level {
    processors: usize,
    merging: Merging,
    base: usize,
    words: usize,
    dispatched: Vec<u64>,
    free: Vec<Span>,
    keys: Vec<u64>,
    /// The next state with the same jobs, or with others that have the same key.
    next: Vec<u32>,
    /// By key: index of the first state.
    table: Vec<u32>,
    used: Vec<u32>,
}

/// A number for each job, such that sets of jobs can be told apart by exclusive or (the finalizer of splitmix64).
#[inline]
fn mix(job: usize) -> u64 {
    let mut z = (job as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Level {
    /// No state yet.
    pub(crate) fn empty(processors: usize, merging: Merging) -> Level {
        Level {
            processors,
            merging,
            base: 0,
            words: 1,
            dispatched: Vec::new(),
            free: Vec::new(),
            keys: Vec::new(),
            next: Vec::new(),
            table: vec![NONE; 64],
            used: Vec::new(),
        }
    }

    /// The one state in which no job is dispatched and every processor is free.
    pub(crate) fn initial(processors: usize, merging: Merging) -> Level {
        let mut level = Level::empty(processors, merging);
        level.dispatched.push(0);
        level.free.resize(processors, Span::new(0, 0));
        level.keys.push(0);
        level.next.push(NONE);
        level
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns when 1, 2, ... processors become free in `state`.
    #[inline]
    pub(crate) fn free(&self, state: usize) -> &[Span] {
        &self.free[state * self.processors..(state + 1) * self.processors]
    }

    /// The bits of a state.
    #[inline]
    pub(crate) fn bits(&self, state: usize) -> &[u64] {
        &self.dispatched[state * self.words..(state + 1) * self.words]
    }

    /// The first job that the bits speak of.
    #[inline]
    pub(crate) fn first_job(&self) -> usize {
        64 * self.base
    }

    /// The first job that is not dispatched.
    pub(crate) fn first_open(&self, state: usize) -> usize {
        let bits = self.bits(state);
        let full = bits.iter().take_while(|word| **word == u64::MAX).count();
        let rest = bits.get(full).map_or(0, |word| word.trailing_ones() as usize);
        64 * (self.base + full) + rest
    }

    /// Forgets all states; its states will be successors of those of `from`.
    pub(crate) fn begin(&mut self, from: &Level) {
        self.dispatched.clear();
        self.free.clear();
        self.keys.clear();
        self.next.clear();
        for slot in self.used.drain(..) {
            self.table[slot as usize] = NONE;
        }
        let full = |state| from.bits(state).iter().take_while(|word| **word == u64::MAX).count();
        let common = (0..from.len()).map(full).min().unwrap_or(0);
        self.base = from.base + common;
        let last = |state| from.bits(state).iter().rposition(|word| *word != 0).map_or(0, |index| index + 1);
        let used = (0..from.len()).map(last).max().unwrap_or(0);
        self.words = used.saturating_sub(common).max(1);
    }

    /// Lengthens the row of each state, such that `job` has a bit.
    #[cold]
    fn widen(&mut self, job: usize) {
        let words = job / 64 - self.base + 1;
        let mut wider = Vec::with_capacity(words * self.len());
        for row in self.dispatched.chunks(self.words) {
            wider.extend_from_slice(row);
            wider.resize(wider.len() + words - self.words, 0);
        }
        (self.dispatched, self.words) = (wider, words);
    }

    /// Adds the state that follows `state` of `from` when `job` is dispatched and processors are then `free`, or merges
    /// it with one that has the same jobs. Returns the index of that state.
    #[inline]
    pub(crate) fn add(&mut self, from: &Level, state: usize, job: usize, free: &[Span]) -> u32 {
        let key = from.keys[state] ^ mix(job);
        let start = self.dispatched.len();
        let row = &from.bits(state)[(self.base - from.base).min(from.words)..];
        let row = &row[..row.len().min(self.words)];
        self.dispatched.extend_from_slice(row);
        self.dispatched.resize(start + self.words, 0);
        if job / 64 - self.base >= self.words {
            self.dispatched.truncate(start);
            self.widen(job);
            return self.add(from, state, job, free);
        }
        self.dispatched[start + job / 64 - self.base] |= 1 << (job % 64);
        self.find(key, start, free)
    }

    fn find(&mut self, key: u64, start: usize, free: &[Span]) -> u32 {
        let slot = self.slot(key);
        let mut last = NONE;
        let mut same = 0;
        let mut best: Option<(Loss, u32)> = None;
        let mut state = self.table[slot];
        while state != NONE {
            same += 1;
            let loss = Loss::of_merging(self.free(state as usize), free);
            best = loss.map(|loss| (loss, state)).into_iter().chain(best).min();
            if loss.is_some_and(|loss| !loss.any) && self.bits(state as usize) == &self.dispatched[start..] {
                break;
            }
            last = state;
            state = self.next[state as usize];
        }
        let merges = best.filter(|&(loss, state)| {
            let may = !loss.any || same >= self.merging.apart;
            may && self.bits(state as usize) == &self.dispatched[start..]
        });
        let Some((_, state)) = merges else { return self.append(key, slot, last, free) };
        self.dispatched.truncate(start);
        let mine = &mut self.free[state as usize * self.processors..][..self.processors];
        mine.iter_mut().zip(free).for_each(|(mine, other)| *mine = mine.hull(*other));
        state
    }

    /// Appends a new state, whose row is there already, to the chain that ends with `last`.
    fn append(&mut self, key: u64, slot: usize, last: u32, free: &[Span]) -> u32 {
        let new = self.keys.len() as u32;
        match last {
            NONE => {
                self.table[slot] = new;
                self.used.push(slot as u32);
            }
            last => self.next[last as usize] = new,
        }
        self.keys.push(key);
        self.next.push(NONE);
        self.free.extend_from_slice(free);
        if 2 * self.used.len() > self.table.len() {
            self.grow();
        }
        new
    }

    /// Returns the slot of this key, or the empty slot where the key belongs.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut slot = key as usize & mask;
        while self.table[slot] != NONE && self.keys[self.table[slot] as usize] != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let heads: Vec<u32> = self.used.iter().map(|slot| self.table[*slot as usize]).collect();
        self.table = vec![NONE; 4 * self.table.len()];
        self.used.clear();
        for head in heads {
            let slot = self.slot(self.keys[head as usize]);
            self.table[slot] = head;
            self.used.push(slot as u32);
        }
    }
}
