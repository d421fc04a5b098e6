//! What verdicts say together.

use schedlab_analysis::{Answer, Guarantee};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an answer is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Answer")]
pub enum AnswerName {
    #[allow(missing_docs)]
    Schedulable,
    #[allow(missing_docs)]
    Unschedulable,
    #[allow(missing_docs)]
    Unknown,
}

impl From<Answer> for AnswerName {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Schedulable => AnswerName::Schedulable,
            Answer::Unschedulable => AnswerName::Unschedulable,
            Answer::Unknown => AnswerName::Unknown,
        }
    }
}

impl From<AnswerName> for Answer {
    fn from(name: AnswerName) -> Self {
        match name {
            AnswerName::Schedulable => Answer::Schedulable,
            AnswerName::Unschedulable => Answer::Unschedulable,
            AnswerName::Unknown => Answer::Unknown,
        }
    }
}

/// What a guarantee is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Kind")]
pub enum GuaranteeName {
    #[allow(missing_docs)]
    Hard,
    #[allow(missing_docs)]
    Soft,
}

impl From<Guarantee> for GuaranteeName {
    fn from(guarantee: Guarantee) -> Self {
        match guarantee {
            Guarantee::Hard => GuaranteeName::Hard,
            Guarantee::Soft => GuaranteeName::Soft,
        }
    }
}

/// The strongest of several answers: a proof, else a refutation, else nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Strongest {
    answer: AnswerName,
    /// Those that give it.
    tests: Vec<String>,
}

/// What verdicts say together; None where no test speaks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Conclusion")]
pub struct ConclusionResult {
    /// Are all deadlines met?
    hard: Option<Strongest>,
    /// Is tardiness bounded?
    soft: Option<Strongest>,
}

/// What tests with these answers to one question say together; `None` if there are none.
fn strongest(said: &[(AnswerName, &str)]) -> Option<Strongest> {
    let answer = Answer::strongest(said.iter().map(|(answer, _)| (*answer).into()))?.into();
    let of_it = said.iter().filter(|(other, _)| *other == answer);
    Some(Strongest { answer, tests: of_it.map(|(_, test)| test.to_string()).collect() })
}

/// What verdicts say together, each given as guarantee, answer and test.
pub fn conclusion_of(verdicts: &[(GuaranteeName, AnswerName, String)]) -> ConclusionResult {
    let of = |asked: GuaranteeName| {
        let said = verdicts.iter().filter(|(guarantee, ..)| *guarantee == asked);
        strongest(&said.map(|(_, answer, test)| (*answer, test.as_str())).collect::<Vec<_>>())
    };
    ConclusionResult { hard: of(GuaranteeName::Hard), soft: of(GuaranteeName::Soft) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AnswerName::{Schedulable, Unknown, Unschedulable};

    #[test]
    fn evidence_is_stronger_than_none() {
        for (said, answer, tests) in [
            (vec![(Unknown, "a"), (Schedulable, "b"), (Schedulable, "c")], Schedulable, vec!["b", "c"]),
            (vec![(Unknown, "a"), (Unschedulable, "b")], Unschedulable, vec!["b"]),
            (vec![(Unschedulable, "a"), (Schedulable, "b")], Schedulable, vec!["b"]),
            (vec![(Unknown, "a"), (Unknown, "b")], Unknown, vec!["a", "b"]),
        ] {
            let tests = tests.into_iter().map(String::from).collect();
            assert_eq!(strongest(&said), Some(Strongest { answer, tests }));
        }
        assert_eq!(strongest(&[]), None);
    }
}
