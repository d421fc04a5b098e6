//! Makes a scenario of a recording: a task for each thread whose releases and costs it shows.

use crate::event::Urgency;
use crate::figures::{Examined, Figures};
use crate::findings::{about, list, plural};
use crate::notes;
use crate::order::{order_of, SeenClass, SeenOrder, CLASSES, DEADLINE};
use crate::period::Pattern;
use crate::recording::printable;
use crate::result::RecordingResult;
use crate::threads::Life;
use crate::unit::StampUnit;
use schedlab_model::{Duration, Work};
use schedlab_scenario::{Arrival, PlatformSpec, Scenario, SchedulerSpec, TaskSpec, Wcets, OBSERVE};
use std::collections::BTreeSet;
use std::iter;

/// Fewest releases of a thread without a period that make it a task.
const ENOUGH_IRREGULAR: usize = 10;

/// Most characters of a task's name that are a thread's: names of tasks have 200, and a number may follow.
const LONGEST_NAME: usize = 180;

/// Longest time in a scenario: a year.
pub(crate) const LONGEST: u64 = 365 * 86_400 * 1_000_000_000;

/// Reason why a light thread is no task.
const LIGHT: &str = "no real-time priority, and less than 1% of a processor";

/// Largest number of threads without a task that are named in the notes.
const MOST_NAMED: usize = 20;

/// Conclusions from a recording.
#[derive(Debug)]
pub struct Concluded {
    /// The recording as plain values.
    pub result: RecordingResult,
    /// The scenario; nothing if no thread can be a task.
    pub scenario: Option<Scenario>,
    /// Remarks on the scenario, or on why there is none, a line each.
    pub notes: Vec<String>,
}

impl Examined {
    /// Concludes what the recording shows; `file` names it.
    pub fn concluded(&self, file: &str) -> Concluded {
        let mut names = BTreeSet::new();
        let mut tasks: Vec<Result<String, String>> = vec![Err(String::new()); self.swept.lives.len()];
        let (mut specs, mut found) = (Vec::new(), Vec::new());
        let cpus: Vec<u16> = self.recording.seen().into_iter().collect();
        let threads = self.threads();
        let candidates: Vec<_> =
            threads.iter().filter(|(_, life, of)| self.refusal(life, of).is_none()).collect();
        // Daemons and threads of the kernel would hide the tasks.
        let leaves_light = candidates.iter().any(|(_, life, of)| !is_light(life, of));
        for (place, life, of) in threads {
            let why = self.refusal(life, of);
            let why = why.or_else(|| (leaves_light && is_light(life, of)).then(|| LIGHT.to_owned()));
            tasks[place] = why.map_or_else(|| Ok(unique(&mut names, &self.name(life))), Err);
            if let Ok(name) = &tasks[place] {
                specs.push(task(name, life, of, &cpus));
                found.push((place, life, of));
            }
        }
        let findings = self.findings();
        let mut notes = vec![if specs.is_empty() { notes::NO_TASK } else { notes::WARNING }.to_owned()];
        notes.extend(findings.iter().cloned());
        for (place, life, of) in &found {
            notes.push(notes::described(self, tasks[*place].as_deref().unwrap_or_default(), life, of));
        }
        if self.stamp_unit() != StampUnit::Time {
            notes.extend(notes::without_times(self));
        } else {
            notes.extend(self.left_out(&tasks));
        }
        let order = (!specs.is_empty()).then(|| order(&found, &mut specs, &cpus));
        notes.extend(order.iter().flat_map(|order| order.notes.iter().cloned()));
        notes.extend(self.not_seen(&found));
        let scenario = order.map(|order| {
            let file = printable(file);
            let mut scenario = Scenario::new(specs);
            scenario.title = format!("Observed: {file}");
            let length = about(self.recording.end - self.recording.begin);
            scenario.source = format!("{OBSERVE} {length} of the kernel trace {file}");
            scenario.wcets = Wcets::Observed;
            scenario.notes = notes.join("\n");
            scenario.platform = PlatformSpec { processors: cpus.len() as u16, ..PlatformSpec::default() };
            scenario.scheduler = order.scheduler;
            scenario
        });
        Concluded { result: self.result(&tasks, findings), scenario, notes }
    }

