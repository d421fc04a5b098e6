//! Keeps the records of a run when the run's process does not live to write them down.
//!
//! A keeper is a process of its own, forked before the run begins. It shares the memory into which records are written,
//! and sleeps until the run's process sends that all is written down, or is gone: killed, or crashed in a task's code.
//! Then the keeper writes the records that are whole. A mapped file would do without a process, but the kernel makes
//! threads that write to one wait now and then, a task's thread in the middle of a decision included.

use crate::machine::owner::Owner;
use crate::record::log::Reader;
use rustix::event::{poll, PollFd, PollFlags, Timespec};
use rustix::io::retry_on_intr;
use rustix::net::{send, SendFlags};
use rustix::process::{getpid, pidfd_open, setpgid, waitpid, Pid, PidfdFlags, WaitOptions};
use schedlab_model::Instant;
use schedlab_report::files::reason;
use schedlab_trace::{Encoder, Record, Sink};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

/// The records of a domain, as other threads and processes read them.
pub(crate) type Records = Reader<(Instant, Record)>;

/// The records to keep of a run that does not live to write its trace.
#[derive(Clone, Debug)]
pub struct Keep {
    /// The path of the trace. The kept records stand beside it: see [`Keep::part`].
    pub path: PathBuf,
    /// The header of the kept trace, as bytes.
    pub header: Vec<u8>,
}

impl Keep {
    /// The path of the kept records, if the run does not live to write its trace.
    pub fn part(path: &Path) -> PathBuf {
        beside(path, ".part")
    }

    /// The path of a trace while it is being written.
    pub(crate) fn unfinished(path: &Path) -> PathBuf {
        beside(path, ".unfinished")
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    name.into()
}

/// True if `path` is a device, a pipe or the like: it is written to, and stays what it is.
pub(crate) fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// A keeper that waits. If this is dropped before [`Keeper::let_go`], the keeper writes what it has.
#[derive(Debug)]
pub struct Keeper {
    child: Option<Pid>,
    /// The process that started the keeper: a forked child of it cannot let the keeper go.
    owner: Owner,
    /// The line to the keeper, there until the end.
    line: Option<UnixStream>,
}

/// Message to the keeper that the trace is written, so that nothing is left for it to do.
const WRITTEN: u8 = 1;
/// Message to the keeper that nothing will be written. The end of the line would mean that, too, but forked children
/// may hold it open.
const FORGOTTEN: u8 = 2;

impl Keeper {
    /// Starts a keeper. The caller has no memory locked yet: a fork undoes part of it.
    pub(crate) fn start(keep: &Keep, records: &[Records]) -> io::Result<Self> {
        // Records that an earlier run left at the same place are not this run's.
        let _ = fs::remove_file(Keep::part(&keep.path));
        // A socket, since writing to a pipe that no process reads raises a signal.
        let (listen, line) = UnixStream::pair()?;
        // The process, so that the keeper knows when it is gone. Before Linux 5.3 there is no such thing.
        let (owner, process) = (Owner::this(), pidfd_open(getpid(), PidfdFlags::empty()).ok());
        // SAFETY: the child calls nothing that needs another thread of this process: the allocator is made for forks,
        // and nothing else that it uses has a lock.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => {
                drop(line);
                let kept =
                    panic::catch_unwind(AssertUnwindSafe(|| wait_and_write(keep, records, listen, process)));
                // SAFETY: it ends the process, without what the parent wants to happen at its own end.
                unsafe { libc::_exit(i32::from(kept.is_err())) }
            }
            child => Ok(Keeper { child: Pid::from_raw(child), owner, line: Some(line) }),
        }
    }

    /// Lets the keeper go: nothing has to be kept any more.
    pub(crate) fn let_go(&self) {
        self.send(WRITTEN);
    }

    fn send(&self, word: u8) {
        if let Some(line) = self.line.as_ref().filter(|_| self.owner.is_this()) {
            // If the keeper is gone, it need not be let go. No signal is raised then, by which C programs would end.
            let _ = send(line, &[word], SendFlags::NOSIGNAL);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.send(FORGOTTEN);
        drop(self.line.take());
        // This fails if another thread has waited for it, which does no harm.
        let _ = waitpid(self.child, WaitOptions::empty());
    }
}

