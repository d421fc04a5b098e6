//! The one decision whether deadlines are proved, for `analyze`, `advise` and searches alike.

use crate::prepare::prepared::Prepared;
use crate::verdict::analysis::{is_proved_quickly, prove};
use crate::verdict::conclusion::{conclude, Conclusion, Said};
use crate::verdict::findings::{findings, servers, supertasks, Finding, ARRIVALS};
use schedlab_analysis::Answer;

/// True if all deadlines are proved to be met.
pub fn is_proved(prepared: &Prepared) -> bool {
    if !prepared.supertasks.is_empty() {
        return are_proved_by(&supertasks::findings(prepared));
    }
    if !prepared.scenario.servers.is_empty() {
        return are_proved_by(&servers::findings(prepared));
    }
    if !prepared.own_tests.is_empty() {
        let found = prove(prepared).ok().and_then(|found| found.analysis);
        return found.is_some_and(|analysis| analysis.hard == Answer::Schedulable);
    }
    is_proved_quickly(prepared)
}

/// True if all deadlines are proved to be met, by any test or by one of `tests`.
pub(crate) fn is_proved_by(prepared: &Prepared, tests: Option<&[String]>) -> bool {
    let Some(tests) = tests else { return is_proved(prepared) };
    prove(prepared).is_ok_and(|analysis| {
        let mut found = findings(prepared, &analysis);
        found.retain(|found| found.test == ARRIVALS || tests.iter().any(|name| name == found.test));
        are_proved_by(&found)
    })
}

fn are_proved_by(found: &[Finding]) -> bool {
    concluded(found)[0] == Answer::Schedulable
}

/// Returns the conclusions from all findings: whether deadlines are met, and whether tardiness is bounded.
pub fn concluded(found: &[Finding]) -> [Answer; 2] {
    let said: Vec<Said<'_>> = found.iter().map(Said::from).collect();
    let Conclusion { hard, soft } = conclude(&said);
    [hard, soft].map(|strongest| strongest.map_or(Answer::Unknown, |found| found.answer))
}
