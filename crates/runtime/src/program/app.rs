//! An app: a scenario, and the code of its tasks.

use crate::machine::owner::Owner;
use crate::machine::sys;
use crate::options::Options;
use crate::program::error::AppError;
use crate::program::findings::Findings;
use crate::program::kernel_trace;
use crate::program::system;
use crate::program::trace::{self, RealTrace};
use crate::record::outcome::Outcome;
use crate::run;
use crate::run::threads::Body;
use crate::timers::calls::EventSource;
use schedlab_account::{Threads, Witnessed};
use schedlab_lab::{Catalog, Prepared};
use schedlab_model::{Duration, Instant, ResourceId, Step, TaskId, Work};
use schedlab_scenario::{Arrival, ResourceSpec, Scenario, TaskSpec, LONGEST};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// The tasks of a program, which are being set up.
pub struct App {
    scenario: Scenario,
    /// The schedulers and protocols that the scenario may name; those of the program's own are added here.
    pub catalog: Catalog,
    /// By task: its code.
    bodies: Vec<Option<Body>>,
    /// By task: the source of the events that release its jobs, if it is event-driven.
    events: Vec<Option<EventSource>>,
    /// The options of the run.
    pub options: Options,
    /// The path of the trace, if one is to be written; the kernel trace is written beside it. If the process does not
    /// live to do so, the records until then are kept beside it.
    pub trace: Option<PathBuf>,
    stop: Arc<AtomicBool>,
    owner: Owner,
}

/// The result of a program's run.
#[derive(Debug)]
pub struct Finished {
    /// The scenario as it was run.
    pub prepared: Prepared,
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The threads that ran beside the tasks'.
    threads: Threads,
    unprivileged: bool,
    owner: Owner,
}

impl Finished {
    /// The findings of this run, as `schedlab run` prints them; if `checked`, as it does with `--check`.
    pub fn findings(&self, checked: bool) -> Result<Findings, AppError> {
        let Finished { prepared, outcome, threads, unprivileged, .. } = self;
        let trace = RealTrace::of(prepared, outcome, threads, *unprivileged, &[]);
        Findings::of(prepared, outcome, &trace.run, checked, &mut |_| {}).map_err(AppError::Prepare)
    }

    /// Writes the trace of the run, and the kernel trace beside it: `run.kernel.slt` beside `run.slt`. Called in the
    /// process of the run.
    pub fn write_trace(&self, path: &Path) -> io::Result<()> {
        let Finished { prepared, outcome, threads, unprivileged, owner } = self;
        if !owner.is_this() {
            return Err(io::Error::other(AppError::OtherProcess.to_string()));
        }
        let trace = RealTrace::of(prepared, outcome, threads, *unprivileged, &[]);
        trace.write(path, outcome)?;
        let kernel = Witnessed::of(prepared, &trace.run, false);
        kernel_trace::write_beside(path, prepared, &trace, kernel.as_ref())
    }
}

impl App {
    /// An app without tasks, under a scheduler and a locking protocol (`none` if nothing is shared) by their names.
    pub fn new(scheduler: &str, protocol: &str, processors: u16) -> Result<Self, AppError> {
        let scenario = Scenario::new(Vec::new());
        // A scenario without tasks passes no check, so this one has a task while it is asked.
        let probe = Scenario {
            tasks: vec![TaskSpec::new("probe", Work::from_ns(1), Duration::from_ns(1_000_000_000))],
            ..scenario
        };
        let checked = probe
            .with_processors(processors)
            .and_then(|scenario| scenario.with_scheduler(scheduler))
            .and_then(|scenario| scenario.with_protocol(protocol));
        let scenario = checked.map_err(AppError::Scenario)?;
        Ok(App::of(Scenario { tasks: Vec::new(), ..scenario }))
    }

    /// An app with the tasks of `scenario`, whose code is to be given by [`App::code`].
    pub fn of(scenario: Scenario) -> Self {
        // Early: a process that has threads already may have settled this.
        sys::allocate_apart();
        let bodies = scenario.tasks.iter().map(|_| None).collect();
        let events = vec![None; scenario.tasks.len()];
        App {
            scenario,
            catalog: Catalog::shipped(),
            bodies,
            events,
            options: Options::default(),
            trace: None,
            stop: Arc::default(),
            owner: Owner::this(),
        }
    }

    /// The scenario so far.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// A flag that ends the run when any thread sets it to true.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    /// The resource of this name: the scenario's, or a new mutex.
    pub fn resource(&mut self, name: &str) -> ResourceId {
        let resources = &mut self.scenario.resources;
        let index = resources.iter().position(|resource| resource.name == name).unwrap_or_else(|| {
            resources.push(ResourceSpec::new(name));
            resources.len() - 1
        });
        ResourceId(index as u32)
    }

