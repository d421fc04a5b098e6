//! The neutral input of blocking bounds: the requests of each task, their number and lengths.
//!
//! A value can be filled again and again without allocating anew. Times have any one unit.

use crate::sharing_error::{self, SharingError};
use schedlab_model::{ResourceId, TaskId};

/// Parameters of one task that matter to blocking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharer {
    /// Bound on the cost of a job (C), its critical sections included.
    pub cost: u64,
    /// Least distance of two releases (T). Positive.
    pub period: u64,
    /// From release to absolute deadline at least (D).
    pub relative_deadline: u64,
    /// Cluster in which the task runs.
    pub cluster: u32,
    /// Preemption level of the task; smaller is more urgent. Distinct under fixed priorities, the rank of the relative
    /// deadline under EDF.
    pub level: u32,
}

/// Requests of one job for one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Index of the resource.
    pub resource: u32,
    /// Most write requests, or requests for a plain mutex, that one job issues.
    pub writes: u32,
    /// Longest time in ns that one write request holds the resource.
    pub write_length: u64,
    /// Most read requests that one job issues.
    pub reads: u32,
    /// Longest time in ns that one read request holds the resource.
    pub read_length: u64,
    /// Most units that one job holds at once.
    pub units: u32,
}

impl Requests {
    /// Requests for a mutex.
    pub const fn mutex(resource: u32, count: u32, length: u64) -> Self {
        Requests { resource, writes: count, write_length: length, reads: 0, read_length: 0, units: 1 }
    }

    /// Returns the number of requests of both kinds.
    pub fn count(&self) -> u64 {
        u64::from(self.writes) + u64::from(self.reads)
    }

    /// Length of the longest request of either kind.
    pub fn length(&self) -> u64 {
        let write = if self.writes > 0 { self.write_length } else { 0 };
        let read = if self.reads > 0 { self.read_length } else { 0 };
        write.max(read)
    }
}

/// Tasks and what they request: see the module.
#[derive(Clone, Debug, Default)]
pub struct Sharing {
    tasks: Vec<Sharer>,
    requests: Vec<Requests>,
    /// By task: where its requests begin; and the end.
    first: Vec<u32>,
    units: Vec<u32>,
    clusters: u32,
    release_delay: u64,
}

impl Sharing {
    /// The longest time that is analysed; sums saturate far above.
    pub const LONGEST: u64 = sharing_error::LONGEST;

    /// Sharing without tasks, on `clusters` clusters, with resources of `units` units each.
    pub fn new(clusters: u32, units: Vec<u32>) -> Self {
        Sharing { units, clusters, first: vec![0], ..Sharing::default() }
    }

    /// Returns this sharing for jobs that may be released up to `release_delay` after they arrive, see
    /// [`super::ticks`].
    pub(crate) fn with_release_delay(self, release_delay: u64) -> Self {
        Sharing { release_delay, ..self }
    }

    /// Adds a task with its requests, one entry for each resource.
    pub fn push(&mut self, task: Sharer, requests: &[Requests]) -> Result<TaskId, SharingError> {
        let id = TaskId(self.tasks.len() as u32);
        if task.period == 0 {
            return Err(SharingError::NoPeriod(id));
        }
        if task.period.max(task.cost).max(task.relative_deadline) > Self::LONGEST {
            return Err(SharingError::TooLong(id));
        }
        if task.cluster >= self.clusters {
            return Err(SharingError::NoSuchCluster(id));
        }
        for (index, request) in requests.iter().enumerate() {
            let resource = ResourceId(request.resource);
            let Some(&units) = self.units.get(resource.index()) else {
                return Err(SharingError::NoSuchResource { task: id, resource });
            };
            if request.units == 0 || request.units > units {
                return Err(SharingError::WrongUnits { task: id, resource });
            }
            if request.write_length.max(request.read_length) > Self::LONGEST {
                return Err(SharingError::TooLong(id));
            }
            if requests[..index].iter().any(|other| other.resource == request.resource) {
                return Err(SharingError::Twice { task: id, resource });
            }
        }
        self.tasks.push(task);
        self.requests.extend(requests.iter().filter(|request| request.count() > 0));
        self.first.push(self.requests.len() as u32);
        Ok(id)
    }

    /// The tasks.
    pub fn tasks(&self) -> &[Sharer] {
        &self.tasks
    }

    /// Returns the requests of one job of `task`, one entry for each resource.
    pub fn requests(&self, task: usize) -> &[Requests] {
        &self.requests[self.first[task] as usize..self.first[task + 1] as usize]
    }

