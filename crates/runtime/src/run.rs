//! A run: set up, released at once, stopped at its horizon.

pub(crate) mod crew;
pub(crate) mod threads;
pub(crate) mod watchdog;

use self::watchdog::{disarm, Alert};
use crate::decide::alarm::Alarm;
use crate::decide::dispatch_lock::DispatchLock;
use crate::decide::domain::{Domain, DomainSetup, Surroundings};
use crate::decide::replay::Told;
use crate::decide::world::{Architecture, World};
use crate::gate::{self, Gate, Leave};
use crate::machine::awake::Awake;
use crate::machine::clock::Clock;
use crate::machine::context_switches::Witness;
use crate::machine::lease::Lease;
use crate::machine::refusal::Refusal;
use crate::machine::room;
use crate::machine::stolen;
use crate::machine::sys;
use crate::record::keeper::{Keep, Keeper, Records};
use crate::record::log::log;
use crate::record::outcome::{Ending, Outcome};
use crate::record::recorder::Recorder;
use crate::record::tracer::Tracer;
use crate::run::crew::Crew;
use crate::run::threads::{Background, Body, Code};
use crate::task::shutdown::Endgame;
use schedlab_model::{Instant, JobId, Resource, TaskId};
use schedlab_sim::Setup;
use schedlab_trace::Record;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// What to run.
pub struct System {
    /// Tasks, platform and horizon. What the machine takes for itself is not charged: it takes it.
    pub setup: Setup,
    /// The domains; each processor belongs to one.
    pub domains: Vec<DomainSetup>,
    /// By task: its domain.
    pub domain_of: Vec<usize>,
    /// By task: what its thread does.
    pub bodies: Vec<Body>,
    /// Ordinary threads that use what the tasks leave.
    pub background: Vec<Background>,
    /// The resources; those that are missing have one unit.
    pub resources: Vec<Resource>,
}

/// How to run it.
#[derive(Clone, Debug)]
pub struct Options {
    /// The real-time priority of tasks' threads; timer threads are above.
    pub priority: u8,
    /// From the end of set-up to time zero.
    pub head_start: Duration,
    /// How many records each domain keeps.
    pub records: usize,
    /// How long ordinary threads may get nothing of a processor before the run is ended.
    pub starvation: Duration,
    /// How many spans, and how many moves of threads, each domain keeps; none to save the time of measuring them.
    pub spans: usize,
    /// Whether to ask the kernel what ran.
    pub witness: bool,
    /// How many of the tracer's records each thread keeps until they are read, 20 times a second.
    pub passages: usize,
    /// The stack of each task's thread, in bytes. All of it is locked in memory during the run.
    pub stack: usize,
    /// Without real-time priorities: whoever else runs gets in the way, and nothing is promised.
    pub unprivileged: bool,
    /// How long a task's code may go on when the run is over before its thread is shut in: beside others, and then in its turns.
    pub grace: Duration,
    /// What to keep if the process does not live to write the trace down: it is killed, or a task's code crashes it.
    pub keep: Option<Keep>,
    /// The lock under which each domain decides.
    pub dispatch_lock: DispatchLock,
    /// Whether other processors of a domain execute while one decides.
    pub architecture: Architecture,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            priority: 50,
            head_start: Duration::from_millis(50),
            records: 1 << 20,
            passages: 1 << 12,
            spans: 0,
            stack: room::STACK,
            unprivileged: false,
            witness: true,
            starvation: Duration::from_secs(3),
            grace: Duration::from_millis(500),
            keep: None,
            dispatch_lock: DispatchLock::default(),
            architecture: Architecture::default(),
        }
    }
}

/// How much a timer thread's priority is above a task's.
pub(crate) const ABOVE_TASKS: u8 = 10;

