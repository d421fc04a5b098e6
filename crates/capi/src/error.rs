//! The last error of each thread.

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

/// Returns the message of the calling thread's last failed call. It is valid until the thread's next call that fails.
#[no_mangle]
pub extern "C" fn schedlab_error() -> *const c_char {
    uncut(|| LAST.with_borrow(|text| text.as_ptr()))
}

/// Stores an error message for the calling thread.
pub(crate) fn note(why: impl Display) {
    // A job that is cut here would leave the allocator half done.
    uncut(|| {
        let text = why.to_string().replace('\0', "");
        LAST.set(CString::new(text).unwrap_or_default());
    });
}

/// Returns the result, or stores the error and returns `otherwise`.
pub(crate) fn or_note<T>(found: Result<T, impl Display>, otherwise: T) -> T {
    found.unwrap_or_else(|why| {
        note(why);
        otherwise
    })
}

/// Stores an error and returns its code.
pub(crate) fn failed(why: impl Display) -> i32 {
    or_note(Err(why), SCHEDLAB_ERROR)
}

/// Returns 0, or stores the error and returns its code.
pub(crate) fn done(result: Result<(), impl Display>) -> i32 {
    or_note(result.map(|()| 0), SCHEDLAB_ERROR)
}

/// Returns a pointer that C keeps until it gives it back, or stores the error and returns null.
pub(crate) fn boxed<T>(made: Result<T, impl Display>) -> *mut T {
    or_note(made.map(|made| Box::into_raw(Box::new(made))), ptr::null_mut())
}

/// Hint on the numbers of tasks and resources that are allowed.
pub(crate) const GIVEN_OUT: &str = "allowed are the numbers that were given out";

/// Error: a null pointer is no `what`; `allowed` says what is.
pub(crate) fn null(what: &str, allowed: &str) -> String {
    format!("{what}: a null pointer is no {what}; allowed: {allowed}")
}

/// Returns the text at `text`, which must not be null and must be UTF-8.
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
