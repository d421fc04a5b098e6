//! Caches that processors share, and the path over which a job's working set moves when it migrates.

use crate::ids::CpuId;
use alloc::vec::Vec;

/// One cache and its processors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedCache {
    /// Level of the cache; 1 is the nearest to the processor.
    pub level: u8,
    /// Processors of the cache, in rising order.
    pub cpus: Vec<CpuId>,
}

/// Path of a migration: the nearest cache that both processors share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MigrationPath {
    /// The cache of this level is shared.
    Cache(u8),
    /// No cache is shared: the job loads its working set from memory.
    Memory,
}

impl MigrationPath {
    /// Returns the path from one processor to another; `None` if it is unknown, because one of the two is in none of
    /// the `caches`.
    pub fn between(caches: &[SharedCache], from: CpuId, to: CpuId) -> Option<MigrationPath> {
        let has = |cpu: CpuId| move |cache: &&SharedCache| cache.cpus.contains(&cpu);
        if !(caches.iter().any(|cache| has(from)(&cache)) && caches.iter().any(|cache| has(to)(&cache))) {
            return None;
        }
        let shared = caches.iter().filter(has(from)).filter(has(to)).map(|cache| cache.level).min();
        Some(shared.map_or(MigrationPath::Memory, MigrationPath::Cache))
    }

    /// Every path between two different ones of `cpus`, each once; `None` is among them if `caches` leave a path open.
    pub fn among(caches: &[SharedCache], cpus: &[CpuId]) -> Vec<Option<MigrationPath>> {
        let pairs = cpus.iter().flat_map(|from| cpus.iter().map(move |to| (*from, *to)));
        let mut paths: Vec<_> = pairs
            .filter(|(from, to)| from != to)
            .map(|(from, to)| MigrationPath::between(caches, from, to))
            .collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The Xeon of litmus-rt-2006 with its second-level caches, and two of its processors on a common third one.
    #[test]
    fn the_nearest_shared_cache_is_the_path() {
        let cache =
            |level, cpus: &[u16]| SharedCache { level, cpus: cpus.iter().copied().map(CpuId).collect() };
        let caches = [cache(2, &[0, 1]), cache(2, &[2]), cache(3, &[0, 1, 2]), cache(2, &[3])];
        let path = |from, to| MigrationPath::between(&caches, CpuId(from), CpuId(to));
        assert_eq!(path(0, 1), Some(MigrationPath::Cache(2)));
        assert_eq!(path(2, 1), Some(MigrationPath::Cache(3)));
        assert_eq!(path(3, 0), Some(MigrationPath::Memory));
        assert_eq!(path(0, 4), None, "nothing is said of processor 4");
        let among = |cpus: &[u16]| {
            let cpus: Vec<CpuId> = cpus.iter().copied().map(CpuId).collect();
            MigrationPath::among(&caches, &cpus)
        };
        assert_eq!(among(&[0, 1]), vec![Some(MigrationPath::Cache(2))]);
        assert_eq!(among(&[0, 1, 2]), vec![Some(MigrationPath::Cache(2)), Some(MigrationPath::Cache(3))]);
        assert_eq!(among(&[3, 4]), vec![None]);
        assert!(among(&[2]).is_empty(), "a job does not migrate");
    }
}
