//! Conclusions from several verdicts, as plain values.

use crate::verdict::conclusion::{conclude, Conclusion, Said, Strongest};
use schedlab_analysis::{Answer, Guarantee};
use schedlab_model::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of an answer.
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

impl From<GuaranteeName> for Guarantee {
    fn from(name: GuaranteeName) -> Self {
        match name {
            GuaranteeName::Hard => Guarantee::Hard,
            GuaranteeName::Soft => Guarantee::Soft,
        }
    }
}

/// The name of a guarantee.
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
#[schemars(rename = "Strongest")]
struct StrongestResult {
    answer: AnswerName,
    /// The tests that give the answer, each alone; if none does, those whose bounds on tasks give it together.
    tests: Vec<String>,
}

/// The conclusion from all verdicts; None where no test speaks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Conclusion")]
pub struct ConclusionResult {
    /// Are all deadlines met?
    hard: Option<StrongestResult>,
    /// Is tardiness bounded?
    soft: Option<StrongestResult>,
}

/// A verdict as plain values: guarantee, answer, test, and bounds on tardiness by task in ns, if the test gives bounds.
pub type PlainVerdict = (GuaranteeName, AnswerName, String, Option<Vec<Option<u64>>>);

/// Returns what verdicts about one scenario say together.
pub fn conclusion_of(verdicts: &[PlainVerdict]) -> ConclusionResult {
    let said: Vec<Said<'_>> = verdicts.iter().map(said).collect();
    let plain = |found: Strongest<'_>| StrongestResult {
        answer: found.answer.into(),
        tests: found.tests.into_iter().map(str::to_owned).collect(),
    };
    let Conclusion { hard, soft } = conclude(&said);
    ConclusionResult { hard: hard.map(plain), soft: soft.map(plain) }
}

fn said((guarantee, answer, test, tardiness): &PlainVerdict) -> Said<'_> {
    let bounds = |list: &Vec<Option<u64>>| list.iter().map(|bound| bound.map(Duration::from_ns)).collect();
    Said {
        guarantee: (*guarantee).into(),
        answer: (*answer).into(),
        test,
        tardiness: tardiness.as_ref().map(bounds),
    }
}
