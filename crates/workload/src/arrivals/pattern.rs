//! When jobs arrive: periodically, sporadically, or so as to hurt.
//!
//! [`FORMS`] lists what can be written.

use super::SourceError;
use crate::random::Random;
use crate::words::{allowed, SpecError, Words};
use core::fmt;
use core::str::FromStr;
use schedlab_model::{Duration, Instant, OneWord, Task, TaskId};

/// A pattern of arrivals. Two jobs of a task are never closer than its period, unless listed so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// The first job arrives at the offset, each other exactly one period after the one before.
    #[default]
    Periodic,
    /// Each job, the first too, arrives later than it could by a random delay, uniform in `0..=max`.
    SporadicUniform {
        /// The longest delay.
        max: Duration,
    },
    /// The same with an exponentially distributed delay.
    SporadicExponential {
        /// The mean delay.
        mean: Duration,
    },
    /// Up to `jobs` jobs as close as allowed, then a random delay, uniform in `0..=idle`, and so on.
    Bursts {
        /// The largest number of jobs in a burst; each number up to it is equally likely. Positive.
        jobs: u32,
        /// The longest delay between bursts.
        idle: Duration,
    },
    /// Jobs as close as allowed during the first `active` of each `every`; the first of them at the
    /// beginning. All tasks of the same pattern arrive together again and again, after idling: the critical
    /// instant of uniprocessor theory, not once but often.
    Synchronized {
        /// From one common arrival to the next. Positive.
        every: Duration,
        /// For how long jobs keep arriving from each common arrival on.
        active: Duration,
    },
    /// At these times and no more, whatever the offset; those before the task joins are left out.
    Listed(Vec<Instant>),
}

/// Where one task stands in its pattern.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// The last arrival, if there was one.
    last: Option<Instant>,
    /// How many jobs the current burst still has.
    burst: u32,
    /// How many listed arrivals are over.
    listed: usize,
}

impl Arrivals {
    /// An error if listed times go back.
    pub(super) fn check(&self, task: TaskId) -> Result<(), SourceError> {
        match self {
            Arrivals::Listed(times) if !times.is_sorted() => Err(SourceError::UnorderedArrivals(task)),
            Arrivals::Periodic
            | Arrivals::SporadicUniform { .. }
            | Arrivals::SporadicExponential { .. }
            | Arrivals::Bursts { .. }
            | Arrivals::Synchronized { .. }
            | Arrivals::Listed(_) => Ok(()),
        }
    }

    /// The next arrival of `task`, or `None` beyond the last or beyond the end of time.
    #[inline]
    pub(super) fn next(&self, progress: &mut Progress, task: &Task, random: &mut Random) -> Option<Instant> {
        if let Arrivals::Listed(times) = self {
            let skipped = times[progress.listed..].iter().position(|time| *time >= task.join)?;
            progress.listed += skipped + 1;
            return Some(times[progress.listed - 1]);
        }
        let earliest = match progress.last {
            None => task.offset.max(task.join),
            Some(last) => last.checked_add(task.period)?,
        };
        let arrival = match *self {
            Arrivals::Listed(_) => return None,
            Arrivals::Periodic => earliest,
            Arrivals::SporadicUniform { max } => earliest.checked_add(up_to(max, random))?,
            Arrivals::SporadicExponential { mean } => {
                let delay = random.exponential(mean.as_ns() as f64) as u64;
                earliest.checked_add(Duration::from_ns(delay))?
            }
            Arrivals::Bursts { jobs, idle } => {
                let pause = progress.burst == 0 && progress.last.is_some();
                if progress.burst == 0 {
                    progress.burst = random.between(1, jobs.max(1).into()) as u32;
                }
                progress.burst -= 1;
                if pause {
                    earliest.checked_add(up_to(idle, random))?
                } else {
                    earliest
                }
            }
            Arrivals::Synchronized { every, active } => synchronized(earliest, every, active)?,
        };
        progress.last = Some(arrival);
        Some(arrival)
    }
}

