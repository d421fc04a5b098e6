//! Changes to a scenario from outside, such as a command line. Each returns a checked scenario or an error.

use crate::convert::executed;
use crate::copies::{numbered_name, of_copy};
use crate::document::read_file;
use crate::error::{Errors, Problem};
use crate::interchange::schedcat_overheads::read_all;
use crate::loss::Ignored;
use crate::overheads::{unknown, OverheadProfile, OverheadsChoice};
use crate::quantity::fraction;
use crate::resource::ResourceSpec;
use crate::scenario::{Placement, Scenario, ServerSpec, SupertaskSpec};
use crate::unknown::{unknown_protocol, unknown_scheduler};
use crate::words::{placement_words, priorities, OVERFLOWS, PLACEMENT_TESTS, SPLITS, STATISTICS};
use crate::workload::Workload;
use schedlab_lock::NONE;
use schedlab_model::{Instant, Resource, Scheme, Statistic, Task};
use schedlab_policy::{Scheduler, Scope, Throttling, EDF};
use schedlab_workload::generate::{Accesses, Utilities};
use schedlab_workload::placement::Packing;
use std::collections::BTreeMap;

impl Scenario {
    /// Sets the number of processors.
    pub fn with_processors(mut self, processors: u16) -> Result<Scenario, Errors> {
        self.platform.processors = processors;
        self.checked()
    }

    /// Repeats the task set `copies` times; tasks are then called `A.1`, `A.2`, ... The order is that of the set, again
    /// and again.
    pub fn with_copies(mut self, copies: usize) -> Result<Scenario, Errors> {
        let most = crate::check::MOST_TASKS / self.tasks.len().max(1);
        if copies == 0 || copies > most {
            let allowed = format!("from 1 to {most}");
            return Err(Errors::refused(None, "copies", copies, "is no number of copies", allowed));
        }
        if copies > 1 {
            let set = std::mem::take(&mut self.tasks);
            self.tasks = (1..=copies).flat_map(|k| set.iter().map(move |task| of_copy(task, k))).collect();
            let supertasks = std::mem::take(&mut self.supertasks);
            let numbered = |spec: &SupertaskSpec, k| SupertaskSpec {
                name: numbered_name(&spec.name, k),
                ..spec.clone()
            };
            self.supertasks =
                (1..=copies).flat_map(|k| supertasks.iter().map(move |spec| numbered(spec, k))).collect();
            let servers = std::mem::take(&mut self.servers);
            let copy =
                |spec: &ServerSpec, k| ServerSpec { name: numbered_name(&spec.name, k), ..spec.clone() };
            self.servers = (1..=copies).flat_map(|k| servers.iter().map(move |spec| copy(spec, k))).collect();
        }
        self.checked()
    }

    /// Sets the scheduler of this name or alias. Throttling stays, also where the scheduler does not heed it.
    pub fn with_scheduler(mut self, name: &str) -> Result<Scenario, Errors> {
        let Ok(scheduler) = schedlab_policy::find(name) else {
            return Err(Errors::one(None, "scheduler", unknown_scheduler(name)));
        };
        self.scheduler.name = scheduler.name;
        self.scheduler.own = None;
        self.checked()
    }

    /// States the kernel's default throttling, unless the scenario states another one, and notes it for answers: what
    /// is said of threads of stock Linux is then said of a kernel without other settings.
    #[must_use]
    pub fn on_linux(mut self) -> Scenario {
        if self.scheduler.throttling.is_none() {
            let default = Throttling::default();
            let Throttling { runtime, period } = default;
            let value = format!("{runtime} of each {period}, the kernel's default");
            self.suppose("scheduler.throttling", value, None);
            self.scheduler.throttling = Some(default);
        }
        self
    }

    /// Sets a scheduler of the user's own. No file can name it, so the text names one that divides the machine in the
    /// same way.
    pub fn with_own_scheduler(mut self, name: &str, scope: Scope) -> Result<Scenario, Errors> {
        self.scheduler.name = Scheduler::of_order(EDF, true, scope).name;
        self.scheduler.own = Some(name.to_owned());
        self.checked()
    }

    /// Sets a locking protocol of the user's own. No file can name it, so the text names `none`.
    pub fn with_own_protocol(mut self, name: &str) -> Result<Scenario, Errors> {
        self.refuse_protocol(name)?;
        self.protocol = NONE.to_owned();
        self.own_protocol = Some(name.to_owned());
        self.checked()
    }

    /// Sets the locking protocol of this name.
    pub fn with_protocol(mut self, name: &str) -> Result<Scenario, Errors> {
        let Ok(protocol) = schedlab_lock::find_protocol(name) else {
            return Err(Errors::one(None, "protocol", unknown_protocol(name)));
        };
        self.refuse_protocol(protocol.name)?;
        self.protocol = protocol.name.to_owned();
        self.own_protocol = None;
        self.checked()
    }

    /// Removes the protocols that resources state as mutexes of POSIX, so that one protocol holds for all.
    #[must_use]
    pub fn without_own_protocols(mut self) -> Scenario {
        self.resources.iter_mut().for_each(|spec| spec.protocol = None);
        self
    }

