//! Threads that took processor time from tasks: other threads by name, and ordinary ones that ran over ready real-time
//! ones.
//!
//! Since Linux 6.12 a fair server lets starved ordinary threads run over real-time ones for a part of each second;
//! older kernels throttle real-time threads for that (`sched_rt_runtime_us`). Either shows as an ordinary thread that
//! got a processor while a task's thread was ready there.

use crate::results::{LostTime, OrdinaryOverRealTime};
use crate::trace::real_run::RealRun;
use schedlab_model::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt;

/// Processor time that tasks lost.
#[derive(Debug, Default)]
pub(crate) struct InterferingThreads {
    /// Time lost while the tasks' threads were on their way.
    on_the_way: Duration,
    /// Time lost to other threads, by name: the total, and the number of times.
    by_name: Vec<(String, Duration, usize)>,
    /// Intervals in which an ordinary thread ran over a ready task's: the begin, the processor, and the length.
    ordinary: Vec<(Instant, usize, Duration)>,
}

/// Finds the threads that took time in `run`. Threads that have ended by now do not count as ordinary ones.
pub(crate) fn find(run: &RealRun) -> InterferingThreads {
    let mut found = InterferingThreads::default();
    let mut by_name: BTreeMap<&str, (Duration, usize)> = BTreeMap::new();
    for lost in run.lost() {
        let length = Duration::from_ns(lost.ns());
        let Some(thread) = lost.thread else {
            found.on_the_way += length;
            continue;
        };
        let (total, count) = by_name.entry(run.threads.name(thread)).or_default();
        *total += length;
        *count += 1;
        if lost.interrupted && run.threads.is_ordinary(thread) {
            found.ordinary.push((lost.from, run.processor(lost.cpu), length));
        }
    }
    let named = |(name, (length, count)): (&str, (Duration, usize))| (name.to_owned(), length, count);
    found.by_name = by_name.into_iter().map(named).collect();
    found.by_name.sort_by_key(|(_, length, _)| std::cmp::Reverse(*length));
    found
}

impl InterferingThreads {
    /// The lost time as plain values, for programs.
    pub(crate) fn result(&self) -> LostTime {
        let total_ns = self.ordinary.iter().map(|(.., length)| length.as_ns()).sum();
        LostTime {
            on_the_way_ns: self.on_the_way.as_ns(),
            to_others_ns: self.by_name.iter().map(|(_, length, _)| length.as_ns()).sum(),
            ordinary_over_real_time: OrdinaryOverRealTime { count: self.ordinary.len(), total_ns },
        }
    }
}

impl fmt::Display for InterferingThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self
            .by_name
            .iter()
            .take(3)
            .map(|(name, length, count)| format!("{name} {length} ({count} times)"));
        let others: Vec<String> = others.collect();
        let others = if others.is_empty() { "no other program".to_owned() } else { others.join(", ") };
        writeln!(f, "processor time that tasks lost         on the way {}; to {others}", self.on_the_way)?;
        if let Some((at, processor, length)) = self.ordinary.iter().max_by_key(|(.., length)| *length) {
            writeln!(
                f,
                "ordinary threads ran over ready real-time ones {} times (fair server, or real-time throttling), the longest \
                 {length} at {at} on processor {processor}",
                self.ordinary.len()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::{one_task, ran, OTHER, OWN};
    use crate::trace::threads::{Class, Threads};
    use schedlab_model::{CpuId, JobId, TaskId};
    use schedlab_trace::{Record, Thread};

    /// A job is to run for 100 us. Its thread comes after 5 us, an ordinary thread takes 20, and one that is gone takes
    /// 30.
    #[test]
    fn who_took_time_is_named_and_ordinary_threads_apart() {
        let at = |us: u64| Instant::from_ns(us * 1_000);
        let job = JobId::new(TaskId(0), 0);
        let decisions = vec![
            (at(0), Record::Dispatch { cpu: CpuId(0), job }),
            (at(100), Record::Complete { job }),
            (at(100), Record::End),
        ];
        let switches = [
            &ran(OTHER, 0, 0)[..],
            &ran(OWN, 5, 10),
            &ran(OTHER, 10, 30),
            &ran(OWN, 30, 40),
            &ran(Thread::Other(5), 40, 70),
            &ran(OWN, 70, 100),
        ];
        let known = Threads([(99, (Class::Ordinary, "rustc".to_owned()))].into());
        let run = RealRun { threads: known, ..one_task(decisions, switches.concat(), 0) };
        let found = find(&run);
        let said = found.to_string();
        assert!(
            said.contains("on the way 5 us; to threads that are gone 30 us (1 times), rustc 20 us (1 times)"),
            "{said}"
        );
        assert!(said.contains("ran over ready real-time ones 1 times"), "{said}");
        let expected = LostTime {
            on_the_way_ns: 5_000,
            to_others_ns: 50_000,
            ordinary_over_real_time: OrdinaryOverRealTime { count: 1, total_ns: 20_000 },
        };
        assert_eq!(found.result(), expected);
    }
}
