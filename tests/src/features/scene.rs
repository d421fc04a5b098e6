//! A scenario before it is text: everything that a user may state, as plain numbers of nanoseconds.

use super::task::SceneTask;
use crate::pfair_schedulers::is_pfair;
use schedlab_lab::Prepared;
use schedlab_lock::Protocol;
use schedlab_model::MutexProtocol;
use schedlab_scenario::Scenario;
use std::fmt::Write as _;

/// A supertask, without its components: tasks name it.
#[derive(Clone, Debug)]
pub struct SceneSupertask {
    /// `EDF`, `RM` or `DM`.
    pub order: &'static str,
    /// Its components are chosen where its quanta begin.
    pub quantum_based: bool,
}

/// A scenario before it is text.
#[derive(Clone, Debug)]
pub struct Scene {
    /// By name.
    pub scheduler: String,
    /// How many there are.
    pub processors: u64,
    /// Under clustered schedulers: the processors of each cluster.
    pub clusters: Vec<Vec<u64>>,
    /// The length of a quantum, and the distance of ticks.
    pub quantum: u64,
    /// Ticks and quanta are staggered.
    pub staggered: bool,
    /// Arrivals are noticed at ticks.
    pub ticks: bool,
    /// How jobs share resources.
    pub protocol: Option<&'static Protocol>,
    /// By resource: its units, and whether it is long.
    pub resources: Vec<(u64, bool)>,
    /// By resource: its protocol as a mutex of POSIX; empty if none states one.
    pub mutexes: Vec<MutexProtocol>,
    /// By name: the constant cost.
    pub overheads: Vec<(&'static str, u64)>,
    /// How tasks that fit nowhere are split.
    pub split: Option<&'static str>,
    /// Pfair weights with which no job is late.
    pub guaranteed: bool,
    /// Called `s0`, `s1` and so on.
    pub supertasks: Vec<SceneSupertask>,
    /// Called `t0`, `t1` and so on.
    pub tasks: Vec<SceneTask>,
    /// When a simulation ends.
    pub horizon: u64,
    /// Of its random arrivals and costs.
    pub seed: u64,
}

impl Scene {
    /// As a user would write it.
    pub fn text(&self) -> String {
        let mut text =
            format!("schedlab = 1\nseed = {}\nhorizon = \"{}ns\"\n", self.seed, self.horizon.max(1));
        if let Some(protocol) = self.protocol {
            let _ = writeln!(text, "protocol = \"{}\"", protocol.name);
        }
        let _ = writeln!(text, "[scheduler]\nname = \"{}\"", self.scheduler);
        if self.guaranteed {
            text.push_str("weights = \"guaranteed\"\n");
        }
        if let Some(split) = self.split {
            let _ = writeln!(text, "placement = {{ split = \"{split}\" }}");
        }
        let _ =
            writeln!(text, "[platform]\nprocessors = {}\nquantum = \"{}ns\"", self.processors, self.quantum);
        if !self.clusters.is_empty() {
            let _ = writeln!(text, "clusters = {:?}", self.clusters);
        }
        if self.staggered {
            text.push_str("alignment = \"staggered\"\n");
        }
        if self.ticks {
            text.push_str("releases = \"tick\"\n");
        }
        if !self.overheads.is_empty() {
            let one = |(name, length): &(&str, u64)| format!("{name} = \"{length}ns\"");
            let all: Vec<String> = self.overheads.iter().map(one).collect();
            let _ = writeln!(text, "[overheads]\nall = {{ {} }}", all.join(", "));
        }
        for (id, (units, long)) in self.resources.iter().enumerate() {
            let length = if *long { "long" } else { "short" };
            let _ = writeln!(text, "[[resource]]\nname = \"R{id}\"\nunits = {units}\nlength = \"{length}\"");
            if let Some(protocol) = self.mutexes.get(id) {
                let _ = writeln!(text, "protocol = \"{}\"", protocol.name());
            }
        }
        for (index, supertask) in self.supertasks.iter().enumerate() {
            let _ = writeln!(text, "[[supertask]]\nname = \"s{index}\"\norder = \"{}\"", supertask.order);
            if supertask.quantum_based {
                text.push_str("scheduling = \"quantum-based\"\n");
            }
        }
        for (index, task) in self.tasks.iter().enumerate() {
            let _ = writeln!(text, "[[task]]\nname = \"t{index}\"");
            task.write(self, &mut text);
        }
        text
    }

    /// The scenario, or why it is refused.
    pub fn scenario(&self) -> Result<Scenario, String> {
        Scenario::parse("drawn", &self.text()).map_err(|errors| errors.to_string())
    }

    /// Ready to be analysed and simulated, or why it is refused.
    pub fn prepared(&self) -> Result<Prepared, String> {
        Prepared::new(&self.scenario()?).map_err(|error| error.to_string())
    }

    /// Costs at so many ten-thousandths of what they are, at least 1 each.
    #[must_use]
    pub fn scaled(&self, factor: u64) -> Scene {
        let mut scaled = self.clone();
        scaled.tasks.iter_mut().for_each(|task| task.scale(factor));
        scaled
    }

    /// Whether its scheduler is one of Pfair.
    pub fn is_pfair(&self) -> bool {
        is_pfair(&self.scheduler)
    }

    /// The clusters in which its tasks may be.
    pub fn cluster_count(&self) -> u64 {
        let preemptive = self.scheduler.trim_start_matches('N');
        match preemptive.split_once('-') {
            Some(("P", _)) => self.processors,
            Some(("C", _)) => self.clusters.len() as u64,
            _ => 1,
        }
    }

    /// How many processors a cluster has.
    pub fn size(&self, cluster: u64) -> u64 {
        match (self.clusters.get(cluster as usize), self.cluster_count()) {
            (Some(cpus), _) => cpus.len() as u64,
            (None, 1) => self.processors,
            (None, _) => 1,
        }
    }
}
