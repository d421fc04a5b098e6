//! The rest of a job's quantum is recorded as wasted until the boundary, and no job runs there meanwhile.
//!
//! Therefore service, overheads and recorded waste make up each granted quantum. Judged by links when an instant is
//! over: a link that ends between two boundaries needs a record of waste at that instant; no processor is linked while
//! its waste lasts; and waste ends at the processor's next boundary. A link that ends where the trace ends needs no
//! record: nothing new begins there. Without known quanta, or on a real machine, whose boundaries are not exact,
//! nothing is judged.

use super::{Predicate, Violation, Violations};
use crate::context::{Context, QuantumGrid};
use crate::scene::Scene;
use schedlab_model::{CpuId, Duration, Instant, JobId};
use schedlab_trace::Record;

pub(super) struct UnusedQuantaAreWasted {
    quanta: Option<QuantumGrid>,
    /// Quantum of each processor.
    cpus: Vec<Quantum>,
    /// True if the trace has the record of its end at this instant.
    ends: bool,
}

#[derive(Clone, Copy, Default)]
struct Quantum {
    /// Job that was linked at the end of the instant before.
    linked: Option<JobId>,
    /// Time until which the quantum is wasted.
    wasted_until: Instant,
}

impl UnusedQuantaAreWasted {
    pub(super) fn new(context: &Context) -> Self {
        let quanta = context.quanta.clone().filter(|_| context.tolerance == Duration::ZERO);
        UnusedQuantaAreWasted { quanta, cpus: vec![Quantum::default(); context.clusters.len()], ends: false }
    }
}

impl Predicate for UnusedQuantaAreWasted {
    fn see(&mut self, _: &Scene, at: Instant, record: &Record, found: &mut Violations) {
        self.ends |= *record == Record::End;
        let (Some(quanta), &Record::Waste { cpu, until }) = (&self.quanta, record) else { return };
        let Some(place) = self.cpus.get_mut(cpu.index()) else { return };
        place.wasted_until = until;
        let end = quanta.boundary_from(cpu, at + Duration::from_ns(1));
        if until != end {
            let what = format!("waste on {cpu} is recorded until {until}, but the quantum ends at {end}");
            found.add(Violation::new(at, None, cpu, what));
        }
    }

    fn instant_over(&mut self, scene: &Scene, found: &mut Violations) {
        let Some(quanta) = &self.quanta else { return };
        let now = scene.now;
        for (index, place) in self.cpus.iter_mut().enumerate() {
            let cpu = CpuId(index as u16);
            let linked = scene.linked(cpu).map(|job| job.id);
            let is_wasted = now < place.wasted_until;
            if let Some(job) = linked.filter(|_| is_wasted) {
                let what =
                    format!("{job} is linked to {cpu}, whose quantum is wasted until {}", place.wasted_until);
                found.add(Violation::new(now, job, cpu, what));
            }
            let is_within = !self.ends && quanta.boundary_from(cpu, now) > now;
            let before = place.linked.filter(|_| is_within);
            if let Some(job) = before.filter(|job| linked != Some(*job) && !is_wasted) {
                let what = format!("the rest of the quantum of {job} on {cpu} is not recorded as wasted");
                found.add(Violation::new(now, job, cpu, what));
            }
            place.linked = linked;
        }
    }
}
