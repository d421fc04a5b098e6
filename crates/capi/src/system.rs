//! Setting a system up, running it, and reading its results.

use crate::error::{
    boxed, done, failed, null, or_note, text, GIVEN_OUT, SCHEDLAB_CRASHED, SCHEDLAB_ERROR, SCHEDLAB_REFUSED,
};
use crate::event::Event;
use crate::job::{Job, Names};
use schedlab_model::{AbortHandler, Duration, Instant, ResourceId, TaskId, TimeUtility, Utility, Work};
use schedlab_runtime::{App, AppError, BackendChoice, Body, Ending, Finished, Owner, Scenario, TaskSpec};
use std::ffi::{c_char, c_void};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Tasks, resources, scheduler and protocol: being set up, or run.
pub struct System {
    app: Option<App>,
    finished: Option<Finished>,
    names: Arc<Names>,
    /// The sources of events that C knows by their addresses.
    #[allow(clippy::vec_box, reason = "C keeps the addresses")]
    events: Vec<Box<Event>>,
    owner: Owner,
}

/// A task to create. Set all fields to zero first; fields that stay zero have their defaults.
#[repr(C)]
pub struct Task {
    /// Name of the task.
    pub name: *const c_char,
    /// Bound on the execution of each job, sections included, in nanoseconds.
    pub wcet_ns: u64,
    /// Distance of arrivals, in nanoseconds.
    pub period_ns: u64,
    /// Time from a job's arrival to its deadline, in nanoseconds; 0 for the period.
    pub relative_deadline_ns: u64,
    /// Arrival of the first job, in nanoseconds.
    pub offset_ns: u64,
    /// Given fixed priority, smaller is more urgent; -1 for none, which only FP needs.
    pub priority: i64,
    /// The processor on which a partitioned scheduler has to run it; -1 to have it placed.
    pub processor: i32,
    /// Utility of a completion up to the termination time, in whole units; 0 for 1. Utility-accrual schedulers decide
    /// by it. Functions that fall are stated in a scenario file.
    pub utility: u64,
    /// Time from a job's arrival until utility-accrual schedulers give it up, in nanoseconds; 0 for the relative
    /// deadline.
    pub termination_ns: u64,
    /// True if a job that has begun executes an abort handler when it is given up. Under utility-accrual schedulers,
    /// tasks with sections need one.
    pub has_abort_handler: bool,
    /// Longest execution of the abort handler, in nanoseconds.
    pub abort_cost_ns: u64,
}

/// Totals of a run.
#[repr(C)]
pub struct Totals {
    /// Jobs that arrived.
    pub jobs_arrived: u64,
    /// Jobs that were completed.
    pub jobs_completed: u64,
    /// Jobs that were late.
    pub jobs_missed: u64,
    /// End of the run, in nanoseconds.
    pub end_ns: u64,
}

/// Code of a task: it loops over schedlab_wait_for_next_job() until that returns false. When the code returns, the task
/// leaves. Its thread has a stack of 2 MiB, or of the size set by schedlab_set_stack().
pub type Code = Option<unsafe extern "C" fn(job: *mut Job<'_, '_>, argument: *mut c_void)>;

/// Argument of a task's code. The caller promises that the code may use it in another thread.
struct Argument(*mut c_void);
// SAFETY: as said.
unsafe impl Send for Argument {}

fn body(code: Code, argument: *mut c_void, names: &Arc<Names>) -> Result<Body, String> {
    let code = code.ok_or_else(|| null("code", "a function"))?;
    let (argument, names) = (Argument(argument), Arc::clone(names));
    Ok(Box::new(move |context| {
        let argument = &argument;
        let mut job = Job { context, names: &names };
        // SAFETY: the caller's code takes a job and the argument that he gave.
        unsafe { code(&mut job, argument.0) }
    }))
}

fn system(app: App) -> System {
    let (names, events) = (Arc::default(), Vec::new());
    System { app: Some(app), finished: None, names, events, owner: Owner::this() }
}

fn no_system() -> String {
    null("system", "what schedlab_new() or schedlab_read() returned")
}

/// Returns the application that is being set up.
unsafe fn app<'a>(system: *mut System) -> Result<&'a mut App, String> {
    // SAFETY: as the caller says, it is a system.
    unsafe { app_and_names(system) }.map(|(app, _)| app)
}

/// Returns the application as [`app`] does, with the names of its resources, which its tasks' code will use.
unsafe fn app_and_names<'a>(system: *mut System) -> Result<(&'a mut App, &'a Arc<Names>), String> {
    // SAFETY: as the caller says, it is a system.
    let System { app, names, .. } = unsafe { system.as_mut() }.ok_or_else(no_system)?;
    let app = app.as_mut().ok_or("the system has run already: nothing can be set up any more")?;
    app.refuse_others().map_err(|why| why.to_string())?;
    Ok((app, names))
}

