//! Reads a `[[server]]`.

use super::task::short;
use crate::document::{positive, prose, Table, Value};
use crate::quantity;
use crate::scenario::ServerSpec;
use schedlab_model::Work;
use schedlab_policy::servers::{ClientOrder, ServerKind};

/// Reads a budget server; `None` if something is wrong.
pub(super) fn server(table: &Table<'_, '_>) -> Option<ServerSpec> {
    let name = table.needed("name", "a name of its own", prose);
    let kinds = ServerKind::NAMED.map(|(name, _)| name).join(", ");
    let kind = table.needed("kind", &kinds, |value| value.choice("kind of server", &ServerKind::NAMED));
    let budget = table.needed("budget", quantity::POSITIVE, positive);
    let period = table.needed("period", quantity::POSITIVE, positive);
    let deadline = table.given("deadline", positive);
    let order = table.given_or("order", ClientOrder::default(), |value| {
        value.choice("order of clients", &ClientOrder::NAMED)
    });
    let priority = table.given("priority", |value| Some(value.integer(0..=u64::from(u32::MAX))? as u32));
    let processor = table.given("processor", short);
    let background = table.given_or("background", false, Value::boolean);
    Some(ServerSpec {
        name: name?,
        kind: kind?,
        budget: Work::done_in(budget?),
        period: period?,
        relative_deadline: deadline?.or(period)?,
        order: order?,
        priority: priority?,
        processor: processor?,
        background: background?,
    })
}
