//! Guarantees of tasks beside budget servers, cluster by cluster.
//!
//! Tasks that are no clients have bounds beside the servers, which exist to protect these. Clients that are served
//! first come, first served mostly have no deadlines; if one has some, nothing here proves them, and the answer is
//! unknown. Clients with a scheduler of their own are judged by what their server supplies (`subsystems.rs`). A server
//! that is less urgent than a task never delays it.

use super::assumption::Assumption;
use super::finding::Finding;
use super::subsystems;
use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use schedlab_analysis::servers::{bandwidths_fit, demand_fits, response_bound, Interference};
use schedlab_analysis::Answer;
use schedlab_analysis::Assumption::{
    GlobalEdf, NoJitter, NoOverheads, NoSelfSuspension, OneProcessorEdf, OneProcessorFixedPriorities,
};
use schedlab_model::{Cluster, ClusterId, Duration, OrderClass, Suspension, Task, TaskId};
use schedlab_policy::servers::{BudgetServer, ServerKind};

/// Name of the test in verdicts about tasks beside servers.
pub(crate) const TEST: &str = "servers";

const FIXED: &str =
    "Lehoczky, Sha and Strosnider, RTSS 1987; Strosnider, Lehoczky and Sha, IEEE TC 44(1), 1995; \
                     Stanovic, Baker, Wang and Harbour, RTAS 2010";
const DEADLINES: &str =
    "Abeni and Buttazzo, RTSS 1998; Lipari and Baruah, ECRTS 2000; Deng, Liu and Sun, ECRTS 1997; \
                         Spuri and Buttazzo, RTS 10(2), 1996";
const SEVERAL: &str = "Goossens, Funk and Baruah, RTS 25(2-3), 2003, Theorem 5";

/// Returns the findings about a scenario with budget servers.
pub(crate) fn findings(prepared: &Prepared) -> Vec<Finding> {
    if prepared.scheduler.kernel_class().is_some() {
        return vec![Finding::unknown(TEST, Reason::ServersOfLinux)];
    }
    let class = prepared.scenario.known_scheduler().map(|scheduler| scheduler.class());
    let servers = prepared.scenario.model_servers();
    let hard: Vec<TaskId> = (0..prepared.tasks.len() as u32)
        .map(TaskId)
        .filter(|id| prepared.scenario.tasks[id.index()].server.is_none())
        .collect();
    let suspends = |id: &&TaskId| prepared.tasks[id.index()].suspension != Suspension::None;
    let share = |cluster: &Cluster| cluster.cpus.len() > 1;
    let (machine, source) = match class {
        Some(OrderClass::Deadline) if prepared.platform.clusters.iter().any(share) => (GlobalEdf, SEVERAL),
        Some(OrderClass::Deadline) => (OneProcessorEdf, DEADLINES),
        _ => (OneProcessorFixedPriorities, FIXED),
    };
    let assumptions = [machine, NoSelfSuspension, NoOverheads].map(Assumption::OfTest).to_vec();
    let mut finding = Finding { source, assumptions, ..Finding::unknown(TEST, Reason::BesideServers) };
    if let Some(task) = hard.iter().find(suspends) {
        finding.reason = Reason::SuspendsBesideServers(*task);
        return vec![finding];
    }
    let kept = match class.and_then(|class| class.fixed_key()) {
        Some(key) => by_priority(prepared, &servers, &hard, key, &mut finding),
        None => {
            finding.assumptions.push(Assumption::OfTest(NoJitter));
            (finding.answer, finding.reason) = by_bandwidth(prepared, &servers, &hard);
            vec![finding.answer == Answer::Schedulable; servers.len()]
        }
    };
    if finding.answer == Answer::Schedulable {
        subsystems::judge(prepared, &servers, &kept, &mut finding);
    }
    vec![finding]
}