/// Returns the number that `work` finds, or a negative error.
fn number(work: impl FnOnce() -> Result<u32, String>) -> i32 {
    or_note(
        work().and_then(|number| i32::try_from(number).map_err(|error| error.to_string())),
        SCHEDLAB_ERROR,
    )
}

/// A system without tasks, under a scheduler ("P-EDF", "G-EDF", "PD2", ...) and a protocol ("none", "msrp", ...).
/// Returns null if that fails.
///
/// # Safety
/// In all functions of a system, the system is one that schedlab_new() or schedlab_read() returned, not freed yet, and
/// used by one thread at a time; texts end with a zero byte. A forked child of the process that made it is refused.
#[no_mangle]
pub unsafe extern "C" fn schedlab_new(
    scheduler: *const c_char,
    protocol: *const c_char,
    processors: u16,
) -> *mut System {
    let made = || {
        // SAFETY: as the caller says.
        let (scheduler, protocol) = unsafe { (text(scheduler, "scheduler")?, text(protocol, "protocol")?) };
        App::new(scheduler, protocol, processors).map(system).map_err(|error| error.to_string())
    };
    boxed(made())
}

/// Reads the system of a scenario file, whose tasks still need their code. Returns null if that fails.
#[no_mangle]
pub unsafe extern "C" fn schedlab_read(path: *const c_char) -> *mut System {
    // SAFETY: as the caller says.
    let path = unsafe { text(path, "path") };
    let read = |path| Scenario::read(Path::new(path)).map_err(|error| error.to_string());
    boxed(path.and_then(read).map(|scenario| system(App::of(scenario))))
}

/// Returns the number of the resource of this name, which is made as a mutex if there is none. The number is negative
/// if that fails.
#[no_mangle]
pub unsafe extern "C" fn schedlab_resource(system: *mut System, name: *const c_char) -> i32 {
    number(|| {
        // SAFETY: as the caller says.
        let (app, name) = unsafe { (app(system)?, text(name, "resource name")?) };
        Ok(app.resource(name).0)
    })
}

/// Creates a task whose thread calls the code once, with this argument. Returns its number, or a negative error.
#[no_mangle]
pub unsafe extern "C" fn schedlab_create_task(
    system: *mut System,
    task: *const Task,
    code: Code,
    argument: *mut c_void,
) -> i32 {
    // SAFETY: as the caller says.
    number(|| unsafe { create(system, task, code, argument) })
}

unsafe fn create(
    system: *mut System,
    task: *const Task,
    code: Code,
    argument: *mut c_void,
) -> Result<u32, String> {
    // SAFETY: as the caller says.
    let ((app, names), task) =
        unsafe { (app_and_names(system)?, task.as_ref().ok_or_else(|| null("task", "a schedlab_task"))?) };
    // SAFETY: as the caller says.
    let name = unsafe { text(task.name, "task name") }?;
    let mut spec = TaskSpec::new(name, Work::from_ns(task.wcet_ns), Duration::from_ns(task.period_ns));
    if task.relative_deadline_ns > 0 {
        spec.relative_deadline = Duration::from_ns(task.relative_deadline_ns);
    }
    spec.offset = Instant::from_ns(task.offset_ns);
    spec.priority = or_none(task.priority, "priority", u32::MAX)?;
    spec.processor = or_none(task.processor.into(), "processor", u16::MAX)?;
    if task.utility > 0 || task.termination_ns > 0 {
        let height = task.utility.max(1).checked_mul(1_000_000).ok_or("utility: more than fits")?;
        let termination = Some(Duration::from_ns(task.termination_ns)).filter(|time| !time.is_zero());
        spec.utility = Some(TimeUtility::Step { height: Utility::from_millionths(height), termination });
    }
    let handler = AbortHandler { cost: Work::from_ns(task.abort_cost_ns), utility: Utility::ZERO };
    spec.abort_handler = task.has_abort_handler.then_some(handler);
    Ok(app.task(spec, body(code, argument, names)?).0)
}

/// Reads a number in a field of a task in which -1 stands for none.
fn or_none<N: TryFrom<i64>>(given: i64, field: &str, most: N) -> Result<Option<N>, String>
where
    i64: From<N>,
{
    match N::try_from(given) {
        Ok(number) => Ok(Some(number)),
        Err(_) if given == -1 => Ok(None),
        Err(_) => Err(format!("{field} {given}: allowed are 0 to {}, or -1 for none", i64::from(most))),
    }
}