    /// Returns the reason why a thread is no task.
    fn refusal(&self, life: &Life, of: &Figures) -> Option<String> {
        match self.stamp_unit() {
            StampUnit::Time => {}
            StampUnit::Unknown => return Some("the unit of the stamps is not known".to_owned()),
            StampUnit::Counts => return Some("the stamps are no times".to_owned()),
        }
        let releases = match of.releases {
            0 => "no release".to_owned(),
            count => plural(count as u64, "release"),
        };
        let period = match of.pattern {
            None => return Some(format!("{releases}, of which no period follows")),
            Some(Pattern::Periodic { period, .. }) => period,
            Some(Pattern::Irregular { distance }) => {
                let is_urgent =
                    matches!(Urgency::of(life.priority), Urgency::Deadline | Urgency::RealTime(_));
                if !is_urgent || of.releases < ENOUGH_IRREGULAR {
                    return Some(format!("{releases} without a period"));
                }
                distance.max(1)
            }
        };
        match of.costs.last() {
            None => {
                let period = about(period);
                let most = of.response.map(|most| format!("; it was at most {}, its longest response", about(most)));
                let most = most.unwrap_or_default();
                Some(format!("its period is {period}, but its cost was not seen, for no job of it is whole{most}"))
            }
            Some(0) => Some("no job of it took any time".to_owned()),
            Some(_) if period > LONGEST => Some("its period is longer than a year".to_owned()),
            Some(cost) if *cost > period => Some(format!(
                "REFUSED: its largest cost, {}, is above its period, {}: it was overloaded, or several jobs look like one",
                about(*cost),
                about(period)
            )),
            Some(_) => None,
        }
    }

    /// Sentences on the threads that are no tasks: those that ran longest by name, with the reasons.
    fn left_out(&self, tasks: &[Result<String, String>]) -> Option<String> {
        let mut left: Vec<(&Life, &String)> = self
            .swept
            .lives
            .iter()
            .zip(tasks)
            .filter_map(|(life, task)| Some((life, task.as_ref().err()?)))
            .collect();
        left.sort_by_key(|(life, _)| (std::cmp::Reverse(life.run), life.pid));
        let all = self.recording.end - self.recording.begin;
        let share = |life: &Life| (u128::from(life.run) * 1000 / u128::from(all.max(1))) as u64;
        let named: Vec<String> = left
            .iter()
            .take(MOST_NAMED)
            .map(|(life, why)| {
                let load = share(life);
                let ran = format!("{}.{}% of a processor", load / 10, load % 10);
                format!("{} ({}: {why}; {ran})", self.name(life), life.pid)
            })
            .collect();
        let more = left.len().saturating_sub(MOST_NAMED);
        let more = if more > 0 { format!(", and {more} more that ran for less") } else { String::new() };
        (!left.is_empty())
            .then(|| format!("LEFT OUT, so that their load is missing: {}{more}.", named.join(", ")))
    }

    /// Sentences on what a kernel trace does not show.
    fn not_seen(&self, found: &[(usize, &Life, &Figures)]) -> Vec<String> {
        let mut all = Vec::new();
        if found.is_empty() {
            return all;
        }
        let is_deadline =
            |(_, life, _): &&(usize, &Life, &Figures)| Urgency::of(life.priority) == Urgency::Deadline;
        let deadline: Vec<String> =
            found.iter().filter(is_deadline).map(|(_, life, _)| self.name(life)).collect();
        if !deadline.is_empty() {
            all.push(format!(
                "NOT SEEN of SCHED_DEADLINE threads ({}): runtime, deadline and period of their servers, which the trace does \
                 not hold. The periods here are those of their wake-ups. They have no fixed priority.",
                deadline.join(", ")
            ));
        }
        all.push(notes::UNSEEN.to_owned());
        let mutexes = if self.recording.tally.inherits > 0 { notes::SOME_MUTEXES } else { notes::NO_MUTEXES };
        all.push(mutexes.to_owned());
        all
    }
}

/// Returns whether a thread without real-time priority needs less than a hundredth of a processor.
fn is_light(life: &Life, of: &Figures) -> bool {
    let cost = of.costs.last().copied().unwrap_or(0);
    let is_ordinary = matches!(Urgency::of(life.priority), Urgency::Ordinary(_) | Urgency::Unknown(_));
    is_ordinary && of.median_distance.is_some_and(|distance| cost.saturating_mul(100) < distance)
}

