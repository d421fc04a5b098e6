//! The sweep over the events of a recording.

use super::job::{Open, Release};
use super::life::{Doing, Life};
use crate::event::{Event, Leaving, Named, Wake, What, LARGEST_PID};
use crate::recording::Recording;

/// A fact that the sweep finds. Threads are named by the places of their lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fact {
    /// A job of the thread is released, into the queue of a processor.
    Released { life: usize, queue: u16 },
    /// A job of the thread goes on that was released before the trace began, or where it does not show it.
    Found { life: usize, queue: u16 },
    /// The thread runs on the processor.
    In { life: usize, cpu: u16 },
    /// The processor has nothing to run.
    Idle { cpu: u16 },
    /// The thread leaves its processor and is ready to go on.
    Out { life: usize, cpu: u16 },
    /// The thread sleeps, because the holder has the mutex that it wants.
    Waits { life: usize, holder: usize },
    /// The thread has been woken in its job.
    Resumed { life: usize },
    /// The job of the thread ends.
    Done { life: usize },
    /// What the thread does is not known from here on.
    Lost { life: usize },
    /// The thread is in the queue of another processor.
    Moved { life: usize, queue: u16 },
    /// The thread has another priority, because of a mutex.
    Priority { life: usize, priority: i16 },
    /// Events are missing: this many, if it is known.
    Hole { lost: Option<u64> },
}

/// The lives of all threads but the idle ones, and the breaks in what processors say.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) lives: Vec<Life>,
    /// Number of switches whose leaving thread, other than an idle one, is not the one that came last.
    pub(crate) breaks: u64,
    /// Number of runs whose end is not known, because another thread leaves their processor.
    pub(crate) without_end: u64,
    /// By processor: number of such switches.
    pub(crate) breaks_by_cpu: Vec<(u16, u64)>,
    /// Intervals in which events of a processor are missing.
    pub(crate) holes: Vec<Hole>,
}

/// An interval in which events of a processor are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    pub(crate) cpu: u16,
    pub(crate) from: u64,
    pub(crate) to: u64,
}

/// State of a processor.
#[derive(Clone, Copy, Debug, Default)]
struct Cpu {
    /// Thread that came last: nothing where it is not known, the idle thread where it has no life.
    current: Option<Option<usize>>,
    /// Begin of the hole in the processor's events, while one is open.
    hole: Option<u64>,
    breaks: u64,
    /// True if the trace has switches of the processor.
    is_seen: bool,
}

struct Sweep<'a, F> {
    swept: Swept,
    cpus: Vec<Cpu>,
    /// By number of the thread: the place of its life, and one more; 0 for none.
    places: Vec<u32>,
    /// Number of processors of which something is missing: nothing is said of sleepers then.
    dark: usize,
    /// True if the trace shows when a thread moves to another processor.
    shows_moves: bool,
    tell: &'a mut F,
}

/// Sweeps over the events, and tells all facts that they show, with their stamps.
pub(crate) fn sweep(recording: &Recording, mut tell: impl FnMut(u64, Fact)) -> Swept {
    let unseen = recording.unseen();
    let seen = recording.seen();
    // A mark of lost events may name a processor that has no other event.
    let marked = recording.events.iter().map(|event| event.cpu).max();
    let count = seen.iter().chain(&unseen).copied().chain(marked).max().map_or(0, |cpu| usize::from(cpu) + 1);
    let mut cpus = vec![Cpu::default(); count];
    seen.iter().for_each(|cpu| cpus[usize::from(*cpu)].is_seen = true);
    // Processors without any event may have been idle. If wake-ups are there, they show all that matters of sleepers.
    let has_wakes = recording.tally.wakings + recording.tally.wakeups > 0;
    let dark = usize::from(!unseen.is_empty() && has_wakes);
    let shows_moves = unseen.is_empty() || recording.tally.moves > 0;
    let mut sweep =
        Sweep { swept: Swept::default(), cpus, places: Vec::new(), dark, shows_moves, tell: &mut tell };
    for event in &recording.events {
        sweep.event(event);
    }
    let mut swept = sweep.swept;
    let broken = sweep.cpus.iter().zip(0..).filter(|(cpu, _)| cpu.breaks > 0);
    swept.breaks_by_cpu = broken.map(|(cpu, number)| (number, cpu.breaks)).collect();
    swept
}

