//! The conclusion from all findings about a scenario.
//!
//! A proof decides; without one, a refutation does. If no single test decides, the smallest bounds on each task's
//! tardiness do, even from different tests: another test may prove each cluster, and each task.

use crate::verdict::findings::Finding;
use schedlab_analysis::{bounds_prove, Answer, Guarantee};
use schedlab_model::Duration;

/// One test's answer, as far as conclusions need it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said<'a> {
    pub(crate) guarantee: Guarantee,
    pub(crate) answer: Answer,
    pub(crate) test: &'a str,
    /// Bounds on tardiness by task, if the test gives bounds.
    pub(crate) tardiness: Option<Vec<Option<Duration>>>,
}

impl<'a> From<&'a Finding> for Said<'a> {
    fn from(finding: &'a Finding) -> Self {
        let Finding { guarantee, answer, test, tardiness, .. } = finding;
        Said { guarantee: *guarantee, answer: *answer, test, tardiness: tardiness.clone() }
    }
}

/// The strongest answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Strongest<'a> {
    pub(crate) answer: Answer,
    /// The tests that give this answer, each alone; if none does, the tests whose bounds give it together.
    pub(crate) tests: Vec<&'a str>,
}

/// The strongest answers to whether deadlines are met and whether tardiness is bounded; `None` if no test answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conclusion<'a> {
    pub(crate) hard: Option<Strongest<'a>>,
    pub(crate) soft: Option<Strongest<'a>>,
}

/// Combines the answers of all tests into one conclusion.
pub(crate) fn conclude<'a>(said: &[Said<'a>]) -> Conclusion<'a> {
    let hard = decide(said, Guarantee::Hard);
    let soft = decide(said, Guarantee::Soft);
    let follows =
        |soft: &Option<Strongest<'a>>| soft.as_ref().is_none_or(|soft| soft.answer != Answer::Schedulable);
    // If all deadlines are met, tardiness is bounded too.
    let soft = match &hard {
        Some(hard) if hard.answer == Answer::Schedulable && follows(&soft) => Some(hard.clone()),
        Some(_) | None => soft,
    };
    Conclusion { hard, soft }
}

fn decide<'a>(said: &[Said<'a>], guarantee: Guarantee) -> Option<Strongest<'a>> {
    let of_it = || said.iter().filter(|one| one.guarantee == guarantee);
    let alone = Answer::strongest(of_it().map(|one| one.answer));
    if alone.is_none_or(|answer| answer == Answer::Unknown) {
        if let Some(tests) = together(said, guarantee) {
            return Some(Strongest { answer: Answer::Schedulable, tests });
        }
    }
    let answer = alone?;
    let tests = of_it().filter(|one| one.answer == answer).map(|one| one.test).collect();
    Some(Strongest { answer, tests })
}

/// Returns the tests whose bounds prove `guarantee` together, if any do. Prefers sets of tests about deadlines alone.
fn together<'a>(said: &[Said<'a>], guarantee: Guarantee) -> Option<Vec<&'a str>> {
    let about_deadlines: Vec<&Said<'a>> =
        said.iter().filter(|one| one.guarantee == Guarantee::Hard).collect();
    let all: Vec<&Said<'a>> = said.iter().collect();
    chosen(&about_deadlines, guarantee).or_else(|| chosen(&all, guarantee))
}

