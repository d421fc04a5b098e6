//! Reads off the tasks' programs who requests what.
//!
//! The length of a section is the service that its job receives between request and release, nested sections
//! included: while it waits for a nested request it would hold the outer resource longer, so bounds that let a job
//! wait inside a section must refuse nesting or join nested resources to one group.

use super::sharing::{Request, Sharer, Sharing, SharingError};
use schedlab_model::{Platform, Resource, ResourceId, Step, Suspension, Task, TaskId};

/// Which sections count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sections {
    /// Each, also nested ones: for protocols under which no job waits inside a section.
    Each,
    /// Each, none of them nested.
    Flat,
    /// The same; a request for all units of its resource writes, one for fewer reads.
    ReadsAndWrites,
    /// Outermost ones; resources of one processor may nest among each other (each such section counts), others not.
    FlatBetweenClusters,
    /// Outermost ones, each as a request for the group of resources that nest, also by way of others: the group is
    /// called by its lowest resource.
    Groups,
}

/// Who requests what, by the programs of `tasks`; `levels` by task.
pub fn derive(
    tasks: &[Task],
    resources: &[Resource],
    platform: &Platform,
    levels: &[u32],
    sections: Sections,
) -> Result<Sharing, SharingError> {
    let mut found = Vec::new();
    for (at, task) in tasks.iter().enumerate() {
        found.push(walk(TaskId(at as u32), task, resources)?);
    }
    let group = match sections {
        Sections::Groups => groups(resources.len(), &found),
        Sections::Each | Sections::Flat | Sections::ReadsAndWrites | Sections::FlatBetweenClusters => {
            (0..resources.len() as u32).collect()
        }
    };
    if sections == Sections::FlatBetweenClusters {
        demand_flat_globals(tasks, platform, resources.len(), &found)?;
    }
    if matches!(sections, Sections::Flat | Sections::ReadsAndWrites) {
        demand_flat(&found)?;
    }
    let units = resources.iter().map(|resource| resource.units).collect();
    let mut sharing = Sharing::new(platform.clusters.len() as u32, units);
    for (at, task) in tasks.iter().enumerate() {
        let counted = |section: &&Section| sections != Sections::Groups || section.outer.is_none();
        let mut requests: Vec<Request> = Vec::new();
        for section in found[at].iter().filter(counted) {
            let reads = sections == Sections::ReadsAndWrites
                && section.held < resources[section.resource.index()].units;
            add(&mut requests, group[section.resource.index()], section, reads);
        }
        let sharer = Sharer {
            cost: task.wcet.as_ns(),
            period: task.period.as_ns(),
            relative_deadline: task.relative_deadline.as_ns(),
            cluster: u32::from(task.cluster.0),
            level: levels[at],
        };
        sharing.push(sharer, &requests)?;
    }
    Ok(sharing)
}

fn add(requests: &mut Vec<Request>, resource: u32, section: &Section, reads: bool) {
    let same = requests.iter().position(|request| request.resource == resource);
    let at = same.unwrap_or_else(|| {
        requests.push(Request { units: section.held, ..Request::mutex(resource, 0, 0) });
        requests.len() - 1
    });
    let request = &mut requests[at];
    request.units = request.units.max(section.held);
    let (count, length) = match reads {
        true => (&mut request.reads, &mut request.read_length),
        false => (&mut request.writes, &mut request.write_length),
    };
    *count += 1;
    *length = section.length.max(*length);
}

/// One critical section of a program.
struct Section {
    resource: ResourceId,
    /// Units of the resource that the job holds within it, earlier ones included.
    held: u32,
    length: u64,
    /// What is held around it, innermost first.
    outer: Option<ResourceId>,
    /// What is requested within it.
    inner: Vec<ResourceId>,
}

