//! MPCP: suspension by priority, sections boosted to their remote ceilings.
//!
//! K. Lakshmanan, D. de Niz and R. Rajkumar, *Coordinated task scheduling, allocation and synchronization on
//! multiprocessors*, RTSS 2009, equations 1 to 4, after R. Rajkumar, ICDCS 1990. A section takes at most its length
//! and, of each other task on its processor, the longest section whose remote ceiling is at least as urgent (W). A
//! request waits for the longest such section of a less urgent task, and for those of more urgent ones on any processor
//! while it waits: the least fixed point of
//!
//! ```text
//! B = max(W of less urgent users) + sum over more urgent users (ceil(B / T) + 1) requests W
//! ```
//!
//! Locally, each less urgent task delays the job by its longest section on arrival and after each request;
//! under virtual spinning, where no less urgent job may lock while one waits, once in all.
//!
//! Nothing of this asks whose urgency a ceiling is, if only a resource has one on each processor: while a boosted job
//! has not finished its section, no other job of its processor executes outside of sections, so that each other task
//! there has one section in its way at most. [`Users`] says who counts: those elsewhere, or all.
//!
//! Assumes fixed priorities with distinct levels, partitions, no nesting; every resource counts as global. `remote` is
//! suspension (under virtual spinning: execution), `None` if B exceeds the limit. [`Prepared`] can be used again
//! without allocating anew.

use crate::blocking::members::Members;
use crate::blocking::{Requests, Sharer, Sharing, Terms};
use crate::steps::{DelayCause, Parts, Unwatched};
use schedlab_model::LockingClass;

/// By task: waiting for global resources, and delay by boosted jobs; B beyond the longer of period and response time
/// is given up.
pub fn bounds(sharing: &Sharing, responses: &[u64], virtual_spinning: bool) -> Vec<Terms> {
    bounds_boosted_by(Users::Elsewhere, sharing, responses, virtual_spinning)
}

/// By task: waiting for global resources, and delay by boosted jobs, where ceilings are taken over `users`.
pub fn bounds_boosted_by(
    users: Users,
    sharing: &Sharing,
    responses: &[u64],
    virtual_spinning: bool,
) -> Vec<Terms> {
    let found = with_parts::<Unwatched>(users, sharing, responses, virtual_spinning);
    found.into_iter().map(|(terms, _)| terms).collect()
}

/// Returns what [`bounds_boosted_by`] does, with the parts.
pub(crate) fn with_parts<P: Parts>(
    users: Users,
    sharing: &Sharing,
    responses: &[u64],
    virtual_spinning: bool,
) -> Vec<(Terms, P)> {
    let mut prepared = Prepared::boosted_by(users);
    prepared.prepare(sharing, virtual_spinning);
    let limits = sharing.tasks().iter().zip(responses).map(|(task, response)| task.period.max(*response));
    let of = |(task, limit)| {
        let mut parts = P::default();
        let terms = prepared.terms_with_parts(sharing, task, limit, &mut parts);
        prepared.note_local(sharing, task, virtual_spinning, &mut parts);
        (terms, parts)
    };
    limits.enumerate().map(of).collect()
}

/// Users of a resource whose urgency its holder gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Users {
    /// Urgency of the most urgent user on other processors: the MPCP of Rajkumar 1990.
    #[default]
    Elsewhere,
    /// Urgency of the most urgent user on any processor.
    All,
}

impl Users {
    /// Returns the users that count under a protocol of this class.
    #[expect(clippy::wildcard_enum_match_arm, reason = "an assertion: no bound asks of another class")]
    pub fn of(class: LockingClass) -> Users {
        match class {
            LockingClass::Mpcp => Users::Elsewhere,
            LockingClass::MpcpAllUsers => Users::All,
            other => unreachable!("holders are not boosted by users under {other:?}"),
        }
    }
}

/// Working memory of the bounds.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    boosts: Users,
    members: Members,
    /// By resource: its ceilings.
    ceilings: Vec<Ceiling>,
    /// By resource: its users, from `first` on.
    users: Vec<User>,
    first: Vec<u32>,
    local: Vec<u64>,
    /// By task: its longest section, and how many requests a job issues.
    longest: Vec<u64>,
    issued: Vec<u64>,
    /// Longest sections, by cluster, then by task.
    sections: Vec<LongestSection>,
}

/// The longest section of a task on a resource.
#[derive(Clone, Copy, Debug)]
struct LongestSection {
    task: u32,
    cluster: u32,
    resource: u32,
    /// Ceiling to which the section is boosted.
    ceiling: u32,
    count: u64,
    length: u64,
}

/// Remote ceilings of a resource on every cluster.
#[derive(Clone, Copy, Debug)]
struct Ceiling {
    /// The most urgent level of all users, and its cluster.
    level: u32,
    cluster: u32,
    /// The most urgent level of users on all other clusters.
    elsewhere: u32,
}

impl Ceiling {
    const UNUSED: Ceiling = Ceiling { level: u32::MAX, cluster: u32::MAX, elsewhere: u32::MAX };

