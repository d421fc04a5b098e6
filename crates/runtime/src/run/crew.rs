//! All threads of a run: created one after the other at an ordinary priority, and let go together.
//!
//! A system may have no room for all of them. Were some threads at a real-time priority already, they could keep others
//! from ending that have to give the processors back; so none is until every thread exists.

use crate::backend::kernel_class::attributes;
use crate::engine::domain::Domain;
use crate::engine::stop_barrier::StopBarrier;
use crate::machine::refusal::Refusal;
use crate::machine::room;
use crate::machine::start::Start;
use crate::machine::sys::{self, Tid};
use crate::options::{Options, ABOVE_TASKS, STANDING_ABOVE_TASKS, WATCHDOG};
use crate::run::shared::Shared;
use crate::run::standstill::Standstill;
use crate::run::threads::{
    be_background, be_interrupted, be_standing, be_task, be_timer, Background, Code, Decider,
};
use crate::run::watchdog::Watchdog;
use schedlab_lab::KernelParameters;
use schedlab_model::TaskId;
use std::sync::Arc;
use std::thread::JoinHandle;

/// The processor and priority that a thread gets before it goes; what is missing stays as it is.
#[derive(Clone, Copy, Debug, Default)]
struct Attributes {
    processor: Option<usize>,
    priority: Option<u8>,
    /// The parameters of a task's thread that Linux schedules.
    kernel: Option<KernelParameters>,
}

/// The threads of a run, which wait at their start.
pub(crate) struct Crew {
    start: Arc<Start>,
    all_attributes: Vec<(Tid, Attributes)>,
    /// By task: its thread.
    pub tasks: Vec<JoinHandle<()>>,
    /// The runtime's own threads, which end with the run.
    pub helpers: Vec<JoinHandle<()>>,
    pub background: Vec<JoinHandle<u64>>,
    pub watchdog: Watchdog,
}

impl Crew {
    /// Creates all threads and gives them their attributes; if that fails, no thread is left.
    pub(super) fn gather(
        shared: &Arc<Shared>,
        codes: Vec<Code>,
        background: Vec<Background>,
        options: &Options,
    ) -> Result<Self, Refusal> {
        let mut crew = Crew {
            start: Arc::default(),
            all_attributes: Vec::new(),
            tasks: Vec::new(),
            helpers: Vec::new(),
            background: Vec::new(),
            watchdog: Watchdog::new(&shared.processors, Arc::clone(&shared.enforcer), options.starvation),
        };
        let gathered = crew
            .create(shared, codes, background, options)
            .and_then(|()| crew.take_places(&shared.processors, options))
            .and_then(|()| crew.hand_over(shared));
        match gathered {
            Ok(()) => Ok(crew),
            Err(why) => {
                crew.dismiss();
                Err(why)
            }
        }
    }

    /// Lets all threads go.
    pub(super) fn go(&self, zero: u64) {
        self.start.go(zero);
    }

    fn create(
        &mut self,
        shared: &Arc<Shared>,
        codes: Vec<Code>,
        background: Vec<Background>,
        options: &Options,
    ) -> Result<(), Refusal> {
        let real_time = |priority| (!options.unprivileged).then_some(priority);
        for (index, code) in codes.into_iter().enumerate() {
            let (shared, task) = (Arc::clone(shared), TaskId(index as u32));
            let attributes = match &code.decider {
                // The kernel executes ordinary threads by links.
                Decider::Domain(..) if shared.follower.is_some() => Attributes::default(),
                Decider::Native(_) => Attributes::default(),
                Decider::Domain(..) => {
                    Attributes { priority: real_time(options.priority), ..Attributes::default() }
                }
                Decider::Kernel(own) => Attributes {
                    processor: own.bound.map(|cpu| shared.processors[cpu.index()]),
                    kernel: Some(own.parameters),
                    ..Attributes::default()
                },
            };
            let thread = self.spawn(format!("task {index}"), options.stack, attributes, move |start| {
                be_task(&shared, start, task, code);
            })?;
            self.tasks.push(thread);
        }
        // Where the kernel decides, no thread reports the time.
        let timed = shared.processors.iter().copied().filter(|_| shared.kernel.is_none());
        for (cpu, processor) in timed.enumerate() {
            let shared = Arc::clone(shared);
            let priority = real_time(options.priority + ABOVE_TASKS);
            let attributes = Attributes { processor: Some(processor), priority, kernel: None };
            let name = format!("timer {cpu}");
            self.help(name, attributes, move |start| be_timer(&shared, start, cpu))?;
        }
        for (index, domain) in shared.domains.iter().enumerate() {
            if domain.event_driven().bell().is_some() {
                let shared = Arc::clone(shared);
                let processor = Some(shared.processors[domain.first().index()]);
                let priority = real_time(options.priority + ABOVE_TASKS);
                let attributes = Attributes { processor, priority, kernel: None };
                let name = format!("events {index}");
                self.help(name, attributes, move |start| be_interrupted(&shared, start, index))?;
            }
        }
        for (domain, stop_barrier) in shared.domains.iter().map(Domain::stop_barrier).enumerate() {
            for (index, processor) in
                stop_barrier.map_or(&[][..], StopBarrier::processors).iter().copied().enumerate()
            {
                let shared = Arc::clone(shared);
                let priority = Some(options.priority + STANDING_ABOVE_TASKS);
                let attributes = Attributes { processor: Some(processor), priority, kernel: None };
                let name = format!("stopper {index}");
                self.help(name, attributes, move |start| be_standing(&shared, start, domain, index))?;
            }
        }
        for (index, code) in background.into_iter().enumerate() {
            let shared = Arc::clone(shared);
            let code = move |start: &Start| be_background(&shared, start, code);
            let name = format!("background {index}");
            let thread = self.spawn(name, room::STACK, Attributes::default(), code)?;
            self.background.push(thread);
        }
        self.create_watchdog(shared)
    }

