//! Conversion of a scenario to the values that the other crates use.

use crate::overheads::Charged;
use crate::scenario::{Clusters, PlatformSpec, Scenario, ServerSpec, TaskSpec};
use crate::words::{CostModel, UrgentPriority};
use schedlab_lock::{compose, find_protocol, posix, OnLinux, Protocol};
use schedlab_model::{
    Cluster, ClusterId, CpuId, Duration, MutexProtocol, Platform, Resource, Step, Task, TaskId, TaskPiece,
    Work,
};
use schedlab_policy::servers::BudgetServer;
use schedlab_policy::{KernelClass, Scheduler, Scope};

impl Clusters {
    /// The clusters as lists of processors.
    pub(crate) fn lists(&self, processors: u16) -> Vec<Vec<u16>> {
        let of_size = |size: u16| {
            let cpus: Vec<u16> = (0..processors).collect();
            cpus.chunks(usize::from(size.max(1))).map(<[u16]>::to_vec).collect()
        };
        match self {
            Clusters::Halves => of_size(processors.div_ceil(2)),
            Clusters::OfSize(size) => of_size(*size),
            Clusters::Listed(lists) => lists.clone(),
        }
    }
}

impl PlatformSpec {
    /// The machine as a scheduler of this scope divides it.
    pub(crate) fn divided(&self, scope: Scope) -> Platform {
        let undivided = match scope {
            Scope::Global => Platform::global(self.processors),
            Scope::Partitioned => Platform::partitioned(self.processors),
            Scope::Clustered => {
                let cluster = |list: Vec<u16>| Cluster { cpus: list.into_iter().map(CpuId).collect() };
                let lists = self.clusters.lists(self.processors);
                Platform {
                    clusters: lists.into_iter().map(cluster).collect(),
                    ..Platform::global(self.processors)
                }
            }
        };
        Platform {
            quantum: self.quantum,
            alignment: self.alignment,
            releases: self.releases,
            caches: self.caches.clone(),
            ..undivided
        }
    }
}

impl Scenario {
    /// Returns which processors share a ready queue under the scheduler.
    pub(crate) fn scope(&self) -> Scope {
        let scheduler = schedlab_policy::find(&self.scheduler.name);
        scheduler.expect("a checked scenario has a scheduler that exists").scope
    }

    /// The scenario's scheduler, if it has a known one.
    pub fn known_scheduler(&self) -> Option<Scheduler> {
        let shipped = || schedlab_policy::find(&self.scheduler.name).ok();
        self.scheduler.own.is_none().then(shipped).flatten()
    }