    /// Adds a task. Its sections are in its program, or declared by [`App::uses`].
    pub fn task(&mut self, spec: TaskSpec, body: Body) -> TaskId {
        self.scenario.tasks.push(spec);
        self.bodies.push(Some(body));
        self.events.push(None);
        TaskId(self.scenario.tasks.len() as u32 - 1)
    }

    /// Gives the scenario's task of this name its code.
    pub fn code(&mut self, name: &str, body: Body) -> Result<TaskId, AppError> {
        let index = self.scenario.tasks.iter().position(|task| task.name == name);
        let index = index.ok_or_else(|| AppError::NoTask(name.to_owned()))?;
        self.bodies[index] = Some(body);
        Ok(TaskId(index as u32))
    }

    /// Declares that each job of `task` has a section on `resource` of at most `section`, which its WCET includes.
    pub fn uses(&mut self, task: TaskId, resource: ResourceId, section: Work) -> Result<(), AppError> {
        if resource.index() >= self.scenario.resources.len() {
            return Err(AppError::NoSuch("resource", resource.0));
        }
        let spec = self.scenario.tasks.get_mut(task.index()).ok_or(AppError::NoSuch("task", task.0))?;
        if spec.program.is_empty() {
            spec.program.push(Step::Execute(spec.wcet));
        }
        // The first step is what is left outside of all sections.
        let outside = match spec.program.first() {
            Some(Step::Execute(outside)) if *outside >= section => outside.as_ns() - section.as_ns(),
            _ => return Err(AppError::Sections(spec.name.clone(), spec.wcet.as_ns())),
        };
        spec.program[0] = Step::Execute(Work::from_ns(outside));
        spec.program.extend([Step::Request(resource, 1), Step::Execute(section), Step::Release(resource, 1)]);
        Ok(())
    }

    /// Makes `task` event-driven: calls of [`EventSource::release`] alone release its jobs. Any thread may make them
    /// during the run. The task is sporadic from now on: its period is the least distance of two arrivals, and its
    /// offset the earliest first one.
    pub fn event_driven(&mut self, task: TaskId) -> Result<EventSource, AppError> {
        let spec = self.scenario.tasks.get_mut(task.index()).ok_or(AppError::NoSuch("task", task.0))?;
        let refused = |why| Err(AppError::EventDriven(spec.name.clone(), why));
        match &spec.arrival {
            Arrival::Periodic => spec.arrival = Arrival::Sporadic { delay: spec.period, like: None },
            Arrival::Sporadic { like: None, .. } => {}
            Arrival::Sporadic { like: Some(_), .. } => {
                return refused("it arrives like another task; allowed: sporadic arrivals of its own");
            }
            Arrival::Listed(_) => {
                return refused("the scenario lists its arrivals; allowed: sporadic arrivals");
            }
        }
        if !spec.jitter.is_zero() {
            return refused("it has jitter, and an event releases its job at once; allowed: no jitter");
        }
        Ok(self.events[task.index()].get_or_insert_default().clone())
    }

    /// Refuses tasks that arrive like an event-driven one: their arrivals would be drawn, and not those of events.
    fn refuse_followers(&self) -> Result<(), AppError> {
        let follows = |task: &&TaskSpec| {
            let Arrival::Sporadic { like: Some(name), .. } = &task.arrival else { return false };
            let mut leaders = self.scenario.tasks.iter().zip(&self.events);
            leaders.any(|(leader, source)| leader.name == *name && source.is_some())
        };
        let follower = self.scenario.tasks.iter().find(follows);
        follower.map_or(Ok(()), |task| Err(AppError::Follows(task.name.clone())))
    }

    /// Refuses a forked child, which has copies of the tasks, and no part in their run.
    pub fn refuse_others(&self) -> Result<(), AppError> {
        self.owner.is_this().then_some(()).ok_or(AppError::OtherProcess)
    }

