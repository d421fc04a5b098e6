//! What is refused before a thread is real-time, with status 2; or 3 for what the machine lacks.

use crate::support::{alone, command, run, scenario, state, text, AVIONICS};
use std::path::Path;
use std::process::Output;

/// Checks the status and a word of the reason, and that nothing is left in the kernel.
fn refused(output: &Output, status: i32, word: &str) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{said}");
    assert!(said.contains(word), "{word}: {said}");
    assert_eq!(state(), "disabled");
}

#[test]
fn bad_input_is_refused_with_status_2() {
    let _alone = alone();
    let avionics = Path::new(AVIONICS);
    refused(&run(avionics, &["--unprivileged"]), 2, "--unprivileged");
    refused(&run(avionics, &["--scheduler", "P-SCHED_FIFO"]), 2, "class of Linux");
    refused(&run(avionics, &["--reserve", "2 s"]), 2, "20 to 900 ms");
    let other = |backend: &str| {
        let mut run = command();
        run.args(["run", AVIONICS, "--backend", backend, "--duration", "100ms"]).output().unwrap()
    };
    refused(&other("class"), 2, "SCHED_FIFO");
    refused(&other("native"), 2, "allowed: threads, scx, scx-native, class, auto");
    let folder = tempfile::tempdir().unwrap();
    let tasks: String = (0..256)
        .map(|task| format!("[[task]]\nname = \"t{task}\"\nwcet = \"10 us\"\nperiod = \"1 s\"\n"))
        .collect();
    let many = scenario(folder.path(), &format!("schedlab = 1\nscheduler = \"G-EDF\"\n{tasks}"));
    refused(&run(&many, &["--duration", "100ms"]), 2, "up to 255 tasks");
}

#[test]
fn what_the_machine_lacks_is_refused_with_status_3() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let wide = scenario(
        folder.path(),
        "schedlab = 1\nscheduler = \"G-EDF\"\nplatform = { processors = 60 }\n\
         [[task]]\nname = \"a\"\nwcet = \"1 ms\"\nperiod = \"10 ms\"\n",
    );
    refused(&run(&wide, &[]), 3, "60 processors");
    // Without any capability.
    let mut without = std::process::Command::new("setpriv");
    without.args(["--bounding-set", "-all", "--inh-caps", "-all", "--reuid", "65534", "--clear-groups"]);
    without.arg(command().get_program()).args(["run", AVIONICS, "--backend", "scx", "--duration", "100ms"]);
    refused(&without.output().expect("util-linux is installed"), 3, "CAP_");
}

/// Another scheduler is loaded: the second run names it. The first one goes on.
#[test]
fn another_scheduler_is_in_the_way() {
    let _alone = alone();
    let mut first = command();
    first.args(["run", AVIONICS, "--backend", "scx", "--duration", "60s"]);
    let mut first = first.stdout(std::process::Stdio::null()).spawn().unwrap();
    assert!(crate::support::until(30_000, || state() == "enabled"));
    // The first run takes its processors after its scheduler is loaded.
    let holder = format!(" {} ", first.id());
    let locks = || std::fs::read_to_string("/proc/locks").expect("Linux lists file locks");
    assert!(crate::support::until(30_000, || locks().contains(&holder)));
    let second = run(Path::new(AVIONICS), &["--duration", "100ms"]);
    let said = text(&second.stderr);
    assert!(second.status.code() == Some(3) && said.contains("schedlab_follow"), "{said}");
    // Threads are refused their processors.
    let mut threads = command();
    let threads =
        threads.args(["run", AVIONICS, "--backend", "auto", "--duration", "100ms"]).output().unwrap();
    assert_eq!(threads.status.code(), Some(3), "{}", text(&threads.stderr));
    assert_eq!(state(), "enabled", "the first run goes on");
    first.kill().unwrap();
    first.wait().unwrap();
    assert!(crate::support::until(2_000, || state() == "disabled"));
}