    /// Refuses another protocol for all resources if one of them has its own, as a mutex of POSIX.
    fn refuse_protocol(&self, wanted: &str) -> Result<(), Errors> {
        let Some(spec) = self.resources.iter().find(|spec| spec.protocol.is_some()) else { return Ok(()) };
        let why = format!("stands beside the protocol of resource \"{}\", which goes before it", spec.name);
        let allowed =
            "a scenario whose resources state no protocols, or --set resource.NAME.protocol=inherit";
        Err(Errors::refused(None, "protocol", format!("\"{wanted}\""), &why, allowed))
    }

    /// Sets another scheme for the object of this name.
    pub fn with_scheme(mut self, name: &str, scheme: &str) -> Result<Scenario, Errors> {
        let is_object = |spec: &&ResourceSpec| spec.object.is_some();
        let objects: Vec<String> =
            self.resources.iter().filter(is_object).map(|spec| spec.name.clone()).collect();
        let field = format!("schemes.{name}");
        let Some(spec) = self.resources.iter_mut().find(|spec| spec.name == name) else {
            let problem = Problem::unknown_name("object", name, objects.iter().map(String::as_str));
            return Err(Errors::one(None, field, problem));
        };
        let Some(object) = &mut spec.object else {
            let (why, allowed) = ("has no kind", "resources with a kind and a scheme");
            return Err(Errors::refused(None, &field, format!("\"{name}\""), why, allowed));
        };
        object.scheme = known(&Scheme::NAMED, &field, "scheme", scheme)?;
        self.checked()
    }

    /// Sets the placement of tasks by `text`: words, each a packing such as `worst_fit_decreasing` or
    /// `density:best_fit`, a test that has a say at each step such as `qpa`, a way to split tasks such as `C=D`,
    /// `together`, `bound=0.95`, `least_loaded` or `refuse`. Whatever no word sets is as in a file that does not say,
    /// but for the bound and what happens to tasks that fit nowhere.
    pub fn with_placement(mut self, text: &str) -> Result<Scenario, Errors> {
        let mut placement = Placement {
            bound: self.scheduler.placement.bound,
            overflow: self.scheduler.placement.overflow,
            ..Placement::default()
        };
        for word in text.split_whitespace() {
            if !read_word(word, &mut placement) {
                let (word, allowed) = (format!("\"{word}\""), placement_words().join(", "));
                return Err(Errors::refused(None, "placement", word, "says nothing of a placement", allowed));
            }
        }
        self.scheduler.placement = placement;
        self.checked()
    }

    /// Sets fixed priorities by this rule, or as `given`.
    pub fn with_priorities(mut self, name: &str) -> Result<Scenario, Errors> {
        self.scheduler.priorities = known(&priorities(), "priorities", "rule for priorities", name)?;
        self.checked()
    }

    /// Adds critical sections drawn by `accesses`: set number `index` of `seed`. Resources are called `R0`, `R1`, ...
    ///
    /// For tasks without programs.
    pub fn with_accesses(mut self, accesses: &Accesses, seed: u64, index: u64) -> Result<Scenario, Errors> {
        if let Some(number) = self.tasks.iter().position(|task| !task.program.is_empty()) {
            let field = format!("task[{number}].program");
            let task = format!("task \"{}\"", self.tasks[number].name);
            let allowed = "tasks without programs, so that critical sections can be drawn";
            return Err(Errors::refused(None, &field, task, "has a program already", allowed));
        }
        let mut tasks = self.model_tasks();
        let resources = accesses.draw(&mut tasks, seed, index);
        self.refuse_short_wcets(&tasks)?;
        for (spec, task) in self.tasks.iter_mut().zip(tasks) {
            spec.wcet = task.wcet;
            spec.program = task.program;
        }
        let resource = |(number, resource): (usize, &Resource)| ResourceSpec {
            units: resource.units,
            ..ResourceSpec::new(format!("R{number}"))
        };
        self.resources = resources.iter().enumerate().map(resource).collect();
        self.checked()
    }

    /// Sets time/utility functions drawn by `utilities`: set number `index` of `seed`.
    pub fn with_utilities(
        mut self,
        utilities: &Utilities,
        seed: u64,
        index: u64,
    ) -> Result<Scenario, Errors> {
        let mut tasks = self.model_tasks();
        utilities.draw(&mut tasks, seed, index);
        for (spec, task) in self.tasks.iter_mut().zip(tasks) {
            spec.utility = task.utility;
        }
        self.checked()
    }

    /// Returns an error if a job of one of `tasks` would execute for longer than its WCET within its critical sections.
    fn refuse_short_wcets(&self, tasks: &[Task]) -> Result<(), Errors> {
        for (spec, task) in self.tasks.iter().zip(tasks) {
            let sections = executed(&task.program);
            if sections > task.wcet {
                let why = format!(
                    "has critical sections of {sections} and keeps a WCET of {}, so it cannot execute",
                    task.wcet
                );
                let allowed = "grow, or keep in batches, which compute bounds alone";
                let task = format!("task \"{}\"", spec.name);
                return Err(Errors::refused(None, "accesses", task, why, allowed));
            }
        }
        Ok(())
    }

