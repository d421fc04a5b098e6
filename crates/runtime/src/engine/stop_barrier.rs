//! The architecture of a run: do other processors execute while one thread decides?
//!
//! Chronos-scalability-2011, section 2, has two ways of running a scheduler of several processors. *Concurrent*: other
//! processors execute on, and are interrupted only if their jobs change. *Stop-the-world*: all processors stop at each
//! decision and go on with the new schedule. Here a thread for each processor, above the tasks' and below the timers',
//! makes it stand still.

use crate::machine::sys;
use schedlab_model::Architecture;
use schedlab_objects::StopTheWorld;
use std::hint::spin_loop;

/// The processors of a domain that decides by stopping them.
#[derive(Debug)]
pub(crate) struct StopBarrier {
    still: StopTheWorld,
    /// By processor of the domain: the machine's number of it.
    processors: Vec<usize>,
}

impl StopBarrier {
    /// The barrier for decisions of `processors` under `architecture`; none where the architecture stops no processor,
    /// or there are no others.
    pub(crate) fn of(architecture: Architecture, processors: Vec<usize>) -> Option<Self> {
        let stops = architecture == Architecture::StopTheWorld && processors.len() > 1;
        stops.then(|| StopBarrier { still: StopTheWorld::new(processors.len()), processors })
    }

    /// By processor of the domain: the machine's number of it.
    pub(crate) fn processors(&self) -> &[usize] {
        &self.processors
    }

    /// Stops all processors but the caller's: they stand still when this returns. The deciding thread is bound to its
    /// processor.
    pub(crate) fn stop(&self) {
        let here = sys::current_processor();
        let mine = self.processors.iter().position(|processor| *processor == here);
        self.still.begin(mine, |index| sys::futex_wake(self.still.word(index)), spin_loop);
    }

    /// Lets all processors execute again.
    pub(crate) fn go_on(&self) {
        self.still.end();
    }

    /// Makes processor `index` stand still whenever a thread decides, until the run is over; the caller is its thread.
    pub(crate) fn stand_still(&self, index: usize) {
        while !self.still.is_closed(index) {
            if !self.still.stand(index, spin_loop) {
                sys::futex_wait(self.still.word(index), StopTheWorld::GOES, None);
            }
        }
    }

    /// Ends all decisions, because the run is over.
    pub(crate) fn close(&self) {
        self.still.close();
        (0..self.processors.len()).for_each(|index| sys::futex_wake(self.still.word(index)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_processor_alone_has_no_other_to_stop() {
        assert!(StopBarrier::of(Architecture::StopTheWorld, vec![3]).is_none());
        assert!(StopBarrier::of(Architecture::Concurrent, vec![0, 1]).is_none());
        assert!(StopBarrier::of(Architecture::StopTheWorld, vec![0, 1]).is_some());
    }
}
