//! Fields that several kinds of tables have.

use super::table::Table;
use super::value::Value;
use crate::field;
use crate::quantity;
use crate::unknown::unknown_scheduler;

/// Checks the version that the field `name` holds.
pub(crate) fn version(table: &Table<'_, '_>, name: &str) {
    let allowed = "1, the version of the format that this schedlab reads";
    let Some(value) = table.need(name, allowed) else { return };
    if value.written() != "1" {
        value.refuse("is no version that this schedlab knows", allowed);
    }
}

/// Text in any length, without characters that no file should have.
pub(crate) fn prose(value: &Value<'_, '_>) -> Option<String> {
    let text = value.text("text")?;
    if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return value.refused("has control characters", "text with line breaks and tabs");
    }
    Some(text.to_owned())
}

/// A duration.
pub(crate) fn duration(value: &Value<'_, '_>) -> Option<schedlab_model::Duration> {
    value.parsed(quantity::DURATION, quantity::duration)
}

/// A duration above zero.
pub(crate) fn positive(value: &Value<'_, '_>) -> Option<schedlab_model::Duration> {
    let length = value.parsed(quantity::POSITIVE, quantity::duration)?;
    if length.is_zero() {
        return value.refused("is zero", quantity::POSITIVE);
    }
    Some(length)
}

/// The tables of an array of tables, with errors for unknown fields.
pub(crate) fn tables<'a, 't>(
    table: &Table<'a, 't>,
    name: &str,
    sections: &'static [&'static field::FieldTable],
) -> Vec<Table<'a, 't>> {
    let allowed = format!("tables, each beginning with [[{name}]]");
    let Some(items) = table.get(name).and_then(|value| value.items(&allowed)) else { return Vec::new() };
    items.iter().filter_map(|item| item.table(sections, &allowed)).collect()
}

/// The canonical form of a scheduler's name.
pub(crate) fn scheduler_name(value: &Value<'_, '_>, allowed: &str) -> Option<String> {
    let text = value.text(allowed)?;
    let found = schedlab_policy::find(text).ok().map(|scheduler| scheduler.name);
    found.or_else(|| value.reported(unknown_scheduler(text)))
}
