//! The header that programs include is the one that the sources give.

use std::path::Path;

#[test]
fn the_header_is_current() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(here.join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for source in ["error", "event", "job", "member", "object", "system"] {
        builder = builder.with_src(here.join(format!("src/{source}.rs")));
    }
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = here.join("include/schedlab.h");
    if std::env::var_os("WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == made,
        "include/schedlab.h is stale: WRITE_HEADER=1 cargo test --package schedlab-capi --test all header"
    );
}