impl<F: FnMut(u64, Fact)> Sweep<'_, F> {
    fn event(&mut self, event: &Event) {
        let Event { at, cpu, what } = *event;
        match what {
            What::Switch { from, to, leaving } => {
                self.leave(at, cpu, from, leaving, to.pid);
                self.arrive(at, cpu, to);
            }
            What::Arrives { to } => {
                self.unsettle(at, cpu);
                self.arrive(at, cpu, to);
            }
            What::Woken { thread, target, wake } => self.woken(at, thread, target, wake),
            What::Moved { pid, from, to } => self.moved(at, pid, from, to),
            What::Inherits { pid, old, new, by } => self.inherits(at, pid, old, new, by),
            What::HoleBegins => self.hole_begins(at, cpu),
            What::HoleEnds { lost } => self.hole_ends(at, cpu, lost),
        }
    }

    /// Returns the place of the life of a thread; none for the idle thread. A thread with the number of one that has
    /// ended is another one.
    fn life(&mut self, pid: u32, is_leaving: bool) -> Option<usize> {
        if pid == 0 {
            return None;
        }
        let index = pid.min(LARGEST_PID) as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, 0);
        }
        let known = self.places[index] as usize;
        if known > 0 && (is_leaving || self.swept.lives[known - 1].doing != Doing::Gone) {
            return Some(known - 1);
        }
        self.swept.lives.push(Life { pid, ..Life::default() });
        self.places[index] = self.swept.lives.len() as u32;
        Some(self.swept.lives.len() - 1)
    }

    /// Returns the place of the life of a thread that is known and has not ended.
    fn known(&self, pid: u32) -> Option<usize> {
        let place = (*self.places.get(pid as usize)? as usize).checked_sub(1)?;
        (pid > 0 && self.swept.lives[place].doing != Doing::Gone).then_some(place)
    }

    /// Returns the place of the life of a thread in an event, which states its name and its priority.
    fn named(&mut self, thread: Named, is_leaving: bool) -> Option<usize> {
        let place = self.life(thread.pid, is_leaving)?;
        let life = &mut self.swept.lives[place];
        life.is_called(thread.name);
        // A priority that is not the inherited one is the thread's own again.
        life.inherited = life.inherited.filter(|inherited| *inherited == thread.priority);
        life.has_priority(thread.priority);
        Some(place)
    }

    fn lose(&mut self, at: u64, place: usize) {
        self.swept.lives[place].is_lost();
        (self.tell)(at, Fact::Lost { life: place });
    }

    /// Forgets what the processor runs.
    fn unsettle(&mut self, at: u64, cpu: u16) {
        let Some(Some(before)) = self.cpus[usize::from(cpu)].current.take() else { return };
        if matches!(self.swept.lives[before].doing, Doing::Running { cpu: on, .. } if on == cpu) {
            self.lose(at, before);
        }
    }

    /// Forgets what a thread does that is found on a processor, while it is known to run on another one.
    fn tear_off(&mut self, at: u64, place: usize, cpu: u16) {
        if let Doing::Running { cpu: on, .. } = self.swept.lives[place].doing {
            if on != cpu {
                self.cpus[usize::from(on)].current = None;
                self.lose(at, place);
            }
        }
    }

    /// The thread leaves the processor to the one of this number.
    fn leave(&mut self, at: u64, cpu: u16, thread: Named, leaving: Leaving, next: u32) {
        let current = self.cpus[usize::from(cpu)].current;
        let place = self.named(thread, true);
        if current.is_some_and(|current| current != place) {
            // The idle thread needs no begin.
            if place.is_some() {
                self.swept.breaks += 1;
                self.cpus[usize::from(cpu)].breaks += 1;
            }
            self.swept.without_end += u64::from(current.flatten().is_some());
            self.unsettle(at, cpu);
            (self.tell)(at, Fact::Hole { lost: None });
        }
        let next = self.life(next, false);
        let Some(place) = place else { return };
        self.tear_off(at, place, cpu);
        let is_known = current == Some(Some(place));
        let life = &mut self.swept.lives[place];
        match life.doing {
            Doing::Running { cpu: on, since } if on == cpu && is_known => {
                life.run += at - since;
                if let Some(open) = &mut life.open {
                    open.cost += at - since;
                }
            }
            Doing::Unknown | Doing::Asleep | Doing::Ready { .. } | Doing::Running { .. } | Doing::Gone => {
                // The run has no begin, and the job that it belongs to has no cost.
                life.partial_runs += 1;
                life.cpus.insert(cpu);
                life.own_cpus.insert(cpu);
                if life.open.is_none() {
                    life.open = Some(Open::unseen(life.priority, false));
                    (self.tell)(at, Fact::Found { life: place, queue: cpu });
                }
                if let Some(open) = &mut life.open {
                    open.is_whole = false;
                    open.first_run.get_or_insert(at);
                }
            }
        }
        match leaving {
            Leaving::Ready => {
                life.doing = Doing::Ready { queue: cpu };
                if let Some(next) = next {
                    *life.preempted_by.entry(next).or_default() += 1;
                }
                (self.tell)(at, Fact::Out { life: place, cpu });
            }
            Leaving::Asleep | Leaving::Gone => self.sleeps(at, place, leaving),
        }
    }

    /// The thread sleeps or has ended.
    fn sleeps(&mut self, at: u64, place: usize, leaving: Leaving) {
        let is_dark = self.dark > 0;
        let life = &mut self.swept.lives[place];
        life.doing = if is_dark { Doing::Unknown } else { Doing::Asleep };
        if let Some(holder) = life.wants.filter(|_| leaving == Leaving::Asleep && life.open.is_some()) {
            life.doing = Doing::Asleep;
            life.waits_since = Some(at);
            (self.tell)(at, Fact::Waits { life: place, holder });
            return;
        }
        if leaving == Leaving::Gone {
            life.doing = Doing::Gone;
            life.exited = true;
        }
        life.wants = None;
        life.ends_job(at);
        (self.tell)(at, Fact::Done { life: place });
    }

    /// The thread comes to the processor.
    fn arrive(&mut self, at: u64, cpu: u16, thread: Named) {
        let place = self.named(thread, false);
        self.cpus[usize::from(cpu)].current = Some(place);
        let Some(place) = place else { return (self.tell)(at, Fact::Idle { cpu }) };
        self.tear_off(at, place, cpu);
        let (is_dark, shows_moves) = (self.dark > 0, self.shows_moves);
        let life = &mut self.swept.lives[place];
        let before = life.doing;
        let is_followed = match before {
            Doing::Asleep => true,
            // A thread that waits elsewhere may have run where events are missing, or it moved unseen.
            Doing::Ready { queue } => {
                (!is_dark || queue == cpu) && (shows_moves || life.open.is_none_or(|open| open.cost == 0))
            }
            Doing::Unknown | Doing::Running { .. } | Doing::Gone => false,
        };
        let is_begun = life.open.is_some();
        let priority = life.priority;
        let open = life.open.get_or_insert_with(|| Open::unseen(priority, is_followed));
        open.is_whole &= is_followed;
        if open.first_run.is_none() {
            open.first_run = Some(at);
            let since = |stamp: Option<u64>| stamp.map(|stamp| at.saturating_sub(stamp));
            life.latency_from_waking = life.latency_from_waking.max(since(open.waking));
            life.latency_from_wakeup = life.latency_from_wakeup.max(since(open.wakeup));
        }
        life.switches_in += 1;
        life.cpus.insert(cpu);
        life.own_cpus.insert(cpu);
        life.doing = Doing::Running { cpu, since: at };
        let is_release = before == Doing::Asleep && life.waits_since.is_none();
        if is_release {
            life.releases.push(Release { at, is_woken: false, is_startup: false });
        }
        if life.waits_since.take().is_some() {
            life.wants = None;
            (self.tell)(at, Fact::Resumed { life: place });
        }
        if !is_begun {
            let fact = match is_release {
                true => Fact::Released { life: place, queue: cpu },
                false => Fact::Found { life: place, queue: cpu },
            };
            (self.tell)(at, fact);
        }
        (self.tell)(at, Fact::In { life: place, cpu });
    }

    fn woken(&mut self, at: u64, thread: Named, target: u16, wake: Wake) {
        let Some(place) = self.named(thread, false) else { return };
        let is_unseen =
            self.cpus.get(usize::from(target)).is_none_or(|cpu| !cpu.is_seen || cpu.hole.is_some());
        let life = &mut self.swept.lives[place];
        let stamp = |open: &mut Open| match wake {
            Wake::Waking => open.waking = open.waking.or(Some(at)),
            Wake::Wakeup | Wake::New => open.wakeup = open.wakeup.or(Some(at)),
        };
        match life.doing {
            Doing::Running { .. } => return,
            Doing::Ready { .. } => {
                // The second event of the same wake-up; only it knows the queue.
                if let Some(open) = life.open.as_mut().filter(|open| open.first_run.is_none()) {
                    stamp(open);
                }
            }
            Doing::Unknown | Doing::Asleep | Doing::Gone => {
                if let Some(since) = life.waits_since.take() {
                    if let Some(holder) = life.wants.take() {
                        let waits = life.waits.entry(holder).or_default();
                        waits.count += 1;
                        waits.longest = waits.longest.max(at - since);
                    }
                    (self.tell)(at, Fact::Resumed { life: place });
                } else {
                    let mut open = Open { is_new: wake == Wake::New, ..Open::unseen(life.priority, true) };
                    stamp(&mut open);
                    life.open = Some(open);
                    life.releases.push(Release { at, is_woken: true, is_startup: wake == Wake::New });
                    (self.tell)(at, Fact::Released { life: place, queue: target });
                }
            }
        }
        self.queued(at, place, target, wake, is_unseen);
    }

    /// Notes the queue of a thread that was woken. It is known from `sched_wakeup` alone.
    fn queued(&mut self, at: u64, place: usize, queue: u16, wake: Wake, is_unseen: bool) {
        let life = &mut self.swept.lives[place];
        let has_moved = matches!(life.doing, Doing::Ready { queue: before } if before != queue);
        if wake == Wake::Waking && matches!(life.doing, Doing::Ready { .. }) {
            return;
        }
        life.doing = Doing::Ready { queue };
        if has_moved {
            (self.tell)(at, Fact::Moved { life: place, queue });
        }
        if is_unseen && wake != Wake::Waking {
            self.lose(at, place);
        }
    }

    fn moved(&mut self, at: u64, pid: u32, from: u16, to: u16) {
        let Some(place) = self.known(pid) else { return };
        let is_seen =
            |cpu: u16| self.cpus.get(usize::from(cpu)).is_some_and(|cpu| cpu.is_seen && cpu.hole.is_none());
        let is_lost = !is_seen(to) || !is_seen(from);
        let life = &mut self.swept.lives[place];
        match life.doing {
            Doing::Ready { .. }
                if is_lost && life.open.is_some_and(|open| open.first_run.is_none() && is_seen(to)) =>
            {
                life.doing = Doing::Ready { queue: to };
                (self.tell)(at, Fact::Moved { life: place, queue: to });
            }
            Doing::Ready { .. } if is_lost => self.lose(at, place),
            Doing::Ready { .. } => {
                life.doing = Doing::Ready { queue: to };
                (self.tell)(at, Fact::Moved { life: place, queue: to });
            }
            Doing::Asleep if !is_seen(to) => self.lose(at, place),
            Doing::Unknown | Doing::Asleep | Doing::Running { .. } | Doing::Gone => {}
        }
    }

    /// A thread inherits a priority from another one that wants its mutex, or loses it again.
    fn inherits(&mut self, at: u64, pid: u32, old: i16, new: i16, by: Option<u32>) {
        let Some(place) = self.known(pid) else { return };
        let by = by.filter(|by| *by != pid).and_then(|by| self.known(by));
        let life = &mut self.swept.lives[place];
        for priority in [old, new] {
            if !life.priorities.contains(&priority) {
                life.priorities.push(priority);
            }
        }
        if life.inherited.is_none() {
            life.priority = old;
        }
        life.inherited = (new < life.priority).then_some(new);
        (self.tell)(at, Fact::Priority { life: place, priority: new });
        if new < old {
            if let Some(by) = by {
                let waiter = &mut self.swept.lives[by];
                waiter.wants = waiter.wants.or(Some(place));
            }
        } else {
            // The mutex is free: those who have not gone to sleep for it do not wait.
            for life in self.swept.lives.iter_mut().filter(|life| life.wants == Some(place)) {
                life.wants = life.wants.filter(|_| life.waits_since.is_some());
            }
        }
    }

    fn hole_begins(&mut self, at: u64, cpu: u16) {
        self.unsettle(at, cpu);
        self.cpus[usize::from(cpu)].hole = Some(at);
        self.dark += 1;
        for place in 0..self.swept.lives.len() {
            match self.swept.lives[place].doing {
                Doing::Ready { queue } if queue == cpu => self.lose(at, place),
                Doing::Asleep => self.lose(at, place),
                Doing::Unknown | Doing::Ready { .. } | Doing::Running { .. } | Doing::Gone => {}
            }
        }
    }

    fn hole_ends(&mut self, at: u64, cpu: u16, lost: Option<u64>) {
        if let Some(from) = self.cpus[usize::from(cpu)].hole.take() {
            self.dark -= 1;
            self.swept.holes.push(Hole { cpu, from, to: at });
            (self.tell)(at, Fact::Hole { lost });
        }
    }
}
