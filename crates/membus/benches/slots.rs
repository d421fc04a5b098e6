//! Processor time of one core for the machines of staggered-pfair-2005: 16 processors, 3 slots of 2 million cycles.
//!
//! `cargo bench -p schedlab-membus`. Best of five.

use cpu_time::ProcessTime;
use schedlab_membus::{watch, Slots};

fn main() {
    println!("| writes | quanta | ms | requests | cycles lost per task |");
    println!("|---|---|---|---|---|");
    for (name, random) in [("linear", None), ("random", Some(1))] {
        for is_staggered in [false, true] {
            let all = Slots { processors: 16, is_staggered, ..Slots::OF_2005 };
            let all = match random {
                Some(_) => Slots { random, cells: 8 * all.cells, cell_bytes: 4, ..all },
                None => all,
            };
            let machine = all.machine().expect("a good machine");
            let mut best = f64::INFINITY;
            let mut seen = None;
            for _ in 0..5 {
                let start = ProcessTime::now();
                seen = watch(&machine, 0, 3 * all.cycles, 1, &mut || true).expect("a good machine");
                best = best.min(start.elapsed().as_secs_f64() * 1e3);
            }
            let processors = seen.expect("it was run").processors;
            let lost = processors.iter().map(|counts| counts.lost).sum::<u64>() / 16;
            let requests: u64 = processors.iter().map(|counts| counts.requests).sum();
            let quanta = if is_staggered { "staggered" } else { "aligned" };
            println!("| {name} | {quanta} | {best:.0} | {requests} | {lost} |");
        }
    }
}
