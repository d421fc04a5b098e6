//! Memory inside an object: blocks do not overlap, come back, and are found by other processes at their places.

use schedlab_objects::{NotABlock, Region};
use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::thread;

/// Zeroed bytes at a multiple of 64.
struct Bytes(*mut u8, Layout);

impl Bytes {
    fn new(length: usize) -> Self {
        let layout = Layout::from_size_align(length, 64).unwrap();
        // SAFETY: the layout is not empty.
        Bytes(unsafe { alloc_zeroed(layout) }, layout)
    }

    fn region(&self) -> Region {
        // SAFETY: the bytes live as long as the tests use the region.
        unsafe { Region::new(self.0, self.1.size()) }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        // SAFETY: they were allocated with this layout.
        unsafe { dealloc(self.0, self.1) };
    }
}

#[test]
fn blocks_are_zero_apart_and_come_back() {
    let bytes = Bytes::new(4096);
    let region = bytes.region();
    let (a, b) = (region.allocate(10).unwrap(), region.allocate(100).unwrap());
    assert!(a.addr() % 16 == 0 && b.addr() % 16 == 0 && b.addr() - a.addr() >= 16);
    // SAFETY: the blocks are ours, and as long.
    unsafe {
        a.write_bytes(7, 16);
        b.write_bytes(8, 128);
        assert_eq!((*a, *b), (7, 8), "they do not overlap");
        region.free(a).unwrap();
        assert_eq!(region.free(a), Err(NotABlock::Free));
        assert_eq!(region.free(a.add(16)), Err(NotABlock::Outside));
        assert_eq!(region.free(bytes.0), Err(NotABlock::Outside), "the arena itself");
        let again = region.allocate(16).unwrap();
        assert_eq!((again, *again), (a, 0), "the freed block, cleared");
        assert_eq!(*b, 8);
    }
}

#[test]
fn room_ends_and_sizes_do_not_mix() {
    let bytes = Bytes::new(Region::OWN + 2 * (16 + 64));
    let region = bytes.region();
    let blocks = [region.allocate(64).unwrap(), region.allocate(33).unwrap()];
    assert!(region.allocate(1).is_none());
    assert!(region.allocate(usize::MAX).is_none() && region.allocate(1 << 40).is_none());
    // SAFETY: it is not used.
    unsafe { region.free(blocks[1]).unwrap() };
    assert!(region.allocate(16).is_none(), "a block of 64 is on the list of its size only");
    assert_eq!(region.allocate(64), Some(blocks[1]));
}

#[test]
fn the_root_is_made_once_and_found_by_its_place() {
    let bytes = Bytes::new(4096);
    let (one, other) = (bytes.region(), bytes.region());
    let root = one.root(40).unwrap();
    assert_eq!(other.root(40), Some(root));
    let place = one.place_of(root).unwrap();
    assert_eq!(other.at(place), Some(root));
    assert_eq!((one.at(4096), one.place_of(bytes.0.wrapping_sub(1))), (None, None));
}

/// Threads take, mark, check and free blocks of few sizes; a block that two had would lose its mark.
#[test]
fn threads_never_share_a_block() {
    let bytes = Bytes::new(1 << 16);
    let region = bytes.region();
    thread::scope(|scope| {
        for mark in 1..=4u8 {
            scope.spawn(move || {
                for round in 0..5_000usize {
                    let size = 16 << (round % 3);
                    let block = region.allocate(size).expect("few are in use at once");
                    // SAFETY: the block is ours and as long.
                    unsafe {
                        assert_eq!((*block, *block.add(size - 1)), (0, 0));
                        block.write_bytes(mark, size);
                        std::hint::black_box(block);
                        assert_eq!((*block, *block.add(size - 1)), (mark, mark));
                        region.free(block).unwrap();
                    }
                }
            });
        }
    });
    // At most four of each size were in use, so that many fit where the same number did before.
    assert!((0..100).all(|_| region.allocate(64).is_some()));
}

/// A process that writes beyond its blocks leaves places that are none: the next one ends, and reads nothing there.
#[test]
#[should_panic(expected = "the memory of the object is overwritten")]
fn overwritten_lists_are_noticed() {
    let bytes = Bytes::new(4096);
    let region = bytes.region();
    let block = region.allocate(16).unwrap();
    // SAFETY: it was just given out, and is not used.
    unsafe { region.free(block) }.unwrap();
    // SAFETY: the words of the arena's head, of which none is in use meanwhile.
    unsafe { bytes.0.cast::<u64>().add(2).write(1 << 20) };
    let _ = region.allocate(16);
}
