//! Comments in files for Linux: what was proved, which mutexes programs need, and what they have to keep.

use super::settings::{Launched, Setting, Settings};
use crate::scenario::Scenario;
use crate::unheeded::Unheeded;
use schedlab_lock::OnLinux;
use schedlab_model::{MutexProtocol, ResourceId, Step};

/// The lines of comments.
pub(super) struct Remarks {
    /// Comments on the file as a whole.
    pub(super) general: Vec<String>,
    /// By task: the scenario's parts that its program has to keep, and its mutexes.
    pub(super) of_tasks: Vec<Vec<String>>,
}

impl Remarks {
    /// Comments with `given` first, then what is lost.
    pub(super) fn of(
        scenario: &Scenario,
        settings: &Settings<'_>,
        given: &[String],
        lost: &[String],
    ) -> Remarks {
        let mut general = lines(given);
        // The settings' proofs and cautions are about the kernel's throttling, whichever scheduler proves them.
        let told: Vec<String> = scenario
            .unheeded()
            .iter()
            .filter(|one| matches!(one, Unheeded::Throttling(_)))
            .map(|one| one.line(scenario.scheduler_name()))
            .collect();
        let left_out = lines(&scenario.all_left_out()).into_iter().filter(|line| !told.contains(line));
        general.extend(left_out.map(|line| format!("Left out of what was read: {line}")));
        let conditions = scenario.rests_on().into_iter().map(|one| one.to_string());
        let is_new = |line: &String| !given.iter().any(|known| known.contains(line));
        general.extend(conditions.filter(is_new).map(|line| format!("Rests on: {line}")));
        if !lost.is_empty() {
            general.push("To be heeded:".to_owned());
            general.extend(lines(lost).into_iter().map(|line| format!("* {line}")));
        }
        let of_task = |task: &Launched<'_>| {
            let mut all = vec!["What the program has to keep:".to_owned()];
            let text = crate::write::task_text(scenario, task.spec);
            all.extend(text.lines().map(|line| format!("  {line}")));
            all.extend(mutexes(scenario, settings, task));
            all
        };
        Remarks { general, of_tasks: settings.tasks.iter().map(of_task).collect() }
    }
}

/// Splits texts into lines, because comments are lines.
fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().flat_map(|text| text.lines()).map(str::to_owned).collect()
}

/// Describes the resources that `task` requests.
fn mutexes(scenario: &Scenario, settings: &Settings<'_>, task: &Launched<'_>) -> Vec<String> {
    let asked = (0..scenario.resources.len()).filter(|index| task.spec.requests(*index));
    let line = |index: usize| {
        let spec = &scenario.resources[index];
        let what = match (spec.scheme(), on_linux(scenario, index, settings)) {
            (Some(scheme), _) => {
                let kind = spec.object.map_or("object", |object| object.kind.name());
                format!("a {} {kind} of the program's own", scheme.name())
            }
            (None, OnLinux::Inherit) => "a mutex with PTHREAD_PRIO_INHERIT".to_owned(),
            (None, OnLinux::Protect) => match ceiling(settings, index) {
                Some(ceiling) => format!("a mutex with PTHREAD_PRIO_PROTECT and the ceiling {ceiling}"),
                None => "a mutex with PTHREAD_PRIO_PROTECT".to_owned(),
            },
            (None, OnLinux::Plain) if spec.units > 1 => {
                format!("a semaphore that begins with {}", spec.units)
            }
            (None, OnLinux::Plain) => "an ordinary mutex".to_owned(),
            (None, OnLinux::InProgram) => format!("shared by {}, the program's own", settings.protocol.name),
            (None, OnLinux::ByResource | OnLinux::Nothing) => {
                unreachable!("what Linux lacks is refused before")
            }
        };
        format!("resource \"{}\": {what}", spec.name)
    };
    asked.map(line).collect()
}

/// The mutexes of Linux that stand for the resource at this place: those of its own protocol before those of all.
pub(super) fn on_linux(scenario: &Scenario, index: usize, settings: &Settings<'_>) -> OnLinux {
    // Where some resources state their protocols, the others have that of the scenario.
    let shared = || scenario.known_protocol().and_then(|given| scenario.mutexes(given)).map(|all| all[index]);
    let of = |protocol: MutexProtocol| match protocol {
        MutexProtocol::None => OnLinux::Plain,
        MutexProtocol::Inherit => OnLinux::Inherit,
        MutexProtocol::Protect => OnLinux::Protect,
    };
    match (scenario.resources[index].protocol, settings.mutexes) {
        (Some(own), _) => of(own),
        (None, OnLinux::ByResource) => of(shared().unwrap_or(MutexProtocol::None)),
        (
            None,
            OnLinux::Plain | OnLinux::Inherit | OnLinux::Protect | OnLinux::InProgram | OnLinux::Nothing,
        ) => settings.mutexes,
    }
}

/// The priority of the most urgent task that requests the resource.
pub(super) fn ceiling(settings: &Settings<'_>, resource: usize) -> Option<u32> {
    let asks = |step: &Step| step.requested() == Some(ResourceId(resource as u32));
    let users = settings.tasks.iter().filter(|task| task.spec.program.iter().any(asks));
    let priority = |task: &Launched<'_>| match task.setting {
        Setting::Fifo(priority) => Some(priority),
        Setting::Deadline => None,
    };
    users.filter_map(priority).max()
}

/// Comments of a shell script or of a unit file.
pub(super) fn hashed(lines: &[String]) -> String {
    let line = |line: &String| match line.is_empty() {
        true => "#\n".to_owned(),
        false => format!("# {}\n", line.replace(char::is_control, " ")),
    };
    lines.iter().map(line).collect()
}

/// A comment of C, and of what reads comments as C does.
pub(super) fn starred(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let shown = |line: &String| line.replace("*/", "* /").replace("/*", "/ *").replace(char::is_control, " ");
    let line = |line: &String| format!("{}\n", format!(" * {}", shown(line)).trim_end());
    format!("/*\n{} */\n", lines.iter().map(line).collect::<String>())
}
