//! Leases of processors for real-time threads: one process at a time has each processor.
//!
//! Two runs on the same processors would take each other's time, and neither could find out where it went. So each
//! locks a byte per processor in a file that all users share; the kernel gives the locks up when the process is gone,
//! however it ends.

use crate::machine::refusal::Refusal;
use crate::machine::sys;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The file of the locks, where all users may make files: beside shared memory. It is empty, and stays: if it were
/// taken away, the next process would lock another one.
const FILE: &str = "/dev/shm/schedlab-processors";

/// The leases of this process.
struct Held {
    /// The file, open from the first lease on: to close it anywhere in the process gives all of the process's locks up.
    file: Option<File>,
    /// The processors of each lease, and true for the lease of a run.
    leased: Vec<(usize, bool)>,
}

static HELD: Mutex<Held> = Mutex::new(Held { file: None, leased: Vec::new() });

fn held() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A lease of processors: no other process has them for real-time threads until this goes away.
#[derive(Debug)]
pub struct Lease {
    processors: Vec<usize>,
    runs: bool,
}

impl Lease {
    /// Takes `processors` for this process, which may have them already: the process knows what else it does there.
    pub fn take(processors: &[usize]) -> Result<Self, Refusal> {
        held().take(processors, false)
    }

    /// Takes `processors` as [`Lease::take`] does, for a run: two runs of one process disturb each other, too.
    pub(crate) fn for_run(processors: &[usize]) -> Result<Self, Refusal> {
        held().take(processors, true)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut held = held();
        for processor in &self.processors {
            let place = held.leased.iter().position(|lease| *lease == (*processor, self.runs));
            held.leased.swap_remove(place.expect("it was taken"));
        }
        held.unlock_unused(&self.processors);
    }
}

impl Held {
    fn take(&mut self, processors: &[usize], runs: bool) -> Result<Lease, Refusal> {
        let has_run = |processor: &usize| runs && self.leased.contains(&(*processor, true));
        let taken: Vec<usize> = processors.iter().copied().filter(has_run).collect();
        if !taken.is_empty() {
            return Err(Refusal::Taken { processors: taken, by: std::process::id() });
        }
        if let Err(refusal) = self.lock(processors) {
            self.unlock_unused(processors);
            return Err(refusal);
        }
        self.leased.extend(processors.iter().map(|processor| (*processor, runs)));
        Ok(Lease { processors: processors.to_vec(), runs })
    }

    /// Locks all of `processors`, or some before it finds one that is taken.
    fn lock(&mut self, processors: &[usize]) -> Result<(), Refusal> {
        let failed = |error| Refusal::System { what: FILE, error };
        if self.file.is_none() {
            self.file = Some(open().map_err(failed)?);
        }
        let file = self.file.as_ref().expect("it is open");
        for processor in processors {
            // The process that had it may give it up between the two questions.
            while !sys::try_lock_byte(file, *processor).map_err(failed)? {
                if let Some(by) = sys::holder_of_byte(file, *processor).map_err(failed)? {
                    let holder = |processor: &usize| sys::holder_of_byte(file, *processor);
                    let is_his = |one: &usize| matches!(holder(one), Ok(Some(who)) if who == by);
                    let processors = processors.iter().copied().filter(is_his).collect();
                    return Err(Refusal::Taken { processors, by });
                }
            }
        }
        Ok(())
    }

    /// Gives up those of `processors` that no lease has.
    fn unlock_unused(&self, processors: &[usize]) {
        let Some(file) = &self.file else { return };
        let is_unused = |processor: &&usize| !self.leased.iter().any(|(leased, _)| leased == *processor);
        processors.iter().filter(is_unused).for_each(|processor| sys::unlock_byte(file, *processor));
    }
}

/// Opens the file, and makes it for all users if it is not there.
fn open() -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NOFOLLOW);
    loop {
        // Opened without a request to make it: where all users make files, the kernel may refuse that for another
        // user's file.
        match options.open(FILE) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            opened => return opened,
        }
        match options.clone().create_new(true).open(FILE) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                // Whatever this process's mask is.
                file.set_permissions(Permissions::from_mode(0o666))?;
                return Ok(file);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The process as another one sees it: it has a processor as long as any of its leases does. No machine has these
    /// processors.
    #[test]
    fn a_process_has_its_processors_until_its_last_lease_ends_and_one_run_there() {
        let measures = Lease::take(&[60_000, 60_001]).unwrap();
        let run = Lease::for_run(&[60_001]).unwrap();
        let again = Lease::for_run(&[60_000, 60_001]).unwrap_err();
        assert!(
            matches!(&again, Refusal::Taken { processors, by } if processors == &[60_001] && *by == std::process::id())
        );
        drop(run);
        let run = Lease::for_run(&[60_000, 60_001]).unwrap();
        drop(measures);
        let leased = |processor| held().leased.iter().filter(|(leased, _)| *leased == processor).count();
        assert_eq!((leased(60_000), leased(60_001)), (1, 1));
        drop(run);
        assert_eq!((leased(60_000), leased(60_001)), (0, 0));
    }
}
