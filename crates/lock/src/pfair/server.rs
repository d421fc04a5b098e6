//! The static-weight server protocol: sections of any length, executed by servers.
//!
//! P. Holman and J. H. Anderson, "Locking in Pfair-scheduled multiprocessor systems", RTSS 2002; "Adapting Pfair
//! scheduling for symmetric multiprocessors", 2005, sections II.B and IV.E. Each resource belongs to a server, a task
//! with a weight of its own that does not change. A job that requests the resource suspends itself; the server executes
//! its section on its behalf, and the job goes on after it. Requests to a server are executed one after another, first
//! come, first served. A server without requests suspends itself; a task says by [`Step::Serve`] that it is one.
//!
//! In the model, a request takes O(1), and the end of a section O(w) for the w jobs that wait for the server.
//!
//! [`Step::Serve`]: schedlab_model::Step::Serve

use crate::contract::{
    BrokenRule, Ceilings, Effect, GrantOrder, LockError, LockProtocol, LockSetup, Nesting, OnLinux,
    Preemption, Protocol, Reach, Reply, Section, Turn, Waiting,
};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use schedlab_model::{Event, JobId, LockingClass, ResourceId, Step, TaskId};

/// Entry of "pfair-server" in the list of protocols.
pub(crate) const SERVER: Protocol = Protocol {
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
    class: LockingClass::Server,
    on_linux: OnLinux::Nothing,
    make: |setup| Ok(Box::new(Servers::new(setup)?)),
};

/// Servers of resources, and the jobs that wait for them.
#[derive(Clone, Debug)]
pub(crate) struct Servers {
    /// By resource: its server; resources that no task requests may have none.
    server: Vec<Option<TaskId>>,
    /// By server's task: the sections to execute, in order; the first is being executed.
    clients: Vec<Vec<(JobId, ResourceId)>>,
}

impl Servers {
    /// Needs a Pfair scheduler, a server for each resource that is requested, one unit of each, and sections without
    /// nesting or suspension.
    pub(crate) fn new(setup: &LockSetup<'_>) -> Result<Self, LockError> {
        let protocol = "the static-weight server protocol";
        let usage = setup.usage()?;
        setup.demand_flat(protocol)?;
        setup.demand_pfair(protocol)?;
        let server = servers(setup)?;
        for (users, index) in usage.users.iter().zip(0..) {
            let resource = ResourceId(index);
            let Some((first, _)) = users.needs.first() else { continue };
            let requests = |(task, _): &&(TaskId, u32)| setup.tasks[task.index()].is_server();
            if let Some((task, _)) = users.needs.iter().find(requests) {
                let step = setup.first_request(*task, resource);
                return Err(BrokenRule::ServerRequests(resource).at(*task, step));
            }
            if server[resource.index()].is_none() {
                let step = setup.first_request(*first, resource);
                return Err(BrokenRule::NoServer { resource, protocol }.at(*first, step));
            }
        }
        let tasks = setup.tasks.len();
        Ok(Servers { server, clients: (0..tasks).map(|_| Vec::with_capacity(tasks)).collect() })
    }
}

/// By resource: its server, of which there is at most one.
fn servers(setup: &LockSetup<'_>) -> Result<Vec<Option<TaskId>>, LockError> {
    let mut server: Vec<Option<TaskId>> = vec![None; setup.resources.len()];
    for (task, index) in setup.tasks.iter().zip(0..) {
        for (position, step) in task.program.iter().enumerate() {
            let Step::Serve(resource) = *step else { continue };
            if let Some(first) = server[resource.index()].replace(TaskId(index)) {
                return Err(BrokenRule::TwoServers { resource, first }.at(TaskId(index), position));
            }
        }
    }
    Ok(server)
}

impl LockProtocol for Servers {
    fn request(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) -> Reply {
        let server = self.server[resource.index()].expect("what is requested has a server");
        let clients = &mut self.clients[server.index()];
        clients.push((job, resource));
        if clients.len() == 1 {
            turn.out.push(Effect::Serve { server, client: job });
        }
        Reply::RunByServer
    }

    /// Ends the section of the client `job`.
    fn release(&mut self, Section { job, resource, .. }: Section, turn: &mut Turn<'_>) {
        let server = self.server[resource.index()].expect("what is requested has a server");
        let clients = &mut self.clients[server.index()];
        assert_eq!(clients.first(), Some(&(job, resource)), "it was being served");
        clients.remove(0);
        if let Some(&(client, _)) = clients.first() {
            turn.out.push(Effect::Serve { server, client });
        }
    }

    fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        self.server[resource.index()]
    }

    /// Keeps a section that is being executed, even if its client is given up, because it would leave the resource in
    /// disorder.
    fn note(&mut self, event: Event, _: &mut Turn<'_>) {
        if let Event::Aborted(job) = event {
            for clients in &mut self.clients {
                if let Some(index) = clients.iter().skip(1).position(|(client, _)| *client == job) {
                    clients.remove(index + 1);
                }
            }
        }
    }
}