/// Everything that the threads of a run share. A thread whose code never ends keeps it.
pub(crate) struct Shared {
    clock: Clock,
    pub gates: Arc<Vec<Gate>>,
    pub alarms: Vec<Alarm>,
    pub processors: Vec<usize>,
    /// That of tasks' threads, if it is a real-time one.
    priority: Option<u8>,
    pub domains: Vec<Domain>,
    tracer: Arc<Tracer>,
    pub over: AtomicBool,
    pub endgame: Endgame,
    /// Somebody wants the run to end.
    pub stop: Arc<AtomicBool>,
    /// The first task whose code panicked, plus one.
    pub crashed: AtomicU32,
}

impl Shared {
    fn new(
        setup: &Setup,
        domains: Vec<DomainSetup>,
        resources: &[Resource],
        options: &Options,
        stop: &Arc<AtomicBool>,
    ) -> Result<(Self, Vec<Records>), Refusal> {
        let processors = processors(setup.platform.processors().into())?;
        let tracer = Arc::new(Tracer::new(setup.tasks.len(), options.passages));
        let gate = |task| Gate::new(TaskId(task as u32), Arc::clone(&tracer));
        let failed = |error| Refusal::System { what: "asking for memory for the records", error };
        // What is allocated below crashes the process where it does not fit.
        room::try_memory("the records", domains.len().saturating_mul(of_records(options)))?;
        let mut records = Vec::new();
        let mut made = Vec::new();
        for domain in domains {
            let (writer, reader) = log(options.records).map_err(failed)?;
            made.push(Domain::new(domain, setup, Recorder::new(writer), &processors, options));
            records.push(reader);
        }
        let shared = Shared {
            clock: Clock::stopped(),
            gates: Arc::new((0..setup.tasks.len()).map(gate).collect()),
            alarms: processors.iter().map(|_| Alarm::default()).collect(),
            domains: made,
            processors,
            priority: (!options.unprivileged).then_some(options.priority),
            tracer,
            over: AtomicBool::new(false),
            endgame: Endgame::new(setup.tasks.len(), setup.platform.processors().into(), resources),
            stop: Arc::clone(stop),
            crashed: AtomicU32::new(0),
        };
        Ok((shared, records))
    }

    pub fn around(&self) -> Surroundings<'_> {
        Surroundings {
            clock: &self.clock,
            gates: &self.gates,
            alarms: &self.alarms,
            processors: &self.processors,
            endgame: &self.endgame,
            priority: self.priority,
        }
    }
}

/// How many bytes a domain keeps of what happens.
fn of_records(options: &Options) -> usize {
    let each = size_of::<(Instant, Record)>() + size_of::<(Instant, JobId, Told)>();
    each.saturating_mul(options.records)
}

/// What is written down while a run goes on.
struct Heard {
    /// Without the privilege there is no witness; the run itself does not need it.
    witness: Option<Witness>,
    traced: Vec<[u64; 3]>,
    stolen: stolen::Account,
}

/// What the machine has to allow, before any thread is created. All memory is there and stays there from then on.
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
            Refusal::System { what: "locking memory", error }
        })?;
    }
    Ok(keeper)
}

/// Nothing has happened that the keeper could keep.
fn let_go(keeper: Option<&Keeper>) {
    keeper.into_iter().for_each(Keeper::let_go);
}

