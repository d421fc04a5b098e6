//! Given priority points: any policy that is like global EDF (GEL; H. Leontyev and J. Anderson, "Generalized tardiness
//! bounds for global multiprocessor scheduling", RTSS 2007; J. Erickson and J. Anderson, ECRTS 2012). A job's point is
//!
//! ```text
//! arrival + Y of its task
//! ```
//!
//! with Y as the scenario states it: Y = D is EDF, equal ones are FIFO.

use super::{Needs, Order, Rule};
use schedlab_model::Point;

/// By arrival plus the task's given priority point; ties by job id.
pub(crate) const GEL: Order = Order {
    name: "GEL",
    aliases: &[],
    description: "the earliest given priority point goes first",
    rule: Rule::AfterArrival(|task, _| Point::whole(task.priority_point.as_ns())),
    needs: Needs::Point,
};
