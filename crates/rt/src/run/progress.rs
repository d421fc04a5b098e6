//! Progress of accounting for a long run: a line on standard error, if that is a terminal, which is erased afterwards.

use std::io::{self, IsTerminal, Write};

/// The line of progress.
pub struct Progress(Option<Box<dyn Write>>);

impl Progress {
    /// Begins a line on standard error, if that is a terminal.
    pub fn begin() -> Self {
        let error = io::stderr();
        Progress(error.is_terminal().then(|| Box::new(error) as Box<dyn Write>))
    }

    /// Shows `what` as the present step.
    pub fn at(&mut self, what: &str) {
        self.write(&format!("\r\x1b[K{what} ..."));
    }

    /// Writes to the terminal. Errors are ignored, because a terminal that is gone is no loss.
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
        ["what the kernel says", "the replay"].into_iter().for_each(|what| progress.at(what));
        drop(progress);
        let said = String::from_utf8(terminal.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<&str> = said.split("\r\x1b[K").collect();
        assert_eq!(lines, ["", "what the kernel says ...", "the replay ...", ""]);
    }
}
