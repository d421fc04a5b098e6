//! The scheduling classes of Linux in words, with the threads that have them.

use crate::event::Urgency;
use schedlab_policy::{class_name, KernelClass, Scope};

/// Number of threads that are named of each class.
const SHOWN: usize = 6;

/// Lists the classes of threads, which are given by their priorities in the kernel and their names. Each class has its
/// first threads, such as `SCHED_DEADLINE: audio; ordinary: log`.
pub(crate) fn classes<'a>(threads: impl Iterator<Item = (i16, &'a str)>) -> String {
    let mut names = [const { Vec::new() }; 3];
    for (priority, name) in threads {
        let class = match Urgency::of(priority) {
            Urgency::Deadline => 0,
            Urgency::RealTime(_) => 1,
            Urgency::Ordinary(_) | Urgency::Unknown(_) => 2,
        };
        names[class].push(name);
    }
    let [deadline, fifo] =
        [KernelClass::Deadline, KernelClass::Fifo].map(|class| class_name(class, Scope::Global));
    // In the order in which they go before each other.
    let words = [deadline, format!("{fifo} or SCHED_RR"), "ordinary".to_owned()];
    let of = |(class, names): (String, Vec<&str>)| {
        let more = names.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        (!names.is_empty()).then(|| format!("{class}: {shown}{rest}"))
    };
    words.into_iter().zip(names).filter_map(of).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::classes;

    #[test]
    fn each_class_has_its_threads() {
        let threads = [(120, "log"), (-1, "audio"), (49, "control"), (100, "idle")];
        let said = "SCHED_DEADLINE: audio; SCHED_FIFO or SCHED_RR: control; ordinary: log, idle";
        assert_eq!(classes(threads.into_iter()), said);
        let many = (0..9).map(|_| (120, "t"));
        assert_eq!(classes(many), "ordinary: t, t, t, t, t, t and 3 more");
        assert_eq!(classes(std::iter::empty()), "");
    }
}
