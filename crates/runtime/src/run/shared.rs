//! The values that the threads of a run share.

use crate::backend::enforcement::{own_processors, Enforcement};
use crate::backend::gates::gate::Gate;
use crate::backend::kernel_class::KernelSide;
use crate::backend::linked_thread::LinkedThread;
use crate::backend::links::{index_of, Links};
use crate::backend::native::NativeSide;
use crate::engine::domain::called::EventDriven;
use crate::engine::domain::{Domain, DomainSetup};
use crate::engine::enforcer::Enforcer;
use crate::engine::surroundings::Surroundings;
use crate::machine::clock::Clock;
use crate::machine::refusal::Refusal;
use crate::machine::room;
use crate::options::{Options, RECORDS};
use crate::record::inputs::EngineInput;
use crate::record::keeper::Records;
use crate::record::log::log;
use crate::record::recorder::Recorder;
use crate::record::tracer::Tracer;
use crate::task::services::Services;
use crate::task::shutdown::Shutdown;
use crate::timers::alarm::Alarm;
use crate::timers::calls::EventSource;
use schedlab_model::{Instant, JobId, TaskId};
use schedlab_scx::Follower;
use schedlab_sim::Setup;
use schedlab_trace::Record;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::Arc;

/// The domains of a run in which an engine decides; none elsewhere.
#[derive(Default)]
pub(crate) struct Domains<'a> {
    pub domains: Vec<DomainSetup>,
    /// By task: its domain.
    pub domain_of: &'a [usize],
    /// By task: the source of the events that release its jobs, if it is event-driven.
    pub events: &'a [Option<EventSource>],
}

/// Everything that the threads of a run share. A thread whose code never ends keeps it.
pub(crate) struct Shared {
    pub clock: Clock,
    pub gates: Arc<Vec<Gate>>,
    /// The enforcer of decisions: the gates themselves, or links in the kernel.
    pub enforcer: Arc<dyn Enforcer + Send>,
    /// The scheduler in the kernel, where that executes the threads of tasks.
    pub follower: Option<Arc<Follower>>,
    /// The scheduler in the kernel that decides by itself, if one does.
    pub native: Option<NativeSide>,
    pub alarms: Vec<Alarm>,
    pub processors: Vec<usize>,
    /// Real-time priority of the tasks' threads; `None` in a run without privilege, and where the kernel links them.
    priority: Option<u8>,
    pub domains: Vec<Domain>,
    /// The kernel's side where Linux, or a scheduler in it, decides; then there are no domains.
    pub kernel: Option<KernelSide>,
    pub tracer: Arc<Tracer>,
    pub over: AtomicBool,
    pub shutdown: Shutdown,
    /// The sections that servers execute for other tasks.
    pub services: Services,
    /// Set to true to end the run.
    pub stop: Arc<AtomicBool>,
    /// Number of the first task whose code panicked, plus one.
    pub crashed: AtomicU32,
}

impl Shared {
    pub(crate) fn new(
        setup: &Setup,
        domains: Domains<'_>,
        kernel: Option<KernelSide>,
        enforcement: &Enforcement,
        options: &Options,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Self, Vec<Records>), Refusal> {
        let processors = own_processors(setup.platform.processors().into())?;
        let (follower, native) = match enforcement {
            Enforcement::Gates { .. } => (None, None),
            Enforcement::Links { follower, .. } => (Some(Arc::clone(follower)), None),
            Enforcement::Native { side, .. } => (None, Some(side.clone())),
        };
        let tracer = Arc::new(Tracer::new(setup.tasks.len(), options.passages));
        let linked = |task| Some(LinkedThread::new(Arc::clone(follower.as_ref()?), index_of(task)));
        let gate = |task| Gate::new(TaskId(task), Arc::clone(&tracer), linked(TaskId(task)));
        let gates: Arc<Vec<Gate>> = Arc::new((0..setup.tasks.len() as u32).map(gate).collect());
        let enforcer: Arc<dyn Enforcer + Send> = match &follower {
            Some(follower) => Arc::new(Links::new(Arc::clone(&gates), Arc::clone(follower), &processors)),
            None => Arc::clone(&gates) as _,
        };
        let failed = |error| Refusal::System { what: "asking for memory for the records", error };
        let alarms = processors.iter().map(|processor| Alarm::of(*processor)).collect::<Result<_, _>>();
        let alarms = alarms.map_err(|error| Refusal::System { what: "asking for a timer", error })?;
        // An allocation below that does not fit would crash the process.
        // Under the kernel, the threads of all tasks share the room of one domain.
        let Domains { domains, domain_of, events } = domains;
        room::try_memory("the records", domains.len().max(1).saturating_mul(OF_RECORDS))?;
        let mut records = Vec::new();
        let mut made = Vec::new();
        for (index, domain) in domains.into_iter().enumerate() {
            let (writer, reader) = log(RECORDS).map_err(failed)?;
            let event_driven = EventDriven::of(events, &setup.tasks, |task| domain_of[task.index()] == index);
            let recorder = Recorder::new(writer);
            made.push(Domain::new(domain, setup, recorder, &processors, options, event_driven));
            records.push(reader);
        }
        let shared = Shared {
            clock: Clock::stopped(),
            gates,
            enforcer,
            alarms,
            domains: made,
            kernel,
            processors,
            priority: (!options.unprivileged && follower.is_none() && native.is_none())
                .then_some(options.priority),
            follower,
            native,
            tracer,
            over: AtomicBool::new(false),
            shutdown: Shutdown::new(setup.tasks.len()),
            services: Services::new(setup.tasks.len()),
            stop: Arc::clone(stop),
            crashed: AtomicU32::new(0),
        };
        Ok((shared, records))
    }

    /// True if a scheduler in the kernel executes the tasks' threads, which are ordinary ones.
    pub(crate) fn has_kernel_scheduler(&self) -> bool {
        self.follower.is_some() || self.native.is_some()
    }

    /// True if the kernel has ended that scheduler.
    pub(crate) fn is_ejected(&self) -> bool {
        self.follower.as_ref().is_some_and(|follower| follower.ending().is_some())
            || self.native.as_ref().is_some_and(|native| native.scheduler.ending().is_some())
    }

    pub(crate) fn around(&self) -> Surroundings<'_> {
        Surroundings {
            clock: &self.clock,
            threads: &*self.enforcer,
            alarms: &self.alarms,
            processors: &self.processors,
            priority: self.priority,
        }
    }
}

/// Number of bytes that a domain keeps of what happens.
const OF_RECORDS: usize =
    RECORDS * (size_of::<(Instant, Record)>() + size_of::<(Instant, JobId, EngineInput)>());
