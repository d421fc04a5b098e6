//! A run: it is set up, its tasks are released at once, and it stops at its horizon.

mod crew;
mod end;
mod shared;
mod standstill;
pub(crate) mod threads;
mod watchdog;

use self::crew::Crew;
use self::end::end_run;
use self::shared::{Domains, Shared};
use self::threads::{Background, Body, Code, Decider};
use self::watchdog::Alert;
use crate::backend::enforcement::Enforcement;
use crate::backend::gates::gate::{self, Gate};
use crate::backend::kernel_class::assembled::assemble;
use crate::backend::kernel_class::{KernelRun, KernelSide};
use crate::backend::native::NativeRun;
use crate::engine::domain::DomainSetup;
use crate::machine::awake::Awake;
use crate::machine::context_switches::SwitchListener;
use crate::machine::lease::Lease;
use crate::machine::refusal::{Refusal, STACKS};
use crate::machine::room;
use crate::machine::stolen::StolenTime;
use crate::machine::sys;
use crate::options::{Options, ABOVE_TASKS, RECORDS, WATCHDOG};
use crate::record::keeper::{Keeper, Records};
use crate::record::log::log;
use crate::record::outcome::{Ending, Outcome};
use crate::task::drawn_jobs::DrawnJobs;
use crate::task::kernel_class_thread::KernelClassTask;
use crate::task::native_thread::NativeTask;
use crate::timers::calls::EventSource;
use schedlab_model::{Architecture, Instant, Step, Task, TaskId};
use schedlab_scx::KernelRecord;
use schedlab_sim::Setup;
use schedlab_trace::Backend;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use std::thread::JoinHandle;

/// A system of tasks to run.
pub struct System {
    /// Tasks, platform and horizon. Overheads are not charged: the machine takes the time for them itself.
    pub setup: Setup,
    /// The engine or the class of Linux that decides which job executes where.
    pub decides: Decides,
    /// By task: the code of its thread.
    pub bodies: Vec<Body>,
    /// Ordinary threads that use the time that the tasks leave.
    pub background: Vec<Background>,
    /// By task: the source of the events that release its jobs, if it is event-driven; an engine has to decide then.
    /// The domains' sources of jobs know none of such a task.
    pub events: Vec<Option<EventSource>>,
}

/// The engine or the class of Linux that decides in a run, with what it needs.
pub enum Decides {
    /// The engine of the simulator, one for each domain.
    Engine {
        /// The domains; each processor belongs to one.
        domains: Vec<DomainSetup>,
        /// By task: its domain.
        domain_of: Vec<usize>,
        /// The way in which decisions become true.
        enforcement: Enforcement,
    },
    /// A scheduler in the kernel, which decides as such an engine would.
    Native(Box<NativeRun>),
    /// A scheduling class of Linux.
    Kernel(Box<KernelRun>),
}

impl Decides {
    /// The backend that a trace of such a run names.
    pub fn backend(&self) -> Backend {
        match self {
            Decides::Engine { enforcement, .. } => enforcement.backend(),
            Decides::Native(_) => Backend::ScxNative,
            Decides::Kernel(_) => Backend::Class,
        }
    }
}

/// The records that are written while a run goes on.
struct Monitors {
    /// The listener to the kernel's context switches. Without the privilege there is none, and the run does not need
    /// it.
    listener: Option<SwitchListener>,
    traced: Vec<[u64; 3]>,
    stolen: StolenTime,
    /// The tasks whose threads left the scheduler in the kernel for a real-time class.
    escaped: BTreeSet<TaskId>,
    /// The scheduler in the kernel that decides by itself, with its records.
    native: Option<(Box<NativeRun>, Vec<KernelRecord>)>,
}

impl Monitors {
    /// Reads the records of the scheduler in the kernel that decides by itself, if there is one.
    fn read_native(&mut self) {
        if let Some((native, records)) = &mut self.native {
            native.records.read(records);
        }
    }

    /// Has the engine decide again what such a scheduler decided.
    fn decide_again(&mut self, outcome: &mut Outcome, setup: &Setup) {
        self.read_native();
        if let Some((native, records)) = &self.native {
            native.decide_again(outcome, setup, records);
        }
    }

    /// Puts threads back that have left the scheduler in the kernel for a real-time class, and notes whose they are.
    fn put_back(&mut self, gates: &[Gate]) {
        for (gate, task) in gates.iter().zip((0..).map(TaskId)) {
            let Some(thread) = gate.thread() else { continue };
            if sys::priority_of(thread).is_ok_and(|priority| priority > 0) {
                let _ = sys::set_other(thread);
                self.escaped.insert(task);
            }
        }
    }
}

