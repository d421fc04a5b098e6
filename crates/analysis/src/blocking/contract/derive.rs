//! Requests of tasks, read off their programs.
//!
//! The length of a section is the service that its job receives between request and release, nested sections
//! included: while it waits for a nested request it would hold the outer resource longer, so bounds that let a job
//! wait inside a section must refuse nesting or join nested resources to one group. Where short resources are told from
//! long ones (see [`Lengths`]), only resources of one length join, and what jobs spin inside long sections makes these
//! longer.

use super::sharing::{Requests, Sharer, Sharing};
use super::ticks;
use crate::sharing_error::SharingError;
use schedlab_model::{Platform, Resource, ResourceId, Step, Suspension, Task, TaskId};

/// Sections of a program that count as requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sections {
    /// Each section, also nested ones: for protocols under which no job waits inside a section.
    Each,
    /// Each section, none of which may be nested.
    Flat,
    /// Each, none of them nested. A request for all units of its resource writes, one for fewer units reads.
    ReadsAndWrites,
    /// Outermost sections. Resources of one processor may nest among each other, and each such section counts; other
    /// resources may not nest.
    FlatBetweenClusters,
    /// Outermost sections, each as a request for the group of resources that nest, directly or through other resources.
    /// A group has the number of its lowest resource.
    Groups,
}

/// Short resources, which may be requested inside sections of the others, the long ones, but not the other way round:
/// A. Block et al., RTCSA 2007, section 3. It matters to [`Sections::Groups`].
#[derive(Clone, Copy)]
pub struct Lengths<'a> {
    /// By resource: whether it is short. A resource beyond the end is short.
    pub short: &'a [bool],
    /// By task and group of short resources: the longest time that a request inside a long section spins, in ns.
    pub spin: &'a dyn Fn(usize, u32) -> u64,
}

impl Lengths<'_> {
    /// All resources are short, and no request spins inside another section.
    pub const ALIKE: Lengths<'static> = Lengths { short: &[], spin: &|_, _| 0 };

    fn is_short(&self, resource: ResourceId) -> bool {
        self.short.get(resource.index()).copied().unwrap_or(true)
    }

    fn differ(&self, a: ResourceId, b: ResourceId) -> bool {
        self.is_short(a) != self.is_short(b)
    }
}

/// Reads off the programs of `tasks` which resources they request; `levels` holds preemption levels by task.
pub fn derive(
    tasks: &[Task],
    resources: &[Resource],
    platform: &Platform,
    levels: &[u32],
    sections: Sections,
    lengths: Lengths<'_>,
) -> Result<Sharing, SharingError> {
    let mut found = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        found.push(walk(TaskId(index as u32), task, resources)?);
    }
    let nested = |task, outer, inner| SharingError::Nested { task, outer, inner };
    match sections {
        Sections::Each => {}
        Sections::Flat | Sections::ReadsAndWrites => demand(&found, |_, _| false, nested)?,
        Sections::FlatBetweenClusters => {
            let local = on_one_processor(tasks, platform, resources.len(), &found);
            demand(&found, |outer, inner| local[outer.index()] && local[inner.index()], nested)?;
        }
        Sections::Groups => {
            let allowed = |outer, inner| !lengths.is_short(outer) || lengths.is_short(inner);
            let long = |task, outer, inner| SharingError::LongInsideShort { task, outer, inner };
            demand(&found, allowed, long)?;
        }
    }
    let group = match sections == Sections::Groups {
        true => groups(resources.len(), &found, lengths),
        false => (0..resources.len() as u32).collect(),
    };
    let units = resources.iter().map(|resource| resource.units).collect();
    let mut sharing = Sharing::new(platform.clusters.len() as u32, units)
        .with_release_delay(platform.release_delay().as_ns());
    for (index, task) in tasks.iter().enumerate() {
        // Within a group the outermost section alone takes the lock.
        let counted = |section: &&ProgramSection| {
            let takes = |outer| lengths.differ(outer, section.resource);
            sections != Sections::Groups || section.outer.is_none_or(takes)
        };
        let spin = |section: &ProgramSection| (lengths.spin)(index, group[section.resource.index()]);
        spin_inside(&mut found[index], spin, lengths);
        let mut requests: Vec<Requests> = Vec::new();
        for section in found[index].iter().filter(counted) {
            let reads = sections == Sections::ReadsAndWrites
                && section.held < resources[section.resource.index()].units;
            add(&mut requests, group[section.resource.index()], section, reads);
        }
        let (period, relative_deadline) = ticks::released(task, platform);
        let sharer = Sharer {
            cost: task.wcet.as_ns(),
            period,
            relative_deadline,
            cluster: u32::from(task.cluster.0),
            level: levels[index],
        };
        sharing.push(sharer, &requests)?;
    }
    Ok(sharing)
}

/// Lengthens long sections by the time `spin` that jobs spin for the short requests inside them.
fn spin_inside(sections: &mut [ProgramSection], spin: impl Fn(&ProgramSection) -> u64, lengths: Lengths<'_>) {
    let mut open: Vec<usize> = Vec::new();
    for index in 0..sections.len() {
        open.truncate(sections[index].depth);
        if sections[index].outer.is_some_and(|outer| lengths.differ(outer, sections[index].resource)) {
            let longer = spin(&sections[index]);
            for &outer in &open {
                sections[outer].length = sections[outer].length.saturating_add(longer).min(Sharing::LONGEST);
            }
        }
        open.push(index);
    }
}

