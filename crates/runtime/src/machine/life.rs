//! A process as others know it: one that lives, and not a later one that got its number.

use std::fs;
use std::process;

/// The calling process, in one number: its process number below, and above when it started, as the kernel counts.
pub fn this_life() -> u64 {
    // Without the file, which each process has, no start is known; then the number alone counts.
    let start = stat(process::id()).map_or(0, |(_, start)| start);
    u64::from(start) << 32 | u64::from(process::id())
}

/// True if the process of this number, and no later one, still executes. A process that ended and was not waited for
/// yet does not.
pub fn is_alive(life: u64) -> bool {
    let (process, started) = (life as u32, (life >> 32) as u32);
    stat(process)
        .is_some_and(|(state, start)| !matches!(state, 'Z' | 'X') && (start == started || started == 0))
}

/// The state of a process, and the end of the number of ticks when it started.
fn stat(process: u32) -> Option<(char, u32)> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may contain anything. State and start are the fields 3 and 22.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let start: u64 = fields.nth(18)?.parse().ok()?;
    Some((state, start as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_process_lives_until_it_ends() {
        let this = this_life();
        assert!(is_alive(this) && this as u32 == process::id() && this >> 32 != 0);
        assert!(!is_alive(this ^ 1 << 40), "another process, with the same number");
        let mut child =
            Command::new("sleep").arg("60").stdout(Stdio::null()).spawn().expect("there is sleep");
        let start = stat(child.id()).expect("it lives").1;
        let life = u64::from(start) << 32 | u64::from(child.id());
        assert!(is_alive(life));
        child.kill().expect("it lives");
        // It ends without having been waited for.
        while is_alive(life) {
            std::thread::yield_now();
        }
        child.wait().expect("it is gone");
        assert!(!is_alive(life));
    }
}
