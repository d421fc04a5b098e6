//! `make footprint`: prints how many bytes each locking protocol costs; with `--csv`, for programs.

use schedlab_footprint::{counting::Counting, table};
use std::process::ExitCode;

#[global_allocator]
static COUNTING: Counting = Counting;

fn main() -> ExitCode {
    match table::measure() {
        Ok(rows) => {
            let csv = std::env::args().any(|argument| argument == "--csv");
            print!("{}", if csv { table::csv(&rows) } else { table::print(&rows) });
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