/// The code of the keeper's process. The run's `process` may be gone while a forked child of it still holds the line
/// open.
fn wait_and_write(keep: &Keep, records: &[Records], line: UnixStream, process: Option<OwnedFd>) {
    stand_apart([line.as_raw_fd(), process.as_ref().map_or(-1, AsRawFd::as_raw_fd)]);
    if first_word(line, process.as_ref()) == Some(WRITTEN) {
        return;
    }
    let text = match write(keep, records) {
        Ok(until) => format!("what happened until {until} is in {}", Keep::part(&keep.path).display()),
        Err(error) => format!("what happened is lost: {}: {}", keep.path.display(), reason(&error)),
    };
    let _ = writeln!(io::stderr(), "schedlab: the process of the run did not write its trace; {text}");
}

/// The first message on the line; nothing if the process is gone before it sends one.
fn first_word(mut line: UnixStream, process: Option<&OwnedFd>) -> Option<u8> {
    let is_said = |patience: Option<&Timespec>| {
        let wait = |fd| PollFd::from_borrowed_fd(fd, PollFlags::IN);
        let mut both: Vec<_> =
            [Some(line.as_fd()), process.map(AsFd::as_fd)].into_iter().flatten().map(wait).collect();
        let _ = retry_on_intr(|| poll(&mut both, patience));
        !both[0].revents().is_empty()
    };
    // A message that it sent just before it was gone counts.
    if !is_said(None) && !is_said(Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
        return None;
    }
    let mut word = [0];
    line.read_exact(&mut word).is_ok().then_some(word[0])
}

/// Separates the keeper from the run. Signals that end the run, from a terminal or a service manager, are not for the
/// keeper. The keeper closes the files of the run's process: all but standard error and `mine`, of which negative ones
/// are none.
fn stand_apart(mut mine: [RawFd; 2]) {
    let close = |from: RawFd, to: libc::c_uint| {
        // SAFETY: no code in this process uses these descriptors. Before Linux 5.9 nothing happens, nor if there are
        // none between.
        unsafe { libc::syscall(libc::SYS_close_range, from as libc::c_uint, to, 0) };
    };
    mine.sort_unstable();
    let _ = setpgid(None, None);
    // SAFETY: they pass numbers.
    unsafe {
        for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGTERM] {
            libc::signal(signal, libc::SIG_IGN);
        }
        libc::close(libc::STDIN_FILENO);
        libc::close(libc::STDOUT_FILENO);
    }
    let mut from = libc::STDERR_FILENO + 1;
    for kept in mine.into_iter().filter(|kept| *kept > libc::STDERR_FILENO) {
        close(from, (kept - 1) as libc::c_uint);
        from = kept + 1;
    }
    close(from, libc::c_uint::MAX);
}

