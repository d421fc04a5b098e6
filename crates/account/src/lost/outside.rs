//! What is said of the time that the host took from the machine's processors, and of moments in which the whole run
//! stood still.

use crate::results::{FromOutsideResult, Standstill, StolenResult};
use crate::trace::real_run::{RealRun, Stolen};
use schedlab_model::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt;

/// What a run lost as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FromOutside {
    /// By processor of the machine; nothing if the kernel does not say.
    stolen: Option<BTreeMap<usize, Duration>>,
    /// All processors' time together.
    of: Duration,
    /// When no thread of the run executed.
    still: Vec<(Instant, Instant)>,
}

impl FromOutside {
    /// What `run` lost.
    pub(crate) fn of(run: &RealRun) -> Self {
        let by_processor = |all: &Vec<Stolen>| {
            let mut found: BTreeMap<usize, Duration> =
                run.processors.iter().map(|processor| (*processor, Duration::ZERO)).collect();
            for stolen in all {
                let sum = found.entry(run.processor(stolen.cpu)).or_default();
                *sum = Duration::from_ns(sum.as_ns().saturating_add(stolen.length.as_ns()));
            }
            found
        };
        let length = run.end().as_ns().saturating_mul(run.processors.len() as u64);
        FromOutside {
            stolen: run.stolen.as_ref().map(by_processor),
            of: Duration::from_ns(length),
            still: run.standstills.clone(),
        }
    }

    /// For programs.
    pub(crate) fn result(&self) -> FromOutsideResult {
        let stolen = self.stolen.as_ref().map(|by_processor| {
            let total = total(by_processor);
            StolenResult {
                total_ns: total.as_ns(),
                share: share(total, self.of),
                by_processor_ns: by_processor
                    .iter()
                    .map(|(at, length)| (at.to_string(), length.as_ns()))
                    .collect(),
            }
        });
        let still = |(from, to): &(Instant, Instant)| Standstill { from_ns: from.as_ns(), to_ns: to.as_ns() };
        FromOutsideResult { stolen, stood_still: self.still.iter().map(still).collect() }
    }
}

fn total(by_processor: &BTreeMap<usize, Duration>) -> Duration {
    let sum = by_processor.values().fold(0, |sum: u64, length| sum.saturating_add(length.as_ns()));
    Duration::from_ns(sum)
}

/// How much of the time `of` is `part`, from 0 to 1.
pub fn share(part: Duration, of: Duration) -> f64 {
    if of == Duration::ZERO {
        return 0.0;
    }
    part.as_ns() as f64 / of.as_ns() as f64
}

impl fmt::Display for FromOutside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stolen {
            Some(by_processor) => {
                let total = total(by_processor);
                let percent = 100.0 * share(total, self.of);
                writeln!(f, "processor time that the host stole     {total}, {percent:.2}% of all (counted in ticks of 10 ms)")?;
            }
            None => writeln!(f, "processor time that the host stole     unknown: the kernel does not say")?,
        }
        if let Some((from, to)) = self.still.iter().max_by_key(|(from, to)| (*to - *from).as_ns()) {
            writeln!(
                f,
                "no thread of the run executed {} times, the longest for up to {} until {to}. The process was stopped (SIGSTOP, a \
                 debugger), or the machine was",
                self.still.len(),
                *to - *from
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schedlab_model::CpuId;
    use schedlab_trace::Record;

    #[test]
    fn it_is_named_and_its_share_is_of_all_processors() {
        let ms = |ms: u64| Instant::from_ns(ms * 1_000_000);
        let stolen = |cpu, from, to| Stolen {
            cpu: CpuId(cpu),
            from: ms(from),
            to: ms(to),
            length: Duration::from_ns(10_000_000),
        };
        let run = RealRun {
            decisions: vec![(ms(1_000), Record::End)],
            processors: vec![3, 5],
            stolen: Some(vec![stolen(0, 0, 50), stolen(1, 50, 100), stolen(0, 900, 950)]),
            standstills: vec![(ms(100), ms(700))],
            ..RealRun::default()
        };
        let found = FromOutside::of(&run);
        let said = found.to_string();
        assert!(said.contains("the host stole     30 ms, 1.50% of all"), "{said}");
        assert!(said.contains("executed 1 times, the longest for up to 600 ms until 700 ms"), "{said}");
        let stolen = found.result().stolen.unwrap();
        let by_processor = [("3".to_owned(), 20_000_000), ("5".to_owned(), 10_000_000)];
        assert_eq!((stolen.by_processor_ns, stolen.share), (by_processor.into(), 0.015));
        let unknown = FromOutside::of(&RealRun { stolen: None, ..run });
        assert!(unknown.to_string().contains("unknown") && unknown.result().stolen.is_none());
    }
}
