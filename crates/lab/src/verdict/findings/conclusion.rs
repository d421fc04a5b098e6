//! What several tests say together of one question.

use schedlab_analysis::Answer;

/// The strongest of several answers, and who gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conclusion<T> {
    /// The answer.
    pub answer: Answer,
    /// The tests that give it, in the order in which they were asked.
    pub tests: Vec<T>,
}

/// What tests with these answers to one question say together; `None` if there are none.
pub fn conclude<T>(said: impl IntoIterator<Item = (Answer, T)>) -> Option<Conclusion<T>> {
    let said: Vec<(Answer, T)> = said.into_iter().collect();
    let answer = Answer::strongest(said.iter().map(|(answer, _)| *answer))?;
    let of_it = said.into_iter().filter(|(other, _)| *other == answer);
    Some(Conclusion { answer, tests: of_it.map(|(_, test)| test).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Answer::{Schedulable, Unknown, Unschedulable};

    #[test]
    fn evidence_is_stronger_than_none() {
        for (said, answer, tests) in [
            (vec![(Unknown, "a"), (Schedulable, "b"), (Schedulable, "c")], Schedulable, vec!["b", "c"]),
            (vec![(Unknown, "a"), (Unschedulable, "b")], Unschedulable, vec!["b"]),
            (vec![(Unschedulable, "a"), (Schedulable, "b")], Schedulable, vec!["b"]),
            (vec![(Unknown, "a"), (Unknown, "b")], Unknown, vec!["a", "b"]),
        ] {
            assert_eq!(conclude(said), Some(Conclusion { answer, tests }));
        }
        assert_eq!(conclude(Vec::<(Answer, &str)>::new()), None);
    }
}
