//! A resource is held by at most as many units as it has, and no job gives back what it does not hold.

use super::{Predicate, Violation, Violations};
use crate::context::Context;
use crate::scene::Scene;
use schedlab_model::{Instant, Resource};
use schedlab_trace::{about, Record};

pub(super) struct MutualExclusion {
    resources: Vec<Resource>,
}

impl MutualExclusion {
    pub(super) fn new(context: &Context) -> Self {
        MutualExclusion { resources: context.resources.clone() }
    }
}

impl Predicate for MutualExclusion {
    fn concerns(&self, record: &Record) -> bool {
        matches!(record, Record::Acquire { .. } | Record::Release { .. })
    }

    fn see(&mut self, scene: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        match *record {
            Record::Acquire { job, resource, units } => {
                if self.resources.is_empty() {
                    return; // The trace does not say what there is.
                }
                let Some(known) = self.resources.get(resource.index()) else {
                    let what = format!("{job} acquires {resource}, which the trace does not list");
                    return found.add(Violation::new(at, job, None, what));
                };
                let (held, _) = scene.units_held(resource, job);
                let wanted = held + u64::from(units);
                if wanted > u64::from(known.units) {
                    let what = format!(
                        "{job} acquires {units} of {resource}: {wanted} of its {} units are held",
                        known.units
                    );
                    found.add(Violation::new(at, job, None, what));
                }
            }
            Record::Release { job, resource, units } => {
                let (_, own) = scene.units_held(resource, job);
                if u64::from(units) > own {
                    let what = format!("{job} releases {units} of {resource} but holds {own}");
                    found.add(Violation::new(at, job, None, what));
                }
            }
            about![Request, Spin, Delay, lives, places, urgencies, attempts, machine] => {}
        }
    }
}
