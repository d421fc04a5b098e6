//! A scenario as settings of Linux's own schedulers, with what is proved of them.
//!
//! Settings with which Linux would act otherwise than the scenario's scheduler and protocol are refused
//! ([`schedlab_scenario::launch`]); the error lists what Linux has, and what would be proved of it ([`instead`]).
//! Settings without proof are refused too, unless the caller wants them; the file then says so. If a format rounds
//! times, the proof is about the rounded times. It is about a kernel with its default throttling, unless the scenario
//! states another one.

mod doubt;
mod instead;

use crate::advise::judged::{assumptions, judged};
use crate::prepare::catalog::Catalog;
use crate::prepare::error::PrepareError;
use crate::prepare::prepared::Prepared;
pub use doubt::Doubt;
use instead::Tried;
use schedlab_policy::{KernelClass, Throttling};
use schedlab_scenario::launch::{services, Launcher};
use schedlab_scenario::{Errors, RestsOn, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

/// The proof of the tasks' deadlines under the settings that are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DeployedProof")]
pub struct DeployedProof {
    /// True if all deadlines are proved to be met, on conditions that a machine keeps.
    proved: bool,
    /// The result of the tests, in a line.
    verdict: String,
    /// Assumptions of the proof; empty without one.
    assumptions: Vec<String>,
}

/// Settings of Linux's own schedulers.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The text of the file.
    pub text: String,
    /// For systemd, the services as file names and texts; else empty.
    pub services: Vec<(String, String)>,
    /// Properties of the scenario that the file does not state, and remarks that the user has to heed.
    pub lost: Vec<String>,
    /// The proof of the settings' deadlines, or the lack of one.
    pub proof: DeployedProof,
}

/// The reason why no settings are written.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DeployError {
    /// The scenario cannot be prepared.
    #[error(transparent)]
    Prepare(PrepareError),
    /// Linux would act otherwise than the scenario's scheduler and protocol.
    #[error("{why}; {instead}")]
    OtherMeaning {
        /// The differences.
        why: Errors,
        /// The schedulers and protocols that Linux has instead, and whether they are proved.
        instead: Tried,
    },
    /// The deadlines are not proved to be met.
    #[error("the tasks are not proved schedulable: {verdict}; allowed: --unproved, which says so in the file, or what `schedlab advise` finds")]
    Unproved {
        /// The result of the tests, in words.
        verdict: String,
    },
    /// The deadlines are proved only on a condition that a machine may break.
    #[error("the tasks are not proved schedulable: {doubt}; without that, what would be proved: {verdict}; allowed: {}, or --unproved, which says so in the file", .doubt.cure())]
    Doubted {
        /// The condition.
        doubt: Doubt,
        /// The result of the tests without it, in words.
        verdict: String,
    },
}

/// Writes the settings of `scenario` for Linux. Refuses tasks that are not proved schedulable, unless `unproved` is
/// set.
pub fn deploy(
    scenario: &Scenario,
    catalog: &Catalog,
    launcher: Launcher,
    unproved: bool,
) -> Result<Deployment, DeployError> {
    let (rounded, of_rounding) = launcher.rounded(&scenario.clone().on_linux());
    let any = Prepared::with_any_protocol(&rounded, catalog).map_err(DeployError::Prepare)?;
    if let Err(why) = launcher.accepts(&any.scenario, &any.protocol) {
        let instead = instead::ways(&rounded, catalog, launcher);
        return Err(DeployError::OtherMeaning { why, instead });
    }
    let prepared = Prepared::for_analysis(&rounded, catalog).map_err(DeployError::Prepare)?;
    let (made, protocol) = (&prepared.scenario, &prepared.protocol);
    let mut proof = proof(&prepared);
    let doubt = Doubt::about(&prepared).filter(|_| proof.proved);
    if let Some(doubt) = &doubt {
        proof.proved = false;
        proof.assumptions.clear();
        proof.verdict = match unproved {
            true => format!("{doubt}; without that, what would be proved: {}", proof.verdict),
            false => proof.verdict,
        };
    }
    if !proof.proved && !unproved {
        let verdict = proof.verdict;
        return Err(match doubt {
            Some(doubt) => DeployError::Doubted { doubt, verdict },
            None => DeployError::Unproved { verdict },
        });
    }
    let why = |why| {
        let instead = instead::ways(&rounded, catalog, launcher);
        DeployError::OtherMeaning { why, instead }
    };
    let mut remarks = remarks(&prepared, &proof);
    let assumed = assumed_of_kernel(scenario, &prepared);
    let item = if proof.proved { "* " } else { "" };
    remarks.extend(assumed.iter().map(|line| format!("{item}{line}")));
    remarks.extend(of_rounding.clone());
    let written = launcher.write(made, protocol, &remarks).map_err(why)?;
    let services = match launcher {
        Launcher::Systemd => services(made, protocol, &remarks).map_err(why)?.value,
        Launcher::RtApp | Launcher::SchedDeadline | Launcher::Threads(_) => Vec::new(),
    };
    Ok(Deployment {
        text: written.value,
        services,
        lost: of_rounding.into_iter().chain(assumed).chain(written.lost).collect(),
        proof,
    })
}

/// Returns a remark on the throttling that the proof is about, if `scenario` states none and the kernel has one for
/// such threads.
fn assumed_of_kernel(scenario: &Scenario, prepared: &Prepared) -> Option<String> {
    let is_fifo = prepared.class_on_linux() == Some(KernelClass::Fifo);
    let Throttling { runtime, period } = prepared
        .scenario
        .scheduler
        .throttling
        .filter(|_| is_fifo && scenario.scheduler.throttling.is_none())?;
    Some(format!(
        "the scenario states no throttling, so the kernel's default is taken: {runtime} of each {period} for such threads \
         (kernel.sched_rt_runtime_us; `schedlab doctor` says how a machine is set)"
    ))
}

/// Returns whether the deadlines are proved to be met, the result in words, and the assumptions of the proof.
fn proof(prepared: &Prepared) -> DeployedProof {
    let (proved, _, reason) = judged(prepared);
    let verdict = reason.in_words(&prepared.scenario);
    let assumptions = match proved {
        true => assumptions(prepared),
        false => Vec::new(),
    };
    DeployedProof { proved, verdict, assumptions }
}

/// Returns the lines with which the file begins.
fn remarks(prepared: &Prepared, proof: &DeployedProof) -> Vec<String> {
    let scenario = &prepared.scenario;
    let number = scenario.platform.processors;
    let processors = if number == 1 { "processor" } else { "processors" };
    let under = format!("{} on {number} {processors}", prepared.scheduler.name);
    let shares = prepared.tasks.iter().any(schedlab_model::Task::has_requests);
    let protocol = if shares { format!(", protocol {}", prepared.protocol.name) } else { String::new() };
    let mut lines = vec![format!("Written by schedlab for: {under}{protocol}.")];
    if !scenario.title.is_empty() {
        lines.insert(0, scenario.title.clone());
    }
    let verdict = &proof.verdict;
    let is_observed = scenario.rests_on().contains(&RestsOn::ObservedCosts);
    lines.push(match proof.proved {
        true if is_observed => {
            format!("All deadlines are proved to be met, if no job costs more than was observed: {verdict}.")
        }
        true => format!("All deadlines are proved to be met: {verdict}."),
        false => format!("NOT PROVED: deadlines may be missed. {verdict}."),
    });
    if !proof.assumptions.is_empty() {
        lines.push("This rests on:".to_owned());
        lines.extend(proof.assumptions.iter().map(|one| format!("* {one}")));
    }
    lines
}