    /// The scenario's protocol, if it has a known one.
    pub(crate) fn known_protocol(&self) -> Option<&'static Protocol> {
        let shipped = || find_protocol(&self.protocol).ok();
        self.own_protocol.is_none().then(shipped).flatten()
    }

    /// The name of the scheduler, which may be the user's own.
    pub fn scheduler_name(&self) -> &str {
        self.scheduler.own.as_deref().unwrap_or(&self.scheduler.name)
    }

    /// The name of the protocol, which may be the user's own.
    pub fn protocol_name(&self) -> &str {
        self.own_protocol.as_deref().unwrap_or(&self.protocol)
    }

    /// Returns `protocol` combined with the schemes of those resources that have their own.
    pub fn composed(&self, protocol: &Protocol) -> Protocol {
        let is_requested = |index: usize| self.tasks.iter().any(|task| task.requests(index));
        let requested = (0..self.resources.len()).filter(|index| is_requested(*index));
        if let Some(kinds) = self.mutexes(protocol) {
            return posix(protocol, requested.map(|index| kinds[index]));
        }
        compose(protocol, requested.map(|index| self.resources[index].scheme()))
    }

    /// Returns the protocol of each resource as a mutex of POSIX, if some resource states its own. The others have
    /// that of `given`, the scenario's, or of the scenario's own one if `given` combines several.
    pub fn mutexes(&self, given: &Protocol) -> Option<Vec<MutexProtocol>> {
        let own = || self.resources.iter().map(|spec| spec.protocol);
        let usual = mutex_of(given).or_else(|| self.known_protocol().and_then(mutex_of));
        let usual = usual.unwrap_or(MutexProtocol::None);
        own().any(|own| own.is_some()).then(|| own().map(|own| own.unwrap_or(usual)).collect())
    }

    /// The machine as the scheduler divides it.
    pub fn model_platform(&self) -> Platform {
        self.platform.divided(self.scope())
    }

    /// The resources.
    pub fn model_resources(&self) -> Vec<Resource> {
        self.resources.iter().map(|spec| Resource { units: spec.units }).collect()
    }

    /// The tasks, each in its given cluster, or in cluster 0 if it has none: see [`Scenario::given_clusters`].
    pub fn model_tasks(&self) -> Vec<Task> {
        let placed = |(spec, cluster): (_, Option<ClusterId>)| Task {
            cluster: cluster.unwrap_or_default(),
            ..self.model_task(spec)
        };
        self.tasks.iter().zip(self.given_clusters()).map(placed).collect()
    }

    /// Under Linux's class `SCHED_FIFO`, a thread's priority is the task's given one if every task has one, else by its
    /// period. Under other schedulers, `tasks` stay as they are.
    pub fn rank_for_kernel(&self, tasks: &mut [Task], scheduler: &Scheduler) {
        let is_given = self.tasks.iter().all(|task| task.priority.is_some());
        if is_given || scheduler.kernel_class() != Some(KernelClass::Fifo) {
            return;
        }
        let mut periods: Vec<Duration> = tasks.iter().map(|task| task.period).collect();
        periods.sort_unstable();
        periods.dedup();
        for task in tasks {
            task.fixed_priority = periods.partition_point(|other| *other < task.period) as u32;
        }
    }

    /// The budget servers, with their clients.
    pub fn model_servers(&self) -> Vec<BudgetServer> {
        let ids = || (0..self.tasks.len() as u32).map(TaskId);
        let is_client = |id: &TaskId, server: &ServerSpec| {
            self.tasks[id.index()].server.as_deref() == Some(server.name.as_str())
        };
        let of = |server: &ServerSpec| BudgetServer {
            kind: server.kind,
            budget: server.budget,
            period: server.period,
            relative_deadline: server.relative_deadline,
            fixed_priority: self.fixed_priority(server.priority),
            is_in_background: server.background,
            order: server.order,
            clients: ids().filter(|id| is_client(id, server)).collect(),
        };
        self.servers.iter().map(of).collect()
    }

    /// The server of a client.
    pub(crate) fn server_of(&self, spec: &TaskSpec) -> Option<&ServerSpec> {
        let name = spec.server.as_deref()?;
        self.servers.iter().find(|server| server.name == name)
    }

    /// A given priority as schedulers take it: smaller is more urgent.
    fn fixed_priority(&self, given: Option<u32>) -> u32 {
        let given = given.unwrap_or(0);
        match self.scheduler.urgent_priority {
            UrgentPriority::Smallest => given,
            UrgentPriority::Largest => u32::MAX - given,
        }
    }

    fn model_task(&self, spec: &TaskSpec) -> Task {
        Task {
            bcet: least_cost(&spec.cost),
            offset: spec.offset,
            jitter: spec.jitter,
            suspension: spec.suspension,
            working_set: spec.working_set,
            fixed_priority: self.fixed_priority(spec.priority),
            class: spec.class,
            priority_point: spec.priority_point.unwrap_or_default(),
            utility: spec.utility.clone(),
            abort_handler: spec.abort_handler,
            join: spec.join,
            leave: spec.leave,
            pieces: pieces(spec),
            program: spec.program.clone(),
            ..Task::constrained(spec.wcet, spec.period, spec.relative_deadline)
        }
    }

    /// Returns, by task, the cluster that the scheduler has to use; `None` if it is free to choose.
    ///
    /// Under a global scheduler there is only cluster 0; under a partitioned one clusters are processors.
    pub(crate) fn given_clusters(&self) -> Vec<Option<ClusterId>> {
        let scope = self.scope();
        let platform = self.platform.divided(scope);
        let of = |spec| match self.server_of(spec) {
            Some(server) => Some(cluster_of_server(server, &platform)),
            None => given_cluster(spec, scope, &platform),
        };
        self.tasks.iter().map(of).collect()
    }

    /// Returns the overheads that the scheduler is charged, and which of them are unknown.
    pub fn charged(&self) -> Charged {
        // Locked objects take the locks of the FMLP, whatever the protocol of other resources.
        let protocol = self.known_protocol().map_or(self.protocol.as_str(), |own| self.composed(own).name);
        self.overheads.profile.charged(&self.scheduler.name, protocol)
    }

    /// The name of a task. Panics if there is no such task.
    pub fn task_name(&self, task: TaskId) -> &str {
        &self.tasks[task.index()].name
    }
}

/// Returns the protocol of a mutex of POSIX whose rules `protocol` has; `None` if there is none.
pub fn mutex_of(protocol: &Protocol) -> Option<MutexProtocol> {
    match protocol.on_linux {
        OnLinux::Plain => Some(MutexProtocol::None),
        OnLinux::Inherit => Some(MutexProtocol::Inherit),
        OnLinux::Protect => Some(MutexProtocol::Protect),
        OnLinux::ByResource | OnLinux::InProgram | OnLinux::Nothing => None,
    }
}

/// Cluster of a server and its clients: where the server's processor is, or the only one.
fn cluster_of_server(server: &ServerSpec, platform: &Platform) -> ClusterId {
    server.processor.map_or(ClusterId(0), |processor| platform.cluster_of(CpuId(processor)))
}

fn given_cluster(task: &TaskSpec, scope: Scope, platform: &Platform) -> Option<ClusterId> {
    match scope {
        Scope::Global => Some(ClusterId(0)),
        Scope::Partitioned => task.processor.map(ClusterId),
        Scope::Clustered => match (task.cluster, task.processor) {
            (Some(cluster), _) => Some(ClusterId(cluster)),
            (None, Some(processor)) => Some(platform.cluster_of(CpuId(processor))),
            (None, None) => None,
        },
    }
}

/// Returns the total work of `steps`, at most the largest that 64 bits hold.
pub(crate) fn executed(steps: &[Step]) -> Work {
    let of = |step: &Step| if let Step::Execute(work) = step { work.as_ns() } else { 0 };
    Work::from_ns(steps.iter().map(of).fold(0, u64::saturating_add))
}

/// Returns the least cost of a job. Only a given range bounds it, because other models are about one simulation.
fn least_cost(cost: &CostModel) -> Work {
    match cost {
        CostModel::Uniform(least, _) => *least,
        CostModel::Wcet | CostModel::Fraction(_) | CostModel::Listed(_) | CostModel::Quantiles { .. } => {
            Work::ZERO
        }
    }
}

/// The pieces of a task: the stated ones, or the whole task on its stated processor.
fn pieces(spec: &TaskSpec) -> Vec<TaskPiece> {
    let whole = |processor: u16| TaskPiece {
        cpu: CpuId(processor),
        budget: spec.wcet,
        begin: Duration::ZERO,
        relative_deadline: spec.relative_deadline,
    };
    match spec.pieces[..] {
        [] => spec.processor.map(whole).into_iter().collect(),
        ref stated => stated.to_vec(),
    }
}