/// Writes the records that are whole, and moves them to their place. Returns the time of the last one.
fn write(keep: &Keep, records: &[Records]) -> io::Result<Instant> {
    let mut all = Vec::new();
    let mut missing = 0;
    for records in records {
        let (whole, lost) = records.items();
        // The run may have been about to end; what follows its end is the trace, which was not written.
        all.extend(whole.iter().filter(|(_, record)| *record != Record::End));
        missing += lost;
    }
    all.sort_by_key(|(at, _)| *at);
    let until = all.last().map_or(Instant::ZERO, |(at, _)| *at);
    if missing > 0 {
        all.push((until, Record::Lost { count: missing }));
    }
    let mut encoder = Encoder::new();
    encoder.bytes.extend_from_slice(&keep.header);
    for (at, record) in all {
        encoder.record(at, record);
    }
    if is_special(&keep.path) {
        return Err(io::Error::other("nothing is kept beside a device or a pipe"));
    }
    let part = Keep::part(&keep.path);
    let unfinished = Keep::unfinished(&part);
    // The run was killed while it wrote its trace: what there is of it may take the room.
    let _ = fs::remove_file(Keep::unfinished(&keep.path));
    let fill = |mut file: File| file.write_all(&encoder.bytes).and_then(|()| file.sync_all());
    let kept = File::create(&unfinished).and_then(fill).and_then(|()| fs::rename(&unfinished, &part));
    if kept.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    kept.map(|()| until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::log::{log, Writer};
    use schedlab_model::{JobId, TaskId};
    use schedlab_trace::{Decoder, Header};

    fn record(at: u64, task: u32) -> (Instant, Record) {
        (Instant::from_ns(at), Record::Complete { job: JobId::new(TaskId(task), 0) })
    }

    type Log = Writer<(Instant, Record)>;

    /// Two domains, of which the second lost two records, in a folder of their own.
    fn two_domains() -> (tempfile::TempDir, Keep, Vec<Log>, Vec<Records>) {
        let folder = tempfile::tempdir().unwrap();
        let mut header = Vec::new();
        Header::new(schedlab_trace::Backend::Threads).with("partial", "a test").encode(&mut header);
        let keep = Keep { path: folder.path().join("run.trace"), header };
        let (mut writers, mut readers) = (Vec::new(), Vec::new());
        for capacity in [3, 1] {
            let (writer, reader) = log(capacity).unwrap();
            writers.push(writer);
            readers.push(reader);
        }
        writers[0].push(record(10, 0));
        writers[0].push(record(30, 0));
        writers[0].push((Instant::from_ns(40), Record::End));
        [20, 50, 60].into_iter().for_each(|at| writers[1].push(record(at, 1)));
        (folder, keep, writers, readers)
    }

    /// The records that are kept beside the place of the trace, if any.
    fn kept(keep: &Keep) -> Option<Vec<(Instant, Record)>> {
        let bytes = fs::read(Keep::part(&keep.path)).ok()?;
        let mut rest = bytes.as_slice();
        assert_eq!(Header::decode(&mut rest).unwrap().get("partial"), Some("a test"));
        Some(Decoder::new(rest).map(|record| record.unwrap()).collect())
    }

    #[test]
    fn what_is_kept_is_by_time_and_has_no_end_and_says_what_is_missing() {
        let (folder, keep, _writers, readers) = two_domains();
        fs::write(Keep::unfinished(&keep.path), "half a trace").unwrap();
        assert_eq!(write(&keep, &readers).unwrap(), Instant::from_ns(30));
        let lost = (Instant::from_ns(30), Record::Lost { count: 2 });
        assert_eq!(kept(&keep).unwrap(), [record(10, 0), record(20, 1), record(30, 0), lost]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is half written");
        // No record counts missing ones where none are missing.
        write(&keep, &readers[..1]).unwrap();
        assert_eq!(kept(&keep).unwrap(), [record(10, 0), record(30, 0)]);
    }

    #[test]
    fn a_keeper_keeps_what_was_not_said_to_be_written() {
        let (_folder, keep, _writers, readers) = two_domains();
        fs::write(Keep::part(&keep.path), "of an earlier run").unwrap();
        let keeper = Keeper::start(&keep, &readers).unwrap();
        assert!(!Keep::part(&keep.path).exists(), "it is not this run's");
        keeper.let_go();
        drop(keeper);
        assert_eq!(kept(&keep), None, "it was let go");
        drop(Keeper::start(&keep, &readers).unwrap());
        assert_eq!(kept(&keep).map(|kept| kept.len()), Some(4));
    }

    /// Forks a child that does nothing and holds open what this process has open.
    fn idle_child() -> libc::pid_t {
        // SAFETY: the child only sleeps, and is killed.
        match unsafe { libc::fork() } {
            0 => loop {
                // SAFETY: it waits for a signal.
                unsafe { libc::pause() };
            },
            child => child,
        }
    }

    fn end(child: libc::pid_t) {
        // SAFETY: the child is ours.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
    }

    #[test]
    fn no_thread_waits_for_a_child_that_holds_the_line_open() {
        let (_folder, keep, _writers, readers) = two_domains();
        for is_written in [true, false] {
            let keeper = Keeper::start(&keep, &readers).unwrap();
            let child = idle_child();
            if is_written {
                keeper.let_go();
            }
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::spawn(move || {
                drop(keeper);
                let _ = sender.send(());
            });
            let has_ended = receiver.recv_timeout(std::time::Duration::from_secs(20)).is_ok();
            end(child);
            assert!(has_ended, "written: {is_written}");
            assert_eq!(kept(&keep).is_none(), is_written);
        }
    }

    /// The run's process is gone, and a child of it holds the line open.
    #[test]
    fn a_process_that_is_gone_says_nothing_any_more() {
        let gone = idle_child();
        let process = pidfd_open(Pid::from_raw(gone).unwrap(), PidfdFlags::empty());
        end(gone);
        let Ok(process) = process else {
            println!("not tried: the kernel has no descriptors of processes");
            return;
        };
        for (sent, received) in [(None, None), (Some(WRITTEN), Some(WRITTEN))] {
            let (listen, mut line) = UnixStream::pair().unwrap();
            sent.into_iter().for_each(|word| line.write_all(&[word]).unwrap());
            assert_eq!(first_word(listen, Some(&process)), received);
        }
    }
}
