//! The lock-free queue: a list whose two ends are moved forward.
//!
//! M. Michael and M. Scott, *Simple, fast, and practical non-blocking and blocking concurrent queue algorithms*, PODC
//! 1996, figure 1, with its counted pointers. Free nodes are on R. Treiber's stack (1986), as there. The nodes are a
//! fixed pool.
//!
//! **The tail is a hint.** In the paper each put swings the tail, and a take never overtakes it. This costs an exchange
//! for each put. Here a put swings it only if that is behind the last node but one, as in
//! `java.util.concurrent.ConcurrentLinkedQueue` (D. Lea and M. Buchholz), or [`FAR`] behind. The counts of head and
//! tail say where they are: how many nodes were put before theirs. A put begins at the later of both, and follows the
//! links to the last node. After it has read a node's link, it looks at the head: if that has not passed the node, the
//! node was in the queue when the link was read. So it never follows the link of a node that is used for something
//! else. A node whose link is none then was the last, and still is when the put exchanges that link: links are counted,
//! too. Each exchange of the tail is from an older node to a later one.
//!
//! **Full and empty.** The queue is full if the last node is `capacity` behind the head. A put looks at the head after
//! it has found the last node. The queue is full at that moment, or else the head can only move on until the node is
//! linked. So the queue never holds more than `capacity` values, and is never full with fewer. It is empty if no node
//! is behind the head's, which still is the head's after that was read.
//!
//! **Spares.** A task keeps the last node that it took out, and puts it in again: no exchange with others, where it
//! puts and takes in turn. It has no more than one spare; a second node goes to the stack. A node that is put in is the
//! spare no more before it is linked: who is stopped there has lost it, and none has it twice. The spare is in the
//! object's memory, since a task's number may pass to another process. The pool has a node for each value, the dummy,
//! and two for each task, also where it was killed: the spare and the one in hand.
//!
//! **Retries.** An attempt is one turn of a loop: that of the queue, or that of the free nodes. Within a turn that
//! fails, another operation has changed the word on which it fails. A put fails on the last node's link, or on the head
//! if that overtakes it; a take fails on the head. So a put changes two such words at most: the first free node and the
//! last node's link. A take does: the head and the first free node. Turns of one loop are apart in time, so that each
//! change fails one turn at most, and an operation fails two attempts of another one at most. A task that comes between
//! fails the turns that stand still meanwhile: one of each loop. No task completes what another one has begun.
//!
//! **64-bit machines.** The paper compares an address and a count of 32 bits each, as two words. Here one word holds a
//! node's number (16 bits) and a count (48 bits). A count that comes round again, or half of that for the tail, needs
//! 2^47 operations within one of another task: weeks. Orderings: a node is filled before it is linked (release), and a
//! reader of the link acquires it. A node's link is acquired before the head is looked at: who reads what was written
//! after the node was taken out sees that it was. Values may be read after another task has taken the node and put it
//! in once more; then the head's count differs and the value is not used.

use super::super::part::Part;
use super::super::sync::{has, Word, FAR, LINE};
use super::super::words::{ordering, Words};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// No node.
const NULL: u64 = 0xffff;
const INDEX: u32 = 16;

/// The words of head, tail, the stack of free nodes, and each task's spare; nodes follow, each its link and its value.
const HEAD: usize = 0;
const TAIL: usize = LINE;
const FREE: usize = 2 * LINE;
const SPARES: usize = 3 * LINE;

/// A node that is further behind counts as before.
const FURTHEST: u64 = 1 << 47;

/// A task's word if it has no spare; else the node's number and one more.
const NO_SPARE: u64 = 0;

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

/// How many nodes behind `from` the node `to` is.
#[inline]
fn distance(from: u64, to: u64) -> u64 {
    count(to).wrapping_sub(count(from)) << INDEX >> INDEX
}

/// Whether the node `one` was put before the node `other`.
#[inline]
fn is_before(one: u64, other: u64) -> bool {
    (1..FURTHEST).contains(&distance(one, other))
}

/// A task's access to a lock-free queue.
#[derive(Debug)]
pub struct LockFreeQueue<'m> {
    head: &'m Word,
    tail: &'m Word,
    /// The top of the stack of free nodes.
    free: &'m Word,
    /// This task's spare.
    spare: &'m Word,
    nodes: &'m [Word],
    capacity: u64,
    attempts: u64,
}

impl<'m> LockFreeQueue<'m> {
    /// How many nodes a queue for `capacity` values and so many tasks has.
    pub const fn nodes(capacity: usize, tasks: usize) -> usize {
        capacity + 1 + 2 * tasks
    }

    const fn first_node(tasks: usize) -> usize {
        SPARES + LINE * tasks
    }

    /// How many words of memory so many nodes need.
    pub const fn words(nodes: usize, tasks: usize) -> usize {
        Self::first_node(tasks) + 2 * nodes
    }

    /// Makes an empty queue of `nodes` nodes in words that are zero.
    pub fn set_up(words: Words<'_>, nodes: usize, tasks: usize) {
        let room = Self::words(nodes, tasks);
        assert!(nodes <= NULL as usize && words.count() >= room, "there is room for the nodes");
        let first = Self::first_node(tasks);
        words.set(FREE, if nodes > 1 { 1 } else { NULL });
        words.set(first, NULL);
        for node in 1..nodes {
            words.set(first + 2 * node, if node + 1 < nodes { node as u64 + 1 } else { NULL });
        }
    }

