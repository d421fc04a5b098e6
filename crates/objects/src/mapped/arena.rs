//! Memory that is given out inside an object: the same bytes wherever processes map it.
//!
//! Blocks have sizes of powers of two. A block that was never used comes from the end of what is used; one that was
//! freed is on its size's list (R. K. Treiber, *Systems programming: coping with parallelism*, 1986, with a number
//! against reuse). No process waits for another: one that is killed meanwhile costs at most one block. All bytes zero
//! is an empty arena, so processes need not agree on who sets it up.

use super::super::sync::{AtomicU32, AtomicU64};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

/// Number of the sizes of blocks: 16 bytes, and each size twice the one before.
const SIZES: usize = 28;
/// The smallest block, the size of a block's head, and what every address is a multiple of.
const GRAIN: u64 = 16;
/// Marks the head of a block that was given out.
const USED: u32 = 0x7573_6564;
/// Marks the head of a block on a list.
const FREE: u32 = 0x6672_6565;

/// The head that stands before each block.
#[derive(Debug)]
#[repr(C, align(16))]
struct Head {
    size: AtomicU32,
    state: AtomicU32,
    /// The next free block's place; zero at the end of the list.
    next: AtomicU32,
}

/// The beginning of an object; the blocks follow it.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Arena {
    /// Number of bytes used, this head included; zero: none yet.
    used: AtomicU64,
    /// Place of the root, the first block, from which all others are found; zero: there is none yet.
    root: AtomicU64,
    /// By size: the number of changes, then the place of the first free block in grains.
    free: [AtomicU64; SIZES],
}

/// Why a block was not taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotABlock {
    /// No block begins at this address.
    Outside,
    /// The block is free already.
    Free,
}

impl core::fmt::Display for NotABlock {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            NotABlock::Outside => "no block of this object begins there",
            NotABlock::Free => "the block is free already",
        })
    }
}

/// The bytes in which an arena lies.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    base: *mut u8,
    length: u64,
}

// SAFETY: everything in the region that is not a block in use is reached by atomics alone.
unsafe impl Send for Region {}
// SAFETY: as before.
unsafe impl Sync for Region {}

impl Region {
    /// The number of bytes that an arena needs for itself.
    pub const OWN: usize = size_of::<Arena>();
    /// The largest block.
    pub const LARGEST_BLOCK: u64 = GRAIN << (SIZES - 1);

    /// An arena in `length` bytes from `base` on.
    ///
    /// # Safety
    ///
    /// The bytes are readable and writable as long as the region and its copies are used; `base` is a multiple of 64.
    /// At first they are zero, and they change through regions only, except within blocks.
    ///
    /// # Panics
    ///
    /// If there is not even room for the arena itself.
    pub unsafe fn new(base: *mut u8, length: usize) -> Self {
        assert!(length >= Self::OWN && base.addr() % align_of::<Arena>() == 0, "there is room for an arena");
        Region { base, length: length as u64 }
    }

    /// The number of bytes of the region.
    pub fn length(&self) -> u64 {
        self.length
    }

    fn arena(&self) -> &Arena {
        // SAFETY: the region begins with an arena, whose fields are atomics; all bytes zero is a valid one.
        unsafe { &*self.base.cast::<Arena>() }
    }

    /// The head at `place`, of a block of at least one byte.
    ///
    /// Places are in memory that others write, too: a process that writes beyond its blocks ends the one that finds it.
    fn head(&self, place: u64) -> &Head {
        self.check(place, 1);
        // SAFETY: it is in the region and aligned; a head's fields are atomics, and heads are written in no other way.
        unsafe { &*self.base.add(place as usize).cast::<Head>() }
    }

    /// Panics unless a head at `place` and `bytes` bytes behind it lie in the region.
    fn check(&self, place: u64, bytes: u64) {
        let end = place.checked_add(GRAIN).and_then(|begin| begin.checked_add(bytes));
        let is_within = place % GRAIN == 0 && end.is_some_and(|end| end <= self.length);
        assert!(is_within, "the memory of the object is overwritten: no block is at {place}");
    }

