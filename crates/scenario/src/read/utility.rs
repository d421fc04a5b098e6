//! Reads `utility = ...`, a time/utility function, and `abort_handler = ...`.

use crate::document::{self, duration, Value};
use crate::error::Errors;
use crate::field;
use crate::quantity::{self, UTILITY};
use schedlab_model::{AbortHandler, Duration, TimeUtility, Utility, Work};

const FORMS: &str = "a number (a step at the relative deadline), { step = 10, termination = \"8 ms\" }, \
    { linear = 10, last = 2 }, { exponential = 10, half_life = \"2 ms\" } or \
    { points = [[\"0 ms\", 10], [\"8 ms\", 4]] }";

/// Reads the function; `None` if something is wrong.
pub(super) fn utility(value: &Value<'_, '_>) -> Option<TimeUtility> {
    if !value.is_table() {
        return height(value).map(|height| TimeUtility::Step { height, termination: None });
    }
    let table = value.table(&[&field::UTILITY], FORMS)?;
    let (last, half_life) = (table.get("last"), table.get("half_life").map(|value| duration(&value)));
    let termination = table.given("termination", duration);
    let kinds = ["step", "linear", "exponential", "points"].map(|kind| table.get(kind));
    match (kinds, last, half_life) {
        ([Some(step), None, None, None], None, None) => {
            Some(TimeUtility::Step { height: height(&step)?, termination: termination? })
        }
        ([None, Some(linear), None, None], last, None) => Some(TimeUtility::Linear {
            height: height(&linear)?,
            last: last.map_or(Some(Utility::ZERO), |last| height(&last))?,
            termination: termination?,
        }),
        ([None, None, Some(exponential), None], None, Some(half_life)) => Some(TimeUtility::Exponential {
            height: height(&exponential)?,
            half_life: half_life?,
            termination: termination?,
        }),
        ([None, None, None, Some(points)], None, None) if termination == Some(None) => {
            self::points(&points).map(TimeUtility::Piecewise)
        }
        _ => value.refused("is not one kind of time/utility function", FORMS),
    }
}

/// Reads the abort handler; `None` if something is wrong.
pub(super) fn abort_handler(value: &Value<'_, '_>) -> Option<AbortHandler> {
    let table = value.table(&[&field::ABORT_HANDLER], "{ cost = \"1 ms\", utility = 2 }")?;
    let cost = table.given_or("cost", Duration::ZERO, duration);
    let utility = table.given_or("utility", Utility::ZERO, height);
    Some(AbortHandler { cost: Work::done_in(cost?), utility: utility? })
}

fn height(value: &Value<'_, '_>) -> Option<Utility> {
    if value.is_text() {
        return value.refused("is a text", UTILITY);
    }
    value.parsed_number(UTILITY, quantity::utility)
}

fn points(value: &Value<'_, '_>) -> Option<Vec<(Duration, Utility)>> {
    let allowed = "points such as [[\"0 ms\", 10], [\"8 ms\", 4]]: time after the arrival and utility";
    let point = |item: &Value<'_, '_>| match &item.items(allowed)?[..] {
        [time, utility] => Some((duration(time)?, height(utility)?)),
        _ => item.refused("is no pair of a time and a utility", allowed),
    };
    value.items(allowed)?.iter().map(point).collect()
}

/// Reads a time/utility function as the field `utility` of a scenario file states it, such as `{ linear = 10 }`.
pub fn time_utility(text: &str) -> Result<TimeUtility, Errors> {
    alone("utility", &[&field::ONLY_UTILITY], text, utility)
}

/// Reads an abort handler as the field `abort_handler` of a scenario file states it, such as `{ cost = "1 ms" }`.
pub fn abort_handler_of(text: &str) -> Result<AbortHandler, Errors> {
    alone("abort_handler", &[&field::ONLY_ABORT_HANDLER], text, abort_handler)
}

/// Applies `read` to the value `text` of a field that stands alone, the only one of its section.
fn alone<T>(
    field: &'static str,
    section: &'static [&'static field::FieldTable],
    text: &str,
    read: impl Fn(&Value<'_, '_>) -> Option<T>,
) -> Result<T, Errors> {
    let text = format!("{field} = {text}");
    document::read(field, &text, section, |table| table.needed(field, FORMS, read))
}
