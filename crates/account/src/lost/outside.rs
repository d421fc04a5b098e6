//! Time that the host took from the machine's processors, and moments in which the whole run stood still.

use crate::results::{FromOutsideResult, Standstill, StolenResult};
use crate::trace::real_run::{RealRun, Stolen};
use schedlab_model::{Duration, Instant};
use std::collections::BTreeMap;
use std::fmt;

impl FromOutsideResult {
    /// Returns the losses of `run` as a whole.
    pub(crate) fn of(run: &RealRun) -> Self {
        let of_all = Duration::from_ns(run.end().as_ns().saturating_mul(run.processors.len() as u64));
        let stolen = |all: &Vec<Stolen>| {
            let mut by_processor_ns: BTreeMap<String, u64> =
                run.processors.iter().map(|processor| (processor.to_string(), 0)).collect();
            for stolen in all {
                let sum = by_processor_ns.entry(run.processor(stolen.cpu).to_string()).or_default();
                *sum = sum.saturating_add(stolen.length.as_ns());
            }
            let total_ns = by_processor_ns.values().fold(0, |sum: u64, length| sum.saturating_add(*length));
            StolenResult { total_ns, share: share(Duration::from_ns(total_ns), of_all), by_processor_ns }
        };
        let still = |(from, to): &(Instant, Instant)| Standstill { from_ns: from.as_ns(), to_ns: to.as_ns() };
        FromOutsideResult {
            stolen: run.stolen.as_ref().map(stolen),
            stood_still: run.standstills.iter().map(still).collect(),
        }
    }
}

/// Returns the share of `part` in the time `of`, from 0 to 1.
pub fn share(part: Duration, of: Duration) -> f64 {
    if of == Duration::ZERO {
        return 0.0;
    }
    part.as_ns() as f64 / of.as_ns() as f64
}

impl fmt::Display for FromOutsideResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stolen {
            Some(StolenResult { total_ns, share, .. }) => {
                let (total, percent) = (Duration::from_ns(*total_ns), 100.0 * share);
                writeln!(
                    f,
                    "processor time that the host stole     {total}, {percent:.2}% of all (counted in ticks of 10 ms)"
                )?;
            }
            None => writeln!(f, "processor time that the host stole     unknown: the kernel does not say")?,
        }
        let length = |still: &Standstill| Duration::from_ns(still.to_ns - still.from_ns);
        if let Some(longest) = self.stood_still.iter().max_by_key(|still| length(still)) {
            writeln!(
                f,
                "no thread of the run executed {} times, the longest for up to {} until {}. The process was stopped \
                 (SIGSTOP, a debugger), or the machine was, or ordinary threads had all processors (fair server, \
                 or real-time throttling)",
                self.stood_still.len(),
                length(longest),
                Instant::from_ns(longest.to_ns)
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
        let found = FromOutsideResult::of(&run);
        let said = found.to_string();
        assert!(said.contains("the host stole     30 ms, 1.50% of all"), "{said}");
        assert!(said.contains("executed 1 times, the longest for up to 600 ms until 700 ms"), "{said}");
        assert!(said.contains("fair server"), "the kernel itself can stop all real-time threads: {said}");
        let stolen = found.stolen.unwrap();
        let by_processor = [("3".to_owned(), 20_000_000), ("5".to_owned(), 10_000_000)];
        assert_eq!((stolen.by_processor_ns, stolen.share), (by_processor.into(), 0.015));
        let unknown = FromOutsideResult::of(&RealRun { stolen: None, ..run });
        assert!(unknown.to_string().contains("unknown") && unknown.stolen.is_none());
    }
}
