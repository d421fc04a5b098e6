//! MPCP: suspension by priority, sections boosted to their remote ceilings.
//!
//! K. Lakshmanan, D. de Niz and R. Rajkumar, *Coordinated task scheduling, allocation and synchronization on
//! multiprocessors*, RTSS 2009, equations 1 to 4, after R. Rajkumar, ICDCS 1990. A section takes at most its length and, of
//! each other task on its processor, the longest section whose remote ceiling is at least as urgent (W). A request waits for the
//! longest such section of a less urgent task, and for those of more urgent ones on any processor while it waits:
//! the least fixed point of
//!
//! ```text
//! B = max(W of less urgent users) + sum over more urgent users (ceil(B / T) + 1) requests W
//! ```
//!
//! Locally, each less urgent task delays the job by its longest section on arrival and after each request;
//! under virtual spinning, where no less urgent job may lock while one waits, once in all.
//!
//! Assumes fixed priorities with distinct levels, partitions, no nesting; every resource counts as global. `remote` is
//! suspension (under virtual spinning: execution), `None` if B exceeds the limit. [`Prepared`] can be used again without
//! allocating anew.

use super::sharing::Sharing;
use super::terms::Terms;

/// By task: waiting for global resources, and delay by boosted jobs; B beyond the longer of period and response time
/// is given up.
pub fn bounds(sharing: &Sharing, responses: &[u64], virtual_spinning: bool) -> Vec<Terms> {
    let mut prepared = Prepared::default();
    prepared.prepare(sharing, virtual_spinning);
    let tasks = sharing.tasks().iter().zip(responses).enumerate();
    tasks.map(|(at, (task, response))| prepared.terms(sharing, at, task.period.max(*response))).collect()
}

/// What the bounds need besides the tasks.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// By resource and cluster: the most urgent level of users elsewhere.
    ceilings: Vec<u32>,
    /// By resource: its users by falling priority, from `first` on.
    users: Vec<User>,
    first: Vec<u32>,
    local: Vec<u64>,
    clusters: usize,
}

/// The requests of one task for one resource.
#[derive(Clone, Copy, Debug, Default)]
pub struct User {
    /// Whose.
    pub task: u32,
    /// Its priority, smaller is more urgent.
    pub level: u32,
    period: u64,
    /// W.
    pub occupies: u64,
    /// W times the requests of one job.
    pub by_job: u64,
}

impl Prepared {
    /// Reads `sharing`; what was read before is forgotten.
    pub fn prepare(&mut self, sharing: &Sharing, virtual_spinning: bool) {
        self.remote_ceilings(sharing);
        self.list_users(sharing);
        self.local_terms(sharing, virtual_spinning);
    }

    /// The users of `resource`.
    pub fn users(&self, resource: u32) -> &[User] {
        &self.users[self.first[resource as usize] as usize..self.first[resource as usize + 1] as usize]
    }

    /// The remote ceiling of `resource` on `cluster`: what a section there is boosted to; `u32::MAX` if nobody elsewhere
    /// uses the resource.
    pub fn ceiling(&self, resource: u32, cluster: u32) -> u32 {
        self.ceilings[resource as usize * self.clusters + cluster as usize]
    }

