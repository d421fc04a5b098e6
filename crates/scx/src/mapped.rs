//! Memory that the run shares with a scheduler in the kernel: `src/bpf/shared.h` and `links.h` have the same layout.

use crate::{LoadRefusal, SchedulerEnd, MOST_PROCESSORS, MOST_TASKS};
use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, AtomicU8};

/// Word of a thread in a section: it keeps its processor, also after it has slept there.
pub(crate) const INSIDE: u32 = 1;
/// Word of a thread at its gate: it keeps its processor until it sleeps.
pub(crate) const AT_GATE: u32 = 2;

/// A task's thread, by index.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Place {
    /// The processor that the thread is linked to, plus one; 0 for none.
    cpu: AtomicU32,
    /// Not 0 while the thread must not be stopped: [`INSIDE`] or [`AT_GATE`].
    pub(crate) section: AtomicU32,
    /// Set by the kernel if the thread went on in its section without a link.
    pub(crate) kept: AtomicU32,
    /// Set by the kernel while the thread is ready and does not execute.
    queued: AtomicU32,
}

/// Execution and corrections of one processor, counted by the kernel since the scheduler was loaded.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Account {
    pub(crate) kernel_ns: AtomicU64,
    pub(crate) outside_ns: AtomicU64,
    pub(crate) reserve_ns: AtomicU64,
    pub(crate) corrected: AtomicU64,
    pub(crate) kept: AtomicU64,
}

/// The sign that the run is alive.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Beat {
    /// When the run was last alive, by the monotonic clock in ns.
    at: AtomicU64,
    /// When the kernel first missed a sign; 0 if none is missing.
    missed: AtomicU64,
}

impl Beat {
    /// Gives the kernel a sign that the run is alive.
    pub(crate) fn beat(&self) {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` outlives the call.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
        self.at.store(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64, Release);
    }
}

/// The end of the scheduler.
#[repr(C)]
pub(crate) struct EndingWords {
    kind: AtomicU64,
    code: AtomicI64,
    reason: [AtomicU8; 128],
    message: [AtomicU8; 1024],
}

/// An array of the kernel's in the memory of this process.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    entries: NonNull<T>,
    bytes: usize,
    length: usize,
}

// SAFETY: entries are atomic words, which any thread may use, until the value goes away.
unsafe impl<T: Sync> Send for Mapped<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Mapped<T> {}

impl<T> Mapped<T> {
    /// Maps the array behind `map`, which has `length` entries of this type.
    pub(crate) fn new(map: BorrowedFd<'_>, length: usize) -> Result<Self, LoadRefusal> {
        Self::of(map, length)
            .map_err(|error| LoadRefusal::Refused { what: "shared memory", why: error.to_string() })
    }

    fn of(map: BorrowedFd<'_>, length: usize) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        let bytes = length * size_of::<T>();
        let (protection, shared) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
        // SAFETY: the kernel chooses the place; the length is that of the array.
        let start =
            unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, shared, map.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let entries = NonNull::new(start.cast()).expect("the kernel maps nothing at 0");
        Ok(Mapped { entries, bytes, length })
    }

    pub(crate) fn get(&self) -> &[T] {
        // SAFETY: the memory holds that many entries of atomic words, for which any content is valid.
        unsafe { std::slice::from_raw_parts(self.entries.as_ptr(), self.length) }
    }
}

impl<T> Drop for Mapped<T> {
    fn drop(&mut self) {
        // SAFETY: `new` mapped this range, and nothing refers to it any more.
        unsafe {
            libc::munmap(self.entries.as_ptr().cast(), self.bytes);
        }
    }
}

/// All memory that is shared with the scheduler that follows links.
#[derive(Debug)]
pub(crate) struct Shared {
    wishes: Mapped<AtomicU64>,
    places: Mapped<Place>,
}

impl std::fmt::Debug for EndingWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EndingWords").field("kind", &self.kind).finish_non_exhaustive()
    }
}

impl Shared {
    /// Maps the arrays of the scheduler, which `map` finds by name.
    pub(crate) fn new<'a>(map: impl Fn(&str) -> BorrowedFd<'a>) -> Result<Self, LoadRefusal> {
        let (processors, indices) = (MOST_PROCESSORS as usize, MOST_TASKS as usize + 1);
        Ok(Shared {
            wishes: Mapped::new(map("wishes"), processors)?,
            places: Mapped::new(map("places"), indices)?,
        })
    }

    /// Writes which index `processor` is to be linked to at the next call of `relink`; 0 for none.
    pub(crate) fn wish(&self, processor: u32, index: u32) {
        self.wishes.get()[processor as usize].store(u64::from(index), Relaxed);
    }

    pub(crate) fn place(&self, index: u32) -> &Place {
        &self.places.get()[index as usize]
    }
}

impl EndingWords {
    /// The end of the scheduler, once the kernel has ended it.
    pub(crate) fn read(&self) -> Option<SchedulerEnd> {
        let kind = self.kind.load(Acquire);
        (kind != 0).then(|| SchedulerEnd {
            kind,
            code: self.code.load(Relaxed),
            reason: text(&self.reason),
            message: text(&self.message),
        })
    }
}

/// The text before the first zero.
fn text(bytes: &[AtomicU8]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|byte| byte.load(Relaxed)).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}
