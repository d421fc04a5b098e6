//! The canonical text of a scenario: reading it gives the same scenario, and it is the same for equal ones.

mod overheads;
mod task;
mod values;

use crate::memory::MemorySpec;
use crate::quantity::write_bytes;
use crate::resource::ResourceSpec;
use crate::scenario::{
    Clusters, DeadlineRule, Placement, PlatformSpec, Priorities, Scenario, SchedulerSpec, Split,
    SupertaskSpec, UrgentPriority, Weights,
};
use crate::words::{
    priorities, ALIGNMENTS, ARBITRATIONS, COMPONENT_ORDERS, FITS, LENGTHS, ORDERS, OVERFLOWS,
    PLACEMENT_WEIGHTS, RELEASES, SPLITS, URGENT, WEIGHTS,
};
use schedlab_lock::Length;
use schedlab_model::{Alignment, Overrun, ReleasePoint, SharedCache};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::Throttling;
use schedlab_workload::placement::PlacementWeight;
use toml_edit::{ArrayOfTables, DocumentMut, Table, Value};
use values::{fraction, inline, list, name_of, time, whole, Fields};

pub use task::{write_abort_handler, write_utility};

impl Scenario {
    /// The canonical text. Reading it gives an equal scenario, but for a scheduler or a protocol of the user's own: a
    /// comment names those, and what stands for them can be read anywhere.
    pub fn to_toml(&self) -> String {
        let mut document = DocumentMut::new();
        document.field("schedlab", 1);
        document.text("title", &self.title);
        document.text("source", &self.source);
        document.text("notes", &self.notes);
        document.field("seed", whole(self.seed));
        document.field("horizon", time(self.horizon));
        match self.deadlines {
            DeadlineRule::Arbitrary => {}
            DeadlineRule::Constrained => document.field("deadlines", "constrained"),
            DeadlineRule::Implicit => document.field("deadlines", "implicit"),
        }
        match self.overruns {
            Overrun::Ignore => {}
            Overrun::Warn => document.field("overruns", "warn"),
            Overrun::Cut => document.field("overruns", "cut"),
            Overrun::BestEffort => document.field("overruns", "best-effort"),
        }
        document.field("protocol", &self.protocol);
        document.insert("scheduler", scheduler(&self.scheduler).into());
        document.insert("overheads", overheads::overheads(&self.overheads).into());
        document.insert("platform", platform(&self.platform).into());
        let lists: [(&str, ArrayOfTables); 3] = [
            ("resource", self.resources.iter().map(resource).collect()),
            ("supertask", self.supertasks.iter().map(supertask).collect()),
            ("task", self.tasks.iter().map(|spec| task::task(self, spec)).collect()),
        ];
        for (name, tables) in lists.into_iter().filter(|(_, tables)| !tables.is_empty()) {
            document.insert(name, tables.into());
        }
        format!("{}{document}", self.own_names())
    }

    /// Comments that name the user's own scheduler and protocol.
    fn own_names(&self) -> String {
        let own = [("scheduler", &self.scheduler.own), ("protocol", &self.own_protocol)];
        let comment = |(field, name): (_, &Option<String>)| {
            let name = name.as_ref()?;
            Some(format!("# {field} {name:?} is the user's own: another one stands for it here\n"))
        };
        own.into_iter().filter_map(comment).collect()
    }
}

fn scheduler(scheduler: &SchedulerSpec) -> Table {
    let mut table = Table::new();
    table.field("name", &scheduler.name);
    if scheduler.urgent_priority != UrgentPriority::default() {
        table.field("urgent_priority", name_of(URGENT, scheduler.urgent_priority));
    }
    if scheduler.priorities != Priorities::default() {
        table.field("priorities", name_of(&priorities(), scheduler.priorities));
    }
    if scheduler.affinity != Affinity::default() {
        table.field("affinity", scheduler.affinity.name());
    }
    if scheduler.weights != Weights::default() {
        table.field("weights", name_of(WEIGHTS, scheduler.weights));
    }
    if scheduler.placement != Placement::default() {
        table.insert("placement", placement(&scheduler.placement).into());
    }
    if let Some(Throttling { runtime, period }) = scheduler.throttling {
        table.field("throttling", inline([("runtime", time(runtime)), ("period", time(period))]));
    }
    table
}

