//! Answers about random sets as Arrow columns.
//!
//! `set`: its number; `tasks`: how many it has; then a column by question, named like it: whether the guarantee is proved, or, of sets with
//! resources, a bound on tardiness in nanoseconds, 0 where no deadline is missed and null where nothing is proved.

use crate::each::{each, Control, Failure};
use arrow_array::{ArrayRef, BooleanArray, RecordBatch, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use schedlab_lab::batch::{BatchError, Sets, Workspace};
use schedlab_lab::batch_locks::LockSets;
use schedlab_model::Duration;
use std::ops::Range;
use std::sync::Arc;

/// Stands for "nothing is proved" among the cells of a row.
const NOTHING: u64 = u64::MAX;

/// By set: its number of tasks and a cell for each question.
struct Rows {
    first: u64,
    width: usize,
    cells: Vec<u64>,
}

impl Rows {
    /// Judges the sets of these numbers: `judge` fills the cells of one and says how many tasks it has.
    fn judged<W: Default>(
        sets: Range<u64>,
        questions: usize,
        threads: usize,
        control: &Control,
        judge: impl Fn(&mut W, u64, &mut [u64]) -> Result<u32, BatchError> + Sync,
    ) -> Result<Rows, Failure<BatchError>> {
        let (first, count) = (sets.start, sets.end.saturating_sub(sets.start) as usize);
        let width = 1 + questions;
        let mut cells = vec![NOTHING; count * width];
        each(sets, &mut cells, width, threads, control, |memory, set, row: &mut [u64]| {
            let (tasks, answers) = row.split_at_mut(1);
            tasks[0] = judge(memory, set, answers)?.into();
            Ok(())
        })?;
        Ok(Rows { first, width, cells })
    }

    fn column(&self, at: usize) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.cells.chunks_exact(self.width).map(move |row| row[at])
    }

    /// The table, with an array for each question as `answers` makes it.
    fn table(&self, names: &[String], kind: &DataType, answers: impl Fn(usize) -> ArrayRef) -> RecordBatch {
        let count = self.cells.len() / self.width;
        let numbers = UInt64Array::from_iter_values((self.first..).take(count));
        let tasks = UInt32Array::from_iter_values(self.column(0).map(|tasks| tasks as u32));
        let mut fields =
            vec![Field::new("set", DataType::UInt64, false), Field::new("tasks", DataType::UInt32, false)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(tasks)];
        for (at, name) in names.iter().enumerate() {
            fields.push(Field::new(name, kind.clone(), *kind == DataType::UInt64));
            columns.push(answers(1 + at));
        }
        RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
            .expect("columns of the same length, one for each field")
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
    let judge = |memory: &mut (Workspace, Vec<bool>), set, cells: &mut [u64]| {
        let (workspace, proved) = memory;
        proved.clear();
        proved.resize(cells.len(), false);
        let tasks = asked.judge(set, workspace, proved)?;
        cells.iter_mut().zip(proved).for_each(|(cell, proved)| *cell = u64::from(*proved));
        Ok(tasks)
    };
    let rows = Rows::judged(sets, asked.questions.len(), threads, control, judge)?;
    Ok(rows.table(names, &DataType::Boolean, |at| {
        Arc::new(BooleanArray::from(rows.column(at).map(|cell| cell == 1).collect::<Vec<bool>>()))
    }))
}

/// The same of sets with resources.
pub fn table_of_lock_sets(
    asked: &LockSets<'_>,
    sets: Range<u64>,
    names: &[String],
    threads: usize,
    control: &Control,
) -> Result<RecordBatch, Failure<BatchError>> {
    let judge = |tardiness: &mut Vec<Option<Duration>>, set, cells: &mut [u64]| {
        tardiness.clear();
        tardiness.resize(cells.len(), None);
        let tasks = asked.judge(set, tardiness)?;
        let cell = |bound: &Option<Duration>| bound.map_or(NOTHING, |bound| bound.as_ns());
        cells.iter_mut().zip(tardiness).for_each(|(place, bound)| *place = cell(bound));
        Ok(tasks)
    };
    let rows = Rows::judged(sets, asked.questions.len(), threads, control, judge)?;
    Ok(rows.table(names, &DataType::UInt64, |at| {
        let bounds = rows.column(at).map(|cell| (cell != NOTHING).then_some(cell));
        Arc::new(bounds.collect::<UInt64Array>())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use schedlab_lab::batch::Question;
    use schedlab_lab::batch_locks::LockQuestion;
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
        let sets = Sets { generator: &generator, seed: 7, processors: 4, questions: &questions };
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
        let questions: Vec<LockQuestion> = names.iter().map(|name| name.parse().unwrap()).collect();
        let accesses: Accesses = "shared 5 1 4 10us".parse().unwrap();
        let sets = LockSets {
            generator: &generator,
            accesses: &accesses,
            seed: 7,
            processors: 4,
            questions: &questions,
        };
        let judged =
            |threads| table_of_lock_sets(&sets, 0..100, &names, threads, &Control::default()).unwrap();
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
        let sets = Sets { generator: &generator, seed: 7, processors: 4, questions: &[] };
        let found = table_of_sets(&sets, 3..9, &[], 2, &Control::default()).unwrap_err();
        assert!(matches!(found, Failure::Failed(3, BatchError::Generate(_))), "{found:?}");
    }
}
