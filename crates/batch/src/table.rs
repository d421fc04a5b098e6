//! Answers about random sets as Arrow columns.
//!
//! `set`: its number; `tasks`: how many it has; then a column by question, named like it. That of a question without a
//! protocol says whether the guarantee is proved. That of a question with one is a bound on tardiness in nanoseconds,
//! 0 where no deadline is missed and null where nothing is proved.

use crate::each::{each, Control, Failure};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use schedlab_lab::batch::{BatchError, Memory, Proof, Question, Sets};
use std::ops::Range;
use std::sync::Arc;

/// Stands for "nothing is proved" among the cells of a row.
const NOTHING: u64 = u64::MAX;

fn cell(proof: Proof) -> u64 {
    match proof {
        Proof::Nothing => NOTHING,
        Proof::Guarantee => 0,
        Proof::Tardiness(bound) => bound.as_ns(),
    }
}

/// Judges the sets of these numbers; `names` are the questions as they were asked.
pub fn table_of_sets(
    asked: &Sets<'_>,
    sets: Range<u64>,
    names: &[String],
    threads: usize,
    control: &Control,
) -> Result<RecordBatch, Failure<BatchError>> {
    let (first, count) = (sets.start, sets.end.saturating_sub(sets.start) as usize);
    let width = 1 + asked.questions.len();
    // By set: its number of tasks and a cell for each question.
    let mut cells = vec![NOTHING; count * width];
    let judge = |(memory, proofs): &mut (Memory, Vec<Proof>), set, row: &mut [u64]| {
        proofs.resize(asked.questions.len(), Proof::Nothing);
        row[0] = asked.judge(set, memory, proofs)?.into();
        row[1..].iter_mut().zip(proofs).for_each(|(place, proof)| *place = cell(*proof));
        Ok(())
    };
    each(sets, &mut cells, width, threads, control, judge)?;
    let column = |at: usize| cells.chunks_exact(width).map(move |row| row[at]);
    let mut fields =
        vec![Field::new("set", DataType::UInt64, false), Field::new("tasks", DataType::UInt32, false)];
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values((first..).take(count))),
        Arc::new(UInt32Array::from_iter_values(column(0).map(|tasks| tasks as u32))),
    ];
    for (at, (name, question)) in names.iter().zip(asked.questions).enumerate() {
        let answers = answers(question, column(1 + at));
        fields.push(Field::new(name, answers.data_type().clone(), question.bounds_tardiness()));
        columns.push(answers);
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .expect("columns of the same length, one for each field"))
}

fn answers(question: &Question, cells: impl Iterator<Item = u64>) -> ArrayRef {
    let proved = cells.map(|cell| (cell != NOTHING).then_some(cell));
    match question.bounds_tardiness() {
        true => Arc::new(proved.collect::<UInt64Array>()),
        false => Arc::new(BooleanArray::from(proved.map(|cell| cell.is_some()).collect::<Vec<bool>>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use schedlab_workload::generate::{Accesses, Generator, Spec};

    fn generator() -> Generator {
        Generator::parse(&Spec {
            utilization: "uniform 0.1 0.5".into(),
            periods: "uniform 10ms 100ms".into(),
            deadlines: "implicit".into(),
            stop: "trim 3".into(),
        })
        .unwrap()
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn the_same_whatever_the_number_of_threads_and_the_cut() {
        let (generator, names) = (generator(), names(&["P-EDF hard", "G-EDF hard gfb", "G-EDF soft"]));
        let questions: Vec<Question> = names.iter().map(|name| name.parse().unwrap()).collect();
        let sets = Sets {
            generator: &generator,
            accesses: &Accesses::None,
            seed: 7,
            processors: 4,
            questions: &questions,
        };
        let judged =
            |range, threads| table_of_sets(&sets, range, &names, threads, &Control::default()).unwrap();
        let whole = judged(0..300, 1);
        for threads in [2, 3, 7] {
            assert_eq!(judged(0..300, threads), whole);
        }
        assert_eq!(judged(130..200, 2), whole.slice(130, 70));
        let column =
            |at: usize| whole.column(at).as_any().downcast_ref::<BooleanArray>().unwrap().true_count();
        assert!(
            column(2) > 30 && column(3) < 300 && column(4) == 300,
            "{:?}",
            [column(2), column(3), column(4)]
        );
        assert_eq!(whole.schema().field(2).name(), "P-EDF hard");
    }

    #[test]
    fn bounds_are_null_where_nothing_is_proved() {
        let (generator, names) = (generator(), names(&["G-EDF fmlp-short hard", "G-EDF fmlp-short soft"]));
        let questions: Vec<Question> = names.iter().map(|name| name.parse().unwrap()).collect();
        let accesses: Accesses = "shared 5 1 4 10us".parse().unwrap();
        let sets = Sets {
            generator: &generator,
            accesses: &accesses,
            seed: 7,
            processors: 4,
            questions: &questions,
        };
        let judged = |threads| table_of_sets(&sets, 0..100, &names, threads, &Control::default()).unwrap();
        let table = judged(2);
        assert_eq!(table, judged(1));
        assert!(table.column(2).null_count() > 50 && table.column(3).null_count() < 50, "{table:?}");
    }

    #[test]
    fn a_set_that_cannot_be_drawn_is_told() {
        let spec = Spec {
            utilization: "uniform 0.000001 0.000002".into(),
            periods: "uniform 10ms 100ms".into(),
            deadlines: "implicit".into(),
            stop: "trim 3".into(),
        };
        let generator = Generator::parse(&spec).unwrap();
        let sets =
            Sets { generator: &generator, accesses: &Accesses::None, seed: 7, processors: 4, questions: &[] };
        let found = table_of_sets(&sets, 3..9, &[], 2, &Control::default()).unwrap_err();
        assert!(matches!(found, Failure::Failed(3, BatchError::Generate(_))), "{found:?}");
    }
}
