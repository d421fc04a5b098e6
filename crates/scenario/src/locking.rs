//! The locking protocol of a scenario: made for its tasks, or what is wrong with them for it.

use crate::error::Problem;
use crate::fault::{Fault, Part};
use crate::placement::place;
use crate::resource::ResourceSpec;
use crate::scenario::Scenario;
use schedlab_lock::{
    compose, find_protocol, BySchemes, GrantOrder, Length, LockError, LockProtocol, LockSetup, PriorityOrder,
    Protocol,
};
use schedlab_model::{OrderClass, Platform, Resource, Scheme, Step, Task};
use schedlab_policy::Scheduler;
use std::fmt::Write;

/// How a scheduler orders jobs, as far as protocols depend on it.
enum Points {
    /// By task.
    Fixed(Vec<u64>),
    Deadlines,
    Pfair,
    Other,
}

impl Points {
    fn of(scheduler: &Scheduler, tasks: &[Task]) -> Points {
        match scheduler.class() {
            OrderClass::Fixed(key) => Points::Fixed(tasks.iter().map(key).collect()),
            OrderClass::Deadline => Points::Deadlines,
            OrderClass::Pfair { .. } => Points::Pfair,
            OrderClass::AfterArrival(_) | OrderClass::Unanalysed => Points::Other,
        }
    }

    fn order(&self) -> PriorityOrder<'_> {
        match self {
            Points::Fixed(points) => PriorityOrder::Fixed(points),
            Points::Deadlines => PriorityOrder::EarliestDeadline,
            Points::Pfair => PriorityOrder::Pfair,
            Points::Other => PriorityOrder::Other,
        }
    }
}

impl Scenario {
    /// The scenario's scheduler, if it has a known one.
    pub fn known_scheduler(&self) -> Option<Scheduler> {
        let shipped = || schedlab_policy::find(&self.scheduler.name).ok();
        self.scheduler.own.is_none().then(shipped).flatten()
    }

    /// The scenario's protocol, if it has a known one.
    pub fn known_protocol(&self) -> Option<&'static Protocol> {
        let shipped = || find_protocol(&self.protocol).ok();
        self.own_protocol.is_none().then(shipped).flatten()
    }

    /// The scheduler's name, also that of one of the user's own.
    pub fn scheduler_name(&self) -> &str {
        self.scheduler.own.as_deref().unwrap_or(&self.scheduler.name)
    }

    /// The protocol's name, also that of one of the user's own.
    pub fn protocol_name(&self) -> &str {
        self.own_protocol.as_deref().unwrap_or(&self.protocol)
    }

    /// `protocol` for the scenario's tasks as they are placed on `platform`, under `scheduler`. The error is bare:
    /// [`Scenario::make_protocol`] tries what would be allowed instead.
    pub fn try_protocol(
        &self,
        protocol: &Protocol,
        scheduler: &Scheduler,
        platform: &Platform,
        tasks: &[Task],
    ) -> Result<Box<dyn LockProtocol>, LockError> {
        let resources: Vec<Resource> = self.model_resources();
        let lengths: Vec<Length> = self.resources.iter().map(|spec| spec.length).collect();
        let points = Points::of(scheduler, tasks);
        let setup =
            LockSetup { tasks, resources: &resources, platform, order: points.order(), lengths: &lengths };
        let schemes: Vec<Option<Scheme>> = self.resources.iter().map(ResourceSpec::scheme).collect();
        let is_own =
            |step: &Step| matches!(step, Step::Request(resource, _) if schemes[resource.index()].is_none());
        let picks = scheduler.follows_holders() && protocol.grants != GrantOrder::BySchedule;
        if picks && tasks.iter().any(|task| task.program.iter().any(is_own)) {
            return Err(LockError::PicksItself { protocol: protocol.name });
        }
        match schemes.iter().any(Option::is_some) {
            true => Ok(Box::new(BySchemes::new(protocol, &schemes, &setup)?)),
            false => (protocol.make)(&setup),
        }
    }

    /// What holds of the scenario's resources, those with a scheme of their own included, if its protocol is `protocol`.
    pub fn composed(&self, protocol: &Protocol) -> Protocol {
        let is_requested = |at: usize| {
            let requests = |step: &Step| matches!(step, Step::Request(asked, _) if asked.index() == at);
            self.tasks.iter().any(|task| task.program.iter().any(requests))
        };
        let requested = (0..self.resources.len()).filter(|at| is_requested(*at));
        compose(protocol, requested.map(|at| self.resources[at].scheme()))
    }

    /// The rule that is broken, at the program, resource or protocol that breaks it.
    pub(crate) fn fault(&self, error: &LockError, scheduler: &Scheduler) -> Fault {
        let task = |id: schedlab_model::TaskId| format!("task \"{}\"", self.task_name(id));
        let resource = |id: schedlab_model::ResourceId| match self.resources.get(id.index()) {
            Some(spec) => format!("\"{}\"", spec.name),
            None => id.to_string(),
        };
        let (part, field) = match (error.task(), error.resource()) {
            (Some(task), _) => {
                let program = self.tasks.get(task.index()).map_or(&[][..], |spec| &spec.program);
                let part = match error.step(program) {
                    Some(step) => Part::Step(task.index(), step),
                    None => Part::Task(task.index()),
                };
                (part, "program")
            }
            (None, Some(resource)) => {
                let units = matches!(error, LockError::SeveralUnits { .. });
                (Part::Resource(resource.index()), if units { "units" } else { "name" })
            }
            (None, None) => (Part::File, "protocol"),
        };
        let mut sentence = error.with_names(&task, &resource);
        if part == Part::File {
            let _ = write!(sentence, ", not {}", scheduler.name);
        }
        let problem = Problem::Rule { sentence, allowed: self.ways_out(error) };
        Fault { part, field, problem }
    }
}

/// What the scenario's own protocol forbids, for tasks that can be placed.
pub(crate) fn faults(scenario: &Scenario) -> Vec<Fault> {
    let locks =
        scenario.tasks.iter().any(|spec| spec.program.iter().any(|step| matches!(step, Step::Request(..))));
    let known = scenario.known_protocol().zip(scenario.known_scheduler());
    // Under a class of the kernel no protocol is made: what a run's locks are is its own affair.
    let known = known.filter(|(_, scheduler)| locks && scheduler.kernel_class().is_none());
    let Some((protocol, scheduler)) = known else { return Vec::new() };
    // Tasks that fit nowhere are another finding, when the scenario is run.
    let Ok((tasks, _)) = place(scenario) else { return Vec::new() };
    let made = scenario.try_protocol(protocol, &scheduler, &scenario.model_platform(), &tasks);
    made.err().map(|error| scenario.fault(&error, &scheduler)).into_iter().collect()
}
