//! Calls that a task's code may make.

use crate::error::{done, failed, note, null, GIVEN_OUT, SCHEDLAB_ERROR};
use schedlab_model::{Duration, ResourceId};
use schedlab_runtime::{enter_uncut, leave_uncut, uncut, Call, Context, Misuse};
use std::ffi::c_void;
use std::sync::OnceLock;

/// A task, as its code sees it: at first without a job, then with one after the other. Only the task's own thread may
/// use it.
pub struct Job<'a, 'c> {
    pub(crate) context: &'a mut Context<'c>,
    pub(crate) names: &'a Names,
}

/// Names of the resources, set at the begin of the run.
#[derive(Default)]
pub(crate) struct Names(pub OnceLock<Vec<String>>);

impl Names {
    fn of(&self, resource: ResourceId) -> String {
        let name = self.0.get().and_then(|names| names.get(resource.index()));
        name.cloned().unwrap_or_else(|| resource.to_string())
    }
}

/// Returns the task; a null pointer is stored as an error.
///
/// # Safety
///
/// `job` is null, or what the task's code was given, in its own thread.
unsafe fn task<'t, 'a, 'c>(job: *mut Job<'a, 'c>) -> Option<&'t mut Job<'a, 'c>> {
    // SAFETY: as the caller says.
    let task = unsafe { job.as_mut() };
    if task.is_none() {
        uncut(|| note(null("job", "the one that the task's code was given")));
    }
    task
}

/// Returns the job's context.
///
/// # Safety
///
/// As for [`task`].
unsafe fn context<'s, 'c>(job: *const Job<'s, 'c>) -> Option<&'s Context<'c>> {
    // SAFETY: as the caller says; nothing else reaches it meanwhile.
    unsafe { task(job.cast_mut()) }.map(|task| &*task.context)
}

/// Makes a call through the job's context.
unsafe fn call(job: *mut Job<'_, '_>, call: Call) -> i32 {
    // SAFETY: as the caller says.
    let Some(Job { context, names }) = (unsafe { task(job) }) else { return SCHEDLAB_ERROR };
    uncut(|| done(context.call(call).map_err(|misuse| misuse.explain(|resource| names.of(resource)))))
}

/// Makes a call about a resource through the job's context.
unsafe fn call_on(job: *mut Job<'_, '_>, resource: i32, about: impl FnOnce(ResourceId) -> Call) -> i32 {
    let Ok(number) = u32::try_from(resource) else {
        return uncut(|| failed(format!("resource {resource}: {GIVEN_OUT}")));
    };
    // SAFETY: as the caller says.
    unsafe { call(job, about(ResourceId(number))) }
}

/// Ends the job, if there is one, and waits for the task's next one. Returns false once the run is over: then the
/// task's code has to return.
///
/// A child that a task forks has no part in the run. In the child, this returns false, all calls that can fail do,
/// schedlab_end() does nothing, and schedlab_is_over() is true. If the child returns from the task's code, it exits
/// with 0.
///
/// # Safety
/// In all functions of a job, it is the one that the task's code was given, in its own thread. A null pointer is
/// refused: numbers and times are 0 then.
#[no_mangle]
pub unsafe extern "C" fn schedlab_wait_for_next_job(job: *mut Job<'_, '_>) -> bool {
    // SAFETY: as the caller says.
    let Some(Job { context, .. }) = (unsafe { task(job) }) else { return false };
    if context.is_forked() {
        note(Misuse::OtherProcess);
    }
    context.next_job()
}

/// Returns the job's number, from zero.
#[no_mangle]
pub unsafe extern "C" fn schedlab_job_number(job: *const Job<'_, '_>) -> u32 {
    // SAFETY: as the caller says.
    unsafe { context(job) }.map_or(0, |context| context.job().number)
}

/// Returns the arrival of the job, in nanoseconds from the start of the run.
#[no_mangle]
pub unsafe extern "C" fn schedlab_job_arrival(job: *const Job<'_, '_>) -> u64 {
    // SAFETY: as the caller says.
    unsafe { context(job) }.map_or(0, |context| context.arrival().as_ns())
}

/// Returns the absolute deadline of the job, in nanoseconds from the start of the run.
#[no_mangle]
pub unsafe extern "C" fn schedlab_job_deadline(job: *const Job<'_, '_>) -> u64 {
    // SAFETY: as the caller says.
    unsafe { context(job) }.map_or(0, |context| context.absolute_deadline().as_ns())
}

/// Returns the present time, in nanoseconds from the start of the run.
#[no_mangle]
pub unsafe extern "C" fn schedlab_now(job: *const Job<'_, '_>) -> u64 {
    // SAFETY: as the caller says.
    unsafe { context(job) }.map_or(0, |context| context.now().as_ns())
}

/// Waits for a resource by the rules of the protocol, and holds it then. The task's section on it must have been
/// declared (schedlab_uses(), or the scenario's program). After the end of the run it waits until no other thread is in
/// a section: one goes on after the other, each alone, whatever is declared. Threads that wait in this way within
/// sections of their own wait for each other, and none of them goes on.
#[no_mangle]
pub unsafe extern "C" fn schedlab_lock(job: *mut Job<'_, '_>, resource: i32) -> i32 {
    // SAFETY: as the caller says.
    unsafe { call_on(job, resource, |resource| Call::Lock(resource, 1)) }
}

/// Gives a resource back.
#[no_mangle]
pub unsafe extern "C" fn schedlab_unlock(job: *mut Job<'_, '_>, resource: i32) -> i32 {
    // SAFETY: as the caller says.
    unsafe { call_on(job, resource, |resource| Call::Unlock(resource, 1)) }
}

