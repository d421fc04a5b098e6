//! The calls by which a task's code asks the runtime for something.

use crate::task::current::Current;
use crate::task::gated::Gated;
use crate::task::kernel_class_thread::KernelClassThread;
use crate::task::native_thread::NativeThread;
use crate::task::sections::{Call, Misuse};
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use std::ffi::c_void;
use std::sync::atomic::Ordering::SeqCst;

/// The way in which the task's thread is scheduled.
enum Under<'a> {
    Gate(Gated<'a>),
    Kernel(KernelClassThread<'a>),
    Native(NativeThread<'a>),
}

/// Passes a call on to the thread, whichever way it is scheduled.
macro_rules! ask {
    ($context:expr, $thread:ident => $answer:expr) => {
        match $context {
            Under::Gate($thread) => $answer,
            Under::Kernel($thread) => $answer,
            Under::Native($thread) => $answer,
        }
    };
}

/// The runtime, as one task's code sees it: at first without a job, then with one after the other.
///
/// A job makes its calls between [`Context::next_job`] and the next; outside of a job these calls panic.
pub struct Context<'a>(Under<'a>);

impl<'a> Context<'a> {
    /// The context of a thread behind a gate.
    pub(crate) fn gated(thread: Gated<'a>) -> Self {
        Context(Under::Gate(thread))
    }

    /// The context of a thread that Linux schedules.
    pub(crate) fn under_kernel(thread: KernelClassThread<'a>) -> Self {
        Context(Under::Kernel(thread))
    }

    /// The context of a thread that a scheduler in the kernel schedules as an engine would.
    pub(crate) fn native(thread: NativeThread<'a>) -> Self {
        Context(Under::Native(thread))
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

    /// Ends the job that executes, and those that have arrived meanwhile: the task has no further job. A forked child
    /// ends here.
    pub(crate) fn leave(&mut self) {
        ask!(&mut self.0, thread => thread.leave());
    }

    /// True in a child that the task has forked: it has no part in the run, and all that it asks is refused.
    #[inline]
    pub fn is_forked(&self) -> bool {
        self.current().is_forked()
    }

    /// Asks for the end of the run; jobs go on until they notice. Does nothing in a forked child.
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

    /// States that the job's code has ended, instead of [`Context::next_job`]. False if the job was given up before:
    /// what follows until then is its abort handler.
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

    /// The arrival of the job.
    pub fn arrival(&self) -> Instant {
        self.current().arrival
    }

    /// The absolute deadline of the job.
    pub fn absolute_deadline(&self) -> Instant {
        self.current().absolute_deadline
    }

    /// The time now, since time zero of the run.
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

    /// Waits for `units` of `resource`, as [`Context::lock`] does for one.
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

    /// Executes `code` as a section on `resource`, and returns after it. Under a protocol of servers, the thread of the
    /// resource's server executes it, and under all others this thread.
    pub fn section(&mut self, resource: ResourceId, code: impl FnOnce() + Send + 'static) {
        if let Err(misuse) = self.try_section(resource, code) {
            panic!("{misuse}");
        }
    }

    /// Executes `code` as [`Context::section`] does, or returns why the job may not.
    pub fn try_section(
        &mut self,
        resource: ResourceId,
        code: impl FnOnce() + Send + 'static,
    ) -> Result<(), Misuse> {
        match &mut self.0 {
            Under::Gate(thread) => thread.section(resource, Box::new(code)),
            Under::Kernel(_) | Under::Native(_) => {
                self.call(Call::Lock(resource, 1))?;
                code();
                self.call(Call::Unlock(resource, 1))
            }
        }
    }

    /// Executes, as the job of a server, the sections for which other tasks' jobs wait, until none is left. The job is
    /// complete then: [`Context::next_job`] follows.
    pub fn serve(&mut self) {
        if let Err(misuse) = self.try_serve() {
            panic!("{misuse}");
        }
    }

    /// Executes sections as [`Context::serve`] does, or returns why the job may not.
    pub fn try_serve(&mut self) -> Result<(), Misuse> {
        match &mut self.0 {
            Under::Gate(thread) => thread.serve(),
            Under::Kernel(_) | Under::Native(_) => Err(Misuse::NoServer),
        }
    }

    /// Records that the attempt on the lock-free object `resource`, which [`Context::lock`] began, failed, and that
    /// another one begins. The attempt that is committed at last ends by [`Context::unlock`].
    pub fn retry(&mut self, resource: ResourceId) {
        self.must(Call::Retry(resource));
    }

    /// Enters a non-preemptive section. After the end of the run this waits as [`Context::lock`] does.
    #[inline]
    pub fn enter_non_preemptive(&mut self) {
        self.must(Call::EnterNonPreemptive);
    }

    /// Ends [`Context::enter_non_preemptive`]; a preemption that was delayed happens now.
    #[inline]
    pub fn exit_non_preemptive(&mut self) {
        self.must(Call::ExitNonPreemptive);
    }

    /// Gives up the processor for `length`: the job waits for something that schedlab does not know.
    pub fn suspend(&mut self, length: Duration) {
        self.must(Call::Suspend(length));
    }

    #[inline]
    fn must(&mut self, call: Call) {
        if let Err(misuse) = self.call(call) {
            misused(self.task(), misuse);
        }
    }

    /// Does what a job may do, or returns why it may not. After the end of the run sections begin one at a time, and
    /// nothing else happens.
    // Without this, a section takes 5.2 ns instead of 3.6: the kind of call would go through memory.
    #[inline(always)]
    pub fn call(&mut self, call: Call) -> Result<(), Misuse> {
        ask!(&mut self.0, thread => thread.call(call))
    }
}

#[cold]
fn misused(task: TaskId, misuse: Misuse) -> ! {
    panic!("{task}: {misuse}")
}
