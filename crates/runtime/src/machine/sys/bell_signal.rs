//! Signals of timers that interrupt whichever thread executes.
//!
//! A timer of a process signals the thread that it interrupts, if that is the process's and does not block the signal
//! (Linux 6.4 or later). So each user of such timers has a signal of its own, and all other threads block it. With
//! PREEMPT_RT a thread of the kernel handles such timers, and with `nohz_full` another processor may: there are none.

use super::{current_thread, on_signal, signal_thread, Tid};
use std::io;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicI32, AtomicU32};

/// So many at most, from the third real-time signal on.
const MOST: usize = 16;
const FIRST: libc::c_int = 3;

/// Which ones are taken, a bit each.
static TAKEN: AtomicU32 = AtomicU32::new(0);

/// By signal: the thread that it is for; zero for none.
static MEANT: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];

/// A signal; it is given back with this value.
#[derive(Debug)]
pub(crate) struct BellSignal(usize);

impl BellSignal {
    /// One that no other value has, and the program does not use, at which `handler` is called. Calls of the system go
    /// on afterwards, and the handler may be interrupted by itself. `None` if all are taken, and where such timers
    /// signal any thread.
    pub(crate) fn take(handler: extern "C" fn(libc::c_int)) -> Option<Self> {
        let text = |path| std::fs::read_to_string(path).unwrap_or_default();
        let release = text("/proc/sys/kernel/osrelease");
        let (rt, nohz_full) = (text("/sys/kernel/realtime"), text("/sys/devices/system/cpu/nohz_full"));
        if !signals_who_executes(&release, &rt, &nohz_full) {
            return None;
        }
        let used = (0..MOST).filter(|index| is_used(number(*index), handler));
        let used = used.fold(0, |used, index| used | 1 << index);
        let of = |taken: u32| Some((taken | used).trailing_ones() as usize).filter(|index| *index < MOST);
        let taken = TAKEN.fetch_update(SeqCst, SeqCst, |taken| of(taken).map(|index| taken | 1 << index));
        let signal = BellSignal(of(taken.ok()?)?);
        on_signal(signal.number(), handler, libc::SA_RESTART | libc::SA_NODEFER).ok()?;
        Some(signal)
    }

    /// The kernel's number of it.
    pub(crate) fn number(&self) -> libc::c_int {
        number(self.0)
    }

    /// It is for `thread`, should another one get it.
    pub(crate) fn is_for(&self, thread: Tid) {
        MEANT[self.0].store(thread, SeqCst);
    }

    /// The calling thread takes it from now on.
    pub(crate) fn unblock(&self) -> io::Result<()> {
        change(libc::SIG_UNBLOCK, &set([self.number()])).map(drop)
    }
}

impl Drop for BellSignal {
    fn drop(&mut self) {
        MEANT[self.0].store(0, SeqCst);
        TAKEN.fetch_and(!(1 << self.0), SeqCst);
    }
}

/// Whether the program does something at `signal` that is not `ours`.
fn is_used(signal: libc::c_int, ours: extern "C" fn(libc::c_int)) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: it changes nothing; `action` is a place for the result, there if the call succeeded.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) != 0
            || ![libc::SIG_DFL, ours as *const () as usize].contains(&action.assume_init().sa_sigaction)
    }
}

fn number(index: usize) -> libc::c_int {
    libc::SIGRTMIN() + FIRST + index as libc::c_int
}

/// The calling thread takes none of them from now on; nor do threads that it creates. Says what it blocked before.
pub(crate) fn block_bells() -> io::Result<Blocked> {
    change(libc::SIG_BLOCK, &set((0..MOST).map(number)))
}

/// What a thread blocked.
#[derive(Clone, Copy)]
pub(crate) struct Blocked(libc::sigset_t);

impl Blocked {
    /// The calling thread blocks that again.
    pub(crate) fn restore(&self) {
        // It is a set that the kernel gave.
        let _ = change(libc::SIG_SETMASK, &self.0);
    }
}

/// In a handler: if `signal` is for another thread than this one, that one gets it.
pub(crate) fn forward_bell(signal: libc::c_int) {
    let meant = usize::try_from(signal - number(0)).ok().and_then(|index| MEANT.get(index));
    let meant = meant.map(|meant| meant.load(SeqCst)).filter(|thread| *thread != 0);
    let other = meant.filter(|thread| *thread != current_thread());
    other.into_iter().for_each(|thread| signal_thread(thread, signal));
}

fn set(signals: impl IntoIterator<Item = libc::c_int>) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the set is made empty before it is used.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

fn change(how: libc::c_int, set: &libc::sigset_t) -> io::Result<Blocked> {
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: both sets outlive the call; the second is a place for the result, there if the call succeeded.
    unsafe {
        match libc::pthread_sigmask(how, set, before.as_mut_ptr()) {
            0 => Ok(Blocked(before.assume_init())),
            error => Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// Whether a kernel of this release does so: since 6.4. Of one that is not understood it is not believed. `rt` is "1"
/// with PREEMPT_RT; `nohz_full` lists processors, "(null)" or nothing if there are none.
fn signals_who_executes(release: &str, rt: &str, nohz_full: &str) -> bool {
    let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    let since = matches!((parts.next(), parts.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) >= (6, 4));
    since && rt.trim() != "1" && ["", "(null)"].contains(&nohz_full.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_asked_for_their_release() {
        for release in ["6.4.0", "6.18.44-fc", "7.0", "10.1-rc1\n"] {
            assert!(signals_who_executes(release, "", "(null)\n"), "{release}");
        }
        for release in ["6.3.13", "5.15.0-91-generic", "6", "", "six.four"] {
            assert!(!signals_who_executes(release, "", ""), "{release}");
        }
        assert!(!signals_who_executes("6.12.3-rt5", "1\n", ""), "threads of the kernel handle timers");
        assert!(!signals_who_executes("6.18.0", "0\n", "2-7\n"), "timers may go to another processor");
    }

    // Functions that do the same may be one.
    extern "C" fn of_the_program(signal: libc::c_int) {
        std::hint::black_box(signal);
    }

    extern "C" fn of_a_bell(_: libc::c_int) {}

    fn act_by_default(signal: libc::c_int) {
        // SAFETY: the default action is a valid one.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
        }
    }

    #[test]
    fn a_signal_that_the_program_uses_is_left_alone() {
        let Some(first) = BellSignal::take(of_a_bell) else { return };
        on_signal(first.number(), of_the_program, 0).unwrap();
        // It is free, but for the program.
        TAKEN.fetch_and(!(1 << first.0), SeqCst);
        let other = BellSignal::take(of_a_bell).expect("there are more");
        assert_ne!(first.number(), other.number());
        [first.number(), other.number()].into_iter().for_each(act_by_default);
        std::mem::forget(first);
    }
}
