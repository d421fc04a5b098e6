//! Resources in pictures by task: their holders and waiters, and links between them.

use super::{named, Link, Picture, Strip, StripKind};
use crate::context::Context;
use crate::schedule::sections::Sections;
use crate::schedule::{Schedule, Wait, WaitReason};
use schedlab_model::{Instant, JobId, ResourceId};

impl Schedule {
    /// Adds bars below the boxes, lines where jobs wait, and a link from each waiter to the job for which it waits.
    pub(super) fn add_locks(&self, context: &Context, picture: &mut Picture) {
        let sections = Sections::new(&self.critical_sections, &self.waits);
        for section in &self.critical_sections {
            let (job, resource) = (named(context, section.job), context.resource_name(section.resource));
            for ((from, to), waiting) in sections.stretches(section) {
                let (kind, what) = match waiting {
                    true => (StripKind::Stalled, " and does not execute"),
                    false => (StripKind::CriticalSection, ""),
                };
                let tip = format!("{job} holds {resource}{what}, {from} to {to}");
                let (lane, label) = (section.job.task.index(), String::new());
                picture.strips.push(Strip { lane, from, to, kind, tip, label });
            }
        }
        for wait in &self.waits {
            self.add_wait(context, wait, picture);
        }
        for segment in &self.segments {
            if let Some(resource) = segment.spinning {
                self.add_links(context, (segment.job, segment.from, segment.to), Some(resource), picture);
            }
        }
    }

    fn add_wait(&self, context: &Context, wait: &Wait, picture: &mut Picture) {
        let (from, to, job, lane) = (wait.from, wait.to, named(context, wait.job), wait.job.task.index());
        let mut strip = |kind, tip, label| {
            picture.strips.push(Strip { lane, from, to, kind, tip, label });
        };
        let wanted = match wait.reason {
            WaitReason::NotReady | WaitReason::Processor => return,
            WaitReason::Itself => {
                let tip = format!("{job} suspends itself, {from} to {to}");
                return strip(StripKind::Suspended, tip, String::new());
            }
            WaitReason::HeldBack => {
                strip(
                    StripKind::HeldBack,
                    format!("{job} is held back by a protocol, {from} to {to}"),
                    String::new(),
                );
                None
            }
            WaitReason::Resource(resource) => {
                let name = context.resource_name(resource);
                strip(StripKind::Blocked, format!("{job} waits for {name}, {from} to {to}"), name);
                Some(resource)
            }
        };
        self.add_links(context, (wait.job, from, to), wanted, picture);
    }

    /// Adds links to the jobs for which `waiter` waits within a stretch of time, one after the other.
    fn add_links(
        &self,
        context: &Context,
        (waiter, from, to): (JobId, Instant, Instant),
        wanted: Option<ResourceId>,
        picture: &mut Picture,
    ) {
        let here = |at: Instant| from <= at && at < to;
        for blocking in self.blockings.iter().filter(|one| one.waiter == waiter && here(one.from)) {
            let what = wanted
                .map_or("to start".into(), |resource| format!("for {}", context.resource_name(resource)));
            let (waits, holds) = (named(context, waiter), named(context, blocking.holder));
            picture.links.push(Link {
                from: waiter.task.index(),
                to: blocking.holder.task.index(),
                at: blocking.from,
                tip: format!("{waits} waits {what}: {holds} is in a section, from {}", blocking.from),
            });
        }
    }
}
