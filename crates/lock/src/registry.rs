//! Locking protocols by name.

use crate::fmlp::{Fmlp, Length};
use crate::lock_error::LockError;
use crate::pfair::{AtQuantumEnd, LockFree, Servers, Zones};
use crate::setup::LockSetup;
use crate::{
    ClusteredOmlp, Dflp, Dpcp, FmlpPlus, GlobalPip, Ipcp, LockProtocol, Mpcp, Mrsp, Msrp, Npcs, Omlp,
    ParallelPcp, PartitionedOmlp, Pcp, PhaseFairly, Pip, ReaderWriter, Semaphores, Srp, TaskFair, TaskFairly,
};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// How a job waits for a resource that is not free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// It never has to: it does not start before, or is not preempted.
    Never,
    /// It gives up its processor.
    Suspends,
    /// It keeps its processor busy.
    Spins,
}

/// Which resources a protocol is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of one processor only, each cluster being one.
    Local,
    /// Those shared between processors too, each cluster being one; each processor's own are treated apart.
    Partitioned,
    /// Any, all processors being one cluster.
    Global,
    /// Any, whatever the clusters.
    Any,
}

/// Which of several jobs that wait for one resource is granted it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantOrder {
    /// Nobody ever waits.
    None,
    /// The longest waiting.
    Fifo,
    /// The highest base priority.
    ByBase,
    /// The highest effective priority.
    ByEffective,
    /// The longest waiting of a few, and into their line the highest base priority.
    FifoThenBase,
    /// Readers and writers in turns, writers among themselves the longest waiting first.
    Phases,
}

/// Who may preempt a job that holds a resource (a global one, if those are treated apart).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preemption {
    /// Anyone more urgent.
    Any,
    /// Those who are more urgent than everybody who waits for the holder.
    Inherited,
    /// Those who are more urgent than the resource's ceiling.
    Ceiling,
    /// Other holders only.
    Boosted,
    /// Nobody, from the request to the release.
    Nobody,
    /// Nobody once the job holds the resource.
    NobodyOnceHeld,
}

/// Which requests may nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// Any.
    Any,
    /// Those for local resources within one another.
    Local,
    /// None.
    Never,
}

/// Which ceilings or levels a protocol computes, and so what it needs to know of the scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceilings {
    /// None: any scheduler will do.
    None,
    /// Of priorities: the scheduler's priorities must be fixed.
    Priorities,
    /// Of preemption levels: the scheduler's priorities must be fixed, or by deadline.
    Levels,
    /// None, but it needs to know the quanta: the scheduler must be a Pfair one.
    Quanta,
}

/// Makes a protocol, or says what is wrong with the system for it.
pub type MakeProtocol = fn(&LockSetup<'_>) -> Result<Box<dyn LockProtocol>, LockError>;

/// A locking protocol.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// Its name, in lower case.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// How jobs wait, for resources that are not local if those are treated apart.
    pub waiting: Waiting,
    /// Which resources it is for.
    pub reach: Reach,
    /// What it needs to know of the scheduler.
    pub ceilings: Ceilings,
    /// Who is granted a resource first.
    pub grants: GrantOrder,
    /// Who preempts a holder.
    pub preemption: Preemption,
    /// Which requests may nest.
    pub nesting: Nesting,
    /// True if there may be several units of (local) resources.
    pub several_units: bool,
    /// True if nested requests cannot deadlock (or are refused).
    pub deadlock_free: bool,
    /// True if each job waits on its processor at most once for a less urgent one, for one outermost section.
    pub blocks_once: bool,
    /// How to make it.
    pub make: MakeProtocol,
}

