//! Buffers, queues and heaps inside an object: each locked, lock-free or wait-free.

use crate::error::{boxed, failed, null, or_note, text, SCHEDLAB_DEAD};
use crate::job::{schedlab_enter_np, schedlab_exit_np, Job};
use crate::object::{allocated, at, region, Object};
use schedlab_objects::{
    BufferUser, ContainerUser, DeadTask, Kind, Placed, Request, Scheme, Shape, Surroundings,
};
use schedlab_runtime::{is_alive, this_life, uncut};
use std::ffi::c_char;
use std::slice;

/// One task's access to a buffer, queue or heap. Only one thread may use it.
pub struct Member {
    placed: Placed<'static>,
    task: usize,
    job: *mut Job<'static, 'static>,
    user: User,
}

enum User {
    Buffer(BufferUser<'static>),
    Container(ContainerUser<'static>),
}

/// Processes that live, by the owners that are written in the object; and the task's own sections.
struct Around<'a>(&'a Placed<'static>, *mut Job<'static, 'static>);

impl Surroundings for Around<'_> {
    fn is_alive(&self, task: usize) -> bool {
        is_alive(self.0.owner(task))
    }

    fn enter_non_preemptive(&self) {
        if !self.1.is_null() {
            // SAFETY: who joined said that this is his job; outside of a run the call fails, and nothing is to be kept
            // off.
            unsafe { schedlab_enter_np(self.1) };
        }
    }

    fn leave_non_preemptive(&self) {
        if !self.1.is_null() {
            // SAFETY: as before.
            unsafe { schedlab_exit_np(self.1) };
        }
    }
}

/// Reads the shape of a new object from a C program's arguments; the words of a block and the number of others that an
/// attempt helps are 0 for the defaults.
///
/// # Safety
///
/// The scheme is null or ends with a zero byte.
unsafe fn shape(
    kind: Kind,
    scheme: *const c_char,
    size: usize,
    tasks: usize,
    [block, help]: [usize; 2],
) -> Result<Shape, String> {
    // SAFETY: as the caller says.
    let name = unsafe { text(scheme, "scheme") }?;
    let scheme = Scheme::ALL.into_iter().find(|scheme| scheme.name() == name);
    let known = Scheme::ALL.map(Scheme::name).join(", ");
    let scheme = scheme.ok_or_else(|| format!("scheme \"{name}\": known are {known}"))?;
    let usual = Shape::new(kind, scheme, size, tasks);
    let chosen = |given: usize, usual| if given > 0 { given } else { usual };
    let shape = Shape { block: chosen(block, usual.block), help: chosen(help, usual.help), ..usual };
    shape.check().map_err(|why| format!("{name} {}: {why}", kind.name()))?;
    Ok(shape)
}

/// Makes a buffer, queue or heap, and returns its place.
///
/// # Safety
///
/// The object is null or open.
unsafe fn make(object: *const Object, shape: impl FnOnce() -> Result<Shape, String>) -> u64 {
    let made = || {
        // SAFETY: as the caller says.
        let (region, shape) = (unsafe { region(object) }?, shape()?);
        let bytes = Placed::bytes(&shape);
        let block = allocated(region, bytes, region.allocate(bytes))?;
        // SAFETY: the block is zero, as long, and no other thread knows it yet.
        unsafe { Placed::create(block, shape) }.map_err(|why| why.to_string())?;
        region.place_of(block).ok_or_else(|| "the block is outside".to_owned())
    };
    uncut(|| or_note(made(), 0))
}

/// Makes a buffer of `words` words of 64 bits, all zero, for `tasks` tasks. Returns its place, for schedlab_join(), or
/// 0.
///
/// The scheme is "locked", "lock-free" or "wait-free". An operation on a locked buffer waits for its turn, spinning. On
/// a lock-free buffer it is tried again when another one came between. On a wait-free buffer it takes a bounded number
/// of steps. A process that is killed leaves lock-free and wait-free buffers usable. A locked buffer is broken then,
/// and operations on it return SCHEDLAB_DEAD.
///
/// # Safety
/// The object is open; the text ends with a zero byte. Null pointers are refused.
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_buffer(
    object: *const Object,
    scheme: *const c_char,
    words: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, || shape(Kind::Buffer, scheme, words, tasks, [0; 2])) }
}

