//! Prepares a scenario for the runtime.

use crate::backend::enforcement::{for_kernel, Enforcement};
use crate::backend::kernel_class::mutex::MutexKind;
use crate::backend::kernel_class::KernelRun;
use crate::backend::native::plans::Plans;
use crate::backend::native::quanta::Quanta;
use crate::backend::native::scheduler::NativeScheduler;
use crate::backend::native::spin_locks::SpinLocks;
use crate::backend::native::{NativeRun, NativeSide};
use crate::engine::domain::DomainSetup;
use crate::machine::not_native::NotNative;
use crate::machine::refusal::Refusal;
use crate::machine::sys;
use crate::options::{BackendChoice, Options};
use crate::program::error::AppError;
use crate::run::threads::Body;
use crate::run::{Decides, System};
use crate::timers::calls::EventSource;
use schedlab_lab::{KernelParameters, PrepareError, Prepared};
use schedlab_model::{
    Architecture, CpuId, JobSource, MutexProtocol, NextJob, ResourceId, Step, Task, TaskId,
};
use schedlab_policy::{KernelClass, Make, Scheduler, Scope};
use schedlab_scenario::{Scenario, TaskSpec};
use schedlab_scx::{
    ClusterScheduler, ClusterSettings, KernelRecords, QuantumScheduler, QuantumSettings, Settings,
};
use schedlab_trace::Backend;

/// A source of the jobs of some tasks only.
struct Only {
    source: Box<dyn JobSource + Send>,
    /// By task: true if its jobs are wanted.
    wanted: Vec<bool>,
}

impl JobSource for Only {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        self.wanted[task.index()].then(|| self.source.next_job(task, program)).flatten()
    }
}

/// Refuses schedulers that end deadlocks: a job that is given up goes on without what it asked for, and code of a
/// program's own could not know.
pub(crate) fn refuse_deadlocks(scenario: &Scenario) -> Result<(), AppError> {
    let requests = |task: &TaskSpec| task.program.iter().any(|step| matches!(step, Step::Request(..)));
    match scenario.known_scheduler().filter(Scheduler::follows_holders) {
        Some(scheduler) if scenario.tasks.iter().any(requests) => Err(AppError::Dependencies(scheduler.name)),
        Some(_) | None => Ok(()),
    }
}

/// Refuses what only simulations can do: operations on resources whose objects the scenario does not describe, where a
/// protocol has them attempted.
pub fn refuse_simulated(scenario: &Scenario) -> Result<(), AppError> {
    scenario.check_real_objects().map_err(AppError::Scenario)
}

/// By task: its domain. Clusters that share nothing are domains of their own.
pub fn domain_of(prepared: &Prepared) -> Vec<usize> {
    let apart = prepared.resources.is_empty();
    prepared.tasks.iter().map(|task| if apart { task.cluster.index() } else { 0 }).collect()
}

/// By processor of the system: its domain.
pub fn domain_of_processor(prepared: &Prepared) -> Vec<usize> {
    let mut domain_of = vec![0; prepared.platform.processors().into()];
    if prepared.resources.is_empty() {
        for (index, cluster) in prepared.platform.clusters.iter().enumerate() {
            cluster.cpus.iter().for_each(|cpu| domain_of[cpu.index()] = index);
        }
    }
    domain_of
}

/// The domains of `prepared`, with fresh policies, protocol and source. The sources know no job of the tasks that are
/// `event_driven`: by task, or nothing for none.
pub fn domains(prepared: &Prepared, event_driven: &[bool]) -> Result<Vec<DomainSetup>, PrepareError> {
    let clusters = &prepared.platform.clusters;
    let cpus: Vec<Vec<CpuId>> = if prepared.resources.is_empty() {
        clusters.iter().map(|cluster| cluster.cpus.clone()).collect()
    } else {
        vec![clusters.iter().flat_map(|cluster| cluster.cpus.iter().copied()).collect()]
    };
    let domain_of = domain_of(prepared);
    let make = |(index, cpus)| {
        let is_drawn = |task| !event_driven.get(task).copied().unwrap_or(false);
        let own = domain_of.iter().enumerate();
        let wanted = own.map(|(task, domain)| *domain == index && is_drawn(task)).collect();
        Ok(DomainSetup {
            cpus,
            policies: prepared.policies()?,
            locks: prepared.real_locks()?,
            source: Box::new(Only { source: prepared.source()?, wanted }),
            may_go_without: prepared.scheduler.follows_holders(),
            clients: prepared.scenario.tasks.iter().map(|task| task.server.is_some()).collect(),
        })
    };
    cpus.into_iter().enumerate().map(make).collect()
}

