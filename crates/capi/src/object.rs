//! Memory with a name that processes share, with allocation inside it.

use crate::error::{boxed, done, null, or_note, text};
use schedlab_objects::Region;
use schedlab_runtime::{uncut, SharedObject};
use std::ffi::{c_char, c_void};
use std::ptr;

/// Memory with a name, mapped into this process.
pub struct Object(SharedObject);

/// Returns the opened object.
///
/// # Safety
///
/// `object` is null or open.
unsafe fn opened<'a>(object: *const Object) -> Result<&'a SharedObject, String> {
    // SAFETY: as the caller says.
    let object = unsafe { object.as_ref() };
    object.map(|object| &object.0).ok_or_else(|| null("object", "what schedlab_open_object() returned"))
}

/// Returns the memory of the opened object.
///
/// # Safety
///
/// As for [`opened`].
pub(crate) unsafe fn region<'a>(object: *const Object) -> Result<&'a Region, String> {
    // SAFETY: as the caller says.
    unsafe { opened(object) }.map(SharedObject::region)
}

/// Returns a block of `bytes` bytes, or the reason why there is none.
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

/// Returns the address that was found, or stores the error and returns null.
fn address(found: Result<*mut u8, String>) -> *mut c_void {
    or_note(found, ptr::null_mut()).cast()
}

/// Maps the object of this name, and makes it with room for `bytes` bytes if there is none. Returns null if that fails.
///
/// # Safety
/// In all functions of an object, the object is one that schedlab_open_object() returned, not closed yet; texts end
/// with a zero byte. A null pointer is refused.
#[no_mangle]
pub unsafe extern "C" fn schedlab_open_object(name: *const c_char, bytes: usize) -> *mut Object {
    // SAFETY: as the caller says.
    let name = || unsafe { text(name, "object name") };
    let open = |name| SharedObject::open(name, bytes).map_err(|error| format!("{name}: {error}"));
    uncut(|| boxed(name().and_then(open).map(Object)))
}

/// Unmaps the object. Its memory stays for other processes, and for processes that open it again, until its name is
/// removed.
#[no_mangle]
pub unsafe extern "C" fn schedlab_close_object(object: *mut Object) {
    if !object.is_null() {
        // SAFETY: it was made by `schedlab_open_object`, as the caller says.
        uncut(|| drop(unsafe { Box::from_raw(object) }));
    }
}

/// Removes an object's name; its memory is freed with its last user.
#[no_mangle]
pub unsafe extern "C" fn schedlab_unlink_object(name: *const c_char) -> i32 {
    // SAFETY: as the caller says.
    let name = || unsafe { text(name, "object name") };
    let unlink = |name| SharedObject::unlink(name).map_err(|error| format!("{name}: {error}"));
    uncut(|| done(name().and_then(unlink)))
}

/// Returns the object's first block, of `bytes` bytes, zero at first: the same block for all processes. Returns null if
/// there is no room.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_root(object: *const Object, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller says.
    let region = unsafe { region(object) };
    uncut(|| address(region.and_then(|region| allocated(region, bytes, region.root(bytes)))))
}

/// Allocates a block of `bytes` bytes inside the object, all zero. Returns null if there is no room. It makes no system
/// call, and no thread waits.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_allocate(object: *const Object, bytes: usize) -> *mut c_void {
    // SAFETY: as the caller says.
    let region = unsafe { region(object) };
    uncut(|| address(region.and_then(|region| allocated(region, bytes, region.allocate(bytes)))))
}

/// Gives a block back, from any process.
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

/// Returns the place of an address in the object, counted from its beginning: the same number in every process. Returns
/// 0 if the address is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_place(object: *const Object, address: *const c_void) -> u64 {
    let outside = || "address: outside of the object".to_owned();
    uncut(|| {
        // SAFETY: as the caller says.
        let region = unsafe { region(object) };
        or_note(region.and_then(|region| region.place_of(address.cast()).ok_or_else(outside)), 0)
    })
}

/// Returns the address, in this process, of a place in the object. Returns null if the place is outside.
#[no_mangle]
pub unsafe extern "C" fn schedlab_object_at(object: *const Object, place: u64) -> *mut c_void {
    // SAFETY: as the caller says.
    uncut(|| address(unsafe { region(object) }.and_then(|region| at(region, place))))
}

/// Returns the address of a place that was returned before.
pub(crate) fn at(region: &Region, place: u64) -> Result<*mut u8, String> {
    let found = region.at(place).filter(|_| place > 0);
    found.ok_or_else(|| format!("place {place}: outside of the object, which has {} bytes", region.length()))
}

/// Waits for the object's own lock, spinning, first come, first served, and calls the code with the argument. Enter a
/// non-preemptive section first, so that no thread waits for a preempted holder. Returns 0 or SCHEDLAB_ERROR.
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
