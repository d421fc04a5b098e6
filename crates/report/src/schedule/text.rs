//! A schedule drawn with letters: what tests compare.
//!
//! One row per processor, one letter per unit of time: `A` for task 0 and so on (`a` follows `Z`, then
//! `?`), `.` idle, `*` spinning, `~` overhead. By task, a row shows the number of the processor (`0` to `9`, `a`
//! to `z`, `?`), `-` while a job is pending, `.` while there is none. A cell shows the longest stretch in
//! it, and of equals the first. People see a row of each budget server below, with the budget that it has.

use super::printed::Printed;
use super::{Lanes, Schedule, Subtask};
use crate::context::Context;
use schedlab_model::{Duration, Instant, JobId};
use std::collections::BTreeMap;

/// Most cells of a row in its own unit.
const MAX_CELLS: u64 = 400;

/// Most cells of a row in a given unit.
const MOST_CELLS: u64 = 1_000_000;

/// Letters of the rows in preparation: by cell, the letter, and how much of the cell it covers.
struct TextRow {
    cells: Vec<(char, u64)>,
    from: u64,
    to: u64,
    unit: u64,
}

impl TextRow {
    fn new(schedule: &Schedule, unit: u64, empty: char) -> Self {
        let (from, to) = (schedule.window.from.as_ns(), schedule.window.to.as_ns());
        let cells = (to - from).div_ceil(unit) as usize;
        TextRow { cells: vec![(empty, 0); cells], from, to, unit }
    }

    /// Writes `letter` into the cells of which [from, to) covers more than the present letter.
    fn write(&mut self, letter: char, from: Instant, to: Instant) {
        let (from, to) = (from.as_ns().max(self.from) - self.from, to.as_ns().min(self.to) - self.from);
        let mut at = from;
        while at < to {
            let cell = at / self.unit;
            let end = (cell + 1).saturating_mul(self.unit).min(to);
            let shown = &mut self.cells[cell as usize];
            if end - at > shown.1 {
                *shown = (letter, end - at);
            }
            at = end;
        }
    }

    fn text(&self) -> String {
        self.cells.iter().map(|(letter, _)| *letter).collect()
    }
}

fn task_letter(task: usize) -> char {
    let letters = ('A'..='Z').chain('a'..='z');
    letters.into_iter().nth(task).unwrap_or('?')
}

fn cpu_letter(cpu: usize) -> char {
    ('0'..='9').chain('a'..='z').nth(cpu).unwrap_or('?')
}

impl Schedule {
    /// The longest unit of time in which every begin and end falls on a cell's border, unless that makes
    /// too many cells: then one that makes at most 400.
    pub fn exact_unit(&self) -> Duration {
        let bounds = self.segments.iter().flat_map(|s| [s.from, s.to]);
        let others = self.overheads.iter().flat_map(|s| [s.from, s.to]);
        let start = self.window.from;
        let unit = bounds
            .chain(others)
            .fold(self.window.length().as_ns(), |unit, at| gcd(unit, (at - start).as_ns()));
        Duration::from_ns(unit.max(self.window.length().as_ns().div_ceil(MAX_CELLS)).max(1))
    }

    /// The rows of letters, without labels. A `unit` that makes more than a million cells is lengthened.
    pub fn rows(&self, lanes: Lanes, unit: Duration) -> Vec<String> {
        let unit = unit.as_ns().max(self.window.length().as_ns().div_ceil(MOST_CELLS)).max(1);
        match lanes {
            Lanes::Processors => (0..self.processors).map(|cpu| self.processor_row(cpu, unit)).collect(),
            Lanes::Tasks => (0..self.tasks).map(|task| self.task_row(task, unit)).collect(),
        }
    }

    fn processor_row(&self, cpu: usize, unit: u64) -> String {
        let mut row = TextRow::new(self, unit, '.');
        let segments = self.segments.iter().filter(|segment| segment.cpu.index() == cpu).map(|segment| {
            let letter = if segment.spinning.is_some() { '*' } else { task_letter(segment.job.task.index()) };
            (letter, segment.from, segment.to)
        });
        let overheads = self.overheads.iter().filter(|overhead| overhead.cpu.index() == cpu);
        let overheads = overheads.map(|overhead| ('~', overhead.from, overhead.to));
        let mut parts: Vec<_> = segments.chain(overheads).collect();
        parts.sort_by_key(|(_, from, _)| *from);
        let mut at = self.window.from;
        for (letter, from, to) in parts {
            // The gap before it.
            row.write('.', at, from);
            row.write(letter, from, to);
            at = at.max(to);
        }
        row.write('.', at, self.window.to);
        row.text()
    }

