//! A drawing with letters, whole or folded where it is wider than a terminal.

use core::fmt::Write;
use schedlab_model::{Duration, Instant};

/// Fewest letters in a part; a narrower part would show too little.
const LEAST: usize = 10;

/// Rows of letters, with notes below them.
pub(super) struct Printed {
    /// A label for each row, empty for one that goes on, and its letters.
    pub(super) rows: Vec<(String, String)>,
    /// Lines below.
    pub(super) notes: Vec<String>,
    /// Time at which the rows begin.
    pub(super) from: Instant,
    /// Length of time for which a letter stands.
    pub(super) unit: Duration,
}

impl Printed {
    /// The width of the labels, with a blank.
    fn margin(&self) -> usize {
        self.rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0) + 1
    }

    /// Prints each row in one line.
    pub(super) fn text(&self) -> String {
        let margin = self.margin();
        let mut out = String::new();
        for (label, row) in &self.rows {
            let _ = writeln!(out, "{label:margin$}{row}");
        }
        for note in &self.notes {
            let _ = writeln!(out, "{:margin$}{note}", "");
        }
        out
    }

    /// Prints parts whose lines have at most `most` letters, each with the time at which it begins. Labels are never
    /// cut.
    pub(super) fn folded(&self, most: usize) -> String {
        let margin = self.margin();
        let room = most.saturating_sub(margin).max(LEAST);
        let longest = self.rows.iter().map(|(_, row)| row.chars().count()).max().unwrap_or(0);
        let mut out = String::new();
        for begin in (0..longest).step_by(room) {
            if longest > room {
                let since = Duration::from_ns(self.unit.as_ns().saturating_mul(begin as u64));
                let _ = writeln!(out, "from {}", self.from + since);
            }
            for (label, row) in &self.rows {
                let part: String = row.chars().skip(begin).take(room).collect();
                let line = format!("{label:margin$}{part}");
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        for note in &self.notes {
            wrap(note, margin, room, &mut out);
        }
        out
    }
}

/// Words in lines of at most `room` letters, after a margin. A word that is longer has a line of its own.
fn wrap(words: &str, margin: usize, room: usize, out: &mut String) {
    let mut line = String::new();
    for word in words.split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            let _ = writeln!(out, "{:margin$}{line}", "");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    let _ = writeln!(out, "{:margin$}{line}", "");
}
