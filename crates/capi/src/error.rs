//! What went wrong last, by thread.

use schedlab_runtime::uncut;
use std::cell::RefCell;
use std::ffi::{c_char, CStr, CString};
use std::fmt::Display;
use std::ptr;

/** What was asked for is not possible; schedlab_error() says why. */
pub const SCHEDLAB_ERROR: i32 = -1;
/** The machine does not let real-time threads run; schedlab_error() says what to change. */
pub const SCHEDLAB_REFUSED: i32 = -3;
/** The run did not end as it ought to: a task crashed or did not end, or real-time threads starved the machine. */
pub const SCHEDLAB_CRASHED: i32 = -4;

/** A task died while it held the lock of a buffer, queue or heap, or waited for it. */
pub const SCHEDLAB_DEAD: i32 = -5;

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Why the calling thread's last call failed. Valid until its next one that fails.
#[no_mangle]
pub extern "C" fn schedlab_error() -> *const c_char {
    uncut(|| LAST.with_borrow(|text| text.as_ptr()))
}

/// Remembers what went wrong.
pub(crate) fn note(why: impl Display) {
    // A job that is cut here would leave the allocator half done.
    uncut(|| {
        let text = why.to_string().replace('\0', "");
        LAST.set(CString::new(text).unwrap_or_default());
    });
}

/// What there is; or what went wrong is remembered, and this is the answer.
pub(crate) fn or_note<T>(found: Result<T, impl Display>, otherwise: T) -> T {
    found.unwrap_or_else(|why| {
        note(why);
        otherwise
    })
}

/// Remembers what went wrong, and says that something did.
pub(crate) fn failed(why: impl Display) -> i32 {
    or_note(Err(why), SCHEDLAB_ERROR)
}

/// 0, or what went wrong is remembered.
pub(crate) fn done(result: Result<(), impl Display>) -> i32 {
    or_note(result.map(|()| 0), SCHEDLAB_ERROR)
}

/// What C is to keep until it gives it back, or null, and what went wrong is remembered.
pub(crate) fn boxed<T>(made: Result<T, impl Display>) -> *mut T {
    or_note(made.map(|made| Box::into_raw(Box::new(made))), ptr::null_mut())
}

/// Which numbers of tasks and resources there are.
pub(crate) const GIVEN_OUT: &str = "allowed are the numbers that were given out";

/// What a null pointer is no instance of, and what is allowed.
pub(crate) fn null(what: &str, allowed: &str) -> String {
    format!("{what}: a null pointer is no {what}; allowed: {allowed}")
}

/// The text at `text`, which has to be there and to be UTF-8.
///
/// # Safety
///
/// `text` is null or a string that ends with a zero byte, and stays as it is meanwhile.
pub(crate) unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str, String> {
    if text.is_null() {
        return Err(format!("{what}: a null pointer is no text"));
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_str().map_err(|_| format!("{what}: the text is not UTF-8"))
}