/// Sets the code of the scenario's task of this name. Returns its number, or a negative error.
#[no_mangle]
pub unsafe extern "C" fn schedlab_set_code(
    system: *mut System,
    name: *const c_char,
    code: Code,
    argument: *mut c_void,
) -> i32 {
    number(|| {
        // SAFETY: as the caller says.
        let ((app, names), name) = unsafe { (app_and_names(system)?, text(name, "task name")?) };
        let task = app.code(name, body(code, argument, names)?);
        task.map(|task| task.0).map_err(|error| error.to_string())
    })
}

/// Declares that each job of the task has a section on the resource, of at most this length; the task's WCET includes
/// it.
#[no_mangle]
pub unsafe extern "C" fn schedlab_uses(
    system: *mut System,
    task: i32,
    resource: i32,
    section_ns: u64,
) -> i32 {
    let known = |what: &str, number: i32| {
        u32::try_from(number).map_err(|_| format!("{what} {number} does not exist: {GIVEN_OUT}"))
    };
    let uses = || {
        // SAFETY: as the caller says.
        let app = unsafe { app(system) }?;
        let (task, resource) = (TaskId(known("task", task)?), ResourceId(known("resource", resource)?));
        app.uses(task, resource, Work::from_ns(section_ns)).map_err(|why| why.to_string())
    };
    done(uses())
}

/// Makes the task event-driven: its jobs are released by schedlab_release() alone. Its period is the least distance of
/// two arrivals, its offset the earliest first one. Returns the source of its events, which is there until
/// schedlab_free(); null if that fails. The scenario file of the system may not list the task's arrivals.
#[no_mangle]
pub unsafe extern "C" fn schedlab_event_driven(system: *mut System, task: i32) -> *const Event {
    let made = || {
        let number = u32::try_from(task).map_err(|_| format!("task {task} does not exist: {GIVEN_OUT}"))?;
        // SAFETY: as the caller says.
        let source = unsafe { app(system) }?.event_driven(TaskId(number)).map_err(|why| why.to_string())?;
        // SAFETY: it was looked at just now.
        let events = unsafe { &mut (*system).events };
        events.push(Box::new(Event::of(source)));
        Ok::<_, String>(events.last().map_or(std::ptr::null(), |event| &raw const **event))
    };
    or_note(made(), std::ptr::null())
}

/// Gives each task's thread a stack of `bytes` bytes, from 64 KiB to 1 GiB, in place of 2 MiB. All of it is locked in
/// memory during the run. Code that needs more than its stack crashes the process.
#[no_mangle]
pub unsafe extern "C" fn schedlab_set_stack(system: *mut System, bytes: usize) -> i32 {
    // SAFETY: as the caller says.
    done(unsafe { app(system) }.map(|app| app.options.stack = bytes))
}

/// Chooses what makes decisions true: "threads", "scx" (a scheduler in the kernel: Linux 6.12 or later, and a library
/// built with the feature `kernel`), "scx-native" (one that decides by itself), "class" (the kernel's own schedulers
/// alone), or "auto" (scx, else threads).
#[no_mangle]
pub unsafe extern "C" fn schedlab_set_backend(system: *mut System, backend: *const c_char) -> i32 {
    // SAFETY: as the caller says.
    let (app, backend) = unsafe { (app(system), text(backend, "backend")) };
    let named = |name: &str| {
        let known = BackendChoice::NAMED.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice);
        let names = || BackendChoice::NAMED.map(|(known, _)| known).join(", ");
        known.ok_or_else(|| format!("backend \"{name}\" does not exist: allowed: {}", names()))
    };
    done(app.and_then(|app| {
        app.options.backend = Some(named(backend?)?);
        Ok(())
    }))
}

