//! From a scenario to what the runtime runs.

use crate::decide::domain::DomainSetup;
use crate::program::error::AppError;
use crate::run::threads::Body;
use crate::run::System;
use schedlab_lab::{PrepareError, Prepared};
use schedlab_lock::find_protocol;
use schedlab_model::{CpuId, JobSource, NextJob, Step, TaskId};
use schedlab_scenario::Scenario;

/// Jobs of some tasks only.
struct Only {
    source: Box<dyn JobSource + Send>,
    /// By task.
    wanted: Vec<bool>,
}

impl JobSource for Only {
    fn next_job(&mut self, task: TaskId, program: &mut Vec<Step>) -> Option<NextJob> {
        self.wanted[task.index()].then(|| self.source.next_job(task, program)).flatten()
    }
}

/// Refuses protocols whose operations are attempts: a thread executes its operation once, and holds a resource meanwhile.
pub fn refuse_attempts(scenario: &Scenario) -> Result<(), AppError> {
    match find_protocol(&scenario.protocol) {
        Ok(protocol) if protocol.attempts() => Err(AppError::Attempts(protocol.name)),
        // Another one is a user's: it is told apart where it is made.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// By task: its domain. Clusters that share nothing are domains of their own.
pub fn domain_of(prepared: &Prepared) -> Vec<usize> {
    let apart = prepared.resources.is_empty();
    prepared.tasks.iter().map(|task| if apart { task.cluster.index() } else { 0 }).collect()
}

/// By processor of the system: its domain.
pub fn domain_of_processor(prepared: &Prepared) -> Vec<usize> {
    let mut domain_of = vec![0; prepared.platform.processors().into()];
    if prepared.resources.is_empty() {
        for (at, cluster) in prepared.platform.clusters.iter().enumerate() {
            cluster.cpus.iter().for_each(|cpu| domain_of[cpu.index()] = at);
        }
    }
    domain_of
}

/// The domains of `prepared`, with fresh policies, protocol and source.
pub fn domains(prepared: &Prepared) -> Result<Vec<DomainSetup>, PrepareError> {
    let clusters = &prepared.platform.clusters;
    let cpus: Vec<Vec<CpuId>> = if prepared.resources.is_empty() {
        clusters.iter().map(|cluster| cluster.cpus.clone()).collect()
    } else {
        vec![clusters.iter().flat_map(|cluster| cluster.cpus.iter().copied()).collect()]
    };
    let domain_of = domain_of(prepared);
    let make = |(at, cpus)| {
        let wanted = domain_of.iter().map(|domain| *domain == at).collect();
        Ok(DomainSetup {
            cpus,
            policies: prepared.policies()?,
            locks: prepared.locks()?,
            source: Box::new(Only { source: prepared.source()?, wanted }),
        })
    };
    cpus.into_iter().enumerate().map(make).collect()
}

/// The whole system, whose jobs do what `bodies` do.
pub fn system(prepared: &Prepared, bodies: Vec<Body>) -> Result<System, PrepareError> {
    let (setup, domains, domain_of) =
        (prepared.setup_without_overheads(), domains(prepared)?, domain_of(prepared));
    Ok(System { setup, domains, domain_of, bodies, background: Vec::new() })
}
