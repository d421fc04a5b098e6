//! What verdicts say together.

use crate::errors::bad_input;
use pyo3::prelude::*;
use pythonize::pythonize;
use schedlab_analysis::{Answer, Guarantee};
use schedlab_lab::{conclude as conclude_one, Conclusion};
use serde_json::{json, Value};

/// What an answer is called.
pub(crate) fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Schedulable => "schedulable",
        Answer::Unschedulable => "unschedulable",
        Answer::Unknown => "unknown",
    }
}

/// What a guarantee is called.
pub(crate) fn kind(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::Hard => "hard",
        Guarantee::Soft => "soft",
    }
}

/// Of verdicts given as kind, answer and test: by kind the strongest answer, and the tests that give it; `None` if no test speaks of it.
#[pyfunction]
pub(crate) fn conclude(
    py: Python<'_>,
    verdicts: Vec<(String, String, String)>,
) -> PyResult<Bound<'_, PyAny>> {
    let answers = [Answer::Schedulable, Answer::Unschedulable, Answer::Unknown];
    let read = |name: &str| {
        let found = answers.into_iter().find(|one| answer(*one) == name);
        found.ok_or_else(|| {
            bad_input(format!("unknown answer \"{name}\"; known are {}", answers.map(answer).join(", ")))
        })
    };
    let mut by_kind = serde_json::Map::new();
    for guarantee in [Guarantee::Hard, Guarantee::Soft] {
        let name = kind(guarantee);
        let asked = verdicts.iter().filter(|(kind, _, _)| kind == name);
        let said: PyResult<Vec<_>> =
            asked.map(|(_, answer, test)| Ok((read(answer)?, test.as_str()))).collect();
        by_kind.insert(name.to_owned(), conclude_one(said?).map_or(Value::Null, row));
    }
    Ok(pythonize(py, &by_kind)?)
}

fn row(found: Conclusion<&str>) -> Value {
    json!({ "answer": answer(found.answer), "tests": found.tests })
}
