//! A recording: the scheduler's events of a file in order of time, the names of threads, and all flaws of the file.

use crate::event::{Event, What, LARGEST_CPU};
use crate::refusal::NotRead;
use crate::unit::Stamps;
use std::collections::{BTreeMap, BTreeSet};

/// Largest number of events that are kept: some 640 MB. Reading ends there, and says so.
const MOST_EVENTS: usize = 16_000_000;

/// Largest number of successive events of a processor that may lie before an earlier one, as lines that were swapped
/// do. More of them are another recording.
const MOST_SWAPPED: u64 = 16;

/// Longest time by which lines of a processor may be out of order, in nanoseconds.
const LONGEST_SWAP: u64 = 1_000_000_000;

/// Names of threads, each once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    all: Vec<Box<[u8]>>,
    places: BTreeMap<Box<[u8]>, u32>,
    /// By number of the thread: the place of the name that it had last.
    last: Vec<u32>,
}

impl Names {
    /// Returns the place of a thread's name.
    pub(crate) fn place(&mut self, pid: u32, name: &[u8]) -> u32 {
        let index = pid as usize;
        if let Some(last) = self.last.get(index) {
            if self.all.get(*last as usize).is_some_and(|known| **known == *name) {
                return *last;
            }
        } else {
            self.last.resize(index + 1, u32::MAX);
        }
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => {
                let place = self.all.len() as u32;
                self.all.push(name.into());
                self.places.insert(name.into(), place);
                place
            }
        };
        self.last[index] = place;
        place
    }

    /// The name at a place, as a text that can be printed.
    pub(crate) fn text(&self, place: u32) -> String {
        self.all
            .get(place as usize)
            .map_or_else(String::new, |name| printable(&String::from_utf8_lossy(name)))
    }
}

/// A name without control characters, which may come from a damaged file.
pub(crate) fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

/// Events that a processor lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loss {
    /// The processor.
    pub(crate) cpu: u16,
    /// Number of lost events, if the file states it.
    pub(crate) lost: Option<u64>,
}

/// Flaws of a file, each of which limits what can be concluded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flaws {
    /// Lost events, in the order of the file.
    pub(crate) losses: Vec<Loss>,
    /// Processors whose rings had been overwritten before their first event.
    pub(crate) late: BTreeSet<u16>,
    /// Number of events that had been overwritten before the first one.
    pub(crate) overwritten: u64,
    /// Number of lines that hold an event of the scheduler and cannot be read, and the first of them.
    pub(crate) bad_lines: u64,
    pub(crate) first_bad: Option<u64>,
    /// Line within which the file ends.
    pub(crate) cut_line: Option<u64>,
    /// Reason why the rest of the file cannot be read.
    pub(crate) damage: Option<String>,
    /// Number of events that lie before others of their processor, and after them in the file.
    pub(crate) swapped: u64,
    /// Number of events that lie before others, and after them in the file.
    pub(crate) unsorted: u64,
    /// True if the file has more events than are kept.
    pub(crate) is_full: bool,
}

/// Numbers of events by kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) switches: u64,
    pub(crate) wakings: u64,
    pub(crate) wakeups: u64,
    pub(crate) moves: u64,
    pub(crate) inherits: u64,
    /// Events of all other kinds.
    pub(crate) others: u64,
}

impl Tally {
    /// Number of the events that are of use.
    pub(crate) fn used(&self) -> u64 {
        self.switches + self.wakings + self.wakeups + self.moves + self.inherits
    }
}

/// State of a processor while its events are read.
#[derive(Clone, Debug, Default)]
struct Reading {
    /// Latest stamp.
    latest: Option<u64>,
    /// Number of events that are missing before the next one, if any are.
    hole: Option<Option<u64>>,
    /// Events before the latest stamp, if those read last are: their number, the line of the first, and how far back it
    /// is.
    behind: Option<(u64, u64, u64)>,
}

/// A recording that is being read.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    pub(crate) names: Names,
    pub(crate) flaws: Flaws,
    pub(crate) tally: Tally,
    /// True if a line of a header was read.
    pub(crate) has_header: bool,
    /// Number of the machine's processors, if the file states it.
    pub(crate) processors: Option<u16>,
    /// How stamps are written, once one has been read.
    pub(crate) stamps: Option<Stamps>,
    events: Vec<Event>,
    cpus: Vec<Reading>,
    latest: u64,
}

impl Recorder {
    /// Adds an event of the line. Returns false if no more events are kept.
    pub(crate) fn push(&mut self, line: u64, at: u64, cpu: u16, what: What) -> Result<bool, NotRead> {
        if self.events.len() >= MOST_EVENTS {
            self.flaws.is_full = true;
            return Ok(false);
        }
        self.flaws.unsorted += u64::from(at < self.latest);
        self.latest = self.latest.max(at);
        let is_timed = self.stamps != Some(Stamps::Bare);
        let reading = self.reading(cpu);
        match reading.latest.filter(|latest| at < *latest) {
            Some(latest) => {
                let (count, first, back) = reading.behind.unwrap_or((0, line, latest - at));
                let is_long = is_timed && latest - at > LONGEST_SWAP;
                if is_long || count == MOST_SWAPPED {
                    return Err(NotRead::TimeGoesBack { line: first, cpu, back });
                }
                reading.behind = Some((count + 1, first, back));
                self.flaws.swapped += 1;
            }
            None => {
                reading.behind = None;
                reading.latest = Some(at);
            }
        }
        if let Some(lost) = self.reading(cpu).hole.take() {
            self.events.push(Event { at, cpu, what: What::HoleEnds { lost } });
        }
        self.events.push(Event { at, cpu, what });
        Ok(true)
    }

