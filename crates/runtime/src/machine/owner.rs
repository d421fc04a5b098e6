//! Which process made something: a forked child has copies of it all, and no part in it.
//!
//! Code asks at each call of a task, so this costs no system call: the number of the process stands in memory that the
//! kernel clears for a forked child (`MADV_WIPEONFORK`, Linux 4.14). Where the kernel does not, each question is a
//! system call.

use std::process;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::OnceLock;

/// The process that made this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(u32);

impl Owner {
    /// The calling process.
    pub fn this() -> Self {
        let Some(word) = word() else { return Owner(process::id()) };
        match word.load(Relaxed) {
            0 => {
                word.store(process::id(), Relaxed);
                Owner(process::id())
            }
            known => Owner(known),
        }
    }

    /// True in the process that made this, false in a child that it forked.
    #[inline]
    pub fn is_this(self) -> bool {
        self == Owner::this()
    }
}

/// The number of this process, or 0 if it has not been asked for yet.
#[inline]
fn word() -> Option<&'static AtomicU32> {
    static WORD: OnceLock<Option<&'static AtomicU32>> = OnceLock::new();
    *WORD.get_or_init(map)
}

/// Memory that is zero at first, and again in each forked child.
fn map() -> Option<&'static AtomicU32> {
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
        assert!(owner.is_this() && owner == Owner(process::id()));
        assert!(in_a_child(|| !owner.is_this() && Owner::this().is_this()));
        assert!(in_a_child(|| in_a_child(|| !owner.is_this())));
        assert!(owner.is_this());
    }
}
