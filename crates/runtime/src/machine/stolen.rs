//! Time that the host of a virtual machine took from its processors: the kernel counts it as `steal` in `/proc/stat`.
//!
//! The kernel counts by processor and in ticks, hundredths of a second: it does not count which thread lost the time.

use crate::machine::sys;
use schedlab_model::{Duration, Instant};
use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Time that was stolen from a processor at some time within an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steal {
    /// The machine's number of the processor.
    pub processor: usize,
    /// The time of the reading before.
    pub from: Instant,
    /// The time of the reading.
    pub to: Instant,
    /// The length of the time that was stolen.
    pub length: Duration,
}

/// The time that was stolen from `processors` since the machine started, in nanoseconds; nothing where the kernel does
/// not count it.
pub fn stolen_from(processors: &[usize]) -> Option<u64> {
    let all = Source::open().read();
    processors.iter().map(|processor| Some(all.get(processor)?.as_ns())).sum()
}

/// The kernel's file of these counts. It stays open, so that a reading is one system call.
#[derive(Debug)]
struct Source {
    file: Option<File>,
    text: Vec<u8>,
}

/// Room for the file's text, in bytes, until the text is longer.
const ROOM: usize = 4_096;

impl Source {
    fn open() -> Self {
        Source { file: File::open("/proc/stat").ok(), text: vec![0; ROOM] }
    }

    fn read(&mut self) -> BTreeMap<usize, Duration> {
        let Some(file) = &self.file else { return BTreeMap::new() };
        loop {
            let Ok(length) = file.read_at(&mut self.text, 0) else { return BTreeMap::new() };
            if length < self.text.len() {
                let text = String::from_utf8_lossy(&self.text[..length]);
                return parse(&text, sys::ticks_a_second());
            }
            self.text.resize(2 * length, 0);
        }
    }
}

fn parse(text: &str, ticks_a_second: u64) -> BTreeMap<usize, Duration> {
    let of = |line: &str| {
        let mut words = line.strip_prefix("cpu")?.split_whitespace();
        let processor = words.next()?.parse().ok()?;
        // User, nice, system, idle, iowait, irq and softirq come before it.
        let ticks: u64 = words.nth(7)?.parse().ok()?;
        Some((processor, Duration::from_ns(ticks * (1_000_000_000 / ticks_a_second))))
    };
    // The first line is the sum of all and has no number.
    text.lines().filter(|line| !line.starts_with("cpu ")).filter_map(of).collect()
}

/// The readings of stolen time during a run.
#[derive(Debug)]
pub(crate) struct StolenTime {
    processors: Vec<usize>,
    source: Source,
    last: (u64, BTreeMap<usize, Duration>),
    /// By finding: the processor, from when until when by the monotonic clock, and the stolen time.
    found: Vec<(usize, u64, u64, Duration)>,
}

impl StolenTime {
    /// Begins the readings of `processors`.
    pub(crate) fn begin(processors: &[usize]) -> Self {
        let mut source = Source::open();
        StolenTime {
            processors: processors.to_vec(),
            last: (sys::monotonic_ns(), source.read()),
            source,
            found: Vec::with_capacity(1_024),
        }
    }

    /// Reads the counts, and notes what was stolen since the last reading.
    pub(crate) fn read(&mut self) {
        let now = (sys::monotonic_ns(), self.source.read());
        for processor in &self.processors {
            let (before, after) = (self.last.1.get(processor), now.1.get(processor));
            let length = after.zip(before).map_or(Duration::ZERO, |(after, before)| {
                Duration::from_ns(after.as_ns().saturating_sub(before.as_ns()))
            });
            if length > Duration::ZERO {
                self.found.push((*processor, self.last.0, now.0, length));
            }
        }
        self.last = now;
    }

    /// All stolen time, on the clock of a run that began at `zero`; nothing if the kernel does not count it.
    pub(crate) fn finish(mut self, zero: u64) -> Option<Vec<Steal>> {
        self.read();
        let at = |ns: u64| Instant::from_ns(ns.saturating_sub(zero));
        let stolen = |(processor, from, to, length)| Steal { processor, from: at(from), to: at(to), length };
        let is_said = self.processors.iter().all(|processor| self.last.1.contains_key(processor));
        is_said.then(|| self.found.into_iter().map(stolen).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "cpu  32928 46298 10621 19979 450 0 84 192 0 0\n\
                        cpu0 13639 23646 4563 13300 57 0 7 89 0 0\n\
                        cpu12 19289 22651 6058 6678 392 0 77 103 0 0\n\
                        intr 1 2 3\n";

    #[test]
    fn it_is_the_eighth_number_in_ticks() {
        let found = parse(STAT, 100);
        let ms = |ms: u64| Duration::from_ns(ms * 1_000_000);
        assert_eq!(found, BTreeMap::from([(0, ms(890)), (12, ms(1_030))]));
        assert!(parse("cpu0 1 2 3 4\n", 100).is_empty(), "an old kernel does not say");
    }

    /// Between two readings 20 ms go; one processor is none of the run's.
    #[test]
    fn what_grew_was_stolen_in_between() {
        let ms = |ms: u64| Duration::from_ns(ms * 1_000_000);
        let source = Source::open();
        let mut account =
            StolenTime { processors: vec![0], source, last: (1_000, BTreeMap::new()), found: Vec::new() };
        account.found.push((0, 900, 1_500, ms(20)));
        let machine = Source::open().read();
        let found = account.finish(1_000);
        match machine.get(&0) {
            // The first reading knew nothing of the processor, so that the second one adds nothing.
            Some(_) => {
                let (from, to) = (Instant::ZERO, Instant::from_ns(500));
                assert_eq!(found, Some(vec![Steal { processor: 0, from, to, length: ms(20) }]));
            }
            None => assert_eq!(found, None),
        }
    }

    /// A source that stays open reads the same as a file that was just opened, also if the text is longer than its
    /// room.
    #[test]
    fn an_open_source_says_what_the_kernel_counts_now() {
        let mut small = Source { text: vec![0; 8], ..Source::open() };
        let tick = Duration::from_ns(1_000_000_000);
        for _ in 0..2 {
            let (before, found, after) = (Source::open().read(), small.read(), Source::open().read());
            let within = |(index, length): (&usize, &Duration)| {
                before[index] <= *length && *length <= after[index] && after[index] - before[index] < tick
            };
            assert!(
                found.len() == before.len() && found.iter().all(within),
                "{before:?} {found:?} {after:?}"
            );
        }
    }
}