/// Uniform in `0..=max`.
fn up_to(max: Duration, random: &mut Random) -> Duration {
    Duration::from_ns(random.between(0, max.as_ns()))
}

/// `earliest` if that is at the beginning or within the active part of its interval, else the next beginning.
fn synchronized(earliest: Instant, every: Duration, active: Duration) -> Option<Instant> {
    let (at, every) = (earliest.as_ns(), every.as_ns().max(1));
    let since = at % every;
    if since == 0 || since < active.as_ns() {
        return Some(earliest);
    }
    (at - since).checked_add(every).map(Instant::from_ns)
}

/// What can be written: the form, and what it means.
pub const FORMS: &[(&str, &str)] = &[
    ("periodic", "each job exactly one period after the one before"),
    ("sporadic uniform MAX", "each later than it could be, by up to MAX"),
    ("sporadic exponential MEAN", "each later than it could be, exponentially distributed"),
    ("bursts N idle MAX", "up to N jobs as close as allowed, then a delay of up to MAX"),
    ("synchronized every LENGTH for LENGTH", "as close as allowed during the first part of each interval"),
    ("at TIME...", "at these times and no more"),
];

/// An error unless the next word is `word`.
fn expect(words: &mut Words<'_>, word: &'static str) -> Result<(), SpecError> {
    match words.take(word) {
        true => Ok(()),
        false => Err(SpecError::Missing { field: "arrivals", what: word }),
    }
}

impl FromStr for Arrivals {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut words = Words::new("arrivals", text);
        let arrivals = match words.word("the name of a pattern")? {
            "periodic" => Arrivals::Periodic,
            "sporadic" => match words.word("`uniform` or `exponential`")? {
                "uniform" => Arrivals::SporadicUniform { max: length(&mut words, "the longest delay")? },
                "exponential" => {
                    Arrivals::SporadicExponential { mean: length(&mut words, "the mean delay")? }
                }
                other => return Err(words.unknown(other, "uniform, exponential")),
            },
            "bursts" => {
                let jobs = words.count("the largest number of jobs")?;
                expect(&mut words, "idle")?;
                Arrivals::Bursts { jobs, idle: length(&mut words, "the longest delay between bursts")? }
            }
            "synchronized" => {
                expect(&mut words, "every")?;
                let every = length(&mut words, "the distance of common arrivals")?;
                expect(&mut words, "for")?;
                Arrivals::Synchronized { every, active: length(&mut words, "the active part")? }
            }
            "at" => {
                let mut times = Vec::new();
                while times.is_empty() || !words.is_empty() {
                    let word = words.word("the time of an arrival")?;
                    times.push(Instant::from_ns(words.time_in("the time of an arrival", word)?));
                }
                Arrivals::Listed(times)
            }
            other => return Err(words.unknown(other, allowed(FORMS))),
        };
        words.finish()?;
        Ok(arrivals)
    }
}

fn length(words: &mut Words<'_>, what: &'static str) -> Result<Duration, SpecError> {
    words.duration(what).map(Duration::from_ns)
}

impl fmt::Display for Arrivals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arrivals::Periodic => write!(f, "periodic"),
            Arrivals::SporadicUniform { max } => write!(f, "sporadic uniform {}", OneWord::from(*max)),
            Arrivals::SporadicExponential { mean } => {
                write!(f, "sporadic exponential {}", OneWord::from(*mean))
            }
            Arrivals::Bursts { jobs, idle } => write!(f, "bursts {jobs} idle {}", OneWord::from(*idle)),
            Arrivals::Listed(times) => {
                write!(f, "at")?;
                times.iter().try_for_each(|time| write!(f, " {}", OneWord::from(*time)))
            }
            Arrivals::Synchronized { every, active } => {
                write!(f, "synchronized every {} for {}", OneWord::from(*every), OneWord::from(*active))
            }
        }
    }
}
