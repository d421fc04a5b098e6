//! The ring through which the clustered scheduler writes records.

use crate::kernel_record::KernelRecord;
use crate::LoadRefusal;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Release};
use std::sync::atomic::{AtomicU32, AtomicU64};

/// Bits of the length before each entry: it is being written, or was given up.
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
/// Bytes before each entry: its length, and a place of the kernel's.
const HEADER: u64 = 8;

/// A reader of the kernel's ring. There must be one only.
#[derive(Debug)]
pub(crate) struct Ring {
    /// A page with the place up to which all was read.
    read: NonNull<AtomicU64>,
    /// A page with the place up to which all was written, then the ring's bytes, twice in a row.
    written: NonNull<AtomicU64>,
    page: usize,
    bytes: usize,
}

// SAFETY: the memory is mapped until the value goes away; one reader at a time uses it, by `&mut self`.
unsafe impl Send for Ring {}

impl Ring {
    /// Maps the ring behind `map`, of so many bytes.
    pub(crate) fn new(map: BorrowedFd<'_>, bytes: u32) -> Result<Self, LoadRefusal> {
        let refused = |error: io::Error| LoadRefusal::Refused { what: "a ring", why: error.to_string() };
        // SAFETY: it takes no memory.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let (bytes, own) = (bytes as usize, libc::PROT_READ | libc::PROT_WRITE);
        let read = map_part(map, page, own, 0).map_err(refused)?;
        let written = map_part(map, page + 2 * bytes, libc::PROT_READ, page);
        let written = written.inspect_err(|_| unmap(read, page)).map_err(refused)?;
        Ok(Ring { read, written, page, bytes })
    }

    /// Takes all records that are whole.
    pub(crate) fn take(&mut self, records: &mut Vec<KernelRecord>) {
        // SAFETY: both pages are mapped as long as `self`, and begin with such a word.
        let (read, written) = unsafe { (self.read.as_ref(), self.written.as_ref().load(Acquire)) };
        let mut place = read.load(Acquire);
        while place < written {
            let length = self.word(place).load(Acquire);
            if length & BUSY != 0 {
                break;
            }
            let size = length & !DISCARDED;
            if length & DISCARDED == 0 {
                assert_eq!(size as usize, KernelRecord::BYTES, "records have one size");
                records.push(KernelRecord::of(&self.record(place + HEADER)));
            }
            place += (HEADER + u64::from(size)).next_multiple_of(8);
            read.store(place, Release);
        }
    }

    fn address(&self, place: u64) -> *const u8 {
        let offset = self.page + (place as usize & (self.bytes - 1));
        // SAFETY: the offset lies in the mapped range, whose bytes come twice in a row.
        unsafe { self.written.as_ptr().cast::<u8>().add(offset) }
    }

    fn word(&self, place: u64) -> &AtomicU32 {
        // SAFETY: entries begin at multiples of eight bytes, with a word that the kernel writes atomically.
        unsafe { &*self.address(place).cast() }
    }

    fn record(&self, place: u64) -> [u8; KernelRecord::BYTES] {
        // SAFETY: a record that is not busy is not written any more until it was read, and does not end after the
        // mapped range.
        unsafe { self.address(place).cast::<[u8; KernelRecord::BYTES]>().read() }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        unmap(self.read, self.page);
        unmap(self.written, self.page + 2 * self.bytes);
    }
}

fn map_part(
    map: BorrowedFd<'_>,
    bytes: usize,
    protection: i32,
    offset: usize,
) -> io::Result<NonNull<AtomicU64>> {
    let (nowhere, file) = (std::ptr::null_mut(), map.as_raw_fd());
    // SAFETY: the kernel chooses the place.
    let start = unsafe { libc::mmap(nowhere, bytes, protection, libc::MAP_SHARED, file, offset as i64) };
    if start == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok(NonNull::new(start.cast()).expect("the kernel maps nothing at 0"))
}

fn unmap(start: NonNull<AtomicU64>, bytes: usize) {
    // SAFETY: `map_part` mapped this range, and nothing refers to it any more.
    unsafe {
        libc::munmap(start.as_ptr().cast(), bytes);
    }
}
