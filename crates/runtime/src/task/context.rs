//! What a task's code may ask of the runtime.

use crate::task::current::Current;
use crate::task::gated::Gated;
use crate::task::kernel_class_thread::KernelClassThread;
use crate::task::sections::{Call, Misuse};
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

/// Who decides when the task's thread executes.
enum Under<'a> {
    Gate(Gated<'a>),
    Kernel(KernelClassThread<'a>),
}

/// Asks whichever it is.
macro_rules! ask {
    ($context:expr, $thread:ident => $answer:expr) => {
        match $context {
            Under::Gate($thread) => $answer,
            Under::Kernel($thread) => $answer,
        }
    };
}

/// The runtime, as one task's code sees it: at first without a job, then with one after the other.
///
/// What a job may do, it does between [`Context::next_job`] and the next; outside of a job these calls panic.
pub struct Context<'a>(Under<'a>);

impl<'a> Context<'a> {
    /// Of a thread behind a gate.
    pub(crate) fn gated(thread: Gated<'a>) -> Self {
        Context(Under::Gate(thread))
    }

    /// Of a thread that the kernel schedules.
    pub(crate) fn under_kernel(thread: KernelClassThread<'a>) -> Self {
        Context(Under::Kernel(thread))
    }

    #[inline]
    fn current(&self) -> &Current<'a> {
        ask!(&self.0, thread => &thread.current)
    }

    /// Ends the job, if there is one, and waits until the task's next may execute. False if the run is over, and in a
    /// forked child.
    pub fn next_job(&mut self) -> bool {
        ask!(&mut self.0, thread => thread.next_job())
    }

    /// The task has no further job: ends the one that executes, and those that have arrived meanwhile. A forked child
    /// ends here.
    pub(crate) fn leave(&mut self) {
        ask!(&mut self.0, thread => thread.leave());
    }

    /// True in a child that the task has forked: it has no part in the run, and all that it asks is refused.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.current().is_forked()
    }

    /// Asks for the end of the run; jobs go on until they notice. In a forked child it does nothing.
    pub fn end_run(&self) {
        // A child writes to its copy.
        self.current().stop.store(true, SeqCst);
    }

    /// True once the run is over, and in a forked child: code that goes on for long ought to look, and to return.
    pub fn is_over(&self) -> bool {
        ask!(&self.0, thread => thread.is_over())
    }

    /// True if the job was given up at its termination time. Code that goes on for long ought to look, and to return:
    /// what it executes from then on is its abort handler, which goes before all jobs. A system call returns EINTR when
    /// the job is given up, or, if it began just then, 50 ms later.
    #[inline]
    pub fn aborted(&self) -> bool {
        ask!(&self.0, thread => thread.aborted())
    }

    /// Says that the job's code has ended, instead of [`Context::next_job`]. False if the job was given up before: what
    /// follows until then is its abort handler.
    pub fn complete(&mut self) -> bool {
        ask!(&mut self.0, thread => thread.complete())
    }

    /// Sets where the job's thread goes on when the job is given up, until [`Context::complete`]: a `sigjmp_buf`.
    ///
    /// # Safety
    ///
    /// `sigsetjmp` wrote it in this thread, in a frame that is there until [`Context::complete`]. Of what is called
    /// until then, all but [`uncut`](crate::uncut) code may be left anywhere, without destructors.
    pub unsafe fn set_landing(&mut self, landing: *mut c_void) {
        ask!(&mut self.0, thread => thread.set_landing(landing));
    }

    /// The task.
    pub fn task(&self) -> TaskId {
        self.current().job.task
    }

    /// The job, or the last one.
    pub fn job(&self) -> JobId {
        self.current().job
    }

    /// When it arrived.
    pub fn arrival(&self) -> Instant {
        self.current().arrival
    }

    /// When it ought to be complete.
    pub fn absolute_deadline(&self) -> Instant {
        self.current().absolute_deadline
    }

    /// The time.
    pub fn now(&self) -> Instant {
        self.current().clock.now()
    }

    /// Waits for `resource` as the protocol says, and holds it then. After the end of the run it waits until no other
    /// thread is in a section.
    ///
    /// Panics, as the calls below do, where [`Context::call`] refuses.
    #[inline]
    pub fn lock(&mut self, resource: ResourceId) {
        self.lock_units(resource, 1);
    }

    /// As [`Context::lock`], for `units` of it.
    #[inline]
    pub fn lock_units(&mut self, resource: ResourceId, units: u32) {
        self.must(Call::Lock(resource, units));
    }

    /// Gives `resource` back.
    #[inline]
    pub fn unlock(&mut self, resource: ResourceId) {
        self.unlock_units(resource, 1);
    }

    /// Gives `units` of `resource` back.
    #[inline]
    pub fn unlock_units(&mut self, resource: ResourceId, units: u32) {
        self.must(Call::Unlock(resource, units));
    }

    /// The attempt on the lock-free object `resource`, which [`Context::lock`] began, failed, and another one begins:
    /// the trace has it. What is committed at last, [`Context::unlock`] says.
    pub fn retry(&mut self, resource: ResourceId) {
        self.must(Call::Retry(resource));
    }

    /// Is not preempted from now on. After the end of the run it is as for [`Context::lock`].
    #[inline]
    pub fn enter_non_preemptive(&mut self) {
        self.must(Call::EnterNonPreemptive);
    }

    /// Ends [`Context::enter_non_preemptive`]; a preemption that was delayed happens now.
    #[inline]
    pub fn exit_non_preemptive(&mut self) {
        self.must(Call::ExitNonPreemptive);
    }

    /// Gives up the processor for `length`: it waits for something that schedlab does not know.
    pub fn suspend(&mut self, length: Duration) {
        self.must(Call::Suspend(length));
    }

    #[inline]
    fn must(&mut self, call: Call) {
        if let Err(misuse) = self.call(call) {
            misused(self.task(), misuse);
        }
    }

    /// Does what a job may do, or says why it may not. After the end of the run sections begin one at a time, and
    /// nothing else happens.
    // Without this, a section takes 5.2 ns instead of 3.6: which call it is, goes through memory.
    #[inline(always)]
    pub fn call(&mut self, call: Call) -> Result<(), Misuse> {
        ask!(&mut self.0, thread => thread.call(call))
    }
}

#[cold]
fn misused(task: TaskId, misuse: Misuse) -> ! {
    panic!("{task}: {misuse}")
}
