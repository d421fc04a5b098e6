//! The machine walked cycle by cycle: slow, and as plain as the contract in `lib.rs`.

use schedlab_membus::{AccessProgram, Arbitration, Begin, Counts, Machine, Slot, State};

/// A place of a cache, with the data in it: how often its line had been written when it was loaded or written last.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub line: u64,
    pub state: State,
    pub version: u64,
}

#[derive(Clone, Copy, Debug)]
struct Request {
    since: u64,
    line: u64,
    writes: bool,
    /// It asked for an upgrade.
    upgrades: bool,
}

#[derive(Clone, Debug)]
pub struct Processor {
    pub places: Vec<Place>,
    /// By set: its places, the one whose use lies back furthest first. It holds no times, only what came after what.
    order: Vec<Vec<usize>>,
    /// By place: in which cycle it was used last.
    cycle_of_use: Vec<Option<u64>>,
    stretch: Option<usize>,
    due: u64,
    request: Option<Request>,
    counts: Vec<Counts>,
}

#[derive(Clone, Copy, Debug)]
struct Service {
    processor: usize,
    ends: u64,
    way: usize,
    state: State,
}

/// How often something happened that random machines have to reach.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub upgrades: u64,
    pub lost_upgrades: u64,
    pub flushes: u64,
    pub late_stretches: u64,
    /// The victim was chosen among places two of which were used last in one cycle.
    pub uses_of_one_cycle: u64,
}

/// The whole machine, with the versions of all lines that were ever written.
pub struct Cycles<'m> {
    machine: &'m Machine,
    pub processors: Vec<Processor>,
    issued: Vec<u64>,
    service: Option<Service>,
    last: Option<usize>,
    pub now: u64,
    pub seen: Seen,
    written: std::collections::BTreeMap<u64, u64>,
    memory: std::collections::BTreeMap<u64, u64>,
}

impl Processor {
    /// The place goes to the end of its set's order.
    fn use_now(&mut self, way: usize, now: u64) {
        let order = self.order.iter_mut().find(|order| order.contains(&way)).unwrap();
        order.retain(|other| *other != way);
        order.push(way);
        self.cycle_of_use[way] = Some(now);
    }
}

impl<'m> Cycles<'m> {
    pub fn new(machine: &'m Machine) -> Self {
        let mut brute = Cycles {
            machine,
            processors: Vec::new(),
            issued: vec![0; machine.programs.len()],
            service: None,
            last: None,
            now: 0,
            seen: Seen::default(),
            written: Default::default(),
            memory: Default::default(),
        };
        for stretches in &machine.processors {
            let index = brute.processors.len() as u64;
            let mut places = Vec::new();
            for set in 0..machine.cache.sets() {
                for way in 0..machine.cache.ways {
                    // Any line that no program uses.
                    let line = (1 << 60) + (index * machine.cache.ways + way) * machine.cache.sets() + set;
                    let state = match machine.begin {
                        Begin::Dirty => State::Modified,
                        Begin::Empty => State::Invalid,
                    };
                    if machine.begin == Begin::Dirty {
                        brute.written.insert(line, 1);
                    }
                    places.push(Place { line, state, version: 1 });
                }
            }
            let counts = vec![Counts::default(); stretches.len()];
            let cycle_of_use = vec![None; places.len()];
            let ways = machine.cache.ways as usize;
            let order = (0..places.len()).collect::<Vec<_>>().chunks(ways).map(<[usize]>::to_vec).collect();
            brute.processors.push(Processor {
                places,
                order,
                cycle_of_use,
                stretch: None,
                due: 0,
                request: None,
                counts,
            });
        }
        brute
    }

    pub fn counts(&self, processor: usize) -> &[Counts] {
        &self.processors[processor].counts
    }

    /// What a cache holds; lines of the beginning have other numbers here.
    pub fn slots(&self, processor: usize) -> Vec<Slot> {
        let places = &self.processors[processor].places;
        places.iter().map(|place| Slot { line: place.line, state: place.state }).collect()
    }

    fn set(&self, line: u64) -> std::ops::Range<usize> {
        let ways = self.machine.cache.ways as usize;
        let first = (line % self.machine.cache.sets()) as usize * ways;
        first..first + ways
    }

    fn way(&self, processor: usize, line: u64) -> Option<usize> {
        let places = &self.processors[processor].places;
        self.set(line).find(|way| places[*way].line == line && places[*way].state != State::Invalid)
    }

    fn program(&self, processor: usize) -> Option<(usize, &'m AccessProgram)> {
        let stretch = self.processors[processor].stretch?;
        let index = self.machine.processors[processor][stretch].program?;
        Some((index, &self.machine.programs[index]))
    }

    /// Executes a cycle; returns how many requests were pending in it.
    pub fn cycle(&mut self) -> u32 {
        self.end_service();
        self.begin_stretches();
        self.access();
        self.grant();
        let mut pending = 0;
        for (index, processor) in self.processors.iter_mut().enumerate() {
            if processor.request.is_some() {
                pending += 1;
                let counts = &mut processor.counts[processor.stretch.unwrap()];
                match self.service.is_some_and(|service| service.processor == index) {
                    true => counts.served += 1,
                    false => counts.lost += 1,
                }
            }
        }
        self.now += 1;
        pending
    }

    fn end_service(&mut self) {
        let Some(service) = self.service.filter(|service| service.ends == self.now) else { return };
        let (_, program) = self.program(service.processor).unwrap();
        let processor = &mut self.processors[service.processor];
        let request = processor.request.take().unwrap();
        let known = self.memory.get(&request.line).copied().unwrap_or(0);
        let version = if request.writes {
            let written = self.written.entry(request.line).or_insert(0);
            *written += 1;
            *written
        } else {
            known
        };
        processor.places[service.way] = Place { line: request.line, state: service.state, version };
        processor.use_now(service.way, self.now);
        processor.due = self.now + program.gap;
        self.service = None;
    }

