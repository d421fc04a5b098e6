//! Threads of a trace: its header holds their names and how they are scheduled.

use schedlab_trace::Thread;
use std::collections::BTreeMap;

/// Name of the header's line with the threads.
pub const THREADS: &str = "threads";

/// Class of a thread from the view of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A thread of the run's own process, beside those of tasks.
    Own,
    /// A thread of another program, with a real-time priority.
    RealTime,
    /// A thread of another program, without a real-time priority.
    Ordinary,
}

impl Class {
    const ALL: [(Class, &str); 3] =
        [(Class::Own, "own"), (Class::RealTime, "real-time"), (Class::Ordinary, "ordinary")];

    fn name(self) -> &'static str {
        Class::ALL[self as usize].1
    }
}

/// Threads by the kernel's number. A thread that had ended when the trace was written is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads(pub BTreeMap<u32, (Class, String)>);

impl Threads {
    /// Writes the threads as the header has them: `NUMBER CLASS NAME`, one a line.
    pub fn to_text(&self) -> String {
        let line = |(number, (class, name)): (&u32, &(Class, String))| {
            let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("{number} {} {}", class.name(), name.trim())
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Reads the threads of such a text; the error is the first line that is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let thread = |line: &str| {
            let (number, rest) = line.split_once(' ')?;
            let (class, name) = rest.split_once(' ').unwrap_or((rest, ""));
            let (class, _) = Class::ALL.into_iter().find(|(_, known)| *known == class)?;
            Some((number.parse().ok()?, (class, name.to_owned())))
        };
        let read = |line: &str| thread(line).ok_or_else(|| line.to_owned());
        text.lines().map(read).collect::<Result<_, _>>().map(Threads)
    }

    /// Returns the name of a thread that took a task's time.
    pub(crate) fn name(&self, thread: Thread) -> &str {
        match thread {
            Thread::Task(_) => OWN,
            Thread::Other(number) => match self.0.get(&number) {
                Some((Class::Own, _)) => OWN,
                Some((Class::RealTime | Class::Ordinary, name)) => name,
                None => "threads that are gone",
            },
        }
    }

    /// True if the thread is known to be another program's without a real-time priority.
    pub(crate) fn is_ordinary(&self, thread: Thread) -> bool {
        match thread {
            Thread::Task(_) => false,
            Thread::Other(number) => matches!(self.0.get(&number), Some((Class::Ordinary, _))),
        }
    }
}

const OWN: &str = "the runtime itself";

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::TaskId;

    #[test]
    fn what_is_written_is_read_and_names_have_no_second_line() {
        let known = [
            (7, Class::Own, ""),
            (8, Class::RealTime, "irq/9 two\nlines"),
            (9, Class::Ordinary, "a program"),
        ];
        let threads = Threads(known.map(|(at, class, name)| (at, (class, name.to_owned()))).into());
        let text = threads.to_text();
        assert_eq!(text, "7 own \n8 real-time irq/9 two lines\n9 ordinary a program");
        let read = Threads::parse(&text).unwrap();
        assert_eq!(read.to_text(), text);
        let names = [7, 8, 9, 10].map(|number| read.name(Thread::Other(number)));
        assert_eq!(names, [OWN, "irq/9 two lines", "a program", "threads that are gone"]);
        assert_eq!(read.name(Thread::Task(TaskId(8))), OWN);
        let ordinary: Vec<u32> = (7..11).filter(|number| read.is_ordinary(Thread::Other(*number))).collect();
        assert_eq!(ordinary, [9]);
        assert_eq!(Threads::parse("").unwrap(), Threads::default());
        assert_eq!(Threads::parse("7 own\n8 ownish x").unwrap_err(), "8 ownish x");
    }
}
