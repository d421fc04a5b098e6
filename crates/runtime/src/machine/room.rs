//! Room for threads: where it ends, the limit is named.
//!
//! The kernel and the C library answer a lack of processes and a lack of memory alike, so the limits themselves are
//! asked.

use crate::machine::refusal::Refusal;
use crate::machine::start::Start;
use crate::machine::sys;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

/// The stack of a thread, in bytes, unless its run says otherwise.
pub const STACK: usize = 2 << 20;

/// The smallest stack on which a thread of a task can begin and end, in bytes.
pub const SMALLEST_STACK: usize = 64 << 10;

/// Memory that a thread needs besides its stack, in bytes: the stack of its signal handlers, its guard page, and what
/// it allocates as it begins.
const BESIDE_STACK: usize = 4 << 20;

/// Creates a thread that the kernel, too, knows by a name; refused with the limit that has no room for it.
pub fn spawn<T: Send + 'static>(
    name: String,
    stack: usize,
    code: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Refusal> {
    let what = format!("a thread ({name})");
    // A thread whose stack still fits may have no room to begin, and its process would crash.
    try_memory(&what, stack.saturating_add(BESIDE_STACK))?;
    thread::Builder::new().name(name).stack_size(stack).spawn(code).map_err(|error| refusal(what, error))
}

/// Tries whether there is room for `what`, of `bytes` bytes.
pub(crate) fn try_memory(what: &str, bytes: usize) -> Result<(), Refusal> {
    let refused = |error| Refusal::Room { what: what.to_owned(), limit: of_memory(), error };
    sys::try_memory(bytes).map_err(refused)
}

/// The refusal of `what` for lack of room, if `error` says that there is none.
pub(crate) fn refusal(what: String, error: io::Error) -> Refusal {
    Refusal::Room { what, limit: of_threads(), error }
}

/// Tries whether this process may have `count` threads more, all at once.
pub fn try_threads(count: usize) -> Result<(), Refusal> {
    let start = Arc::new(Start::default());
    let mut there = Vec::with_capacity(count);
    let one = |number| -> Result<JoinHandle<Option<u64>>, Refusal> {
        let waits = Arc::clone(&start);
        let thread = spawn(format!("room {number}"), STACK, move || waits.wait())?;
        start.meet();
        Ok(thread)
    };
    let found = (0..count).try_for_each(|number| one(number).map(|thread| there.push(thread)));
    start.call_off();
    for thread in there {
        thread.join().expect("it only waits");
    }
    found
}

/// Tries whether the kernel lets a thread of this process have a real-time priority, on a thread that does nothing
/// else.
pub fn try_priority(priority: u8) -> Result<(), Refusal> {
    let tries = spawn("probe".to_owned(), STACK, move || sys::set_fifo(sys::current_thread(), priority))?;
    tries.join().expect("the probe does not panic").map_err(Refusal::Priority)
}

/// The limit of memory that was met.
fn of_memory() -> String {
    match sys::most_address_space() {
        Some(most) => format!("memory: RLIMIT_AS, {} KiB of addresses (ulimit -v)", most >> 10),
        None => "memory: RLIMIT_MEMLOCK (ulimit -l), or what the machine has".to_owned(),
    }
}

/// The limit of threads that was met.
fn of_threads() -> String {
    if let Some((path, most)) = full_group() {
        return format!("{most} threads of its control group ({}/pids.max)", path.display());
    }
    match sys::most_threads_of_user() {
        Some(most) => format!("RLIMIT_NPROC, {most} threads of this user (ulimit -u)"),
        None => "the system's: memory, kernel.threads-max, kernel.pid_max, or the pids.max of a control group that cannot be \
                 seen from here"
            .to_owned(),
    }
}

/// The control group of this process that has all the threads that it may have, and how many.
fn full_group() -> Option<(PathBuf, u64)> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let of_pids = |line: &str| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "pids") => "/sys/fs/cgroup/pids",
            _ => return None,
        };
        Some((Path::new(root), Path::new(root).join(path.trim_start_matches('/'))))
    };
    groups.lines().filter_map(of_pids).find_map(|(root, path)| {
        // The limit may be that of a group around it.
        path.ancestors().take_while(|group| group.starts_with(root)).find_map(full)
    })
}

/// The number of threads that `group` may have, if it has them, or had them before a thread ended just now.
fn full(group: &Path) -> Option<(PathBuf, u64)> {
    let number = |name| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let (most, now) = (number("pids.max")?, number("pids.current")?);
    (now + 1 >= most).then(|| (group.to_owned(), most))
}
