//! How far the look at a long run is: a line on standard error, where that is a terminal, which is gone afterwards.

use std::io::{self, IsTerminal, Write};
use strum::VariantArray;

/// What is being looked at.
#[derive(Clone, Copy, Debug, strum::Display, strum::VariantArray)]
pub enum Stage {
    #[strum(serialize = "what the kernel says that ran")]
    Kernel,
    #[strum(serialize = "replaying the decisions")]
    Replay,
    #[strum(serialize = "the invariants on the decisions")]
    Invariants,
    #[strum(serialize = "who took processor time")]
    Lost,
    #[strum(serialize = "simulating the jobs without what was lost")]
    Simulations,
}

/// The line.
pub struct Progress(Option<Box<dyn Write>>);

impl Progress {
    /// On standard error, if somebody may see it.
    pub fn begin() -> Self {
        let error = io::stderr();
        Progress(error.is_terminal().then(|| Box::new(error) as Box<dyn Write>))
    }

    /// Says nothing.
    #[cfg(test)]
    pub fn hidden() -> Self {
        Progress(None)
    }

    /// This is what is looked at now.
    pub fn at(&mut self, stage: Stage) {
        let (number, of) = (stage as usize + 1, Stage::VARIANTS.len());
        self.write(&format!("\r\x1b[K[{number}/{of}] {stage}"));
    }

    /// A terminal that is gone is nobody's loss.
    fn write(&mut self, text: &str) {
        if let Some(line) = &mut self.0 {
            let _ = line.write_all(text.as_bytes()).and_then(|()| line.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.write("\r\x1b[K");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Terminal(Arc<Mutex<Vec<u8>>>);

    impl Write for Terminal {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn each_stage_has_the_line_to_itself_and_nothing_stays() {
        let terminal = Terminal::default();
        let mut progress = Progress(Some(Box::new(terminal.clone())));
        Stage::VARIANTS.iter().for_each(|stage| progress.at(*stage));
        drop(progress);
        let said = String::from_utf8(terminal.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = said.split("\r\x1b[K").collect();
        assert_eq!((lines.len(), lines[0], lines[6]), (7, "", ""));
        assert_eq!(lines[1], "[1/5] what the kernel says that ran");
        assert_eq!(lines[5], "[5/5] simulating the jobs without what was lost");
    }
}
