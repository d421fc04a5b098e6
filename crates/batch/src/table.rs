//! Answers about random sets as Arrow columns.
//!
//! The columns are `set`, the number of the set; `tasks`, the number of its tasks; `utilization`, their total; and one
//! for each question, with its name. The [`Measure`] determines the values:
//!
//! * Proofs: whether the guarantee is proved. Of a question with a protocol it is a bound on tardiness in nanoseconds,
//!   0 where no deadline is missed and null where nothing is proved.
//! * Processors: the number that is needed, null where the most allowed are not enough.
//! * Breakdown: the factor of all costs, in ten-thousandths.

use crate::each::{each, Control, Failure};
use arrow_array::{ArrayRef, BooleanArray, Float64Array, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use schedlab_lab::batch::{BatchError, Measure, Memory, Question, Sets};
use std::ops::Range;
use std::sync::Arc;

/// Returns the table of `measure` for the sets of these numbers; `names` are the questions as they were given.
pub fn table_of_sets(
    asked: &Sets<'_>,
    measure: Measure,
    sets: Range<u64>,
    names: &[String],
    threads: usize,
    control: &Control,
) -> Result<RecordBatch, Failure<BatchError>> {
    let (first, count) = (sets.start, sets.end.saturating_sub(sets.start) as usize);
    let width = 2 + asked.questions.len();
    // By set: its number of tasks, the bits of its utilization, and a cell for each question.
    let mut cells = vec![None; count * width];
    let fill_row = |memory: &mut Memory, set, row: &mut [Option<u64>]| {
        asked.answer(set, measure, memory, &mut row[2..])?;
        let size = memory.size();
        (row[0], row[1]) = (Some(size.tasks.into()), Some(size.utilization.to_bits()));
        Ok(())
    };
    each(sets, &mut cells, width, threads, control, fill_row)?;
    let column = |index: usize| cells.chunks_exact(width).map(move |row| row[index]);
    let mut fields = vec![
        Field::new("set", DataType::UInt64, false),
        Field::new("tasks", DataType::UInt32, false),
        Field::new("utilization", DataType::Float64, false),
    ];
    let mut columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values((first..).take(count))),
        Arc::new(UInt32Array::from_iter_values(column(0).flatten().map(|tasks| tasks as u32))),
        Arc::new(Float64Array::from_iter_values(column(1).flatten().map(f64::from_bits))),
    ];
    for (index, (name, question)) in names.iter().zip(asked.questions).enumerate() {
        let (answers, nullable) = answers(question, measure, column(2 + index));
        fields.push(Field::new(name, answers.data_type().clone(), nullable));
        columns.push(answers);
    }
    Ok(RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .expect("columns of the same length, one for each field"))
}

/// Returns a column of answers, and whether it may have nulls.
fn answers(
    question: &Question,
    measure: Measure,
    cells: impl Iterator<Item = Option<u64>>,
) -> (ArrayRef, bool) {
    match measure {
        Measure::Proof if question.bounds_tardiness() => (Arc::new(cells.collect::<UInt64Array>()), true),
        Measure::Proof => {
            (Arc::new(BooleanArray::from(cells.map(|cell| cell.is_some()).collect::<Vec<bool>>())), false)
        }
        Measure::Processors(_) | Measure::Breakdown => {
            let numbers = cells.map(|cell| cell.map(|found| found as u32));
            (Arc::new(numbers.collect::<UInt32Array>()), measure != Measure::Breakdown)
        }
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
            accesses: &Accesses::NONE,
            seed: 7,
            processors: 4,
            questions: &questions,
        };
        let judged = |range, threads| {
            table_of_sets(&sets, Measure::Proof, range, &names, threads, &Control::default()).unwrap()
        };
        let whole = judged(0..300, 1);
        for threads in [2, 3, 7] {
            assert_eq!(judged(0..300, threads), whole);
        }
        assert_eq!(judged(130..200, 2), whole.slice(130, 70));
        let column =
            |index: usize| whole.column(index).as_any().downcast_ref::<BooleanArray>().unwrap().true_count();
        assert!(
            column(3) > 30 && column(4) < 300 && column(5) == 300,
            "{:?}",
            [column(3), column(4), column(5)]
        );
        assert_eq!(whole.schema().field(3).name(), "P-EDF hard");
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
        let judged = |threads| {
            table_of_sets(&sets, Measure::Proof, 0..100, &names, threads, &Control::default()).unwrap()
        };
        let table = judged(2);
        assert_eq!(table, judged(1));
        assert!(table.column(3).null_count() > 50 && table.column(4).null_count() < 50, "{table:?}");
    }

    /// Breakdowns agree with brute force: each number of processors, and each of some factors, examined alone.
    #[test]
    fn processors_and_breakdowns_are_where_proofs_begin_and_end() {
        let (generator, names) = (generator(), names(&["P-EDF hard", "G-EDF hard gfb", "PD2 hard"]));
        let questions: Vec<Question> = names.iter().map(|name| name.parse().unwrap()).collect();
        let asked = |processors| Sets {
            generator: &generator,
            accesses: &Accesses::NONE,
            seed: 7,
            processors,
            questions: &questions,
        };
        let table = |processors, measure| {
            table_of_sets(&asked(processors), measure, 0..60, &names, 2, &Control::default()).unwrap()
        };
        let needed = table(1, Measure::Processors(5));
        let column = |table: &RecordBatch, index: usize| {
            let found = table.column(3 + index).as_any().downcast_ref::<UInt32Array>().unwrap().clone();
            (0..60).map(|set| found.is_valid(set).then(|| found.value(set))).collect::<Vec<_>>()
        };
        let proved = |processors, index: usize| {
            let table = table(processors, Measure::Proof);
            table.column(3 + index).as_any().downcast_ref::<BooleanArray>().unwrap().clone()
        };
        for (index, name) in names.iter().enumerate() {
            let by_number: Vec<_> = (1..=5).map(|processors| proved(processors, index)).collect();
            let least = |set: usize| (1..=5).find(|m| by_number[*m as usize - 1].value(set));
            assert_eq!(column(&needed, index), (0..60).map(least).collect::<Vec<_>>(), "{name}");
        }
        assert!(column(&needed, 0).contains(&Some(4)) && column(&needed, 1).contains(&Some(5)));
        assert!(
            column(&table(1, Measure::Processors(4)), 1).contains(&None),
            "tasks up to 1/2 need five by GFB"
        );
        let broken = table(4, Measure::Breakdown);
        for (index, name) in names.iter().enumerate() {
            let (factors, here) = (column(&broken, index), proved(4, index));
            for (set, factor) in factors.iter().enumerate() {
                assert_eq!(factor.unwrap() >= 10_000, here.value(set), "{name} of set {set}");
            }
        }
        // Fitted to a total of 3, on four processors: Pfair needs no more than costs in whole quanta that add up to 4.
        let utilization = broken.column(2).as_any().downcast_ref::<Float64Array>().unwrap().value(0);
        assert!((utilization - 3.0).abs() < 1e-6);
        let full = column(&broken, 0).iter().flatten().filter(|factor| **factor <= 13_334).count();
        assert_eq!(full, 60, "no factor makes more than four of three");
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
            Sets { generator: &generator, accesses: &Accesses::NONE, seed: 7, processors: 4, questions: &[] };
        let found = table_of_sets(&sets, Measure::Proof, 3..9, &[], 2, &Control::default()).unwrap_err();
        assert!(matches!(found, Failure::Failed(3, BatchError::Generate(_))), "{found:?}");
    }
}
