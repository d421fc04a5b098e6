//! Sentences on a recording: its flaws, and what it does not show.

use crate::figures::Examined;
use crate::recording::Flaws;
use crate::unit::{StampUnit, Stamps};
use schedlab_model::Duration;
use std::collections::{BTreeMap, BTreeSet};

/// Most losses that are listed one by one.
const MOST_LISTED: usize = 12;

impl Examined {
    /// Sentences on the file, and on what cannot be concluded from it.
    pub(crate) fn findings(&self) -> Vec<String> {
        let mut all = of_file(&self.recording.flaws);
        all.extend(self.of_stamps());
        all.extend(self.of_processors());
        all.extend(self.of_breaks());
        all.extend(self.of_events());
        all
    }

    fn of_stamps(&self) -> Option<String> {
        match self.stamp_unit() {
            StampUnit::Counts => Some(
                "NO TIMES: the stamps are numbers of events (they rise by about 1 per event), as trace_clock = counter \
                 writes them. Order, preemptions, priorities and processors are known; periods, costs and latencies are \
                 not. Record with trace_clock = mono."
                    .to_owned(),
            ),
            StampUnit::Unknown => Some(
                "UNKNOWN UNIT: the stamps are whole numbers, and the file does not state their unit: nanoseconds, or \
                 ticks of a counter whose rate it lacks. State it: --unit ns, or the rate, such as --unit 2.45GHz. Until \
                 then lengths are in units of the stamps."
                    .to_owned(),
            ),
            StampUnit::Time => match self.recording.stamps {
                Stamps::Relative => Some(
                    "Stamps count from the begin of the trace's buffer (latency format), in whole microseconds.".to_owned(),
                ),
                Stamps::Bare => Some("Stamps without a unit of their own are read in the unit that was given.".to_owned()),
                Stamps::Seconds | Stamps::Nanoseconds => None,
            },
        }
    }

    fn of_processors(&self) -> Vec<String> {
        let seen = self.recording.seen();
        let mut all = Vec::new();
        let Some(count) = self.recording.processors.filter(|count| usize::from(*count) > seen.len()) else {
            let unseen = self.recording.unseen();
            if !unseen.is_empty() && !seen.is_empty() {
                all.push(not_traced(&seen, &unseen));
            }
            return all;
        };
        if seen.is_empty() {
            return all;
        }
        let unseen = self.recording.unseen();
        let (cpus, are) = (list(&seen), if seen.len() == 1 { "CPU" } else { "CPUs" });
        all.push(match unseen.is_empty() {
            true => format!(
                "Of {count} processors, only {are} {cpus} {} context switches in the trace: the others were idle, or not traced.",
                if seen.len() == 1 { "has" } else { "have" }
            ),
            false => format!("ONLY {are} {cpus} of {count} processors {} in the trace. {}", is_are(seen.len()), not_traced(&seen, &unseen)),
        });
        all
    }

    fn of_breaks(&self) -> Option<String> {
        let breaks = self.swept.breaks;
        let by_cpu: Vec<String> =
            self.swept.breaks_by_cpu.iter().map(|(cpu, count)| format!("CPU {cpu}: {count}")).collect();
        let ends = self.swept.without_end;
        let ends = (ends > 0).then(|| {
            format!(
                " {} not in the trace either.",
                match ends {
                    1 => "The end of 1 run is".to_owned(),
                    _ => format!("The ends of {ends} runs are"),
                }
            )
        });
        (breaks > 0).then(|| {
            format!(
                "RUNS WITHOUT A BEGIN: in {breaks} of the switches ({}) the thread that leaves is not the one that came last. \
                 When it came is not in the trace, so these runs, and the jobs that they belong to, have no cost here.{}",
                by_cpu.join(", "),
                ends.unwrap_or_default()
            )
        })
    }

