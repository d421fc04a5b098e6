//! Reads a `[[supertask]]`.

use crate::document::{prose, Table, Value};
use crate::scenario::SupertaskSpec;
use crate::words::COMPONENT_ORDERS;
use schedlab_policy::pfair::{ComponentScheduling, Weight, WeightError};

const WEIGHT: &str = "auto, or quanta/slots such as \"3/10\", above 0, at most 1";

/// Reads a supertask; `None` if something is wrong.
pub(super) fn supertask(table: &Table<'_, '_>) -> Option<SupertaskSpec> {
    let name = table.needed("name", "a name of its own", prose);
    let order = table.given("order", |value| value.choice("order of components", COMPONENT_ORDERS));
    let scheduling =
        table.given("scheduling", |value| value.choice("scheduling of components", ComponentScheduling::ALL));
    let given = table.given_or("weight", None, weight);
    Some(SupertaskSpec {
        name: name?,
        order: order?.unwrap_or_default(),
        scheduling: scheduling?.unwrap_or_default(),
        weight: given?,
    })
}

/// Reads a weight. The outer `None` means that it is wrong, the inner one that it is to be computed.
fn weight(value: &Value<'_, '_>) -> Option<Option<Weight>> {
    let text = value.text(WEIGHT)?;
    if text == "auto" {
        return Some(None);
    }
    match text.parse() {
        Ok(weight) => Some(Some(weight)),
        Err(WeightError::NotAFraction) => value.refused("is no fraction", WEIGHT),
        Err(WeightError::Zero) => value.refused("is zero: its components would never run", WEIGHT),
        Err(WeightError::AboveOne { .. }) => {
            value.refused("is above 1: it would need two processors at once", WEIGHT)
        }
        Err(WeightError::TooFine { .. }) => value.refused("has a denominator above 2^40", WEIGHT),
    }
}
