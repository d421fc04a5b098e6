//! Measures all costs of this machine: an overheads file.

mod expected;
mod journal;
mod profile;
mod row;
mod steps;

use crate::bench::{processors, Bench};
use crate::failure::NotMeasured;
use crate::machine::about::{describe, Machine};
use clap::Args;
use expected::{in_words, left_of};
use journal::Journal;
use profile::Most;
use schedlab_account::share;
use schedlab_model::Duration;
use schedlab_runtime::program::whole_file;
use schedlab_runtime::{stolen_from, sys};
use serde_json::json;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::Arc;
use std::time::Duration as Span;
use steps::{Extent, Step};

/// What to measure, and where to put it.
#[derive(Args)]
pub struct Whole {
    /// The overheads file to write; measurements go beside it, with the ending .jsonl.
    #[arg(long, short, default_value = "overheads.toml")]
    out: PathBuf,
    /// Little of everything, in about a minute.
    #[arg(long)]
    quick: bool,
    /// Write the largest values as `max`, also those that never repeat; the top hundredth is discarded. Of a
    /// measurement that is done, the file is written anew.
    #[arg(long)]
    largest: bool,
    /// The schedulers to measure.
    #[arg(long, value_delimiter = ',')]
    schedulers: Vec<String>,
    /// The locking protocols to measure; all that run for real otherwise.
    #[arg(long, value_delimiter = ',')]
    protocols: Vec<String>,
    /// Forget what an earlier measurement left in the file.
    #[arg(long)]
    afresh: bool,
}

/// Schedulers that are measured by default.
const SCHEDULERS: [&str; 8] = ["P-EDF", "G-EDF", "NG-EDF", "P-RM", "G-RM", "G-FIFO", "PD2", "S-PD2"];
/// Measures until all is done or `stop` is set, and reports its progress. Returns the files written, measurements
/// first; none if it was stopped, so that the same call goes on there.
pub fn whole(
    asked: &Whole,
    stop: &Arc<AtomicBool>,
    tell: &dyn Fn(&str),
) -> Result<Option<[PathBuf; 2]>, NotMeasured> {
    let extent = extent(asked);
    let steps = steps::steps(&extent, &processors()?)?;
    let bench = Bench::take(stop)?;
    let machine = describe();
    let head = json!({ "schedlab-measurements": 2, "machine": machine, "extent": extent.to_json() });
    let path = asked.out.with_extension("jsonl");
    let mut journal = Journal::open(&path, &head, asked.afresh)?;
    let (begin, before) = (sys::monotonic_ns(), stolen_from(&bench.processors));
    let failed = take(&steps, &extent, &bench, &mut journal, tell)?;
    let of_all = (sys::monotonic_ns() - begin).saturating_mul(bench.processors.len() as u64);
    let stolen = stolen_from(&bench.processors).zip(before).map(|(now, before)| {
        100.0 * share(Duration::from_ns(now.saturating_sub(before)), Duration::from_ns(of_all))
    });
    if stop.load(SeqCst) {
        tell(&format!(
            "stopped; what is measured is kept in {}: the same command goes on there",
            path.display()
        ));
        return Ok(None);
    }
    let rows: Vec<_> =
        steps.iter().filter_map(|step| journal.find(&step.name())).flatten().cloned().collect();
    let most = if asked.largest { Most::Largest } else { Most::Repeated };
    let mut profile = profile::profile(&rows, most);
    profile.caches = crate::machine::topology::caches(&bench.processors);
    let noise = noise(&rows, stolen);
    profile.title = format!("{} measured by schedlab", machine.name());
    profile.machine = machine.to_string();
    profile.source = format!("schedlab {} measure; max: {}; {noise}", env!("CARGO_PKG_VERSION"), said(most));
    profile.notes = notes(&machine, &extent, &noise, &failed);
    whole_file::write(&asked.out, &profile.to_toml())
        .map_err(|error| NotMeasured::unwritten(&asked.out, error))?;
    Ok(Some([path, asked.out.clone()]))
}