    fn remote_ceilings(&mut self, sharing: &Sharing) {
        let clusters = sharing.clusters() as usize;
        self.clusters = clusters;
        self.ceilings.clear();
        self.ceilings.resize(sharing.units().len() * clusters, u32::MAX);
        for (at, task) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(at) {
                let row = request.resource as usize * clusters;
                for (cluster, ceiling) in self.ceilings[row..row + clusters].iter_mut().enumerate() {
                    if cluster != task.cluster as usize {
                        *ceiling = task.level.min(*ceiling);
                    }
                }
            }
        }
    }

    /// Counts, then places: users of one resource stand together.
    fn list_users(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        self.first.clear();
        self.first.resize(resources + 2, 0);
        for at in 0..sharing.tasks().len() {
            for request in sharing.requests(at) {
                self.first[request.resource as usize + 2] += 1;
            }
        }
        for at in 2..resources + 2 {
            self.first[at] += self.first[at - 1];
        }
        self.users.clear();
        self.users.resize(self.first[resources + 1] as usize, User::default());
        for (at, task) in sharing.tasks().iter().enumerate() {
            for request in sharing.requests(at) {
                let occupies = self.occupies(sharing, at, request.resource, request.length());
                let place = &mut self.first[request.resource as usize + 1];
                self.users[*place as usize] = User {
                    task: at as u32,
                    level: task.level,
                    period: task.period,
                    occupies,
                    by_job: occupies.saturating_mul(request.count()),
                };
                *place += 1;
            }
        }
    }

    /// W, equation 2.
    fn occupies(&self, sharing: &Sharing, at: usize, resource: u32, length: u64) -> u64 {
        let clusters = sharing.clusters() as usize;
        let cluster = sharing.tasks()[at].cluster;
        let ceiling = |resource: u32| self.ceilings[resource as usize * clusters + cluster as usize];
        let own = ceiling(resource);
        let mut sum = length;
        for (other, task) in sharing.tasks().iter().enumerate() {
            if other != at && task.cluster == cluster {
                let above = sharing.requests(other).iter().filter(|request| ceiling(request.resource) <= own);
                sum = sum.saturating_add(above.map(|request| request.length()).max().unwrap_or(0));
            }
        }
        sum
    }

    /// Equations 1 and 4.
    fn local_terms(&mut self, sharing: &Sharing, virtual_spinning: bool) {
        self.local.clear();
        for (at, task) in sharing.tasks().iter().enumerate() {
            let mut sum = 0u64;
            for (other, lower) in sharing.tasks().iter().enumerate() {
                if other != at && lower.cluster == task.cluster && lower.level >= task.level {
                    let longest = sharing.requests(other).iter().map(|request| request.length()).max();
                    sum = sum.saturating_add(longest.unwrap_or(0));
                }
            }
            let issued: u64 = sharing.requests(at).iter().map(|request| request.count()).sum();
            let times = if virtual_spinning { 1 } else { issued + 1 };
            self.local.push(sum.saturating_mul(times));
        }
    }

    /// The terms of the task at `at`; B beyond `limit` is given up.
    pub fn terms(&self, sharing: &Sharing, at: usize, limit: u64) -> Terms {
        let mut remote = Some(0u64);
        for request in sharing.requests(at) {
            let one = self.wait(sharing, at, request.resource, limit);
            remote =
                remote.zip(one).map(|(sum, one)| sum.saturating_add(one.saturating_mul(request.count())));
        }
        Terms { remote, local: self.local[at] }
    }

    /// The least fixed point of equation 3, from a value that is not above it.
    fn wait(&self, sharing: &Sharing, at: usize, resource: u32, limit: u64) -> Option<u64> {
        let level = sharing.tasks()[at].level;
        let users = self.users(resource);
        let (mut lower, mut once) = (0u64, 0u64);
        for user in users.iter().filter(|user| user.task as usize != at) {
            match user.level < level {
                true => once = once.saturating_add(user.by_job),
                false => lower = lower.max(user.occupies),
            }
        }
        let fixed = lower.saturating_add(once);
        // Somebody more urgent comes at least once more; nobody: that is all.
        if once == 0 {
            return (fixed <= limit).then_some(fixed);
        }
        let mut wait = fixed;
        loop {
            if wait > limit {
                return None;
            }
            let mut next = fixed;
            for user in users.iter().filter(|user| user.level < level && user.task as usize != at) {
                next = next.saturating_add(user.by_job.saturating_mul(wait.div_ceil(user.period)));
            }
            if next == wait {
                return Some(wait);
            }
            wait = next;
        }
    }
}
