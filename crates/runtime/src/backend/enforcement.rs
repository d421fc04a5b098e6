//! The choice of how an engine's decisions become true, as a user makes it and as a run has it.

use crate::backend::native::NativeSide;
use crate::machine::not_native::NotNative;
use crate::machine::refusal::Refusal;
use crate::machine::sys;
use crate::options::{BackendChoice, Options};
use crate::record::kernel_scheduler::KernelScheduler;
use schedlab_scx::{Follower, LoadRefusal, Outside, SchedulerEnd, Settings, MOST_PROCESSORS, MOST_TASKS};
use schedlab_trace::Backend;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

/// The parts of each second that other threads may have. With less than 20 ms, canaries and the kernel's own threads
/// would wait for too long; with more than 900 ms, hardly anything would be left for tasks.
const RESERVES: RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_millis(900);

/// The way in which the engine's decisions become true for the threads of tasks.
#[derive(Debug)]
pub enum Enforcement {
    /// Gates, where threads stop by signals.
    Gates {
        /// The reason why no scheduler in the kernel does it, if the user would have preferred one.
        declined: Option<String>,
    },
    /// Links, by which a scheduler in the kernel executes the threads.
    Links {
        /// The scheduler, which is loaded as long as this value, and what shares it, is there.
        follower: Arc<Follower>,
        /// Part of each second that threads outside of the scenario have on each of its processors.
        reserve: Duration,
    },
    /// A scheduler in the kernel that decides by itself: no engine decides.
    Native {
        /// The scheduler, with what the threads share with it.
        side: NativeSide,
        /// As above.
        reserve: Duration,
    },
}

impl Enforcement {
    /// Gates, as a run has them without a choice.
    pub const GATES: Enforcement = Enforcement::Gates { declined: None };

    /// The enforcement that `options` choose for a scheduler of schedlab's own with this many `tasks`, on this many
    /// `processors`. A scheduler in the kernel is loaded here.
    pub fn of(options: &Options, tasks: usize, processors: usize) -> Result<Self, Refusal> {
        match options.backend {
            None | Some(BackendChoice::Only(Backend::Threads)) => Ok(Enforcement::GATES),
            Some(BackendChoice::Only(Backend::Scx)) => {
                Enforcement::links(options, tasks, processors).map_err(Refusal::from)
            }
            Some(BackendChoice::Auto) => match Enforcement::links(options, tasks, processors) {
                Ok(links) => Ok(links),
                Err(NoLinks::Load(why)) => Ok(Enforcement::Gates { declined: Some(why.to_string()) }),
                Err(NoLinks::Run(
                    why @ (Refusal::UnprivilegedLinks | Refusal::TooManyTasks(_) | Refusal::HighProcessor(_)),
                )) => Ok(Enforcement::Gates { declined: Some(why.to_string()) }),
                Err(NoLinks::Run(why)) => Err(why),
            },
            Some(BackendChoice::Only(Backend::ScxNative)) => Err(Refusal::NotNative(NotNative::Engine)),
            Some(BackendChoice::Only(backend @ (Backend::Class | Backend::Simulation))) => {
                Err(Refusal::NotByClass(backend))
            }
        }
    }

    fn links(options: &Options, tasks: usize, processors: usize) -> Result<Self, NoLinks> {
        let own = for_kernel(options, tasks, processors).map_err(NoLinks::Run)?;
        let set = own.iter().fold(0, |set, processor| set | 1 << processor);
        let settings = Settings { reserve_ns: sys::ns(options.reserve), ..Settings::of(set) };
        let follower = Arc::new(Follower::load(&settings).map_err(NoLinks::Load)?);
        Ok(Enforcement::Links { follower, reserve: options.reserve })
    }

    /// What threads outside of the scenario have had so far on each of these processors of the machine; nothing where
    /// no scheduler in the kernel counts it.
    pub(crate) fn outside(&self, processors: &[usize]) -> Vec<Outside> {
        match self {
            Enforcement::Gates { .. } => Vec::new(),
            Enforcement::Links { follower, .. } => {
                processors.iter().map(|processor| follower.outside(*processor as u32)).collect()
            }
            Enforcement::Native { side, .. } => {
                processors.iter().map(|processor| side.scheduler.outside(*processor as u32)).collect()
            }
        }
    }

    /// Takes the scheduler out of the kernel, after a run on these processors of the machine, if it is there; returns
    /// what is known of it. `before` is what threads outside had had when the run began.
    pub(crate) fn finish(&self, processors: &[usize], before: &[Outside]) -> KernelScheduler {
        match self {
            Enforcement::Gates { declined: None } => KernelScheduler::NotAsked,
            Enforcement::Gates { declined: Some(why) } => KernelScheduler::Declined(why.clone()),
            Enforcement::Links { follower, reserve } => {
                self.loaded(*reserve, follower.unload(), processors, before)
            }
            Enforcement::Native { side, reserve } => {
                self.loaded(*reserve, side.scheduler.unload(), processors, before)
            }
        }
    }