fn extent(arguments: &Whole) -> Extent {
    let or =
        |given: &[String], otherwise: Vec<String>| if given.is_empty() { otherwise } else { given.to_vec() };
    let kib = |sizes: &[usize]| sizes.iter().map(|size| size << 10).collect();
    let schedulers = SCHEDULERS.map(str::to_owned).to_vec();
    let (few, all) = ((10..=100).step_by(30), (10..=100).step_by(10));
    Extent {
        schedulers: or(&arguments.schedulers, schedulers),
        protocols: or(&arguments.protocols, steps::protocols()),
        tasks: if arguments.quick { few.collect() } else { all.collect() },
        sets: if arguments.quick { 1 } else { 5 },
        length: if arguments.quick { Duration::from_ms(500) } else { Duration::from_ms(2_000) },
        bytes: if arguments.quick { kib(&[4, 64, 1024]) } else { kib(&[4, 16, 32, 64, 128, 256, 512, 1024]) },
        rounds: if arguments.quick { 100 } else { 1_000 },
    }
}

/// Takes each step that is not done, and reports the progress. Returns the reasons of those that failed.
fn take(
    steps: &[Step],
    extent: &Extent,
    bench: &Bench,
    journal: &mut Journal,
    tell: &dyn Fn(&str),
) -> Result<Vec<String>, NotMeasured> {
    let mut failed = Vec::new();
    let start = sys::monotonic_ns();
    let left: Vec<&Step> = steps.iter().filter(|step| journal.find(&step.name()).is_none()).collect();
    if left.len() < steps.len() {
        tell(&format!(
            "goes on where it was: {} of {} steps are done",
            steps.len() - left.len(),
            steps.len()
        ));
    }
    for (taken, step) in left.iter().enumerate() {
        if bench.stop.load(SeqCst) {
            break;
        }
        let name = step.name();
        let so_far = Span::from_nanos(sys::monotonic_ns() - start);
        let rest = in_words(left_of(&left, taken, so_far, extent));
        tell(&format!("[{}/{}] {name}, about {rest} left", taken + 1, left.len()));
        match step.measure(extent, bench) {
            // What was interrupted is half measured.
            Ok(rows) if !bench.stop.load(SeqCst) => journal.add(name, rows)?,
            Ok(_) => {}
            Err(why) => {
                tell(&format!("  not measured: {why}"));
                failed.push(format!("{name}: {why}"));
            }
        }
    }
    Ok(failed)
}

/// Describes the file's `max`.
fn said(most: Most) -> &'static str {
    match most {
        Most::Repeated => "the largest value that repeats",
        Most::Largest => "the largest value, the top hundredth discarded",
    }
}

/// Describes how noisy the machine was: the gaps that a thread above all others saw, and the percentage of processor
/// time that the host took in this session.
fn noise(rows: &[row::MeasuredRow], stolen: Option<f64>) -> String {
    let noise: Vec<_> = rows.iter().filter(|row| row.what == "noise").map(|row| &row.kept).collect();
    let (gaps, worst): (usize, u64) =
        (noise.iter().map(|kept| kept.count).sum(), noise.iter().map(|kept| kept.worst).max().unwrap_or(0));
    let worst = Duration::from_ns(worst);
    let stolen = stolen.map_or("an unknown share".to_owned(), |percent| format!("{percent:.2}%"));
    format!(
        "noise: the host stole {stolen} of processor time. In 0.2 s on each of {} processors, a thread above all others was \
         away {gaps} times for more than 1 us, at most {worst}",
        noise.len()
    )
}

/// Returns remarks for a reader of the file.
fn notes(machine: &Machine, extent: &Extent, noise: &str, failed: &[String]) -> String {
    let mut lines = vec![
        format!("Kernel: {}. Mitigations: {}.", machine.kernel, machine.mitigations),
        format!("The {noise}."),
        "A value repeats if at least three, and one in two hundred, are as large but for a sixteenth. Of fewer than a hundred, the \
         largest counts. schedlab measure --largest writes the largest values."
            .to_owned(),
        format!(
            "{} task sets of each of the sizes {:?}, {} ms each. The largest hundredth of values was discarded before maxima \
             and means were taken, as in block-or-not-2008. Percentiles are of all values, rounded up by at most a sixteenth of an octave.",
            extent.sets,
            extent.tasks,
            extent.length.as_ns() / 1_000_000
        ),
        "Releases and ticks count from when their timer was due, so they contain the kernel's latency; lock operations \
         contain the system calls that they make."
            .to_owned(),
        "Working sets: flushed (preemption) or written by another processor (migration), every line written, all processors at \
         once; staggered for S-PD2."
            .to_owned(),
    ];
    lines.extend(failed.iter().map(|why| format!("Not measured: {why}.")));
    lines.join("\n")
}
