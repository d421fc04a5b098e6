//! The latch at which a task's thread sleeps as long as it has no permission to go on. The latch's word is the
//! permission.

use crate::engine::permission::Permission;
use crate::machine::sys;
use schedlab_model::CpuId;
use schedlab_objects::Latch;

/// The word of [`Permission::Wait`]. Other words hold the processor's number plus one.
const SHUT: u32 = 0;
/// A bit beside the processor's number: the thread holds the processor and waits for a lock.
const SPINS: u32 = 1 << 16;
/// The word of [`Permission::End`].
const OVER: u32 = u32::MAX;

/// The permission of one thread, which sleeps here while that is to wait.
#[derive(Debug)]
pub(super) struct PermissionLatch(Latch);

impl PermissionLatch {
    /// A shut latch.
    pub(super) fn shut() -> Self {
        PermissionLatch(Latch::shut())
    }

    /// The permission that the thread has now.
    #[inline]
    pub(super) fn permission(&self) -> Permission {
        permission_of(self.0.word())
    }

    /// Gives the thread this permission, and wakes it if it sleeps and may go on. One thread at a time calls this.
    pub(super) fn set(&self, permission: Permission) {
        self.0.set(word_of(permission), sys::futex_wake);
    }

    /// Wakes the thread, which has no permission yet: the call that gives it the permission then need not wake it.
    pub(super) fn wake_early(&self) {
        self.0.wake_early(sys::futex_wake);
    }

    /// True if the thread sleeps at this latch, or is about to, and was not woken early.
    pub(super) fn is_asleep(&self) -> bool {
        self.0.is_asleep()
    }

    /// Lets the thread, which is the caller, sleep until it may go on, at most until the monotonic clock says `until`.
    /// May return early.
    pub(super) fn sleep(&self, until: Option<u64>) {
        self.0.sleep(|word, value| sys::futex_wait(word, value, until));
    }
}

fn word_of(permission: Permission) -> u32 {
    match permission {
        Permission::Wait => SHUT,
        Permission::Spin(cpu) => SPINS | (u32::from(cpu.0) + 1),
        Permission::Execute(cpu) => u32::from(cpu.0) + 1,
        Permission::End => OVER,
    }
}

fn permission_of(word: u32) -> Permission {
    match word {
        SHUT => Permission::Wait,
        OVER => Permission::End,
        _ if word & SPINS != 0 => Permission::Spin(CpuId((word & !SPINS) as u16 - 1)),
        _ => Permission::Execute(CpuId(word as u16 - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn every_permission_is_read_as_it_was_set() {
        let latch = PermissionLatch::shut();
        assert_eq!(latch.permission(), Permission::Wait);
        let cpus = [0, 1, 63, 1_023, u16::MAX - 1].map(CpuId);
        let with_cpu = cpus.into_iter().flat_map(|cpu| [Permission::Spin(cpu), Permission::Execute(cpu)]);
        for permission in with_cpu.chain([Permission::End, Permission::Wait]) {
            latch.set(permission);
            assert_eq!(latch.permission(), permission);
        }
    }

    #[test]
    fn a_thread_sleeps_until_its_time_or_its_permission() {
        let latch = PermissionLatch::shut();
        let until = sys::monotonic_ns() + 2_000_000;
        while sys::monotonic_ns() < until {
            latch.sleep(Some(until));
        }
        thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                while latch.permission() == Permission::Wait {
                    latch.sleep(None);
                }
            });
            while !latch.is_asleep() {
                thread::yield_now();
            }
            latch.set(Permission::Execute(CpuId(1)));
            sleeper.join().unwrap();
        });
        assert!(!latch.is_asleep());
    }
}