/// The code of a section, which may be executed by the thread of a server.
pub type Section = Option<unsafe extern "C" fn(argument: *mut c_void)>;

/// The argument of a section's code. The caller promises that the code may use it in another thread.
struct Argument(*mut c_void);
// SAFETY: as said.
unsafe impl Send for Argument {}

/// Calls the code with the argument as a section on a resource, and returns after it. A protocol of servers, such as
/// "pfair-server", has the thread of the resource's server call the code; under all others this thread does. Servers
/// refuse schedlab_lock(), because the code between it and schedlab_unlock() is the client's.
#[no_mangle]
pub unsafe extern "C" fn schedlab_section(
    job: *mut Job<'_, '_>,
    resource: i32,
    code: Section,
    argument: *mut c_void,
) -> i32 {
    let Some(code) = code else { return uncut(|| failed(null("code", "a function"))) };
    let Ok(number) = u32::try_from(resource) else {
        return uncut(|| failed(format!("resource {resource}: {GIVEN_OUT}")));
    };
    // SAFETY: as the caller says.
    let Some(Job { context, names }) = (unsafe { task(job) }) else { return SCHEDLAB_ERROR };
    let argument = Argument(argument);
    let section = move || {
        let argument = argument;
        // SAFETY: the caller's code takes the argument that he gave.
        unsafe { code(argument.0) }
    };
    let did = context.try_section(ResourceId(number), section);
    uncut(|| done(did.map_err(|misuse| misuse.explain(|resource| names.of(resource)))))
}

/// The code of a server, for schedlab_create_task() and schedlab_set_code(): it executes the sections of other tasks on
/// the resources that the task's program serves. The argument is ignored.
#[no_mangle]
pub unsafe extern "C" fn schedlab_serve(job: *mut Job<'_, '_>, _: *mut c_void) {
    // SAFETY: as the caller says.
    let Some(Job { context, .. }) = (unsafe { task(job) }) else { return };
    while context.next_job() {
        if let Err(misuse) = context.try_serve() {
            return uncut(|| note(misuse));
        }
    }
}

/// Begins a non-preemptive section of the job. Sections nest. After the end of the run the call waits as
/// schedlab_lock() does.
#[no_mangle]
pub unsafe extern "C" fn schedlab_enter_np(job: *mut Job<'_, '_>) -> i32 {
    // SAFETY: as the caller says.
    unsafe { call(job, Call::EnterNonPreemptive) }
}

/// Ends a non-preemptive section; a preemption that was delayed happens now.
#[no_mangle]
pub unsafe extern "C" fn schedlab_exit_np(job: *mut Job<'_, '_>) -> i32 {
    // SAFETY: as the caller says.
    unsafe { call(job, Call::ExitNonPreemptive) }
}

/// Gives up the processor for `ns` nanoseconds.
#[no_mangle]
pub unsafe extern "C" fn schedlab_suspend(job: *mut Job<'_, '_>, ns: u64) -> i32 {
    // SAFETY: as the caller says.
    unsafe { call(job, Call::Suspend(Duration::from_ns(ns))) }
}

/// Asks for the end of the run: from then on schedlab_wait_for_next_job() returns false.
#[no_mangle]
pub unsafe extern "C" fn schedlab_end(job: *const Job<'_, '_>) {
    // SAFETY: as the caller says.
    if let Some(context) = unsafe { context(job) } {
        context.end_run();
    }
}

/// Returns true once the run is over. Code that goes on for long ought to check this, and to return.
#[no_mangle]
pub unsafe extern "C" fn schedlab_is_over(job: *const Job<'_, '_>) -> bool {
    // SAFETY: as the caller says.
    unsafe { context(job) }.is_none_or(Context::is_over)
}

/// Returns true if the job was given up at its termination time, under a utility-accrual scheduler. From then on the
/// job executes its abort handler, which goes before all jobs. Code that is not cut ought to check this, and to wait
/// for the next job soon. System calls return EINTR when the job is given up; one that begins just then, 50 ms later.
#[no_mangle]
pub unsafe extern "C" fn schedlab_is_aborted(job: *const Job<'_, '_>) -> bool {
    // SAFETY: as the caller says.
    unsafe { context(job) }.is_some_and(Context::aborted)
}

/// Lets the job be cut when it is given up: its thread goes on at `landing`, a sigjmp_buf that sigsetjmp() wrote with
/// the signal mask. The frame of that call must exist until schedlab_set_landing() is called with null. schedlab_cut()
/// does all this.
#[no_mangle]
pub unsafe extern "C" fn schedlab_set_landing(job: *mut Job<'_, '_>, landing: *mut c_void) {
    // SAFETY: as the caller says.
    if let Some(task) = unsafe { task(job) } {
        // SAFETY: as the caller says; C has no destructors, and the library's own code is not cut.
        unsafe { task.context.set_landing(landing) };
    }
}

/// Ends the job's code. Returns false if the job was given up before: the code up to schedlab_wait_for_next_job() is
/// then its abort handler. The handler may leave the sections that the job is in; the library leaves the remaining
/// ones, the last first.
#[no_mangle]
pub unsafe extern "C" fn schedlab_complete(job: *mut Job<'_, '_>) -> bool {
    // SAFETY: as the caller says.
    unsafe { task(job) }.is_some_and(|task| task.context.complete())
}

/// Begins a part of the code in which the calling thread's job is not cut, for calls that must not be left half done,
/// such as malloc() and printf(). Such parts nest.
#[no_mangle]
pub extern "C" fn schedlab_enter_uncut() {
    enter_uncut();
}

/// Ends schedlab_enter_uncut(). A job that was given up meanwhile is cut now.
#[no_mangle]
pub extern "C" fn schedlab_leave_uncut() {
    leave_uncut();
}
