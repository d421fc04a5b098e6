//! Real threads, and real processes that map the same file.

use schedlab_objects::{ArrayLock, McsLock, Mutex, QueueLock, TicketLock};
use std::cell::UnsafeCell;
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

const ROUNDS: u64 = 2_000;

/// Two values that differ only while somebody writes them.
#[derive(Default)]
struct Pair(u64, u64);

impl Pair {
    fn add_one(&mut self) {
        assert_eq!(self.0, self.1, "somebody else writes");
        self.0 += 1;
        self.1 += 1;
    }
}

/// The number of threads, as many as there are processors: a spinning lock is not meant for more.
fn threads() -> usize {
    thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 4))
}

fn stress(round: impl Fn() + Sync) {
    thread::scope(|scope| {
        for _ in 0..threads() {
            scope.spawn(|| (0..ROUNDS).for_each(|_| round()));
        }
    });
}

fn stress_mutex<L: QueueLock + Default + Send>() {
    let mutex = Mutex::<L, Pair>::default();
    stress(|| mutex.lock().add_one());
    assert_eq!(mutex.into_inner().0, threads() as u64 * ROUNDS);
}

#[test]
fn threads_lose_no_addition_under_the_ticket_lock() {
    stress_mutex::<TicketLock>();
}

#[test]
fn threads_lose_no_addition_under_the_array_lock() {
    stress_mutex::<ArrayLock<4>>();
}

#[test]
fn threads_lose_no_addition_under_the_mcs_lock() {
    /// Reached by the holder alone.
    struct Shared(UnsafeCell<Pair>);
    // SAFETY: as said.
    unsafe impl Sync for Shared {}
    let (lock, pair) = (McsLock::new(), Shared(UnsafeCell::default()));
    let pair = &pair;
    // SAFETY: the lock is held.
    stress(|| lock.with(|| unsafe { (*pair.0.get()).add_one() }));
    // SAFETY: no other thread is there any more.
    assert_eq!(unsafe { (*pair.0.get()).0 }, threads() as u64 * ROUNDS);
}

/// The memory that two processes share.
#[repr(C)]
struct Mapped {
    ticket: Mutex<TicketLock, Pair>,
    array: Mutex<ArrayLock<2>, Pair>,
}

fn add_many(path: &PathBuf) {
    let file = OpenOptions::new().read(true).write(true).open(path).expect("the file exists");
    // SAFETY: only these processes map the file, and they change it through the locks.
    let mut map = unsafe { memmap2::MmapMut::map_mut(&file) }.expect("it can be mapped");
    // SAFETY: the mapping is as long as `Mapped`, page-aligned, and all bytes zero is a valid value.
    let shared = unsafe { &*map.as_mut_ptr().cast::<Mapped>() };
    for _ in 0..ROUNDS {
        shared.ticket.lock().add_one();
        shared.array.lock().add_one();
    }
}

/// The test starts itself once more as the other process.
#[test]
fn processes_share_locks_in_mapped_memory() {
    const FILE: &str = "SCHEDLAB_TEST_MAPPED_FILE";
    if let Some(path) = std::env::var_os(FILE) {
        return add_many(&path.into());
    }
    let path = std::env::temp_dir().join(format!("schedlab-objects-{}", std::process::id()));
    std::fs::write(&path, vec![0; size_of::<Mapped>()]).expect("a temporary file");
    let mut other = Command::new(std::env::current_exe().expect("a test has a file"))
        .args(["--exact", "processes_share_locks_in_mapped_memory"])
        .env(FILE, &path)
        .spawn()
        .expect("a process");
    add_many(&path);
    assert!(other.wait().expect("it ends").success());
    let file = OpenOptions::new().read(true).write(true).open(&path).expect("the file exists");
    // SAFETY: no other maps it any more.
    let mut map = unsafe { memmap2::MmapMut::map_mut(&file) }.expect("it can be mapped");
    // SAFETY: as in `add_many`.
    let shared = unsafe { &mut *map.as_mut_ptr().cast::<Mapped>() };
    assert_eq!(shared.ticket.get_mut().0, 2 * ROUNDS);
    assert_eq!(shared.array.get_mut().0, 2 * ROUNDS);
    std::fs::remove_file(&path).expect("it was made here");
}