    fn add(&mut self, level: u32, cluster: u32) {
        if cluster == self.cluster {
            self.level = self.level.min(level);
        } else if level < self.level {
            *self = Ceiling { level, cluster, elsewhere: self.level };
        } else {
            self.elsewhere = self.elsewhere.min(level);
        }
    }

    fn on(&self, cluster: u32, users: Users) -> u32 {
        if users == Users::Elsewhere && cluster == self.cluster {
            self.elsewhere
        } else {
            self.level
        }
    }
}

/// The requests of one task for one resource.
#[derive(Clone, Copy, Debug, Default)]
pub struct User {
    /// Index of the requesting task.
    pub task: u32,
    /// Priority of the task; smaller is more urgent.
    pub level: u32,
    period: u64,
    /// W of equation 2, for one request.
    pub occupies: u64,
    /// W times the requests of one job.
    pub by_job: u64,
}

impl Prepared {
    /// Empty working memory for ceilings over `users`.
    pub fn boosted_by(users: Users) -> Self {
        Prepared { boosts: users, ..Prepared::default() }
    }

    /// Reads `sharing`, in place of what was read before.
    pub fn prepare(&mut self, sharing: &Sharing, virtual_spinning: bool) {
        self.members.fill(sharing);
        self.list_sections(sharing);
        self.list_users(sharing);
        self.local_terms(sharing, virtual_spinning);
    }

    /// The users of `resource`.
    pub fn users(&self, resource: u32) -> &[User] {
        &self.users[self.first[resource as usize] as usize..self.first[resource as usize + 1] as usize]
    }

    /// The ceiling of `resource` on `cluster`, to which a section there is boosted; `u32::MAX` if no user counts.
    pub fn ceiling(&self, resource: u32, cluster: u32) -> u32 {
        self.ceilings[resource as usize].on(cluster, self.boosts)
    }

    /// Reads the requests, with the ceilings that follow from them.
    fn list_sections(&mut self, sharing: &Sharing) {
        let Prepared { boosts, members, ceilings, longest, issued, sections, .. } = self;
        ceilings.clear();
        ceilings.resize(sharing.units().len(), Ceiling::UNUSED);
        sections.clear();
        for sums in [&mut *longest, &mut *issued] {
            sums.clear();
            sums.resize(sharing.tasks().len(), 0);
        }
        for task in members.all() {
            let index = *task as usize;
            let Sharer { level, cluster, .. } = sharing.tasks()[index];
            for request in sharing.requests(index) {
                let (resource, count, length) = (request.resource, request.count(), request.length());
                ceilings[resource as usize].add(level, cluster);
                longest[index] = longest[index].max(length);
                issued[index] += count;
                sections.push(LongestSection {
                    task: *task,
                    cluster,
                    resource,
                    ceiling: u32::MAX,
                    count,
                    length,
                });
            }
        }
        for section in sections {
            section.ceiling = ceilings[section.resource as usize].on(section.cluster, *boosts);
        }
    }

    /// Lists the users: it counts them, then places those of one resource together.
    fn list_users(&mut self, sharing: &Sharing) {
        let resources = sharing.units().len();
        let Prepared { first, users, sections, .. } = self;
        first.clear();
        first.resize(resources + 2, 0);
        for section in &*sections {
            first[section.resource as usize + 2] += 1;
        }
        for index in 2..resources + 2 {
            first[index] += first[index - 1];
        }
        users.clear();
        users.resize(sections.len(), User::default());
        for cluster in sections.chunk_by(|a, b| a.cluster == b.cluster) {
            for section in cluster {
                let Sharer { level, period, .. } = sharing.tasks()[section.task as usize];
                let occupies = occupies(section, cluster);
                let place = &mut first[section.resource as usize + 1];
                let by_job = occupies.saturating_mul(section.count);
                users[*place as usize] = User { task: section.task, level, period, occupies, by_job };
                *place += 1;
            }
        }
    }

    /// Computes the local terms by equations 1 and 4.
    fn local_terms(&mut self, sharing: &Sharing, virtual_spinning: bool) {
        let Prepared { longest, issued, local, members, .. } = self;
        local.clear();
        local.resize(sharing.tasks().len(), 0);
        members.each_delayed(sharing, |task, other| local[task] = local[task].saturating_add(longest[other]));
        if !virtual_spinning {
            for (local, issued) in local.iter_mut().zip(issued) {
                *local = local.saturating_mul(*issued + 1);
            }
        }
    }

    /// The terms of `task`; B beyond `limit` is given up.
    pub fn terms(&self, sharing: &Sharing, task: usize, limit: u64) -> Terms {
        self.terms_with_parts(sharing, task, limit, &mut Unwatched)
    }

