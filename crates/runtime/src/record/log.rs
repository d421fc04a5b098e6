//! A list with a bound, in memory that a forked process shares: one process writes, the other reads what is whole.

use std::io;
use std::ptr::NonNull;
use std::slice;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::Arc;

/// The beginning of the memory; items follow.
#[repr(C, align(64))]
#[derive(Debug, Default)]
struct Head {
    /// Number of items that are whole.
    length: AtomicUsize,
    /// Number of items for which there was no room.
    lost: AtomicU64,
}

/// The memory of a list.
#[derive(Debug)]
struct Pages<T> {
    head: NonNull<Head>,
    items: NonNull<T>,
    capacity: usize,
    bytes: usize,
}

// SAFETY: what is shared is behind atomics: items below `length` are never written again, and those above belong to the
// one writer.
unsafe impl<T: Send + Sync> Send for Pages<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Pages<T> {}

impl<T> Pages<T> {
    /// Maps zeroed memory, every page of it there.
    fn map(capacity: usize) -> io::Result<Self> {
        assert!(align_of::<T>() <= align_of::<Head>());
        let items = capacity.checked_mul(size_of::<T>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let bytes = items.checked_add(size_of::<Head>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: it maps new pages, none over others; the result is checked.
        let base = unsafe {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
            libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0)
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let head = NonNull::new(base.cast::<Head>()).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the head is followed by room for the items.
        let items = unsafe { head.add(1) }.cast();
        Ok(Pages { head, items, capacity, bytes })
    }

    fn head(&self) -> &Head {
        // SAFETY: all bytes zero is a head, and it lives as long as `self`.
        unsafe { self.head.as_ref() }
    }

    fn whole(&self) -> &[T] {
        // SAFETY: the first `length` items have been written, and are not written again while they are borrowed.
        unsafe { slice::from_raw_parts(self.items.as_ptr(), self.head().length.load(Acquire)) }
    }
}

impl<T> Drop for Pages<T> {
    fn drop(&mut self) {
        // SAFETY: it was mapped so, and nothing borrows from it any more.
        unsafe {
            libc::munmap(self.head.as_ptr().cast(), self.bytes);
        }
    }
}

/// The writing end of a list. Items are copied, never dropped.
#[derive(Debug)]
pub(crate) struct Writer<T>(Arc<Pages<T>>);

/// The reading end of a list, in this process or in one that was forked from it.
#[derive(Debug)]
pub(crate) struct Reader<T>(Arc<Pages<T>>);

/// A list with room for `capacity` items.
pub(crate) fn log<T: Copy>(capacity: usize) -> io::Result<(Writer<T>, Reader<T>)> {
    let pages = Arc::new(Pages::map(capacity)?);
    Ok((Writer(Arc::clone(&pages)), Reader(pages)))
}

impl<T: Copy> Writer<T> {
    /// Adds an item, or counts it if there is no room.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        let head = self.0.head();
        let length = head.length.load(Relaxed);
        if length == self.0.capacity {
            head.lost.fetch_add(1, Relaxed);
            return;
        }
        // SAFETY: the place is within the memory, and only this writer writes beyond `length`.
        unsafe { self.0.items.add(length).write(item) };
        head.length.store(length + 1, Release);
    }

    /// The items, and the number of those that are missing.
    pub(crate) fn items(&self) -> (&[T], u64) {
        (self.0.whole(), self.0.head().lost.load(Relaxed))
    }
}

impl<T> Reader<T> {
    /// The items that are whole, and the number of those that were lost.
    pub(crate) fn items(&self) -> (&[T], u64) {
        (self.0.whole(), self.0.head().lost.load(Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_is_read_and_what_does_not_fit_is_counted() {
        let (mut writer, reader) = log::<u64>(3).unwrap();
        assert_eq!(reader.items(), (&[][..], 0));
        (1..6).for_each(|item| writer.push(item));
        assert_eq!(reader.items(), (&[1, 2, 3][..], 2));
        assert_eq!(writer.items(), reader.items());
    }
}
