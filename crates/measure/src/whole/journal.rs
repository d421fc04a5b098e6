//! The file of measurements: completed steps are kept, so that a stopped measurement goes on where it was.
//!
//! One JSON object a line. The first one describes the measurement and the machine; each further one is a completed
//! step with its rows.

use super::row::MeasuredRow;
use crate::failure::NotMeasured;
use schedlab_report::files::reason;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// A file of measurements, open to be added to.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    done: BTreeMap<String, Vec<MeasuredRow>>,
}

#[derive(Serialize, Deserialize)]
struct Done {
    step: String,
    rows: Vec<MeasuredRow>,
}

impl Journal {
    /// Opens `path`, or begins it with `head`. Its contents count only if they have the same head, unless `afresh`.
    pub(crate) fn open(path: &Path, head: &Value, afresh: bool) -> Result<Self, NotMeasured> {
        let unwritten = |error: std::io::Error| NotMeasured::unwritten(path, error);
        let there = if afresh { None } else { File::open(path).ok() };
        let mut lines = Vec::new();
        if let Some(there) = there {
            for line in BufReader::new(there).lines() {
                lines.push(line.map_err(|error| format!("{}: {}", path.display(), reason(&error)))?);
            }
        }
        let known = lines.first().and_then(|line| serde_json::from_str::<Value>(line).ok());
        if known.as_ref().is_some_and(|known| known != head) {
            return Err(format!(
                "{}: holds measurements of another kind or machine: give --afresh to replace them, or another --out",
                path.display()
            )
            .into());
        }
        // A line that was cut off by a kill is no JSON: its step is done again.
        let done: BTreeMap<String, Vec<MeasuredRow>> = lines
            .iter()
            .skip(1)
            .filter_map(|line| serde_json::from_str(line).ok())
            .map(|Done { step, rows }| (step, rows))
            .collect();
        let mut text = format!("{head}\n");
        for (step, rows) in &done {
            text += &line(step, rows)?;
        }
        // Whole or as it was: a kill at this moment loses nothing.
        let unfinished = path.with_extension("jsonl.unfinished");
        fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path)).map_err(unwritten)?;
        let file = OpenOptions::new().append(true).open(path).map_err(unwritten)?;
        Ok(Journal { path: path.to_owned(), file, done })
    }

    /// Returns the rows of a completed step.
    pub(crate) fn find(&self, step: &str) -> Option<&[MeasuredRow]> {
        self.done.get(step).map(Vec::as_slice)
    }

    /// Adds a completed step.
    pub(crate) fn add(&mut self, step: String, rows: Vec<MeasuredRow>) -> Result<(), NotMeasured> {
        let text = line(&step, &rows)?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| NotMeasured::unwritten(&self.path, error))?;
        self.done.insert(step, rows);
        Ok(())
    }
}

fn line(step: &str, rows: &[MeasuredRow]) -> Result<String, String> {
    let done = Done { step: step.to_owned(), rows: rows.to_vec() };
    Ok(serde_json::to_string(&done).map_err(|error| error.to_string())? + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_done_is_found_again_even_after_a_kill() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        let head = json!({ "machine": "here" });
        let rows = vec![MeasuredRow { what: "tick".to_owned(), tasks: Some(3), ..MeasuredRow::default() }];
        {
            let mut journal = Journal::open(&path, &head, false).unwrap();
            journal.add("one".to_owned(), rows.clone()).unwrap();
            journal.add("two".to_owned(), Vec::new()).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 5]).unwrap();
        let journal = Journal::open(&path, &head, false).unwrap();
        assert_eq!(journal.find("one"), Some(&rows[..]));
        assert_eq!(journal.find("two"), None, "its line was cut off");
        drop(journal);
        let other = Journal::open(&path, &json!({ "machine": "there" }), false).unwrap_err();
        assert!(matches!(&other, NotMeasured::Input(why) if why.contains("--afresh")), "{other:?}");
        assert_eq!(Journal::open(&path, &json!({}), true).unwrap().find("one"), None);
    }
}
