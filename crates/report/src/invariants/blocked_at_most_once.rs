//! While a job is pending, at most one outermost section of a less urgent job executes on its processor.
//!
//! The promise of PCP, IPCP, SRP and MSRP for jobs that do not suspend themselves: a section that began before the
//! job arrived may keep it waiting, and no other. Urgency is that of base priorities; spinning is part of the section
//! that it leads to.

use super::{Found, Predicate, Violation};
use crate::scene::{Doing, Scene};
use schedlab_model::{Instant, JobId, Priority};
use schedlab_trace::{Record, SuspendReason};

/// An outermost section: whose, and the how many-th of the job; zero is none.
type Section = (JobId, u32);

/// A live job.
struct Known {
    job: JobId,
    base: Priority,
    /// How many resources it holds.
    depth: u32,
    /// How many outermost sections it has begun.
    sections: u32,
    /// The first section of a less urgent job that it waited for.
    blocker: Option<Section>,
    accused: bool,
}

/// A job that waits for a section of a less urgent one.
struct Wait {
    since: Instant,
    job: JobId,
    section: Section,
}

#[derive(Default)]
pub(super) struct BlockedAtMostOnce {
    live: Vec<Known>,
    /// Found as the last instant ended. Nobody waits unless time passes: as a run ends, a section may have ended without
    /// another decision.
    waits: Vec<Wait>,
}

impl BlockedAtMostOnce {
    fn known(&mut self, job: JobId) -> Option<&mut Known> {
        self.live.iter_mut().find(|known| known.job == job)
    }

    /// Time has passed: what was found is true.
    fn accuse(&mut self, found: &mut Found) {
        for Wait { since, job, section } in std::mem::take(&mut self.waits) {
            let Some(known) = self.known(job).filter(|known| !known.accused) else { continue };
            let first = *known.blocker.get_or_insert(section);
            if first != section {
                known.accused = true;
                let what = format!("{job} waits for {}, and waited for {} before", section.0, first.0);
                found.add(Violation::new(since, job, None, what));
            }
        }
    }
}

impl Predicate for BlockedAtMostOnce {
    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Found) {
        if self.waits.first().is_some_and(|wait| wait.since < at) {
            self.accuse(found);
        }
        match *record {
            Record::Ready { job, priority, .. } => {
                let known =
                    Known { job, base: priority, depth: 0, sections: 0, blocker: None, accused: false };
                self.live.push(known);
            }
            Record::Acquire { job, .. } => {
                if let Some(known) = self.known(job) {
                    known.sections += u32::from(known.depth == 0);
                    known.depth += 1;
                }
            }
            Record::Release { job, .. } => {
                if let Some(known) = self.known(job) {
                    known.depth = known.depth.saturating_sub(1);
                }
            }
            Record::Complete { job } | Record::Abort { job } => self.live.retain(|known| known.job != job),
            _ => {}
        }
    }

    fn instant_over(&mut self, scene: &Scene, _: &mut Found) {
        for cpu in &scene.cpus {
            let Some(running) = cpu.occupant.filter(|_| cpu.overhead.is_none()) else { continue };
            let Some(live) = scene.job(running) else { continue };
            let Some(by) = self.live.iter().find(|known| known.job == running) else { continue };
            let number = if by.depth > 0 {
                by.sections
            } else {
                u32::from(live.spinning.is_some()) * (by.sections + 1)
            };
            let (section, base, cluster) = ((running, number), by.base, live.cluster);
            for known in self.live.iter().filter(|known| known.base.is_higher_than(base)) {
                let Some(waiting) = scene.job(known.job) else { continue };
                let by_itself = waiting.doing == Doing::Suspended(SuspendReason::Itself);
                if waiting.cluster == cluster && waiting.on.is_none() && !by_itself {
                    self.waits.push(Wait { since: scene.now, job: known.job, section });
                }
            }
        }
    }
}