/// Asks for all that the machine has to allow, before any thread is created. All memory is there and stays there from
/// then on.
fn prepare(options: &Options, records: &[Records]) -> Result<Option<Keeper>, Refusal> {
    let failed = |what| move |error| Refusal::System { what, error };
    gate::install().map_err(failed("installing the signal handler that parks threads"))?;
    sys::register_barrier().map_err(failed("asking for memory barriers on all processors"))?;
    let keeper = options.keep.as_ref().map(|keep| Keeper::start(keep, records)).transpose();
    let keeper =
        keeper.map_err(|error| room::refusal("the process that keeps the records".to_owned(), error))?;
    let locked = sys::lock_memory();
    if !options.unprivileged {
        locked.map_err(|error| {
            let_go(keeper.as_ref());
            Refusal::System { what: "locking memory (needs CAP_IPC_LOCK, or a higher `ulimit -l`)", error }
        })?;
    }
    Ok(keeper)
}

/// Lets the keeper go: nothing has happened that it could keep.
fn let_go(keeper: Option<&Keeper>) {
    keeper.into_iter().for_each(Keeper::let_go);
}

/// Refuses what the machine or the kind of run does not allow, before anything is made.
fn refuse(system: &System, options: &Options) -> Result<(), Refusal> {
    let engine_decides = matches!(system.decides, Decides::Engine { .. });
    let stops_the_world = options.architecture == Architecture::StopTheWorld;
    if !engine_decides && (options.unprivileged || stops_the_world) {
        return Err(Refusal::KernelDecides);
    }
    if !engine_decides && system.events.iter().any(Option::is_some) {
        return Err(Refusal::Events(system.decides.backend()));
    }
    if !STACKS.contains(&options.stack) {
        return Err(Refusal::Stack(options.stack));
    }
    assert!(options.priority + ABOVE_TASKS < WATCHDOG);
    if !options.unprivileged {
        room::try_priority(WATCHDOG)?;
    } else if stops_the_world {
        return Err(Refusal::StopTheWorld);
    }
    Ok(())
}

/// Runs `system` until its horizon, or until `stop` is set.
pub fn run(system: System, options: &Options, stop: &Arc<AtomicBool>) -> Result<Outcome, Refusal> {
    refuse(&system, options)?;
    let System { setup, decides, bodies, background, events } = system;
    let backend = decides.backend();
    let Begun { shared, records, deciders, mut kernel, native, enforcement } =
        decide(decides, &setup, &events, options, stop)?;
    let _lease = (!options.unprivileged).then(|| Lease::for_run(&shared.processors)).transpose()?;
    let (shared, keeper) = (Arc::new(shared), prepare(options, &records)?);
    let awake = Awake::wish();
    let undo = || {
        let_go(keeper.as_ref());
        sys::unlock_memory();
    };
    let listener = listen(&shared, options).inspect_err(|_| undo())?;
    let traced = Vec::with_capacity(64 * options.passages);
    let codes = bodies.into_iter().zip(deciders).map(|(body, decider)| Code { body, decider }).collect();
    let crew = Crew::gather(&shared, codes, background, options).inspect_err(|_| undo())?;
    // All threads wait for the start.
    let threads = shared.gates.iter().map(|gate| gate.thread().expect("every thread is there")).collect();
    let zero = sys::monotonic_ns() + HEAD_START;
    shared.clock.start_at(zero);
    shared.native.iter().for_each(|native| native.scheduler.start_at(zero));
    events.iter().flatten().for_each(|source| source.start_at(zero));
    // The timer threads release the tasks at time zero; from here on this thread only waits.
    shared.alarms.iter().for_each(|alarm| alarm.set(zero));
    crew.go(zero);
    let outside = enforcement.outside(&shared.processors);
    let mut monitors = Monitors {
        listener,
        traced,
        stolen: StolenTime::begin(&shared.processors),
        escaped: BTreeSet::new(),
        native: native.map(|native| (native, Vec::new())),
    };
    let Crew { tasks, helpers, background, watchdog, .. } = crew;
    let ending = wait(&shared, setup.horizon, watchdog.alert(), &mut monitors);
    watchdog.alert().note_end();
    events.iter().flatten().for_each(EventSource::close);
    let mut outcome = end_run(&shared, tasks, (ending, setup.horizon), options);
    outcome.calls = events.iter().map(|source| source.as_ref().map(EventSource::counts)).collect();
    watchdog.stop();
    outcome.ending = finally(ending, shared.crashed.load(SeqCst), watchdog.alert());
    outcome.kernel_scheduler = enforcement.finish(&shared.processors, &outside);
    kernel.iter_mut().for_each(|kernel| take_records(&mut outcome, kernel, &setup, &records));
    monitors.decide_again(&mut outcome, &setup);
    outcome.backend = backend;
    outcome.keeper = keeper;
    outcome.threads = threads;
    outcome.kept_awake = awake.is_some();
    outcome.background = background.into_iter().map(|thread| used(thread, options)).collect();
    outcome.switches = monitors.listener.map(SwitchListener::finish);
    outcome.escaped = monitors.escaped.into_iter().collect();
    outcome.stolen = monitors.stolen.finish(zero);
    outcome.stood_still = watchdog.stood_still(zero);
    add_passages(&mut outcome, &shared, monitors.traced);
    for helper in helpers {
        helper.join().expect("the runtime's own threads do not panic");
    }
    sys::unlock_memory();
    Ok(outcome)
}

