//! While a job is pending, at most one outermost section of a less urgent job executes on its processor.
//!
//! The promise of PCP, IPCP, SRP and MSRP for jobs that do not suspend themselves: a section that began before the
//! job arrived may keep it waiting, and no other. Urgency is that of base priorities; spinning is part of the section
//! that it leads to.
//!
//! A job that was told to stop executes for a moment longer on a real machine, and while an interrupt is on its way.
//! That moment is an overhead, not a blocking: its processor is linked to another job already. A section keeps others
//! waiting all the same if it is non-preemptive, or if it begins after the word to stop.

use super::{Predicate, Violation, Violations};
use crate::scene::{Doing, LiveJob, Scene};
use schedlab_model::{Instant, JobId, Priority};
use schedlab_trace::{about, Record, SuspendReason};

/// An outermost section: its job, and its number among the job's; zero is none.
type OutermostSection = (JobId, u32);

/// A live job.
struct Known {
    job: JobId,
    base: Priority,
    /// Number of resources that the job holds.
    depth: u32,
    /// Number of outermost sections that the job has begun.
    sections: u32,
    /// True if the job began its present section, or the one for which it waits, after it was to leave its processor.
    begun_late: bool,
    /// First section of a less urgent job for which the job waited.
    blocker: Option<OutermostSection>,
    accused: bool,
}

/// A job that waits for a section of a less urgent one.
struct Wait {
    since: Instant,
    job: JobId,
    section: OutermostSection,
}

#[derive(Default)]
pub(super) struct BlockedAtMostOnce {
    live: Vec<Known>,
    /// Waits that were found at the end of the last instant. No job waits unless time passes: as a run ends, a section
    /// may have ended without another decision.
    waits: Vec<Wait>,
}

impl BlockedAtMostOnce {
    fn known(&mut self, job: JobId) -> Option<&mut Known> {
        self.live.iter_mut().find(|known| known.job == job)
    }

    /// Notes that `job`, which is in no section, asks for a resource.
    fn asks(&mut self, scene: &Scene, job: JobId) {
        let told = scene.job(job).is_some_and(|live| is_told_to_stop(scene, live));
        if let Some(known) = self.known(job).filter(|known| known.depth == 0) {
            known.begun_late = told;
        }
    }

    /// Reports the waits that were found, after time has passed.
    fn accuse(&mut self, found: &mut Violations) {
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

/// True if `running` has only to leave its processor, which is linked to another job by now.
fn is_told_to_stop(scene: &Scene, running: &LiveJob) -> bool {
    let linked = running.on.and_then(|cpu| scene.cpu(cpu).linked);
    running.np_depth == 0 && linked.is_some_and(|linked| linked != running.id)
}

impl Predicate for BlockedAtMostOnce {
    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        if self.waits.first().is_some_and(|wait| wait.since < at) {
            self.accuse(found);
        }
        match *record {
            Record::Ready { job, priority, .. } => {
                let (base, depth, sections, blocker) = (priority, 0, 0, None);
                let (begun_late, accused) = (false, false);
                self.live.push(Known { job, base, depth, sections, begun_late, blocker, accused });
            }
            Record::Request { job, .. } => self.asks(scene, job),
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
            about![Arrival, GiveUp, Miss, Spin, Delay, places, urgencies, attempts, machine] => {}
        }
    }

    fn instant_over(&mut self, scene: &Scene, _: &mut Violations) {
        for cpu in &scene.cpus {
            let Some(running) = cpu.occupant.filter(|_| cpu.overhead.is_none()) else { continue };
            let Some(live) = scene.job(running) else { continue };
            let Some(by) = self.live.iter().find(|known| known.job == running) else { continue };
            let number = if by.depth > 0 {
                by.sections
            } else {
                u32::from(live.spinning.is_some()) * (by.sections + 1)
            };
            if is_told_to_stop(scene, live) && !(by.begun_late && number > 0) {
                continue;
            }
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
