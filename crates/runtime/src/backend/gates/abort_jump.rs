//! The abort of a thread's job: whether the thread knows of it, and how it leaves that job's code.
//!
//! Code finds out by itself, or the thread makes an *abort jump*: it goes on at its landing, a `sigjmp_buf` in its own
//! stack. No destructor of what it leaves is called, so Rust code is never left so. Nor is the runtime's code: its
//! state would be half written.

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
    /// Number of nested parts of uncut code, which no abort jump may leave, that the calling thread is in. The initial
    /// value is constant and has no destructor, so that a signal's handler can read it.
    static UNCUT: Cell<u32> = const { Cell::new(0) };
}

/// The job of a thread that was given up, and the landing of the thread's abort jump.
#[derive(Debug, Default)]
pub(super) struct AbortJump {
    /// The number of the last job that was given up, plus one.
    aborted: AtomicU32,
    /// The number of the last job whose request was withdrawn, plus one, until the thread knows.
    withdrawn: AtomicU32,
    /// The thread knows that the job was given up.
    is_known: AtomicBool,
    /// The place where the thread goes on then; null if its code finds out by itself.
    landing: AtomicPtr<c_void>,
}

impl AbortJump {
    /// Gives job `number` up.
    pub(super) fn abort(&self, number: u32) {
        self.is_known.store(false, SeqCst);
        self.aborted.store(number.wrapping_add(1), SeqCst);
    }

    /// True if job `number` was the last one to be given up.
    #[inline]
    pub(super) fn is_aborted(&self, number: u32) -> bool {
        self.aborted.load(SeqCst) == number.wrapping_add(1)
    }

    /// Withdraws the request of job `number`, which goes on without it.
    pub(super) fn withdraw(&self, number: u32) {
        self.withdrawn.store(number.wrapping_add(1), SeqCst);
    }

    /// True, once, if the request of job `number` was withdrawn.
    pub(super) fn take_withdrawal(&self, number: u32) -> bool {
        let mine = number.wrapping_add(1);
        self.withdrawn.compare_exchange(mine, 0, SeqCst, SeqCst).is_ok()
    }

    /// True if the thread knows that its job was given up.
    pub(super) fn is_known(&self) -> bool {
        self.is_known.load(SeqCst)
    }

    /// Notes that the thread knows that its job was given up.
    pub(super) fn know(&self) {
        self.is_known.store(true, SeqCst);
    }

    /// Sets where the thread goes on when its job is given up; null: its code finds out by itself.
    pub(super) fn set_landing(&self, landing: *mut c_void) {
        if !landing.is_null() {
            UNCUT.with(|uncut| uncut.set(0));
        }
        self.landing.store(landing, SeqCst);
    }

    /// Lets the calling thread, whose job was given up, go on at its landing, if it has one and is in no uncut code.
    pub(super) fn jump(&self) {
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

/// Forbids abort jumps of the calling thread, until [`leave_uncut`].
pub(super) fn enter_uncut() {
    UNCUT.with(|uncut| uncut.set(uncut.get() + 1));
    compiler_fence(SeqCst);
}

/// Ends [`enter_uncut`]. True if the thread may make abort jumps again.
pub(super) fn leave_uncut() -> bool {
    compiler_fence(SeqCst);
    UNCUT.with(|uncut| {
        uncut.set(uncut.get().saturating_sub(1));
        uncut.get() == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_and_a_withdrawal_are_of_one_job() {
        let abort = AbortJump::default();
        for number in [0, 7, u32::MAX - 1] {
            assert!(!abort.is_aborted(number) && !abort.take_withdrawal(number));
            abort.abort(number);
            assert!(abort.is_aborted(number) && !abort.is_aborted(number + 1) && !abort.is_known());
            abort.know();
            assert!(abort.is_known());
            abort.withdraw(number);
            assert!(!abort.take_withdrawal(number + 1));
            assert!(abort.take_withdrawal(number) && !abort.take_withdrawal(number), "once");
        }
    }

    /// Without a landing, and in uncut code, a jump goes nowhere: else this test would not return.
    #[test]
    fn no_jump_leaves_uncut_code() {
        let abort = AbortJump::default();
        abort.abort(3);
        abort.jump();
        assert!(!abort.is_known(), "there is no landing");
        // No jump may go there.
        abort.set_landing(ptr::dangling_mut());
        enter_uncut();
        enter_uncut();
        abort.jump();
        assert!(!leave_uncut());
        abort.jump();
        abort.set_landing(ptr::null_mut());
        assert!(leave_uncut());
        abort.jump();
        assert!(!abort.is_known());
    }
}
