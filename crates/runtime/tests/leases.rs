//! One process at a time has a processor for real-time threads. The other process is this very program, asked to
//! take some.
//!
//! No machine has these processors, so that real runs are left alone.

use schedlab_runtime::{Lease, Refusal};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

/// The variable with the processors that a child is to take.
const TAKE: &str = "SCHEDLAB_TEST_TAKE";

fn numbers(text: &str) -> Vec<usize> {
    text.split(',').map(|number| number.parse().unwrap()).collect()
}

/// Only in a child: it has processors until its input ends, or it is killed.
#[test]
fn child() {
    let Ok(which) = std::env::var(TAKE) else { return };
    let lease = Lease::take(&numbers(&which));
    println!("\n{}", lease.as_ref().map_or_else(Refusal::to_string, |_| "taken".to_owned()));
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// A process that tried to take `which`, and what it said.
fn process_with(which: &str) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child", "--nocapture"]).env(TAKE, which);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(|line| line.unwrap());
    let said = lines.into_iter().find(|line| line == "taken" || line.contains("processor")).unwrap();
    (child, said)
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_second_process_is_told_who_has_which_processors() {
    let (first, said) = process_with("50001,50003");
    assert_eq!(said, "taken");
    let refusal = Lease::take(&[50_000, 50_001, 50_002, 50_003]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        format!(
            "process {} has real-time threads on processor 50001, 50003: wait until it ends, or use other processors (taskset)",
            first.id()
        )
    );
    // What the refused one could have had is free, and so are others.
    let (other, said) = process_with("50000,50002");
    assert_eq!(said, "taken");
    end(first);
    let mine = Lease::take(&[50_001, 50_003]).expect("the kernel gave it up for the process that was killed");
    let again = Lease::take(&[50_003]).expect("a process may have it twice");
    drop(mine);
    let (third, said) = process_with("50001,50003");
    assert!(
        said.starts_with(&format!(
            "process {} has real-time threads on processor 50003:",
            std::process::id()
        )),
        "{said}"
    );
    drop(again);
    end(third);
    let (fourth, said) = process_with("50003");
    assert_eq!(said, "taken");
    end(fourth);
    end(other);
}
