//! Reads the steps of a program, such as `"execute 2 ms"` or `"request R1"`.

use crate::document::{Table, Value};
use crate::error::Problem;
use crate::quantity;
use schedlab_model::{Duration, ResourceId, Step, Work};

/// Allowed steps, for messages.
pub(crate) const STEP: &str = "\"execute 2 ms\", \"suspend 1 ms\", \"request R\", \"request R 2\" (units), \
    \"release R\", \"serve R\", \"np_enter\" or \"np_exit\"";

/// The names of the resources, in the order of the file.
pub(super) struct Names(Vec<String>);

impl Names {
    pub(super) fn of(resources: &[Table<'_, '_>]) -> Names {
        let name =
            |table: &Table<'_, '_>| table.get("name").and_then(|value| value.as_text().map(str::to_owned));
        Names(resources.iter().map(|table| name(table).unwrap_or_default()).collect())
    }

    /// Returns the resource called `name`, or reports that the step of `task` names none.
    fn find(&self, name: &str, task: &str, value: &Value<'_, '_>) -> Option<ResourceId> {
        let found = self.0.iter().position(|known| known == name);
        let known = self.0.iter().map(String::as_str);
        found.map_or_else(
            || value.reported(Problem::unknown_resource(task, name, known)),
            |resource| Some(ResourceId(resource as u32)),
        )
    }
}

/// Reads the steps of the program of `task`; `None` if one is wrong.
pub(super) fn program(value: &Value<'_, '_>, task: &str, names: &Names) -> Option<Vec<Step>> {
    let items = value.items("a list of steps, such as [\"execute 2 ms\"]")?;
    if items.is_empty() {
        return value.refused("has no step", "at least one step that executes");
    }
    let steps: Vec<Option<Step>> = items.iter().map(|item| step(item, task, names)).collect();
    steps.into_iter().collect()
}

fn step(value: &Value<'_, '_>, task: &str, names: &Names) -> Option<Step> {
    let text = value.text(STEP)?.trim();
    let (verb, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    match verb {
        "execute" => length(value, rest).map(|length| Step::Execute(Work::from_ns(length.as_ns()))),
        "suspend" => length(value, rest).map(Step::Suspend),
        "request" => units(value, rest, task, names).map(|(resource, units)| Step::Request(resource, units)),
        "release" => units(value, rest, task, names).map(|(resource, units)| Step::Release(resource, units)),
        "serve" => names.find(rest.trim(), task, value).map(Step::Serve),
        "np_enter" if rest.is_empty() => Some(Step::NpEnter),
        "np_exit" if rest.is_empty() => Some(Step::NpExit),
        _ => value.refused("is no step", STEP),
    }
}

fn length(value: &Value<'_, '_>, text: &str) -> Option<Duration> {
    match quantity::duration(text) {
        Ok(length) if !length.is_zero() => Some(length),
        Ok(_) => value.refused("has a duration that is zero", STEP),
        Err(why) => value.refused(&format!("has a duration that {why}"), STEP),
    }
}

fn units(value: &Value<'_, '_>, text: &str, task: &str, names: &Names) -> Option<(ResourceId, u32)> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or("");
    let resource = names.find(name, task, value)?;
    let units = words.next().map_or(Ok(1), |number| number.parse::<u32>());
    match (units, words.next()) {
        (Ok(units), None) if units > 0 => Some((resource, units)),
        _ => value.refused("has a number of units that is no positive whole number", STEP),
    }
}