/// Chooses tests whose bounds prove `guarantee` together. The choice is greedy, and not always the smallest: it always
/// takes the first test that proves the most tasks of those that are not yet proved.
fn chosen<'a>(said: &[&Said<'a>], guarantee: Guarantee) -> Option<Vec<&'a str>> {
    let proves = |one: &Said<'a>, task: usize| {
        let bound = one.tardiness.as_ref().and_then(|bounds| bounds.get(task).copied().flatten());
        bounds_prove(guarantee, [bound])
    };
    let tasks = said.iter().filter_map(|one| one.tardiness.as_ref()).map(Vec::len).max()?;
    let mut left: Vec<usize> = (0..tasks).collect();
    let mut tests = Vec::new();
    while !left.is_empty() {
        let count = |one: &Said<'a>| left.iter().filter(|task| proves(one, **task)).count();
        // `max_by_key` returns the last of several equal tests. The order is reversed, so this is the first one.
        let best = said.iter().rev().max_by_key(|one| count(one)).filter(|one| count(one) > 0)?;
        left.retain(|task| !proves(best, *task));
        tests.push(best.test);
    }
    Some(tests)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Answer::{Schedulable, Unknown, Unschedulable};
    use Guarantee::{Hard, Soft};

    fn said<'a>(guarantee: Guarantee, answer: Answer, test: &'a str, tardiness: &[Option<u64>]) -> Said<'a> {
        let bounds: Vec<_> = tardiness.iter().map(|bound| bound.map(Duration::from_ns)).collect();
        Said { guarantee, answer, test, tardiness: (!bounds.is_empty()).then_some(bounds) }
    }

    fn found<'a>(all: &[Said<'a>]) -> [Option<(Answer, Vec<&'a str>)>; 2] {
        let Conclusion { hard, soft } = conclude(all);
        [hard, soft].map(|one| one.map(|one| (one.answer, one.tests)))
    }

    #[test]
    fn evidence_is_stronger_than_none() {
        for (given, answer, tests) in [
            (vec![(Unknown, "a"), (Schedulable, "b"), (Schedulable, "c")], Schedulable, vec!["b", "c"]),
            (vec![(Unknown, "a"), (Unschedulable, "b")], Unschedulable, vec!["b"]),
            (vec![(Unschedulable, "a"), (Schedulable, "b")], Schedulable, vec!["b"]),
            (vec![(Unknown, "a"), (Unknown, "b")], Unknown, vec!["a", "b"]),
        ] {
            let all: Vec<_> = given.iter().map(|&(answer, test)| said(Hard, answer, test, &[])).collect();
            assert_eq!(found(&all)[0], Some((answer, tests)));
        }
        assert_eq!(found(&[]), [None, None]);
    }

    /// The tests together prove deadlines if each task has a bound of 0 from some test; a bound of 1 ns makes it late.
    #[test]
    fn each_task_may_be_proved_by_another_test() {
        let first = said(Hard, Unknown, "first", &[Some(0), Some(0), None]);
        let last = said(Hard, Unknown, "last", &[None, Some(3), Some(0)]);
        let both = Some((Schedulable, vec!["first", "last"]));
        assert_eq!(found(&[first.clone(), last]), [both.clone(), both]);
        let late = said(Hard, Unknown, "late", &[None, Some(3), Some(1)]);
        let bounded = Some((Schedulable, vec!["first", "late"]));
        assert_eq!(found(&[first.clone(), late]), [Some((Unknown, vec!["first", "late"])), bounded]);
        assert_eq!(found(&[first]), [Some((Unknown, vec!["first"])), None]);
    }

    #[test]
    fn a_bound_of_no_tardiness_proves_deadlines_unless_they_are_refuted() {
        let soft = said(Soft, Schedulable, "soft", &[Some(0), Some(0)]);
        let of_it = Some((Schedulable, vec!["soft"]));
        assert_eq!(found(std::slice::from_ref(&soft)), [of_it.clone(), of_it.clone()]);
        let refuted = said(Hard, Unschedulable, "simulation", &[]);
        assert_eq!(found(&[soft.clone(), refuted]), [Some((Unschedulable, vec!["simulation"])), of_it]);
        let hard = said(Hard, Unknown, "hard", &[Some(0), Some(0)]);
        let about_deadlines = Some((Schedulable, vec!["hard"]));
        assert_eq!(found(&[soft, hard])[0], about_deadlines);
    }

    #[test]
    fn deadlines_that_are_met_bound_tardiness() {
        let hard = said(Hard, Schedulable, "hard", &[]);
        let open = said(Soft, Unknown, "open", &[]);
        let by_hard = Some((Schedulable, vec!["hard"]));
        assert_eq!(found(&[hard.clone(), open.clone()]), [by_hard.clone(), by_hard]);
        let soft = said(Soft, Schedulable, "soft", &[]);
        assert_eq!(found(&[hard, open, soft])[1], Some((Schedulable, vec!["soft"])));
    }
}
