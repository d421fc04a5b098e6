//! Advice for stock Linux: settings of threads and mutexes that keep all deadlines, by which margin.
//!
//! Stock Linux has `SCHED_FIFO`, whose threads are bound to a processor each or go everywhere, `SCHED_DEADLINE`, and
//! mutexes without protocol, with inheritance and with protection. A [`LinuxPlan`] lists the ways to run a scenario's
//! threads so ([`candidates`]), each as a scenario of its own, which `analyze`, `simulate` and `export` take. A way is
//! proved if the tests prove that scenario; nothing is taken over from schedulers that Linux lacks.

mod arranged;
mod candidates;
mod conditions;
mod numbers;
mod settings;

pub use settings::{LinuxMutex, LinuxThread};

use crate::advise::judged::{assumptions, judged};
use crate::advise::sensitivity::{critical_scaling_by, is_proved, Factor};
use crate::caveats::Caveats;
use crate::prepare::catalog::Catalog;
use crate::prepare::prepared::Prepared;
use crate::reason::Reason;
use candidates::Candidate;
use schedlab_model::{MutexProtocol, Task};
use schedlab_policy::{KernelClass, Scope};
use schedlab_scenario::launch::{renumbered, Launcher, ThreadsFile};
use schedlab_scenario::{OverheadProfile, Scenario, Unheeded};
use schemars::JsonSchema;
use serde::Serialize;

/// A way to run a scenario's threads on Linux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinuxWay {
    /// The scheduler that stands for the way in scenarios: `P-SCHED_FIFO`, `SCHED_FIFO` or `SCHED_DEADLINE`.
    pub scheduler: String,
    /// Rule of the places; None if they are those of the scenario, or if no thread is bound.
    pub placement: Option<&'static str>,
    /// Rule of the priorities; None if they are those of the scenario, or under `SCHED_DEADLINE`.
    pub priorities: Option<&'static str>,
    /// True if the way leaves all as the scenario states it.
    pub is_own: bool,
    /// Number of threads with another place or priority than the scenario states, and of mutexes with another protocol.
    pub changes: u32,
    #[allow(missing_docs)]
    #[serde(rename = "schedulable")]
    pub proved: bool,
    /// How much all costs may grow in percent, as in the ways of `advise`.
    #[serde(rename = "margin_percent")]
    pub margin: Factor,
    /// The margin with the smallest overheads that were measured of the same code; else equal to `margin_percent`.
    #[serde(rename = "margin_at_best_percent")]
    pub margin_at_best: Factor,
    /// Rank from 1 on; ways with equal margins share one.
    pub rank: usize,
    /// Statements of the scenario that the way does not heed: "places", "throttling". Such ways are ranked behind
    /// those that heed everything.
    pub unheeded: Vec<&'static str>,
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub caveats: Caveats,
    /// The test that decides, if one does.
    pub test: Option<&'static str>,
    #[allow(missing_docs)]
    pub reason: String,
    /// Jobs that were late in a simulation until the horizon, where no test knows the way; else None.
    pub missed: Option<u64>,
    /// The settings by thread, in the order of the scenario; empty if there are none.
    pub threads: Vec<LinuxThread>,
    /// The settings by mutex.
    pub mutexes: Vec<LinuxMutex>,
    /// What the proof rests on: assumptions of its tests, and conditions on the kernel and the machine. Empty without
    /// a proof.
    pub assumptions: Vec<String>,
    /// The reason why `schedlab export threads` writes no script for it; None if it does.
    pub export_refuses: Option<String>,
}

/// The result of `advise --for linux`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LinuxAdvice {
    /// Number of ways that are proved to meet all deadlines.
    pub proved: usize,
    /// All ways, the best first.
    pub ways: Vec<LinuxWay>,
    /// What stock Linux has and no model or test here knows, a line each.
    pub not_judged: Vec<String>,
    /// The best proved way as a scenario in TOML, which `analyze`, `simulate` and `export` take; None without proof.
    pub scenario: Option<String>,
}

/// A way with its place in the plan.
#[derive(Clone, Debug)]
pub struct JudgedLinuxWay {
    index: usize,
    /// The way and the result of judging it.
    pub way: LinuxWay,
}

/// The ways of Linux to try for a scenario.
#[derive(Clone, Debug)]
pub struct LinuxPlan {
    scenario: Scenario,
    catalog: Catalog,
    candidates: Vec<Candidate>,
    /// The overheads with the smallest of several estimates; `None` if the estimates do not differ.
    at_least: Option<OverheadProfile>,
}

impl LinuxPlan {
    /// Lists all ways of Linux for `scenario`.
    pub fn of(scenario: &Scenario, catalog: &Catalog) -> LinuxPlan {
        let candidates = candidates::all(scenario, catalog);
        let at_least = scenario.overheads.profile.at_least();
        LinuxPlan { scenario: scenario.clone(), catalog: catalog.clone(), candidates, at_least }
    }