/// Makes a queue for at most `capacity` values, first in, first out. Otherwise as schedlab_make_buffer().
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_queue(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, || shape(Kind::Queue, scheme, capacity, tasks, [0; 2])) }
}

/// Makes a heap for at most `capacity` values, the largest first. Otherwise as schedlab_make_buffer().
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_heap(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, || shape(Kind::Heap, scheme, capacity, tasks, [0; 2])) }
}

/// Makes a queue as schedlab_make_queue() does, in blocks of `block` words, such that an attempt helps `help` others; 0
/// for the default of either.
///
/// Wait-free queues and heaps and lock-free heaps are in blocks: an operation copies each block that it writes. A block
/// has a power of two of words, from 2 on. A value of a heap has as many children as a block has words: two words make
/// the heap binary. An attempt on a wait-free queue or heap executes what others have announced, too. The more it
/// helps, the fewer attempts an operation takes. Locked queues and heaps and lock-free queues have no blocks, and
/// attempts on objects that are not wait-free do not help.
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_queue_in_blocks(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
    block: usize,
    help: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, || shape(Kind::Queue, scheme, capacity, tasks, [block, help])) }
}

/// Makes a heap as schedlab_make_heap() does, in blocks, as schedlab_make_queue_in_blocks() does for queues.
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_heap_in_blocks(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
    block: usize,
    help: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, || shape(Kind::Heap, scheme, capacity, tasks, [block, help])) }
}

/// Joins the buffer, queue or heap at a place as the task of this number, from 0 on. Returns null if that fails. One
/// process has a number until it leaves; a process that is killed keeps it. With a job that is not null, operations on
/// a locked object are non-preemptive sections of that job.
///
/// # Safety
/// The object stays open until the task left; the place is what one of the schedlab_make functions returned for it; the
/// job is that of the calling thread's task. In all functions of a member, the member is one that schedlab_join()
/// returned and that has not left. Other null pointers are refused.
#[no_mangle]
pub unsafe extern "C" fn schedlab_join(
    object: *const Object,
    place: u64,
    task: usize,
    job: *mut Job<'_, '_>,
) -> *mut Member {
    let joined = || {
        // SAFETY: as the caller says.
        let region = unsafe { region(object) }?;
        let base = at(region, place)?;
        let length = region.length().saturating_sub(place) as usize;
        // SAFETY: as the caller says, an object was made there.
        let placed = unsafe { Placed::open(base, length) };
        let placed: Placed<'static> = placed.map_err(|why| format!("place {place}: {why}"))?;
        placed.join(task, this_life()).map_err(|why| why.to_string())?;
        let user = match placed.shape().kind {
            Kind::Buffer => User::Buffer(placed.buffer(task)),
            Kind::Queue | Kind::Heap => User::Container(placed.container(task)),
        };
        Ok::<_, String>(Member { placed, task, job: job.cast(), user })
    };
    uncut(|| boxed(joined()))
}

/// Gives the task's number back.
#[no_mangle]
pub unsafe extern "C" fn schedlab_leave(member: *mut Member) {
    if !member.is_null() {
        uncut(|| {
            // SAFETY: it was made by `schedlab_join`, as the caller says.
            let member = unsafe { Box::from_raw(member) };
            member.placed.leave(member.task);
        });
    }
}

/// Reason why an operation has no result.
enum Wrong {
    Asked(String),
    Dead(DeadTask),
}

impl From<DeadTask> for Wrong {
    fn from(who: DeadTask) -> Self {
        Wrong::Dead(who)
    }
}

impl Member {
    /// Error: the object has no such operation.
    fn is_no(&self, operation: &str) -> Wrong {
        let kind = self.placed.shape().kind;
        let allowed = match kind {
            Kind::Buffer => "schedlab_read_buffer() and schedlab_write_buffer()",
            Kind::Queue | Kind::Heap => "schedlab_put() and schedlab_take()",
        };
        Wrong::Asked(format!("{operation}: this is a {}; allowed: {allowed}", kind.name()))
    }
}

