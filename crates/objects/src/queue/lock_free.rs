//! The lock-free queue: a list whose two ends swing forward.
//!
//! M. Michael and M. Scott, *Simple, fast, and practical non-blocking and blocking concurrent queue algorithms*, PODC 1996, figure 1, with its
//! counted pointers. Free nodes are on R. Treiber's stack (1986), as there. The nodes are a fixed pool.
//!
//! **This file's own.** The paper's queue has no bound but the pool's. Here the counts of head and tail say how many nodes were taken and put,
//! since each swing adds one. A task that puts, and has found that the tail is still the last node, compares them: the
//! queue is full if they differ by `capacity`. The head that it read was the head while the tail was this tail, which it sees by looking at
//! the tail once more. When it then links its node behind that tail, the head can only have moved on. So the queue never holds more
//! than `capacity` values, and is never full with fewer. The pool has a node for each value, the dummy, and one that each task may have in hand,
//! also where it was killed.
//!
//! **Retries.** An attempt is one turn of a loop: that of the queue, or that of the free nodes. Within a turn that fails, another operation has changed the
//! word on which it fails. A put changes three: the first free node, the last node's link and the tail. A take changes two: the head and
//! the first free node. The tail may be swung for a put by another task, which then counts as the put's change. Turns of one loop are
//! apart in time, so that each change fails one turn at most, and a put fails three attempts of another operation at most. A task that
//! comes between fails the turns that stand still meanwhile: one of each loop. One that stands still with the
//! tail yet to be swung fails one turn of the next operation, however urgent that is.
//!
//! **64-bit machines.** The paper compares an address and a count of 32 bits each, as two words. Here one word holds a
//! node's number (16 bits) and a count (48 bits). A count that comes round again needs 2^48 operations within one of another task: weeks.
//! Orderings: a node is filled before it is linked (release), and a reader of the link acquires it. Values may be read after another task
//! has taken the node and put it in once more; then the head's count differs and the value is not used.

use super::super::part::Part;
use super::super::sync::{has, Word, LINE};
use super::super::words::{ordering, Words};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// No node.
const NULL: u64 = 0xffff;
const INDEX: u32 = 16;

/// The words of head, tail and the stack of free nodes; nodes follow, each its link and its value.
const HEAD: usize = 0;
const TAIL: usize = LINE;
const FREE: usize = 2 * LINE;
const NODES: usize = 3 * LINE;

fn index(pointer: u64) -> u64 {
    pointer & NULL
}

fn count(pointer: u64) -> u64 {
    pointer >> INDEX
}

/// A pointer to `node` with a count one larger than that of `before`.
fn next(before: u64, node: u64) -> u64 {
    let counted = if has(Part::CountedPointer) { count(before).wrapping_add(1) } else { 0 };
    counted << INDEX | node
}

/// A task's access to a lock-free queue.
#[derive(Debug)]
pub struct LockFreeQueue<'m> {
    words: Words<'m>,
    capacity: u64,
    attempts: u64,
}

impl<'m> LockFreeQueue<'m> {
    /// The most nodes.
    pub const MOST: usize = NULL as usize;

    /// How many nodes a queue for `capacity` values and so many tasks has.
    pub const fn nodes(capacity: usize, tasks: usize) -> usize {
        capacity + 1 + tasks
    }

    /// How many words of memory so many nodes need.
    pub const fn words(nodes: usize) -> usize {
        NODES + 2 * nodes
    }

    /// Makes an empty queue of `nodes` nodes in words that are zero.
    pub fn set_up(words: Words<'_>, nodes: usize) {
        assert!(nodes <= Self::MOST && words.count() >= Self::words(nodes), "there is room for the nodes");
        words.set(FREE, if nodes > 1 { 1 } else { NULL });
        words.set(NODES, NULL);
        for node in 1..nodes {
            words.set(NODES + 2 * node, if node + 1 < nodes { node as u64 + 1 } else { NULL });
        }
    }

