//! Memory with a name that processes share, with allocation inside it.

use crate::error::{boxed, done, text};
use schedlab_objects::Region;
use schedlab_runtime::{uncut, SharedObject};
use std::ffi::{c_char, c_void};
use std::ptr;

/// Memory with a name, mapped into this process.
pub struct Object(SharedObject);

impl Object {
    pub(crate) fn region(&self) -> &Region {
        self.0.region()
    }
}

/// Maps the object of this name, and makes it with room for so many bytes if there is none; null if that fails.
///
/// # Safety
/// In all functions of an object, it is one that schedlab_open_object() returned, not closed yet; texts end with a zero
/// byte.
#[no_mangle]
pub unsafe extern "C" fn schedlab_open_object(name: *const c_char, bytes: usize) -> *mut Object {
    // SAFETY: as the caller says.
    let name = || unsafe { text(name, "object name") };
    let open = |name| SharedObject::open(name, bytes).map_err(|error| format!("{name}: {error}"));
    uncut(|| boxed(name().and_then(open).map(Object)))
}

/// Unmaps the object. It stays for others, and for who opens it again, until its name is taken away.
#[no_mangle]
pub unsafe extern "C" fn schedlab_close_object(object: *mut Object) {
    if !object.is_null() {
        // SAFETY: it was made by `schedlab_open_object`, as the caller says.
        uncut(|| drop(unsafe { Box::from_raw(object) }));
    }
}

/// Takes an object's name away; its memory goes with its last user.
#[no_mangle]
pub unsafe extern "C" fn schedlab_unlink_object(name: *const c_char) -> i32 {
    // SAFETY: as the caller says.
    let name = || unsafe { text(name, "object name") };
    let unlink = |name| SharedObject::unlink(name).map_err(|error| format!("{name}: {error}"));
    uncut(|| done(name().and_then(unlink)))
}

/// The object's first block, of so many bytes, zero at first: the same one for all processes. Null if there is no room.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_root(object: *const Object, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller says.
    let region = unsafe { &*object }.0.region();
    uncut(|| region.root(bytes).map_or(ptr::null_mut(), <*mut u8>::cast))
}

/// A block of so many bytes inside the object, all zero. Null if there is no room. No system call, and no thread waits.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_allocate(object: *const Object, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller says.
    let region = unsafe { &*object }.0.region();
    uncut(|| region.allocate(bytes).map_or(ptr::null_mut(), <*mut u8>::cast))
}

/// Gives a block back, from whatever process.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_free(object: *const Object, block: *mut c_void) -> i32 {
    // SAFETY: as the caller says: no thread uses the block any more.
    uncut(|| done(unsafe { (*object).0.region().free(block.cast()) }))
}

/// Where an address in the object is, counted from its beginning: the same number in every process. 0 if it is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_place(object: *const Object, address: *const c_void) -> u64 {
    // SAFETY: as the caller says.
    unsafe { &*object }.0.region().place_of(address.cast()).unwrap_or(0)
}

/// The address, in this process, of what is at a place. Null if it is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_at(object: *const Object, place: u64) -> *mut c_void {
    // SAFETY: as the caller says.
    let address = unsafe { &*object }.0.region().at(place).filter(|_| place > 0);
    address.map_or(ptr::null_mut(), <*mut u8>::cast)
}

/// Waits for the object's own lock, spinning, first come, first served, and calls the code with the argument. Enter a
/// non-preemptive section first, so that no thread waits for a preempted holder.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_with_lock(
    object: *const Object,
    code: extern "C" fn(*mut c_void),
    argument: *mut c_void,
) {
    // SAFETY: as the caller says.
    let object = &unsafe { &*object }.0;
    uncut(|| object.with_lock(|| code(argument)));
}
