//! Writes one entry point for each registered protocol.

use std::fmt::Write;

fn main() {
    let mut text = String::new();
    for at in 0..schedlab_lock::ALL_PROTOCOLS.len() {
        writeln!(
            text,
            "/// Uses protocol {at} of the list, and no other.\n#[no_mangle]\n\
             pub extern \"C\" fn use_{at}(system: &System<'_>) -> u32 {{\n    \
             exercise(const {{ ALL_PROTOCOLS[{at}].make }}, system)\n}}"
        )
        .expect("a text grows");
    }
    let folder = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(std::path::Path::new(&folder).join("entries.rs"), text).expect("cargo's folder is writable");
    println!("cargo::rerun-if-changed=build.rs");
}
