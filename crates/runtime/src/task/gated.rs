//! A task's thread where schedlab decides: it reports to the engine what its job does, and waits at its gate.

use crate::backend::gates::gate::Gate;
use crate::engine::permission::Permission;
use crate::machine::sys;
use crate::task::current::Current;
use crate::task::fast_section::OwnFastSection;
use crate::task::sections::{Call, Misuse, Sections};
use crate::task::services::{SectionCode, Services};
use crate::task::shutdown::Shutdown;
use crate::task::task_thread::TaskThread;
use schedlab_model::{Duration, Instant, ResourceId, Step};
use schedlab_sim::Input;
use std::ffi::c_void;
use std::sync::atomic::AtomicBool;

/// The part of a [`Context`](crate::Context) that belongs to a thread behind a gate.
pub(crate) struct Gated<'a> {
    pub current: Current<'a>,
    thread: TaskThread<'a>,
    shutdown: &'a Shutdown,
    services: &'a Services,
    sections: Sections,
    fast_section: OwnFastSection,
    /// A budget server executes the task's jobs.
    is_client: bool,
    /// The thread has asked for its first job.
    begun: bool,
    over: bool,
    /// The task has no job any more, and never will.
    left: bool,
}

impl<'a> Gated<'a> {
    pub(crate) fn new(
        thread: TaskThread<'a>,
        (shutdown, services): (&'a Shutdown, &'a Services),
        stop: &'a AtomicBool,
        program: &[Step],
    ) -> Self {
        Gated {
            current: Current::of(thread.task, thread.around.clock, stop),
            is_client: thread.domain.is_client(thread.task),
            thread,
            shutdown,
            services,
            sections: Sections::of(program),
            fast_section: OwnFastSection::Nothing,
            begun: false,
            over: false,
            left: false,
        }
    }

    /// Ends the job, if there is one, and waits until the task's next may execute. False if the run is over, and in a
    /// forked child.
    pub(crate) fn next_job(&mut self) -> bool {
        if self.current.is_forked() {
            return false;
        }
        let executes = self.await_job();
        self.leave_sections_if_over();
        executes
    }

    fn await_job(&mut self) -> bool {
        self.end_job(Input::Complete);
        if self.over || self.left {
            return false;
        }
        self.gate().set_inside(true);
        if !std::mem::replace(&mut self.begun, true) {
            self.gate().thread_timer.allow();
            self.gate().set_working(true);
        }
        if self.thread.domain.has_left(self.thread.around, self.thread.task) {
            self.retire();
            return false;
        }
        let Permission::Execute(cpu) = self.thread.wait_to_execute().0 else {
            self.over = true;
            self.thread.pass(self.current.job.number);
            return false;
        };
        self.look_up_job();
        let number = self.current.job.number;
        self.gate().passed(cpu, number);
        self.over = self.thread.pass(number) == Permission::End;
        self.current.executing = !self.over;
        self.current.executing
    }

    /// Ends the job that executes, and those that have arrived meanwhile: the task has no further job. A forked child
    /// ends here.
    pub(crate) fn leave(&mut self) {
        if self.current.is_forked() {
            sys::exit_at_once();
        }
        if self.current.executing || self.next_job() {
            self.end_job(Input::Leave);
            while self.next_job() {}
        }
    }

    /// Makes the thread an ordinary one, because its task never has a job again. Its code may still do what it likes,
    /// but it never comes near the engine again, where others of higher priority would wait for it.
    fn retire(&mut self) {
        self.left = true;
        self.thread.report_noted();
        let _ = sys::set_other(sys::current_thread());
        self.gate().set_working(false);
        self.gate().set_inside(false);
    }

    fn end_job(&mut self, input: Input) {
        if !self.current.executing {
            self.sections.leave_all();
            return;
        }
        self.give_all_back();
        // The run may have ended meanwhile.
        if self.current.executing {
            self.current.executing = false;
            if !self.thread.report(input) {
                self.report(Input::HandedBack);
            }
        }
    }

    /// Gives back all that the job holds, because it is gone.
    fn give_all_back(&mut self) {
        while let Some((resource, units)) = self.sections.last_held() {
            self.release(resource, units).expect("it is held");
        }
        while self.sections.is_non_preemptive() {
            self.exit().expect("it is in such a section");
        }
    }

    /// States that the job's code has ended. False if the job was given up before: what follows is its abort handler,
    /// until the next job begins. The thread makes no abort jump from now on.
    pub(crate) fn complete(&mut self) -> bool {
        self.gate().set_landing(std::ptr::null_mut());
        if !self.current.executing || self.current.is_forked() {
            return true;
        }
        if self.gate().has_been_aborted() {
            return false;
        }
        self.give_all_back();
        // The run may have ended meanwhile.
        self.current.executing = self.current.executing && !self.thread.report(Input::Complete);
        !self.current.executing
    }

