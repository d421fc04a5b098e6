//! Who took processor time from tasks: other threads by name, and ordinary ones that ran over ready real-time ones.
//!
//! Since Linux 6.12 a fair server lets starved ordinary threads run over real-time ones for a part of each second; older kernels
//! throttle real-time threads for that (`sched_rt_runtime_us`). Either shows as an ordinary thread that got a processor
//! while a task's thread was ready there.

use schedlab_model::{Duration, Instant};
use schedlab_runtime::{sys, Lost, Outcome};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;

/// How many intervals the header of a trace names.
const NAMED: usize = 100;

/// Processor time that tasks lost.
#[derive(Debug, Default)]
pub struct Intruders {
    /// While their threads were on their way.
    on_the_way: Duration,
    /// To other threads, by name: how long in all, and how often.
    by_name: Vec<(String, Duration, usize)>,
    /// Intervals in which an ordinary thread ran over a ready task's: from when on, on which processor, how long.
    pub flagged: Vec<(Instant, usize, Duration)>,
}

/// The names of threads that took processor time, each looked up once. Threads that are gone by now have none.
#[derive(Debug, Default)]
pub struct Names(BTreeMap<i32, String>);

impl Names {
    /// Who took `lost`.
    pub fn of(&mut self, lost: &Lost) -> &str {
        let own = std::process::id() as i32;
        // The runtime's threads are gone by now, and were the run's own.
        let thread = if lost.process == own { own } else { lost.thread };
        self.0.entry(thread).or_insert_with(|| match thread {
            _ if thread == own => "the runtime itself".to_owned(),
            _ => name(thread),
        })
    }
}

/// Looks at what `outcome` lost. Threads that are gone by now are not taken for ordinary ones.
pub fn find(outcome: &Outcome) -> Intruders {
    let mut found = Intruders::default();
    let mut names = Names::default();
    let mut by_name: BTreeMap<String, (Duration, usize)> = BTreeMap::new();
    let mut ordinary: BTreeMap<i32, bool> = BTreeMap::new();
    let own = std::process::id() as i32;
    for lost in outcome.lost() {
        let length = Duration::from_ns(lost.ns());
        if lost.thread == 0 {
            found.on_the_way += length;
            continue;
        }
        let (total, count) = by_name.entry(names.of(&lost).to_owned()).or_default();
        *total += length;
        *count += 1;
        if lost.process == own {
            continue;
        }
        let is_ordinary = *ordinary.entry(lost.thread).or_insert_with(|| is_ordinary(lost.thread));
        if is_ordinary && lost.intruded {
            found.flagged.push((lost.from, lost.processor, length));
        }
    }
    found.by_name = by_name.into_iter().map(|(name, (length, count))| (name, length, count)).collect();
    found.by_name.sort_by_key(|(_, length, _)| std::cmp::Reverse(*length));
    found
}

fn is_ordinary(thread: i32) -> bool {
    sys::priority_of(thread).is_ok_and(|priority| priority == 0)
}

fn name(thread: i32) -> String {
    let path = format!("/proc/{thread}/comm");
    fs::read_to_string(path)
        .map_or_else(|_| "threads that are gone".to_owned(), |name| name.trim().to_owned())
}

impl Intruders {
    /// The intervals in which ordinary threads ran over ready ones, for the header of a trace; nothing if there were none.
    pub fn flags(&self) -> Option<String> {
        let interval = |(at, processor, length): &(Instant, usize, Duration)| {
            format!("{length} at {at} on processor {processor}")
        };
        let named: Vec<String> = self.flagged.iter().take(NAMED).map(interval).collect();
        let more = self.flagged.len().saturating_sub(NAMED);
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        (!named.is_empty()).then(|| format!("{}{rest}", named.join("; ")))
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let flagged: u64 = self.flagged.iter().map(|(.., length)| length.as_ns()).sum();
        json!({
            "on_the_way_ns": self.on_the_way.as_ns(),
            "to_others_ns": self.by_name.iter().map(|(_, length, _)| length.as_ns()).sum::<u64>(),
            "ordinary_over_real_time": { "count": self.flagged.len(), "total_ns": flagged },
        })
    }
}

impl fmt::Display for Intruders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self
            .by_name
            .iter()
            .take(3)
            .map(|(name, length, count)| format!("{name} {length} ({count} times)"));
        let others: Vec<String> = others.collect();
        let others = if others.is_empty() { "no other program".to_owned() } else { others.join(", ") };
        writeln!(f, "processor time that tasks lost         on the way {}; to {others}", self.on_the_way)?;
        if let Some((at, processor, length)) = self.flagged.iter().max_by_key(|(.., length)| *length) {
            writeln!(
                f,
                "ordinary threads ran over ready real-time ones {} times (fair server, or real-time throttling), the longest \
                 {length} at {at} on processor {processor}",
                self.flagged.len()
            )?;
        }
        Ok(())
    }
}