/// The ending of a run that began to end by `ending`: code goes on then, and the run's end may stand still. `crashed`:
/// the number of the first task whose code panicked, plus one.
fn finally(ending: Ending, crashed: u32, alert: &Alert) -> Ending {
    match ending {
        Ending::Horizon | Ending::Stopped if alert.stands_still() => Ending::StoodStill,
        Ending::Horizon | Ending::Stopped => {
            crashed.checked_sub(1).map_or(ending, |task| Ending::Crashed(TaskId(task)))
        }
        Ending::Crashed(_) | Ending::Starved | Ending::StoodStill | Ending::Ejected => ending,
    }
}

/// Adds the passages of threads: those of the tracer and, where a scheduler in the kernel executes the threads, those
/// that follow from the kernel's switches.
fn add_passages(outcome: &mut Outcome, shared: &Shared, traced: Vec<[u64; 3]>) {
    let (passages, lost) = shared.tracer.finish(traced);
    outcome.add_passages(passages, lost);
    if shared.has_kernel_scheduler() {
        outcome.add_linked_passages();
    }
}

/// Listens to the kernel's context switches, if the options ask for that and the kernel allows it. It has to where
/// Linux decides, or executes threads by links.
fn listen(shared: &Shared, options: &Options) -> Result<Option<SwitchListener>, Refusal> {
    let is_needed = shared.kernel.is_some() || shared.follower.is_some();
    if !is_needed && !options.switches {
        return Ok(None);
    }
    match SwitchListener::listen(&shared.processors) {
        Err(error) if is_needed => Err(Refusal::Witness(error)),
        listener => Ok(listener.ok()),
    }
}

/// Takes the records that the threads of tasks wrote where Linux decided.
fn take_records(outcome: &mut Outcome, kernel: &mut KernelRun, setup: &Setup, records: &[Records]) {
    let end = outcome.end();
    (outcome.decisions, outcome.summary) =
        assemble(&setup.tasks, &kernel.parameters, records, &mut *kernel.unbegun, end);
}

/// A run whose threads are not there yet.
struct Begun {
    /// The values that the threads share.
    shared: Shared,
    /// The readers of their records.
    records: Vec<Records>,
    /// By task: its decider.
    deciders: Vec<Decider>,
    /// The kernel's side where Linux decides.
    kernel: Option<Box<KernelRun>>,
    /// The scheduler in the kernel that decides by itself, if one does.
    native: Option<Box<NativeRun>>,
    enforcement: Enforcement,
}

fn decide(
    decides: Decides,
    setup: &Setup,
    events: &[Option<EventSource>],
    options: &Options,
    stop: &Arc<AtomicBool>,
) -> Result<Begun, Refusal> {
    match decides {
        Decides::Engine { domains, domain_of, enforcement } => {
            let domains = Domains { domains, domain_of: &domain_of, events };
            let (shared, records) = Shared::new(setup, domains, None, &enforcement, options, stop)?;
            let deciders = domain_of.into_iter().zip(&setup.tasks).map(of_domain).collect();
            Ok(Begun { shared, records, deciders, kernel: None, native: None, enforcement })
        }
        Decides::Native(mut native) => {
            let side = Some(KernelSide::without_mutexes());
            let enforcement = Enforcement::Native { side: native.side.clone(), reserve: native.reserve };
            let (shared, records) =
                Shared::new(setup, Domains::default(), side, &enforcement, options, stop)?;
            let deciders = of_native(&mut native, setup)?;
            Ok(Begun { shared, records, deciders, kernel: None, native: Some(native), enforcement })
        }
        Decides::Kernel(mut kernel) => {
            let side = Some(KernelSide::of(&kernel));
            let enforcement = Enforcement::GATES;
            let (shared, mut records) =
                Shared::new(setup, Domains::default(), side, &enforcement, options, stop)?;
            let deciders = of_kernel(&mut kernel, setup, &mut records)?;
            Ok(Begun { shared, records, deciders, kernel: Some(kernel), native: None, enforcement })
        }
    }
}

