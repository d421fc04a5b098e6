//! CSV as it is written: the columns of [`COLUMNS`], a row for each task, durations with units.

use super::columns::NAMES;
use super::Converted;
use crate::aspect::{lost, Aspect};
use crate::error::Errors;
use crate::scenario::Scenario;
use crate::words::UrgentPriority;
use schedlab_model::{Duration, Suspension};

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 10] = {
    let mut names = [""; 10];
    let mut index = 0;
    while index < NAMES.len() {
        names[index] = NAMES[index].0;
        index += 1;
    }
    names
};

/// Aspects that the columns hold.
const KEPT: &[Aspect] = &[
    Aspect::ShortDeadline,
    Aspect::LongDeadline,
    Aspect::Offset,
    Aspect::Jitter,
    Aspect::Suspension,
    Aspect::WorkingSet,
    Aspect::Processor,
];

/// Writes the tasks, durations with units.
pub(crate) fn write(scenario: &Scenario) -> Result<Converted<String>, Errors> {
    // A table has a priority for each task, or for none.
    let keeps_priorities = scenario.tasks.iter().all(|task| task.priority.is_some());
    let of_priorities: &[Aspect] = match keeps_priorities {
        true => &[Aspect::Priority, Aspect::UrgentPriority],
        false => &[],
    };
    let lost = lost(scenario, &[KEPT, of_priorities].concat());
    // In a table the smallest is the most urgent.
    let largest = scenario.tasks.iter().filter_map(|task| task.priority).max().unwrap_or(0);
    let in_table = |priority: u32| match scenario.scheduler.urgent_priority {
        UrgentPriority::Smallest => priority,
        UrgentPriority::Largest => largest - priority,
    };
    let mut rows = csv::Writer::from_writer(Vec::new());
    let mut write = |cells: [String; 10]| rows.write_record(cells).expect("memory takes any record");
    write(COLUMNS.map(str::to_owned));
    for task in &scenario.tasks {
        let some = |length: Duration| if length.is_zero() { String::new() } else { length.to_string() };
        let suspension = match task.suspension {
            Suspension::Dynamic(bound) => bound.to_string(),
            Suspension::None | Suspension::Segmented => String::new(),
        };
        let implicit = task.relative_deadline == task.period;
        write([
            task.name.clone(),
            task.wcet.to_string(),
            task.period.to_string(),
            if implicit { String::new() } else { task.relative_deadline.to_string() },
            some(Duration::from_ns(task.offset.as_ns())),
            some(task.jitter),
            suspension,
            if task.working_set == 0 { String::new() } else { task.working_set.to_string() },
            task.priority
                .filter(|_| keeps_priorities)
                .map_or_else(String::new, |priority| in_table(priority).to_string()),
            task.processor.map_or_else(String::new, |number| number.to_string()),
        ]);
    }
    let bytes = rows.into_inner().expect("memory takes any record");
    Ok(Converted { value: String::from_utf8(bytes).expect("what was text is text"), lost })
}
