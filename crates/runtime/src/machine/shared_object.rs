//! Memory with a name that processes map, with allocation inside it.

use crate::machine::sys;
use schedlab_objects::{Placed, QueueLock, Region, Shape, TicketLock};
use std::ffi::CString;
use std::fmt;
use std::io;

/// The beginning of every object: its lock, then the arena.
#[derive(Debug)]
#[repr(C, align(128))]
struct Front {
    lock: TicketLock,
}

/// A named object in memory that this process has mapped; other processes may have mapped it, too, at other addresses.
///
/// Blocks in it are found from its root by their places ([`Region::place_of`]), which are the same in every process. It
/// stays until [`SharedObject::unlink`] and until no process maps it.
pub struct SharedObject {
    base: *mut u8,
    length: usize,
    region: Region,
}

// SAFETY: the mapping is reached through atomics, and through blocks whose users see to it that they do not race.
unsafe impl Send for SharedObject {}
// SAFETY: as before.
unsafe impl Sync for SharedObject {}

impl fmt::Debug for SharedObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedObject").field("length", &self.length).finish_non_exhaustive()
    }
}

/// The name of the object's file: letters, digits, dots, dashes and underscores are allowed in `name`.
fn path(name: &str) -> io::Result<CString> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    if name.is_empty() || name.len() > 200 || !name.bytes().all(fits) {
        let why = format!(
            "object name \"{name}\": allowed are 1 to 200 letters, digits, dots, dashes and underscores"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    CString::new(format!("/schedlab.{name}")).map_err(io::Error::other)
}

impl SharedObject {
    /// The smallest size of an object: its own front, and a page.
    pub const LEAST: usize = size_of::<Front>() + Region::OWN + 4096;

    /// Maps the object of this name, and makes it with room for `bytes` bytes if there is none. One that is there keeps
    /// its size, and is refused if that is less than `bytes`.
    pub fn open(name: &str, bytes: usize) -> io::Result<Self> {
        let wanted = bytes.checked_add(Self::LEAST);
        let wanted = wanted.filter(|wanted| *wanted <= isize::MAX as usize);
        let too_many = || {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                format!(
                    "object size {}: allowed are 0 to {}",
                    bytes as isize,
                    isize::MAX as usize - Self::LEAST
                ),
            )
        };
        let (base, length) = sys::map_shared(&path(name)?, wanted.ok_or_else(too_many)?)?;
        // SAFETY: the mapping is page-aligned, as long as error, and zero when it is new.
        let region = unsafe { Region::new(base.add(size_of::<Front>()), length - size_of::<Front>()) };
        Ok(SharedObject { base, length, region })
    }

    /// Removes the object's name; processes that have mapped it keep it.
    pub fn unlink(name: &str) -> io::Result<()> {
        sys::unlink_shared(&path(name)?)
    }

    /// The object's memory, and allocation in it.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Waits for the object's own lock, spinning, first come, first served; calls `use_it`.
    ///
    /// A thread that waits or holds the lock ought not to be preempted: enter a non-preemptive section first. A process
    /// that dies in here leaves the object locked.
    pub fn with_lock<R>(&self, use_it: impl FnOnce() -> R) -> R {
        let lock = self.lock();
        let place = lock.enter();
        lock.wait(place);
        let result = use_it();
        // SAFETY: the place was drawn and granted.
        unsafe { lock.leave(place) };
        result
    }

    fn lock(&self) -> &TicketLock {
        // SAFETY: the object begins with it; all bytes zero is an unlocked one.
        unsafe { &(*self.base.cast::<Front>()).lock }
    }
}

/// Makes a buffer, queue or heap in memory of its own, which stays until the process ends. No other process finds it.
pub fn place_for_good(shape: Shape) -> io::Result<Placed<'static>> {
    shape.check().map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why.to_string()))?;
    let base = sys::map_nameless(Placed::bytes(&shape))?;
    // SAFETY: the bytes are zero, as many as it needs, and are never unmapped; no other thread knows them.
    unsafe { Placed::create(base, shape) }.map_err(|why| io::Error::other(why.to_string()))
}

impl Drop for SharedObject {
    fn drop(&mut self) {
        // SAFETY: it was mapped by `open`, with this length.
        unsafe { sys::unmap(self.base, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Named(String);

    impl Named {
        fn new(what: &str) -> Self {
            Named(format!("test-{what}-{}", std::process::id()))
        }
    }

    impl Drop for Named {
        fn drop(&mut self) {
            let _ = SharedObject::unlink(&self.0);
        }
    }

    /// Two mappings of one object stand for two processes.
    #[test]
    fn two_mappings_share_blocks_root_and_lock() {
        let name = Named::new("two");
        let one = SharedObject::open(&name.0, 10_000).unwrap();
        let other = SharedObject::open(&name.0, 0).unwrap();
        assert_ne!(one.base, other.base);
        let place =
            |object: &SharedObject| object.region().place_of(object.region().root(8).unwrap()).unwrap();
        assert_eq!(place(&one), place(&other));
        let block = one.region().allocate(100).unwrap();
        let there = other.region().at(one.region().place_of(block).unwrap()).unwrap();
        // SAFETY: both are the block's first byte, and no other thread writes it.
        unsafe {
            *block = 42;
            assert_eq!(*there, 42);
        }
        let add = |object: &SharedObject| {
            for _ in 0..1_000 {
                // SAFETY: the lock excludes the other thread.
                object.with_lock(|| unsafe {
                    let counter = object.region().root(8).unwrap().cast::<u64>();
                    counter.write(counter.read() + 1);
                });
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| add(&one));
            add(&other);
        });
        // SAFETY: both threads are done.
        assert_eq!(unsafe { one.region().root(8).unwrap().cast::<u64>().read() }, 2_000);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for bad in ["", "a/b", "ä", &"x".repeat(201)] {
            assert_eq!(SharedObject::open(bad, 1).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{bad}");
        }
        let name = Named::new("small");
        let _object = SharedObject::open(&name.0, 1_000).unwrap();
        assert!(SharedObject::open(&name.0, 1_000_000).unwrap_err().to_string().contains("smaller"));
        assert!(SharedObject::open(&name.0, usize::MAX).is_err());
        SharedObject::unlink(&name.0).unwrap();
        assert!(SharedObject::unlink(&name.0).is_err(), "it is gone");
    }
    /// An object for which there is no memory is refused: else the first write where no page is left would end the
    /// process.
    #[test]
    fn an_object_for_which_there_is_no_memory_is_refused() {
        let all = rustix::fs::statvfs("/dev/shm").map_or(0, |known| known.f_blocks * known.f_frsize);
        if all == 0 {
            return; // It has no limit here.
        }
        let name = Named::new("all");
        let error = SharedObject::open(&name.0, all as usize).expect_err("it needs some for itself, too");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
