//! Groups of resources that nest, each with one lock.

use crate::contract::{BrokenRule, Length, LockError, Usage};
use alloc::vec::Vec;
use schedlab_model::ResourceId;

/// Groups of resources that share a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Groups {
    /// By resource: the lowest resource of its group. Empty if each resource is a group by itself.
    first: Vec<usize>,
}

impl Groups {
    /// Joins two resources of one length to one group if requests for one nest within those for the other, directly or
    /// through other resources.
    pub(crate) fn new(usage: &Usage, length: &[Length]) -> Result<Self, LockError> {
        let mut groups = Self::singles(length.len());
        for nested in &usage.nested {
            let (outer, inner) = (nested.outer.index(), nested.inner.index());
            match (length[outer], length[inner]) {
                (Length::Short, Length::Long) => {
                    let rule = BrokenRule::LongInsideShort { short: nested.outer, long: nested.inner };
                    return Err(rule.at(nested.task, nested.step));
                }
                (Length::Long, Length::Short) => {}
                (Length::Short, Length::Short) | (Length::Long, Length::Long) => groups.join(outer, inner),
            }
        }
        Ok(groups)
    }

    /// Groups in which each resource is by itself.
    pub(crate) const SINGLES: Groups = Groups { first: Vec::new() };

    /// Groups of `count` single resources, to be joined.
    fn singles(count: usize) -> Self {
        Groups { first: (0..count).collect() }
    }

    /// Joins `count` resources of one length as [`Groups::new`] does.
    pub(crate) fn of_nested(usage: &Usage, count: usize) -> Self {
        let mut groups = Self::singles(count);
        for nested in &usage.nested {
            groups.join(nested.outer.index(), nested.inner.index());
        }
        groups
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first[a], self.first[b]);
        for first in &mut self.first {
            if *first == a.max(b) {
                *first = a.min(b);
            }
        }
    }

    /// The group of `resource`, by its lowest resource.
    #[inline]
    pub(crate) fn of(&self, resource: ResourceId) -> usize {
        self.first.get(resource.index()).copied().unwrap_or(resource.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Nested;
    use schedlab_model::TaskId;

    fn groups(nested: &[(u32, u32)], length: &[Length]) -> Result<Groups, LockError> {
        let pair = |&(outer, inner)| Nested {
            task: TaskId(0),
            step: 3,
            outer: ResourceId(outer),
            inner: ResourceId(inner),
        };
        let usage = Usage { nested: nested.iter().map(pair).collect(), ..Usage::default() };
        Groups::new(&usage, length)
    }

    #[test]
    fn resources_of_one_length_that_nest_form_a_group() {
        use Length::{Long, Short};
        let found = groups(&[(3, 1), (2, 3), (4, 0)], &[Short, Long, Long, Long, Long]).unwrap();
        assert_eq!(found.first, [0, 1, 1, 1, 4]);
        let refused = groups(&[(0, 1)], &[Short, Long]).unwrap_err();
        let (short, long) = (ResourceId(0), ResourceId(1));
        assert_eq!(refused, BrokenRule::LongInsideShort { short, long }.at(TaskId(0), 3));
    }
}
