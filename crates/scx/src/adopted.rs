//! How a scheduler knows the threads of tasks.

use crate::object::map;
use crate::{LoadRefusal, MOST_TASKS};
use libbpf_rs::Object;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// The kernel's map from threads to indices of tasks. The file is this process's own.
#[derive(Debug)]
pub(crate) struct Owners(OwnedFd);

impl Owners {
    /// The map of `object`.
    pub(crate) fn of(object: &Object) -> Result<Self, LoadRefusal> {
        duplicate(map(object, "owners").as_raw_fd()).map(Owners)
    }

    /// Gives the thread an index, from 1 to [`MOST_TASKS`].
    pub(crate) fn adopt(&self, thread: libc::pid_t, index: u32) -> io::Result<()> {
        assert!((1..=MOST_TASKS).contains(&index), "indices are 1 to {MOST_TASKS}");
        self.own(thread, index)
    }

    /// Takes the thread's index away.
    pub(crate) fn release(&self, thread: libc::pid_t) -> io::Result<()> {
        self.own(thread, 0)
    }

    fn own(&self, thread: libc::pid_t, index: u32) -> io::Result<()> {
        // SAFETY: it takes no memory. `PIDFD_THREAD` is `O_EXCL`, for Linux 6.9 or later.
        let file = unsafe { libc::syscall(libc::SYS_pidfd_open, thread, libc::O_EXCL) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just opened it for this call.
        let file = unsafe { OwnedFd::from_raw_fd(file as RawFd) };
        let key = file.as_raw_fd().to_ne_bytes();
        // SAFETY: the file is a map from threads to 32-bit words; both outlive the call.
        let failed = unsafe {
            libbpf_rs::libbpf_sys::bpf_map_update_elem(
                self.0.as_raw_fd(),
                key.as_ptr().cast(),
                (&raw const index).cast(),
                libbpf_rs::libbpf_sys::BPF_ANY.into(),
            )
        };
        if failed == 0 {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(-failed))
        }
    }
}

/// Another file for the same thing of the kernel's, which stays open when the object goes away.
pub(crate) fn duplicate(file: RawFd) -> Result<OwnedFd, LoadRefusal> {
    // SAFETY: it takes no memory.
    let copy = unsafe { libc::fcntl(file, libc::F_DUPFD_CLOEXEC, 0) };
    if copy < 0 {
        let why = io::Error::last_os_error().to_string();
        return Err(LoadRefusal::Refused { what: "a file", why });
    }
    // SAFETY: the kernel has just opened it for this call.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}
