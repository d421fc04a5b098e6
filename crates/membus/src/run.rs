//! Runs a machine from event to event.

use crate::bus::Bus;
use crate::cache::Cache;
use crate::counts::Counts;
use crate::error::MachineError;
use crate::lane::{Access, Doing, Lane, Task, NEVER};
use crate::line::{Slot, State};
use crate::machine::Machine;
use crate::sharing;

/// Number of requests, with the one that is served, that were pending in the cycles from `from` up to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendingRequests {
    /// The first cycle.
    pub from: u64,
    /// The first cycle after them.
    pub to: u64,
    /// Number of pending requests.
    pub requests: u32,
}

/// Cycles that are executed before asking whether to go on, which take some ten milliseconds.
const ASK_EVERY: u64 = 1 << 22;

/// A machine at some time.
#[derive(Clone, Debug)]
pub struct Run<'m> {
    bus: Bus,
    tasks: Vec<Task<'m>>,
    lanes: Vec<Lane<'m>>,
    /// By program: number of its accesses that have begun.
    issued: Vec<u64>,
    /// Processor whose request is served, begin of the service, and the first cycle after it.
    service: Option<(usize, u64, u64)>,
    last: Option<usize>,
    pending: u32,
    now: u64,
}

impl<'m> Run<'m> {
    /// The machine before cycle 0.
    pub fn new(machine: &'m Machine) -> Result<Run<'m>, MachineError> {
        machine.check()?;
        let private = sharing::private(machine);
        let task = |(index, program)| Task::new(index, program, private[index], machine.cache.line_bytes);
        let lane = |(processor, stretches)| {
            Lane::new(Cache::new(&machine.cache, machine.begin, processor), stretches)
        };
        Ok(Run {
            bus: machine.bus,
            tasks: machine.programs.iter().enumerate().map(task).collect(),
            lanes: machine.processors.iter().map(Vec::as_slice).enumerate().map(lane).collect(),
            issued: vec![0; machine.programs.len()],
            service: None,
            last: None,
            pending: 0,
            now: 0,
        })
    }

    /// Advances as [`Run::advance`] does, and asks from time to time whether to go on. Returns false if it is not to.
    pub fn advance_while(
        &mut self,
        until: u64,
        mut hear: impl FnMut(PendingRequests),
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        while self.now < until {
            if !go_on() {
                return false;
            }
            self.advance(until.min(self.now.saturating_add(ASK_EVERY)), &mut hear);
        }
        true
    }

    /// Executes the cycles before `until`. `hear` gets all of them in order.
    pub fn advance(&mut self, until: u64, mut hear: impl FnMut(PendingRequests)) {
        let mut from = self.now;
        loop {
            let end = self.service.map_or(NEVER, |(_, _, end)| end);
            let at = self.lanes.iter().fold(end, |least, lane| least.min(lane.next));
            if at >= until {
                break;
            }
            let before = self.pending;
            self.step(at, until);
            if self.pending != before && at > from {
                hear(PendingRequests { from, to: at, requests: before });
                from = at;
            }
        }
        if until > from {
            hear(PendingRequests { from, to: until, requests: self.pending });
        }
        self.now = self.now.max(until);
        for lane in &mut self.lanes {
            lane.catch_up(self.now, &mut self.issued);
        }
    }

    /// The first cycle that is not executed.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Contents of a processor's cache, set by set.
    pub fn slots(&self, processor: usize) -> &[Slot] {
        self.lanes[processor].cache.slots()
    }

    /// Counts of a processor, by stretch.
    pub fn counts(&self, processor: usize) -> Vec<Counts> {
        let lane = &self.lanes[processor];
        let mut counts = lane.counts.clone();
        let so_far = Counts::default();
        let open = match lane.doing {
            Doing::Idle | Doing::Running(_) | Doing::Settled(_) => return counts,
            Doing::Waiting { since, .. } => Counts { lost: self.now - since, ..so_far },
            Doing::Served { .. } => {
                let since = self.service.map_or(self.now, |(_, since, _)| since);
                Counts { served: self.now - since, ..so_far }
            }
        };
        counts[lane.stretch()] += open;
        counts
    }

    /// Executes all that happens in the cycle `at`.
    fn step(&mut self, at: u64, until: u64) {
        if let Some((served, since, _)) = self.service.filter(|(_, _, end)| *end == at) {
            self.complete(served, since, at);
        }
        // All leave before any begins: a program may go on elsewhere from where it is now.
        let due = |lane: &Lane<'_>| lane.next <= at && lane.boundary() <= at;
        for lane in self.lanes.iter_mut().filter(|lane| due(lane)) {
            lane.leave(at, &mut self.issued);
        }
        for lane in self.lanes.iter_mut().filter(|lane| lane.has_left()) {
            lane.begin(&self.tasks, at);
        }
        for lane in self.lanes.iter_mut().filter(|lane| lane.next == at) {
            if lane.doing == Doing::Running(at) {
                self.pending += u32::from(lane.act(at, until, &mut self.issued));
            }
        }
        if self.service.is_none() && self.pending > 0 {
            self.grant(at);
        }
    }

    fn complete(&mut self, served: usize, since: u64, at: u64) {
        let lane = &mut self.lanes[served];
        let Doing::Served { place, slot } = lane.doing else { unreachable!("the bus serves a request") };
        lane.count().served += at - since;
        lane.put(place, slot);
        // The access ended with the service: it is older than a hit of the cycle that begins now.
        lane.cache.touch(place, at);
        lane.finish(at);
        self.service = None;
        self.pending -= 1;
    }

    /// Lets the bus take the next request.
    fn grant(&mut self, at: u64) {
        let waiting = self.lanes.iter().enumerate().filter_map(|(index, lane)| match lane.doing {
            Doing::Waiting { since, .. } => Some((index, since)),
            Doing::Idle | Doing::Running(_) | Doing::Settled(_) | Doing::Served { .. } => None,
        });
        let chosen = self.bus.arbitration.next(waiting, self.last).expect("a pending request waits");
        let Doing::Waiting { since, access } = self.lanes[chosen].doing else { unreachable!("it waits") };
        let others = self.snoop(chosen, access, at);
        let lane = &mut self.lanes[chosen];
        let write_back = |is_dirty: bool| if is_dirty { self.bus.write_back } else { 0 };
        let mut cycles = write_back(others == State::Modified);
        let place = if let Some(place) = lane.cache.find(access.line) {
            cycles += self.bus.upgrade;
            place
        } else {
            let place = lane.cache.victim(access.line);
            let victim = lane.cache.slot(place);
            cycles += write_back(victim.state == State::Modified);
            cycles += if access.writes { self.bus.write_miss } else { self.bus.read_miss };
            lane.put(place, Slot { line: victim.line, state: State::Invalid });
            place
        };
        let state = match (access.writes, others) {
            (true, _) => State::Modified,
            (false, State::Invalid) => State::Exclusive,
            (false, State::Modified | State::Exclusive | State::Shared) => State::Shared,
        };
        lane.count().lost += at - since;
        lane.doing = Doing::Served { place, slot: Slot { line: access.line, state } };
        self.service = Some((chosen, at, at + cycles));
        self.last = Some(chosen);
    }

    /// Takes the line from other caches, or has them share it. Returns a former state of the line in another cache,
    /// `Invalid` if none held it.
    fn snoop(&mut self, chosen: usize, access: Access, at: u64) -> State {
        let is_private = self.lanes[chosen].task.is_some_and(|task| task.is_private);
        if is_private {
            return State::Invalid;
        }
        let to = if access.writes { State::Invalid } else { State::Shared };
        let mut held = State::Invalid;
        for (_, lane) in self.lanes.iter_mut().enumerate().filter(|(index, _)| *index != chosen) {
            // Accesses of this very cycle came before.
            let found = lane.give(access.line, to, at + 1, &mut self.issued);
            if found != State::Invalid {
                held = found;
            }
        }
        held
    }
}
