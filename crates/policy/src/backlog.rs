//! Ready jobs that wait for a processor, by urgency.
//!
//! The most urgent ones lie sorted in a short array, the others in a heap. Mostly few jobs wait: then a job is inserted
//! by a short walk and taken without one, in a third of the instructions that a heap alone takes. However many wait,
//! the walk is at most as long as the array.

use schedlab_model::{Heap, HeapKey};

/// Length of the array of the most urgent jobs, a power of two.
const FRONT: usize = 32;

/// Keys of waiting jobs, the most urgent ones in an array and the others in a heap.
#[derive(Clone, Debug)]
pub(crate) struct Backlog<K> {
    /// The most urgent keys by rising urgency; all of them go before those of the heap.
    front: [K; FRONT],
    /// Number of keys in front: less than the length of `front`, and zero only if the heap is empty too.
    len: usize,
    rest: Heap<K>,
}

impl<K: HeapKey> Backlog<K> {
    /// An empty backlog with room for `capacity` jobs; `unused` is any key.
    pub(crate) fn new(unused: K, capacity: usize) -> Self {
        Backlog { front: [unused; FRONT], len: 0, rest: Heap::with_capacity(capacity) }
    }

    /// The key that goes first.
    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<K> {
        (self.len > 0).then(|| self.front[(self.len - 1) % FRONT])
    }

    /// Adds `key`.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: K) {
        if !self.rest.is_empty() && !key.goes_before(self.front[0]) {
            return self.push_behind(key);
        }
        let len = self.len % FRONT;
        let mut index = len;
        while index > 0 && self.front[index - 1].goes_before(key) {
            self.front[index] = self.front[index - 1];
            index -= 1;
        }
        self.front[index] = key;
        self.len = len + 1;
        if self.len == FRONT {
            self.make_room();
        }
    }

    fn push_behind(&mut self, key: K) {
        self.rest.push(key);
    }

    /// Moves the less urgent half of the array to the heap.
    #[cold]
    fn make_room(&mut self) {
        let (less_urgent, more_urgent) = self.front.split_at_mut(FRONT / 2);
        less_urgent.iter().for_each(|key| self.rest.push(*key));
        less_urgent.copy_from_slice(more_urgent);
        self.len = FRONT / 2;
    }

    /// Takes the key that goes first.
    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<K> {
        let top = self.peek()?;
        self.len -= 1;
        if self.len == 0 && !self.rest.is_empty() {
            self.fetch();
        }
        Some(top)
    }

    /// Takes the key that goes first and adds `key`, which must go after it. The backlog must not be empty.
    #[inline(always)]
    pub(crate) fn replace_top(&mut self, key: K) {
        self.len -= 1;
        if self.len == 0 && !self.rest.is_empty() {
            self.fetch();
        }
        self.push(key);
    }

    /// Moves the most urgent keys of the heap, which must not be empty, to the front, which must be.
    #[cold]
    fn fetch(&mut self) {
        self.len = self.rest.len().min(FRONT / 2);
        for index in (0..self.len).rev() {
            self.front[index] = self.rest.pop().expect("it has as many");
        }
    }

    /// Takes the first key found for which `wanted` holds. Compares every key in the worst case.
    pub(crate) fn remove_where(&mut self, mut wanted: impl FnMut(&K) -> bool) -> Option<K> {
        let Some(index) = self.front[..self.len].iter().position(&mut wanted) else {
            return self.rest.remove_where(wanted);
        };
        let taken = self.front[index];
        self.front.copy_within(index + 1..self.len, index);
        self.len -= 1;
        if self.len == 0 && !self.rest.is_empty() {
            self.fetch();
        }
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Key(u32);

    impl HeapKey for Key {
        fn goes_before(self, other: Key) -> bool {
            self < other
        }
    }

    /// The backlog agrees with a sorted list, over a fixed sequence in which few and many jobs wait.
    #[test]
    fn agrees_with_a_sorted_list() {
        for mostly in [2, 3, 4, 5] {
            let (mut backlog, mut sorted, mut x) = (Backlog::new(Key(0), 4), Vec::new(), 12345u32);
            for _ in 0..20_000 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let key = Key(x >> 24);
                match (x >> 8) % 7 {
                    kind if kind < mostly && sorted.len() < 300 => {
                        backlog.push(key);
                        sorted.push(key);
                        sorted.sort_unstable();
                    }
                    6 => {
                        let taken = backlog.remove_where(|known| known.0 % 8 == key.0 % 8);
                        assert_eq!(taken.is_some(), sorted.iter().any(|known| known.0 % 8 == key.0 % 8));
                        if let Some(taken) = taken {
                            assert_eq!(taken.0 % 8, key.0 % 8);
                            sorted.remove(sorted.binary_search(&taken).expect("it was there"));
                        }
                    }
                    _ => assert_eq!(backlog.pop(), (!sorted.is_empty()).then(|| sorted.remove(0))),
                }
                assert_eq!(backlog.peek(), sorted.first().copied());
            }
        }
    }
}
