//! The system calls that the runtime makes, each as a function that returns the error.

mod byte_locks;
mod kernel_class;
mod limits;
mod timer;

pub(crate) use byte_locks::{holder_of_byte, try_lock_byte, unlock_byte};
pub(crate) use kernel_class::{lock_inheriting, set_deadline, unlock_inheriting};
pub(crate) use limits::{most_address_space, most_threads_of_user, ticks_a_second, try_memory};
pub(crate) use timer::{FileTimer, Timer};

use rustix::fs::{fallocate, flock, FallocateFlags, FlockOperation, Mode};
use rustix::io::retry_on_intr;
use rustix::mm::{mlockall, mmap_anonymous, munlockall, MapFlags, MlockAllFlags, ProtFlags};
use rustix::process::Pid;
use rustix::shm;
use rustix::thread::{gettid, sched_getaffinity, sched_setaffinity, sched_yield, CpuSet};
use std::cell::Cell;
use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// The kernel's number of a thread.
pub type Tid = libc::pid_t;

/// The signal that parks a thread. The kernel ignores it by default, so that a late signal does no harm.
pub const PARK_SIGNAL: libc::c_int = libc::SIGURG;

thread_local! {
    /// Number of the calls below that the thread has made and that concern which thread runs.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The number of system calls that wait, wake, signal, move or yield, of the calling thread. They are counted because
/// documents promise what a section costs in such calls.
pub fn calls() -> u64 {
    CALLS.with(Cell::get)
}

/// Counts one such call.
#[inline]
fn count() {
    CALLS.with(|calls| calls.set(calls.get().wrapping_add(1)));
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The kernel's number of the calling thread.
pub fn current_thread() -> Tid {
    gettid().as_raw_pid()
}

/// Ends this process at once, without the handlers that run at its end.
pub(crate) fn exit_at_once() -> ! {
    // SAFETY: it does not come back.
    unsafe { libc::_exit(0) }
}

/// The machine's number of the processor where the calling thread runs; it may be another one a moment later, unless
/// the thread is bound.
pub(crate) fn current_processor() -> usize {
    // SAFETY: it only reads a number. It fails on no kernel that runs this.
    usize::try_from(unsafe { libc::sched_getcpu() }).unwrap_or(0)
}

/// Lets other threads of the same priority have the processor, if there are any.
pub fn yield_processor() {
    count();
    sched_yield();
}

/// The time of the monotonic clock, in nanoseconds.
pub fn monotonic_ns() -> u64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// The processor time that the calling thread has used, in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    clock_ns(libc::CLOCK_THREAD_CPUTIME_ID)
}

/// The clock of the processor time that one thread has used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CpuClock(libc::clockid_t);

impl CpuClock {
    /// The clock of the calling thread, which every thread of the process may read while that one is there.
    pub(crate) fn of_this_thread() -> Self {
        let mut clock = libc::CLOCK_THREAD_CPUTIME_ID;
        // SAFETY: `clock` is a place for the result, and the calling thread exists. Where the call fails, `clock` stays
        // that of the thread that reads it.
        unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &raw mut clock) };
        CpuClock(clock)
    }

    /// The time that the thread has used, in nanoseconds.
    pub(crate) fn ns(self) -> u64 {
        clock_ns(self.0)
    }
}

fn clock_ns(clock: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is a place for the result, and these clocks exist on every Linux.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn timespec(ns: u64) -> libc::timespec {
    libc::timespec {
        tv_sec: (ns / 1_000_000_000) as libc::time_t,
        tv_nsec: (ns % 1_000_000_000) as libc::c_long,
    }
}

/// Sleeps until the monotonic clock says `ns`.
pub fn sleep_until(ns: u64) {
    count();
    let until = timespec(ns);
    // SAFETY: `until` outlives the call; no remainder is asked for.
    let sleep = || unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &until, std::ptr::null_mut())
    };
    while sleep() == libc::EINTR {}
}

/// Waits while `word` is `value`, at most until the monotonic clock says `until` (in nanoseconds); may return early.
pub(crate) fn futex_wait(word: &AtomicU32, value: u32, until: Option<u64>) {
    count();
    let until = until.map(timespec);
    let timeout = until.as_ref().map_or(std::ptr::null(), |until| until as *const libc::timespec);
    // SAFETY: `word` and `timeout` outlive the call. FUTEX_WAIT_BITSET takes an absolute time.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT_BITSET | libc::FUTEX_PRIVATE_FLAG,
            value,
            timeout,
            std::ptr::null::<u32>(),
            u32::MAX,
        );
    }
}

/// Wakes all threads that wait at `word`.
pub(crate) fn futex_wake(word: &AtomicU32) {
    count();
    // SAFETY: the kernel only takes the address of `word`.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX);
    }
}

/// Wakes one thread that waits at `word`, the most urgent one.
pub(crate) fn futex_wake_one(word: &AtomicU32) {
    count();
    // SAFETY: the kernel only takes the address of `word`.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1);
    }
}