/// The whole system, whose jobs execute `bodies` by the backend of `options`. A scheduler in the kernel is loaded here.
pub fn system(prepared: &Prepared, bodies: Vec<Body>, options: &Options) -> Result<System, AppError> {
    with_events(prepared, bodies, Vec::new(), options)
}

/// The whole system as [`system()`] makes it. `events`: by task, the source of the events that release its jobs, if it
/// is event-driven; or nothing for none.
pub(crate) fn with_events(
    prepared: &Prepared,
    bodies: Vec<Body>,
    events: Vec<Option<EventSource>>,
    options: &Options,
) -> Result<System, AppError> {
    let (setup, background) = (prepared.real_setup(), Vec::new());
    let event_driven: Vec<bool> = events.iter().map(Option::is_some).collect();
    if let Some(backend) = by_clock(prepared, options).filter(|_| event_driven.contains(&true)) {
        return Err(AppError::Refused(Refusal::Events(backend)));
    }
    let decides = match prepared.scheduler.kernel_class() {
        Some(class) => {
            suits_class(options).map_err(AppError::Refused)?;
            let kernel = under_kernel(prepared, class).map_err(AppError::Prepare)?;
            Decides::Kernel(Box::new(kernel))
        }
        None if options.backend == Some(BackendChoice::Only(Backend::ScxNative)) => {
            Decides::Native(Box::new(native(prepared, options)?))
        }
        None => Decides::Engine {
            domains: domains(prepared, &event_driven).map_err(AppError::Prepare)?,
            domain_of: domain_of(prepared),
            enforcement: Enforcement::of(
                options,
                prepared.tasks.len(),
                prepared.platform.processors().into(),
            )
            .map_err(AppError::Refused)?,
        },
    };
    Ok(System { setup, decides, bodies, background, events })
}

/// The backend of the run if the kernel decides there, and releases jobs by the clock alone.
fn by_clock(prepared: &Prepared, options: &Options) -> Option<Backend> {
    let native = BackendChoice::Only(Backend::ScxNative);
    match prepared.scheduler.kernel_class() {
        Some(_) => Some(Backend::Class),
        None => (options.backend == Some(native)).then_some(Backend::ScxNative),
    }
}

/// A run in which a scheduler in the kernel decides by itself. It is loaded here.
fn native(prepared: &Prepared, options: &Options) -> Result<NativeRun, AppError> {
    if options.architecture == Architecture::StopTheWorld {
        return Err(not_native(NotNative::StandStill));
    }
    if let Some(server) = prepared.scenario.servers.first() {
        return Err(not_native(NotNative::BudgetServer(server.name.clone())));
    }
    let domains = domains(prepared, &[]).map_err(AppError::Prepare)?.len();
    let sources = prepared.tasks.iter().map(|_| prepared.source()).collect::<Result<_, _>>();
    let made = prepared.real_locks().map_err(AppError::Prepare)?;
    let (scheduler, records, locks) = match &prepared.scheduler.make {
        Make::Pfair { order, early_release } => {
            let quanta = Quanta::of(prepared, order, *early_release);
            let quanta = quanta.map_err(not_native)?;
            let locks = SpinLocks::of(prepared, &*made).map_err(not_native)?;
            let (scheduler, records) = by_quanta(prepared, options, quanta)?;
            (scheduler, records, locks)
        }
        Make::Clustered { .. } | Make::Utility(_) | Make::Other { .. } | Make::Kernel(_) => {
            let plans = Plans::of(prepared).map_err(not_native)?;
            let locks = SpinLocks::of(prepared, &*made).map_err(not_native)?;
            let (scheduler, records) = clustered(prepared, options, plans)?;
            (scheduler, records, locks)
        }
    };
    let again = prepared.clone();
    Ok(NativeRun {
        records,
        side: NativeSide::new(scheduler, locks),
        lock_records: Vec::new(),
        sources: sources.map_err(AppError::Prepare)?,
        domain_of: domain_of(prepared),
        domain: Box::new(move |index| domains_of(&again).swap_remove(index)),
        domains,
        reserve: options.reserve,
    })
}

fn not_native(why: NotNative) -> AppError {
    AppError::Refused(Refusal::NotNative(why))
}

