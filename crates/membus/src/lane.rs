//! One processor of a run: its cache, its program, and the next time at which it does something that others may notice.

use crate::cache::Cache;
use crate::counts::Counts;
use crate::line::{Slot, State};
use crate::machine::Stretch;
use crate::program::AccessProgram;

/// A time that never comes.
pub(crate) const NEVER: u64 = u64::MAX;

/// State of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    /// The processor has nothing to do.
    Idle,
    /// The processor's next access is at this time.
    Running(u64),
    /// The processor's next access is at this time; that access and all later ones hit and change nothing.
    Settled(u64),
    /// The processor's request waits for the bus.
    Waiting {
        /// Cycle of the access.
        since: u64,
        /// Access that needs the bus.
        access: Access,
    },
    /// The bus serves the processor's request.
    Served {
        /// Place that gets the line.
        place: usize,
        /// Contents of that place afterwards.
        slot: Slot,
    },
}

/// One access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) line: u64,
    pub(crate) writes: bool,
}

/// The program that a processor executes, with its constant properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Task<'m> {
    pub(crate) index: usize,
    pub(crate) program: &'m AccessProgram,
    /// True if this processor alone touches the program's lines.
    pub(crate) is_private: bool,
    lines: (u64, u64),
    shift: u32,
}

impl<'m> Task<'m> {
    pub(crate) fn new(
        index: usize,
        program: &'m AccessProgram,
        is_private: bool,
        line_bytes: u64,
    ) -> Task<'m> {
        Task {
            index,
            program,
            is_private,
            lines: program.lines(line_bytes),
            shift: line_bytes.trailing_zeros(),
        }
    }

    #[inline]
    fn access(&self, index: u64) -> Access {
        Access { line: self.program.address(index) >> self.shift, writes: self.program.is_write(index) }
    }

    /// Cycles from a hit to the next access.
    fn step(&self) -> u64 {
        1 + self.program.gap
    }

    /// True if any access to a line in this state hits and leaves the state as it is.
    fn is_content(&self, state: State) -> bool {
        match state {
            State::Modified => true,
            State::Exclusive | State::Shared => !self.program.writes(),
            State::Invalid => false,
        }
    }
}

/// One processor.
#[derive(Clone, Debug)]
pub(crate) struct Lane<'m> {
    pub(crate) cache: Cache,
    pub(crate) doing: Doing,
    pub(crate) task: Option<Task<'m>>,
    stretches: &'m [Stretch],
    /// Number of stretches that have begun.
    begun: usize,
    /// True if the last stretch has begun, and its program does not execute yet.
    has_left: bool,
    /// Number of the program's lines that are not in the cache in the state that all its accesses need.
    lacking: u64,
    /// Time at which the processor does something next that others may notice.
    pub(crate) next: u64,
    /// Counts by stretch.
    pub(crate) counts: Vec<Counts>,
}

