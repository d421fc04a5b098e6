//! The canonical text of a scenario: reading it gives the same scenario, and it is the same for equal ones.

mod overheads;

use crate::document::LARGEST_INTEGER;
use crate::memory::MemorySpec;
use crate::quantity::write_bytes;
use crate::scenario::{
    Arrival, Clusters, CostModel, DeadlineRule, Placement, PlatformSpec, Priorities, Scenario, SchedulerSpec,
    SupertaskSpec,
};
use crate::scenario::{Split, TaskSpec, UrgentPriority, Weights};
use crate::words::{
    priorities, ALIGNMENTS, ARBITRATIONS, COMPONENT_ORDERS, FITS, LENGTHS, ORDERS, OVERFLOWS,
    PLACEMENT_WEIGHTS, RELEASES, SPLITS, URGENT, WEIGHTS,
};
use crate::workload::Workload;
use schedlab_lock::Length;
use schedlab_model::{AbortHandler, Alignment, Duration, OneWord, SharedCache};
use schedlab_model::{Instant, Overrun, ReleasePoint, Step, Suspension, TimeUtility, Utility};
use schedlab_policy::pfair::Affinity;
use schedlab_workload::placement::PlacementWeight;
use std::fmt::{Display, Write};

/// Lines of TOML.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, text: impl Display) {
        writeln!(self.0, "{text}").expect("a string takes any text");
    }

    fn field(&mut self, name: &str, value: impl Display) {
        self.line(format_args!("{name} = {value}"));
    }

    fn text(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.field(name, quoted(value));
        }
    }

    fn section(&mut self, name: &str) {
        self.line(format_args!("\n{name}"));
    }
}

/// A TOML basic string.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => write!(quoted, "\\u{:04x}", c as u32).expect("a string takes any text"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn name_of<T: PartialEq>(choices: &[(&'static str, T)], choice: T) -> String {
    let found = choices.iter().find(|(_, known)| *known == choice);
    quoted(found.expect("each choice has a name").0)
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(", "))
}

fn times_of<T: Copy + Into<OneWord>>(items: &[T]) -> String {
    list(items, |item| time(*item))
}

fn time(value: impl Into<OneWord>) -> String {
    format!("\"{}\"", value.into())
}

impl Scenario {
    /// The canonical text. Reading it gives an equal scenario, but for a scheduler or a protocol of the user's own: a
    /// comment names those, and what stands for them can be read anywhere.
    pub fn to_toml(&self) -> String {
        let mut lines = Lines::default();
        let own = [("scheduler", &self.scheduler.own), ("protocol", &self.own_protocol)];
        for (field, name) in own.into_iter().filter_map(|(field, own)| Some((field, own.as_ref()?))) {
            lines.0 += &format!("# {field} {name:?} is the user's own: another one stands for it here\n");
        }
        lines.field("schedlab", 1);
        lines.text("title", &self.title);
        lines.text("source", &self.source);
        lines.text("notes", &self.notes);
        match self.seed {
            0..=LARGEST_INTEGER => lines.field("seed", self.seed),
            _ => lines.text("seed", &self.seed.to_string()),
        }
        lines.field("horizon", time(self.horizon));
        match self.deadlines {
            DeadlineRule::Arbitrary => {}
            DeadlineRule::Constrained => lines.field("deadlines", "\"constrained\""),
            DeadlineRule::Implicit => lines.field("deadlines", "\"implicit\""),
        }
        match self.overruns {
            Overrun::Ignore => {}
            Overrun::Warn => lines.field("overruns", "\"warn\""),
            Overrun::Cut => lines.field("overruns", "\"cut\""),
            Overrun::BestEffort => lines.field("overruns", "\"best-effort\""),
        }
        lines.field("protocol", quoted(&self.protocol));
        scheduler(&self.scheduler, &mut lines);
        overheads::overheads(&self.overheads, &mut lines);
        platform(&self.platform, &mut lines);
        for resource in &self.resources {
            lines.section("[[resource]]");
            lines.field("name", quoted(&resource.name));
            lines.field("units", resource.units);
            if resource.length == Length::Long {
                lines.field("length", name_of(LENGTHS, resource.length));
            }
            if let Some(object) = resource.object {
                lines.field("kind", quoted(object.kind.name()));
                lines.field("scheme", quoted(object.scheme.name()));
                lines.field("size", object.size);
                if let Some(tasks) = object.tasks {
                    lines.field("tasks", tasks);
                }
            }
        }
        for spec in &self.supertasks {
            lines.section("[[supertask]]");
            supertask(spec, &mut lines);
        }
        for spec in &self.tasks {
            lines.section("[[task]]");
            task(self, spec, &mut lines);
        }
        lines.0
    }
}

