//! Requests that execute on another processor: the jobs that issue them move there and back.

use crate::contract::{Effect, LockError, LockProtocol, LockSetup, Reply, Section, Turn};
use alloc::vec::Vec;
use schedlab_model::{ClusterId, Event};

/// Each resource belongs to one processor, where `P` decides among those that move there. The paper's *agent* is the
/// job itself while it is away. Meanwhile neither the job nor anything else of its task executes at home.
#[derive(Clone, Debug)]
pub(crate) struct Remote<P> {
    /// By resource: the processor to which it belongs.
    site: Vec<ClusterId>,
    at_site: P,
}

impl<P> Remote<P> {
    /// Needs partitions and global resources without nesting, and no suspension in sections.
    pub(crate) fn of(at_site: P, setup: &LockSetup<'_>, name: &'static str) -> Result<Self, LockError> {
        let usage = setup.usage()?;
        setup.demand_partitions(name)?;
        setup.demand_flat_globals(&usage, &setup.local(&usage), name)?;
        setup.demand_no_suspension(&usage, name)?;
        Ok(Remote { site: setup.sites(&usage), at_site })
    }
}

impl<P: LockProtocol> LockProtocol for Remote<P> {
    fn request(&mut self, section: Section, turn: &mut Turn<'_>) -> Reply {
        let site = self.site[section.resource.index()];
        if turn.jobs.get(section.job).cluster != site {
            turn.out.push(Effect::Move(section.job, site));
        }
        self.at_site.request(section, turn)
    }

    fn release(&mut self, section: Section, turn: &mut Turn<'_>) {
        self.at_site.release(section, turn);
        turn.go_home(section.job);
    }

    fn note(&mut self, event: Event, turn: &mut Turn<'_>) {
        self.at_site.note(event, turn);
        if let Event::Aborted(job) = event {
            turn.go_home(job);
        }
    }
}