fn add(requests: &mut Vec<Requests>, resource: u32, section: &ProgramSection, reads: bool) {
    let same = requests.iter().position(|request| request.resource == resource);
    let index = same.unwrap_or_else(|| {
        requests.push(Requests { units: section.held, ..Requests::mutex(resource, 0, 0) });
        requests.len() - 1
    });
    let request = &mut requests[index];
    request.units = request.units.max(section.held);
    let (count, length) = match reads {
        true => (&mut request.reads, &mut request.read_length),
        false => (&mut request.writes, &mut request.write_length),
    };
    *count += 1;
    *length = section.length.max(*length);
}

/// One critical section of a program.
struct ProgramSection {
    resource: ResourceId,
    /// Units of the resource that the job holds within it, earlier ones included.
    held: u32,
    length: u64,
    /// Resource of the innermost section around this one.
    outer: Option<ResourceId>,
    /// Number of sections around this one.
    depth: usize,
    /// Resources that are requested within the section.
    inner: Vec<ResourceId>,
}

fn walk(task: TaskId, spec: &Task, resources: &[Resource]) -> Result<Vec<ProgramSection>, SharingError> {
    let mut sections: Vec<ProgramSection> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for step in &spec.program {
        match *step {
            Step::Request(resource, units) => {
                if resource.index() >= resources.len() {
                    return Err(SharingError::NoSuchResource { task, resource });
                }
                open.iter().for_each(|&index| sections[index].inner.push(resource));
                let same = open.iter().rev().find(|&&index| sections[index].resource == resource);
                let held = units.saturating_add(same.map_or(0, |&index| sections[index].held));
                let outer = open.last().map(|&index| sections[index].resource);
                let depth = open.len();
                open.push(sections.len());
                sections.push(ProgramSection { resource, held, length: 0, outer, depth, inner: Vec::new() });
            }
            Step::Release(resource, _) => match open.pop() {
                Some(index) if sections[index].resource == resource => {}
                _ => return Err(SharingError::ImproperNesting { task, resource }),
            },
            Step::Execute(work) => {
                for &index in &open {
                    sections[index].length = sections[index].length.saturating_add(work.as_ns());
                }
            }
            Step::Suspend(_) => {
                if let Some(&index) = open.last() {
                    return Err(SharingError::SuspendsInSection { task, resource: sections[index].resource });
                }
            }
            // Only servers of Pfair schedulers do anything there, which no test of this kind is about.
            Step::Serve(_) => {}
            Step::NpEnter | Step::NpExit => return Err(SharingError::OwnNonPreemptiveSection(task)),
        }
    }
    if let Some(&index) = open.last() {
        return Err(SharingError::ImproperNesting { task, resource: sections[index].resource });
    }
    // A job that may suspend itself anywhere may do so within a section.
    let anywhere = match spec.suspension {
        Suspension::Dynamic(bound) => !bound.is_zero(),
        Suspension::None | Suspension::Segmented => false,
    };
    match sections.first() {
        Some(section) if anywhere => {
            Err(SharingError::SuspendsInSection { task, resource: section.resource })
        }
        Some(_) | None => Ok(sections),
    }
}

/// By resource: the lowest resource of equal length (short or long) that nests with it, directly or through other
/// resources.
fn groups(resources: usize, found: &[Vec<ProgramSection>], lengths: Lengths<'_>) -> Vec<u32> {
    let mut group: Vec<u32> = (0..resources as u32).collect();
    for section in found.iter().flatten() {
        for inner in section.inner.iter().filter(|inner| !lengths.differ(section.resource, **inner)) {
            let (a, b) = (group[section.resource.index()], group[inner.index()]);
            group.iter_mut().filter(|first| **first == a.max(b)).for_each(|first| *first = a.min(b));
        }
    }
    group
}

/// Refuses sections that contain a request which is not allowed there.
fn demand(
    found: &[Vec<ProgramSection>],
    is_allowed: impl Fn(ResourceId, ResourceId) -> bool,
    error: impl FnOnce(TaskId, ResourceId, ResourceId) -> SharingError,
) -> Result<(), SharingError> {
    for (task, section) in (0..).zip(found).flat_map(|(task, list)| list.iter().map(move |s| (task, s))) {
        let outer = section.resource;
        if let Some(&inner) = section.inner.iter().find(|inner| !is_allowed(outer, **inner)) {
            return Err(error(TaskId(task), outer, inner));
        }
    }
    Ok(())
}

/// By resource: whether it is used in one cluster of one processor only.
fn on_one_processor(
    tasks: &[Task],
    platform: &Platform,
    resources: usize,
    found: &[Vec<ProgramSection>],
) -> Vec<bool> {
    let mut home = vec![None; resources];
    let mut local = vec![true; resources];
    for (task, sections) in tasks.iter().zip(found) {
        let single =
            platform.clusters.get(task.cluster.index()).is_some_and(|cluster| cluster.cpus.len() == 1);
        for section in sections {
            let resource = section.resource.index();
            local[resource] &= single && *home[resource].get_or_insert(task.cluster) == task.cluster;
        }
    }
    local
}

#[cfg(test)]
mod tests;