fn placement(placement: &Placement) -> Table {
    let mut table = Table::new();
    table.field("fit", name_of(FITS, placement.fit));
    table.field("order", name_of(ORDERS, placement.order));
    table.field("bound", fraction(placement.bound));
    table.field("overflow", name_of(OVERFLOWS, placement.overflow));
    if placement.weight != PlacementWeight::Utilization {
        table.field("weight", name_of(PLACEMENT_WEIGHTS, placement.weight));
    }
    if placement.together {
        table.field("together", true);
    }
    table.optional("test", placement.test);
    if placement.split != Split::None {
        table.field("split", name_of(SPLITS, placement.split));
    }
    table
}

fn platform(platform: &PlatformSpec) -> Table {
    let mut table = Table::new();
    table.field("processors", i64::from(platform.processors));
    match &platform.clusters {
        Clusters::Halves => {}
        Clusters::OfSize(size) => table.field("cluster_size", i64::from(*size)),
        Clusters::Listed(lists) => table.field("clusters", list(lists, processors)),
    }
    table.field("quantum", time(platform.quantum));
    if platform.alignment != Alignment::default() {
        table.field("alignment", name_of(ALIGNMENTS, platform.alignment));
    }
    if platform.releases != ReleasePoint::default() {
        table.field("releases", name_of(RELEASES, platform.releases));
    }
    if !platform.caches.is_empty() {
        table.field("caches", caches(&platform.caches));
    }
    if platform.memory != MemorySpec::default() {
        table.insert("memory", memory(&platform.memory).into());
    }
    table
}

fn processors(cpus: &Vec<u16>) -> Value {
    list(cpus, |cpu| i64::from(*cpu))
}

fn caches(caches: &[SharedCache]) -> Value {
    list(caches, |cache| {
        let cpus = list(&cache.cpus, |cpu| i64::from(cpu.0));
        inline([("level", i64::from(cache.level).into()), ("processors", cpus)])
    })
}

fn memory(memory: &MemorySpec) -> Table {
    let MemorySpec { clock_mhz, cache, bus, gap } = memory;
    let mut table = Table::new();
    table.field("clock_mhz", i64::from(*clock_mhz));
    table.field("cache", write_bytes(cache.bytes));
    table.field("line", write_bytes(cache.line_bytes));
    table.field("ways", whole(cache.ways));
    table.field("read_miss", whole(bus.read_miss));
    table.field("write_miss", whole(bus.write_miss));
    table.field("upgrade", whole(bus.upgrade));
    table.field("write_back", whole(bus.write_back));
    table.field("arbitration", name_of(ARBITRATIONS, bus.arbitration));
    table.field("gap", whole(*gap));
    table
}

fn resource(resource: &ResourceSpec) -> Table {
    let mut table = Table::new();
    table.field("name", &resource.name);
    table.field("units", i64::from(resource.units));
    if resource.length == Length::Long {
        table.field("length", name_of(LENGTHS, resource.length));
    }
    if let Some(object) = resource.object {
        table.field("kind", object.kind.name());
        table.field("scheme", object.scheme.name());
        table.field("size", i64::from(object.size));
        table.optional("tasks", object.tasks.map(i64::from));
    }
    table
}

fn supertask(supertask: &SupertaskSpec) -> Table {
    let mut table = Table::new();
    table.field("name", &supertask.name);
    table.field("order", name_of(COMPONENT_ORDERS, supertask.order));
    table.field("scheduling", supertask.scheduling.name());
    table.field("weight", supertask.weight.map_or("auto".to_owned(), |weight| weight.to_string()));
    table
}
