//! The lock-free queue: a list whose two ends are moved forward.
//!
//! M. Michael and M. Scott, *Simple, fast, and practical non-blocking and blocking concurrent queue algorithms*, PODC
//! 1996, figure 1, with its counted pointers. Free nodes are on R. Treiber's stack (1986), as there. The nodes are a
//! fixed pool.
//!
//! **The tail is a hint.** In the paper each put swings the tail, and a take never overtakes it. This costs an exchange
//! for each put. Here a put swings it only if that and the head are [`NEAR`] nodes behind, or the tail is [`FAR`]
//! behind, as in `java.util.concurrent.ConcurrentLinkedQueue` (D. Lea and M. Buchholz). The counts of head and tail say
//! where they are: how many nodes were put before theirs. A put begins at the later of both, or at the node that this
//! task put last if that is later still, and follows the links to the last node. After it has read a node's link, it
//! looks at the head: if that has not passed the node, the node was in the queue when the link was read. So it never
//! follows the link of a node that is used for something else. A node whose link is none then was the last, and still
//! is when the put exchanges that link: links are counted, too. Each exchange of the tail is from an older node to a
//! later one.
//!
//! **Full and empty.** The queue is full if the last node is `capacity` behind the head. A put looks at the head after
//! it has found the last node. The queue is full at that moment, or else the head can only move on until the node is
//! linked. So the queue never holds more than `capacity` values, and is never full with fewer. It is empty if no node
//! is behind the head's, which still is the head's after that was read.
//!
//! **Spares.** A task keeps the nodes that it took out, and puts them in again: no exchange with others, where its puts
//! and takes are mixed. It has [`SPARES`] at most; with more it puts [`BATCH`] on the stack at once, and without any it
//! takes as many off. A node that is put in is no spare any more before it is linked: who is stopped there has lost it,
//! and none has it twice. Spares are noted in the object's memory, since a task's number may pass to another process.
//! The pool has a node for each value, the dummy, and for each task all spares, a batch and a node in hand: so many
//! are lost where a task is killed, and its number passes to another process. Where that is killed in an operation,
//! too, the queue may be full with fewer values.
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
//! 2^47 operations within one of another task: weeks. The node that a task put last is used only if it is at most a
//! whole queue later than the ends: by chance after months without a put. Orderings: a node is filled before it is
//! linked (release), and a reader of the link acquires it. A node's link is acquired before the head is looked at: who
//! reads what was written after the node was taken out sees that it was. Values may be read after another task has
//! taken the node and put it in once more; then the head's count differs and the value is not used.

use super::super::super::lock::robust::{DeadTask, Surroundings};
use super::super::super::lock::ticket::TicketLock;
use super::super::super::part::Part;
use super::super::super::sync::{has, Word, FAR, LINE, SPARES};
use super::super::super::words::{ordering, Words};
use super::super::sequential::{Answer, Request};
use super::super::shared::{Access, Made, Room};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// No node.
const NULL: u64 = 0xffff;
const INDEX: u32 = 16;

/// The first word of the head. Tail, stack of free nodes and each task's own words follow, then the nodes: each a link
/// and a value.
const HEAD: usize = 0;
const TAIL: usize = LINE;
const FREE: usize = 2 * LINE;
const OWN: usize = 3 * LINE;

/// The words of one task alone: how many spares it has, and which nodes these are.
type Spares = [Word; 1 + SPARES];
/// Number of words from one task's own words to those of the next task.
const STRIDE: usize = (1 + SPARES).next_multiple_of(LINE);
/// Number of nodes that go to the stack and come from there at once: a task that has just exchanged a batch has room
/// and spares left.
const BATCH: usize = SPARES / 2 + 1;

/// Distance from which on a node that is behind counts as before.
const FURTHEST: u64 = 1 << 47;
/// Number of nodes that a put of another task walks before the tail is swung, so that not each put swings it.
const NEAR: u64 = 8;

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

/// The number of nodes from `from` to the later node `to`.
#[inline]
fn distance(from: u64, to: u64) -> u64 {
    count(to).wrapping_sub(count(from)) << INDEX >> INDEX
}

/// True if the node `one` was put before the node `other`.
#[inline]
fn is_before(one: u64, other: u64) -> bool {
    (1..FURTHEST).contains(&distance(one, other))
}

/// The access of one task to a lock-free queue.
#[derive(Debug)]
pub struct LockFreeQueue<'m> {
    head: &'m Word,
    tail: &'m Word,
    /// The top of the stack of free nodes.
    free: &'m Word,
    spares: &'m Spares,
    /// The node that this task put last, or one that has been the head.
    mine: u64,
    nodes: &'m [Word],
    capacity: u64,
    attempts: u64,
}

impl<'m> LockFreeQueue<'m> {
    /// The number of nodes of a queue for `capacity` values and this many tasks.
    pub const fn nodes(capacity: usize, tasks: usize) -> usize {
        capacity + 1 + (SPARES + BATCH + 1) * tasks
    }

    const fn first_node(tasks: usize) -> usize {
        OWN + STRIDE * tasks
    }

