//! Paths of fields, such as `platform.processors` and `task.odom.wcet`: which field of which table they name.

use crate::error::{Errors, Problem};
use crate::field::{self, FieldTable};
use crate::scenario::Scenario;

/// A list of tables that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Task,
    Resource,
    Supertask,
    Server,
}

impl Kind {
    pub(super) const ALL: [Kind; 4] = [Kind::Task, Kind::Resource, Kind::Supertask, Kind::Server];

    /// The list's name in a file.
    pub(super) fn word(self) -> &'static str {
        match self {
            Kind::Task => "task",
            Kind::Resource => "resource",
            Kind::Supertask => "supertask",
            Kind::Server => "server",
        }
    }

    fn fields(self) -> &'static FieldTable {
        match self {
            Kind::Task => &field::TASK,
            Kind::Resource => &field::RESOURCE,
            Kind::Supertask => &field::SUPERTASK,
            Kind::Server => &field::SERVER,
        }
    }

    /// The names in a scenario, by index.
    pub(super) fn names(self, scenario: &Scenario) -> Vec<&str> {
        match self {
            Kind::Task => scenario.tasks.iter().map(|task| task.name.as_str()).collect(),
            Kind::Resource => scenario.resources.iter().map(|spec| spec.name.as_str()).collect(),
            Kind::Supertask => scenario.supertasks.iter().map(|spec| spec.name.as_str()).collect(),
            Kind::Server => scenario.servers.iter().map(|spec| spec.name.as_str()).collect(),
        }
    }
}

/// A field of a scenario's file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The list and the index there, of a field of a task, resource, supertask or server.
    pub(super) entry: Option<(Kind, usize)>,
    /// Names of the tables down to the field, and of the field; never empty.
    pub(super) keys: Vec<String>,
    /// The path as answers show it.
    pub(super) path: String,
}

/// Returns the path in full. A scheduler or overheads given by name are fields of their tables.
pub(super) fn in_full(path: &str, is_text: bool) -> &str {
    match path {
        "scheduler" if is_text => "scheduler.name",
        "overheads" if is_text => "overheads.use",
        path => path,
    }
}

/// Returns the fields that `path` names: one, or those of all copies of a task.
pub(super) fn places(scenario: &Scenario, path: &str, is_text: bool) -> Result<Vec<Place>, Errors> {
    let full = in_full(path.trim(), is_text);
    let (head, rest) = full.split_once('.').map_or((full, None), |(head, rest)| (head, Some(rest)));
    if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.word() == head) {
        return of_list(scenario, kind, path, rest.unwrap_or(""));
    }
    if head == "left_out" {
        let allowed = "the option that leaves it out (ignore)";
        return Err(Errors::one(None, path, Problem::rule("says what was left out of the file", allowed)));
    }
    let keys = keys(path, full)?;
    Ok(vec![Place { entry: None, keys, path: full.to_owned() }])
}

/// Returns the fields of a task, resource, supertask or server: `rest` is its name and the path from there on.
fn of_list(scenario: &Scenario, kind: Kind, path: &str, rest: &str) -> Result<Vec<Place>, Errors> {
    let names = kind.names(scenario);
    let (word, allowed) = (kind.word(), kind.fields().names());
    let known: Vec<(&str, Vec<usize>)> = named(&names);
    // Names may have dots, so the name may end at any dot, or be in quotes.
    let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let readings: Vec<(&str, &[usize], &str)> = known
        .iter()
        .filter_map(|(name, indices)| {
            let after = match quoted {
                Some((within, after)) => (within == *name).then_some(after)?,
                None => rest.strip_prefix(name)?,
            };
            (after.is_empty() || after.starts_with('.')).then_some((*name, indices.as_slice(), after))
        })
        .collect();
    let is_field = |after: &str| allowed.clone().any(|field| after.split('.').nth(1) == Some(field));
    let fitting: Vec<_> = readings.iter().filter(|(_, _, after)| is_field(after)).collect();
    match (fitting.as_slice(), readings.first()) {
        ([(_, indices, after)], _) => {
            let keys = keys(path, after.trim_start_matches('.'))?;
            let place = |index: &usize| Place {
                entry: Some((kind, *index)),
                keys: keys.clone(),
                path: format!("{word}.{}{after}", names[*index]),
            };
            Ok(indices.iter().map(place).collect())
        }
        ([], Some((name, _, ""))) => {
            let sentence = format!("names the {word} \"{name}\" and no field of it");
            let known = allowed.map(|field| format!("{word}.{name}.{field}")).take(4).collect::<Vec<_>>();
            let problem = Problem::rule(sentence, format!("such as {}", known.join(", ")));
            Err(Errors::one(None, path, problem))
        }
        ([], Some((_, _, after))) => {
            let unknown = after.split('.').nth(1).unwrap_or_default();
            Err(Errors::one(None, path, Problem::unknown_field(word, unknown, allowed)))
        }
        ([], None) => Err(Errors::one(None, path, unknown_name(kind, rest, &names))),
        (several, _) => {
            let meant: Vec<String> =
                several.iter().map(|(name, _, after)| format!("{word}.\"{name}\"{after}")).collect();
            let problem = Problem::rule("is ambiguous", meant.join(" or "));
            Err(Errors::one(None, path, problem))
        }
    }
}

/// Problem: there is no task, resource, supertask or server of the name with which `rest` begins.
fn unknown_name(kind: Kind, rest: &str, names: &[&str]) -> Problem {
    let begins = |end: &usize| {
        let after = rest[end + 1..].split('.').next();
        kind.fields().names().any(|field| Some(field) == after)
    };
    let dots: Vec<usize> = rest.match_indices('.').map(|(at, _)| at).collect();
    let end = dots.iter().find(|end| begins(end)).or(dots.first()).copied().unwrap_or(rest.len());
    let name = rest[..end].trim_matches('"');
    let what = kind.word();
    Problem::unknown_name(what, name, names.iter().copied())
}

/// Returns each name with its index. A name `A` that only copies have, as in `A.1` and `A.2`, stands for all of them.
fn named<'n>(names: &[&'n str]) -> Vec<(&'n str, Vec<usize>)> {
    let mut found: Vec<(&str, Vec<usize>)> =
        names.iter().enumerate().map(|(index, name)| (*name, vec![index])).collect();
    let copy = |name: &'n str| {
        let (of, number) = name.rsplit_once('.')?;
        number.bytes().all(|byte| byte.is_ascii_digit()).then_some(of)
    };
    let copied: std::collections::BTreeSet<&str> = names.iter().filter_map(|name| copy(name)).collect();
    for of in copied.into_iter().filter(|of| !names.contains(of)) {
        let is_copy = |(index, name): (usize, &&'n str)| (copy(name) == Some(of)).then_some(index);
        found.push((of, names.iter().enumerate().filter_map(is_copy).collect()));
    }
    found
}

/// Splits `text` into the names of tables and of a field.
fn keys(path: &str, text: &str) -> Result<Vec<String>, Errors> {
    let keys: Vec<String> = text.split('.').map(|key| key.trim().to_owned()).collect();
    if keys.iter().any(|key| key.is_empty()) {
        let allowed = "names with a dot between two, such as platform.processors or task.NAME.wcet";
        return Err(Errors::one(None, path, Problem::rule("is no path of a field", allowed)));
    }
    Ok(keys)
}
