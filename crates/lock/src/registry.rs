//! Locking protocols by name.

use crate::lock_error::LockError;
use crate::pfair::{lock_free, server, zones};
use crate::setup::LockSetup;
use crate::{
    dflp, dpcp, fmlp, fmlp_plus, gpip, ipcp, mpcp, mrsp, msrp, npcs, omlp, omlp_clustered, omlp_partitioned,
    pcp, pip, ppcp, reader_writer, semaphore, spin, srp, LockProtocol,
};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
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
    /// The longest waiting of those whom the protocol lets ask; when it does, no record shows.
    FifoOnceAdmitted,
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
    /// None, but it compares jobs for as long as they last: the scheduler must not be a Pfair one.
    Jobs,
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

/// Every protocol, each described in its own file. A new one is a file and a line here.
pub const ALL: &[Protocol] = &[
    semaphore::SEMAPHORES,
    npcs::NPCS,
    pip::PIP,
    pcp::PCP,
    ipcp::IPCP,
    srp::SRP,
    msrp::MSRP,
    mpcp::MPCP,
    spin::TASK_FAIR,
    fmlp::FMLP,
    fmlp::FMLP_SHORT,
    fmlp::FMLP_LONG,
    dpcp::DPCP,
    dflp::DFLP,
    fmlp_plus::FMLP_PLUS,
    omlp::OMLP,
    omlp_partitioned::OMLP_PARTITIONED,
    omlp_clustered::OMLP_CLUSTERED,
    mrsp::MRSP,
    gpip::GPIP,
    ppcp::PPCP,
    reader_writer::RW_TASK_FAIR,
    reader_writer::RW_PHASE_FAIR,
    zones::ZONE_SKIP,
    zones::ZONE_ROLLBACK,
    server::SERVER,
    lock_free::LOCK_FREE,
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
    use alloc::vec::Vec;
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
                    Ceilings::Jobs => order != PriorityOrder::Pfair,
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
