//! Leftist heaps of tasks that share one table of nodes.
//!
//! C. A. Crane, "Linear lists and priority queues as balanced binary trees", 1972. A task is in one heap at most.
//! Melding two heaps, and with it adding and taking a task, compares at most log2(N+1) tasks on the right spine
//! of each, in the worst case: what the staggered algorithm's bound per processor rests on, where whole heaps of
//! arriving tasks are melded. Nothing is allocated after set-up.

use super::order::PfairOrder;
use super::stream::Stream;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// No task.
pub(super) const NONE: u32 = u32::MAX;

/// Order of a heap: the task on its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The task whose subtask goes before all others.
    Urgent,
    /// The task whose subtask goes after all others.
    Lenient,
    /// The task that may run first.
    Early,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    key: u128,
    left: u32,
    right: u32,
    parent: u32,
    rank: u32,
}

const ALONE: Node = Node { key: 0, left: NONE, right: NONE, parent: NONE, rank: 1 };

/// All tasks and the nodes of their heaps. A heap is its root: a task, or [`NONE`] if it is empty.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    order: PfairOrder,
    streams: Vec<Stream>,
    nodes: Vec<Node>,
    comparisons: u64,
}

impl Forest {
    /// Tasks in no heap.
    pub(super) fn new(order: PfairOrder, streams: Vec<Stream>) -> Self {
        assert!(streams.len() < NONE as usize, "a task number has 32 bits");
        let nodes = vec![ALONE; streams.len()];
        Forest { order, streams, nodes, comparisons: 0 }
    }

    /// A task's sequence of subtasks.
    #[inline]
    pub(super) fn stream(&self, task: u32) -> &Stream {
        &self.streams[task as usize]
    }

    /// A task's sequence of subtasks; only while it is in no heap.
    #[inline]
    pub(super) fn stream_mut(&mut self, task: u32) -> &mut Stream {
        &mut self.streams[task as usize]
    }

    /// Number of comparisons of two tasks so far.
    pub(super) fn comparisons(&self) -> u64 {
        self.comparisons
    }

    /// Adds `task`, whose subtask may have changed.
    #[inline]
    pub(super) fn insert(&mut self, by: By, root: &mut u32, task: u32) {
        let key = (self.order.key)(self.stream(task));
        self.nodes[task as usize] = Node { key, ..ALONE };
        *root = self.meld(by, *root, task);
    }

    /// Takes the task on top.
    #[inline]
    pub(super) fn pop(&mut self, by: By, root: &mut u32) -> Option<u32> {
        let top = *root;
        (top != NONE).then(|| {
            self.remove(by, root, top);
            top
        })
    }

    /// Takes `task` out of the heap that it is in.
    #[inline]
    pub(super) fn remove(&mut self, by: By, root: &mut u32, task: u32) {
        let Node { left, right, parent, .. } = self.nodes[task as usize];
        let rest = self.meld(by, left, right);
        if rest != NONE {
            self.nodes[rest as usize].parent = parent;
        }
        if parent == NONE {
            assert_eq!(*root, task, "the task is in another heap");
            *root = rest;
        } else {
            let above = &mut self.nodes[parent as usize];
            *(if above.left == task { &mut above.left } else { &mut above.right }) = rest;
            self.restore(parent);
        }
        self.nodes[task as usize] = Node { key: self.nodes[task as usize].key, ..ALONE };
    }

    /// Melds two heaps into one, and returns its root.
    #[inline]
    pub(super) fn meld(&mut self, by: By, a: u32, b: u32) -> u32 {
        if a == NONE {
            return b;
        }
        if b == NONE {
            return a;
        }
        let (top, other) = if self.goes_before(by, b, a) { (b, a) } else { (a, b) };
        let right = self.meld(by, self.nodes[top as usize].right, other);
        self.nodes[top as usize].right = right;
        self.nodes[right as usize].parent = top;
        self.lean(top);
        self.nodes[top as usize].parent = NONE;
        top
    }

    /// True if the next subtask of `task`, which is in no heap, goes before that of `other`.
    #[inline]
    pub(super) fn goes_first(&mut self, task: u32, other: u32) -> bool {
        self.nodes[task as usize].key = (self.order.key)(self.stream(task));
        self.goes_before(By::Urgent, task, other)
    }

    /// True if the next subtask of `a` goes before that of `b`, where both are in heaps. The comparison is not counted.
    #[inline]
    pub(super) fn is_more_urgent(&self, a: u32, b: u32) -> bool {
        self.urgency(a, b) == Ordering::Less
    }

