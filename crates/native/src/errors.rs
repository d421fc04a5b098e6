//! Exceptions: `schedlab.errors` defines them, so that every extension module raises the same ones.

use pyo3::prelude::*;
use schedlab_model::Invariant;
use schedlab_scenario::Problem;
use std::fmt::Display;

/// A `schedlab.BadInput` with this message.
pub(crate) fn bad_input(message: impl Display) -> PyErr {
    raised("BadInput", message)
}

/// Returns whether the exception is a `schedlab.BadInput`, whose message is complete.
pub(crate) fn is_bad_input(py: Python<'_>, error: &PyErr) -> bool {
    let known = py.import("schedlab.errors").and_then(|errors| errors.getattr("BadInput"));
    known.is_ok_and(|class| error.is_instance(py, &class))
}

/// The shipped invariant of this name.
pub(crate) fn invariant(name: &str) -> Result<Invariant, Problem> {
    let known = Invariant::ALL.iter().map(|known| known.name());
    Invariant::from_name(name).ok_or_else(|| Problem::unknown_name("invariant", name, known))
}

/// A `schedlab.Failed` with this message.
pub(crate) fn failed(message: impl Display) -> PyErr {
    raised("Failed", message)
}

/// Converts `value` to a narrower type, or returns an error about `field`.
pub(crate) fn narrow<T: TryFrom<i128>>(field: &str, value: i128, allowed: impl Display) -> PyResult<T> {
    T::try_from(value).map_err(|_| bad_input(format!("{field}: {value} is out of range; allowed: {allowed}")))
}

/// The seed and the index of a drawn set.
pub(crate) fn place_of_set(seed: i128, index: i128) -> PyResult<(u64, u64)> {
    let allowed = "from 0 to 2^64 - 1";
    Ok((narrow("seed", seed, allowed)?, narrow("index", index, allowed)?))
}

fn raised(class: &str, message: impl Display) -> PyErr {
    let message = message.to_string();
    Python::attach(|py| {
        let made = py.import("schedlab.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
        made.map_or_else(|error| error, PyErr::from_value)
    })
}