    /// True if the job was given up: what it executes from now on is its abort handler.
    #[inline]
    pub(crate) fn aborted(&self) -> bool {
        self.current.executing && self.gate().has_been_aborted()
    }

    /// Sets where the thread goes on when the job is given up.
    pub(crate) fn set_landing(&mut self, landing: *mut c_void) {
        if self.current.executing {
            self.gate().set_landing(landing);
            self.gate().jump_if_aborted();
        }
    }

    fn gate(&self) -> &'a Gate {
        self.thread.gate
    }

    /// True once the run is over, and in a forked child: code that goes on for long ought to look, and to return.
    pub(crate) fn is_over(&self) -> bool {
        self.over || self.current.is_forked() || self.gate().permission() == Permission::End
    }

    /// Does what a job may do, or returns why it may not. After the end of the run sections begin one at a time, and
    /// nothing else happens.
    #[inline(always)]
    pub(crate) fn call(&mut self, call: Call) -> Result<(), Misuse> {
        match call {
            Call::Lock(resource, units) => self.request(resource, units),
            Call::Unlock(resource, units) => self.release(resource, units),
            Call::Retry(resource) => self.retry(resource),
            Call::EnterNonPreemptive => self.enter(),
            Call::ExitNonPreemptive => self.exit(),
            Call::Suspend(length) => self.suspend_for(length),
        }
    }

    #[inline]
    fn request(&mut self, resource: ResourceId, units: u32) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            self.no_job()?;
            self.sections.request_anything(resource, units);
            self.begin_after_end();
            return Ok(());
        }
        let is_outermost = self.sections.is_outside();
        self.sections.request(resource, units)?;
        if !(is_outermost && units == 1 && self.fast_section.take(&self.thread, resource)) {
            if self.thread.domain.is_served(resource) {
                self.sections.release(resource, units).expect("it was asked for");
                return Err(Misuse::Served(resource));
            }
            self.report_and_begin(Input::Request(resource, units), true);
            if self.current.executing && self.gate().take_withdrawal() {
                self.sections.release(resource, units).expect("it was asked for");
            }
        }
        Ok(())
    }

    #[inline]
    fn release(&mut self, resource: ResourceId, units: u32) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            self.no_job()?;
            // The end of the run may have taken what is not held any more.
            let _ = self.sections.release(resource, units);
            self.leave_sections_if_over();
            return Ok(());
        }
        self.sections.release(resource, units)?;
        if !self.fast_section.give(&self.thread, resource) {
            self.report_and_go_on(Input::Release(resource, units));
        }
        Ok(())
    }

    /// Executes `code` as a section on `resource`, or has its server execute it.
    pub(crate) fn section(&mut self, resource: ResourceId, code: SectionCode) -> Result<(), Misuse> {
        let is_served = self.thread.domain.is_served(resource);
        if !is_served || !self.current.executing || self.current.is_forked() {
            self.request(resource, 1)?;
            code();
            return self.release(resource, 1);
        }
        self.sections.request(resource, 1)?;
        self.gate().set_inside(true);
        self.services.put(self.thread.task, code);
        self.report_and_begin(Input::Request(resource, 1), false);
        if self.over {
            // The server may be in the section, or may not have begun it.
            if let Some(code) = self.services.take_back(self.thread.task) {
                self.begin_after_end();
                code();
            }
        }
        // The end of the run may have taken what is not held any more.
        let _ = self.sections.release(resource, 1);
        self.leave_sections_if_over();
        Ok(())
    }

    /// Executes the sections for which other tasks' jobs wait, one after the other, until none is left: the job of the
    /// server is complete then.
    pub(crate) fn serve(&mut self) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            return self.no_job();
        }
        self.gate().set_inside(true);
        let mut next = self.thread.domain.serving(self.thread.around, self.thread.task).1;
        if next.is_none() {
            self.go_on();
            return Err(Misuse::NoServer);
        }
        while let Some(section) = next {
            let services = self.services;
            let service = services.take(section.job.task);
            self.go_on();
            let Some(mut service) = service else { break };
            service.execute();
            self.gate().set_inside(true);
            drop(service);
            if !self.current.executing {
                break;
            }
            self.report(Input::Release(section.resource, section.units));
            let (job, more) = self.thread.domain.serving(self.thread.around, self.thread.task);
            next = more.filter(|_| job == self.current.job);
            // Without another section, the engine has completed the job.
            self.current.executing = next.is_some();
        }
        self.leave_sections_if_over();
        Ok(())
    }

    /// Records that the job's attempt on the object failed.
    fn retry(&mut self, resource: ResourceId) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            return self.no_job();
        }
        self.sections.check_held(resource)?;
        // No thread may be stopped at the engine.
        self.gate().set_inside(true);
        if !self.thread.domain.attempts(self.thread.around, self.thread.task) {
            self.go_on();
            return Err(Misuse::NoAttempt(resource));
        }
        self.report_and_go_on(Input::Retry(resource));
        Ok(())
    }

    #[inline]
    fn enter(&mut self) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        self.refuse_client()?;
        // Within another one there is nothing to wait for after the end.
        let is_first = !self.sections.is_non_preemptive();
        if !self.current.executing {
            self.no_job()?;
            self.sections.enter_non_preemptive();
            if is_first {
                self.begin_after_end();
            }
            return Ok(());
        }
        let is_outermost = self.sections.is_outside();
        self.sections.enter_non_preemptive();
        if !(is_outermost && self.fast_section.enter(&self.thread)) {
            self.report_and_begin(Input::NpEnter, is_first);
        }
        Ok(())
    }

    #[inline]
    fn exit(&mut self) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            self.no_job()?;
            // As above.
            let _ = self.sections.exit_non_preemptive();
            self.leave_sections_if_over();
            return Ok(());
        }
        self.sections.exit_non_preemptive()?;
        if self.sections.is_non_preemptive() || !self.fast_section.exit(&self.thread) {
            self.report_and_go_on(Input::NpExit);
        }
        Ok(())
    }

    /// Refuses what rules of budget servers do not know of clients: no budget ends within a section.
    #[inline]
    fn refuse_client(&self) -> Result<(), Misuse> {
        match self.is_client {
            true => Err(Misuse::Client),
            false => Ok(()),
        }
    }

    /// Answers a call while no job executes: after the end of the run, the call does nothing.
    #[cold]
    fn no_job(&mut self) -> Result<(), Misuse> {
        self.over |= self.gate().permission() == Permission::End;
        if self.over {
            Ok(())
        } else {
            Err(Misuse::NoJob)
        }
    }

    #[cold]
    fn report_and_go_on(&mut self, input: Input) {
        self.report(input);
        self.go_on();
        self.leave_sections_if_over();
    }

    #[cold]
    fn report_and_begin(&mut self, input: Input, excludes: bool) {
        self.report(input);
        self.go_on();
        if self.over && excludes {
            self.begin_after_end();
        }
    }

    /// Begins, after the end of the run, the last section that the thread has asked for.
    #[cold]
    fn begin_after_end(&mut self) {
        // A thread whose code does not end is shut in: not here, where others would wait behind it.
        self.gate().set_inside(true);
        self.shutdown.begin(self.thread.task, self.sections.are_nested());
        self.thread.pass(self.current.job.number);
    }

    /// States, once the run is over, that the thread is in no section, for which other threads wait.
    fn leave_sections_if_over(&self) {
        if self.over && self.sections.is_outside() {
            self.gate().set_inside(true);
            self.shutdown.leave(self.thread.task);
            self.thread.pass(self.current.job.number);
        }
    }

    /// Leaves the runtime's code. The task's live job may be another one than before, if that was ended at its budget.
    fn go_on(&mut self) {
        loop {
            if self.thread.pass(self.gate().job_number()) == Permission::End {
                (self.over, self.current.executing) = (true, false);
                return;
            }
            if self.gate().job_number() == self.current.job.number {
                return;
            }
            // No thread may be stopped at the engine.
            self.gate().set_inside(true);
            self.look_up_job();
        }
    }

    /// Asks the engine which of the task's jobs is live.
    fn look_up_job(&mut self) {
        (self.current.job, self.current.arrival, self.current.absolute_deadline) =
            self.thread.domain.live_job(self.thread.around, self.thread.task);
    }

    fn report(&self, input: Input) {
        let is_accepted = self.thread.report(input);
        assert!(is_accepted, "only completions come too late");
    }

    fn suspend_for(&mut self, length: Duration) -> Result<(), Misuse> {
        self.current.refuse_forked()?;
        if !self.current.executing {
            return self.no_job();
        }
        self.sections.check_suspension()?;
        self.refuse_client()?;
        self.report(Input::Suspend);
        // A job whose suspension is longer than the run is not woken.
        let until = self.current.clock.now().checked_add(length).unwrap_or(Instant::NEVER);
        self.thread.domain.wake_at(self.thread.around, self.current.job, until);
        self.go_on();
        self.leave_sections_if_over();
        Ok(())
    }
}
