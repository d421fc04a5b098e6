//! Distance of two processors: the nearest cache that they share, as the kernel reports it.

use schedlab_model::{CpuId, MigrationPath, SharedCache};
use std::fs;

/// The nearest thing that two processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::AsRefStr, strum::EnumString)]
pub(crate) enum Path {
    /// The two are the same processor.
    #[strum(serialize = "same core")]
    SameCore,
    /// The two share the first-level cache: two threads of a core.
    #[strum(serialize = "shared L1")]
    SharedL1,
    /// The two share the second-level cache.
    #[strum(serialize = "shared L2")]
    SharedL2,
    /// The two share the third-level cache.
    #[strum(serialize = "shared L3")]
    SharedL3,
    /// The two share the package, but no cache.
    #[strum(serialize = "same package")]
    SamePackage,
    /// The two share memory alone.
    #[strum(serialize = "other package")]
    OtherPackage,
}

impl Path {
    /// Returns the path as overheads name it; `None` if the job stays where it is.
    pub(crate) fn of_migration(self) -> Option<MigrationPath> {
        match self {
            Path::SameCore => None,
            Path::SharedL1 => Some(MigrationPath::Cache(1)),
            Path::SharedL2 => Some(MigrationPath::Cache(2)),
            Path::SharedL3 => Some(MigrationPath::Cache(3)),
            Path::SamePackage | Path::OtherPackage => Some(MigrationPath::Memory),
        }
    }

    /// Returns what `from` and `to` share on this machine.
    pub(crate) fn between(from: usize, to: usize) -> Path {
        if from == to {
            return Path::SameCore;
        }
        let cpu = format!("/sys/devices/system/cpu/cpu{from}");
        for (level, path) in [(1, Path::SharedL1), (2, Path::SharedL2), (3, Path::SharedL3)] {
            let shares = (0..8).map(|index| format!("{cpu}/cache/index{index}")).any(|cache| {
                read(&format!("{cache}/level")) == level.to_string()
                    && has(&read(&format!("{cache}/shared_cpu_list")), to)
            });
            if shares {
                return path;
            }
        }
        let package =
            |cpu: usize| read(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id"));
        if package(from) == package(to) {
            Path::SamePackage
        } else {
            Path::OtherPackage
        }
    }
}

/// Returns the pairs of `processors` to measure: for each path that exists, the first pair.
pub(crate) fn pairs(processors: &[usize]) -> Vec<(Path, usize, usize)> {
    let mut found: Vec<(Path, usize, usize)> = Vec::new();
    for (index, from) in processors.iter().enumerate() {
        for to in &processors[index..] {
            let path = Path::between(*from, *to);
            if found.iter().all(|(known, ..)| *known != path) {
                found.push((path, *from, *to));
            }
        }
    }
    found.sort_unstable();
    found
}

/// Returns the data caches of `processors`, as the kernel reports them; the first of `processors` is processor 0.
pub(crate) fn caches(processors: &[usize]) -> Vec<SharedCache> {
    let mut found: Vec<SharedCache> = Vec::new();
    for cpu in processors {
        for index in 0..8 {
            let cache = format!("/sys/devices/system/cpu/cpu{cpu}/cache/index{index}");
            let Ok(level) = read(&format!("{cache}/level")).parse() else { continue };
            let shared = read(&format!("{cache}/shared_cpu_list"));
            let own = (0..).map(CpuId).zip(processors).filter(|(_, cpu)| has(&shared, **cpu));
            let cache_found = SharedCache { level, cpus: own.map(|(cpu, _)| cpu).collect() };
            if read(&format!("{cache}/type")) != "Instruction" && !found.contains(&cache_found) {
                found.push(cache_found);
            }
        }
    }
    found
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

/// True if `list`, such as "0-3,8", holds `cpu`.
fn has(list: &str, cpu: usize) -> bool {
    list.split(',').any(|range| {
        let (low, high) = range.split_once('-').unwrap_or((range, range));
        let bounds = (low.parse::<usize>(), high.parse::<usize>());
        matches!(bounds, (Ok(low), Ok(high)) if (low..=high).contains(&cpu))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_processors() {
        assert!(has("0-3,8", 2) && has("0-3,8", 8) && has("5", 5));
        assert!(!has("0-3,8", 4) && !has("", 0) && !has("1-", 1));
    }

    #[test]
    fn a_processor_is_its_own() {
        assert_eq!(Path::between(0, 0), Path::SameCore);
        assert_eq!(pairs(&[0])[0], (Path::SameCore, 0, 0));
    }
}