    /// Returns the requests of all tasks, task by task.
    pub(crate) fn requests_mut(&mut self) -> &mut [Requests] {
        &mut self.requests
    }

    /// Returns the number of units of each resource.
    pub fn units(&self) -> &[u32] {
        &self.units
    }

    /// The number of clusters.
    pub fn clusters(&self) -> u32 {
        self.clusters
    }

    /// Returns the longest time between a job's arrival and its release, in ns.
    pub(crate) fn release_delay(&self) -> u64 {
        self.release_delay
    }

    /// By task: the longest time from release to completion of a job that meets its deadline, in ns.
    pub(crate) fn longest_responses(&self) -> Vec<u64> {
        let longest = |task: &Sharer| task.relative_deadline.saturating_add(self.release_delay);
        self.tasks.iter().map(longest).collect()
    }

    /// Returns the most jobs of `task` that are pending at some time within an interval of length `interval`, if the
    /// task's response time is at most `response`: ceil((interval + response) / T).
    pub fn jobs_within(&self, task: usize, interval: u64, response: u64) -> u64 {
        interval.saturating_add(response).div_ceil(self.tasks[task].period)
    }

    /// By resource: whether all its users are in one cluster.
    pub fn is_local(&self) -> Vec<bool> {
        let mut home: Vec<Option<u32>> = vec![None; self.units.len()];
        let mut local = vec![true; self.units.len()];
        for (index, task) in self.tasks.iter().enumerate() {
            for request in self.requests(index) {
                let resource = request.resource as usize;
                local[resource] &= *home[resource].get_or_insert(task.cluster) == task.cluster;
            }
        }
        local
    }

    /// Returns these tasks with only the requests whose resource is `wanted`.
    pub(crate) fn only(&self, wanted: impl Fn(u32) -> bool) -> Sharing {
        let mut part = Sharing::new(self.clusters, self.units.clone()).with_release_delay(self.release_delay);
        for (index, task) in self.tasks.iter().enumerate() {
            part.tasks.push(*task);
            part.requests.extend(self.requests(index).iter().filter(|request| wanted(request.resource)));
            part.first.push(part.requests.len() as u32);
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: Sharer = Sharer { cost: 2, period: 10, relative_deadline: 9, cluster: 0, level: 0 };

    #[test]
    fn requests_belong_to_their_tasks() {
        let mut sharing = Sharing::new(2, vec![1, 1]);
        let (a, b) =
            (Requests::mutex(0, 1, 3), Requests { reads: 2, read_length: 5, ..Requests::mutex(1, 0, 0) });
        sharing.push(TASK, &[a]).unwrap();
        sharing.push(Sharer { cluster: 1, ..TASK }, &[a, b]).unwrap();
        assert_eq!((sharing.requests(0), sharing.requests(1)), (&[a][..], &[a, b][..]));
        assert_eq!(sharing.is_local(), [false, true]);
        assert_eq!((b.count(), b.length()), (2, 5));
        // One job before, one after, and one that just began.
        assert_eq!([0, 1, 9, 10, 11].map(|interval| sharing.jobs_within(0, interval, 9)), [1, 1, 2, 2, 2]);
        let part = sharing.only(|resource| resource == 1);
        assert_eq!((part.requests(0), part.requests(1)), (&[][..], &[b][..]));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let says = |task: Sharer, requests: &[Requests], text: &str| {
            let mut sharing = Sharing::new(1, vec![2]);
            assert_eq!(sharing.push(task, requests).unwrap_err().to_string(), text);
        };
        let request = Requests::mutex(0, 1, 1);
        says(Sharer { period: 0, ..TASK }, &[], "T0: the period must be positive");
        says(Sharer { cluster: 1, ..TASK }, &[], "T0: its cluster does not exist");
        let long = "T0: blocking bounds take times of at most a year (8760 h)";
        says(Sharer { cost: Sharing::LONGEST + 1, ..TASK }, &[], long);
        says(TASK, &[Requests { write_length: Sharing::LONGEST + 1, ..request }], long);
        says(TASK, &[Requests { resource: 1, ..request }], "T0 requests R1, which does not exist");
        says(TASK, &[request, request], "T0 has two entries for R0; allowed: one");
        let units = "T0 requests no unit of R0, or more than there are";
        says(TASK, &[Requests { units: 0, ..request }], units);
        says(TASK, &[Requests { units: 3, ..request }], units);
    }
}
