//! Programs in C that compute with the headers of the kernel's schedulers, and numbers for them.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A generator of numbers, the same ones in each run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of up to `bits` bits: small ones and those near powers of two are as frequent as large ones.
    pub fn up_to(&mut self, bits: u32) -> u64 {
        let most = u64::MAX >> (63 - self.next() % u64::from(bits));
        match self.next() % 4 {
            0 => most,
            1 => most.saturating_sub(self.next() % 3),
            _ => self.next() & most,
        }
    }
}

/// Compiles `source`, a file of the folder `tests`, with the C compiler of this machine, has it read `words`, and
/// returns the words that it writes. Tests of one program give it different names.
pub fn computed(name: &str, source: &str, words: impl Iterator<Item = u64>) -> Vec<u64> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::temp_dir().join(format!("schedlab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let program = folder.join("program");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-I"])
        .arg(root.join("src/bpf"))
        .arg(root.join("tests").join(source))
        .arg("-o")
        .arg(&program)
        .output()
        .expect("a C compiler is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut child = Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let bytes: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
    let mut input = child.stdin.take().expect("it is piped");
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = child.wait_with_output().expect("it ends");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    assert!(output.status.success(), "{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    writer.join().expect("no panic").expect("it reads everything");
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    output.stdout.chunks_exact(8).map(word).collect()
}