    fn task_row(&self, task: usize, unit: u64) -> String {
        let mut row = TextRow::new(self, unit, '.');
        let mut parts: Vec<(char, Instant, Instant)> = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.job.task.index() == task) {
            let letter = if segment.spinning.is_some() { '*' } else { cpu_letter(segment.cpu.index()) };
            parts.push((letter, segment.from, segment.to));
        }
        parts.sort_by_key(|(_, from, _)| *from);
        parts.into_iter().for_each(|(letter, from, to)| row.write(letter, from, to));
        // Only where nothing executes: a later job's waiting must not hide the earlier one's execution.
        self.pending(task).into_values().for_each(|(from, to)| row.fill('-', from, to));
        row.text()
    }

    /// Returns from when to when each job of a task is pending: all that it does and waits for.
    fn pending(&self, task: usize) -> BTreeMap<JobId, (Instant, Instant)> {
        let executes = self.segments.iter().map(|segment| (segment.job, segment.from, segment.to));
        let waits = self.waits.iter().map(|wait| (wait.job, wait.from, wait.to));
        let mut pending = BTreeMap::new();
        for (job, from, to) in executes.chain(waits).filter(|(job, _, _)| job.task.index() == task) {
            let (first, last) = pending.entry(job).or_insert((from, to));
            (*first, *last) = (from.min(*first), to.max(*last));
        }
        pending
    }

    /// The budget of a server at the begin of each letter, in letters or (`is_counted` is false) in ninths of its
    /// largest one, rounded up; a blank where it is unknown.
    fn budget_row(&self, server: u32, unit: Duration, is_counted: bool) -> String {
        let unit = unit.as_ns().max(self.window.length().as_ns().div_ceil(MOST_CELLS)).max(1);
        let mut row = TextRow::new(self, unit, ' ');
        let largest = u128::from(self.servers.largest(server).as_ns().max(1));
        let mine = self.servers.stretches.iter().filter(|stretch| stretch.server == server);
        for stretch in mine {
            let (from, to) = (stretch.from.as_ns(), stretch.to.as_ns());
            let start = self.window.from.as_ns();
            for cell in (from - start).div_ceil(unit)..(to - start).div_ceil(unit) {
                let gone = if stretch.left == stretch.left_at_end { 0 } else { start + cell * unit - from };
                let left = u128::from(stretch.left.as_ns().saturating_sub(gone));
                let left = if is_counted { left.div_ceil(unit.into()) } else { (9 * left).div_ceil(largest) };
                let letter = char::from_digit(left as u32, 10).expect("one digit");
                row.cells[cell as usize].0 = letter;
            }
        }
        row.text()
    }

    /// The windows of a task's subtasks, by turns in two rows since they overlap: `[--]`, or `|` for a single cell.
    fn window_rows(&self, lanes: Lanes, lane: usize, unit: Duration) -> [String; 2] {
        let mut rows = [String::new(), String::new()];
        let unit = unit.as_ns().max(1);
        let start = self.window.from;
        let of_task = |subtask: &&Subtask| lanes == Lanes::Tasks && subtask.job.task.index() == lane;
        for (nth, subtask) in self.subtasks.iter().filter(of_task).enumerate() {
            let row = &mut rows[nth % 2];
            let from = subtask.release.max(start).saturating_since(start).as_ns() / unit;
            let to = subtask.deadline.min(self.window.to).saturating_since(start).as_ns().div_ceil(unit);
            let gap = (from as usize).saturating_sub(row.len());
            row.push_str(&" ".repeat(gap));
            match (to as usize).saturating_sub(row.len()) {
                0 => {}
                1 => row.push('|'),
                cells => {
                    row.extend(['['].into_iter().chain(core::iter::repeat_n('-', cells - 2)).chain([']']))
                }
            }
        }
        rows
    }

    /// The schedule with labels and an axis, for people.
    pub fn text(&self, context: &Context, lanes: Lanes, unit: Duration) -> String {
        self.printed(context, lanes, unit).text()
    }

    /// Draws the schedule as [`Schedule::text`] does, in parts whose lines have at most `most` letters.
    pub fn folded_text(&self, context: &Context, lanes: Lanes, unit: Duration, most: usize) -> String {
        self.printed(context, lanes, unit).folded(most)
    }

    fn printed(&self, context: &Context, lanes: Lanes, unit: Duration) -> Printed {
        let labels: Vec<String> = match lanes {
            Lanes::Processors => (0..self.processors).map(|cpu| format!("P{cpu}")).collect(),
            Lanes::Tasks => {
                let label = |task| context.task_name(schedlab_model::TaskId(task as u32));
                (0..self.tasks).map(label).collect()
            }
        };
        let mut rows = Vec::new();
        for (lane, (label, row)) in labels.into_iter().zip(self.rows(lanes, unit)).enumerate() {
            rows.push((label, row));
            let windows = self.window_rows(lanes, lane, unit).into_iter();
            rows.extend(windows.filter(|row| !row.trim().is_empty()).map(|row| (String::new(), row)));
        }
        let is_counted = self.servers.stretches.iter().all(|one| one.left.as_ns() <= 9 * unit.as_ns().max(1));
        for (server, name) in (0..).zip(&self.servers.names) {
            rows.push((name.clone(), self.budget_row(server, unit, is_counted)));
        }
        let (from, to) = (self.window.from, self.window.to);
        let unit = Duration::from_ns(unit.as_ns().max(1));
        let mut notes = vec![format!("{from} to {to}, one letter is {unit}")];
        if lanes == Lanes::Processors {
            let used = |task: &usize| self.segments.iter().any(|segment| segment.job.task.index() == *task);
            let names = (0..self.tasks).filter(used).map(|task| {
                format!("{} {}", task_letter(task), context.task_name(schedlab_model::TaskId(task as u32)))
            });
            notes.push(names.collect::<Vec<_>>().join(", "));
        }
        if !self.servers.names.is_empty() {
            let measure = if is_counted { "letters" } else { "ninths of its largest budget" };
            notes.push(format!("a server's row: the budget that it has in {measure}, rounded up"));
        }
        Printed { rows, notes, from, unit }
    }
}

impl TextRow {
    /// Writes `letter` into the cells of [from, to) that show nothing yet.
    fn fill(&mut self, letter: char, from: Instant, to: Instant) {
        let (from, to) = (from.as_ns().max(self.from) - self.from, to.as_ns().min(self.to) - self.from);
        let cells = from / self.unit..to.div_ceil(self.unit);
        for cell in cells {
            let shown = &mut self.cells[cell as usize];
            if shown.1 == 0 {
                shown.0 = letter;
            }
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        gcd(b, a % b)
    }
}
