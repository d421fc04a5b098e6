//! The windows of a Pfair task's subtasks, drawn as in fig. 4 of staggered-pfair-2005: one lane for each.
//!
//! Time is in slots: an instant of n nanoseconds stands for the begin of slot n.

use super::picture::{Block, Fill, Picture, Sign};
use super::{svg, Window};
use core::fmt::Write;
use schedlab_model::Instant;

/// Window of one subtask, in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubtaskWindow {
    /// Number of the subtask, from 1.
    pub number: u64,
    /// First slot in which the subtask may run, once the one before has; earlier than its release under early release.
    pub eligible: u64,
    /// The first slot of its window.
    pub release: u64,
    /// The slot after the last one of its window.
    pub deadline: u64,
    /// True if the successor's window may begin before this one ends: the b-bit.
    pub overlaps: bool,
    /// Latest end of a cascade that starts with this subtask; 0 for a light task.
    pub group_deadline: u64,
}

/// Most cells of a line of text.
const MOST_CELLS: u64 = 120;

/// Returns the slots from the first window's begin to the last one's end.
fn reach(windows: &[SubtaskWindow]) -> (u64, u64) {
    let from = windows.iter().map(|window| window.eligible).min().unwrap_or(0);
    let to = windows.iter().map(|window| window.deadline).max().unwrap_or(1);
    (from, to.max(from + 1))
}

/// The windows as letters, one row each: `=` the window, `-` where the subtask may run early.
///
/// One letter is one slot, or several where one each would make the rows too long; the last line says so.
pub fn windows_text(windows: &[SubtaskWindow]) -> String {
    let (from, to) = reach(windows);
    let unit = (to - from).div_ceil(MOST_CELLS);
    let labels: Vec<String> = windows.iter().map(|window| format!("T{}", window.number)).collect();
    let width = labels.iter().map(String::len).max().unwrap_or(0);
    let mut out = String::new();
    for (window, label) in windows.iter().zip(&labels) {
        let cell = |slot: u64| ((slot - from) / unit) as usize;
        let end = (window.deadline - from).div_ceil(unit) as usize;
        let (early, late) = (cell(window.eligible), cell(window.release));
        let row = [" ".repeat(early), "-".repeat(late - early), "=".repeat(end - late)].concat();
        let _ = writeln!(out, "{label:width$} {row}");
    }
    let _ = writeln!(out, "{:width$} {}", "", ruler(from, to, unit));
    let slots = if unit == 1 { "a slot".to_owned() } else { format!("{unit} slots") };
    let _ = writeln!(out, "{:width$} = window, - may run early; one letter is {slots}", "");
    out
}

/// Numbers of slots below the rows, each under the letter of its slot.
fn ruler(from: u64, to: u64, unit: u64) -> String {
    let step = if to.div_ceil(unit).to_string().len() > 3 { 20 } else { 10 };
    let mut out = String::new();
    for cell in (0..=(to - from) / unit).step_by(step) {
        out.extend(core::iter::repeat_n(' ', (cell as usize).saturating_sub(out.len())));
        out += &(from + cell * unit).to_string();
    }
    out
}

/// Draws the windows as a standalone SVG document; `title` names the task.
pub fn windows_svg(title: &str, windows: &[SubtaskWindow]) -> String {
    let (from, to) = reach(windows);
    let mut blocks = Vec::new();
    for (lane, window) in windows.iter().enumerate() {
        let number = window.number;
        let mut block = |from: u64, to: u64, fill, tip: String| {
            let (from, to) = (Instant::from_ns(from), Instant::from_ns(to));
            blocks.push(Block { lane, from, to, fill, label: String::new(), tip });
        };
        let (release, deadline) = (window.release, window.deadline);
        if window.eligible < release {
            let tip = format!("subtask {number} may run early, from slot {} on", window.eligible);
            block(window.eligible, release, Fill::Overhead, tip);
        }
        let tip = format!("subtask {number}: released at {release}, deadline at {deadline}");
        block(release, deadline, Fill::Colour(0), tip);
    }
    let is_early = windows.iter().any(|window| window.eligible < window.release);
    let mut legend = vec![Sign::Fill(Fill::Colour(0), "window".into())];
    legend.extend(is_early.then(|| Sign::Fill(Fill::Overhead, "may run early".into())));
    let picture = Picture {
        window: Window { from: Instant::from_ns(from), to: Instant::from_ns(to) },
        labels: windows.iter().map(|window| format!("T{}", window.number)).collect(),
        blocks,
        slopes: Vec::new(),
        strips: Vec::new(),
        arrows: Vec::new(),
        links: Vec::new(),
        legend,
        title: title.to_owned(),
        unit: Some("slot"),
    };
    svg::document(&picture, &svg::NARROW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(number: u64, eligible: u64, release: u64, deadline: u64) -> SubtaskWindow {
        SubtaskWindow { number, eligible, release, deadline, overlaps: true, group_deadline: 0 }
    }

    /// Fig. 4(d): weight 3/10, released early, T2 six slots late, T3 absent.
    #[test]
    fn rows_show_slots() {
        let text = windows_text(&[window(1, 0, 0, 4), window(2, 6, 9, 13), window(4, 16, 16, 20)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "T1 ====");
        assert_eq!(lines[1], "T2       ---====");
        assert_eq!(lines[2], "T4                 ====");
        assert_eq!(lines[3], "   0         10        20");
    }

    #[test]
    fn long_rows_are_scaled() {
        let text = windows_text(&[window(1, 0, 0, 1_000), window(2, 999, 999, 2_000)]);
        assert!(text.lines().all(|line| line.len() <= 130), "{text}");
        assert!(text.contains("one letter is 17 slots"), "{text}");
    }

    #[test]
    fn the_picture_counts_slots() {
        let svg = windows_svg("weight 3/10", &[window(1, 0, 0, 4), window(2, 0, 3, 7)]);
        assert!(svg.contains(">slot</text>") && svg.contains("may run early"), "{svg}");
        assert!(svg.contains("<title>weight 3/10</title>"));
    }
}
