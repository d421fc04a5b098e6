//! Migrations that cost by their path, in half of the random scenarios with overheads.

/// The first two processors share a cache of the second level, all but the last one of the third.
pub(super) fn caches(processors: u64) -> String {
    let all: Vec<u64> = (0..processors).collect();
    let (near, far, last) = (&all[..all.len().min(2)], &all[..all.len().max(2) - 1], processors - 1);
    format!(
        ", caches = [{{ level = 2, processors = {near:?} }}, {{ level = 3, processors = {far:?} }}, \
         {{ level = 2, processors = [{last}] }}]"
    )
}

/// What a migration costs where the dearest takes `length` nanoseconds.
pub(super) fn migration(length: u64) -> String {
    let (near, far) = (length / 3, length / 2);
    format!(
        "cache_related_migration = {{ max = \"{length}ns\", paths = {{ L2 = \"{near}ns\", L3 = \"{far}ns\" }} }}"
    )
}
