//! The kernel's fair server, which lets starved ordinary threads run over real-time ones: switched off on request only,
//! and on again whatever happens.
//!
//! A guardian, a process of its own, learns the settings before anything is changed. It restores them when its input
//! ends: because the run is over, or because the run's process is gone, `kill -9` included.

use schedlab_report::files::reason;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

/// Where the settings are: a folder for each processor, with its `runtime` in nanoseconds of each period.
pub const FOLDER: &str = "/sys/kernel/debug/sched/fair_server";

/// Ends the list of settings.
const READY: &str = "ready";

/// The fair server is off while this lives.
#[derive(Debug)]
pub struct Lifted {
    guardian: Child,
}

impl Lifted {
    /// Switches it off on every processor, or says why not; then nothing is changed.
    pub fn lift(folder: &Path) -> Result<Self, String> {
        let settings = settings(folder).map_err(|error| {
            format!(
                "the fair server's settings in {} cannot be read ({}): mount debugfs, or run without --lift-fair-server",
                folder.display(),
                reason(&error)
            )
        })?;
        let guardian = guard(&settings).map_err(|error| format!("starting the guardian: {error}"))?;
        let lifted = Lifted { guardian };
        for (path, _) in &settings {
            // If one cannot be written, the guardian restores the others.
            fs::write(path, "0").map_err(|error| format!("{}: {}", path.display(), reason(&error)))?;
        }
        Ok(lifted)
    }
}

impl Drop for Lifted {
    fn drop(&mut self) {
        drop(self.guardian.stdin.take());
        // It has restored what it can when it is gone.
        let _ = self.guardian.wait();
    }
}

fn settings(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path().join("runtime");
        if path.exists() {
            found.push((path.clone(), fs::read_to_string(path)?.trim().to_owned()));
        }
    }
    found.sort();
    Ok(found)
}

/// Starts a guardian of these settings, and waits until it knows them.
fn guard(settings: &[(PathBuf, String)]) -> io::Result<Child> {
    let mut command = Command::new(std::env::current_exe()?);
    // In a group of its own: the terminal's Ctrl-C is not for it.
    command.arg("guard").process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut guardian = command.spawn()?;
    let mut list: String =
        settings.iter().map(|(path, value)| format!("{}\t{value}\n", path.display())).collect();
    list.push_str(READY);
    list.push('\n');
    guardian.stdin.as_mut().expect("it is piped").write_all(list.as_bytes())?;
    let mut answer = String::new();
    BufReader::new(guardian.stdout.take().expect("it is piped")).read_line(&mut answer)?;
    match answer.trim() {
        READY => Ok(guardian),
        _ => Err(io::Error::other("the guardian is not ready")),
    }
}

/// The guardian: learns settings, and restores them when its input ends. Signals that end the run, such as those of
/// `systemctl stop`, which reach every process of a service, are not for it.
pub fn be_guardian() -> Result<(), String> {
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        flag::register(signal, Arc::default()).map_err(|error| format!("catching signals: {error}"))?;
    }
    let mut input = BufReader::new(io::stdin());
    let mut settings = Vec::new();
    loop {
        let mut line = String::new();
        let length = input.read_line(&mut line).map_err(|error| error.to_string())?;
        match line.trim_end().split_once('\t') {
            Some((path, value)) => settings.push((PathBuf::from(path), value.to_owned())),
            None if line.trim_end() == READY => break,
            // The process that started it is gone before anything was changed.
            None if length == 0 => return Ok(()),
            None => return Err(format!("no setting: {line}")),
        }
    }
    println!("{READY}");
    let _ = input.read_to_end(&mut Vec::new());
    let wrong: Vec<String> = settings
        .iter()
        .filter_map(|(path, value)| {
            fs::write(path, value).err().map(|error| format!("{}: {error}", path.display()))
        })
        .collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("; "))
    }
}
