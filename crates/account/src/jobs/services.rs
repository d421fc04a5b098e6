//! Sections that servers execute for their clients, first come, first served: they are steps of the clients' programs.

use schedlab_lab::Prepared;
use schedlab_model::{JobId, LockingClass, ResourceId, Step, TaskId};
use schedlab_trace::{about, Record};
use std::collections::{BTreeMap, VecDeque};

/// The begin or the end of a section that a server's job executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Service {
    /// The job begins the section.
    Begins,
    /// The job has executed the section, with these units of the resource, for this client, if that is known.
    Ends(Option<JobId>, ResourceId, u32),
}

/// The servers of resources, and the jobs that wait for them.
pub(crate) struct Services {
    /// By resource: its server.
    server: Vec<Option<TaskId>>,
    /// By server's task: the jobs that wait for it, in order.
    clients: BTreeMap<TaskId, VecDeque<JobId>>,
}

impl Services {
    /// The servers of `prepared`, if its protocol has some.
    pub(crate) fn of(prepared: &Prepared) -> Self {
        let serves = prepared.protocol.class == LockingClass::Server;
        let server = |index| {
            let serve = Step::Serve(ResourceId(index));
            let task = prepared.tasks.iter().position(|task| task.program.contains(&serve))?;
            Some(TaskId(task as u32)).filter(|_| serves)
        };
        let server = (0..prepared.resources.len() as u32).map(server).collect();
        Services { server, clients: BTreeMap::new() }
    }

    /// Reads a record; returns what the job of a server does by it, if anything.
    pub(crate) fn read(&mut self, record: &Record) -> Option<Service> {
        match *record {
            Record::Request { job, resource, .. } => {
                if let Some(server) = self.server_of(resource) {
                    self.clients.entry(server).or_default().push_back(job);
                }
                None
            }
            Record::Acquire { job, resource, .. } => {
                (self.server_of(resource) == Some(job.task)).then_some(Service::Begins)
            }
            Record::Release { job, resource, units } => {
                let server = self.server_of(resource).filter(|server| *server == job.task)?;
                let client = self.clients.get_mut(&server).and_then(VecDeque::pop_front);
                Some(Service::Ends(client, resource, units))
            }
            about![lives, places, urgencies, Spin, Delay, attempts, machine] => None,
        }
    }

    /// True if `task` is the server of a resource.
    pub(crate) fn serves(&self, task: TaskId) -> bool {
        self.server.contains(&Some(task))
    }

    fn server_of(&self, resource: ResourceId) -> Option<TaskId> {
        self.server.get(resource.index()).copied().flatten()
    }
}
