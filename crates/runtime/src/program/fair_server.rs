//! What the kernel's fair server is set to, or why that is not known.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Where debugfs is, and the fair server's settings in it.
const DEBUGFS: &str = "/sys/kernel/debug";
const FOLDER: &str = "sched/fair_server";

/// The settings by processor, such as `cpu0` with its runtime and its period in nanoseconds; or why they are not known.
pub fn settings() -> Result<Vec<(String, u64, u64)>, String> {
    settings_in(Path::new(DEBUGFS))
}

fn settings_in(debugfs: &Path) -> Result<Vec<(String, u64, u64)>, String> {
    let folder = debugfs.join(FOLDER);
    let read = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|error| why(debugfs, path, &error))?;
        text.trim().parse::<u64>().map_err(|error| format!("{}: {error}", path.display()))
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

/// What keeps `path` from being read.
#[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of errors grow with the library")]
fn why(debugfs: &Path, path: &Path, error: &io::Error) -> String {
    let is_mounted = || fs::read_dir(debugfs).is_ok_and(|mut entries| entries.next().is_some());
    match error.kind() {
        ErrorKind::NotFound if is_mounted() => {
            "the kernel has no such settings: they came with Linux 6.12".to_owned()
        }
        ErrorKind::NotFound => format!("debugfs is not mounted at {}", debugfs.display()),
        _ => format!("{}: {error}", path.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_real_one() {
        let folder = tempfile::tempdir().unwrap();
        let debugfs = folder.path();
        let missing = settings_in(debugfs).unwrap_err();
        assert!(missing.starts_with("debugfs is not mounted at "), "{missing}");
        fs::create_dir(debugfs.join("sched")).unwrap();
        assert_eq!(
            settings_in(debugfs).unwrap_err(),
            "the kernel has no such settings: they came with Linux 6.12"
        );
        // EPERM and EACCES.
        for (code, said) in [(1, "Operation not permitted"), (13, "Permission denied")] {
            let refused = why(debugfs, Path::new("/x/runtime"), &io::Error::from_raw_os_error(code));
            assert!(refused.starts_with("/x/runtime: ") && refused.contains(said), "{refused}");
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
