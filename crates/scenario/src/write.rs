//! The canonical text of a scenario. Reading the text gives an equal scenario, and equal scenarios have the same text.

mod overheads;
mod task;
mod values;

use crate::memory::MemorySpec;
use crate::quantity::write_bytes;
use crate::resource::ResourceSpec;
use crate::scenario::{
    Clusters, Placement, PlatformSpec, Scenario, SchedulerSpec, ServerSpec, SupertaskSpec, TaskSpec,
};
use crate::words::{
    priorities, wcets_of, ALIGNMENTS, ARBITRATIONS, COMPONENT_ORDERS, DEADLINE_RULES, FITS, LENGTHS, ORDERS,
    OVERFLOWS, OVERRUNS, PLACEMENT_WEIGHTS, RELEASES, SPLITS, URGENT, WCETS, WEIGHTS,
};
use schedlab_model::{MutexProtocol, SharedCache};
use schedlab_policy::pfair::Affinity;
use schedlab_policy::servers::ClientOrder;
use schedlab_policy::Throttling;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Table, Value};
use values::{fraction, inline, list, name_of, time, whole, Fields};

pub use task::{write_abort_handler, write_utility};

impl Scenario {
    /// Returns the canonical text. Reading it gives an equal scenario, except for a scheduler or protocol of the user's
    /// own: a comment names it, and a shipped one stands for it.
    pub fn to_toml(&self) -> String {
        format!("{}{}", self.own_names(), self.document())
    }

    /// The canonical text as a document, without the comments that name the user's own scheduler and protocol.
    pub(crate) fn document(&self) -> DocumentMut {
        let mut document = DocumentMut::new();
        document.field("schedlab", 1);
        document.text("title", &self.title);
        document.text("source", &self.source);
        document.text("notes", &self.notes);
        document.list("left_out", &self.left_out, Value::from);
        document.field("seed", whole(self.seed));
        document.field("horizon", time(self.horizon));
        document.word("deadlines", DEADLINE_RULES, self.deadlines);
        if self.wcets != wcets_of(&self.source) {
            document.field("wcets", name_of(WCETS, self.wcets));
        }
        document.word("overruns", OVERRUNS, self.overruns);
        document.field("protocol", &self.protocol);
        document.insert("scheduler", scheduler(&self.scheduler).into());
        document.insert("overheads", overheads::overheads(&self.overheads).into());
        document.insert("platform", platform(&self.platform).into());
        let lists: [(&str, ArrayOfTables); 4] = [
            ("resource", self.resources.iter().map(resource).collect()),
            ("supertask", self.supertasks.iter().map(supertask).collect()),
            ("server", self.servers.iter().map(server).collect()),
            ("task", self.tasks.iter().map(|spec| task::task(self, spec)).collect()),
        ];
        for (name, tables) in lists.into_iter().filter(|(_, tables)| !tables.is_empty()) {
            document.insert(name, tables.into());
        }
        document
    }

    /// The tables of the budget servers as a file states them.
    pub fn servers_toml(&self) -> String {
        let mut document = DocumentMut::new();
        document.insert("server", self.servers.iter().map(server).collect::<ArrayOfTables>().into());
        document.to_string()
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

/// A task as it stands in the canonical text.
pub(crate) fn task_text(scenario: &Scenario, spec: &TaskSpec) -> String {
    task::task(scenario, spec).to_string()
}

fn scheduler(scheduler: &SchedulerSpec) -> Table {
    let mut table = Table::new();
    table.field("name", &scheduler.name);
    table.word("urgent_priority", URGENT, scheduler.urgent_priority);
    table.word("priorities", &priorities(), scheduler.priorities);
    if scheduler.affinity != Affinity::default() {
        table.field("affinity", scheduler.affinity.name());
    }
    table.word("weights", WEIGHTS, scheduler.weights);
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
    table.optional("fit", placement.fit.map(|fit| name_of(FITS, fit)));
    table.field("order", name_of(ORDERS, placement.order));
    table.field("bound", fraction(placement.bound));
    table.field("overflow", name_of(OVERFLOWS, placement.overflow));
    table.word("weight", PLACEMENT_WEIGHTS, placement.weight);
    if placement.by_processor {
        table.field("by_processor", true);
    }
    if placement.together {
        table.field("together", true);
    }
    table.optional("test", placement.test);
    table.word("split", SPLITS, placement.split);
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
    table.word("alignment", ALIGNMENTS, platform.alignment);
    table.word("releases", RELEASES, platform.releases);
    table.list("caches", &platform.caches, cache);
    if platform.memory != MemorySpec::default() {
        table.insert("memory", memory(&platform.memory).into());
    }
    table
}

fn processors(cpus: &Vec<u16>) -> Value {
    list(cpus, |cpu| i64::from(*cpu))
}

fn cache(cache: &SharedCache) -> InlineTable {
    let cpus = list(&cache.cpus, |cpu| i64::from(cpu.0));
    inline([("level", i64::from(cache.level).into()), ("processors", cpus)])
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
    table.word("length", LENGTHS, resource.length);
    table.optional("protocol", resource.protocol.map(MutexProtocol::name));
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

fn server(server: &ServerSpec) -> Table {
    let mut table = Table::new();
    table.field("name", &server.name);
    table.field("kind", server.kind.name());
    table.field("budget", time(server.budget));
    table.field("period", time(server.period));
    table.unusual("deadline", server.relative_deadline, server.period);
    if server.order != ClientOrder::default() {
        table.field("order", server.order.name());
    }
    table.optional("priority", server.priority.map(i64::from));
    table.optional("processor", server.processor.map(i64::from));
    table.optional("background", server.background.then_some(true));
    table
}