/// Runs `system` until its horizon, or until `stop` is set.
pub fn run(system: System, options: &Options, stop: &Arc<AtomicBool>) -> Result<Outcome, Refusal> {
    let System { setup, domains, domain_of, bodies, background, resources } = system;
    if !room::STACKS.contains(&options.stack) {
        return Err(Refusal::Stack(options.stack));
    }
    if !options.unprivileged {
        probe_priority(options)?;
    } else if options.architecture == Architecture::StopTheWorld {
        return Err(Refusal::Standstill);
    }
    let (shared, records) = Shared::new(&setup, domains, &resources, options, stop)?;
    let _lease = (!options.unprivileged).then(|| Lease::for_run(&shared.processors)).transpose()?;
    let (shared, keeper) = (Arc::new(shared), prepare(options, &records)?);
    let awake = Awake::wish();
    let witness = options.witness.then(|| Witness::listen(&shared.processors).ok()).flatten();
    let traced = Vec::with_capacity(64 * options.passages);
    let code = |(at, body): (usize, Body)| Code {
        body,
        program: setup.tasks[at].program.clone(),
        domain: domain_of[at],
    };
    let codes = bodies.into_iter().enumerate().map(code).collect();
    let crew = Crew::gather(&shared, codes, background, options).inspect_err(|_| {
        let_go(keeper.as_ref());
        sys::unlock_memory();
    })?;
    let threads =
        shared.gates.iter().map(|gate| gate.thread_that_came().expect("every thread came")).collect();
    let zero = sys::monotonic_ns() + sys::ns(options.head_start);
    shared.clock.start_at(zero);
    // The timer threads release the tasks at time zero; from here on this thread only waits.
    shared.alarms.iter().for_each(|alarm| alarm.set(zero));
    crew.go(zero);
    let mut heard = Heard { witness, traced, stolen: stolen::Account::begin(&shared.processors) };
    let Crew { tasks, helpers, background, watchdog, .. } = crew;
    let ending = wait(&shared, setup.horizon, watchdog.alert(), &mut heard);
    let mut outcome = end_run(&shared, tasks, (ending, setup.horizon), options);
    watchdog.stop();
    outcome.ending = match (ending, shared.crashed.load(SeqCst).checked_sub(1)) {
        // Code goes on when the run is over.
        (Ending::Horizon | Ending::Stopped, Some(task)) => Ending::Crashed(TaskId(task)),
        _ => ending,
    };
    outcome.keeper = keeper;
    outcome.threads = threads;
    outcome.kept_awake = awake.is_some();
    outcome.background = background.into_iter().map(|thread| used(thread, options)).collect();
    outcome.witness = heard.witness.map(Witness::finish);
    outcome.stolen = heard.stolen.finish(zero);
    outcome.stood_still = watchdog.stood_still(zero);
    let (traced, lost) = shared.tracer.finish(heard.traced);
    outcome.add_traced(traced, lost);
    for helper in helpers {
        helper.join().expect("the runtime's own threads do not panic");
    }
    sys::unlock_memory();
    Ok(outcome)
}

/// How much processor time a background thread got; `None` if its code does not end, or crashed.
fn used(thread: JoinHandle<u64>, options: &Options) -> Option<schedlab_model::Duration> {
    let deadline = sys::monotonic_ns() + sys::ns(options.grace);
    while !thread.is_finished() && sys::monotonic_ns() < deadline {
        sys::sleep_until(sys::monotonic_ns() + POLL);
    }
    let ended = thread.is_finished().then(|| thread.join().ok()).flatten();
    ended.map(schedlab_model::Duration::from_ns)
}

/// Between two looks at whether threads are there, or gone, in nanoseconds.
const POLL: u64 = 1_000_000;

/// How long the witness's rings and the tracer's are left alone.
const READ_EVERY: u64 = 50_000_000;

/// Waits until the run is to end, says why, and reads what witness and tracer hear.
fn wait(shared: &Shared, horizon: Instant, alert: &Alert, heard: &mut Heard) -> Ending {
    let end = shared.clock.monotonic(horizon);
    loop {
        sys::sleep_until(end.min(sys::monotonic_ns() + READ_EVERY));
        if let Some(witness) = &mut heard.witness {
            witness.read();
        }
        shared.tracer.drain(&mut heard.traced);
        heard.stolen.read();
        if alert.is_starved() {
            return Ending::Starved;
        }
        if let Some(task) = shared.crashed.load(SeqCst).checked_sub(1) {
            return Ending::Crashed(TaskId(task));
        }
        if shared.stop.load(SeqCst) {
            return Ending::Stopped;
        }
        if sys::monotonic_ns() >= end {
            return Ending::Horizon;
        }
    }
}