/// Checks that words may lie at the address.
fn check_words(words: *const u64, what: &str) -> Result<(), Wrong> {
    if words.is_null() {
        return Err(Wrong::Asked(format!("{what}: a null pointer has no room for words of 64 bits")));
    }
    let is_aligned = words.is_aligned();
    is_aligned.then_some(()).ok_or_else(|| Wrong::Asked(format!("{what}: the address is no multiple of 8")))
}

/// Returns the answer of `work`, or stores the error.
///
/// # Safety
///
/// `member` is null or has joined.
unsafe fn operate(member: *mut Member, work: impl FnOnce(&mut Member) -> Result<i32, Wrong>) -> i32 {
    uncut(|| {
        // SAFETY: as the caller says.
        let Some(member) = (unsafe { member.as_mut() }) else {
            return failed(null("member", "what schedlab_join() returned"));
        };
        work(member).unwrap_or_else(|wrong| match wrong {
            Wrong::Asked(why) => failed(why),
            Wrong::Dead(who) => or_note(Err(who), SCHEDLAB_DEAD),
        })
    })
}

/// Copies the buffer's latest value, as many words as it has. Returns 0, SCHEDLAB_ERROR or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_read_buffer(member: *mut Member, into: *mut u64) -> i32 {
    let read = |member: &mut Member| {
        let Member { placed, job, user: User::Buffer(buffer), .. } = member else {
            return Err(member.is_no("schedlab_read_buffer()"));
        };
        check_words(into, "into")?;
        // SAFETY: as the caller says, there are as many words.
        let into = unsafe { slice::from_raw_parts_mut(into, placed.shape().size) };
        buffer.read(into, &Around(placed, *job))?;
        Ok(0)
    };
    // SAFETY: as the caller says.
    unsafe { operate(member, read) }
}

/// Writes the buffer's latest value, as many words as it has. Returns 0, SCHEDLAB_ERROR or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_write_buffer(member: *mut Member, value: *const u64) -> i32 {
    let write = |member: &mut Member| {
        let Member { placed, job, user: User::Buffer(buffer), .. } = member else {
            return Err(member.is_no("schedlab_write_buffer()"));
        };
        check_words(value, "value")?;
        // SAFETY: as the caller says, there are as many words.
        let value = unsafe { slice::from_raw_parts(value, placed.shape().size) };
        buffer.write(value, &Around(placed, *job))?;
        Ok(0)
    };
    // SAFETY: as the caller says.
    unsafe { operate(member, write) }
}

/// Adds a value to the queue or heap. Returns 1, or 0 if it is full, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_put(member: *mut Member, value: u64) -> i32 {
    let put = |member: &mut Member| {
        let Member { placed, job, user: User::Container(container), .. } = member else {
            return Err(member.is_no("schedlab_put()"));
        };
        let answer = container.apply(Request::Put(value), &Around(placed, *job))?;
        Ok(answer.is_some().into())
    };
    // SAFETY: as the caller says.
    unsafe { operate(member, put) }
}

/// Takes the next value out of the queue or heap. Returns 1, or 0 if it is empty, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_take(member: *mut Member, value: *mut u64) -> i32 {
    let take = |member: &mut Member| {
        let Member { placed, job, user: User::Container(container), .. } = member else {
            return Err(member.is_no("schedlab_take()"));
        };
        check_words(value, "value")?;
        let Some(taken) = container.apply(Request::Take, &Around(placed, *job))? else { return Ok(0) };
        // SAFETY: as the caller says, there is room for it.
        unsafe { *value = taken };
        Ok(1)
    };
    // SAFETY: as the caller says.
    unsafe { operate(member, take) }
}

/// Returns the number of attempts of the task's last operation; 0 for a null pointer.
#[no_mangle]
pub unsafe extern "C" fn schedlab_attempts(member: *const Member) -> u64 {
    // SAFETY: as the caller says.
    match unsafe { member.as_ref() }.map(|member| &member.user) {
        Some(User::Buffer(buffer)) => buffer.attempts(),
        Some(User::Container(container)) => container.attempts(),
        None => 0,
    }
}