    /// Returns the number of ways.
    pub fn ways(&self) -> usize {
        self.candidates.len()
    }

    /// Returns the scenario that way `index` makes of the given one, or the reason why there is none.
    pub fn made(&self, index: usize) -> Result<&Scenario, &str> {
        self.candidates[index].made.as_ref().map_err(String::as_str)
    }

    /// True if all deadlines are proved to be met under way `index`.
    pub fn is_proved(&self, index: usize) -> bool {
        let prepared =
            self.made(index).ok().and_then(|made| Prepared::for_analysis(made, &self.catalog).ok());
        let is_judged = |prepared: &Prepared| judged(prepared).0 && stops(prepared).is_none();
        prepared.is_some_and(|prepared| Self::suits(&prepared).is_ok() && is_judged(&prepared))
    }

    /// Refuses what the class of Linux that decides cannot do.
    fn suits(prepared: &Prepared) -> Result<KernelClass, String> {
        let class = prepared.scheduler.kernel_class().ok_or("is no class of Linux")?;
        prepared.suits_kernel(class).map_err(|error| error.to_string())?;
        Ok(class)
    }

    /// Judges way `index`.
    pub fn judge(&self, index: usize) -> JudgedLinuxWay {
        let candidate = &self.candidates[index];
        let way = match &candidate.made {
            Ok(made) => self.judge_made(candidate, made),
            Err(reason) => failing(candidate, reason.clone()),
        };
        JudgedLinuxWay { index, way }
    }

    /// Judges the scenario that a way makes.
    fn judge_made(&self, candidate: &Candidate, made: &Scenario) -> LinuxWay {
        let failing = |reason: String| failing(candidate, reason);
        let prepared = match Prepared::for_analysis(made, &self.catalog) {
            Ok(prepared) => prepared,
            Err(error) => return failing(error.to_string()),
        };
        let class = match Self::suits(&prepared) {
            Ok(class) => class,
            Err(reason) => return failing(reason),
        };
        let (proved, test, reason) = match (judged(&prepared), stops(&prepared)) {
            ((true, _, _), Some(stopped)) => (false, None, stopped),
            (found, _) => found,
        };
        let critical_scaling = |prepared: &Prepared| {
            critical_scaling_by(prepared, &|scaled| is_proved(scaled) && stops(scaled).is_none())
        };
        let margin = critical_scaling(&prepared);
        let margin_at_best = self.at_least.as_ref().and_then(|least| {
            let mut cheaper = made.clone();
            cheaper.overheads.profile = least.clone();
            Prepared::for_analysis(&cheaper, &self.catalog).ok()
        });
        let margin_at_best = margin_at_best.map_or(margin, |cheaper| critical_scaling(&cheaper).max(margin));
        let is_shared = prepared.tasks.iter().any(Task::has_requests);
        let is_bound = prepared.scheduler.scope == Scope::Partitioned;
        let is_throttled = made.scheduler.throttling.unwrap_or_default().ever_stops();
        let rests_on = conditions::conditions(class, is_throttled, is_shared, is_bound).into_iter();
        let mut unheeded: Vec<&'static str> = made.unheeded().iter().map(Unheeded::name).collect();
        if candidate.is_moved {
            unheeded.push(PLACES);
        }
        let threads = settings::threads(&prepared, class);
        let mutexes = settings::mutexes(&prepared, class);
        let mut caveats = Caveats::of(made);
        caveats.left_out.extend(renumbered_threads(&self.scenario, candidate, &threads));
        LinuxWay {
            changes: changes(&self.scenario, &threads, &mutexes),
            proved,
            margin,
            margin_at_best,
            unheeded,
            caveats,
            test,
            missed: reason.observed_misses(),
            threads,
            mutexes,
            assumptions: match proved {
                true => assumptions(&prepared).into_iter().chain(rests_on.map(str::to_owned)).collect(),
                false => Vec::new(),
            },
            export_refuses: export_refuses(&prepared),
            ..failing(reason.in_words(&prepared.scenario))
        }
    }

    /// Ranks the ways, and puts the answer together.
    pub fn conclude(&self, mut judged: Vec<JudgedLinuxWay>) -> LinuxAdvice {
        let order = |way: &LinuxWay| (!way.proved, !way.unheeded.is_empty(), std::cmp::Reverse(way.margin));
        judged.sort_by_key(|one| (order(&one.way), one.way.changes, one.index));
        let best = judged.first().filter(|one| one.way.proved).map(|one| one.index);
        let scenario = best.and_then(|index| self.made(index).ok()).map(Scenario::to_toml);
        let mut ways: Vec<LinuxWay> = Vec::new();
        for JudgedLinuxWay { mut way, .. } in judged {
            let alike = ways.last().filter(|last| order(last) == order(&way));
            way.rank = alike.map_or(ways.len() + 1, |last| last.rank);
            ways.push(way);
        }
        let proved = ways.iter().filter(|way| way.proved).count();
        LinuxAdvice { proved, ways, not_judged: not_judged(&self.scenario), scenario }
    }
}

