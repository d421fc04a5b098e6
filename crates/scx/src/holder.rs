//! The thread that holds the scheduler in the kernel.
//!
//! The kernel takes the scheduler away when the last file of its link is closed. Threads of a killed process which the
//! scheduler leaves without a processor cannot end, so they would keep their files open, and the scheduler with them.
//! Therefore the link's file is in a table of files that only this thread has, and the thread is SCHED_FIFO: a class of
//! the kernel's own executes it, so it ends at once, and the scheduler with it.

use crate::object::refusal;
use crate::LoadRefusal;
use libbpf_rs::{MapCore, Object};
use std::ffi::OsStr;
use std::io;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::JoinHandle;

/// The scheduler is in the kernel as long as this value is there.
#[derive(Debug)]
pub(crate) struct Holder {
    /// Closed to let the thread end.
    open: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Holder {
    /// Attaches the scheduler of `object`: from now on it schedules all threads of the machine that are of no real-time
    /// class.
    pub(crate) fn attach(object: Object) -> Result<Self, LoadRefusal> {
        let (open, closed) = channel();
        let (answer, answered) = channel();
        let thread = std::thread::Builder::new().name("schedlab-scx".into());
        let thread = thread.spawn(move || hold(object, &answer, &closed));
        let thread =
            thread.map_err(|error| LoadRefusal::Refused { what: "a thread", why: error.to_string() })?;
        match answered.recv().expect("the thread answers before it ends") {
            Ok(()) => Ok(Holder { open: Some(open), thread: Some(thread) }),
            Err(refusal) => {
                let _ = thread.join();
                Err(refusal)
            }
        }
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.open.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Attaches the scheduler, answers, and keeps it until `closed`.
fn hold(mut object: Object, answer: &Sender<Result<(), LoadRefusal>>, closed: &Receiver<()>) {
    if let Err(refusal) = alone() {
        let _ = answer.send(Err(refusal));
        return;
    }
    let mut maps = object.maps_mut();
    let follow = maps.find(|map| map.name() == OsStr::new("follow"));
    match follow.expect("the object has a scheduler").attach_struct_ops() {
        Ok(link) => {
            let _ = answer.send(Ok(()));
            // It ends with an error, since nothing is ever sent.
            let _ = closed.recv();
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
