//! Critical sections, divided into stretches in which their jobs execute, and those in which they wait.

use super::{CriticalSection, Segment, Wait};
use schedlab_model::{Instant, JobId, ResourceId};
use std::collections::BTreeMap;

/// A stretch of time.
type Stretch = (Instant, Instant);

/// The sections and waits of each job.
pub(super) struct Sections<'a> {
    by_job: BTreeMap<JobId, (Vec<&'a CriticalSection>, Vec<&'a Wait>)>,
}

impl<'a> Sections<'a> {
    pub(super) fn new(sections: &'a [CriticalSection], waits: &'a [Wait]) -> Self {
        let mut by_job: BTreeMap<JobId, (Vec<&CriticalSection>, Vec<&Wait>)> = BTreeMap::new();
        for section in sections {
            by_job.entry(section.job).or_default().0.push(section);
        }
        for wait in waits {
            if let Some((_, known)) = by_job.get_mut(&wait.job) {
                known.push(wait);
            }
        }
        // The one that began first is the outermost.
        by_job.values_mut().for_each(|(sections, _)| sections.sort_by_key(|section| section.from));
        Sections { by_job }
    }

    /// Returns the stretches of `segment`, each with the resources that its job holds meanwhile, the outermost first.
    pub(super) fn pieces(&self, segment: &Segment) -> Vec<(Stretch, Vec<ResourceId>)> {
        let whole = (segment.from, segment.to);
        let Some((sections, _)) = self.by_job.get(&segment.job) else { return vec![(whole, Vec::new())] };
        let bounds = sections.iter().flat_map(|section| [section.from, section.to]);
        split(whole, bounds)
            .into_iter()
            .map(|(from, to)| {
                let here = sections.iter().filter(|section| section.from <= from && to <= section.to);
                ((from, to), here.map(|section| section.resource).collect())
            })
            .collect()
    }

    /// Returns the stretches of `section`; true where its job waits: for a processor, for another resource, or by
    /// itself.
    pub(super) fn stretches(&self, section: &CriticalSection) -> Vec<(Stretch, bool)> {
        let waits = self.by_job.get(&section.job).map_or(&[][..], |(_, waits)| waits);
        let bounds = waits.iter().flat_map(|wait| [wait.from, wait.to]);
        let mut stretches: Vec<(Stretch, bool)> = Vec::new();
        for (from, to) in split((section.from, section.to), bounds) {
            let waiting = waits.iter().any(|wait| wait.from <= from && to <= wait.to);
            match stretches.last_mut() {
                Some((last, was_waiting)) if *was_waiting == waiting => last.1 = to,
                _ => stretches.push(((from, to), waiting)),
            }
        }
        stretches
    }
}

/// Cuts `whole` at those of `bounds` that are inside.
fn split(whole: Stretch, bounds: impl Iterator<Item = Instant>) -> Vec<Stretch> {
    let mut cuts: Vec<Instant> = bounds.filter(|at| whole.0 < *at && *at < whole.1).collect();
    cuts.extend([whole.0, whole.1]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}