    /// Access to the queue in `words`. With fewer nodes than [`LockFreeQueue::nodes`] says, it may be full with fewer values.
    pub fn new(words: Words<'m>, capacity: usize) -> Self {
        LockFreeQueue { words, capacity: capacity as u64, attempts: 0 }
    }

    /// How often the last operation tried: turns of the queue's loop, and those that failed to change the free nodes.
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    fn link(&self, node: u64) -> &'m Word {
        self.words.at(NODES + 2 * node as usize)
    }

    fn value(&self, node: u64) -> &'m Word {
        self.words.at(NODES + 2 * node as usize + 1)
    }

    /// Puts `to` in place of `from`, which has to be there still.
    fn swing(&self, end: usize, from: u64, to: u64) -> bool {
        self.words.at(end).compare_exchange(from, to, AcqRel, Relaxed).is_ok()
    }

    /// Adds a value at the end; false if the queue is full.
    pub fn put(&mut self, value: u64) -> bool {
        let mut node = None;
        self.attempts = 0;
        let put = loop {
            self.attempts += 1;
            let tail = self.words.acquire(TAIL);
            let link = self.link(index(tail));
            let last = link.load(Acquire);
            if self.words.acquire(TAIL) != tail {
                continue;
            }
            if index(last) != NULL {
                self.swing(TAIL, tail, next(tail, index(last)));
                continue;
            }
            if self.is_full(tail) {
                if self.words.acquire(TAIL) == tail {
                    break false;
                }
                continue;
            }
            let Some(mine) = node.or_else(|| self.take_node(value)) else { break false };
            node = Some(mine);
            let linked = ordering(Part::LinkedNode, Release);
            if link.compare_exchange(last, next(last, mine), linked, Relaxed).is_ok() {
                node = None;
                self.swing(TAIL, tail, next(tail, mine));
                break true;
            }
        };
        node.into_iter().for_each(|node| self.free_node(node));
        put
    }

    /// Whether the head that is read now is `capacity` nodes before this tail.
    fn is_full(&self, tail: u64) -> bool {
        if !has(Part::CountedPointer) {
            return false;
        }
        // The head may be ahead of an old tail.
        let ahead = count(tail).wrapping_sub(count(self.words.acquire(HEAD))) << INDEX >> INDEX;
        (self.capacity..1 << 32).contains(&ahead)
    }

    /// Takes the first value out.
    pub fn take(&mut self) -> Option<u64> {
        self.attempts = 0;
        loop {
            self.attempts += 1;
            let head = self.words.acquire(HEAD);
            let tail = self.words.acquire(TAIL);
            let first = self.link(index(head)).load(Acquire);
            if self.words.acquire(HEAD) != head {
                continue;
            }
            if index(head) == index(tail) {
                if index(first) == NULL {
                    return None;
                }
                self.swing(TAIL, tail, next(tail, index(first)));
            } else if index(first) != NULL {
                let value = self.value(index(first)).load(Relaxed);
                let swung = self.swing(HEAD, head, next(head, index(first)));
                if swung || !has(Part::SwungHead) {
                    self.free_node(index(head));
                    return Some(value);
                }
            }
        }
    }

    /// A free node with this value and nothing behind it.
    fn take_node(&mut self, value: u64) -> Option<u64> {
        loop {
            let first = self.words.acquire(FREE);
            if index(first) == NULL {
                return None;
            }
            let link = self.link(index(first));
            let behind = link.load(Relaxed);
            if self.swing(FREE, first, next(first, index(behind))) {
                self.value(index(first)).store(value, Relaxed);
                link.store(next(behind, NULL), Release);
                return Some(index(first));
            }
            self.attempts += 1;
        }
    }

    fn free_node(&mut self, node: u64) {
        let link = self.link(node);
        loop {
            let first = self.words.acquire(FREE);
            link.store(next(link.load(Relaxed), index(first)), Release);
            if self.swing(FREE, first, next(first, node)) {
                return;
            }
            self.attempts += 1;
        }
    }
}
