//! The table: each registered protocol, built for size and for speed.

use crate::data::{self, Data};
use crate::linked::{build, Bytes, Error, Goal};
use schedlab_lock::ALL_PROTOCOLS;
use std::fmt::Write;

/// One protocol's bytes.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// What it adds to a program without protocol, built for size and for speed.
    pub adds: [Bytes; 2],
    /// What it allocates.
    pub data: Data,
    /// The whole program, built for size and for speed.
    pub program: [Bytes; 2],
}

impl Row {
    /// Code, constants, static data, and data of one lock with two tasks: the paper's last column.
    pub fn sum(&self, goal: usize) -> u64 {
        self.program[goal].sum() + self.data.least as u64
    }
}

/// Builds and measures each registered protocol.
pub fn measure() -> Result<Vec<Row>, Error> {
    let libraries = [build(Goal::Size)?, build(Goal::Speed)?];
    let both = |entry: &str| -> Result<[Bytes; 2], Error> {
        Ok([libraries[0].measure(entry)?, libraries[1].measure(entry)?])
    };
    let nothing = both("use_nothing")?;
    let row = |(at, protocol): (usize, &schedlab_lock::Protocol)| -> Result<Row, Error> {
        let program = both(&format!("use_{at}"))?;
        let adds = [program[0].beyond(nothing[0]), program[1].beyond(nothing[1])];
        Ok(Row { name: protocol.name, adds, data: data::measure(protocol), program })
    };
    ALL_PROTOCOLS.iter().enumerate().map(row).collect()
}

/// The table as text.
pub fn print(rows: &[Row]) -> String {
    let mut text = String::from(
        "Bytes of each locking protocol, from the symbols of a program without standard library that uses it\n\
         (code and constants beyond the same program without a protocol; sum: that program with one lock of two tasks)\n\n",
    );
    let mut line = |cells: [&str; 10]| {
        let [name, rest @ ..] = cells;
        let cells: String = rest.iter().map(|cell| format!("{cell:>10}")).collect();
        writeln!(text, "{name:<16}{cells}").expect("a text grows");
    };
    line(["", "size", "size", "size", "speed", "speed", "speed", "data", "data per", "data per"]);
    line(["protocol", "code", "constants", "sum", "code", "constants", "sum", "static", "lock", "task"]);
    for row in rows {
        line(cells(row).each_ref().map(String::as_str));
    }
    text
}

/// The table for programs: a line with the columns' names, then a line for each protocol.
pub fn csv(rows: &[Row]) -> String {
    let head = "protocol,size_code,size_constants,size_sum,speed_code,speed_constants,speed_sum,\
                static,data_per_lock,data_per_task";
    rows.iter().fold(format!("{head}\n"), |text, row| text + &cells(row).join(",") + "\n")
}

/// A protocol's line.
fn cells(row: &Row) -> [String; 10] {
    let [size, speed] = row.adds;
    let numbers = [size.code, size.constants, row.sum(0), speed.code, speed.constants, row.sum(1)];
    let data = [size.statics.max(speed.statics), row.data.per_lock as u64, row.data.per_task as u64];
    let mut numbers = numbers.into_iter().chain(data).map(|number| number.to_string());
    std::array::from_fn(
        |at| if at == 0 { row.name.to_owned() } else { numbers.next().expect("nine numbers") },
    )
}