/// Loads the clustered scheduler.
fn clustered(
    prepared: &Prepared,
    options: &Options,
    Plans { plans, preemptive, timers }: Plans,
) -> Result<(NativeScheduler, KernelRecords), AppError> {
    let processors = prepared.platform.processors().into();
    let own = for_kernel(options, plans.len(), processors).map_err(AppError::Refused)?;
    let number = |cpu: &CpuId| own[cpu.index()];
    let clusters: Vec<Vec<usize>> =
        prepared.platform.clusters.iter().map(|cluster| cluster.cpus.iter().map(number).collect()).collect();
    let set = |cluster: &Vec<usize>| cluster.iter().fold(0, |set, processor| set | 1 << processor);
    let all = ClusterSettings::of(&clusters.iter().map(set).collect::<Vec<u64>>());
    let common = Settings { reserve_ns: sys::ns(options.reserve), ..all.common };
    let settings = ClusterSettings { common, preemptive, timers, ring_bytes: RING_BYTES, ..all };
    let (scheduler, records) =
        ClusterScheduler::load(&settings).map_err(|why| AppError::Refused(Refusal::Load(why)))?;
    Ok((NativeScheduler::Clustered { scheduler, plans, clusters }, records))
}

/// Loads the scheduler by quanta.
fn by_quanta(
    prepared: &Prepared,
    options: &Options,
    Quanta { shares, staggered, keeps, quantum }: Quanta,
) -> Result<(NativeScheduler, KernelRecords), AppError> {
    let count = prepared.platform.processors().into();
    let processors = for_kernel(options, shares.len(), count).map_err(AppError::Refused)?;
    let numbers: Vec<u32> = processors.iter().map(|processor| *processor as u32).collect();
    let all = QuantumSettings::of(&numbers, quantum, shares.len() as u32);
    let common = Settings { reserve_ns: sys::ns(options.reserve), ..all.common };
    let settings = QuantumSettings { common, staggered, keeps, ring_bytes: RING_BYTES, ..all };
    let (scheduler, records) =
        QuantumScheduler::load(&settings).map_err(|why| AppError::Refused(Refusal::Load(why)))?;
    Ok((NativeScheduler::Quanta { scheduler, shares, processors }, records))
}

/// Bytes of the ring of the scheduler's records, which is read 20 times a second: 400,000 records.
const RING_BYTES: u32 = 1 << 24;

/// The domains of a system that was made before.
fn domains_of(prepared: &Prepared) -> Vec<DomainSetup> {
    domains(prepared, &[]).expect("it was made before")
}

/// Refuses the choice of a backend that is no class of the kernel.
fn suits_class(options: &Options) -> Result<(), Refusal> {
    match options.backend {
        None | Some(BackendChoice::Auto | BackendChoice::Only(Backend::Class)) => Ok(()),
        Some(BackendChoice::Only(
            other @ (Backend::Threads | Backend::Scx | Backend::ScxNative | Backend::Simulation),
        )) => Err(Refusal::ByClass(other)),
    }
}

/// The parameters of threads under `class` of the kernel, and by the scenario.
fn under_kernel(prepared: &Prepared, class: KernelClass) -> Result<KernelRun, PrepareError> {
    prepared.suits_real_run()?;
    let parameters = prepared.kernel_parameters(class)?;
    let is_partitioned = prepared.scheduler.scope == Scope::Partitioned;
    let bound =
        |task: &Task| is_partitioned.then(|| prepared.platform.clusters[task.cluster.index()].cpus[0]);
    let ceiling = |resource| {
        let asks = |task: &Task| {
            task.program.iter().any(|step| matches!(step, Step::Request(asked, _) if *asked == resource))
        };
        let users = prepared.tasks.iter().zip(&parameters).filter(|(task, _)| asks(task));
        let priorities = users.filter_map(|(_, given)| match given {
            KernelParameters::Fifo(priority) => Some(*priority),
            KernelParameters::Deadline { .. } | KernelParameters::Ordinary => None,
        });
        priorities.max()
    };
    let kind = |(resource, protocol)| match protocol {
        MutexProtocol::None => MutexKind::Plain,
        MutexProtocol::Inherit => MutexKind::Inheriting,
        // One without users is not taken.
        MutexProtocol::Protect => ceiling(ResourceId(resource)).map_or(MutexKind::Plain, MutexKind::Ceiling),
    };
    let mutexes = (0..).zip(prepared.kernel_locks(class)?).map(kind).collect();
    let sources = prepared.tasks.iter().map(|_| prepared.source()).collect::<Result<_, _>>()?;
    Ok(KernelRun {
        bound: prepared.tasks.iter().map(bound).collect(),
        mutexes,
        sources,
        unbegun: prepared.source()?,
        parameters,
    })
}
