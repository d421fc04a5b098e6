//! What a thread knows of its job having been given up, and how it gets out of the job's code.
//!
//! Code finds out by itself, or it is cut: the thread goes on at its landing, a `sigjmp_buf` in its own stack. No
//! destructor of what it leaves is called, so Rust code is never cut. Nor is code of ours: its state would be half
//! written.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{compiler_fence, AtomicBool, AtomicPtr, AtomicU32};

extern "C" {
    /// Goes on where `sigsetjmp` wrote `buffer`.
    fn siglongjmp(buffer: *mut c_void, value: c_int) -> !;
}

thread_local! {
    /// How many parts of the thread's code that must not be cut it is in. Constant at first and without a destructor,
    /// so that a signal's handler can read it.
    static UNCUT: Cell<u32> = const { Cell::new(0) };
}

/// The job of a thread that was given up, and the thread's landing.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The number of the last job that was given up, plus one.
    aborted: AtomicU32,
    /// The number of the last job that does not get what it asked for, plus one, until the thread knows.
    withdrawn: AtomicU32,
    /// The thread knows.
    is_known: AtomicBool,
    /// Where it goes on then; null if its code finds out by itself.
    landing: AtomicPtr<c_void>,
}

impl Cut {
    /// The job `number` is given up.
    pub(super) fn abort(&self, number: u32) {
        self.is_known.store(false, SeqCst);
        self.aborted.store(number.wrapping_add(1), SeqCst);
    }

    /// True if that is the job `number`.
    #[inline]
    pub(super) fn is_aborted(&self, number: u32) -> bool {
        self.aborted.load(SeqCst) == number.wrapping_add(1)
    }

    /// The job `number` does not get what it asked for.
    pub(super) fn withdraw(&self, number: u32) {
        self.withdrawn.store(number.wrapping_add(1), SeqCst);
    }

    /// True, once, if that is the job `number`.
    pub(super) fn take_withdrawal(&self, number: u32) -> bool {
        let mine = number.wrapping_add(1);
        self.withdrawn.compare_exchange(mine, 0, SeqCst, SeqCst).is_ok()
    }

    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(SeqCst)
    }

    /// The thread found out.
    pub(super) fn know(&self) {
        self.is_known.store(true, SeqCst);
    }

    /// Sets where the thread goes on; null: nowhere.
    pub(super) fn set_landing(&self, landing: *mut c_void) {
        if !landing.is_null() {
            UNCUT.with(|uncut| uncut.set(0));
        }
        self.landing.store(landing, SeqCst);
    }

    /// The thread, whose job was given up, goes on at its landing, if it has one and may be cut.
    pub(super) fn land(&self) {
        if UNCUT.with(Cell::get) > 0 {
            return;
        }
        let landing = self.landing.swap(ptr::null_mut(), SeqCst);
        if !landing.is_null() {
            self.know();
            // SAFETY: who set it says that the frame that it is of is there, and that what is above it may go.
            unsafe { siglongjmp(landing, 1) };
        }
    }
}

/// The calling thread is not cut from now on.
pub(super) fn enter_uncut() {
    UNCUT.with(|uncut| uncut.set(uncut.get() + 1));
    compiler_fence(SeqCst);
}

/// Ends [`enter_uncut`]. True if the thread may be cut again.
pub(super) fn leave_uncut() -> bool {
    compiler_fence(SeqCst);
    UNCUT.with(|uncut| {
        uncut.set(uncut.get().saturating_sub(1));
        uncut.get() == 0
    })
}
