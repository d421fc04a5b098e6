//! What a file of another tool says that a scenario has no place for, and which of it a reader refuses.
//!
//! A loss that could make an answer too good is an error, with its place, until the caller names its kind
//! ([`Ignored`]). The scenario then says what was left out, and so does every text that is written of it. Other losses
//! are listed.

use crate::error::{Error, Errors, Location, Problem};
use std::str::FromStr;

/// What kind of thing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// How fast a processor is.
    Speed,
    /// What the machine takes for itself.
    Overheads,
    /// A scheduler that does not exist here.
    Scheduler,
    /// How long jobs execute, if that is not their WCET.
    ExecutionTimes,
    /// Jobs that are given up when they are late.
    Aborts,
    /// Tasks that begin when others end.
    Precedence,
    /// Caches and what jobs do to them.
    Caches,
    /// Budgets of reservations that jobs exceed.
    Budgets,
    /// Timers that several tasks share.
    Timers,
    /// Processors that tasks are bound to, under a scheduler that binds no task.
    Affinity,
    /// Priorities of which the format does not say which is the more urgent.
    Priorities,
    /// Where in a job its critical sections lie.
    Sections,
    /// How many jobs a task has.
    Loops,
    /// Keys that an object has twice.
    RepeatedKeys,
    /// Fields, attributes, elements and columns that the reader does not know.
    UnknownFields,
    /// Settings of the other program that describe no task.
    Settings,
}

impl LossKind {
    /// All, by name.
    pub const NAMED: [(&'static str, LossKind); 16] = [
        ("speed", LossKind::Speed),
        ("overheads", LossKind::Overheads),
        ("scheduler", LossKind::Scheduler),
        ("execution-times", LossKind::ExecutionTimes),
        ("aborts", LossKind::Aborts),
        ("precedence", LossKind::Precedence),
        ("caches", LossKind::Caches),
        ("budgets", LossKind::Budgets),
        ("timers", LossKind::Timers),
        ("affinity", LossKind::Affinity),
        ("priorities", LossKind::Priorities),
        ("sections", LossKind::Sections),
        ("loops", LossKind::Loops),
        ("repeated-keys", LossKind::RepeatedKeys),
        ("unknown-fields", LossKind::UnknownFields),
        ("settings", LossKind::Settings),
    ];

    /// Its name, as `--ignore` takes it.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMED.iter().find(|(_, kind)| *kind == self).expect("each kind has a name");
        name
    }
}

impl FromStr for LossKind {
    type Err = Problem;

    fn from_str(name: &str) -> Result<LossKind, Problem> {
        let known = Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let names = Self::NAMED.iter().map(|(name, _)| *name);
        known.ok_or_else(|| Problem::unknown_name("kind of loss", name, names))
    }
}

/// Kinds of losses that a caller lets pass although they could make an answer too good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored(Vec<LossKind>);

impl Ignored {
    /// All kinds.
    pub fn everything() -> Ignored {
        Ignored(LossKind::NAMED.map(|(_, kind)| kind).to_vec())
    }

    /// The kinds of these names.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Ignored, Errors> {
        let one = |name: &str| name.parse().map_err(|problem| Errors::one(None, "ignore", problem));
        names.into_iter().map(one).collect::<Result<_, _>>().map(Ignored)
    }

    pub(crate) fn has(&self, kind: LossKind) -> bool {
        self.0.contains(&kind)
    }
}

/// One thing that a file says and a scenario does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Its kind.
    pub kind: LossKind,
    /// Where it stands.
    pub place: Location,
    /// What it is, such as `speed 0.2 of processor CPU 2`.
    pub what: String,
    /// Whether an answer without it could be too good.
    pub flatters: bool,
}

impl Loss {
    /// As a line of a list.
    pub fn line(&self) -> String {
        let line = format!("{}: {} (line {})", self.place.file, self.said(), self.place.line);
        // A name may have line breaks and other control characters.
        line.chars()
            .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
            .collect()
    }

    /// What it is, as the end of a sentence.
    fn said(&self) -> &str {
        self.what.trim_end_matches(',')
    }

    fn refused(&self) -> Error {
        let sentence =
            format!("{} has no place in a scenario, and an answer without it could be too good", self.what);
        let allowed = format!("--ignore {}, to leave it out", self.kind.name());
        Error {
            place: Some(self.place.clone()),
            field: String::new(),
            problem: Problem::rule(sentence, allowed),
        }
    }
}

/// What a reader made of a file of another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported<T> {
    /// The result.
    pub value: T,
    /// What of the file it does not hold. What could make an answer too good is among it only if it was ignored.
    pub losses: Vec<Loss>,
}

impl<T> Imported<T> {
    /// The lines of what was left out although an answer could be too good without it.
    pub fn left_out(&self) -> Vec<String> {
        self.losses.iter().filter(|loss| loss.flatters).map(Loss::line).collect()
    }
}

/// The losses of a file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Losses(Vec<Loss>);

impl Losses {
    /// Notes what could make an answer too good.
    pub(crate) fn flatters(&mut self, kind: LossKind, place: Location, what: impl Into<String>) {
        self.0.push(Loss { kind, place, what: what.into(), flatters: true });
    }

    /// Notes what cannot change an answer, or only for the worse.
    pub(crate) fn harmless(&mut self, kind: LossKind, place: Location, what: impl Into<String>) {
        self.0.push(Loss { kind, place, what: what.into(), flatters: false });
    }

    /// The losses, unless some of them are refused; each is listed once. `errors` are others of the same file.
    pub(crate) fn judged(self, mut errors: Vec<Error>, ignored: &Ignored) -> Result<Vec<Loss>, Errors> {
        let refused = self.0.iter().filter(|loss| loss.flatters && !ignored.has(loss.kind));
        errors.extend(refused.map(Loss::refused));
        Errors::check(errors)?;
        let mut losses: Vec<Loss> = Vec::new();
        for loss in self.0 {
            if !losses.iter().any(|known| known.kind == loss.kind && known.what == loss.what) {
                losses.push(loss);
            }
        }
        losses.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(losses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_flatters_is_refused_until_its_kind_is_named() {
        let place = || Location { file: "slow.xml".into(), line: 7, column: 9 };
        let losses = || {
            let mut losses = Losses::default();
            losses.flatters(LossKind::Speed, place(), "speed 0.2 of processor CPU 2");
            losses.harmless(LossKind::Caches, place(), "cache L1");
            losses
        };
        let refused = losses().judged(Vec::new(), &Ignored::default()).unwrap_err().to_string();
        assert_eq!(
            refused,
            "slow.xml:7:9: speed 0.2 of processor CPU 2 has no place in a scenario, and an answer without it could be \
             too good; allowed: --ignore speed, to leave it out"
        );
        let other = Ignored::of(["overheads"]).unwrap();
        assert!(losses().judged(Vec::new(), &other).is_err());
        let passed = losses().judged(Vec::new(), &Ignored::of(["speed"]).unwrap()).unwrap();
        let imported = Imported { value: (), losses: passed };
        assert_eq!(imported.losses.len(), 2);
        assert_eq!(imported.left_out(), ["slow.xml: speed 0.2 of processor CPU 2 (line 7)"]);
        let unknown = Ignored::of(["sped"]).unwrap_err().to_string();
        assert!(unknown
            .starts_with("ignore: there is no kind of loss \"sped\"; did you mean speed? allowed: speed, "));
    }
}
