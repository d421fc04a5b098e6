//! The compiled schedulers, and how they get into the kernel.

use crate::load_refusal::early_refusal;
use crate::{LoadRefusal, Settings};
use libbpf_rs::{MapCore, Object, ObjectBuilder, OpenMapMut};
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Mutex;

/// A scheduler that was compiled; `make renew-bpf` compiles it anew.
pub(crate) struct Compiled {
    object: &'static [u8],
    /// Name of its `struct sched_ext_ops`.
    pub(crate) name: &'static str,
}

/// The object of `src/bpf/follow.bpf.c`.
pub(crate) static FOLLOW: Compiled = Compiled { object: include_bytes!("bpf/follow.bpf.o"), name: "follow" };

/// The object of `src/bpf/cluster.bpf.c`.
pub(crate) static CLUSTER: Compiled =
    Compiled { object: include_bytes!("bpf/cluster.bpf.o"), name: "cluster" };

/// The object of `src/bpf/quantum.bpf.c`.
pub(crate) static QUANTUM: Compiled =
    Compiled { object: include_bytes!("bpf/quantum.bpf.o"), name: "quantum" };

/// Text that libbpf, and the kernel's verifier through it, printed since the last attempt to load.
static COMPLAINT: Mutex<String> = Mutex::new(String::new());

/// Where the time-out stands in the scheduler's `struct sched_ext_ops` of `src/bpf/kernel.h`: behind ten pointers and
/// the flags.
const TIMEOUT_AT: usize = 11 * 8;

/// Loads the scheduler into the kernel, where it does nothing yet. `set` gets each map by name before that.
pub(crate) fn load(
    compiled: &Compiled,
    settings: &Settings,
    set: impl Fn(&str, &mut OpenMapMut<'_>),
) -> Result<Object, LoadRefusal> {
    early_refusal().map_or(Ok(()), Err)?;
    libbpf_rs::set_print(Some((libbpf_rs::PrintLevel::Warn, keep)));
    COMPLAINT.lock().expect("no thread panics with it").clear();
    let what = "the scheduler's program";
    let open = ObjectBuilder::default().open_memory(compiled.object);
    let mut open = open.map_err(|error| refusal(what, &error))?;
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        set_common(&name, &mut map, compiled, settings);
        set(&name, &mut map);
    }
    open.load().map_err(|error| refusal(what, &error))
}

/// Writes the settings of all schedulers into the object, before the kernel sees it.
fn set_common(name: &str, map: &mut OpenMapMut<'_>, compiled: &Compiled, settings: &Settings) {
    let Some(value) = map.initial_value_mut() else { return };
    if name.ends_with(".rodata.settings") {
        value[..8].copy_from_slice(&settings.processors.to_ne_bytes());
        value[8..16].copy_from_slice(&settings.reserve_ns.to_ne_bytes());
    } else if name == compiled.name {
        value[TIMEOUT_AT..TIMEOUT_AT + 4].copy_from_slice(&settings.timeout_ms.to_ne_bytes());
    }
}

/// Keeps the text that libbpf prints.
fn keep(_: libbpf_rs::PrintLevel, text: String) {
    let mut complaint = COMPLAINT.lock().expect("no thread panics with it");
    complaint.push_str(&text);
}

/// The refusal behind an error of libbpf.
pub(crate) fn refusal(what: &'static str, error: &libbpf_rs::Error) -> LoadRefusal {
    // The verifier refuses programs with the same error as the kernel processes.
    if error.kind() == libbpf_rs::ErrorKind::PermissionDenied && !may_load() {
        return LoadRefusal::NotAllowed { what, capability: "CAP_BPF and CAP_PERFMON" };
    }
    // Another scheduler may have come since this process looked.
    if let Some(occupied @ LoadRefusal::Occupied { .. }) = early_refusal() {
        return occupied;
    }
    let complaint = last_lines(&COMPLAINT.lock().expect("no thread panics with it"));
    let causes = format!("{error:#}");
    let why = if complaint.is_empty() { causes } else { format!("{causes}: {complaint}") };
    LoadRefusal::Refused { what, why }
}

/// True if this process has the capabilities that loading needs: CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN.
fn may_load() -> bool {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = effective.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0);
    let has = |capability: u32| effective >> capability & 1 == 1;
    has(21) || has(38) && has(39)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of a BPF program, and an instruction that reads a register to which nothing was written.
    const END: [u8; 8] = [0x95, 0, 0, 0, 0, 0, 0, 0];
    const READS_NOTHING: [u8; 8] = [0xbf, 0x90, 0, 0, 0, 0, 0, 0];

    /// A program that the kernel's verifier refuses leaves nothing in the kernel; the verifier's words are in the
    /// refusal, and the next load works.
    #[test]
    fn a_program_that_the_verifier_refuses_is_refused_with_its_words() {
        if early_refusal().is_some() {
            println!("not tried: this kernel takes no schedulers");
            return;
        }
        let mut object = FOLLOW.object.to_vec();
        // Programs come first in the object; further on, these bytes may mean something else.
        let end = object.chunks_exact_mut(8).find(|chunk| *chunk == END);
        end.expect("the object has programs").copy_from_slice(&READS_NOTHING);
        let broken = Compiled { object: object.leak(), name: FOLLOW.name };
        let refused = load(&broken, &Settings::of(1), |_, _| {}).map(drop).expect_err("no verifier takes it");
        let LoadRefusal::Refused { what, why } = &refused else { panic!("{refused}") };
        assert_eq!(*what, "the scheduler's program");
        assert!(why.contains("!read_ok") || why.contains("last insn is not"), "{why}");
        assert_eq!(early_refusal(), None, "no scheduler is loaded");
        assert!(load(&FOLLOW, &Settings::of(1), |_, _| {}).is_ok(), "the next load works");
    }
}
