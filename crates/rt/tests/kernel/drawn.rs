//! Random scenarios: the same for the same name and number.

use std::fmt::Write;

/// Periods of tasks, in ms.
const PERIODS: [u64; 7] = [20, 25, 40, 50, 80, 100, 200];

/// Least and greatest load of all tasks, in percent of one processor: where instructions count as time, all emulated
/// processors share one.
const LOAD: std::ops::Range<u64> = 15..40;

/// Numbers that look random (G. L. Steele, D. Lea and C. H. Flood's SplitMix, OOPSLA 2014).
pub struct Numbers(u64);

impl Numbers {
    /// The numbers of this name and number.
    pub fn of(name: &str, number: u64) -> Self {
        Numbers(name.bytes().fold(number, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte))))
    }

    /// A number of `range`.
    pub fn draw(&mut self, range: std::ops::Range<u64>) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        range.start + (mixed ^ (mixed >> 31)) % (range.end - range.start)
    }
}

/// A scenario of three to six tasks on two processors, with offsets and constrained deadlines, and with what schedulers
/// may ask for; some tasks suspend. With `sections` some have sections without preemption.
pub fn scenario_of(name: &str, number: u64, sections: bool) -> String {
    let mut numbers = Numbers::of(name, number);
    let (count, load) = (numbers.draw(3..7), numbers.draw(LOAD));
    let mut text = "schedlab = 1\nscheduler = \"P-EDF\"\nhorizon = \"600 ms\"\n[platform]\nprocessors = 2\n\
                    quantum = \"10 ms\"\n"
        .to_owned();
    for task in 0..count {
        let period = PERIODS[numbers.draw(0..PERIODS.len() as u64) as usize];
        let cost_us = (period * 1_000 * load / 100 / count).max(400);
        let deadline = period * numbers.draw(70..101) / 100;
        writeln!(
            text,
            "[[task]]\nname = \"t{task}\"\nperiod = \"{period} ms\"\ndeadline = \"{deadline} ms\"\noffset = \"{} ms\"\n\
             priority = {}\npriority_point = \"{} ms\"\nprocessor = {}\nprogram = [{}]",
            numbers.draw(0..30),
            task + 1,
            numbers.draw(1..deadline),
            task % 2,
            program(&mut numbers, cost_us, sections),
        )
        .expect("text grows");
    }
    text
}

/// Such a scenario, whose sections are those of one resource under this protocol.
pub fn sharing_of(name: &str, number: u64, protocol: &str) -> String {
    let text =
        scenario_of(name, number, true).replace("np_enter", "request r").replace("np_exit", "release r");
    format!("{text}[[resource]]\nname = \"r\"\n").replacen(
        "horizon",
        &format!("protocol = \"{protocol}\"\nhorizon"),
        1,
    )
}

/// The steps of a job that executes for `cost_us`.
fn program(numbers: &mut Numbers, cost_us: u64, sections: bool) -> String {
    let half = cost_us / 2;
    match numbers.draw(0..4) {
        0 => format!("\"execute {half} us\", \"suspend {} ms\", \"execute {half} us\"", numbers.draw(1..5)),
        1 | 2 if sections => {
            format!("\"execute {half} us\", \"np_enter\", \"execute {half} us\", \"np_exit\"")
        }
        _ => format!("\"execute {cost_us} us\""),
    }
}
