//! The process that made something: a forked child has copies of it all, and no part in it.
//!
//! Code asks at each call of a task, so this costs no system call: the number of the process stands in memory that the
//! kernel clears for a forked child (`MADV_WIPEONFORK`, Linux 4.14). Where the kernel does not, each question is a
//! system call.

use std::process;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::OnceLock;

/// The process that made a value.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    process: u32,
    /// The number of this process, or 0 if it has not been asked for yet.
    word: Option<&'static AtomicU32>,
}

impl Owner {
    /// Owned by the calling process.
    pub fn this() -> Self {
        static WORD: OnceLock<Option<&'static AtomicU32>> = OnceLock::new();
        let word = *WORD.get_or_init(wiped_memory);
        Owner { process: ask(word), word }
    }

    /// True in the process that made this, false in a child that it forked.
    #[inline]
    pub fn is_this(self) -> bool {
        let known = self.word.map_or(0, |word| word.load(Relaxed));
        // Nearly always the first: so this asks nothing that is not in the cache.
        known == self.process || (known == 0 && ask(self.word) == self.process)
    }
}

/// Asks for the number of this process, which is in `word` from now on.
#[cold]
fn ask(word: Option<&AtomicU32>) -> u32 {
    let process = process::id();
    word.inspect(|word| word.store(process, Relaxed));
    process
}

/// Memory that is zero at first, and again in each forked child.
fn wiped_memory() -> Option<&'static AtomicU32> {
    let bytes = size_of::<AtomicU32>();
    // SAFETY: it maps a new page, over no other, which is never unmapped; zero is a valid number; a page is aligned for
    // one.
    unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let base = libc::mmap(ptr::null_mut(), bytes, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0);
        let is_wiped = base != libc::MAP_FAILED && libc::madvise(base, bytes, libc::MADV_WIPEONFORK) == 0;
        NonNull::new(base.cast::<AtomicU32>()).filter(|_| is_wiped).map(|word| word.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forks a child that exits with what `code` says.
    fn in_a_child(code: impl FnOnce() -> bool) -> bool {
        let mut status = 0;
        // SAFETY: the child calls nothing that may wait for another thread of this process.
        unsafe {
            match libc::fork() {
                0 => libc::_exit(i32::from(code())),
                child => assert_eq!(libc::waitpid(child, &mut status, 0), child),
            }
        }
        libc::WEXITSTATUS(status) == 1
    }

    #[test]
    fn a_forked_child_is_another_process_and_its_parent_stays() {
        let owner = Owner::this();
        assert!(owner.is_this() && owner.process == process::id());
        assert!(in_a_child(|| !owner.is_this() && Owner::this().is_this()));
        assert!(in_a_child(|| in_a_child(|| !owner.is_this())));
        assert!(owner.is_this());
    }
}
