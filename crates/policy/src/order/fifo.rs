//! First in, first out, by arrival: the global FIFO of chronos-scalability-2011, whose tardiness is
//! bounded (H. Leontyev and J. H. Anderson, "Tardiness bounds for FIFO scheduling on multiprocessors", ECRTS 2007).

use super::{Needs, Order, Rule};
use schedlab_model::Point;

/// By arrival; ties by job id.
pub const FIFO: Order = Order {
    name: "FIFO",
    aliases: &[],
    description: "the earliest arrival goes first",
    rule: Rule::AfterArrival(|_, _| Point::whole(0)),
    needs: Needs::Nothing,
};