/// Every protocol. A new one is one file and one entry here.
pub const ALL: &[Protocol] = &[
    Protocol {
        name: "none",
        summary: "plain semaphores, the most urgent waiter first: unbounded priority inversion",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Any,
        nesting: Nesting::Any,
        several_units: true,
        deadlock_free: false,
        blocks_once: false,
        make: |setup| {
            setup.usage()?;
            Ok(Box::new(Semaphores::new(setup.resources, setup.tasks.len())))
        },
    },
    Protocol {
        name: "npcs",
        summary: "non-preemptive critical sections",
        waiting: Waiting::Never,
        reach: Reach::Local,
        ceilings: Ceilings::None,
        grants: GrantOrder::None,
        preemption: Preemption::Nobody,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: true,
        make: |setup| Ok(Box::new(Npcs::new(setup)?)),
    },
    Protocol {
        name: "pip",
        summary: "priority inheritance (Sha, Rajkumar, Lehoczky 1990)",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Inherited,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: false,
        blocks_once: false,
        make: |setup| Ok(Box::new(<Pip>::new(setup)?)),
    },
    Protocol {
        name: "pcp",
        summary: "priority ceilings (Sha, Rajkumar, Lehoczky 1990)",
        waiting: Waiting::Suspends,
        reach: Reach::Local,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Inherited,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: true,
        make: |setup| Ok(Box::new(Pcp::new(setup)?)),
    },
    Protocol {
        name: "ipcp",
        summary: "immediate priority ceilings, or highest locker",
        waiting: Waiting::Never,
        reach: Reach::Local,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::None,
        preemption: Preemption::Ceiling,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: true,
        make: |setup| Ok(Box::new(Ipcp::new(setup)?)),
    },
    Protocol {
        name: "srp",
        summary: "stack resource policy, several units (Baker 1991)",
        waiting: Waiting::Never,
        reach: Reach::Local,
        ceilings: Ceilings::Levels,
        grants: GrantOrder::None,
        preemption: Preemption::Ceiling,
        nesting: Nesting::Any,
        several_units: true,
        deadlock_free: true,
        blocks_once: true,
        make: |setup| Ok(Box::new(Srp::new(setup)?)),
    },
    Protocol {
        name: "msrp",
        summary: "multiprocessor stack resource policy: FIFO spinning (Gai, Lipari, Di Natale 2001)",
        waiting: Waiting::Spins,
        reach: Reach::Partitioned,
        ceilings: Ceilings::Levels,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Local,
        several_units: true,
        deadlock_free: true,
        blocks_once: true,
        make: |setup| Ok(Box::new(Msrp::new(setup)?)),
    },
    Protocol {
        name: "mpcp",
        summary: "multiprocessor priority ceilings: suspension by priority (Rajkumar 1990)",
        waiting: Waiting::Suspends,
        reach: Reach::Partitioned,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::ByBase,
        preemption: Preemption::Boosted,
        nesting: Nesting::Local,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(<Mpcp>::new(setup)?)),
    },
    Protocol {
        name: "task-fair",
        summary: "FIFO spinning, not preempted: ticket and queue locks (Mellor-Crummey, Scott 1991)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(TaskFair::new(setup)?)),
    },
    Protocol {
        name: "fmlp",
        summary:
            "flexible multiprocessor locking: short resources spin, long ones suspend (Block et al. 2007)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Any,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| {
            let length = |resource| setup.lengths.get(resource).copied().unwrap_or(Length::Short);
            let lengths: Vec<Length> = (0..setup.resources.len()).map(length).collect();
            Ok(Box::new(Fmlp::new(setup, &lengths)?))
        },
    },
    Protocol {
        name: "fmlp-short",
        summary: "flexible multiprocessor locking, all resources short: FIFO spinning (Block et al. 2007)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Short; setup.resources.len()])?)),
    },
    Protocol {
        name: "fmlp-long",
        summary: "flexible multiprocessor locking, all resources long: FIFO suspension (Block et al. 2007)",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Inherited,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Fmlp::new(setup, &vec![Length::Long; setup.resources.len()])?)),
    },
    Protocol {
        name: "dpcp",
        summary: "distributed priority ceilings: agents on each resource's processor (Rajkumar, Sha, Lehoczky 1988)",
        waiting: Waiting::Suspends,
        reach: Reach::Partitioned,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Boosted,
        nesting: Nesting::Local,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Dpcp::new(setup)?)),
    },
    Protocol {
        name: "dflp",
        summary: "distributed FIFO locking: agents, first come, first served (Brandenburg 2013)",
        waiting: Waiting::Suspends,
        reach: Reach::Partitioned,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Boosted,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Dflp::new(setup)?)),
    },
    Protocol {
        name: "fmlp+",
        summary: "FIFO suspension, holders boosted in the order of their requests (Brandenburg 2011)",
        waiting: Waiting::Suspends,
        reach: Reach::Partitioned,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Boosted,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(FmlpPlus::new(setup)?)),
    },
    Protocol {
        name: "omlp",
        summary: "global OMLP: short FIFO lines filled up by priority, inheritance (Brandenburg, Anderson 2010)",
        waiting: Waiting::Suspends,
        reach: Reach::Global,
        ceilings: Ceilings::None,
        grants: GrantOrder::FifoThenBase,
        preemption: Preemption::Inherited,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Omlp::new(setup)?)),
    },
    Protocol {
        name: "omlp-partitioned",
        summary: "partitioned OMLP: contention tokens, boosting (Brandenburg, Anderson 2010)",
        waiting: Waiting::Suspends,
        reach: Reach::Partitioned,
        ceilings: Ceilings::None,
        grants: GrantOrder::FifoThenBase,
        preemption: Preemption::Boosted,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(PartitionedOmlp::new(setup)?)),
    },
    Protocol {
        name: "omlp-clustered",
        summary: "clustered OMLP: FIFO with priority donation (Brandenburg, Anderson 2011)",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Inherited,
        nesting: Nesting::Any,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(ClusteredOmlp::new(setup)?)),
    },
    Protocol {
        name: "mrsp",
        summary: "spinning at local ceilings, helping preempted holders (Burns, Wellings 2013)",
        waiting: Waiting::Spins,
        reach: Reach::Partitioned,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Ceiling,
        nesting: Nesting::Local,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Mrsp::new(setup)?)),
    },
    Protocol {
        name: "gpip",
        summary: "global priority inheritance (Easwaran, Andersson 2009)",
        waiting: Waiting::Suspends,
        reach: Reach::Global,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Inherited,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(GlobalPip::new(setup)?)),
    },
    Protocol {
        name: "ppcp",
        summary: "parallel priority ceilings (Easwaran, Andersson 2009)",
        waiting: Waiting::Suspends,
        reach: Reach::Global,
        ceilings: Ceilings::Priorities,
        grants: GrantOrder::ByEffective,
        preemption: Preemption::Inherited,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(ParallelPcp::new(setup)?)),
    },
    Protocol {
        name: "rw-task-fair",
        summary: "readers and writers spinning, first come, first served (Brandenburg, Anderson 2010)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Never,
        several_units: true,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(<ReaderWriter<TaskFairly>>::new(setup)?)),
    },
    Protocol {
        name: "rw-phase-fair",
        summary: "readers and writers spinning, in turns (Brandenburg, Anderson 2010)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::Phases,
        preemption: Preemption::Nobody,
        nesting: Nesting::Never,
        several_units: true,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(<ReaderWriter<PhaseFairly>>::new(setup)?)),
    },
    Protocol {
        name: "zone-skip",
        summary: "Pfair, short sections: a zone at each quantum's end, waiters keep their place (Holman, Anderson 2002)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::Quanta,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Zones::new(setup, AtQuantumEnd::Skip)?)),
    },
    Protocol {
        name: "zone-rollback",
        summary: "Pfair, short sections: a zone at each quantum's end, waiters ask anew (Holman, Anderson 2002)",
        waiting: Waiting::Spins,
        reach: Reach::Any,
        ceilings: Ceilings::Quanta,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Nobody,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Zones::new(setup, AtQuantumEnd::Rollback)?)),
    },
    Protocol {
        name: "pfair-server",
        summary: "Pfair: static-weight servers execute the sections of others (Holman, Anderson 2002)",
        waiting: Waiting::Suspends,
        reach: Reach::Any,
        ceilings: Ceilings::Quanta,
        grants: GrantOrder::Fifo,
        preemption: Preemption::Any,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(Servers::new(setup)?)),
    },
    Protocol {
        name: "lock-free",
        summary: "no locks: an operation that another one overtook is done again (Holman, Anderson 2002)",
        waiting: Waiting::Never,
        reach: Reach::Any,
        ceilings: Ceilings::None,
        grants: GrantOrder::None,
        preemption: Preemption::Any,
        nesting: Nesting::Never,
        several_units: false,
        deadlock_free: true,
        blocks_once: false,
        make: |setup| Ok(Box::new(LockFree::new(setup)?)),
    },
];

