//! A binary heap ordered by which key goes first, for queues of jobs and of events.
//!
//! The standard library's heap wants `Ord`, which priorities deliberately lack, and cannot replace its
//! top in one pass, which the simulator's hot loop lives on.

use alloc::vec::Vec;

/// A key of a [`Heap`].
pub trait HeapKey: Copy {
    /// True if `self` leaves the heap before `other`.
    fn goes_before(self, other: Self) -> bool;
}

/// A binary heap: the key that goes before all others is on top.
#[derive(Clone, Debug)]
pub struct Heap<K> {
    keys: Vec<K>,
}

impl<K> Default for Heap<K> {
    fn default() -> Self {
        Heap { keys: Vec::new() }
    }
}

impl<K: HeapKey> Heap<K> {
    /// An empty heap with room for `capacity` keys.
    pub fn with_capacity(capacity: usize) -> Self {
        Heap { keys: Vec::with_capacity(capacity) }
    }

    /// Removes all keys, and makes room for `capacity` keys.
    pub fn renew(&mut self, capacity: usize) {
        self.keys.clear();
        self.keys.reserve(capacity);
    }

    /// The key that goes first.
    #[inline]
    pub fn peek(&self) -> Option<K> {
        self.keys.first().copied()
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if the heap has no key.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Adds `key`.
    #[inline]
    pub fn push(&mut self, key: K) {
        self.keys.push(key);
        self.sift_up(self.keys.len() - 1);
    }

    /// Takes the key that goes first.
    #[inline]
    pub fn pop(&mut self) -> Option<K> {
        let last = self.keys.pop()?;
        match self.keys.first_mut() {
            None => Some(last),
            Some(first) => {
                let top = core::mem::replace(first, last);
                self.sift_down(0);
                Some(top)
            }
        }
    }

    /// Takes the first key found for which `wanted` holds. Compares every key in the worst case.
    pub fn remove_where(&mut self, wanted: impl FnMut(&K) -> bool) -> Option<K> {
        let index = self.keys.iter().position(wanted)?;
        let last = self.keys.pop()?;
        if index == self.keys.len() {
            return Some(last);
        }
        let taken = core::mem::replace(&mut self.keys[index], last);
        if last.goes_before(taken) {
            self.sift_up(index);
        } else {
            self.sift_down(index);
        }
        Some(taken)
    }

    #[inline]
    fn sift_up(&mut self, mut index: usize) {
        let keys = self.keys.as_mut_slice();
        let key = keys[index];
        while index > 0 {
            let parent = (index - 1) / 2;
            if !key.goes_before(keys[parent]) {
                break;
            }
            keys[index] = keys[parent];
            index = parent;
        }
        keys[index] = key;
    }

    /// Moves a key down to a leaf along the children that go first, then up: a key that replaces the top mostly belongs
    /// near the bottom, so this compares once per level instead of twice. Indices cannot overflow: a slice of keys that
    /// have a size is shorter than half of all indices.
    #[inline]
    fn sift_down(&mut self, mut index: usize) {
        let start = index;
        let keys = self.keys.as_mut_slice();
        let key = keys[index];
        loop {
            let left = index.wrapping_mul(2).wrapping_add(1);
            let Some([l, r]) = keys.get(left..).and_then(|rest| rest.first_chunk::<2>()) else {
                if let Some(only) = keys.get(left) {
                    keys[index] = *only;
                    index = left;
                }
                break;
            };
            let right_goes_first = r.goes_before(*l);
            keys[index] = if right_goes_first { *r } else { *l };
            index = left.wrapping_add(usize::from(right_goes_first));
        }
        while index > start {
            let parent = (index - 1) / 2;
            if !key.goes_before(keys[parent]) {
                break;
            }
            keys[index] = keys[parent];
            index = parent;
        }
        keys[index] = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl HeapKey for u32 {
        fn goes_before(self, other: u32) -> bool {
            self < other
        }
    }

    /// The heap agrees with sorting, over a fixed sequence that mixes all operations.
    #[test]
    fn agrees_with_a_sorted_list() {
        let (mut heap, mut sorted, mut x) = (Heap::with_capacity(4), Vec::new(), 12345u32);
        for round in 0..10_000 {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let key = x >> 24;
            match round % 7 {
                0..=2 => {
                    heap.push(key);
                    sorted.push(key);
                }
                4 => {
                    let found = sorted.iter().position(|k| k % 8 == key % 8);
                    let taken = heap.remove_where(|k| k % 8 == key % 8);
                    assert_eq!(taken.is_some(), found.is_some());
                    sorted.retain({
                        let mut left = taken;
                        move |k| left != Some(*k) || left.take().is_none()
                    });
                }
                _ => assert_eq!(heap.pop(), (!sorted.is_empty()).then(|| sorted.remove(0))),
            }
            sorted.sort_unstable();
            assert_eq!((heap.peek(), heap.len()), (sorted.first().copied(), sorted.len()));
        }
    }
}
