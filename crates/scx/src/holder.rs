//! The thread that holds the scheduler in the kernel.
//!
//! The kernel takes the scheduler away when the last file of its link is closed. Threads of a killed process which the
//! scheduler leaves without a processor cannot end, so they would keep their files open, and the scheduler with them.
//! Therefore the link's file is in a table of files that only this thread has, and the thread is SCHED_FIFO: a class of
//! the kernel's own executes it, so it ends at once, and the scheduler with it.

use crate::mapped::{Beat, Mapped};
use crate::object::{map, refusal};
use crate::LoadRefusal;
use libbpf_rs::{Link, MapCore, Object};
use std::ffi::OsStr;
use std::io;
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::Mutex;
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
    /// Attaches the scheduler of `object` that has this name: from now on it schedules all threads of the machine that
    /// are of no real-time class. The holding thread gives the kernel signs of life from then on.
    pub(crate) fn attach(object: Object, name: &'static str) -> Result<Self, LoadRefusal> {
        let beats = Mapped::new(map(&object, "beats"), 1)?;
        let (open, closed) = channel();
        let (answer, answered) = channel();
        let thread = std::thread::Builder::new().name("schedlab-scx".into());
        let thread = thread.spawn(move || hold(object, name, &beats, &answer, &closed));
        let thread =
            thread.map_err(|error| LoadRefusal::Refused { what: "a thread", why: error.to_string() })?;
        let (answer, object) = answered.recv().expect("the thread answers before it ends");
        // The thread has copies of the object's files in its own table; those of this table are closed here.
        drop(object);
        match answer {
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

/// Attaches the scheduler, hands the object back with the answer, and keeps the scheduler until `closed`.
fn hold(
    mut object: Object,
    name: &str,
    beats: &Mapped<Beat>,
    answer: &Sender<(Result<(), LoadRefusal>, Object)>,
    closed: &Receiver<()>,
) {
    match alone().and_then(|()| attach(&mut object, name)) {
        Ok(link) => {
            let beat = &beats.get()[0];
            beat.beat();
            let _ = answer.send((Ok(()), object));
            // Nothing is ever sent: the wait ends by its time, or because the run lets go.
            while closed.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                beat.beat();
            }
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