    /// The access of task `me` to the queue in `words`. With fewer nodes than [`LockFreeQueue::nodes`] says, it may be
    /// full with fewer values.
    pub fn new(words: Words<'m>, capacity: usize, tasks: usize, me: usize) -> Self {
        assert!(me < tasks, "the object was made for this task");
        LockFreeQueue {
            head: words.at(HEAD),
            tail: words.at(TAIL),
            free: words.at(FREE),
            spare: words.at(SPARES + LINE * me),
            nodes: words.from(Self::first_node(tasks)),
            capacity: capacity as u64,
            attempts: 0,
        }
    }

    /// How often the last operation tried: turns of the queue's loop, and those that failed to change the free nodes.
    #[inline]
    pub fn attempts(&self) -> u64 {
        self.attempts
    }

    #[inline]
    fn link(&self, node: u64) -> &'m Word {
        &self.nodes[2 * index(node) as usize]
    }

    #[inline]
    fn value(&self, node: u64) -> &'m Word {
        &self.nodes[2 * index(node) as usize + 1]
    }

    /// Puts `to` in place of `from`, which has to be there still.
    #[inline]
    fn swing(end: &Word, from: u64, to: u64) -> bool {
        end.compare_exchange(from, to, AcqRel, Relaxed).is_ok()
    }

    /// Adds a value at the end; false if the queue is full.
    #[inline]
    pub fn put(&mut self, value: u64) -> bool {
        self.attempts = 1;
        loop {
            if let Some(is_put) = self.try_to_put(value) {
                return is_put;
            }
            self.attempts += 1;
        }
    }

    /// Nothing if another operation came between.
    #[inline]
    fn try_to_put(&mut self, value: u64) -> Option<bool> {
        let tail = self.tail.load(Acquire);
        let head = self.head.load(Acquire);
        let mut last = if is_before(tail, head) { head } else { tail };
        let mut walked = false;
        let (link, head) = loop {
            let link = self.link(index(last)).load(Acquire);
            let head = self.head.load(Acquire);
            if is_before(last, head) && has(Part::SeenInQueue) {
                return None;
            }
            if index(link) == NULL {
                break (link, head);
            }
            (last, walked) = (next(last, index(link)), true);
        };
        if distance(head, last) >= self.capacity {
            return Some(false);
        }
        let Some(mine) = self.spare() else { return Some(false) };
        self.value(mine).store(value, Relaxed);
        self.spare.store(NO_SPARE, Relaxed);
        let linked = ordering(Part::LinkedNode, Release);
        if self.link(index(last)).compare_exchange(link, next(link, mine), linked, Relaxed).is_err() {
            self.spare.store(mine + 1, Relaxed);
            return None;
        }
        if walked || distance(tail, last) >= FAR {
            Self::swing(self.tail, tail, next(last, mine));
        }
        Some(true)
    }

    /// Takes the first value out.
    #[inline]
    pub fn take(&mut self) -> Option<u64> {
        self.attempts = 1;
        loop {
            if let Some(taken) = self.try_to_take() {
                return taken;
            }
            self.attempts += 1;
        }
    }

    /// Nothing if another operation came between.
    #[inline]
    fn try_to_take(&mut self) -> Option<Option<u64>> {
        let head = self.head.load(Acquire);
        let first = self.link(index(head)).load(Acquire);
        if self.head.load(Acquire) != head {
            return None;
        }
        if index(first) == NULL {
            return Some(None);
        }
        let value = self.value(index(first)).load(Relaxed);
        if !Self::swing(self.head, head, next(head, index(first))) && has(Part::SwungHead) {
            return None;
        }
        self.free_node(index(head));
        Some(Some(value))
    }

    /// This task's spare, or a node off the stack, which is the spare from now on; none if there is none.
    #[inline]
    fn spare(&mut self) -> Option<u64> {
        match self.spare.load(Relaxed) {
            NO_SPARE => {
                let node = self.pop()?;
                self.keep(node);
                Some(node)
            }
            spare => Some(spare - 1),
        }
    }

    /// Keeps a node that is not in the queue as the spare, with nothing behind it.
    #[inline]
    fn keep(&mut self, node: u64) {
        let link = self.link(node);
        link.store(next(link.load(Relaxed), NULL), Release);
        self.spare.store(node + 1, Relaxed);
    }

    /// What becomes of a node that was taken out: the spare, or a free node of the stack if there is a spare.
    #[inline]
    fn free_node(&mut self, node: u64) {
        match self.spare.load(Relaxed) {
            NO_SPARE => self.keep(node),
            _ => self.push(node),
        }
    }

    /// Takes a node off the stack.
    #[inline(never)]
    fn pop(&mut self) -> Option<u64> {
        loop {
            let first = self.free.load(Acquire);
            if index(first) == NULL {
                return None;
            }
            let behind = self.link(index(first)).load(Relaxed);
            if Self::swing(self.free, first, next(first, index(behind))) {
                return Some(index(first));
            }
            self.attempts += 1;
        }
    }

    /// Puts a node on the stack.
    #[inline(never)]
    fn push(&mut self, node: u64) {
        let link = self.link(node);
        loop {
            let first = self.free.load(Acquire);
            link.store(next(link.load(Relaxed), index(first)), Release);
            if Self::swing(self.free, first, next(first, node)) {
                return;
            }
            self.attempts += 1;
        }
    }
}
