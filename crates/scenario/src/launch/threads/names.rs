//! Names of threads, of which the kernel holds 15 bytes, and identifiers in C.

use super::super::distinct::distinct;
use super::super::settings::Settings;
use std::collections::BTreeSet;

/// Bytes that the kernel holds of a thread's name (`TASK_COMM_LEN` less the zero at the end).
const BYTES: usize = 15;

/// By task: the name of its thread. Names that the kernel can hold are kept; others are changed until they differ.
pub(super) fn thread_names(settings: &Settings<'_>) -> Vec<String> {
    let given = || settings.tasks.iter().map(|task| task.spec.name.as_str());
    let mut known: BTreeSet<String> = given().filter(|name| fits(name)).map(str::to_owned).collect();
    let named = |name: &str| match fits(name) {
        true => name.to_owned(),
        false => changed(&mut known, name),
    };
    given().map(named).collect()
}

/// Lines on the threads that are not called like their tasks.
pub(super) fn renamed(settings: &Settings<'_>) -> Vec<String> {
    let names = thread_names(settings);
    let changed = settings.tasks.iter().zip(&names).filter(|(task, name)| task.spec.name != **name);
    let line = |(task, name): (&super::super::settings::Launched<'_>, &String)| {
        let task = task.spec.name.replace(char::is_control, " ");
        format!("the thread of task \"{task}\" is called \"{name}\": Linux has {BYTES} bytes for a name")
    };
    changed.map(line).collect()
}

/// True if shells, C and the kernel take the name as it is.
fn fits(name: &str) -> bool {
    !name.is_empty() && name.len() <= BYTES && name.chars().all(is_plain) && name.trim() == name
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || " -_.:/~".contains(letter)
}

/// A name of plain letters that is not `known` yet, cut and numbered where it has to be.
fn changed(known: &mut BTreeSet<String>, name: &str) -> String {
    let plain: String = name.trim().chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let plain = if plain.is_empty() { "thread".to_owned() } else { plain };
    let cut = |end: String| {
        let kept: String = plain.chars().take(BYTES - end.len()).collect();
        format!("{}{end}", kept.trim_end())
    };
    let numbered = (2..).map(|number| cut(format!("~{number}")));
    let mut all = std::iter::once(cut(String::new())).chain(numbered);
    let free = all.find(|name| !known.contains(name)).expect("there are more numbers than tasks");
    known.insert(free.clone());
    free
}

/// By name: what stands for it in identifiers of C and C++, in small letters, with single underscores.
pub(super) fn identifiers<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known = BTreeSet::new();
    let of = |name: &String| {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let plain: String = name.chars().map(letter).collect();
        let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
        let joined = if parts.is_empty() { "unnamed".to_owned() } else { parts.join("_") };
        distinct(&mut known, joined, '_')
    };
    names.map(of).collect()
}
