//! Who tells the engine of what happens next by itself.
//!
//! A thread that sleeps on an idle processor wakes up for it; a thread that executes is interrupted for it. Both are awake anyway, or
//! have to be soon. Only where there is neither, a timer thread is woken; else it stands in, should the other one be kept from it.

use super::core::Core;
use super::taker::Taker;
use super::Surroundings;
use crate::gate::Permission;
use schedlab_model::{CpuId, Instant, TaskId};

impl Core {
    /// What was due has been told of.
    pub(super) fn disarm_before(&mut self, now: u64) {
        self.arming.armed = self.arming.armed.filter(|(_, due)| *due > now);
    }

    /// Sees to it that the engine is told of what happens next by itself. The caller may be a task's thread, `me`. Says when that is,
    /// by the monotonic clock; `None` if nothing happens by itself any more.
    pub(super) fn arm(
        &mut self,
        cpus: &[CpuId],
        around: Surroundings<'_>,
        me: Option<TaskId>,
    ) -> Option<u64> {
        let wake = self.wakes.iter().map(|(at, _)| (*at, self.wakes_on));
        let (next, on) = wake.fold((self.live.next(), self.live.next_on()), |first, wake| first.min(wake));
        // What is due at the horizon never happens: a timer would find it due again and again.
        let due = (next < self.horizon).then(|| around.clock.monotonic(next));
        if let Some(me) = me {
            self.set_own_alarm(cpus, around, me, due.filter(|_| self.sleeps_on(me, cpus) == Some(on)));
        }
        let armed = due.map(|due| (self.taker(cpus, around, on, due), due));
        if armed == self.arming.armed {
            return due;
        }
        let before = self.arming.armed.take().map(|(taker, _)| taker);
        match armed {
            Some((Taker::Timer(cpu), due)) => around.alarms[cpu.index()].set(due),
            Some((Taker::Sleeper(_), due)) => around.alarms[cpus[0].index()].stand_in(due),
            Some((Taker::Runner(task), due)) => {
                around.gates[task.index()].set_bell(due);
                around.alarms[cpus[0].index()].stand_in(due);
            }
            None => {}
        }
        // Not before: where both are due at once, the kernel leaves the processor's own timer alone, which takes it the longest.
        if let Some(Taker::Runner(task)) =
            before.filter(|before| armed.is_none_or(|(taker, _)| taker != *before))
        {
            around.gates[task.index()].unset_bell();
        }
        self.arming.armed = armed;
        due
    }

    /// If the thread of `me` is about to sleep on an idle processor, it wakes up for what is `due` there, if that is known, or for its own
    /// next arrival.
    fn set_own_alarm(&mut self, cpus: &[CpuId], around: Surroundings<'_>, me: TaskId, due: Option<u64>) {
        let Some(cpu) = self.sleeps_on(me, cpus) else { return };
        let own = Some(self.live.next_arrival(me)).filter(|next| *next < self.horizon);
        if let Some(due) = due.or(own.map(|own: Instant| around.clock.monotonic(own))) {
            around.gates[me.index()].set_alarm(due);
            let at = cpus.iter().position(|at| *at == cpu).expect("it is the domain's");
            self.arming.sleepers[at] = Some(me);
        }
    }

    /// Who tells of what is `due`, best on the processor `on`.
    fn taker(&self, cpus: &[CpuId], around: Surroundings<'_>, on: CpuId, due: u64) -> Taker {
        let wakes = |task: TaskId| {
            self.sleeps_on(task, cpus).is_some() && around.gates[task.index()].alarm() == Some(due)
        };
        let runs = |task: TaskId| {
            self.arming.interrupts
                && self.permission(task) != Permission::Wait
                && around.gates[task.index()].has_bell()
        };
        // It is left to the thread that has it.
        match self.arming.armed.filter(|(_, armed)| *armed == due) {
            Some((Taker::Sleeper(task), _)) if wakes(task) => return Taker::Sleeper(task),
            Some((Taker::Runner(task), _)) if runs(task) => return Taker::Runner(task),
            Some((Taker::Timer(cpu), _)) => return Taker::Timer(cpu),
            Some((Taker::Sleeper(_) | Taker::Runner(_), _)) | None => {}
        }
        let at = cpus.iter().position(|cpu| *cpu == on).unwrap_or(0);
        if let Some(task) = self.arming.sleepers[at].filter(|task| wakes(*task)) {
            return Taker::Sleeper(task);
        }
        let executing = self.scheduled[at].into_iter().chain(self.scheduled.iter().flatten().copied());
        match executing.map(|job| job.task).find(|task| runs(*task)) {
            Some(task) => Taker::Runner(task),
            None => Taker::Timer(on),
        }
    }

    /// The idle processor of a thread that waits at its gate, or is about to.
    fn sleeps_on(&self, task: TaskId, cpus: &[CpuId]) -> Option<CpuId> {
        let waits = self.permission(task) == Permission::Wait && !self.live.has_left(task);
        let cpu = self.bound[task.index()].filter(|_| waits)?;
        let idle = cpus.iter().position(|at| *at == cpu).is_some_and(|at| self.scheduled[at].is_none());
        idle.then_some(cpu)
    }
}
