//! This machine's caches, and a way to fill them with other data.

use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Folder in which Linux describes the caches.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// Size that is assumed if the machine does not report one; larger than most last-level caches.
const OTHERWISE: usize = 256 << 20;

/// Bytes of the largest cache, if the machine reports it.
pub(crate) fn largest_cache() -> Option<usize> {
    largest_in(Path::new(CACHES))
}

fn largest_in(folder: &Path) -> Option<usize> {
    let sizes = fs::read_dir(folder).ok()?.filter_map(|entry| {
        let text = fs::read_to_string(entry.ok()?.path().join("size")).ok()?;
        bytes(text.trim())
    });
    sizes.max()
}

/// Reads a size as the kernel writes it: `107520K`.
fn bytes(text: &str) -> Option<usize> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(number) => (number, 1 << 20),
            None => (text, 1),
        },
    };
    number.parse::<usize>().ok()?.checked_mul(unit)
}

/// A buffer of one and a half times the largest cache: caches are not filled in order, so as much again would leave
/// some.
pub(crate) struct Evictor {
    buffer: Vec<u64>,
}

impl Evictor {
    pub(crate) fn new() -> Evictor {
        let bytes = largest_cache().map_or(OTHERWISE, |cache| cache + cache / 2);
        Evictor { buffer: vec![1; bytes / 8] }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.buffer.len() * 8
    }

    /// Writes every cache line of the buffer.
    pub(crate) fn evict(&mut self) {
        for line in self.buffer.iter_mut().step_by(8) {
            *line = line.wrapping_add(1);
        }
        black_box(&self.buffer[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_the_kernel_writes_them() {
        let folder = tempfile::tempdir().unwrap();
        for (index, size) in
            [("index0", "48K\n"), ("index1", "2M\n"), ("index2", "107520K\n"), ("uevent", "x")]
        {
            fs::create_dir(folder.path().join(index)).unwrap();
            fs::write(folder.path().join(index).join("size"), size).unwrap();
        }
        assert_eq!(largest_in(folder.path()), Some(105 << 20));
        assert_eq!(largest_in(&folder.path().join("nothing")), None);
    }
}
