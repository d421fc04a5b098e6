//! The locking protocol of a scenario, made for its tasks.

use crate::convert::mutex_of;
use crate::resource::ResourceSpec;
use crate::scenario::{Scenario, TaskSpec};
use schedlab_lock::{
    find_protocol, BySchemes, GrantOrder, Length, LockError, LockProtocol, LockSetup, PosixMutexes,
    PriorityOrder, Protocol, NONE,
};
use schedlab_model::{MutexProtocol, OrderClass, Platform, Resource, Scheme, Step, Task};
use schedlab_policy::{KernelClass, Scheduler};

impl Scenario {
    /// `protocol` for the scenario's tasks as they are placed on `platform`, under `scheduler`. The error has no hint:
    /// [`Scenario::make_protocol`] finds what would be allowed instead.
    ///
    /// A protocol that does not fit is refused if a task has requests, be it the only user of its resource. Without
    /// requests no rule of a protocol ever applies, so that any protocol fits.
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
        let is_fifo = scheduler.kernel_class() == Some(KernelClass::Fifo);
        if is_fifo {
            points.extend(tasks.iter().map(|task| u64::from(task.fixed_priority)));
        }
        let order = match class {
            OrderClass::Unanalysed if is_fifo => PriorityOrder::Fixed(&points),
            OrderClass::Fixed(_) => PriorityOrder::Fixed(&points),
            OrderClass::Deadline => PriorityOrder::EarliestDeadline,
            OrderClass::Pfair { .. } => PriorityOrder::Pfair,
            OrderClass::FixedOpenTies(_)
            | OrderClass::AfterArrival(_)
            | OrderClass::Theorem(_)
            | OrderClass::Unanalysed => PriorityOrder::Other,
        };
        let setup = LockSetup { tasks, resources: &resources, platform, order, lengths: &lengths };
        let schemes: Vec<Option<Scheme>> = self.resources.iter().map(ResourceSpec::scheme).collect();
        let is_own =
            |step: &Step| step.requested().is_some_and(|resource| schemes[resource.index()].is_none());
        let follows = scheduler.follows_holders() && tasks.iter().any(|task| task.program.iter().any(is_own));
        if follows && protocol.grants != GrantOrder::BySchedule {
            let what = "a scheduler that leaves to it which job gets a resource";
            return Err(LockError::needs(what, protocol.name));
        }
        if follows {
            // Each cluster decides about its own jobs, and could not have a holder elsewhere go on.
            setup.demand_within_clusters(&setup.usage()?, "a scheduler that follows from jobs to holders")?;
        }
        // Ceilings of the kernel's threads are those of its mutexes: a thread that is woken takes what it finds free.
        let is_protected = is_fifo && mutex_of(protocol) == Some(MutexProtocol::Protect);
        let of_all = is_protected.then(|| vec![MutexProtocol::Protect; resources.len()]);
        let of_all = of_all.filter(|_| schemes.iter().all(Option::is_none));
        let made = match self.mutexes(protocol).or(of_all) {
            Some(kinds) => PosixMutexes::new(&kinds, &setup).map(|made| Box::new(made) as Box<_>),
            None if schemes.iter().any(Option::is_some) => {
                BySchemes::new(protocol, &schemes, &setup).map(|made| Box::new(made) as Box<_>)
            }
            None => (protocol.make)(&setup),
        };
        match made {
            Err(_) if !self.tasks.iter().any(TaskSpec::has_requests) => {
                let none = find_protocol(NONE).expect("the protocol of no rules is registered");
                (none.make)(&setup)
            }
            made => made,
        }
    }
}
