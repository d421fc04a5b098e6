//! Memory with a name that processes share, with allocation inside it.

use crate::error::{boxed, done, null, or_note, text};
use schedlab_objects::Region;
use schedlab_runtime::{uncut, SharedObject};
use std::ffi::{c_char, c_void};
use std::ptr;

/// Memory with a name, mapped into this process.
pub struct Object(SharedObject);

/// What was opened.
///
/// # Safety
///
/// `object` is null or open.
unsafe fn opened<'a>(object: *const Object) -> Result<&'a SharedObject, String> {
    // SAFETY: as the caller says.
    let object = unsafe { object.as_ref() };
    object.map(|object| &object.0).ok_or_else(|| null("object", "what schedlab_open_object() returned"))
}

/// The memory of what was opened.
///
/// # Safety
///
/// As for [`opened`].
pub(crate) unsafe fn region<'a>(object: *const Object) -> Result<&'a Region, String> {
    // SAFETY: as the caller says.
    unsafe { opened(object) }.map(SharedObject::region)
}

/// A block of so many bytes, or why there is none.
pub(crate) fn allocated(region: &Region, bytes: usize, block: Option<*mut u8>) -> Result<*mut u8, String> {
    // As a C program wrote it: a number that became too large for any was negative.
    let (bytes, length) = (bytes as isize, region.length());
    block.ok_or_else(|| match bytes {
        0.. if bytes as u64 > Region::LARGEST_BLOCK => {
            format!("a block of {bytes} bytes; allowed: at most {}", Region::LARGEST_BLOCK)
        }
        0.. => format!("no room for {bytes} bytes in an object of {length}: open a larger one"),
        _ => format!("a size of {bytes} bytes is negative; allowed: 0 and more"),
    })
}

/// The address that was found, or null, and why is remembered.
fn address(found: Result<*mut u8, String>) -> *mut c_void {
    or_note(found, ptr::null_mut()).cast()
}

/// Maps the object of this name, and makes it with room for so many bytes if there is none; null if that fails.
///
/// # Safety
/// In all functions of an object, it is one that schedlab_open_object() returned, not closed yet; texts end with a zero
/// byte. A null pointer is refused.
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
    let region = unsafe { region(object) };
    uncut(|| address(region.and_then(|region| allocated(region, bytes, region.root(bytes)))))
}

/// A block of so many bytes inside the object, all zero. Null if there is no room. No system call, and no thread waits.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_allocate(object: *const Object, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller says.
    let region = unsafe { region(object) };
    uncut(|| address(region.and_then(|region| allocated(region, bytes, region.allocate(bytes)))))
}

/// Gives a block back, from whatever process.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_free(object: *const Object, block: *mut c_void) -> i32 {
    uncut(|| {
        // SAFETY: as the caller says.
        done(unsafe { region(object) }.and_then(|region| {
            // SAFETY: as the caller says: no thread uses the block any more.
            unsafe { region.free(block.cast()) }.map_err(|why| format!("block: {why}"))
        }))
    })
}

/// Where an address in the object is, counted from its beginning: the same number in every process. 0 if it is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_place(object: *const Object, address: *const c_void) -> u64 {
    let outside = || "address: outside of the object".to_owned();
    uncut(|| {
        // SAFETY: as the caller says.
        let region = unsafe { region(object) };
        or_note(region.and_then(|region| region.place_of(address.cast()).ok_or_else(outside)), 0)
    })
}

/// The address, in this process, of what is at a place. Null if it is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_at(object: *const Object, place: u64) -> *mut c_void {
    // SAFETY: as the caller says.
    uncut(|| address(unsafe { region(object) }.and_then(|region| at(region, place))))
}

/// What is at a place that was given out.
pub(crate) fn at(region: &Region, place: u64) -> Result<*mut u8, String> {
    let found = region.at(place).filter(|_| place > 0);
    found.ok_or_else(|| format!("place {place}: outside of the object, which has {} bytes", region.length()))
}

/// Waits for the object's own lock, spinning, first come, first served, and calls the code with the argument. Enter a
/// non-preemptive section first, so that no thread waits for a preempted holder. 0, or SCHEDLAB_ERROR.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_with_lock(
    object: *const Object,
    code: Option<extern "C" fn(*mut c_void)>,
    argument: *mut c_void,
) -> i32 {
    uncut(|| {
        // SAFETY: as the caller says.
        done(unsafe { opened(object) }.and_then(|object| {
            let code = code.ok_or_else(|| null("code", "a function"))?;
            object.with_lock(|| code(argument));
            Ok(())
        }))
    })
}
