//! Events that release the jobs of event-driven tasks.

use crate::error::{failed, null};
use schedlab_runtime::{uncut, CallCounts, EventSource, Released};

/** The job arrives now. */
pub const SCHEDLAB_RELEASED: i32 = 0;
/** The call comes earlier than the task's period allows: the job arrives as soon as that is over. */
pub const SCHEDLAB_DELAYED: i32 = 1;
/** The job of an earlier call is still to arrive: this call releases none. */
pub const SCHEDLAB_TOO_EARLY: i32 = 2;
/** The run has not begun or is over, or the task has left: the call releases no job. */
pub const SCHEDLAB_NOT_RUNNING: i32 = 3;

/// The source of the events that release a task's jobs. Any thread may use it.
pub struct Event {
    source: EventSource,
}

impl Event {
    pub(crate) fn of(source: EventSource) -> Self {
        Event { source }
    }
}

/// Numbers of calls of schedlab_release() for one task during the run.
#[repr(C)]
pub struct EventCounts {
    /// All calls.
    pub calls: u64,
    /// Calls that came too early, whose jobs were to arrive later.
    pub delayed: u64,
    /// Calls that came while the job of an earlier one was still to arrive: they released none.
    pub refused: u64,
}

/// Releases the next job of an event-driven task, as early as the task's period allows. Any thread may call this at any
/// time, and so may a signal's handler: it takes no lock and never waits. A thread above the tasks notices the call, on
/// the first processor of the task's cluster. Returns SCHEDLAB_RELEASED, SCHEDLAB_DELAYED, SCHEDLAB_TOO_EARLY,
/// SCHEDLAB_NOT_RUNNING or, for a null pointer, SCHEDLAB_ERROR.
///
/// # Safety
/// In all functions of an event, it is one that schedlab_event_driven() returned, and its system is not freed yet.
#[no_mangle]
pub unsafe extern "C" fn schedlab_release(event: *const Event) -> i32 {
    // A job that is cut here would have written down an arrival of which no thread is notified.
    uncut(|| {
        // SAFETY: as the caller says.
        let Some(event) = (unsafe { event.as_ref() }) else { return no_event() };
        match event.source.release() {
            Released::Now(_) => SCHEDLAB_RELEASED,
            Released::Delayed(_) => SCHEDLAB_DELAYED,
            Released::Refused => SCHEDLAB_TOO_EARLY,
            Released::NotRunning => SCHEDLAB_NOT_RUNNING,
        }
    })
}

/// Writes how often schedlab_release() was called during the run so far. Returns 0, or SCHEDLAB_ERROR for a null
/// pointer.
#[no_mangle]
pub unsafe extern "C" fn schedlab_count_events(event: *const Event, counts: *mut EventCounts) -> i32 {
    // SAFETY: as the caller says.
    let (Some(event), false) = (unsafe { event.as_ref() }, counts.is_null()) else { return no_event() };
    let CallCounts { calls, delayed, refused } = event.source.counts();
    // SAFETY: it is not null, and the caller gives a place for it.
    unsafe { counts.write(EventCounts { calls, delayed, refused }) };
    0
}

/// Notes that a pointer is null.
fn no_event() -> i32 {
    failed(null("event", "what schedlab_event_driven() returned, and a place for its numbers"))
}