/// Puts a thread under SCHED_FIFO at `priority` (1 to 99).
pub fn set_fifo(tid: Tid, priority: u8) -> io::Result<()> {
    set_policy(tid, libc::SCHED_FIFO, priority.into())
}

/// Puts a thread back under the default policy.
pub(crate) fn set_other(tid: Tid) -> io::Result<()> {
    set_policy(tid, libc::SCHED_OTHER, 0)
}

/// A thread's real-time priority, 0 if it has none; an error if the thread is gone.
pub fn priority_of(tid: Tid) -> io::Result<u8> {
    // SAFETY: all bytes zero is a valid `sched_param`, a place for the result.
    let (policy, priority) = unsafe {
        let mut parameters: libc::sched_param = std::mem::zeroed();
        check(libc::sched_getparam(tid, &mut parameters))?;
        (libc::sched_getscheduler(tid) & !libc::SCHED_RESET_ON_FORK, parameters.sched_priority)
    };
    match policy {
        libc::SCHED_FIFO | libc::SCHED_RR => Ok(u8::try_from(priority).unwrap_or(u8::MAX)),
        // Such a thread goes before all of these.
        libc::SCHED_DEADLINE => Ok(u8::MAX),
        _ => Ok(0),
    }
}

fn set_policy(tid: Tid, policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    count();
    // SAFETY: all bytes zero is a valid `sched_param`, which outlives the call.
    let result = unsafe {
        let mut parameters: libc::sched_param = std::mem::zeroed();
        parameters.sched_priority = priority;
        // A thread that is forked from a real-time one must not be one itself.
        libc::sched_setscheduler(tid, policy | libc::SCHED_RESET_ON_FORK, &parameters)
    };
    check(result)
}

/// Binds a thread to a processor.
pub fn set_affinity(tid: Tid, processor: usize) -> io::Result<()> {
    allow_processors(tid, &[processor])
}

/// Lets a thread use `processors` only.
pub fn allow_processors(tid: Tid, processors: &[usize]) -> io::Result<()> {
    count();
    let mut set = CpuSet::new();
    processors.iter().for_each(|processor| set.set(*processor));
    Ok(sched_setaffinity(Pid::from_raw(tid), &set)?)
}

/// The processors that the calling thread may use.
pub fn allowed_processors() -> io::Result<Vec<usize>> {
    let set = sched_getaffinity(None)?;
    Ok((0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor)).collect())
}

/// Sends `signal` to a thread of this process.
pub fn signal_thread(tid: Tid, signal: libc::c_int) {
    count();
    // SAFETY: it passes numbers; a thread that is gone makes it fail, which does no harm.
    unsafe {
        libc::syscall(libc::SYS_tgkill, libc::getpid(), tid, signal);
    }
}

/// The signal that interrupts a thread whose job was given up. A late signal finds its handler still there.
pub(crate) fn abort_signal() -> libc::c_int {
    libc::SIGRTMIN() + 2
}

/// Installs `handler` for [`PARK_SIGNAL`], after which system calls go on, and for the signal of aborts, after which
/// they return.
pub fn on_signals(handler: extern "C" fn(libc::c_int)) -> io::Result<()> {
    // One at a time: the handler is not interrupted by itself.
    [(PARK_SIGNAL, libc::SA_RESTART), (abort_signal(), 0)]
        .into_iter()
        .try_for_each(|(signal, flags)| on_signal(signal, handler, flags))
}

/// Runs `code` in a signal's handler, so that the interrupted code finds errno as it was.
pub(crate) fn keep_errno<T>(code: impl FnOnce() -> T) -> T {
    // SAFETY: errno belongs to this thread; the interrupted code must find it as it was.
    let errno = unsafe { *libc::__errno_location() };
    let result = code();
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    result
}

/// Installs `handler` for `signal`. Neither parking nor aborts interrupt it.
fn on_signal(signal: libc::c_int, handler: extern "C" fn(libc::c_int), flags: libc::c_int) -> io::Result<()> {
    // SAFETY: all bytes zero is a valid `sigaction`; the handler only does what a signal handler may.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as libc::sighandler_t;
        action.sa_flags = flags;
        libc::sigaddset(&mut action.sa_mask, PARK_SIGNAL);
        libc::sigaddset(&mut action.sa_mask, abort_signal());
        libc::sigaction(signal, &action, std::ptr::null_mut())
    };
    check(result)
}

/// Has each thread that is created from now on allocate memory under a lock of its own, where the C library can: a
/// thread that is stopped while it allocates then keeps no other one from that. It comes too late in a process that has
/// allocated by a second thread before.
pub(crate) fn allocate_apart() {
    // Glibc's default is eight for each processor, and further threads share these.
    #[cfg(target_env = "gnu")]
    // SAFETY: it changes a number of the allocator, under its lock.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, libc::c_int::MAX);
    }
}

/// Locks all memory of the process, present and future: none is paged out.
pub(crate) fn lock_memory() -> io::Result<()> {
    Ok(mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE)?)
}