    /// Notes that events of the processor are missing before its next one.
    pub(crate) fn lose(&mut self, cpu: u16, lost: Option<u64>) {
        self.flaws.losses.push(Loss { cpu, lost });
        self.open_hole(cpu, lost);
    }

    /// Notes that the processor's events begin only now, because earlier ones were overwritten.
    pub(crate) fn begins_late(&mut self, cpu: u16) {
        if self.reading(cpu).latest.is_none() {
            self.flaws.late.insert(cpu);
            self.open_hole(cpu, None);
        }
    }

    fn open_hole(&mut self, cpu: u16, lost: Option<u64>) {
        let reading = self.reading(cpu);
        let at = reading.latest.unwrap_or(0);
        match &mut reading.hole {
            Some(known) => *known = known.zip(lost).map(|(one, other)| one.saturating_add(other)),
            None => {
                reading.hole = Some(lost);
                self.events.push(Event { at, cpu, what: What::HoleBegins });
            }
        }
    }

    /// Notes a line with an event of the scheduler that cannot be read.
    pub(crate) fn bad_line(&mut self, line: u64) {
        self.flaws.bad_lines += 1;
        self.flaws.first_bad.get_or_insert(line);
    }

    fn reading(&mut self, cpu: u16) -> &mut Reading {
        let index = usize::from(cpu.min(LARGEST_CPU));
        if index >= self.cpus.len() {
            self.cpus.resize_with(index + 1, Reading::default);
        }
        &mut self.cpus[index]
    }

    /// Returns the recording, or the reason why there is no schedule in it.
    pub(crate) fn finish(mut self, has_unit: bool) -> Result<Recording, NotRead> {
        if self.tally.used() == 0 {
            return Err(match (self.flaws.first_bad, self.tally.others) {
                (Some(line), _) => NotRead::NoReadableLine { line, lines: self.flaws.bad_lines },
                (None, 0) => NotRead::NoEvents,
                (None, events) => NotRead::NoSchedulerEvents { events },
            });
        }
        let at = self.latest;
        let open =
            self.cpus.iter_mut().zip(0..).filter_map(|(reading, cpu)| Some((cpu, reading.hole.take()?)));
        let ends = open.map(|(cpu, lost)| Event { at, cpu, what: What::HoleEnds { lost } });
        self.events.extend(ends);
        if self.flaws.unsorted > 0 || !self.flaws.losses.is_empty() || !self.flaws.late.is_empty() {
            // A stable sort: events of one stamp stay in the order of the file.
            self.events.sort_by_key(|event| event.at);
        }
        let is_real = |event: &&Event| !matches!(event.what, What::HoleBegins | What::HoleEnds { .. });
        let begin = self.events.iter().find(is_real).map_or(0, |event| event.at);
        // A hole at the beginning begins with the trace.
        self.events.iter_mut().for_each(|event| event.at = event.at.max(begin));
        Ok(Recording {
            begin,
            end: at,
            events: self.events,
            names: self.names,
            flaws: self.flaws,
            tally: self.tally,
            processors: self.processors,
            stamps: self.stamps.unwrap_or(Stamps::Bare),
            has_unit,
        })
    }
}

/// The scheduler's events of a file, in order of time.
#[derive(Debug)]
pub struct Recording {
    /// Stamp of the first event.
    pub(crate) begin: u64,
    /// Stamp of the last event.
    pub(crate) end: u64,
    pub(crate) events: Vec<Event>,
    pub(crate) names: Names,
    pub(crate) flaws: Flaws,
    pub(crate) tally: Tally,
    /// Number of the machine's processors, if the file states it.
    pub(crate) processors: Option<u16>,
    /// How stamps were written.
    pub(crate) stamps: Stamps,
    /// True if the user states the unit of bare stamps.
    pub(crate) has_unit: bool,
}

impl Recording {
    /// The recording, of which it is known that the rest could not be read.
    #[must_use]
    pub fn with_damage(mut self, why: String) -> Self {
        self.flaws.damage = Some(why);
        self
    }

    /// Processors of which the recording has context switches.
    pub(crate) fn seen(&self) -> BTreeSet<u16> {
        let mut found = vec![false; usize::from(LARGEST_CPU) + 1];
        for event in &self.events {
            if matches!(event.what, What::Switch { .. } | What::Arrives { .. }) {
                found[usize::from(event.cpu)] = true;
            }
        }
        (0..).zip(found).filter_map(|(cpu, is_seen)| is_seen.then_some(cpu)).collect()
    }

    /// Processors that events name, and of which the recording has no context switch: threads may have run there.
    pub(crate) fn unseen(&self) -> BTreeSet<u16> {
        let seen = self.seen();
        let mut found = vec![false; usize::from(LARGEST_CPU) + 1];
        for event in &self.events {
            let (one, other) = match event.what {
                What::Woken { target, .. } => (target, event.cpu),
                What::Moved { from, to, .. } => (from, to),
                What::Switch { .. } | What::Arrives { .. } | What::Inherits { .. } => (event.cpu, event.cpu),
                What::HoleBegins | What::HoleEnds { .. } => continue,
            };
            found[usize::from(one)] = true;
            found[usize::from(other)] = true;
        }
        let named = (0..).zip(found).filter_map(|(cpu, is_named)| is_named.then_some(cpu));
        named.filter(|cpu| !seen.contains(cpu)).collect()
    }
}