/// Runs the system for `duration_ns` nanoseconds, or, if 0, until a task ends the run; once only. Returns 0 if the run
/// ended in this way. If a task's code does not end, its thread is shut in with its argument, which must stay valid
/// then.
#[no_mangle]
pub unsafe extern "C" fn schedlab_run(system: *mut System, duration_ns: u64, totals: *mut Totals) -> i32 {
    // SAFETY: as the caller says.
    if let Err(why) = unsafe { app(system) } {
        return failed(why);
    }
    // SAFETY: it was looked at just now.
    let system = unsafe { &mut *system };
    let app = system.app.take().expect("it has not run");
    let names = app.scenario().resources.iter().map(|resource| resource.name.clone());
    system.names.0.set(names.collect()).expect("a system runs once");
    let finished = match app.run((duration_ns > 0).then(|| Duration::from_ns(duration_ns))) {
        Ok(finished) => finished,
        Err(why) => {
            let refused = matches!(&why, AppError::Refused(refusal) if !refusal.is_of_input());
            return or_note(Err(why), if refused { SCHEDLAB_REFUSED } else { SCHEDLAB_ERROR });
        }
    };
    let outcome = &finished.outcome;
    if !totals.is_null() {
        let happened = Totals {
            jobs_arrived: outcome.summary.jobs_arrived,
            jobs_completed: outcome.summary.jobs_completed,
            jobs_missed: outcome.summary.jobs_missed,
            end_ns: outcome.end().as_ns(),
        };
        // SAFETY: the caller gives null or a place for it.
        unsafe { totals.write(happened) };
    }
    let named = |tasks: &[TaskId]| {
        let names = tasks.iter().map(|task| finished.prepared.scenario.tasks[task.index()].name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    let left: Vec<TaskId> = outcome.runaways.iter().chain(&outcome.kept_waiting).copied().collect();
    let ended = match outcome.ending {
        Ending::Horizon | Ending::Stopped if left.is_empty() => Ok(0),
        Ending::Horizon | Ending::Stopped => Err(format!(
            "the code of these tasks did not end with the run, and their threads are shut in: {}",
            named(&left)
        )),
        Ending::Crashed(task) => Err(format!("the code of task {} crashed", named(&[task]))),
        Ending::Starved => {
            Err("real-time threads starved the machine: the watchdog ended the run".to_owned())
        }
        Ending::StoodStill => {
            Err("the run stood still: its threads waited for one that it had stopped, such as within \
            malloc"
                .to_owned())
        }
        Ending::Ejected => Err("the scheduler in the kernel was taken away, and the run ended".to_owned()),
    };
    system.finished = Some(finished);
    or_note(ended, SCHEDLAB_CRASHED)
}

/// Lets the run write its trace to `path`, as schedlab_write_trace() does. If the process does not live to do so, the
/// records until then are in a file of that name that ends in ".part".
#[no_mangle]
pub unsafe extern "C" fn schedlab_keep_trace(system: *mut System, path: *const c_char) -> i32 {
    // SAFETY: as the caller says.
    let (app, path) = unsafe { (app(system), text(path, "path")) };
    done(app.and_then(|app| path.map(|path| app.trace = Some(path.into()))))
}

/// Returns the results of the system's run.
unsafe fn ran<'a>(system: *const System) -> Result<&'a Finished, String> {
    // SAFETY: as the caller says, it is a system.
    let system = unsafe { system.as_ref() }.ok_or_else(no_system)?;
    system.finished.as_ref().ok_or_else(|| "the system has not run: there is nothing to write".to_owned())
}

/// Writes the trace of the run, for "schedlab check", "schedlab view" and the like; beside it (run.kernel.slt beside
/// run.slt) it writes the kernel trace, where the kernel may be asked; an older file of that name is removed in any
/// case.
#[no_mangle]
pub unsafe extern "C" fn schedlab_write_trace(system: *const System, path: *const c_char) -> i32 {
    // SAFETY: as the caller says.
    let (finished, path) = unsafe { (ran(system), text(path, "path")) };
    let write = |finished: &Finished| finished.write_trace(Path::new(path?)).map_err(|why| why.to_string());
    done(finished.and_then(write))
}

/// Prints the findings of this system's run as "schedlab run" does; if `checked`, as "schedlab run --check" does.
/// Returns 1 if nothing was found wrong, 0 if a check failed, or SCHEDLAB_ERROR.
#[no_mangle]
pub unsafe extern "C" fn schedlab_print_findings(system: *const System, checked: bool) -> i32 {
    // SAFETY: as the caller says.
    let finished = unsafe { ran(system) };
    let found = finished.and_then(|finished| finished.findings(checked).map_err(|why| why.to_string()));
    let findings = match found {
        Ok(findings) => findings,
        Err(why) => return failed(why),
    };
    let mut out = std::io::stdout().lock();
    match write!(out, "{findings}").and_then(|()| out.flush()) {
        Ok(()) => findings.holds().into(),
        Err(why) => failed(why),
    }
}

/// Frees the system. In a child that was forked since the system was made, nothing happens, because its threads do not
/// exist there.
#[no_mangle]
pub unsafe extern "C" fn schedlab_free(system: *mut System) {
    // SAFETY: it was made by `schedlab_new` or `schedlab_read`, as the caller says.
    if unsafe { system.as_ref() }.is_some_and(|system| system.owner.is_this()) {
        // SAFETY: as above.
        drop(unsafe { Box::from_raw(system) });
    }
}