    /// Sets this workload for all tasks, on working sets of `working_set` bytes if that is given.
    pub fn with_workload(mut self, workload: Workload, working_set: Option<u64>) -> Result<Scenario, Errors> {
        for task in &mut self.tasks {
            task.workload = workload;
            task.working_set = working_set.unwrap_or(task.working_set);
        }
        self.checked()
    }

    /// Sets the shipped overheads of this name. The statistic stays.
    pub fn with_overheads(mut self, name: &str) -> Result<Scenario, Errors> {
        let Some(choice) = OverheadsChoice::shipped(name) else {
            return Err(Errors::one(None, "overheads", unknown(name)));
        };
        self.overheads = OverheadsChoice { statistic: self.overheads.statistic, ..choice };
        self.checked()
    }

    /// Sets a machine that takes no time for itself. The statistic stays.
    pub fn without_overheads(mut self) -> Result<Scenario, Errors> {
        let statistic = self.overheads.statistic;
        self.overheads = OverheadsChoice { statistic, ..OverheadsChoice::default() };
        self.checked()
    }

    /// Sets the overheads of a file. The statistic stays.
    pub fn with_overheads_file(self, path: &std::path::Path) -> Result<Scenario, Errors> {
        let profile = OverheadProfile::read(path)?;
        self.with_overhead_profile(profile)
    }

    /// Sets the overheads of SchedCAT's tables; losses of the kinds `ignored` are no errors. If the tables hold means
    /// only, the statistic becomes the mean.
    pub fn with_overhead_tables(mut self, files: &[&str], ignored: &Ignored) -> Result<Scenario, Errors> {
        let tables: Vec<Vec<u8>> = files.iter().map(|file| read_file(file)).collect::<Result<_, _>>()?;
        let read = read_all(files.iter().copied().zip(tables), ignored)?;
        self.left_out.extend(read.left_out());
        // The lines above name the columns for which nothing is charged.
        let profile = OverheadProfile { unmodelled: BTreeMap::new(), ..read.value };
        let largest = profile.all.values().any(|measured| measured.max.is_some());
        let scenario = self.with_overhead_profile(profile)?;
        Ok(if largest { scenario } else { scenario.with_statistic(Statistic::Mean) })
    }

    /// Sets these overheads. The statistic stays.
    pub fn with_overhead_profile(mut self, profile: OverheadProfile) -> Result<Scenario, Errors> {
        self.overheads = OverheadsChoice { name: None, statistic: self.overheads.statistic, profile };
        self.checked()
    }

    /// Sets the statistic of overheads, such as `max`, `mean` or `p99`.
    pub fn with_statistic_named(self, name: &str) -> Result<Scenario, Errors> {
        Ok(self.with_statistic(known(STATISTICS, "statistic", "statistic", name)?))
    }

    /// Sets the statistic of overheads.
    pub(crate) fn with_statistic(mut self, statistic: Statistic) -> Scenario {
        self.overheads.statistic = statistic;
        self
    }

    /// Sets the seed.
    pub fn with_seed(mut self, seed: u64) -> Result<Scenario, Errors> {
        self.seed = seed;
        self.checked()
    }

    /// Sets the horizon.
    pub fn with_horizon(mut self, horizon: Instant) -> Result<Scenario, Errors> {
        self.horizon = horizon;
        self.checked()
    }
}

fn named<T: Copy>(choices: &[(&str, T)], name: &str) -> Option<T> {
    choices.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
}

/// Returns the choice of this name; an error of `field` if there is none.
fn known<T: Copy>(
    choices: &[(&'static str, T)],
    field: &str,
    what: &'static str,
    name: &str,
) -> Result<T, Errors> {
    let unknown = || Problem::unknown_name(what, name, choices.iter().map(|(known, _)| *known));
    named(choices, name).ok_or_else(|| Errors::one(None, field, unknown()))
}

/// Sets what `word` stands for in `placement`; false if it stands for nothing.
fn read_word(word: &str, placement: &mut Placement) -> bool {
    if word == "together" {
        placement.together = true;
    } else if word == "by_processor" {
        placement.by_processor = true;
    } else if let Some(test) = PLACEMENT_TESTS.iter().find(|test| test.eq_ignore_ascii_case(word)) {
        placement.test = Some(test);
    } else if let Some(split) = named(SPLITS, word) {
        placement.split = split;
    } else if let Some(overflow) = named(OVERFLOWS, word) {
        placement.overflow = overflow;
    } else if let Some(bound) = word.strip_prefix("bound=").and_then(|number| fraction(number).ok()) {
        placement.bound = bound;
    } else if let Ok(packing) = word.parse::<Packing>() {
        placement.weight = packing.weight;
        placement.order = packing.order;
        placement.fit = Some(packing.fit);
    } else {
        return false;
    }
    true
}
