//! The thread that holds the scheduler in the kernel.
//!
//! The kernel takes the scheduler away when the last file of its link is closed. Threads of a killed process which the
//! scheduler leaves without a processor cannot end, so they would keep their files open, and the scheduler with them.
//! Therefore the link's file is in a table of files that only this thread has, and the thread is SCHED_FIFO: a class of
//! the kernel's own executes it, so it ends at once, and the scheduler with it.

use crate::mapped::Shared;
use crate::object::refusal;
use crate::LoadRefusal;
use libbpf_rs::{MapCore, Object};
use std::ffi::OsStr;
use std::io;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between two signs that the run is alive. The kernel waits for several of them (`BEAT_STALE`).
const BEAT: Duration = Duration::from_millis(50);

/// The scheduler is in the kernel as long as this value is there, and was not let go.
#[derive(Debug)]
pub(crate) struct Holder {
    /// Closed to let the thread end.
    open: Mutex<Option<Sender<()>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Holder {
    /// Attaches the scheduler of `object`: from now on it schedules all threads of the machine that are of no real-time
    /// class. The thread gives the kernel signs of life by `shared` from then on.
    pub(crate) fn attach(object: Object, shared: Arc<Shared>) -> Result<Self, LoadRefusal> {
        let (open, closed) = channel();
        let (answer, answered) = channel();
        let thread = std::thread::Builder::new().name("schedlab-scx".into());
        let thread = thread.spawn(move || hold(object, &shared, &answer, &closed));
        let thread =
            thread.map_err(|error| LoadRefusal::Refused { what: "a thread", why: error.to_string() })?;
        match answered.recv().expect("the thread answers before it ends") {
            Ok(()) => Ok(Holder { open: Mutex::new(Some(open)), thread: Mutex::new(Some(thread)) }),
            Err(refusal) => {
                let _ = thread.join();
                Err(refusal)
            }
        }
    }
}

impl Holder {
    /// Has the thread take the scheduler away, without waiting for that.
    pub(crate) fn let_go(&self) {
        drop(self.open.lock().expect("no thread panics with it").take());
    }

    /// Has the thread take the scheduler away, and waits until it has.
    pub(crate) fn end(&self) {
        self.let_go();
        let thread = self.thread.lock().expect("no thread panics with it").take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.end();
    }
}

/// Attaches the scheduler, answers, and keeps it until `closed`.
fn hold(
    mut object: Object,
    shared: &Shared,
    answer: &Sender<Result<(), LoadRefusal>>,
    closed: &Receiver<()>,
) {
    if let Err(refusal) = alone() {
        let _ = answer.send(Err(refusal));
        return;
    }
    let mut maps = object.maps_mut();
    let follow = maps.find(|map| map.name() == OsStr::new("follow"));
    match follow.expect("the object has a scheduler").attach_struct_ops() {
        Ok(link) => {
            shared.beat();
            let _ = answer.send(Ok(()));
            // Nothing is ever sent: the wait ends by its time, or because the run lets go.
            while closed.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                shared.beat();
            }
            drop(link);
        }
        Err(error) => {
            let _ = answer.send(Err(refusal("the scheduler", &error)));
        }
    }
}

/// Gives the calling thread a table of files of its own, and the priority that lets it end whatever is scheduled.
fn alone() -> Result<(), LoadRefusal> {
    // SAFETY: it affects no memory; the calling thread alone loses files that others open from now on.
    if unsafe { libc::unshare(libc::CLONE_FILES) } != 0 {
        return Err(LoadRefusal::Refused {
            what: "a table of files",
            why: io::Error::last_os_error().to_string(),
        });
    }
    let param = libc::sched_param { sched_priority: 99 };
    // SAFETY: `param` outlives the call.
    if unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &param) } != 0 {
        return Err(LoadRefusal::NotAllowed { what: "a real-time thread", capability: "CAP_SYS_NICE" });
    }
    Ok(())
}
