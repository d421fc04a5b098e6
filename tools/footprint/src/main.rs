//! `make footprint`: prints how many bytes each locking protocol costs.

use schedlab_footprint::{counting::Counting, table};
use std::process::ExitCode;

#[global_allocator]
static COUNTING: Counting = Counting;

fn main() -> ExitCode {
    match table::measure() {
        Ok(rows) => {
            print!("{}", table::print(&rows));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