    #[inline]
    fn goes_before(&mut self, by: By, a: u32, b: u32) -> bool {
        self.comparisons += 1;
        match by {
            By::Urgent => self.urgency(a, b) == Ordering::Less,
            By::Lenient => self.urgency(a, b) == Ordering::Greater,
            By::Early => self.stream(a).eligible() < self.stream(b).eligible(),
        }
    }

    #[inline]
    fn urgency(&self, a: u32, b: u32) -> Ordering {
        match self.nodes[a as usize].key.cmp(&self.nodes[b as usize].key) {
            Ordering::Equal => (self.order.tie)(self.stream(a), self.stream(b)).then(a.cmp(&b)),
            unequal @ (Ordering::Less | Ordering::Greater) => unequal,
        }
    }

    /// Updates the ranks on the way up from `node`, as far as they change: each is one more than the one below it.
    fn restore(&mut self, mut node: u32) {
        while node != NONE && self.lean(node) {
            node = self.nodes[node as usize].parent;
        }
    }

    /// Puts the child with the longer spine to the left. Returns true if that changed the rank.
    #[inline]
    fn lean(&mut self, index: u32) -> bool {
        let Node { left, right, rank, .. } = self.nodes[index as usize];
        let (l, r) = (self.rank(left), self.rank(right));
        let node = &mut self.nodes[index as usize];
        if l < r {
            (node.left, node.right) = (right, left);
        }
        node.rank = l.min(r) + 1;
        node.rank != rank
    }

    #[inline]
    fn rank(&self, task: u32) -> u32 {
        if task == NONE {
            0
        } else {
            self.nodes[task as usize].rank
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfair::{Weight, PD2};

    fn forest(count: u64) -> Forest {
        let weight = |n: u64| Weight::new(1 + n * 7 % 5, 5 + n * 13 % 17).unwrap();
        Forest::new(PD2, (0..count).map(|n| Stream::new(weight(n), false, n * 5 % 11)).collect())
    }

    /// All tasks below `root`, after checking order, ranks and parents.
    fn members(forest: &Forest, by: By, root: u32, all: &mut Vec<u32>) {
        if root == NONE {
            return;
        }
        all.push(root);
        let node = forest.nodes[root as usize];
        assert!(forest.rank(node.left) >= forest.rank(node.right));
        assert_eq!(node.rank, forest.rank(node.right) + 1);
        for child in [node.left, node.right].into_iter().filter(|child| *child != NONE) {
            assert_eq!(forest.nodes[child as usize].parent, root);
            assert!(!forest.clone().goes_before(by, child, root));
        }
        members(forest, by, node.left, all);
        members(forest, by, node.right, all);
    }

    /// Three heaps against lists, over a fixed sequence that mixes all operations.
    #[test]
    fn agrees_with_lists() {
        for by in [By::Urgent, By::Lenient, By::Early] {
            let mut forest = forest(60);
            let (mut roots, mut lists) = ([NONE; 3], [Vec::new(), Vec::new(), Vec::new()]);
            let mut x = 12345u32;
            for round in 0..4_000u32 {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let (task, heap) = ((x >> 24) % 60, (x >> 16) as usize % 3);
                match (round % 16, lists.iter().position(|list| list.contains(&task))) {
                    (15, _) => {
                        roots[0] = forest.meld(by, roots[0], roots[heap.max(1)]);
                        roots[heap.max(1)] = NONE;
                        let more = core::mem::take(&mut lists[heap.max(1)]);
                        lists[0].extend(more);
                    }
                    (_, Some(inside)) => {
                        forest.remove(by, &mut roots[inside], task);
                        lists[inside].retain(|other| *other != task);
                    }
                    (12..15, None) => {
                        let top = forest.pop(by, &mut roots[heap]);
                        assert_eq!(top.is_none(), lists[heap].is_empty());
                        if let Some(top) = top {
                            lists[heap].retain(|other| *other != top);
                            let mut rest = lists[heap].iter();
                            assert!(!rest.any(|&other| forest.goes_before(by, other, top)));
                        }
                    }
                    (_, None) => {
                        forest.insert(by, &mut roots[heap], task);
                        lists[heap].push(task);
                    }
                }
                for (root, list) in roots.iter().zip(&mut lists) {
                    let mut found = Vec::new();
                    members(&forest, by, *root, &mut found);
                    found.sort_unstable();
                    list.sort_unstable();
                    assert_eq!(&found, list);
                }
            }
        }
    }
}