    /// Returns what [`Prepared::terms`] does, with the parts of the waiting.
    fn terms_with_parts<P: Parts>(&self, sharing: &Sharing, task: usize, limit: u64, parts: &mut P) -> Terms {
        let mut remote = Some(0u64);
        for request in sharing.requests(task) {
            let one = self.wait(sharing, task, request.resource, limit);
            if let Some(wait) = one.filter(|_| P::ARE_NOTED) {
                self.note_wait(sharing, task, request, wait, parts);
            }
            remote =
                remote.zip(one).map(|(sum, one)| sum.saturating_add(one.saturating_mul(request.count())));
        }
        Terms { remote, local: self.local[task] }
    }

    /// The least fixed point of equation 3, from a value that is not above it.
    fn wait(&self, sharing: &Sharing, task: usize, resource: u32, limit: u64) -> Option<u64> {
        let level = sharing.tasks()[task].level;
        let users = self.users(resource);
        let (mut lower, mut once) = (0u64, 0u64);
        for user in users {
            let other = user.task as usize != task;
            let is_higher = user.level < level;
            once = once.saturating_add(if other & is_higher { user.by_job } else { 0 });
            lower = lower.max(if other & !is_higher { user.occupies } else { 0 });
        }
        let fixed = lower.saturating_add(once);
        // A more urgent task comes at least once more; if there is none, that is all.
        let mut wait = fixed.saturating_add(once);
        while wait <= limit {
            let mut next = fixed;
            for user in users.iter().filter(|user| user.level < level) {
                let jobs = if wait <= user.period { 1 } else { wait.div_ceil(user.period) };
                next = next.saturating_add(user.by_job.saturating_mul(jobs));
            }
            if next == wait {
                return Some(wait);
            }
            wait = next;
        }
        None
    }
}

impl Prepared {
    /// Notes the sections that make up the fixed point `wait` of equation 3, for all requests of a job.
    fn note_wait(
        &self,
        sharing: &Sharing,
        task: usize,
        request: &Requests,
        wait: u64,
        parts: &mut impl Parts,
    ) {
        let level = sharing.tasks()[task].level;
        let users = self.users(request.resource).iter().filter(|user| user.task as usize != task);
        let (higher, lower): (Vec<&User>, Vec<&User>) = users.partition(|user| user.level < level);
        let longest =
            lower.iter().reduce(|one, other| if other.occupies > one.occupies { other } else { one });
        if let Some(user) = longest {
            self.note_section(user.task, request.resource, request.count(), parts);
        }
        for user in higher {
            let jobs = wait.div_ceil(user.period).max(1) + 1;
            let of_job = sharing.requests(user.task as usize).iter();
            let of_job =
                of_job.filter(|own| own.resource == request.resource).map(Requests::count).sum::<u64>();
            let count = jobs.saturating_mul(of_job).saturating_mul(request.count());
            self.note_section(user.task, request.resource, count, parts);
        }
    }

    /// Notes W, equation 2, of the section of `task` on `resource`.
    fn note_section(&self, task: u32, resource: u32, count: u64, parts: &mut impl Parts) {
        let is_it = |section: &LongestSection| section.task == task && section.resource == resource;
        let section = self.sections.iter().find(|section| is_it(section)).expect("users have sections");
        parts.part(DelayCause::Waiting, task as usize, resource, section.length, count);
        for others in self.sections.chunk_by(|a, b| a.task == b.task) {
            if others[0].cluster == section.cluster && others[0].task != task {
                let ahead = others.iter().filter(|other| other.ceiling <= section.ceiling);
                if let Some(one) = ahead.reduce(longer) {
                    let cause = DelayCause::AheadOfHolder;
                    parts.part(cause, one.task as usize, one.resource, one.length, count);
                }
            }
        }
    }

    /// Notes the sections of less urgent tasks that delay a job of `task` locally.
    fn note_local<P: Parts>(&self, sharing: &Sharing, task: usize, virtual_spinning: bool, parts: &mut P) {
        if !P::ARE_NOTED {
            return;
        }
        let own = sharing.tasks()[task];
        let count = if virtual_spinning { 1 } else { self.issued[task] + 1 };
        for others in self.sections.chunk_by(|a, b| a.task == b.task) {
            let other = others[0].task as usize;
            let Sharer { cluster, level, .. } = sharing.tasks()[other];
            if other != task && cluster == own.cluster && level >= own.level {
                if let Some(one) = others.iter().reduce(longer) {
                    parts.part(DelayCause::KeptOff, other, one.resource, one.length, count);
                }
            }
        }
    }
}

/// Returns the longer of two sections, or the first if they are equally long.
fn longer<'s>(one: &'s LongestSection, other: &'s LongestSection) -> &'s LongestSection {
    if other.length > one.length {
        other
    } else {
        one
    }
}

/// W, equation 2: `section` with those of its cluster.
fn occupies(section: &LongestSection, cluster: &[LongestSection]) -> u64 {
    let mut sum = section.length;
    let (mut task, mut longest) = (u32::MAX, 0);
    for other in cluster {
        if other.task == section.task || other.ceiling > section.ceiling {
            continue;
        }
        if other.task != task {
            (task, longest) = (other.task, 0);
        }
        sum = sum.saturating_add(other.length.saturating_sub(longest));
        longest = longest.max(other.length);
    }
    sum
}