/// Returns a remark if threads that are to keep the priorities of `scenario` get others, as none may have 99.
fn renumbered_threads(scenario: &Scenario, candidate: &Candidate, threads: &[LinuxThread]) -> Option<String> {
    let scheduler = scenario.known_scheduler().filter(|_| candidate.priorities.is_none())?;
    let numbers: Option<Vec<u32>> = threads.iter().map(|thread| thread.priority).collect();
    renumbered(scenario, &scheduler, &numbers?)
}

/// Returns the reason why throttling or the fair server may stop threads of `SCHED_FIFO`, as the scenario states them,
/// or else as the kernel has them by default.
fn stops(prepared: &Prepared) -> Option<Reason> {
    let throttling = prepared.scenario.scheduler.throttling.unwrap_or_default();
    let is_fifo = prepared.scheduler.kernel_class() == Some(KernelClass::Fifo);
    let stops = prepared.stops_under(throttling).filter(|_| is_fifo)?;
    Some(stops.reason(prepared.scheduler.name.to_string(), throttling))
}

/// Returns the reason why no script of threads is written of a scenario, though it be proved.
fn export_refuses(prepared: &Prepared) -> Option<String> {
    if let Some(statistic) = prepared.scenario.rests_on_statistic() {
        return Some(format!("a proof takes it that {statistic}; allowed: --statistic max"));
    }
    let accepted = Launcher::Threads(ThreadsFile::Script).accepts(&prepared.scenario, &prepared.protocol);
    accepted.err().map(|errors| errors.to_string())
}

/// Word for places that a way does not heed.
const PLACES: &str = "places";

/// Returns a way that cannot be judged, with the reason.
fn failing(candidate: &Candidate, reason: String) -> LinuxWay {
    LinuxWay {
        scheduler: candidate.scheduler.clone(),
        placement: candidate.placement,
        priorities: candidate.priorities,
        is_own: candidate.is_own,
        changes: 0,
        proved: false,
        margin: Factor(0),
        margin_at_best: Factor(0),
        rank: 0,
        unheeded: Vec::new(),
        caveats: Caveats::default(),
        test: None,
        reason,
        missed: None,
        threads: Vec::new(),
        mutexes: Vec::new(),
        assumptions: Vec::new(),
        export_refuses: None,
    }
}

/// Counts the threads with another processor or priority than the scenario states, and the mutexes with another
/// protocol.
fn changes(scenario: &Scenario, threads: &[LinuxThread], mutexes: &[LinuxMutex]) -> u32 {
    let is_moved = |(index, thread): &(usize, &LinuxThread)| {
        let task = &scenario.tasks[*index];
        let is_elsewhere = task.processor.is_some_and(|cpu| thread.processors != [cpu]);
        is_elsewhere || task.priority.is_some_and(|own| thread.priority != Some(own))
    };
    let is_other = |mutex: &&LinuxMutex| {
        let own = scenario.resources.iter().find(|spec| spec.name == mutex.name);
        own.is_some_and(|own| own.protocol.map_or(MutexProtocol::None, |kind| kind).name() != mutex.protocol)
    };
    let moved = threads.iter().enumerate().filter(is_moved).count();
    (moved + mutexes.iter().filter(is_other).count()) as u32
}

/// Returns what stock Linux lacks of `scenario`, with places and with what it has instead; `None` if it lacks nothing.
pub fn refusal_of(scenario: &Scenario, catalog: &Catalog) -> Option<String> {
    let scheduler = match catalog.scheduler_of(scenario) {
        Ok(scheduler) => scheduler,
        Err(error) => return Some(error.to_string()),
    };
    let protocol = match catalog.protocol_of(scenario) {
        Ok(protocol) => protocol,
        Err(error) => return Some(error.to_string()),
    };
    scenario.check_linux(&scheduler, &protocol).err().map(|errors| errors.to_string())
}

/// Lists what stock Linux has for this machine and nothing here models.
fn not_judged(scenario: &Scenario) -> Vec<String> {
    match scenario.platform.processors {
        0 | 1 => Vec::new(),
        2 => vec!["SCHED_DEADLINE on one processor each (exclusive cpusets): no model, no test".to_owned()],
        _ => vec![
            "SCHED_FIFO on clusters of processors (affinity or cpuset): no model, no test".to_owned(),
            "SCHED_DEADLINE on one processor or cluster each (exclusive cpusets): no model, no test"
                .to_owned(),
        ],
    }
}
