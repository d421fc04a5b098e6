//! Chooses the thread that reports to the engine what happens next by itself, and sets that thread's timer.
//!
//! A thread that sleeps on an idle processor wakes up for it; a thread that executes is interrupted for it. Both are
//! awake anyway, or have to be soon. A timer thread is woken only where there is neither of them; else it stands in,
//! should the owner of the timer be kept from it.

use super::core::Core;
use super::Domain;
use crate::engine::permission::Permission;
use crate::engine::surroundings::Surroundings;
use crate::machine::clock::Clock;
use crate::timers::owner::TimerOwner;
use schedlab_model::{CpuId, Instant, TaskId};

impl Domain {
    /// When that was due which has been due by `now` and which no thread has decided about yet, by the monotonic clock.
    pub(crate) fn due_by(&self, now: u64) -> Option<u64> {
        self.due.by(|| now)
    }
}

impl Core {
    /// Forgets the timer if it was set for a time up to `now`: what was due then was reported.
    pub(super) fn disarm_before(&mut self, now: u64) {
        self.arming.armed = self.arming.armed.filter(|(_, due)| *due > now);
    }

    /// When something happens next by itself, by the monotonic clock, if anything does; and the processor where its
    /// timer ought to be set.
    pub(super) fn next(&self, clock: &Clock) -> (Option<u64>, CpuId) {
        let wake = self.wakes.iter().map(|(at, _)| (*at, self.wakes_on));
        let (next, on) = wake.fold((self.live.next(), self.live.next_on()), |first, wake| first.min(wake));
        // What is due at the horizon never happens: a timer would find it due again and again.
        ((next < self.horizon).then(|| clock.monotonic(next)), on)
    }

    /// Chooses the thread that owns the timer for `due`, which ought to be set on the processor `on`, and sets it. The
    /// caller may be a task's thread, `me`.
    pub(super) fn arm(
        &mut self,
        cpus: &[CpuId],
        around: Surroundings<'_>,
        me: Option<TaskId>,
        (due, on): (Option<u64>, CpuId),
    ) {
        if let Some(me) = me {
            self.set_own_timer(cpus, around, me, due.filter(|_| self.sleeps_on(me, cpus) == Some(on)));
        }
        let here = me.and_then(|me| self.bound[me.index()]).or_else(|| (cpus.len() == 1).then_some(cpus[0]));
        let armed = due.map(|due| (self.timer_owner(cpus, around, (here, on), due), due));
        if armed == self.arming.armed {
            return;
        }
        let before = self.arming.armed.take().map(|(owner, _)| owner);
        match armed {
            Some((TimerOwner::TimerThread(cpu), due)) => around.alarms[cpu.index()].set(due),
            Some((TimerOwner::Sleeping(_), due)) => around.alarms[cpus[0].index()].stand_in(due),
            Some((TimerOwner::Executing(task), due)) => {
                around.threads.arm_executing(task, due);
                around.alarms[cpus[0].index()].stand_in(due);
            }
            None => {}
        }
        // Not before the new one is set: where both are due at once, the kernel leaves the processor's hardware timer
        // alone, whose setting takes the longest.
        if let Some(TimerOwner::Executing(task)) =
            before.filter(|before| armed.is_none_or(|(owner, _)| owner != *before))
        {
            around.threads.disarm_executing(task);
        }
        self.arming.armed = armed;
    }

    /// Sets when the thread of `me` wakes up by itself, if it is about to sleep on an idle processor: at `due`, or else
    /// at its own next arrival.
    fn set_own_timer(&mut self, cpus: &[CpuId], around: Surroundings<'_>, me: TaskId, due: Option<u64>) {
        let Some(cpu) = self.sleeps_on(me, cpus) else { return };
        let own = Some(self.live.next_arrival(me)).filter(|next| *next < self.horizon);
        if let Some(due) = due.or(own.map(|own: Instant| around.clock.monotonic(own))) {
            around.threads.arm_waiting(me, due);
            let place = cpus.iter().position(|known| *known == cpu).expect("it is the domain's");
            self.arming.sleepers[place] = Some(me);
        }
    }

    /// The thread that ought to own the timer for `due`. A thread that sleeps is best on the processor `on`. A thread
    /// that executes is best `here`, on the caller's processor, if that is known: a timer fires where it was set, and
    /// another processor would have to be interrupted, too.
    fn timer_owner(
        &self,
        cpus: &[CpuId],
        around: Surroundings<'_>,
        (here, on): (Option<CpuId>, CpuId),
        due: u64,
    ) -> TimerOwner {
        let wakes = |task: TaskId| {
            self.sleeps_on(task, cpus).is_some() && around.threads.waiting_until(task) == Some(due)
        };
        let runs = |task: TaskId| {
            self.arming.interrupts
                && self.permission(task) != Permission::Wait
                && around.threads.can_be_timed(task)
        };
        // The timer is left to its owner.
        match self.arming.armed.filter(|(_, armed)| *armed == due) {
            Some((TimerOwner::Sleeping(task), _)) if wakes(task) => return TimerOwner::Sleeping(task),
            Some((TimerOwner::Executing(task), _)) if runs(task) => return TimerOwner::Executing(task),
            Some((TimerOwner::TimerThread(cpu), _)) => return TimerOwner::TimerThread(cpu),
            Some((TimerOwner::Sleeping(_) | TimerOwner::Executing(_), _)) | None => {}
        }
        let place_of = |wanted| cpus.iter().position(|cpu| *cpu == wanted);
        let place = place_of(on).unwrap_or(0);
        if let Some(task) = self.arming.sleepers[place].filter(|task| wakes(*task)) {
            return TimerOwner::Sleeping(task);
        }
        let first = [here.and_then(place_of).unwrap_or(place), place];
        let first = first.into_iter().filter_map(|place| self.scheduled[place]);
        let executing = first.chain(self.scheduled.iter().flatten().copied());
        match executing.map(|job| job.task).find(|task| runs(*task)) {
            Some(task) => TimerOwner::Executing(task),
            None => TimerOwner::TimerThread(on),
        }
    }

    /// The idle processor where the thread of `task` waits at its gate, or is about to.
    fn sleeps_on(&self, task: TaskId, cpus: &[CpuId]) -> Option<CpuId> {
        let waits = self.permission(task) == Permission::Wait && !self.live.has_left(task);
        let cpu = self.bound[task.index()].filter(|_| waits)?;
        let idle = cpus.iter().position(|known| *known == cpu);
        let idle = idle.is_some_and(|place| self.scheduled[place].is_none());
        idle.then_some(cpu)
    }
}
