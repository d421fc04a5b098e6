//! Where the values of a heap are: the tree in pages, of which each holds a subtree.
//!
//! Paths from the root so lead through few pages: A. LaMarca and R. Ladner, *The influence of caches on the performance of heaps*, ACM JEA 1, 1996,
//! for lines of a cache; P.-H. Kamp, *You're doing it wrong*, CACM 53(7), 2010, for pages of memory, from where this layout is.
//!
//! A page has 2^h words: one that is empty, and a tree of h levels in Williams' order, the children of word k at 2k and 2k + 1. Below its lowest
//! level hang 2^h pages, in the order of pages: those of page p begin at p 2^h + 1. The heap is filled in the order of places. Each
//! value so has its parent before it, and the tree is at most one page deeper than a complete one.
//!
//! ```text
//! h = 2      place 1        page 0: places 1, 2, 3
//!           /       \
//!          2         3
//!         / \       / \
//!        5   9    13   17   pages 1 to 4 begin; place 5 has the children 6 and 7
//! ```

/// The places of values in pages of 2^`levels` words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    levels: u32,
    /// The bits of a place that say which word of its page it is.
    within: usize,
}

impl Places {
    /// In pages of at most `words` words, which are two or more.
    pub(super) fn in_pages(words: usize) -> Self {
        assert!(words >= 2, "a page has room for a value");
        Self::of_levels(words.ilog2())
    }

    fn of_levels(levels: u32) -> Self {
        Places { levels, within: (1 << levels) - 1 }
    }

    /// Words of a page.
    pub(super) fn page(&self) -> usize {
        self.within.wrapping_add(1)
    }

    /// Which word of its page.
    #[inline(always)]
    fn within(&self, at: usize) -> usize {
        at & self.within
    }

    /// The first word of page `page`.
    #[inline(always)]
    fn begin(&self, page: usize) -> usize {
        page.wrapping_shl(self.levels)
    }

    /// The page of a place.
    #[inline(always)]
    fn page_of(&self, at: usize) -> usize {
        at.wrapping_shr(self.levels)
    }

    /// The place of value `number`, from 1 on, in the order of places.
    pub(super) fn of(&self, number: usize) -> usize {
        let values = self.page() - 1;
        let (page, within) = ((number - 1) / values, (number - 1) % values);
        (page << self.levels) + within + 1
    }

    /// The next place; of 0, the first.
    #[inline(always)]
    pub(super) fn after(&self, at: usize) -> usize {
        let next = at.wrapping_add(1);
        next | usize::from(self.within(next) == 0)
    }

    /// The place before; of the first, 0.
    #[inline(always)]
    pub(super) fn before(&self, at: usize) -> usize {
        let before = at.wrapping_sub(1);
        before.wrapping_sub(usize::from(before > 0 && self.within(before) == 0))
    }

    /// The parent's place, and whether it is in the same page; this is not the root.
    #[inline(always)]
    pub(super) fn above(&self, at: usize) -> (usize, bool) {
        let within = self.within(at);
        if within > 1 {
            return (at & !self.within | within >> 1, true);
        }
        let page = self.page_of(at).wrapping_sub(1);
        // The lowest level's places have the upper half of a page's numbers.
        (page & !self.within | (page & self.within | self.page()) >> 1, false)
    }

    /// The children's places, the smaller one first, and whether they are in the same page. There need not be values.
    #[inline(always)]
    pub(super) fn below(&self, at: usize) -> (usize, usize, bool) {
        let within = self.within(at);
        let child = within << 1;
        if child <= self.within {
            let child = at & !self.within | child;
            return (child, child | 1, true);
        }
        let page = (at & !self.within | child & self.within).wrapping_add(1);
        (self.begin(page) | 1, self.begin(page.wrapping_add(1)) | 1, false)
    }

    /// How many pages a path from the root to a place up to `end` leads through at most.
    pub(super) fn pages_above(&self, end: usize) -> usize {
        let mut page = end >> self.levels;
        let mut count = 1;
        while page > 0 {
            page = (page - 1) >> self.levels;
            count += 1;
        }
        count
    }

    /// How many values are on such a path at most.
    pub(super) fn levels(&self, end: usize) -> usize {
        let page = end >> self.levels;
        let last = self.within(end).ilog2() as usize + 1;
        // The last page need not be full; the one before may be as deep.
        let is_as_deep = page > 0 && self.pages_above((page - 1) << self.levels) == self.pages_above(end);
        let deepest = if is_as_deep { self.levels as usize } else { last };
        (self.pages_above(end) - 1) * self.levels as usize + deepest
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    /// Children know their parents, and each place up to the last is reached from the root, once.
    #[test]
    fn places_are_a_tree() {
        for levels in 1..7 {
            let places = Places::of_levels(levels);
            let mut at = 0;
            let mut deepest = 0;
            for number in 1..1_000 {
                let last = at;
                at = places.after(last);
                assert_eq!((places.before(at), places.of(number)), (last, at));
                let (mut level, mut up) = (1, at);
                while up > 1 {
                    let (above, _) = places.above(up);
                    let (one, other, _) = places.below(above);
                    assert!(above < up && one < other && (one == up || other == up), "{up} under {above}");
                    (up, level) = (above, level + 1);
                }
                deepest = deepest.max(level);
                assert_eq!(places.levels(at), deepest, "{levels} levels, up to {at}");
            }
        }
    }
}