impl<'m> Lane<'m> {
    pub(crate) fn new(cache: Cache, stretches: &'m [Stretch]) -> Lane<'m> {
        let mut lane = Lane {
            cache,
            doing: Doing::Idle,
            task: None,
            stretches,
            begun: 0,
            has_left: false,
            lacking: 0,
            next: NEVER,
            counts: vec![Counts::default(); stretches.len()],
        };
        lane.next = lane.boundary();
        lane
    }

    /// Begin of the next stretch.
    pub(crate) fn boundary(&self) -> u64 {
        self.stretches.get(self.begun).map_or(NEVER, |stretch| stretch.begin)
    }

    /// Index of the stretch that has begun last.
    pub(crate) fn stretch(&self) -> usize {
        self.begun.checked_sub(1).expect("a processor acts in a stretch")
    }

    /// Counts of the stretch that has begun last.
    pub(crate) fn count(&mut self) -> &mut Counts {
        let stretch = self.stretch();
        &mut self.counts[stretch]
    }

    /// Begins the stretches up to `at`. [`Lane::begin`] then begins with the program of the last of them.
    pub(crate) fn leave(&mut self, at: u64, issued: &mut [u64]) {
        self.catch_up(at, issued);
        while self.boundary() <= at {
            self.begun += 1;
        }
        self.doing = Doing::Idle;
        self.task = None;
        self.has_left = true;
    }

    /// True between [`Lane::leave`] and [`Lane::begin`]: a stretch has begun, and its program does not execute yet.
    pub(crate) fn has_left(&self) -> bool {
        self.has_left
    }

    /// Begins with the program of the stretch that has begun last.
    pub(crate) fn begin(&mut self, tasks: &[Task<'m>], at: u64) {
        self.has_left = false;
        self.task = self.stretches[self.stretch()].program.map(|program| tasks[program]);
        let Some(task) = self.task else {
            self.next = self.boundary();
            return;
        };
        let (first, last) = task.lines;
        let of_program = |slot: &&Slot| (first..=last).contains(&slot.line) && task.is_content(slot.state);
        let number = last - first + 1;
        // The shorter way: an array may exceed the cache by far.
        let held = if number > self.cache.slots().len() as u64 {
            self.cache.slots().iter().filter(of_program).count()
        } else {
            let slot = |line| self.cache.find(line).map(|place| self.cache.slot(place));
            (first..=last).filter_map(slot).filter(|slot| task.is_content(slot.state)).count()
        };
        self.lacking = number - held as u64;
        self.resume(at);
    }

    /// Completes the access whose request was served.
    pub(crate) fn finish(&mut self, at: u64) {
        let task = self.task.expect("an access belongs to a program");
        self.resume(at + task.program.gap);
    }

    /// Sets the time of the next access.
    pub(crate) fn resume(&mut self, at: u64) {
        if self.lacking == 0 {
            self.doing = Doing::Settled(at);
            self.next = self.boundary();
        } else {
            self.doing = Doing::Running(at);
            self.next = at.min(self.boundary());
        }
    }

    /// Does the access that is due. After a hit it goes on to the next access that others may notice, before `until`.
    /// Returns true if the access becomes a request.
    pub(crate) fn act(&mut self, due: u64, until: u64, issued: &mut [u64]) -> bool {
        let task = self.task.expect("an access belongs to a program");
        let end = self.boundary().min(until);
        let mut at = due;
        loop {
            let access = task.access(issued[task.index]);
            let is_hit = self.hit(access, at);
            if !is_hit && at > due {
                self.resume(at);
                return false;
            }
            issued[task.index] += 1;
            self.count().accesses += 1;
            if !is_hit {
                self.count().requests += 1;
                self.doing = Doing::Waiting { since: at, access };
                self.next = NEVER;
                return true;
            }
            at += task.step();
            if !task.is_private || at >= end || self.lacking == 0 {
                self.resume(at);
                return false;
            }
        }
    }

    /// Accesses the cache; returns false if the access needs the bus.
    #[inline]
    fn hit(&mut self, access: Access, at: u64) -> bool {
        let Some(place) = self.cache.find(access.line) else { return false };
        let state = self.cache.slot(place).state;
        match state {
            State::Shared | State::Invalid if access.writes => return false,
            State::Exclusive if access.writes => {
                self.put(place, Slot { line: access.line, state: State::Modified });
            }
            State::Modified | State::Exclusive | State::Shared | State::Invalid => {}
        }
        self.cache.touch(place, at + 1);
        true
    }

    /// Changes the contents of a place.
    pub(crate) fn put(&mut self, place: usize, slot: Slot) {
        if let Some(task) = &self.task {
            let (first, last) = task.lines;
            let holds = |slot: Slot| (first..=last).contains(&slot.line) && task.is_content(slot.state);
            let before = self.cache.slot(place);
            self.lacking = self.lacking + u64::from(holds(before)) - u64::from(holds(slot));
        }
        self.cache.put(place, slot);
    }

    /// Takes a line away from this cache, or makes it a shared copy; returns its former state. All accesses before `at`
    /// are done then, and none after it.
    pub(crate) fn give(&mut self, line: u64, to: State, at: u64, issued: &mut [u64]) -> State {
        let Some(place) = self.cache.find(line) else { return State::Invalid };
        let held = self.cache.slot(place).state;
        if held == to {
            return held;
        }
        self.catch_up(at, issued);
        self.put(place, Slot { line, state: to });
        if let Doing::Settled(next) = self.doing {
            self.resume(next);
        }
        held
    }

    /// Does the accesses of a settled processor before `at`: counts them, and finds the last use of each line.
    pub(crate) fn catch_up(&mut self, at: u64, issued: &mut [u64]) {
        let (Doing::Settled(first), Some(task)) = (self.doing, self.task) else { return };
        let number = at.saturating_sub(first).div_ceil(task.step());
        if number == 0 {
            return;
        }
        let begin = issued[task.index];
        issued[task.index] += number;
        self.count().accesses += number;
        self.doing = Doing::Settled(first + number * task.step());
        if self.cache.has_order() {
            self.last_uses(task, begin, number, first);
        }
    }

    /// Finds the last use of each line, backwards from the last access until all lines were seen.
    fn last_uses(&mut self, task: Task<'m>, begin: u64, number: u64, first: u64) {
        let mut unseen = task.lines.1 - task.lines.0 + 1;
        let mut seen = vec![false; unseen as usize];
        for back in (0..number).rev() {
            let line = task.access(begin + back).line;
            if !std::mem::replace(&mut seen[(line - task.lines.0) as usize], true) {
                let place = self.cache.find(line).expect("a settled program's lines are in the cache");
                self.cache.touch(place, first + back * task.step() + 1);
                unseen -= 1;
                if unseen == 0 {
                    return;
                }
            }
        }
    }
}