    fn of_events(&self) -> Vec<String> {
        let tally = &self.recording.tally;
        let mut all = Vec::new();
        if tally.switches == 0 {
            all.push(
                "NO CONTEXT SWITCHES: the trace has wake-ups alone. Periods can be told; costs, runs, preemptions and latencies \
                 cannot. Record sched_switch, too."
                    .to_owned(),
            );
        } else if tally.wakings + tally.wakeups == 0 {
            all.push(
                "NO WAKE-UPS: the trace has no sched_wakeup and no sched_waking. A release is taken to be the first run after a \
                 sleep, so that periods waver with preemption; latencies and response times are not seen."
                    .to_owned(),
            );
        } else if tally.wakeups == 0 {
            all.push(
                "Releases are those of sched_waking, because the trace has no sched_wakeup: its processor is the last one of \
                 the thread, and latencies begin a little earlier."
                    .to_owned(),
            );
        }
        all
    }
}

fn of_file(flaws: &Flaws) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(damage) = &flaws.damage {
        all.push(format!("DAMAGED: the file is read as far as it goes: {damage}."));
    }
    if let Some(line) = flaws.cut_line {
        all.push(format!("CUT: the file ends within line {line}, which is left out."));
    }
    if flaws.is_full {
        all.push("TOO LONG: the file has more events than are kept; those after the first 16 million are left out.".to_owned());
    }
    if let Some(first) = flaws.first_bad {
        all.push(format!(
            "{} with an event of the scheduler cannot be read; the first is {first}.",
            plural(flaws.bad_lines, "line")
        ));
    }
    all.extend(of_losses(flaws));
    if !flaws.late.is_empty() {
        let late = list(&flaws.late);
        all.push(format!(
            "The events of CPU {late} begin later than others: earlier ones had been overwritten."
        ));
    }
    if flaws.overwritten > 0 {
        let events = plural(flaws.overwritten, "event");
        all.push(format!(
            "{events} had been overwritten before the trace was read: it is the end of a longer recording."
        ));
    }
    if flaws.swapped > 0 {
        let events = plural(flaws.swapped, "event");
        all.push(format!("OUT OF ORDER: {events} came after later ones of the same processor; all are sorted by their stamps."));
    }
    if flaws.unsorted > flaws.swapped {
        all.push(
            "The file is not in order of time over the processors; its events are sorted by their stamps."
                .to_owned(),
        );
    }
    all
}

fn of_losses(flaws: &Flaws) -> Option<String> {
    let losses = &flaws.losses;
    let one = |lost: Option<u64>| lost.map_or("an unknown number".to_owned(), |count| count.to_string());
    let holes: Vec<String> = match losses.len() <= MOST_LISTED {
        true => losses.iter().map(|loss| format!("CPU {}: {}", loss.cpu, one(loss.lost))).collect(),
        false => {
            let mut by_cpu: BTreeMap<u16, (u64, Option<u64>)> = BTreeMap::new();
            for loss in losses {
                let of = by_cpu.entry(loss.cpu).or_insert((0, Some(0)));
                *of = (of.0 + 1, of.1.zip(loss.lost).map(|(all, more)| all.saturating_add(more)));
            }
            by_cpu
                .iter()
                .map(|(cpu, (holes, lost))| format!("CPU {cpu}: {} in {holes} holes", one(*lost)))
                .collect()
        }
    };
    (!losses.is_empty()).then(|| {
        format!(
            "LOST EVENTS: {} ({}). Nothing is concluded across a hole: neither a cost, nor a period, nor a latency. A larger \
             buffer loses less: trace-cmd record -b 20000.",
            plural(losses.len() as u64, "hole"),
            holes.join(", ")
        )
    })
}

fn not_traced(seen: &BTreeSet<u16>, unseen: &BTreeSet<u16>) -> String {
    format!(
        "Threads also go to CPU {}, of which the trace has no switch: costs and numbers of jobs on CPU {} are what was seen \
         there, at least; after a thread left, nothing is known of it until it wakes up here again.",
        list(unseen),
        list(seen)
    )
}

fn is_are(count: usize) -> &'static str {
    if count == 1 {
        "is"
    } else {
        "are"
    }
}

/// Lists numbers.
pub(crate) fn list(numbers: &BTreeSet<u16>) -> String {
    numbers.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")
}

/// A number with its noun.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{s}")
}

/// Rounds a length of time to four digits, because the rest is chance.
pub(crate) fn about(ns: u64) -> Duration {
    let digits = ns.checked_ilog10().unwrap_or(0).saturating_sub(3);
    let unit = 10_u64.pow(digits);
    Duration::from_ns((ns + unit / 2) / unit * unit)
}
