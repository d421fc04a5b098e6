//! Buffers, queues and heaps inside an object: each locked, lock-free or wait-free.

use crate::error::{boxed, failed, note, text, SCHEDLAB_DEAD};
use crate::job::{schedlab_enter_np, schedlab_exit_np, Job};
use crate::object::Object;
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

/// Who lives, by the owners that are written in the object; and the task's own sections.
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

fn dead(dead: DeadTask) -> i32 {
    note(dead);
    SCHEDLAB_DEAD
}

/// Makes one, and says where.
unsafe fn make(object: *const Object, kind: Kind, scheme: *const c_char, size: usize, tasks: usize) -> u64 {
    let made = || {
        // SAFETY: as the caller says.
        let name = unsafe { text(scheme, "scheme") }?;
        let scheme = Scheme::ALL.into_iter().find(|scheme| scheme.name() == name);
        let known = Scheme::ALL.map(Scheme::name).join(", ");
        let scheme = scheme.ok_or_else(|| format!("scheme \"{name}\": known are {known}"))?;
        let shape = Shape::new(kind, scheme, size, tasks);
        shape.check().map_err(|why| format!("{} {name}: {why}", kind.name()))?;
        // SAFETY: as the caller says.
        let region = unsafe { &*object }.region();
        let bytes = Placed::bytes(&shape);
        let block =
            region.allocate(bytes).ok_or_else(|| format!("no room for {bytes} bytes in the object"))?;
        // SAFETY: the block is zero, as long, and no other thread knows it yet.
        unsafe { Placed::create(block, shape) }.map_err(|why| why.to_string())?;
        region.place_of(block).ok_or_else(|| "the block is outside".to_owned())
    };
    uncut(|| {
        made().unwrap_or_else(|why: String| {
            note(why);
            0
        })
    })
}

/// Makes a buffer of so many words of 64 bits, all zero, for so many tasks: where it is, for schedlab_join(), or 0.
///
/// The scheme is "locked", "lock-free" or "wait-free". An operation on a locked one waits for its turn, spinning. On a
/// lock-free one it is tried again when another one came between. On a wait-free one it takes a bounded number of
/// steps. A process that is killed leaves lock-free and wait-free ones usable. A locked one is broken then, and says
/// so.
///
/// # Safety
/// The object is open; the text ends with a zero byte.
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_buffer(
    object: *const Object,
    scheme: *const c_char,
    words: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, Kind::Buffer, scheme, words, tasks) }
}

/// Makes a queue for at most so many values, first in, first out. Else as schedlab_make_buffer().
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_queue(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, Kind::Queue, scheme, capacity, tasks) }
}

/// Makes a heap for at most so many values, the largest first. Else as schedlab_make_buffer().
#[no_mangle]
pub unsafe extern "C" fn schedlab_make_heap(
    object: *const Object,
    scheme: *const c_char,
    capacity: usize,
    tasks: usize,
) -> u64 {
    // SAFETY: as the caller says.
    unsafe { make(object, Kind::Heap, scheme, capacity, tasks) }
}

/// Joins the buffer, queue or heap at a place as the task of this number, from 0 on; null if that fails. One process
/// has a number until it leaves; one that is killed keeps it. A job, or null: operations on a locked one are
/// non-preemptive sections of that job.
///
/// # Safety
/// The object stays open until the task left; the place is what one of the schedlab_make functions returned for it; the
/// job is that of the calling thread's task. In all functions of a member, it is one that this returned and that has
/// not left.
#[no_mangle]
pub unsafe extern "C" fn schedlab_join(
    object: *const Object,
    place: u64,
    task: usize,
    job: *mut Job<'_, '_>,
) -> *mut Member {
    // SAFETY: as the caller says.
    let region = unsafe { &*object }.region();
    let joined = || {
        let base = region.at(place).filter(|_| place > 0).ok_or("place: outside of the object")?;
        let length = region.length().saturating_sub(place) as usize;
        // SAFETY: as the caller says, an object was made there.
        let placed: Placed<'static> = unsafe { Placed::open(base, length) }.map_err(|why| why.to_string())?;
        placed.join(task, this_life()).map_err(|why| format!("task {task}: {why}"))?;
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

/// Copies the buffer's latest value, as many words as it has. 0, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_read_buffer(member: *mut Member, into: *mut u64) -> i32 {
    // SAFETY: as the caller says.
    let Member { placed, job, user, .. } = unsafe { &mut *member };
    let User::Buffer(buffer) = user else { return failed("a queue or heap is not read") };
    // SAFETY: as the caller says, there are as many words.
    let into = unsafe { slice::from_raw_parts_mut(into, placed.shape().size) };
    uncut(|| buffer.read(into, &Around(placed, *job)).map_or_else(dead, |()| 0))
}

/// Makes this the buffer's latest value, as many words as it has. 0, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_write_buffer(member: *mut Member, value: *const u64) -> i32 {
    // SAFETY: as the caller says.
    let Member { placed, job, user, .. } = unsafe { &mut *member };
    let User::Buffer(buffer) = user else { return failed("a queue or heap is not written") };
    // SAFETY: as the caller says, there are as many words.
    let value = unsafe { slice::from_raw_parts(value, placed.shape().size) };
    uncut(|| buffer.write(value, &Around(placed, *job)).map_or_else(dead, |()| 0))
}

/// Adds a value to the queue or heap. 1, or 0 if it is full, or SCHEDLAB_ERROR, or SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_put(member: *mut Member, value: u64) -> i32 {
    // SAFETY: as the caller says.
    let Member { placed, job, user, .. } = unsafe { &mut *member };
    let User::Container(container) = user else { return failed("nothing is put into a buffer") };
    let mut put = || container.apply(Request::Put(value), &Around(placed, *job));
    uncut(|| put().map_or_else(dead, |answer| i32::from(answer.is_some())))
}

/// Takes the value whose turn it is out of the queue or heap. 1, or 0 if it is empty, or SCHEDLAB_ERROR, or
/// SCHEDLAB_DEAD.
#[no_mangle]
pub unsafe extern "C" fn schedlab_take(member: *mut Member, value: *mut u64) -> i32 {
    // SAFETY: as the caller says.
    let Member { placed, job, user, .. } = unsafe { &mut *member };
    let User::Container(container) = user else { return failed("nothing is taken out of a buffer") };
    uncut(|| match container.apply(Request::Take, &Around(placed, *job)) {
        Ok(Some(taken)) => {
            // SAFETY: as the caller says, there is room for it.
            unsafe { *value = taken };
            1
        }
        Ok(None) => 0,
        Err(who) => dead(who),
    })
}

/// How often the task's last operation tried.
#[no_mangle]
pub unsafe extern "C" fn schedlab_attempts(member: *const Member) -> u64 {
    // SAFETY: as the caller says.
    match &unsafe { &*member }.user {
        User::Buffer(buffer) => buffer.attempts(),
        User::Container(container) => container.attempts(),
    }
}