    /// Runs the tasks for `length`; until one of them ends the run, if `None`.
    pub fn run(self, length: Option<Duration>) -> Result<Finished, AppError> {
        self.refuse_others()?;
        self.refuse_followers()?;
        let App { scenario, catalog, bodies, events, mut options, trace: path, stop, owner } = self;
        let length = length.unwrap_or(LONGEST);
        let scenario = scenario.with_horizon(Instant::from_ns(length.as_ns())).map_err(AppError::Scenario)?;
        let named = |(index, body): (usize, Option<Body>)| {
            body.ok_or_else(|| AppError::NoCode(scenario.tasks[index].name.clone()))
        };
        let bodies = bodies.into_iter().enumerate().map(named).collect::<Result<Vec<Body>, AppError>>()?;
        system::refuse_simulated(&scenario)?;
        system::refuse_deadlocks(&scenario)?;
        let prepared = Prepared::of(&scenario, &catalog).map_err(AppError::Prepare)?;
        let system = system::with_events(&prepared, bodies, events, &options)?;
        if let Some(path) = &path {
            options.keep = Some(trace::keep(path, &prepared, system.decides.backend(), &[]));
        }
        let outcome = run::run(system, &options, &stop).map_err(AppError::Refused)?;
        let threads = trace::threads(&outcome);
        let finished = Finished { prepared, outcome, threads, unprivileged: options.unprivileged, owner };
        if let Some(path) = path {
            finished.write_trace(&path).map_err(|error| AppError::Trace(path, error))?;
        }
        Ok(finished)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::threads::each_job;
    use crate::task::sections::{Call, Misuse};
    use schedlab_model::AbortHandler;
    use std::sync::Mutex;

    #[test]
    fn operations_that_are_attempts_are_refused() {
        let mut app = App::new("P-EDF", "lock-free", 1).unwrap();
        let counter = app.resource("counter");
        let spec = TaskSpec::new("adds", Work::from_ns(1_000_000), Duration::from_ns(10_000_000));
        let adds = app.task(spec, each_job(|_| {}));
        app.uses(adds, counter, Work::from_ns(1_000)).unwrap();
        let why = app.run(Some(Duration::from_ns(20_000_000))).unwrap_err();
        assert!(matches!(why, AppError::Scenario(_)), "{why}");
        assert!(why.to_string().starts_with("resource[0].kind: \"counter\" has no kind"), "{why}");
    }

    /// A section under a lock is no attempt, which could fail.
    #[test]
    fn what_is_held_is_not_tried_again() {
        let mut app = App::new("P-EDF", "msrp", 1).unwrap();
        let counter = app.resource("counter");
        let answers = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&answers);
        let spec = TaskSpec::new("adds", Work::from_ns(1_000_000), Duration::from_ns(10_000_000));
        let job = move |context: &mut crate::Context<'_>| {
            let mut noted = noted.lock().unwrap();
            noted.push(context.call(Call::Retry(counter)));
            context.lock(counter);
            noted.push(context.call(Call::Retry(counter)));
            context.unlock(counter);
        };
        let adds = app.task(spec, each_job(job));
        app.uses(adds, counter, Work::from_ns(1_000)).unwrap();
        app.options.unprivileged = true;
        app.run(Some(Duration::from_ns(200_000_000))).unwrap();
        let expected = [Err(Misuse::NotHeld(counter, 1)), Err(Misuse::NoAttempt(counter))];
        assert_eq!(answers.lock().unwrap()[..2], expected);
    }

    #[test]
    fn a_scheduler_that_picks_who_gets_a_resource_is_refused() {
        let mut app = App::new("P-DASA", "by-schedule", 1).unwrap();
        let counter = app.resource("counter");
        let mut spec = TaskSpec::new("adds", Work::from_ns(1_000_000), Duration::from_ns(10_000_000));
        spec.abort_handler = Some(AbortHandler::default());
        let adds = app.task(spec, each_job(|_| {}));
        app.uses(adds, counter, Work::from_ns(1_000)).unwrap();
        let why = app.run(Some(Duration::from_ns(20_000_000))).unwrap_err();
        assert!(matches!(why, AppError::Dependencies(_)), "{why}");
    }

    #[test]
    fn a_scheduler_of_the_programs_own_runs() {
        let mut own = Catalog::shipped().scheduler("P-EDF").unwrap();
        (own.name, own.aliases) = ("P-OWN".to_owned(), Vec::new());
        let catalog = Catalog::shipped().with_scheduler(own).unwrap();
        let spec = TaskSpec::new("works", Work::from_ns(100_000), Duration::from_ns(5_000_000));
        let scenario = catalog.under(Scenario::new(vec![spec]), "P-OWN").unwrap();
        let mut app = App::of(scenario);
        app.code("works", each_job(|_| {})).unwrap();
        (app.catalog, app.options.unprivileged) = (catalog, true);
        let finished = app.run(Some(Duration::from_ns(20_000_000))).unwrap();
        assert_eq!(finished.prepared.header().get("scheduler"), Some("P-OWN"));
        let findings = finished.findings(true).unwrap();
        assert_eq!(findings.result().replay_is_exact, Some(true));
        assert!(findings.is_whole() && findings.to_string().contains("the replay is exact"), "{findings}");
        assert_eq!(finished.findings(false).unwrap().result().replay_is_exact, None);
    }
}