    /// The number of words of memory that this many nodes need.
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
        let spares = words.from(OWN + STRIDE * me).first_chunk().expect("each task has words of its own");
        LockFreeQueue {
            head: words.at(HEAD),
            tail: words.at(TAIL),
            free: words.at(FREE),
            spares,
            mine: words.acquire(HEAD),
            nodes: words.from(Self::first_node(tasks)),
            capacity: capacity as u64,
            attempts: 0,
        }
    }

    /// The number of attempts of the last operation: turns of the queue's loop, and turns that failed to change the
    /// free nodes.
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

    /// Tries to add a value once; nothing if another operation came between.
    #[inline]
    fn try_to_put(&mut self, value: u64) -> Option<bool> {
        let tail = self.tail.load(Acquire);
        let head = self.head.load(Acquire);
        let begin = if is_before(tail, head) { head } else { tail };
        let is_later = (1..=self.capacity).contains(&distance(begin, self.mine));
        let mut last = if is_later { self.mine } else { begin };
        let (link, head) = loop {
            let link = self.link(last).load(Acquire);
            let head = self.head.load(Acquire);
            if is_before(last, head) && has(Part::SeenInQueue) {
                return None;
            }
            if index(link) == NULL {
                break (link, head);
            }
            last = next(last, index(link));
        };
        if distance(head, last) >= self.capacity {
            return Some(false);
        }
        let Some((left, node)) = self.spare() else { return Some(false) };
        self.fill(node, value);
        self.have(left);
        let linked = ordering(Part::LinkedNode, Release);
        if self.link(last).compare_exchange(link, next(link, node), linked, Relaxed).is_err() {
            self.have(left + 1);
            return None;
        }
        self.mine = next(last, node);
        if distance(begin, self.mine) >= NEAR || distance(tail, self.mine) >= FAR {
            Self::swing(self.tail, tail, self.mine);
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

    /// Tries to take the first value once; nothing if another operation came between.
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
        self.keep(index(head));
        Some(Some(value))
    }

    /// Fills a node that is in no queue with a value, and with no link.
    #[inline]
    fn fill(&self, node: u64, value: u64) {
        self.value(node).store(value, Relaxed);
        self.lead(node, NULL);
    }

    /// Links a node that is in no queue to another one.
    #[inline]
    fn lead(&self, node: u64, to: u64) {
        let link = self.link(node);
        link.store(next(link.load(Relaxed), to), Release);
    }

    /// Notes how many spares this task has: the first ones of those in its words.
    #[inline]
    fn have(&self, count: usize) {
        self.spares[0].store(count as u64, Relaxed);
    }

    /// This task's last spare, and the number of its other spares; none if it has no spare.
    #[inline]
    fn spare(&mut self) -> Option<(usize, u64)> {
        let count = match self.spares[0].load(Relaxed) as usize {
            0 => self.pop(),
            count => count,
        };
        Some((count.checked_sub(1)?, self.spares[count].load(Relaxed)))
    }

    /// Keeps a node that was taken out as a spare.
    #[inline]
    fn keep(&mut self, node: u64) {
        let count = match self.spares[0].load(Relaxed) as usize {
            SPARES => self.push(),
            count => count,
        };
        self.spares[count + 1].store(node, Relaxed);
        self.have(count + 1);
    }

    /// Takes some nodes off the stack, as spares of a task that has none. Returns how many spares it has then.
    #[inline(never)]
    fn pop(&mut self) -> usize {
        loop {
            let first = self.free.load(Acquire);
            let (mut node, mut count) = (index(first), 0);
            while node != NULL && count < BATCH {
                count += 1;
                self.spares[count].store(node, Relaxed);
                node = index(self.link(node).load(Relaxed));
            }
            if count == 0 {
                return 0;
            }
            if Self::swing(self.free, first, next(first, node)) {
                self.have(count);
                return count;
            }
            self.attempts += 1;
        }
    }

    /// Puts some spares on the stack. Returns how many spares are left.
    #[inline(never)]
    fn push(&mut self) -> usize {
        let (kept, pushed) = self.spares[1..].split_at(SPARES - BATCH);
        self.have(kept.len());
        let node = |position: usize| pushed[position].load(Relaxed);
        (1..BATCH).for_each(|position| self.lead(node(position - 1), node(position)));
        loop {
            let first = self.free.load(Acquire);
            self.lead(node(BATCH - 1), index(first));
            if Self::swing(self.free, first, next(first, node(0))) {
                return kept.len();
            }
            self.attempts += 1;
        }
    }
}

impl Made for LockFreeQueue<'_> {
    fn words(Room { size, tasks, .. }: Room) -> usize {
        LockFreeQueue::words(LockFreeQueue::nodes(size, tasks), tasks)
    }

    fn set_up(Room { size, tasks, .. }: Room, words: Words<'_>) {
        LockFreeQueue::set_up(words, LockFreeQueue::nodes(size, tasks), tasks);
    }
}

impl<'m> Access<'m> for LockFreeQueue<'m> {
    fn new(room: Room, _: &'m TicketLock, words: Words<'m>, me: usize) -> Self {
        LockFreeQueue::new(words, room.size, room.tasks, me)
    }

    #[inline]
    fn apply(&mut self, request: Request, _: &impl Surroundings) -> Result<Answer, DeadTask> {
        Ok(match request {
            Request::Put(value) => self.put(value).then_some(value),
            Request::Take => self.take(),
        })
    }

    fn attempts(&self) -> u64 {
        LockFreeQueue::attempts(self)
    }
}
