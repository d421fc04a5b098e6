//! The settings of the kernel's fair server, or why they are not known.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Instructions for a user to switch the fair server off, and on again.
pub const BY_HAND: &str =
    "as root, `echo 0 | tee /sys/kernel/debug/sched/fair_server/cpu*/runtime` switches it off until the machine \
     restarts, and 50000000 in place of 0 on again; if /sys/kernel/debug is empty, `mount -t debugfs none \
     /sys/kernel/debug` first";

/// The folder of debugfs, and the fair server's settings in it.
const DEBUGFS: &str = "/sys/kernel/debug";
const FOLDER: &str = "sched/fair_server";

/// The reason why the settings are not known.
#[derive(Debug, thiserror::Error)]
pub enum UnknownSettings {
    /// The kernel has no fair server that can be set.
    #[error("the kernel has no such settings: they came with Linux 6.12")]
    Missing,
    /// Something keeps them from being read.
    #[error("{0}")]
    Unreadable(String),
}

/// The settings by processor, such as `cpu0` with its runtime and its period in nanoseconds; or why they are not known.
pub fn settings() -> Result<Vec<(String, u64, u64)>, UnknownSettings> {
    settings_in(Path::new(DEBUGFS))
}

fn settings_in(debugfs: &Path) -> Result<Vec<(String, u64, u64)>, UnknownSettings> {
    let folder = debugfs.join(FOLDER);
    let read = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|error| why(debugfs, path, &error))?;
        let unreadable = |error| UnknownSettings::Unreadable(format!("{}: {error}", path.display()));
        text.trim().parse::<u64>().map_err(unreadable)
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| why(debugfs, &folder, &error))? {
        let path = entry.map_err(|error| why(debugfs, &folder, &error))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push((name, read(&path.join("runtime"))?, read(&path.join("period"))?));
    }
    found.sort();
    Ok(found)
}

/// The reason why `path` cannot be read.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors grow with the library")]
fn why(debugfs: &Path, path: &Path, error: &io::Error) -> UnknownSettings {
    let is_mounted = || fs::read_dir(debugfs).is_ok_and(|mut entries| entries.next().is_some());
    UnknownSettings::Unreadable(match error.kind() {
        ErrorKind::NotFound if is_mounted() => return UnknownSettings::Missing,
        ErrorKind::NotFound => format!("debugfs is not mounted at {}", debugfs.display()),
        _ => format!("{}: {error}", path.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_real_one() {
        let folder = tempfile::tempdir().unwrap();
        let debugfs = folder.path();
        let missing = settings_in(debugfs).unwrap_err().to_string();
        assert!(missing.starts_with("debugfs is not mounted at "), "{missing}");
        fs::create_dir(debugfs.join("sched")).unwrap();
        assert_eq!(
            settings_in(debugfs).unwrap_err().to_string(),
            "the kernel has no such settings: they came with Linux 6.12"
        );
        // EPERM and EACCES.
        for (code, text) in [(1, "Operation not permitted"), (13, "Permission denied")] {
            let refused =
                why(debugfs, Path::new("/x/runtime"), &io::Error::from_raw_os_error(code)).to_string();
            assert!(refused.starts_with("/x/runtime: ") && refused.contains(text), "{refused}");
        }
    }

    #[test]
    fn settings_are_by_processor() {
        let folder = tempfile::tempdir().unwrap();
        for (cpu, runtime) in [("cpu1", "0\n"), ("cpu0", "50000000\n")] {
            let path = folder.path().join(FOLDER).join(cpu);
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("runtime"), runtime).unwrap();
            fs::write(path.join("period"), "1000000000\n").unwrap();
        }
        let expected = [("cpu0", 50_000_000), ("cpu1", 0)];
        let expected = expected.map(|(cpu, runtime)| (cpu.to_owned(), runtime, 1_000_000_000));
        assert_eq!(settings_in(folder.path()).unwrap(), expected);
    }
}