/// Undoes [`lock_memory`].
pub(crate) fn unlock_memory() {
    // Its only error is not to be permitted.
    let _ = munlockall();
}

/// Registers this process for [`barrier`]; fails on kernels older than 4.14.
pub(crate) fn register_barrier() -> io::Result<()> {
    membarrier(libc::MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)
}

/// Makes all processors that execute threads of this process finish what they have begun to read and write.
pub(crate) fn barrier() {
    // It was registered before the run.
    let _ = membarrier(libc::MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

fn membarrier(command: libc::c_int) -> io::Result<()> {
    count();
    // SAFETY: it passes numbers.
    check(unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) } as libc::c_int)
}

/// Makes a system call that does nothing in the kernel.
pub fn null_call() {
    // SAFETY: it has no arguments and no effect.
    unsafe {
        libc::syscall(libc::SYS_getppid);
    }
}

/// Makes a system call that looks a number of the calling thread up.
pub fn ask_thread() {
    // SAFETY: it has no arguments and no effect.
    unsafe {
        libc::syscall(libc::SYS_gettid);
    }
}

/// Makes a system call that asks the kernel itself how fine the monotonic clock is.
pub fn ask_clock() {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: `time` is a place for the result, which is not read.
    unsafe {
        libc::syscall(libc::SYS_clock_getres, libc::CLOCK_MONOTONIC, time.as_mut_ptr());
    }
}

/// Removes `words` from every cache of the machine.
#[cfg(target_arch = "x86_64")]
pub fn flush(words: &[std::sync::atomic::AtomicU64]) {
    use std::arch::x86_64::{_mm_clflush, _mm_mfence};
    // A line is 64 bytes or more; flushing one twice does no harm.
    for line in words.chunks(8) {
        // SAFETY: every processor of this architecture has the instructions; they change no data.
        unsafe { _mm_clflush(line.as_ptr().cast()) };
    }
    // SAFETY: as above.
    unsafe { _mm_mfence() };
}

/// Removes `words` from the caches, by using more memory than any of them holds.
#[cfg(not(target_arch = "x86_64"))]
pub fn flush(words: &[std::sync::atomic::AtomicU64]) {
    use std::sync::atomic::Ordering::Relaxed;
    const BYTES: usize = 256 << 20;
    let mut other = vec![1u8; BYTES];
    other.iter_mut().step_by(64).for_each(|byte| *byte = byte.wrapping_add(1));
    std::hint::black_box((&other, words.first().map(|word| word.load(Relaxed))));
}

/// The nanoseconds of a length of time.
pub(crate) fn ns(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

/// Maps the shared memory of this name, and makes it with `length` bytes if there is none. Returns its address and its
/// length.
///
/// Refused if the memory is there and smaller.
pub(crate) fn map_shared(name: &CStr, length: usize) -> io::Result<(*mut u8, usize)> {
    let file = File::from(shm::open(name, shm::OFlags::RDWR | shm::OFlags::CREATE, Mode::RUSR | Mode::WUSR)?);
    // Another thread or process that makes it at this moment waits until its size is set.
    flock(&file, FlockOperation::LockExclusive)?;
    let there = size_or_set(&file, length);
    // The mapping keeps the file, and the file would keep the lock.
    flock(&file, FlockOperation::Unlock)?;
    let there = there?;
    if there < length {
        return Err(io::Error::other(format!("the object has {there} bytes, smaller than {length}")));
    }
    // SAFETY: it maps new pages, none over others; the result is checked.
    let base = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        libc::mmap(std::ptr::null_mut(), there, access, libc::MAP_SHARED, file.as_raw_fd(), 0)
    };
    if base == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    Ok((base.cast(), there))
}

/// Maps `length` bytes of zeros that have no name: forked children share them.
pub(crate) fn map_nameless(length: usize) -> io::Result<*mut u8> {
    // SAFETY: it maps new pages, none over others.
    let base = unsafe {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        mmap_anonymous(std::ptr::null_mut(), length, access, MapFlags::SHARED)?
    };
    Ok(base.cast())
}

/// The size of a file, which becomes `length` if the file was empty. The memory is taken at once: where there is too
/// little, a write to the mapping would end the process.
fn size_or_set(file: &File, length: usize) -> io::Result<usize> {
    if file.metadata()?.len() == 0 {
        retry_on_intr(|| fallocate(file, FallocateFlags::empty(), 0, length as u64))?;
    }
    usize::try_from(file.metadata()?.len()).map_err(io::Error::other)
}

/// Removes the name of shared memory.
pub(crate) fn unlink_shared(name: &CStr) -> io::Result<()> {
    Ok(shm::unlink(name)?)
}

/// Unmaps what [`map_shared`] has mapped.
///
/// # Safety
///
/// The memory was mapped so, and no thread uses it any more.
pub(crate) unsafe fn unmap(base: *mut u8, length: usize) {
    // SAFETY: as the caller says.
    unsafe {
        libc::munmap(base.cast(), length);
    }
}