fn scheduler(scheduler: &SchedulerSpec, lines: &mut Lines) {
    lines.section("[scheduler]");
    lines.field("name", quoted(&scheduler.name));
    if scheduler.urgent_priority != UrgentPriority::default() {
        lines.field("urgent_priority", name_of(URGENT, scheduler.urgent_priority));
    }
    if scheduler.priorities != Priorities::default() {
        lines.field("priorities", name_of(&priorities(), scheduler.priorities));
    }
    if scheduler.affinity != Affinity::default() {
        lines.field("affinity", quoted(scheduler.affinity.name()));
    }
    if scheduler.weights != Weights::default() {
        lines.field("weights", name_of(WEIGHTS, scheduler.weights));
    }
    let placement = scheduler.placement;
    if placement != Placement::default() {
        lines.section("[scheduler.placement]");
        lines.field("fit", name_of(FITS, placement.fit));
        lines.field("order", name_of(ORDERS, placement.order));
        lines.field("bound", placement.bound);
        lines.field("overflow", name_of(OVERFLOWS, placement.overflow));
        if placement.weight != PlacementWeight::Utilization {
            lines.field("weight", name_of(PLACEMENT_WEIGHTS, placement.weight));
        }
        if placement.together {
            lines.field("together", true);
        }
        if let Some(test) = placement.test {
            lines.field("test", quoted(test));
        }
        if placement.split != Split::None {
            lines.field("split", name_of(SPLITS, placement.split));
        }
    }
}

fn platform(platform: &PlatformSpec, lines: &mut Lines) {
    lines.section("[platform]");
    lines.field("processors", platform.processors);
    match &platform.clusters {
        Clusters::Halves => {}
        Clusters::OfSize(size) => lines.field("cluster_size", size),
        Clusters::Listed(lists) => {
            lines.field("clusters", list(lists, |cpus| list(cpus, u16::to_string)));
        }
    }
    lines.field("quantum", time(platform.quantum));
    if platform.alignment != Alignment::default() {
        lines.field("alignment", name_of(ALIGNMENTS, platform.alignment));
    }
    if platform.releases != ReleasePoint::default() {
        lines.field("releases", name_of(RELEASES, platform.releases));
    }
    if !platform.caches.is_empty() {
        lines.field("caches", caches(&platform.caches));
    }
    if platform.memory != MemorySpec::default() {
        lines.section("[platform.memory]");
        memory(&platform.memory, lines);
    }
}

fn caches(caches: &[SharedCache]) -> String {
    list(caches, |cache| {
        let cpus = list(&cache.cpus, |cpu| cpu.0.to_string());
        format!("{{ level = {}, processors = {cpus} }}", cache.level)
    })
}

fn memory(memory: &MemorySpec, lines: &mut Lines) {
    let MemorySpec { clock_mhz, cache, bus, gap } = memory;
    lines.field("clock_mhz", clock_mhz);
    lines.field("cache", quoted(&write_bytes(cache.bytes)));
    lines.field("line", quoted(&write_bytes(cache.line_bytes)));
    lines.field("ways", cache.ways);
    lines.field("read_miss", bus.read_miss);
    lines.field("write_miss", bus.write_miss);
    lines.field("upgrade", bus.upgrade);
    lines.field("write_back", bus.write_back);
    lines.field("arbitration", name_of(ARBITRATIONS, bus.arbitration));
    lines.field("gap", gap);
}

fn task(scenario: &Scenario, task: &TaskSpec, lines: &mut Lines) {
    lines.field("name", quoted(&task.name));
    lines.field("wcet", time(task.wcet));
    lines.field("period", time(task.period));
    if task.relative_deadline != task.period {
        lines.field("deadline", time(task.relative_deadline));
    }
    if task.join != Instant::ZERO {
        lines.field("join", time(task.join));
    }
    if task.offset != task.join {
        lines.field("offset", time(task.offset));
    }
    if task.leave != Instant::NEVER {
        lines.field("leave", time(task.leave));
    }
    if !task.jitter.is_zero() {
        lines.field("jitter", time(task.jitter));
    }
    if let Suspension::Dynamic(bound) = task.suspension {
        lines.field("suspension", time(bound));
    }
    if !task.affinity.is_empty() {
        lines.field("affinity", list(&task.affinity, u16::to_string));
    }
    if let Some(point) = task.priority_point {
        lines.field("priority_point", time(point));
    }
    if let Some(function) = &task.utility {
        lines.field("utility", utility(function));
    }
    if let Some(handler) = &task.abort_handler {
        lines.field("abort_handler", abort_handler(handler));
    }
    if task.working_set > 0 {
        lines.field("working_set", quoted(&write_bytes(task.working_set)));
    }
    let numbers = [
        ("priority", task.priority),
        ("processor", task.processor.map(u32::from)),
        ("cluster", task.cluster.map(u32::from)),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            lines.field(name, number);
        }
    }
    if let Some(name) = &task.supertask {
        lines.field("supertask", quoted(name));
    }
    behaviour(scenario, task, lines);
}

