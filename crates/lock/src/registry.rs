//! Locking protocols by name.

use crate::contract::Protocol;
use crate::suspend::semaphore;
use crate::ALL_PROTOCOLS;
use alloc::string::{String, ToString};
use core::fmt;

/// The name of no protocol at all: plain semaphores.
pub const NONE: &str = semaphore::SEMAPHORES.name;

impl Protocol {
    /// True if this is no protocol at all: plain semaphores, the default of scenarios.
    pub fn is_none(&self) -> bool {
        self.name == NONE
    }
}

/// Error: no protocol has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProtocol {
    /// The unknown name.
    pub name: String,
}

impl fmt::Display for UnknownProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown locking protocol \"{}\" (there are ", self.name)?;
        for (index, protocol) in ALL_PROTOCOLS.iter().enumerate() {
            write!(f, "{}{}", if index > 0 { ", " } else { "" }, protocol.name)?;
        }
        write!(f, ")")
    }
}

impl core::error::Error for UnknownProtocol {}

/// The protocol called `name`, in any case.
pub fn find_protocol(name: &str) -> Result<&'static Protocol, UnknownProtocol> {
    let wanted = name.trim().to_lowercase();
    let found = ALL_PROTOCOLS.iter().find(|protocol| protocol.name == wanted);
    found.ok_or_else(|| UnknownProtocol { name: name.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{Ceilings, LockSetup, Nesting, PriorityOrder, Reach};
    use alloc::vec::Vec;
    use schedlab_model::{ClusterId, Duration, Platform, Resource, ResourceId, Step, Task, Work};

    /// The registry's facts about each protocol agree with what its constructor demands.
    #[test]
    fn each_protocol_takes_what_the_registry_says() {
        for protocol in ALL_PROTOCOLS {
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

    /// Returns a platform that the protocol takes, and a user of every resource on each cluster.
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
        for protocol in ALL_PROTOCOLS {
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

    /// Linux supports only these protocols: a protocol made of another's constant must not take over its mutexes.
    #[test]
    fn stock_linux_has_few_protocols() {
        use crate::contract::OnLinux;
        use crate::nonblocking::{lock_free::LOCK_FREE, wait_free::WAIT_FREE};
        use crate::suspend::{gpip::GPIP, pip::PIP};
        use crate::uniprocessor::ipcp::IPCP;
        for (on_linux, expected) in [
            (OnLinux::Plain, &[NONE][..]),
            (OnLinux::Inherit, &[PIP.name, GPIP.name]),
            (OnLinux::Protect, &[IPCP.name]),
            (OnLinux::InProgram, &[LOCK_FREE.name, WAIT_FREE.name]),
        ] {
            let found = ALL_PROTOCOLS.iter().filter(|known| known.on_linux == on_linux);
            assert_eq!(found.map(|known| known.name).collect::<Vec<_>>(), expected, "{on_linux:?}");
        }
    }

    /// Returns the server that one protocol needs beside its clients.
    fn server(protocol: &Protocol) -> Option<Task> {
        let program = alloc::vec![Step::Serve(ResourceId(0))];
        let task = Task { program, ..Task::implicit(Work::from_ns(1), Duration::from_ns(9)) };
        (protocol.name == "pfair-server").then_some(task)
    }

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(find_protocol(" MSRP ").unwrap().name, "msrp");
        let error = find_protocol("mmrsp").unwrap_err().to_string();
        assert!(error.starts_with("unknown locking protocol \"mmrsp\" (there are none, "), "{error}");
    }
}
