//! Losses: parts of another tool's file that a scenario cannot hold, and which of them a reader refuses.
//!
//! A loss that could make an answer too good is an error, with its place, until the caller names its kind
//! ([`Ignored`]). The scenario then lists what was left out, and so does every text that is written of it. Other losses
//! are listed.

use crate::error::{Error, Errors, Location, Problem};
use std::str::FromStr;

/// Kind of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossKind {
    /// Speed of a processor.
    Speed,
    /// Time that the machine takes for itself.
    Overheads,
    /// A scheduler that does not exist here.
    Scheduler,
    /// Execution times of jobs, if they are not the WCET.
    ExecutionTimes,
    /// Jobs that are given up when they are late.
    Aborts,
    /// Tasks that begin when others end.
    Precedence,
    /// Caches and what jobs do to them.
    Caches,
    /// Budgets of reservations that jobs exceed.
    Budgets,
    /// The kernel's refusal of threads whose reserved shares of the processors are too large together.
    Admission,
    /// Exclusive cpusets, without which the kernel binds no thread of `SCHED_DEADLINE` to processors.
    Cpusets,
    /// Timers that several tasks share.
    Timers,
    /// Processors that tasks are bound to, under a scheduler that binds no task.
    Affinity,
    /// Priorities of which the format does not say which is the more urgent.
    Priorities,
    /// Positions of critical sections within a job.
    Sections,
    /// Number of jobs of a task.
    Loops,
    /// Keys that an object has twice.
    RepeatedKeys,
    /// Fields, attributes, elements and columns that the reader does not know.
    UnknownFields,
    /// Settings of the other program that describe no task.
    Settings,
}

impl LossKind {
    /// All kinds, by name.
    pub const NAMED: [(&'static str, LossKind); 18] = [
        ("speed", LossKind::Speed),
        ("overheads", LossKind::Overheads),
        ("scheduler", LossKind::Scheduler),
        ("execution-times", LossKind::ExecutionTimes),
        ("aborts", LossKind::Aborts),
        ("precedence", LossKind::Precedence),
        ("caches", LossKind::Caches),
        ("budgets", LossKind::Budgets),
        ("admission", LossKind::Admission),
        ("cpusets", LossKind::Cpusets),
        ("timers", LossKind::Timers),
        ("affinity", LossKind::Affinity),
        ("priorities", LossKind::Priorities),
        ("sections", LossKind::Sections),
        ("loops", LossKind::Loops),
        ("repeated-keys", LossKind::RepeatedKeys),
        ("unknown-fields", LossKind::UnknownFields),
        ("settings", LossKind::Settings),
    ];

    /// Kinds of which a reader refuses some losses, so that they can be ignored. Losses of other kinds never make an
    /// answer too good, and are only listed.
    pub const REFUSED: [LossKind; 11] = [
        LossKind::Speed,
        LossKind::Overheads,
        LossKind::Scheduler,
        LossKind::ExecutionTimes,
        LossKind::Precedence,
        LossKind::Budgets,
        LossKind::Admission,
        LossKind::Timers,
        LossKind::Affinity,
        LossKind::RepeatedKeys,
        LossKind::UnknownFields,
    ];

    /// Name of the kind, as `--ignore` takes it if the kind can be ignored.
    pub fn name(self) -> &'static str {
        let (name, _) = Self::NAMED.iter().find(|(_, kind)| *kind == self).expect("each kind has a name");
        name
    }
}

impl FromStr for LossKind {
    type Err = Problem;

    /// Reads the name of a kind that can be ignored.
    fn from_str(name: &str) -> Result<LossKind, Problem> {
        let names = Self::REFUSED.map(LossKind::name);
        let known = Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        match known {
            Some(kind) if Self::REFUSED.contains(&kind) => Ok(kind),
            Some(_) => {
                let sentence = format!("\"{name}\" needs no --ignore: it changes no answer, and is listed");
                Err(Problem::rule(sentence, names.join(", ")))
            }
            None => Err(Problem::unknown_name("kind of loss", name, names)),
        }
    }
}

/// Kinds of losses that a caller accepts although they could make an answer too good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignored(Vec<LossKind>);

impl Ignored {
    /// Ignores all kinds.
    pub fn everything() -> Ignored {
        Ignored(LossKind::REFUSED.to_vec())
    }

