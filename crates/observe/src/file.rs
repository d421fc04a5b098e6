//! Reads kernel traces: from a file, from standard input, or by way of `trace-cmd`, which knows its own files.

use crate::NotObserved;
use schedlab_report::files::{reason, TraceWriter};
use schedlab_runtime::program::whole_file;
use schedlab_tracepoints::{read, Examined, NotRead, OtherFile, Recording, Tasks, Unit};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};
use std::thread::{self, JoinHandle};

/// Reads the kernel trace in a file; `-` is standard input. `progress` gets the number of bytes that have been read,
/// and of all bytes if that is known.
pub fn read_trace(
    path: &Path,
    unit: Option<Unit>,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Examined, NotObserved> {
    let wrong = |why: String| NotObserved::Input(format!("{}: {why}", path.display()));
    let recording = if path == Path::new("-") {
        read(io::stdin().lock(), unit, &mut |count| progress(count, None))
    } else {
        let file = File::open(path).map_err(|error| wrong(format!("cannot be read: {}", reason(&error))))?;
        let length = file.metadata().ok().filter(|about| about.is_file()).map(|about| about.len());
        match read(file, unit, &mut |count| progress(count, length)) {
            Err(NotRead::Other(OtherFile::TraceDat)) => return by_trace_cmd(path, unit, progress),
            recording => recording,
        }
    };
    recording.map(Examined::of).map_err(|why| wrong(why.to_string()))
}

/// Reads a file of `trace-cmd record` as text, which the installed `trace-cmd` prints.
fn by_trace_cmd(
    path: &Path,
    unit: Option<Unit>,
    progress: &mut dyn FnMut(u64, Option<u64>),
) -> Result<Examined, NotObserved> {
    let name = path.display();
    let wrong = |why: String| NotObserved::Input(format!("{name}: {why}"));
    // Whole stamps, and the kernel's own words: those of the plugins differ from version to version.
    let mut command = Command::new("trace-cmd");
    command.args(["report", "-t", "-N", "-i"]).arg(path);
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = started.map_err(|error| {
        if error.kind() != ErrorKind::NotFound {
            return wrong(format!("trace-cmd cannot be started: {}", reason(&error)));
        }
        NotObserved::Refused(format!(
            "{name}: this is trace.dat of trace-cmd, and the program trace-cmd, which reads it, is not installed. Install the \
             package trace-cmd (apt install trace-cmd, dnf install trace-cmd), or give its text, made elsewhere: \
             trace-cmd report -t -i trace.dat > trace.txt"
        ))
    })?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let said = stderr.map(listen);
    let recording = match stdout {
        Some(stdout) => read(stdout, unit, &mut |count| progress(count, None)),
        None => return Err(wrong("trace-cmd has no output".to_owned())),
    };
    let status = child.wait().map_err(|error| wrong(format!("trace-cmd: {}", reason(&error))))?;
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let recording: Recording = match recording {
        Ok(recording) => recording,
        Err(_) if !status.success() => {
            return Err(wrong(format!("trace-cmd report cannot read it, so it may be cut: {said}")));
        }
        Err(why) => return Err(wrong(why.to_string())),
    };
    Ok(Examined::of(if status.success() {
        recording
    } else {
        recording.with_damage(format!("trace-cmd report ended with {status}: {said}"))
    }))
}

/// Reads what a program says to its standard error, so that it never waits for a reader.
fn listen(mut stderr: ChildStderr) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut said = Vec::new();
        let _ = stderr.by_ref().take(4096).read_to_end(&mut said);
        let _ = io::copy(&mut stderr, &mut io::sink());
        String::from_utf8_lossy(&said).into_owned()
    })
}

/// Writes a recording as a trace of schedlab, in a file whose header names the recording.
pub fn write_trace(examined: &Examined, tasks: &Tasks, name: &str, path: &Path) -> io::Result<()> {
    whole_file::fill(path, |file| {
        let mut writer = TraceWriter::new(file, &examined.header(tasks, name));
        examined.play(tasks, &mut writer);
        writer.finish()
    })
}