/// The machine's processors that the system uses.
fn processors(needed: usize) -> Result<Vec<usize>, Refusal> {
    let mut allowed = sys::allowed_processors()
        .map_err(|error| Refusal::System { what: "asking for this process's processors", error })?;
    if allowed.len() < needed {
        return Err(Refusal::Processors { needed, allowed: allowed.len() });
    }
    allowed.truncate(needed);
    Ok(allowed)
}

/// Whether the kernel lets a thread of this process be real-time: tried on one that does nothing else.
fn probe_priority(options: &Options) -> Result<(), Refusal> {
    assert!(options.priority + ABOVE_TASKS < watchdog::PRIORITY);
    room::try_priority(watchdog::PRIORITY)
}

/// Waits until the tasks' threads have returned, or until nobody gets on for `grace`: those that are left are shut in, and named.
fn part(shared: &Shared, tasks: Vec<JoinHandle<()>>, grace: Duration, outcome: &mut Outcome) {
    while !tasks.iter().all(JoinHandle::is_finished) && !shared.endgame.is_stuck(grace) {
        sys::sleep_until(sys::monotonic_ns() + POLL);
    }
    let left = shared.endgame.close();
    let is_finished: Vec<bool> = tasks.iter().map(JoinHandle::is_finished).collect();
    for ((thread, gate), is_finished) in tasks.into_iter().zip(shared.gates.iter()).zip(&is_finished) {
        if *is_finished {
            thread.join().expect("a task's code does not panic");
        } else {
            gate.set(Leave::Wait);
            gate.prod();
        }
    }
    outcome.runaways = left.inside.into_iter().filter(|task| !is_finished[task.index()]).collect();
    outcome.kept_waiting = left.waiting;
}

/// Ends the run: every thread is let go; one whose code does not end is shut in, without its priority.
fn end_run(
    shared: &Shared,
    tasks: Vec<JoinHandle<()>>,
    (ending, horizon): (Ending, Instant),
    options: &Options,
) -> Outcome {
    let mut outcome = Outcome::default();
    // Threads may spin for the engine's lock: this one must not wait behind them while it holds it.
    if !options.unprivileged {
        let _ = sys::set_fifo(sys::current_thread(), options.priority + ABOVE_TASKS);
    }
    shared.domains.iter().for_each(|domain| domain.close(shared.around()));
    // Not before: the end of a trace comes after its last decision.
    let end = if ending == Ending::Horizon { horizon } else { shared.clock.now().min(horizon) };
    for domain in &shared.domains {
        let mut decided = domain.finish(shared.around(), end);
        outcome.summary.jobs_arrived += decided.summary.jobs_arrived;
        outcome.summary.jobs_completed += decided.summary.jobs_completed;
        outcome.summary.jobs_missed += decided.summary.jobs_missed;
        outcome.summary.instants += decided.summary.instants;
        outcome.decisions.append(&mut decided.records);
        outcome.told.push(decided.told);
        outcome.spans.push(decided.measured.spans);
        outcome.moves.append(&mut decided.measured.moves);
    }
    // Each domain says when its part ends; one end is enough.
    outcome.decisions.retain(|(_, record)| !matches!(record, Record::End));
    outcome.decisions.sort_by_key(|(at, _)| *at);
    outcome.decisions.push((end, Record::End));
    shared.over.store(true, SeqCst);
    shared.alarms.iter().for_each(Alarm::wake);
    shared.domains.iter().filter_map(Domain::world).for_each(World::close);
    disarm(&shared.gates);
    shared.endgame.start();
    for gate in shared.gates.iter() {
        gate.set(Leave::End);
    }
    // One that was at an engine may have taken its priority back.
    disarm(&shared.gates);
    // Not before: tasks' threads that are still real-time would go first.
    let _ = sys::set_other(sys::current_thread());
    part(shared, tasks, options.grace, &mut outcome);
    outcome.zero = shared.clock.monotonic(Instant::ZERO);
    outcome.processors.clone_from(&shared.processors);
    outcome
}