    /// Allocates a block of at least `bytes` bytes, all zero, or `None` if there is no room. The address is a multiple
    /// of 16.
    pub fn allocate(&self, bytes: usize) -> Option<*mut u8> {
        let size = (bytes as u64).max(GRAIN).checked_next_power_of_two()?;
        let class = (size / GRAIN).trailing_zeros() as usize;
        if class >= SIZES {
            return None;
        }
        let place = self.take_free(class).or_else(|| self.take_new(class, size))?;
        self.check(place, size);
        self.head(place).state.store(USED, Release);
        // SAFETY: the block is in the region, and ours alone.
        unsafe {
            let block = self.base.add((place + GRAIN) as usize);
            block.write_bytes(0, size as usize);
            Some(block)
        }
    }

    fn take_new(&self, class: usize, size: u64) -> Option<u64> {
        let used = &self.arena().used;
        let mut before = used.load(Relaxed);
        loop {
            let place = before.max((Self::OWN as u64).next_multiple_of(GRAIN));
            let after = place.checked_add(GRAIN + size).filter(|after| *after <= self.length)?;
            match used.compare_exchange(before, after, AcqRel, Relaxed) {
                Ok(_) => {
                    self.head(place).size.store(class as u32, Relaxed);
                    return Some(place);
                }
                Err(now) => before = now,
            }
        }
    }

    fn take_free(&self, class: usize) -> Option<u64> {
        let list = &self.arena().free[class];
        let mut before = list.load(Acquire);
        loop {
            let first = before as u32;
            if first == 0 {
                return None;
            }
            // If another takes this block first, what is read here is not used: the number of changes differs.
            let next = self.head(u64::from(first) * GRAIN).next.load(Relaxed);
            match list.compare_exchange(before, changed(before, next), AcqRel, Acquire) {
                Ok(_) => return Some(u64::from(first) * GRAIN),
                Err(now) => before = now,
            }
        }
    }

    /// Takes a block back.
    ///
    /// # Safety
    ///
    /// The block's bytes are not used any more.
    pub unsafe fn free(&self, block: *mut u8) -> Result<(), NotABlock> {
        let place = self.place_of(block).and_then(|place| place.checked_sub(GRAIN));
        let first = (Self::OWN as u64).next_multiple_of(GRAIN);
        let is_place = |place: &u64| *place >= first && *place % GRAIN == 0 && *place + GRAIN < self.length;
        let place = place.filter(is_place).ok_or(NotABlock::Outside)?;
        let head = self.head(place);
        match head.state.compare_exchange(USED, FREE, AcqRel, Relaxed) {
            Ok(_) => {}
            Err(FREE) => return Err(NotABlock::Free),
            Err(_) => return Err(NotABlock::Outside),
        }
        let list = self.arena().free.get(head.size.load(Relaxed) as usize).ok_or(NotABlock::Outside)?;
        let mut before = list.load(Relaxed);
        loop {
            head.next.store(before as u32, Relaxed);
            match list.compare_exchange(before, changed(before, (place / GRAIN) as u32), AcqRel, Relaxed) {
                Ok(_) => return Ok(()),
                Err(now) => before = now,
            }
        }
    }

    /// The object's first block, of at least `bytes` bytes, from which all others are found: the first to ask makes it.
    pub fn root(&self, bytes: usize) -> Option<*mut u8> {
        let root = &self.arena().root;
        if root.load(Acquire) == 0 {
            let block = self.allocate(bytes)?;
            let place = self.place_of(block).expect("a block is in the region");
            if root.compare_exchange(0, place, AcqRel, Acquire).is_err() {
                // SAFETY: no other thread has seen this block.
                let freed = unsafe { self.free(block) };
                freed.expect("it was just given out");
            }
        }
        self.at(root.load(Acquire))
    }

    /// The place of an address of the region, counted from its beginning: the same number in every process.
    pub fn place_of(&self, address: *const u8) -> Option<u64> {
        let place = (address.addr() as u64).checked_sub(self.base.addr() as u64)?;
        (place < self.length).then_some(place)
    }

    /// The address, in this process, of the thing at `place`; `None` outside.
    pub fn at(&self, place: u64) -> Option<*mut u8> {
        // SAFETY: the place is in the region.
        (place < self.length).then(|| unsafe { self.base.add(place as usize) })
    }
}

/// The word of a list after one more change, with `first` as its first block.
fn changed(before: u64, first: u32) -> u64 {
    (before >> 32).wrapping_add(1) << 32 | u64::from(first)
}