    fn create_watchdog(&mut self, shared: &Arc<Shared>) -> Result<(), Refusal> {
        for (index, processor) in shared.processors.iter().copied().enumerate() {
            let canary = self.watchdog.canary(index);
            let attributes = Attributes { processor: Some(processor), ..Attributes::default() };
            self.help(format!("canary {index}"), attributes, canary)?;
        }
        let listener = self.watchdog.listener(Standstill::of(shared));
        let attributes = Attributes { priority: Some(WATCHDOG), ..Attributes::default() };
        self.help("watchdog".to_owned(), attributes, listener)
    }

    fn help(
        &mut self,
        name: String,
        attributes: Attributes,
        code: impl FnOnce(&Start) + Send + 'static,
    ) -> Result<(), Refusal> {
        let thread = self.spawn(name, room::STACK, attributes, code)?;
        self.helpers.push(thread);
        Ok(())
    }

    /// Creates a thread whose `code` waits at the start first. The thread has what it needs to begin before the next
    /// one is created.
    fn spawn<T: Send + 'static>(
        &mut self,
        name: String,
        stack: usize,
        attributes: Attributes,
        code: impl FnOnce(&Start) -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, Refusal> {
        let start = Arc::clone(&self.start);
        let thread = room::spawn(name, stack, move || code(&start))?;
        self.all_attributes.push((self.start.meet(), attributes));
        Ok(thread)
    }

    /// Gives all threads their attributes. Without the privilege the watchdog may have to do without its priority.
    fn take_places(&self, processors: &[usize], options: &Options) -> Result<(), Refusal> {
        let failed = |error| Refusal::System { what: "asking for this process's processors", error };
        let allowed = sys::allowed_processors().map_err(failed)?;
        for (thread, attributes) in &self.all_attributes {
            if let Some(parameters) = attributes.kernel {
                let own = attributes.processor.map(|processor| [processor]);
                attributes::place(*thread, own.as_ref().map_or(processors, |one| one), &allowed)?;
                attributes::give(*thread, parameters)?;
                continue;
            }
            if let Some(processor) = attributes.processor {
                let failed = |error| Refusal::System { what: "binding a thread to its processor", error };
                sys::set_affinity(*thread, processor).map_err(failed)?;
            }
            if let Some(priority) = attributes.priority {
                let given = sys::set_fifo(*thread, priority);
                if !options.unprivileged {
                    given.map_err(Refusal::Priority)?;
                }
            }
        }
        Ok(())
    }

    /// Hands the tasks' threads over to the scheduler in the kernel that decides by itself, if there is one.
    fn hand_over(&self, shared: &Shared) -> Result<(), Refusal> {
        let Some(native) = &shared.native else { return Ok(()) };
        // Tasks' threads were created first.
        for ((thread, _), task) in self.all_attributes.iter().zip((0..self.tasks.len() as u32).map(TaskId)) {
            let failed = |error| Refusal::System { what: "handing a thread over to the scheduler", error };
            native.adopt(*thread, task).map_err(failed)?;
        }
        Ok(())
    }

    /// Ends all threads, because the run is refused.
    fn dismiss(self) {
        self.start.call_off();
        let threads = self.tasks.into_iter().chain(self.helpers);
        threads.for_each(|thread| thread.join().expect("a thread that waits does not panic"));
        for thread in self.background {
            thread.join().expect("a thread that waits does not panic");
        }
    }
}