/// Gives each task's thread what it owns where a scheduler in the kernel decides by itself.
fn of_native(native: &mut NativeRun, setup: &Setup) -> Result<Vec<Decider>, Refusal> {
    let sources = std::mem::take(&mut native.sources);
    let locks = setup.tasks.iter().filter(|task| asks(task)).count();
    let mut deciders = Vec::new();
    for ((task, own), source) in (0..).map(TaskId).zip(&setup.tasks).zip(sources) {
        let failed = |error| Refusal::System { what: "asking for memory for the records", error };
        let capacity = if asks(own) { records_of_each(locks) } else { 0 };
        let (log, reader) = log(capacity).map_err(failed)?;
        native.lock_records.push(reader);
        let jobs = DrawnJobs::of(source, own.relative_deadline, own.program.len());
        deciders.push(Decider::Native(Box::new(NativeTask {
            task,
            program: own.program.clone(),
            jobs,
            log,
        })));
    }
    Ok(deciders)
}

/// True if the task's program asks for resources.
fn asks(task: &Task) -> bool {
    task.program.iter().any(|step| matches!(step, Step::Request(..)))
}

fn of_domain((domain, task): (usize, &Task)) -> Decider {
    Decider::Domain(domain, task.program.clone())
}

/// Gives each task's thread what it owns where Linux decides; others read what it writes from `records`.
fn of_kernel(
    kernel: &mut KernelRun,
    setup: &Setup,
    records: &mut Vec<Records>,
) -> Result<Vec<Decider>, Refusal> {
    let capacity = records_of_each(setup.tasks.len());
    let mut deciders = Vec::new();
    for (index, (task, source)) in setup.tasks.iter().zip(std::mem::take(&mut kernel.sources)).enumerate() {
        let failed = |error| Refusal::System { what: "asking for memory for the records", error };
        let (writer, reader) = log(capacity).map_err(failed)?;
        records.push(reader);
        deciders.push(Decider::Kernel(Box::new(KernelClassTask {
            task: TaskId(index as u32),
            parameters: kernel.parameters[index],
            bound: kernel.bound[index],
            cluster: task.cluster,
            program: task.program.clone(),
            jobs: DrawnJobs::of(source, task.relative_deadline, task.program.len()),
            log: writer,
        })));
    }
    Ok(deciders)
}

/// Smallest number of records that a thread keeps, where the kernel decides.
const LEAST_RECORDS: usize = 1 << 14;

/// Number of records that each of this many threads keeps, where the kernel decides.
fn records_of_each(threads: usize) -> usize {
    (RECORDS / threads.max(1)).max(LEAST_RECORDS)
}

/// The processor time that a background thread got; `None` if its code does not end, or crashed.
fn used(thread: JoinHandle<u64>, options: &Options) -> Option<schedlab_model::Duration> {
    let until = sys::monotonic_ns() + sys::ns(options.grace);
    while !thread.is_finished() && sys::monotonic_ns() < until {
        sys::sleep_until(sys::monotonic_ns() + POLL);
    }
    let ended = thread.is_finished().then(|| thread.join().ok()).flatten();
    ended.map(schedlab_model::Duration::from_ns)
}

/// Time from the end of set-up to time zero, in nanoseconds.
const HEAD_START: u64 = 50_000_000;

/// Time between two looks at whether threads are there, or gone, in nanoseconds.
const POLL: u64 = 1_000_000;

/// Time between two readings of the listener's and the tracer's rings, in nanoseconds.
const READ_EVERY: u64 = 50_000_000;

/// Waits until the run is to end, and reads the monitors' records meanwhile. Returns why the run ends.
fn wait(shared: &Shared, horizon: Instant, alert: &Alert, monitors: &mut Monitors) -> Ending {
    let end = shared.clock.monotonic(horizon);
    loop {
        sys::sleep_until(end.min(sys::monotonic_ns() + READ_EVERY));
        if let Some(listener) = &mut monitors.listener {
            listener.read();
        }
        shared.tracer.drain(&mut monitors.traced);
        monitors.stolen.read();
        monitors.read_native();
        if shared.has_kernel_scheduler() {
            monitors.put_back(&shared.gates);
        }
        shared.gates.iter().for_each(Gate::remind);
        if alert.is_starved() {
            return Ending::Starved;
        }
        if alert.stands_still() {
            return Ending::StoodStill;
        }
        if let Some(task) = shared.crashed.load(SeqCst).checked_sub(1) {
            return Ending::Crashed(TaskId(task));
        }
        if shared.is_ejected() {
            return Ending::Ejected;
        }
        if shared.stop.load(SeqCst) {
            return Ending::Stopped;
        }
        if sys::monotonic_ns() >= end {
            return Ending::Horizon;
        }
    }
}
