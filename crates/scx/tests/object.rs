//! The object that is committed is the one that these sources make.

use std::path::Path;
use std::process::Command;

/// `make renew-bpf` writes the sums together with the object.
#[test]
fn the_compiled_scheduler_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bpf");
    let sums = std::fs::read_to_string(folder.join("objects.sha256")).expect("sums lie beside the sources");
    let listed: Vec<&str> = sums.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    for entry in std::fs::read_dir(&folder).expect("the folder can be read") {
        let name = entry.expect("it can be read").file_name().into_string().expect("names are plain");
        let counts = [".c", ".h", ".o"].iter().any(|ending| name.ends_with(ending));
        assert!(!counts || listed.contains(&name.as_str()), "{name} has no sum: run make renew-bpf");
    }
    let checked = Command::new("sha256sum")
        .args(["--check", "--quiet", "objects.sha256"])
        .current_dir(&folder)
        .output()
        .expect("coreutils are installed");
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "run make renew-bpf: {said}");
}

/// The object names its sources by paths that hold on every machine.
#[test]
fn the_compiled_scheduler_names_no_folder_of_a_machine() {
    let objects: [(&str, &[u8]); 3] = [
        ("follow.bpf.c", include_bytes!("../src/bpf/follow.bpf.o")),
        ("cluster.bpf.c", include_bytes!("../src/bpf/cluster.bpf.o")),
        ("quantum.bpf.c", include_bytes!("../src/bpf/quantum.bpf.o")),
    ];
    for (source, object) in objects {
        let text = String::from_utf8_lossy(object);
        assert!(text.contains(source) && !text.contains("/crates/scx/"), "{source}: run make renew-bpf");
    }
}
