//! A scheduler that is in the kernel: what it leaves to threads outside of the scenario, and its end.

use crate::holder::Holder;
use crate::mapped::{Account, EndingWords, Mapped};
use crate::object::map;
use crate::{LoadRefusal, Outside, SchedulerEnd, MOST_PROCESSORS};
use libbpf_rs::Object;

/// What every scheduler has once it is in the kernel. It is taken out with this value.
#[derive(Debug)]
pub struct Loaded {
    holder: Holder,
    accounts: Mapped<Account>,
    endings: Mapped<EndingWords>,
}

impl Loaded {
    /// Attaches the scheduler of `object` that has this name: from now on it schedules all threads of the machine that
    /// are of no real-time class.
    pub(crate) fn attach(object: Object, name: &'static str) -> Result<Self, LoadRefusal> {
        let accounts = Mapped::new(map(&object, "accounts"), MOST_PROCESSORS as usize)?;
        let endings = Mapped::new(map(&object, "endings"), 1)?;
        Ok(Loaded { holder: Holder::attach(object, name)?, accounts, endings })
    }

    /// What threads outside of the scenario had on `processor`.
    pub fn outside(&self, processor: u32) -> Outside {
        Outside::of(&self.accounts.get()[processor as usize])
    }

    /// The end that the kernel reports: none while it schedules.
    pub fn ending(&self) -> Option<SchedulerEnd> {
        self.endings.get()[0].read()
    }

    /// Has the scheduler taken out of the kernel, without waiting for that. Afterwards Linux schedules all threads by
    /// their own classes.
    pub fn let_go(&self) {
        self.holder.let_go();
    }

    /// Takes the scheduler out of the kernel and returns the end that the kernel reports.
    pub fn unload(&self) -> Option<SchedulerEnd> {
        self.holder.end();
        self.ending()
    }
}