/// Bounds response times under fixed priorities, and answers by them. Returns of each server whether it surely has had
/// its budget by its deadline.
fn by_priority(
    prepared: &Prepared,
    servers: &[BudgetServer],
    hard: &[TaskId],
    key: fn(&Task) -> u64,
    finding: &mut Finding,
) -> Vec<bool> {
    let mut bounds = vec![None; prepared.tasks.len()];
    let mut late = None;
    let others = |task: &Task, id: Option<TaskId>, own: Option<usize>| -> Result<Vec<Interference>, Reason> {
        let is_first = |other: &Task| key(other) <= key(task);
        let rivals =
            hard.iter().filter(|other| Some(**other) != id).map(|other| &prepared.tasks[other.index()]);
        let rivals = rivals.filter(|other| other.cluster == task.cluster && is_first(other));
        let mut others: Vec<Interference> = rivals.map(Interference::of).collect();
        let above = servers.iter().enumerate().filter(|(index, server)| {
            Some(*index) != own && cluster_of(server, prepared) == task.cluster && is_first(&server.as_task())
        });
        for (index, server) in above {
            let name = || prepared.scenario.servers[index].name.clone();
            others.push(interference(server).ok_or_else(|| Reason::NothingBoundsServer { server: name() })?);
        }
        Ok(others)
    };
    for id in hard {
        let task = &prepared.tasks[id.index()];
        match others(task, Some(*id), None) {
            Ok(others) => bounds[id.index()] = response_bound(task, &others),
            Err(reason) => {
                finding.reason = reason;
                return Vec::new();
            }
        }
        if bounds[id.index()].is_none() {
            late = late.or(Some(*id));
        }
    }
    let is_kept = |(index, server): (usize, &BudgetServer)| {
        let task = Task { cluster: cluster_of(server, prepared), ..server.as_task() };
        others(&task, None, Some(index)).is_ok_and(|others| response_bound(&task, &others).is_some())
    };
    let kept = servers.iter().enumerate().map(is_kept).collect();
    (finding.answer, finding.reason) = match late {
        Some(task) => (Answer::Unknown, Reason::MayBeLateBesideServers(task)),
        None => (Answer::Schedulable, Reason::ServersLeaveRoom),
    };
    let is_free = |id: usize| prepared.tasks[id].relative_deadline == Task::NO_DEADLINE;
    let tardiness = |(id, bound): (usize, &Option<Duration>)| {
        bound.map(|_| Duration::ZERO).or(is_free(id).then_some(Duration::ZERO))
    };
    finding.tardiness = Some(bounds.iter().enumerate().map(tardiness).collect());
    finding.response_times = Some(bounds);
    kept
}

/// The interference by a server with less urgent tasks; `None` if nothing bounds it.
fn interference(server: &BudgetServer) -> Option<Interference> {
    let jitter = match server.kind {
        ServerKind::Polling | ServerKind::CorrectedSporadic | ServerKind::Periodic => Duration::ZERO,
        ServerKind::Deferrable => server.period - server.budget.at_unit_speed(),
        ServerKind::Sporadic | ServerKind::PosixSporadic => return None,
        ServerKind::DynamicSporadic
        | ServerKind::SoftConstantBandwidth
        | ServerKind::HardConstantBandwidth
        | ServerKind::Reclaiming
        | ServerKind::LinuxReclaiming
        | ServerKind::ConstantUtilization
        | ServerKind::TotalBandwidth => return None,
    };
    Some(Interference { work: server.budget, period: server.period, jitter })
}

/// Answers under EDF, cluster by cluster: by demand where all servers are periodic, else by densities and bandwidths.
fn by_bandwidth(prepared: &Prepared, servers: &[BudgetServer], hard: &[TaskId]) -> (Answer, Reason) {
    let (mut by_demand, mut largest) = (true, 1);
    for index in 0..prepared.platform.clusters.len() as u16 {
        let cluster = ClusterId(index);
        let tasks = hard.iter().map(|id| &prepared.tasks[id.index()]);
        let mut tasks: Vec<Task> = tasks.filter(|task| task.cluster == cluster).cloned().collect();
        let here: Vec<&BudgetServer> =
            servers.iter().filter(|server| cluster_of(server, prepared) == cluster).collect();
        if tasks.is_empty() && !here.iter().any(|server| server.order.is_subsystem()) {
            continue;
        }
        let processors = prepared.platform.clusters[cluster.index()].cpus.len() as u32;
        if processors == 1 && here.iter().all(|server| server.kind == ServerKind::Periodic) {
            tasks.extend(here.iter().map(|server| server.as_task()));
            if !demand_fits(&tasks) {
                return (Answer::Unknown, Reason::DemandBeyond { processor: index });
            }
            continue;
        }
        (by_demand, largest) = (false, largest.max(processors));
        let name_of = |server: &BudgetServer| {
            let place = servers.iter().position(|known| known.clients == server.clients);
            prepared.scenario.servers[place.expect("the server is one of them")].name.clone()
        };
        if let Some(early) = here.iter().find(|server| server.kind == ServerKind::DynamicSporadic) {
            return (Answer::Unknown, Reason::DynamicGivesBackTooEarly { server: name_of(early) });
        }
        let reclaims = |server: &&&BudgetServer| server.kind == ServerKind::LinuxReclaiming;
        if let Some(server) = here.iter().find(reclaims).filter(|_| processors > 1) {
            return (Answer::Unknown, Reason::ReclaimsOnSeveral { server: name_of(server) });
        }
        let bandwidths: Vec<_> =
            here.iter().map(|server| (server.budget, server.relative_deadline)).collect();
        if !bandwidths_fit(&tasks, &bandwidths, processors) {
            return match processors {
                1 => (Answer::Unknown, Reason::BandwidthsBeyond { processor: index }),
                _ => (Answer::Unknown, Reason::BandwidthsFailEdf { cluster: index }),
            };
        }
    }
    match by_demand {
        true => (Answer::Schedulable, Reason::ServersFit),
        false if largest > 1 => (Answer::Schedulable, Reason::BandwidthsPassEdf),
        false => (Answer::Schedulable, Reason::BandwidthsFit),
    }
}

pub(super) fn cluster_of(server: &BudgetServer, prepared: &Prepared) -> ClusterId {
    prepared.tasks[server.clients[0].index()].cluster
}