/// There is no protocol of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProtocol {
    /// The name that was asked for.
    pub name: String,
}

impl fmt::Display for UnknownProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown locking protocol \"{}\" (there are ", self.name)?;
        for (at, protocol) in ALL.iter().enumerate() {
            write!(f, "{}{}", if at > 0 { ", " } else { "" }, protocol.name)?;
        }
        write!(f, ")")
    }
}

impl core::error::Error for UnknownProtocol {}

/// The protocol called `name`, in any case.
pub fn find_protocol(name: &str) -> Result<&'static Protocol, UnknownProtocol> {
    let wanted = name.trim().to_lowercase();
    let found = ALL.iter().find(|protocol| protocol.name == wanted);
    found.ok_or_else(|| UnknownProtocol { name: name.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::PriorityOrder;
    use schedlab_model::{ClusterId, Duration, Platform, Resource, ResourceId, Step, Task, Work};

    /// Whether the registry's facts about each protocol are what its constructor demands.
    #[test]
    fn each_protocol_takes_what_the_registry_says() {
        for protocol in ALL {
            for order in [
                PriorityOrder::Fixed(&[1, 2]),
                PriorityOrder::EarliestDeadline,
                PriorityOrder::Pfair,
                PriorityOrder::Other,
            ] {
                let fits = match protocol.ceilings {
                    Ceilings::None => true,
                    Ceilings::Levels => !matches!(order, PriorityOrder::Pfair | PriorityOrder::Other),
                    Ceilings::Quanta => order == PriorityOrder::Pfair,
                    Ceilings::Priorities => matches!(order, PriorityOrder::Fixed(_)),
                };
                let takes = |platform: &Platform, clusters: [u16; 2]| {
                    let mut tasks = tasks(clusters);
                    tasks.extend(server(protocol));
                    let resources = &[Resource { units: 1 }];
                    (protocol.make)(&LockSetup { tasks: &tasks, resources, platform, order, lengths: &[] })
                        .is_ok()
                };
                let name = protocol.name;
                let within = fits && protocol.reach != Reach::Global;
                assert_eq!(takes(&Platform::partitioned(2), [0, 0]), within, "{name} {order:?}");
                let between = within && protocol.reach != Reach::Local;
                assert_eq!(takes(&Platform::partitioned(2), [0, 1]), between, "{name} {order:?}");
                let anywhere = fits && matches!(protocol.reach, Reach::Any | Reach::Global);
                assert_eq!(takes(&Platform::global(2), [0, 0]), anywhere, "{name} {order:?}");
            }
        }
    }

    /// A platform that the protocol is for, and a user of every resource on each cluster.
    fn home(protocol: &Protocol) -> (Platform, [u16; 2]) {
        match protocol.reach {
            Reach::Local => (Platform::partitioned(2), [0, 0]),
            Reach::Partitioned => (Platform::partitioned(2), [0, 1]),
            Reach::Global | Reach::Any => (Platform::global(2), [0, 0]),
        }
    }

    #[test]
    fn each_protocol_takes_the_nesting_and_units_that_the_registry_says() {
        let (r, s) = (ResourceId(0), ResourceId(1));
        let nested = [Step::Request(r, 1), Step::Request(s, 1), Step::Release(s, 1), Step::Release(r, 1)];
        for protocol in ALL {
            let takes = |platform: &Platform, clusters: [u16; 2], program: &[Step], units: u32| {
                let mut tasks = tasks_with(clusters, program);
                tasks.extend(server(protocol));
                let quanta = protocol.ceilings == Ceilings::Quanta;
                let order = if quanta { PriorityOrder::Pfair } else { PriorityOrder::Fixed(&[1, 2]) };
                let resources = &[Resource { units }; 2];
                (protocol.make)(&LockSetup { tasks: &tasks, resources, platform, order, lengths: &[] })
                    .is_ok()
            };
            let (platform, clusters) = home(protocol);
            let name = protocol.name;
            let any = matches!(protocol.nesting, Nesting::Any);
            assert_eq!(takes(&platform, clusters, &nested, 1), any, "{name}: nesting");
            if protocol.reach == Reach::Partitioned {
                let locally = any || protocol.nesting == Nesting::Local;
                assert_eq!(takes(&platform, [0, 0], &nested, 1), locally, "{name}: local nesting");
            }
            let platform = if protocol.reach == Reach::Global { platform } else { Platform::partitioned(1) };
            let several = takes(&platform, [0, 0], &[Step::Request(r, 1), Step::Release(r, 1)], 2);
            assert_eq!(several, protocol.several_units, "{name}: units");
        }
    }

    fn tasks(clusters: [u16; 2]) -> Vec<Task> {
        let r = ResourceId(0);
        tasks_with(clusters, &[Step::Request(r, 1), Step::Execute(Work::from_ns(1)), Step::Release(r, 1)])
    }

    fn tasks_with(clusters: [u16; 2], program: &[Step]) -> Vec<Task> {
        let task = |cluster| Task {
            cluster: ClusterId(cluster),
            program: program.to_vec(),
            ..Task::implicit(Work::from_ns(1), Duration::from_ns(9))
        };
        clusters.map(task).to_vec()
    }

    /// The server that one protocol needs beside its clients.
    fn server(protocol: &Protocol) -> Option<Task> {
        let program = alloc::vec![Step::Serve(ResourceId(0))];
        let task = Task { program, ..Task::implicit(Work::from_ns(1), Duration::from_ns(9)) };
        (protocol.name == "pfair-server").then_some(task)
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(find_protocol(" MSRP ").unwrap().name, "msrp");
        let error = find_protocol("mmrsp").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown locking protocol \"mmrsp\" (there are none, npcs, pip, "),
            "{error}"
        );
    }
}