fn supertask(supertask: &SupertaskSpec, lines: &mut Lines) {
    lines.field("name", quoted(&supertask.name));
    lines.field("order", name_of(COMPONENT_ORDERS, supertask.order));
    lines.field("scheduling", quoted(supertask.scheduling.name()));
    lines.field("weight", supertask.weight.map_or(quoted("auto"), |weight| quoted(&weight.to_string())));
}

fn behaviour(scenario: &Scenario, task: &TaskSpec, lines: &mut Lines) {
    match &task.arrival {
        Arrival::Periodic => {}
        Arrival::Sporadic { delay, like: None } => {
            lines.field("arrival", format_args!("{{ sporadic = {} }}", time(*delay)));
        }
        Arrival::Sporadic { delay, like: Some(name) } => {
            let text = format!("{{ sporadic = {}, like = {} }}", time(*delay), quoted(name));
            lines.field("arrival", text);
        }
        Arrival::Listed(times) => lines.field("arrival", format_args!("{{ at = {} }}", times_of(times))),
    }
    match &task.cost {
        CostModel::Wcet => {}
        CostModel::Fraction(part) => lines.field("cost", format_args!("{{ fraction = {part} }}")),
        CostModel::Uniform(low, high) => {
            lines.field("cost", format_args!("{{ uniform = {} }}", times_of(&[*low, *high])));
        }
        CostModel::Listed(costs) => lines.field("cost", format_args!("{{ list = {} }}", times_of(costs))),
    }
    if !task.program.is_empty() {
        lines.field("program", list(&task.program, |step| quoted(&step_text(scenario, step))));
    }
    if task.workload != Workload::default() {
        lines.field("workload", quoted(&task.workload.to_string()));
    }
    if task.wcet_may_exceed_deadline {
        lines.field("wcet_may_exceed_deadline", true);
    }
}

/// An abort handler as the field `abort_handler` states it.
pub fn abort_handler(AbortHandler { cost, utility }: &AbortHandler) -> String {
    format!("{{ cost = {}, utility = {utility} }}", time(*cost))
}

/// A time/utility function as the field `utility` states it.
pub fn utility(function: &TimeUtility) -> String {
    let end = |termination: &Option<Duration>| match termination {
        Some(at) => format!(", termination = {} }}", time(*at)),
        None => " }".to_owned(),
    };
    match function {
        TimeUtility::Step { height, termination: None } => height.to_string(),
        TimeUtility::Step { height, termination } => format!("{{ step = {height}{}", end(termination)),
        TimeUtility::Linear { height, last, termination } => {
            format!("{{ linear = {height}, last = {last}{}", end(termination))
        }
        TimeUtility::Exponential { height, half_life, termination } => {
            format!("{{ exponential = {height}, half_life = {}{}", time(*half_life), end(termination))
        }
        TimeUtility::Piecewise(points) => {
            let point = |(at, utility): &(Duration, Utility)| format!("[{}, {utility}]", time(*at));
            format!("{{ points = {} }}", list(points, point))
        }
    }
}

fn step_text(scenario: &Scenario, step: &Step) -> String {
    let units = |units: &u32| if *units == 1 { String::new() } else { format!(" {units}") };
    match step {
        Step::Execute(work) => format!("execute {}", OneWord::from(*work)),
        Step::Suspend(length) => format!("suspend {}", OneWord::from(*length)),
        Step::Request(resource, n) => {
            format!("request {}{}", scenario.resources[resource.index()].name, units(n))
        }
        Step::Release(resource, n) => {
            format!("release {}{}", scenario.resources[resource.index()].name, units(n))
        }
        Step::Serve(resource) => format!("serve {}", scenario.resources[resource.index()].name),
        Step::NpEnter => "np_enter".to_owned(),
        Step::NpExit => "np_exit".to_owned(),
    }
}