    /// Ignores the kinds of these names; an error if a name is unknown.
    pub fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Result<Ignored, Errors> {
        let one = |name: &str| name.parse().map_err(|problem| Errors::one(None, "ignore", problem));
        names.into_iter().map(one).collect::<Result<_, _>>().map(Ignored)
    }

    pub(crate) fn has(&self, kind: LossKind) -> bool {
        self.0.contains(&kind)
    }
}

/// One part of a file that the scenario does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Kind of the loss.
    pub kind: LossKind,
    /// Place of the lost part in the file.
    pub place: Location,
    /// Description, such as `speed 0.2 of processor CPU 2`.
    pub what: String,
    /// Whether an answer without it could be too good.
    pub flatters: bool,
}

impl Loss {
    /// Whether each answer mentions the loss: it could make an answer too good and was ignored, or the reader had to
    /// assume which priority is the more urgent, or that the machine is divided into cpusets or has
    /// enough processors.
    pub fn is_told(&self) -> bool {
        self.flatters || matches!(self.kind, LossKind::Priorities | LossKind::Cpusets | LossKind::Admission)
    }

    /// The loss as a line of a list.
    pub fn line(&self) -> String {
        format!("{}: {}", escaped(&self.place.file), self.listed())
    }

    /// The loss as a line of a list of what one file has.
    pub fn listed(&self) -> String {
        // A clause that goes on in a refusal ends here.
        escaped(&format!("{} (line {})", self.what.trim_end_matches(','), self.place.line))
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

/// Escapes a name, which may have line breaks and other control characters.
fn escaped(line: &str) -> String {
    line.chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}

/// Result of reading a file of another tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported<T> {
    /// The result.
    pub value: T,
    /// Parts of the file that the result does not hold. A loss that could make an answer too good is among them only if
    /// it was ignored.
    pub losses: Vec<Loss>,
}

impl<T> Imported<T> {
    /// Lines that every answer mentions ([`Loss::is_told`]).
    pub fn left_out(&self) -> Vec<String> {
        self.losses.iter().filter(|loss| loss.is_told()).map(Loss::line).collect()
    }
}

/// The losses of a file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Losses(Vec<Noted>);

/// A loss, and its refusal if that is not the usual one.
#[derive(Debug)]
struct Noted {
    loss: Loss,
    refusal: Option<Error>,
}

impl Losses {
    /// Notes a loss that could make an answer too good.
    pub(crate) fn flatters(&mut self, kind: LossKind, place: Location, what: impl Into<String>) {
        debug_assert!(LossKind::REFUSED.contains(&kind), "what is refused can be ignored: {kind:?}");
        let loss = Loss { kind, place, what: what.into(), flatters: true };
        self.0.push(Noted { loss, refusal: None });
    }

    /// Notes an unknown field, which could make an answer too good; `problem` lists the known fields.
    pub(crate) fn unknown_field(&mut self, place: Location, what: String, field: &str, problem: Problem) {
        let kind = LossKind::UnknownFields;
        let problem = problem.or_allowing(&format!("--ignore {}", kind.name()));
        let refusal = Error { place: Some(place.clone()), field: field.to_owned(), problem };
        let loss = Loss { kind, place, what, flatters: true };
        self.0.push(Noted { loss, refusal: Some(refusal) });
    }

    /// Notes a loss that cannot change an answer, or only for the worse.
    pub(crate) fn harmless(&mut self, kind: LossKind, place: Location, what: impl Into<String>) {
        let loss = Loss { kind, place, what: what.into(), flatters: false };
        self.0.push(Noted { loss, refusal: None });
    }

    /// Returns the losses, each once, or errors if some of them are refused. `errors` are other errors of the same
    /// file.
    pub(crate) fn judged(self, mut errors: Vec<Error>, ignored: &Ignored) -> Result<Vec<Loss>, Errors> {
        let mut losses: Vec<Loss> = Vec::new();
        for Noted { loss, refusal } in self.0 {
            if loss.flatters && !ignored.has(loss.kind) {
                errors.push(refusal.unwrap_or_else(|| loss.refused()));
            }
            if !losses.iter().any(|known| known.kind == loss.kind && known.what == loss.what) {
                losses.push(loss);
            }
        }
        Errors::check(errors)?;
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
        assert_eq!(
            Ignored::of(["caches"]).unwrap_err().to_string(),
            "ignore: \"caches\" needs no --ignore: it changes no answer, and is listed; allowed: speed, overheads, \
             scheduler, execution-times, precedence, budgets, admission, timers, affinity, repeated-keys, unknown-fields"
        );
    }
}
