//! Time that the host of a virtual machine took from its processors: what the kernel counts as `steal` in `/proc/stat`.
//!
//! The kernel counts by processor and in ticks, hundredths of a second: which thread lost the time is not said.

use crate::machine::sys;
use schedlab_model::{Duration, Instant};
use std::collections::BTreeMap;
use std::fs;

/// Time that was stolen from a processor at some time within an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steal {
    /// The machine's processor.
    pub processor: usize,
    /// When it had been read before.
    pub from: Instant,
    /// When it was read.
    pub to: Instant,
    /// How much.
    pub length: Duration,
}

/// By processor of the machine: how much was stolen since it started; nothing where the kernel does not say.
pub fn stolen() -> BTreeMap<usize, Duration> {
    fs::read_to_string("/proc/stat")
        .map_or_else(|_| BTreeMap::new(), |text| parse(&text, sys::ticks_a_second()))
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

/// Reads now and then what was stolen.
#[derive(Debug)]
pub(crate) struct StolenTime {
    processors: Vec<usize>,
    last: (u64, BTreeMap<usize, Duration>),
    /// Times by the monotonic clock: from when, until when.
    found: Vec<(usize, u64, u64, Duration)>,
}

impl StolenTime {
    /// Of `processors`, from now on.
    pub(crate) fn begin(processors: &[usize]) -> Self {
        StolenTime {
            processors: processors.to_vec(),
            last: (sys::monotonic_ns(), stolen()),
            found: Vec::with_capacity(1_024),
        }
    }

    /// Reads it.
    pub(crate) fn read(&mut self) {
        let now = (sys::monotonic_ns(), stolen());
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

    /// What was stolen, on the clock of a run that began at `zero`; nothing if the kernel does not say.
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
        let mut account =
            StolenTime { processors: vec![0], last: (1_000, BTreeMap::new()), found: Vec::new() };
        account.found.push((0, 900, 1_500, ms(20)));
        let machine = stolen();
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
}