fn walk(task: TaskId, spec: &Task, resources: &[Resource]) -> Result<Vec<Section>, SharingError> {
    let mut sections: Vec<Section> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for step in &spec.program {
        match *step {
            Step::Request(resource, units) => {
                if resource.index() >= resources.len() {
                    return Err(SharingError::NoSuchResource { task, resource });
                }
                open.iter().for_each(|&at| sections[at].inner.push(resource));
                let same = open.iter().rev().find(|&&at| sections[at].resource == resource);
                let held = units.saturating_add(same.map_or(0, |&at| sections[at].held));
                let outer = open.last().map(|&at| sections[at].resource);
                open.push(sections.len());
                sections.push(Section { resource, held, length: 0, outer, inner: Vec::new() });
            }
            Step::Release(resource, _) => match open.pop() {
                Some(at) if sections[at].resource == resource => {}
                _ => return Err(SharingError::ImproperNesting { task, resource }),
            },
            Step::Execute(work) => {
                for &at in &open {
                    sections[at].length = sections[at].length.saturating_add(work.as_ns());
                }
            }
            Step::Suspend(_) => {
                if let Some(&at) = open.last() {
                    return Err(SharingError::SuspendsInSection { task, resource: sections[at].resource });
                }
            }
            // Only servers of Pfair schedulers do anything there, which no test of this kind is about.
            Step::Serve(_) => {}
            Step::NpEnter | Step::NpExit => return Err(SharingError::OwnNonPreemptiveSection(task)),
        }
    }
    if let Some(&at) = open.last() {
        return Err(SharingError::ImproperNesting { task, resource: sections[at].resource });
    }
    // A job that may suspend itself anywhere may do so within a section.
    match (spec.suspension, sections.first()) {
        (Suspension::Dynamic(bound), Some(section)) if !bound.is_zero() => {
            Err(SharingError::SuspendsInSection { task, resource: section.resource })
        }
        _ => Ok(sections),
    }
}

/// By resource: the lowest resource that nests with it, also by way of others.
fn groups(resources: usize, found: &[Vec<Section>]) -> Vec<u32> {
    let mut group: Vec<u32> = (0..resources as u32).collect();
    for section in found.iter().flatten() {
        for inner in &section.inner {
            let (a, b) = (group[section.resource.index()], group[inner.index()]);
            group.iter_mut().filter(|first| **first == a.max(b)).for_each(|first| *first = a.min(b));
        }
    }
    group
}

/// Refuses requests within sections.
fn demand_flat(found: &[Vec<Section>]) -> Result<(), SharingError> {
    for (at, sections) in found.iter().enumerate() {
        let nested = sections.iter().find_map(|section| Some((section.resource, *section.inner.first()?)));
        if let Some((outer, inner)) = nested {
            return Err(SharingError::Nested { task: TaskId(at as u32), outer, inner });
        }
    }
    Ok(())
}

