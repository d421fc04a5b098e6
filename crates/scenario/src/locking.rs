//! The locking protocol of a scenario, made for its tasks.

use crate::resource::ResourceSpec;
use crate::scenario::Scenario;
use schedlab_lock::{
    BySchemes, GrantOrder, Length, LockError, LockProtocol, LockSetup, PriorityOrder, Protocol,
};
use schedlab_model::{OrderClass, Platform, Resource, Scheme, Step, Task};
use schedlab_policy::Scheduler;

impl Scenario {
    /// `protocol` for the scenario's tasks as they are placed on `platform`, under `scheduler`. The error has no hint:
    /// [`Scenario::make_protocol`] finds what would be allowed instead.
    pub fn try_protocol(
        &self,
        protocol: &Protocol,
        scheduler: &Scheduler,
        platform: &Platform,
        tasks: &[Task],
    ) -> Result<Box<dyn LockProtocol>, LockError> {
        let resources: Vec<Resource> = self.model_resources();
        let lengths: Vec<Length> = self.resources.iter().map(|spec| spec.length).collect();
        let class = scheduler.class();
        let mut points = Vec::new();
        if let OrderClass::Fixed(key) = class {
            points.extend(tasks.iter().map(key));
        }
        let order = match class {
            OrderClass::Fixed(_) => PriorityOrder::Fixed(&points),
            OrderClass::Deadline => PriorityOrder::EarliestDeadline,
            OrderClass::Pfair { .. } => PriorityOrder::Pfair,
            OrderClass::FixedOpenTies(_) | OrderClass::AfterArrival(_) | OrderClass::Unanalysed => {
                PriorityOrder::Other
            }
        };
        let setup = LockSetup { tasks, resources: &resources, platform, order, lengths: &lengths };
        let schemes: Vec<Option<Scheme>> = self.resources.iter().map(ResourceSpec::scheme).collect();
        let is_own =
            |step: &Step| step.requested().is_some_and(|resource| schemes[resource.index()].is_none());
        let picks = scheduler.follows_holders() && protocol.grants != GrantOrder::BySchedule;
        if picks && tasks.iter().any(|task| task.program.iter().any(is_own)) {
            let what = "a scheduler that leaves to it which job gets a resource";
            return Err(LockError::needs(what, protocol.name));
        }
        match schemes.iter().any(Option::is_some) {
            true => Ok(Box::new(BySchemes::new(protocol, &schemes, &setup)?)),
            false => (protocol.make)(&setup),
        }
    }
}