    fn loaded(
        &self,
        reserve: Duration,
        end: Option<SchedulerEnd>,
        processors: &[usize],
        before: &[Outside],
    ) -> KernelScheduler {
        let after = self.outside(processors);
        let outside = after.into_iter().zip(before).map(|(after, before)| after.since(*before)).collect();
        KernelScheduler::Loaded { reserve, outside, end }
    }

    /// The backend that a trace of such a run names.
    pub fn backend(&self) -> Backend {
        match self {
            Enforcement::Gates { .. } => Backend::Threads,
            Enforcement::Links { .. } => Backend::Scx,
            Enforcement::Native { .. } => Backend::ScxNative,
        }
    }
}

/// The reason why there are no links.
enum NoLinks {
    /// The run does not suit them.
    Run(Refusal),
    /// The machine or the build has none.
    Load(LoadRefusal),
}

impl From<NoLinks> for Refusal {
    fn from(why: NoLinks) -> Self {
        match why {
            NoLinks::Run(refusal) => refusal,
            NoLinks::Load(refusal) => Refusal::Load(refusal),
        }
    }
}

/// The processors of the machine that a system of this many tasks and processors uses, if a scheduler in the kernel
/// takes it.
pub(crate) fn for_kernel(options: &Options, tasks: usize, processors: usize) -> Result<Vec<usize>, Refusal> {
    if options.unprivileged {
        return Err(Refusal::UnprivilegedLinks);
    }
    if tasks > MOST_TASKS as usize {
        return Err(Refusal::TooManyTasks(tasks));
    }
    if !RESERVES.contains(&options.reserve) {
        return Err(Refusal::Reserve(options.reserve));
    }
    own_processors(processors).and_then(all_below_most)
}

/// These processors, if a scheduler in the kernel has a bit for each of them.
fn all_below_most(own: Vec<usize>) -> Result<Vec<usize>, Refusal> {
    match own.iter().find(|processor| **processor >= MOST_PROCESSORS as usize) {
        Some(high) => Err(Refusal::HighProcessor(*high)),
        None => Ok(own),
    }
}

/// The processors of the machine that a system of this many uses.
pub(crate) fn own_processors(needed: usize) -> Result<Vec<usize>, Refusal> {
    let mut allowed = sys::allowed_processors()
        .map_err(|error| Refusal::System { what: "asking for this process's processors", error })?;
    if allowed.len() < needed {
        return Err(Refusal::Processors { needed, allowed: allowed.len() });
    }
    allowed.truncate(needed);
    Ok(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enforcement(
        choice: Option<BackendChoice>,
        unprivileged: bool,
        tasks: usize,
    ) -> Result<Backend, Refusal> {
        let options = Options { backend: choice, unprivileged, ..Options::default() };
        Enforcement::of(&options, tasks, 1).map(|found| found.backend())
    }

    #[test]
    fn processors_without_a_bit_are_refused_by_name() {
        assert_eq!(all_below_most(vec![0, 5, 63]).unwrap(), [0, 5, 63]);
        let refused = all_below_most(vec![0, 64, 90]).unwrap_err();
        assert!(matches!(refused, Refusal::HighProcessor(64)), "{refused}");
        assert!(refused.to_string().contains("processors below 64"), "{refused}");
    }

    /// No build of these tests can load anything into the kernel.
    #[test]
    fn a_choice_is_kept_or_refused() {
        let only = |backend| Some(BackendChoice::Only(backend));
        assert_eq!(enforcement(None, false, 1).unwrap(), Backend::Threads);
        assert_eq!(enforcement(only(Backend::Threads), true, 1).unwrap(), Backend::Threads);
        assert_eq!(enforcement(Some(BackendChoice::Auto), true, 1).unwrap(), Backend::Threads);
        assert_eq!(enforcement(Some(BackendChoice::Auto), false, 300).unwrap(), Backend::Threads);
        let refused = |choice, unprivileged, tasks| enforcement(choice, unprivileged, tasks).unwrap_err();
        assert!(matches!(refused(only(Backend::Scx), true, 1), Refusal::UnprivilegedLinks));
        assert!(matches!(refused(only(Backend::Scx), false, 256), Refusal::TooManyTasks(256)));
        assert!(matches!(refused(only(Backend::Class), false, 1), Refusal::NotByClass(Backend::Class)));
        if !cfg!(feature = "kernel") {
            assert!(matches!(refused(only(Backend::Scx), false, 1), Refusal::Load(_)));
        }
    }
}