fn task(name: &str, life: &Life, of: &Figures, cpus: &[u16]) -> TaskSpec {
    let cost = Work::from_ns(of.costs.last().copied().unwrap_or(0));
    let (arrival, period, jitter) = match of.pattern {
        Some(Pattern::Periodic { period, jitter, .. }) => {
            (Arrival::Periodic, rounded(period), jitter.div_ceil(1_000) * 1_000)
        }
        Some(Pattern::Irregular { distance }) => {
            (Arrival::Sporadic { delay: Duration::ZERO, like: None }, distance, 0)
        }
        None => (Arrival::Periodic, 0, 0),
    };
    let period = period.max(cost.as_ns());
    let here =
        |cpu: &u16| cpus.iter().position(|other| other == cpu).and_then(|place| u16::try_from(place).ok());
    let used: Vec<u16> = life.own_cpus.iter().filter_map(here).collect();
    let (processor, affinity) = match used.as_slice() {
        [one] => (Some(*one), Vec::new()),
        some if some.len() == cpus.len() => (None, Vec::new()),
        some => (None, some.to_vec()),
    };
    let spec = TaskSpec::new(name, cost, Duration::from_ns(period));
    let jitter = Duration::from_ns(jitter.min(period.saturating_sub(1)));
    TaskSpec { arrival, jitter, processor, affinity, ..spec }
}

/// Rounds a period of milliseconds to whole microseconds, because the rest is the clock's error.
fn rounded(period: u64) -> u64 {
    match period >= 1_000_000 {
        true => (period + 500) / 1_000 * 1_000,
        false => period,
    }
}

/// The scheduler that stands for Linux's, with the differences.
struct Order {
    scheduler: SchedulerSpec,
    notes: Vec<String>,
}

/// Returns the scheduler that stands for Linux's; partitioned if each thread ran on one processor.
fn order(found: &[(usize, &Life, &Figures)], specs: &mut [TaskSpec], cpus: &[u16]) -> Order {
    let urgency = |(_, life, _): &(usize, &Life, &Figures)| match Urgency::of(life.priority) {
        Urgency::Deadline => SeenClass::Deadline,
        Urgency::RealTime(priority) => SeenClass::RealTime(priority),
        Urgency::Ordinary(_) | Urgency::Unknown(_) => SeenClass::Ordinary,
    };
    let classes: Vec<SeenClass> = found.iter().map(urgency).collect();
    let (scheduler, kind) = order_of(&classes, specs);
    let mut notes: Vec<String> = match kind {
        SeenOrder::Fixed => None,
        SeenOrder::FixedAndOrdinary => Some(notes::MIXED),
        SeenOrder::Classes => Some(CLASSES),
        SeenOrder::Deadline => Some(DEADLINE),
        SeenOrder::Ordinary => Some(notes::FAIR),
    }
    .map(str::to_owned)
    .into_iter()
    .collect();
    let is_partitioned = specs.iter().all(|spec| spec.processor.is_some());
    let is_bound = |spec: &&TaskSpec| spec.processor.is_some() || !spec.affinity.is_empty();
    if !is_partitioned && specs.iter().any(|spec| is_bound(&spec)) {
        let bound: Vec<&str> = specs.iter().filter(is_bound).map(|spec| spec.name.as_str()).collect();
        notes.push(format!(
            "Ran on some processors only: {}. The scenario keeps that, but global schedulers do not heed it: P- schedulers do, \
             which also bind the others.",
            bound.join(", ")
        ));
    }
    if cpus.iter().zip(0..).any(|(cpu, place)| *cpu != place) {
        let cpus: BTreeSet<u16> = cpus.iter().copied().collect();
        notes.push(format!(
            "The processors 0, 1, ... of the scenario are the machine's CPUs {}.",
            list(&cpus)
        ));
    }
    Order { scheduler, notes }
}

/// Returns a name that is not taken: threads may have equal names, tasks may not.
pub(crate) fn unique(names: &mut BTreeSet<String>, name: &str) -> String {
    let clean: String = printable(name).trim().chars().take(LONGEST_NAME).collect();
    let clean = if clean.trim().is_empty() { "unnamed".to_owned() } else { clean.trim().to_owned() };
    let numbered = (2..).map(|number| format!("{clean}-{number}"));
    let mut free = iter::once(clean.clone()).chain(numbered).filter(|name| !names.contains(name));
    let name = free.next().expect("numbers do not end");
    names.insert(name.clone());
    name
}