    fn begin_stretches(&mut self) {
        for (index, stretches) in self.machine.processors.iter().enumerate() {
            let processor = &mut self.processors[index];
            if processor.request.is_none() {
                let last = stretches.iter().rposition(|stretch| stretch.begin <= self.now);
                if last != processor.stretch {
                    let begin = stretches[last.unwrap()].begin;
                    self.seen.late_stretches += u64::from(begin < self.now);
                    processor.stretch = last;
                    processor.due = self.now;
                }
            }
        }
    }

    fn access(&mut self) {
        for index in 0..self.processors.len() {
            let Some((number, program)) = self.program(index) else { continue };
            if self.processors[index].request.is_some() || self.processors[index].due != self.now {
                continue;
            }
            let line = program.address(self.issued[number]) / self.machine.cache.line_bytes;
            let writes = program.is_write(self.issued[number]);
            self.issued[number] += 1;
            let way = self.way(index, line);
            let processor = &mut self.processors[index];
            let counts = &mut processor.counts[processor.stretch.unwrap()];
            counts.accesses += 1;
            let state = way.map_or(State::Invalid, |way| processor.places[way].state);
            let is_hit = match state {
                State::Modified | State::Exclusive => true,
                State::Shared => !writes,
                State::Invalid => false,
            };
            if is_hit {
                processor.use_now(way.unwrap(), self.now);
                let place = &mut processor.places[way.unwrap()];
                let written = self.written.entry(line).or_insert(0);
                assert_eq!(place.version, *written, "a hit finds what was written last");
                if writes {
                    place.state = State::Modified;
                    *written += 1;
                    place.version = *written;
                }
                processor.due = self.now + 1 + program.gap;
            } else {
                counts.requests += 1;
                processor.request = Some(Request { since: self.now, line, writes, upgrades: way.is_some() });
            }
        }
    }

    fn chosen(&self) -> Option<usize> {
        let waits = |index: &usize| self.processors[*index].request.is_some();
        let all = 0..self.processors.len();
        match self.machine.bus.arbitration {
            Arbitration::Fifo => {
                all.filter(waits).min_by_key(|index| self.processors[*index].request.unwrap().since)
            }
            Arbitration::RoundRobin => {
                let first = self.last.map_or(0, |last| last + 1);
                (first..all.end).chain(0..first).find(waits)
            }
        }
    }

    /// The first place of the set that is empty, else the one whose last use lies back furthest.
    fn victim(&mut self, chosen: usize, line: u64) -> usize {
        let set = self.set(line);
        let processor = &self.processors[chosen];
        if let Some(free) = set.clone().find(|way| processor.places[*way].state == State::Invalid) {
            return free;
        }
        let mut cycles: Vec<u64> = set.clone().filter_map(|way| processor.cycle_of_use[way]).collect();
        cycles.sort_unstable();
        self.seen.uses_of_one_cycle += u64::from(cycles.windows(2).any(|pair| pair[0] == pair[1]));
        processor.order[set.start / set.len()][0]
    }

    fn grant(&mut self) {
        if self.service.is_some() {
            return;
        }
        let Some(chosen) = self.chosen() else { return };
        let bus = &self.machine.bus;
        let Request { line, writes, upgrades, .. } = self.processors[chosen].request.unwrap();
        let mut cycles = 0;
        let mut is_elsewhere = false;
        for other in (0..self.processors.len()).filter(|other| *other != chosen) {
            if let Some(way) = self.way(other, line) {
                is_elsewhere = true;
                let place = &mut self.processors[other].places[way];
                if place.state == State::Modified {
                    self.memory.insert(line, place.version);
                    cycles += bus.write_back;
                    self.seen.flushes += 1;
                }
                place.state = if writes { State::Invalid } else { State::Shared };
            }
        }
        let own = self.way(chosen, line);
        self.seen.lost_upgrades += u64::from(upgrades && own.is_none());
        let way = own.unwrap_or_else(|| self.victim(chosen, line));
        let places = &mut self.processors[chosen].places;
        if own.is_some() {
            cycles += bus.upgrade;
            self.seen.upgrades += 1;
        } else {
            if places[way].state == State::Modified {
                self.memory.insert(places[way].line, places[way].version);
                cycles += bus.write_back;
            }
            cycles += if writes { bus.write_miss } else { bus.read_miss };
            places[way].state = State::Invalid;
        }
        let state = match (writes, is_elsewhere) {
            (true, _) => State::Modified,
            (false, true) => State::Shared,
            (false, false) => State::Exclusive,
        };
        self.service = Some(Service { processor: chosen, ends: self.now + cycles, way, state });
        self.last = Some(chosen);
    }

    /// Data: every copy holds what was written last, and where no dirty copy is, memory does.
    pub fn data_is_whole(&self) {
        let copies = |line: u64| {
            let places = self.processors.iter().flat_map(|processor| &processor.places);
            places.filter(move |place| place.line == line && place.state != State::Invalid)
        };
        for (line, written) in &self.written {
            let memory = self.memory.get(line).copied().unwrap_or(0);
            let mut is_dirty = false;
            for copy in copies(*line) {
                assert_eq!(copy.version, *written, "line {line} at {}: a stale copy", self.now);
                is_dirty |= copy.state == State::Modified;
            }
            assert_eq!(
                is_dirty,
                memory < *written,
                "line {line} at {}: memory is behind a dirty copy alone",
                self.now
            );
        }
    }
}
