//! Links of one cluster: which job should run on which processor.

use crate::entry::{Entry, Link};
use crate::line::Line;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{at as look_up, at_mut, BitSet, CpuId, JobId, Occupant};

/// Links by place, which is a processor between the cluster's first and its last one. Places of processors of other
/// clusters are never idle, and no job is linked there.
#[derive(Clone, Debug)]
pub(crate) struct Links {
    first: u16,
    places: Vec<Link>,
    idle_places: BitSet,
    /// Number of idle places; at most the number of processors, so that counting is not checked.
    idle: usize,
    /// Number of processors of the cluster.
    processors: usize,
    line: Line,
}

impl Links {
    /// Links of these processors, to which no job is linked.
    pub(crate) fn new(cpus: &[CpuId]) -> Self {
        let first = cpus.first().map_or(0, |cpu| cpu.0);
        let span = cpus.last().map_or(0, |cpu| usize::from(cpu.0 - first) + 1);
        let mut idle_places = BitSet::new(span);
        cpus.iter().for_each(|cpu| idle_places.insert(usize::from(cpu.0 - first)));
        Links {
            first,
            places: vec![Link::IDLE; span],
            idle_places,
            idle: cpus.len(),
            processors: cpus.len(),
            line: Line::new(span),
        }
    }

    /// Returns the number of processors of the cluster.
    #[inline(always)]
    pub(crate) fn processors(&self) -> usize {
        self.processors
    }

    /// Returns the number of processors to which no job is linked.
    #[inline(always)]
    pub(crate) fn idle(&self) -> usize {
        self.idle
    }

    /// Returns the place of `cpu`; beyond the last place if `cpu` lies before all processors of the cluster.
    #[inline(always)]
    pub(crate) fn place_of(&self, cpu: CpuId) -> u16 {
        cpu.0.wrapping_sub(self.first)
    }

    /// Returns the processor of the place `index`.
    #[inline(always)]
    pub(crate) fn cpu_of(&self, index: u16) -> CpuId {
        CpuId(self.first.wrapping_add(index))
    }

    /// The job that is linked to `cpu`, one of the cluster's.
    #[inline(always)]
    pub(crate) fn linked(&self, cpu: CpuId) -> Option<JobId> {
        look_up(&self.places, usize::from(self.place_of(cpu))).job.get()
    }

    /// True if `job` is linked to the place `index`.
    #[inline(always)]
    pub(crate) fn is_linked_at(&self, index: u16, job: Occupant) -> bool {
        self.places.get(usize::from(index)).is_some_and(|place| place.job == job)
    }

    /// True if the place is a processor of the cluster.
    #[inline]
    pub(crate) fn has(&self, index: u16) -> bool {
        self.is_idle(index) || self.places.get(usize::from(index)).is_some_and(|place| place.job.is_some())
    }

    /// True if the place is an idle processor of the cluster.
    #[inline(always)]
    pub(crate) fn is_idle(&self, index: u16) -> bool {
        self.idle_places.contains(index.into())
    }

    /// Returns the lowest idle place, of which there must be one.
    #[inline(always)]
    pub(crate) fn first_idle(&self) -> u16 {
        self.idle_places.first().expect("room was made") as u16
    }

    /// The least urgent linked job and its place, if that job gives way to `top`.
    #[inline(always)]
    pub(crate) fn displaced_by(&mut self, top: Entry) -> Option<(Entry, u16)> {
        self.line.displaced_by(top, &self.places)
    }

    /// Links `job` to an idle place, and returns its processor.
    #[inline(always)]
    pub(crate) fn set(&mut self, index: u16, entry: Entry, job: JobId) -> CpuId {
        let place = at_mut(&mut self.places, usize::from(index));
        assert!(!place.job.is_some(), "{job} is linked where another job is");
        *place = Link { entry, job: Occupant::job(job) };
        self.idle_places.remove(index.into());
        self.idle = self.idle.wrapping_sub(1);
        self.line.insert(entry, index);
        self.cpu_of(index)
    }

    /// Links `job` to a busy place, instead of the job there.
    #[inline(always)]
    pub(crate) fn replace(&mut self, index: u16, entry: Entry, job: JobId) {
        *at_mut(&mut self.places, usize::from(index)) = Link { entry, job: Occupant::job(job) };
        self.line.insert(entry, index);
    }

    /// Makes a busy place idle, and returns its former link.
    #[inline(always)]
    pub(crate) fn clear(&mut self, index: u16) -> Link {
        self.idle_places.insert(index.into());
        self.idle = self.idle.wrapping_add(1);
        core::mem::replace(at_mut(&mut self.places, usize::from(index)), Link::IDLE)
    }

    /// Sets the urgency of the job that is linked to the place `index`.
    pub(crate) fn reorder(&mut self, index: u16, entry: Entry) {
        self.places[usize::from(index)].entry = entry;
        self.line.insert(entry, index);
    }

    /// Returns the place where `job`, which executed on `last_cpu` last, is linked: mostly on that processor.
    #[inline(always)]
    pub(crate) fn find(&self, job: JobId, last_cpu: Option<CpuId>) -> Option<u16> {
        let wanted = Occupant::job(job);
        let last = last_cpu.map(|cpu| self.place_of(cpu));
        last.filter(|index| self.is_linked_at(*index, wanted)).or_else(|| self.search(wanted))
    }

    /// Makes the place where `job` is linked idle. Returns false if there is none.
    #[inline(always)]
    pub(crate) fn clear_of(&mut self, job: JobId, last_cpu: Option<CpuId>) -> bool {
        let last = last_cpu.map_or(u16::MAX, |cpu| self.place_of(cpu));
        match self.places.get_mut(usize::from(last)) {
            Some(place) if place.job == Occupant::job(job) => {
                *place = Link::IDLE;
                self.idle_places.insert(last.into());
                self.idle = self.idle.wrapping_add(1);
                true
            }
            _ => self.search_and_clear(job),
        }
    }

    #[cold]
    fn search_and_clear(&mut self, job: JobId) -> bool {
        self.search(Occupant::job(job)).map(|index| self.clear(index)).is_some()
    }

    #[cold]
    fn search(&self, wanted: Occupant) -> Option<u16> {
        self.places.iter().position(|place| place.job == wanted).map(|index| index as u16)
    }
}
