//! The compiled scheduler, and how it gets into the kernel.

use crate::load_refusal::early_refusal;
use crate::{LoadRefusal, Settings};
use libbpf_rs::{MapCore, Object, ObjectBuilder, OpenObject};
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Mutex;

/// The object of `src/bpf/follow.bpf.c`; `make renew-bpf` compiles it anew.
static FOLLOW: &[u8] = include_bytes!("bpf/follow.bpf.o");

/// Text that libbpf, and the kernel's verifier through it, printed since the last attempt to load.
static COMPLAINT: Mutex<String> = Mutex::new(String::new());

/// Where the time-out stands in the scheduler's `struct sched_ext_ops` of `src/bpf/kernel.h`: behind nine pointers and
/// the flags.
const TIMEOUT_AT: usize = 10 * 8;

/// Loads the scheduler into the kernel, where it does nothing yet.
pub(crate) fn load(settings: &Settings) -> Result<Object, LoadRefusal> {
    early_refusal().map_or(Ok(()), Err)?;
    libbpf_rs::set_print(Some((libbpf_rs::PrintLevel::Warn, keep)));
    COMPLAINT.lock().expect("no thread panics with it").clear();
    let what = "the scheduler's program";
    let mut open = ObjectBuilder::default().open_memory(FOLLOW).map_err(|error| refusal(what, &error))?;
    set(&mut open, settings);
    open.load().map_err(|error| refusal(what, &error))
}

/// Writes the settings into the object, before the kernel sees it.
fn set(open: &mut OpenObject, settings: &Settings) {
    let [processors, reserve] = [settings.processors, settings.reserve_ns].map(u64::to_ne_bytes);
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        let Some(value) = map.initial_value_mut() else { continue };
        if name.ends_with(".rodata.settings") {
            value[..8].copy_from_slice(&processors);
            value[8..16].copy_from_slice(&reserve);
        } else if name == "follow" {
            value[TIMEOUT_AT..TIMEOUT_AT + 4].copy_from_slice(&settings.timeout_ms.to_ne_bytes());
        }
    }
}

/// Keeps the text that libbpf prints.
fn keep(_: libbpf_rs::PrintLevel, text: String) {
    let mut complaint = COMPLAINT.lock().expect("no thread panics with it");
    complaint.push_str(&text);
}

/// The refusal behind an error of libbpf.
pub(crate) fn refusal(what: &'static str, error: &libbpf_rs::Error) -> LoadRefusal {
    if error.kind() == libbpf_rs::ErrorKind::PermissionDenied {
        return LoadRefusal::NotAllowed { what, capability: "CAP_BPF and CAP_PERFMON" };
    }
    let complaint = COMPLAINT.lock().expect("no thread panics with it");
    LoadRefusal::Refused { what, why: format!("{error}: {}", last_lines(&complaint)) }
}

/// The last lines of a log, on one line: there the verifier says why, and before it what it has examined.
fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(6)..].join("; ")
}

/// The file of the map of this name.
pub(crate) fn map<'a>(object: &'a Object, name: &str) -> BorrowedFd<'a> {
    let found = object.maps().find(|map| map.name() == OsStr::new(name));
    let file = found.unwrap_or_else(|| panic!("the object has a map \"{name}\"")).as_fd().as_raw_fd();
    // SAFETY: the object keeps the file open as long as it is borrowed.
    unsafe { BorrowedFd::borrow_raw(file) }
}

/// The file of the program of this name.
pub(crate) fn program(object: &Object, name: &str) -> RawFd {
    let found = object.progs().find(|program| program.name() == OsStr::new(name));
    found.unwrap_or_else(|| panic!("the object has a program \"{name}\"")).as_fd().as_raw_fd()
}
