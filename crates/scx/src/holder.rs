//! The thread that holds the scheduler in the kernel.
//!
//! The kernel takes the scheduler away when the last file of its link is closed. Threads of a killed process which the
//! scheduler leaves without a processor cannot end, so they would keep their files open, and the scheduler with them.
//! Therefore the link's file is in a table of files that only this thread has, and the thread is SCHED_FIFO: a class of
//! the kernel's own executes it, so it ends at once, and the scheduler with it.

use crate::object::refusal;
use crate::LoadRefusal;
use libbpf_rs::{Link, MapCore, Object};
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
    /// Attaches the scheduler of `object` that has this name: from now on it schedules all threads of the machine
    /// that are of no real-time class.
    pub(crate) fn attach(object: Object, name: &'static str) -> Result<Self, LoadRefusal> {
        let (open, closed) = channel();
        let (answer, answered) = channel();
        let thread = std::thread::Builder::new().name("schedlab-scx".into());
        let thread = thread.spawn(move || hold(object, name, &answer, &closed));
        let thread =
            thread.map_err(|error| LoadRefusal::Refused { what: "a thread", why: error.to_string() })?;
        let (answer, object) = answered.recv().expect("the thread answers before it ends");
        // The thread has copies of the object's files in its own table; those of this table are closed here.
        drop(object);
        match answer {
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

/// Attaches the scheduler, hands the object back with the answer, and keeps the scheduler until `closed`.
fn hold(
    mut object: Object,
    name: &str,
    answer: &Sender<(Result<(), LoadRefusal>, Object)>,
    closed: &Receiver<()>,
) {
    match alone().and_then(|()| attach(&mut object, name)) {
        Ok(link) => {
            let _ = answer.send((Ok(()), object));
            // It ends with an error, since nothing is ever sent.
            let _ = closed.recv();
            drop(link);
        }
        Err(refusal) => {
            let _ = answer.send((Err(refusal), object));
        }
    }
}

/// Has the kernel schedule by the scheduler of this name as long as the link is there.
fn attach(object: &mut Object, name: &str) -> Result<Link, LoadRefusal> {
    let mut maps = object.maps_mut();
    let scheduler = maps.find(|map| map.name() == OsStr::new(name));
    let mut scheduler = scheduler.expect("the object has a scheduler");
    scheduler.attach_struct_ops().map_err(|error| refusal("the scheduler", &error))
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