/// Refuses requests within sections unless both resources are used in one and the same cluster of one processor.
fn demand_flat_globals(
    tasks: &[Task],
    platform: &Platform,
    resources: usize,
    found: &[Vec<Section>],
) -> Result<(), SharingError> {
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
    for (at, section) in found.iter().enumerate().flat_map(|(at, list)| list.iter().map(move |s| (at, s))) {
        let task = TaskId(at as u32);
        let outer = section.resource;
        let is_global = |inner: &&ResourceId| !local[outer.index()] || !local[inner.index()];
        if let Some(&inner) = section.inner.iter().find(is_global) {
            return Err(SharingError::Nested { task, outer, inner });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::{ClusterId, Duration, Work};

    const LOCK: [Step; 3] =
        [Step::Request(ResourceId(0), 1), Step::Request(ResourceId(1), 1), Step::Request(ResourceId(2), 1)];
    const FREE: [Step; 3] =
        [Step::Release(ResourceId(0), 1), Step::Release(ResourceId(1), 1), Step::Release(ResourceId(2), 1)];

    fn run(ns: u64) -> Step {
        Step::Execute(Work::from_ns(ns))
    }

    fn task(cluster: u16, program: &[Step]) -> Task {
        let spec = Task::implicit(Work::from_ns(50), Duration::from_ns(100));
        Task { cluster: ClusterId(cluster), program: program.to_vec(), ..spec }
    }

    fn read(tasks: &[Task], sections: Sections) -> Result<Sharing, SharingError> {
        let levels: Vec<u32> = (0..tasks.len() as u32).collect();
        derive(tasks, &[Resource { units: 1 }; 3], &Platform::partitioned(2), &levels, sections)
    }

    /// R0 for 7 with R1 for 2 inside, and R1 for 5 alone.
    fn nested() -> Vec<Step> {
        vec![LOCK[0], run(5), LOCK[1], run(2), FREE[1], FREE[0], run(1), LOCK[1], run(5), FREE[1]]
    }

    #[test]
    fn counts_and_longest_lengths_by_resource() {
        let sharing = read(&[task(0, &nested())], Sections::Each).unwrap();
        assert_eq!(sharing.requests(0), [Request::mutex(0, 1, 7), Request::mutex(1, 2, 5)]);
        let grouped = read(&[task(0, &nested())], Sections::Groups).unwrap();
        assert_eq!(grouped.requests(0), [Request::mutex(0, 2, 7)]);
    }

    #[test]
    fn groups_join_by_way_of_others() {
        let other = [LOCK[2], run(1), LOCK[1], run(1), FREE[1], FREE[2]];
        let third = [LOCK[2], run(9), FREE[2]];
        let tasks = [task(0, &nested()), task(0, &other), task(1, &third)];
        let grouped = read(&tasks, Sections::Groups).unwrap();
        assert_eq!(grouped.requests(2), [Request::mutex(0, 1, 9)]);
    }

    #[test]
    fn nesting_is_for_local_resources_only_where_jobs_wait_inside_sections() {
        assert!(read(&[task(0, &nested()), task(1, &[])], Sections::FlatBetweenClusters).is_ok());
        let remote = [LOCK[1], run(1), FREE[1]];
        let error = read(&[task(0, &nested()), task(1, &remote)], Sections::FlatBetweenClusters).unwrap_err();
        let said = "T0 requests R1 while it holds R0, which the bound does not cover";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn programs_that_no_bound_covers_are_refused() {
        let says = |program: &[Step], text: &str| {
            assert_eq!(read(&[task(0, program)], Sections::Each).unwrap_err().to_string(), text);
        };
        let nap = Step::Suspend(Duration::from_ns(3));
        let text = "T0 suspends itself while it holds R0, which the bound does not cover";
        says(&[LOCK[0], run(1), nap, run(1), FREE[0]], text);
        says(&[LOCK[0], LOCK[1], FREE[0]], "T0: requests and releases of R0 do not match");
        says(&[LOCK[0]], "T0: requests and releases of R0 do not match");
        says(
            &[Step::NpEnter, run(1), Step::NpExit],
            "T0 has a non-preemptive section, which the bound does not cover",
        );
        assert!(read(&[task(0, &[nap, run(1), LOCK[0], run(1), FREE[0]])], Sections::Each).is_ok());
        let mut dynamic = task(0, &[LOCK[0], run(50), FREE[0]]);
        dynamic.suspension = Suspension::Dynamic(Duration::from_ns(1));
        assert!(read(&[dynamic], Sections::Each).is_err());
    }

    #[test]
    fn a_request_for_all_units_writes() {
        let r = ResourceId(0);
        let section = |units, ns| [Step::Request(r, units), run(ns), Step::Release(r, units)];
        let program = [section(1, 2), section(3, 5), section(1, 4)].concat();
        let derived = |sections| {
            let resources = [Resource { units: 3 }];
            derive(&[task(0, &program)], &resources, &Platform::partitioned(2), &[0], sections).unwrap()
        };
        let expected =
            Request { writes: 1, write_length: 5, reads: 2, read_length: 4, resource: 0, units: 3 };
        assert_eq!(derived(Sections::ReadsAndWrites).requests(0), [expected]);
        let mutex = Request { units: 3, ..Request::mutex(0, 3, 5) };
        assert_eq!(derived(Sections::Flat).requests(0), [mutex]);
        assert!(read(&[task(0, &nested())], Sections::ReadsAndWrites).is_err());
    }

    #[test]
    fn units_add_up_over_nested_requests_of_one_resource() {
        let r = ResourceId(0);
        let program =
            [Step::Request(r, 1), Step::Request(r, 2), run(1), Step::Release(r, 2), Step::Release(r, 1)];
        let spec = [task(0, &program)];
        let sharing =
            derive(&spec, &[Resource { units: 3 }], &Platform::partitioned(1), &[0], Sections::Each).unwrap();
        assert_eq!(sharing.requests(0)[0].units, 3);
    }
}
