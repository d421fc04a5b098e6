//! Reads specifications such as `uniform 10ms 100ms step 1ms`, and reports errors in others.

use crate::ratio::Ratio;
use core::fmt;
use strum::VariantArray;

/// Error in a specification. `field` names the part, as in files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The first word names nothing that exists.
    #[error("{field}: unknown `{word}`; allowed: {allowed}")]
    Unknown {
        /// Part of the specification.
        field: &'static str,
        /// The word that was found.
        word: String,
        /// Words that are allowed.
        allowed: String,
    },
    /// The text ends too early.
    #[error("{field}: {what} is missing")]
    Missing {
        /// Part of the specification.
        field: &'static str,
        /// Meaning of the missing word.
        what: &'static str,
    },
    /// A word cannot be read as what it should be.
    #[error("{field}: `{word}` is not {what}; allowed: {allowed}")]
    Malformed {
        /// Part of the specification.
        field: &'static str,
        /// Meaning of the word.
        what: &'static str,
        /// The word that was found.
        word: String,
        /// Form in which to write it.
        allowed: &'static str,
    },
    /// A value is readable but cannot be used.
    #[error("{field}: {what} is {value}; allowed: {allowed}")]
    OutOfRange {
        /// Part of the specification.
        field: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// The value that was found.
        value: String,
        /// Values that are allowed.
        allowed: String,
    },
    /// The text goes on after its end.
    #[error("{field}: `{rest}` is too much")]
    Excess {
        /// Part of the specification.
        field: &'static str,
        /// The words that are too many.
        rest: String,
    },
    /// Two parts do not go together.
    #[error("{field}: {needs}")]
    Mismatch {
        /// Part of the specification.
        field: &'static str,
        /// Requirement on another part.
        needs: String,
    },
}

/// Lists the forms of a list such as [`crate::generate::stop::FORMS`], for an error.
pub(crate) fn allowed(forms: &[(&str, &str)]) -> String {
    forms.iter().map(|(form, _)| format!("`{form}`")).collect::<Vec<_>>().join(", ")
}

/// The words of one field, read from the left.
pub(crate) struct Words<'a> {
    field: &'static str,
    words: core::iter::Peekable<core::str::SplitWhitespace<'a>>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(field: &'static str, text: &'a str) -> Self {
        Words { field, words: text.split_whitespace().peekable() }
    }

    pub(crate) fn word(&mut self, what: &'static str) -> Result<&'a str, SpecError> {
        self.words.next().ok_or(SpecError::Missing { field: self.field, what })
    }

    /// Reads one of the names of `R`.
    pub(crate) fn one_of<R>(&mut self, what: &'static str) -> Result<R, SpecError>
    where
        R: VariantArray + Copy + Into<&'static str>,
    {
        let word = self.word(what)?;
        let names: Vec<&str> = R::VARIANTS.iter().map(|rule| (*rule).into()).collect();
        let found = names.iter().position(|name| *name == word);
        found.map(|index| R::VARIANTS[index]).ok_or_else(|| self.unknown(word, names.join(", ")))
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.words.peek().is_none()
    }

    /// Takes the next word if it is `word`.
    pub(crate) fn take(&mut self, word: &str) -> bool {
        self.words.next_if_eq(&word).is_some()
    }

    /// Reads a finite number that is not negative.
    pub(crate) fn number(&mut self, what: &'static str) -> Result<f64, SpecError> {
        Ok(self.ratio(what)?.to_f64())
    }

    /// Reads a rational number, as a decimal or a fraction.
    pub(crate) fn ratio(&mut self, what: &'static str) -> Result<Ratio, SpecError> {
        let word = self.word(what)?;
        word.parse().map_err(|()| self.malformed(what, word, "a number such as 0.95, 19/20 or 4"))
    }

    /// Reads a whole number, at least one.
    pub(crate) fn count(&mut self, what: &'static str) -> Result<u32, SpecError> {
        let word = self.word(what)?;
        match word.parse() {
            Ok(count) if count > 0 => Ok(count),
            _ => Err(self.malformed(what, word, "a whole number from 1")),
        }
    }

    /// Reads a whole number from one to `most`.
    pub(crate) fn count_to(&mut self, what: &'static str, most: u32) -> Result<u32, SpecError> {
        let count = self.count(what)?;
        match count <= most {
            true => Ok(count),
            false => Err(self.out_of_range(what, count, format!("from 1 to {most}"))),
        }
    }

    pub(crate) fn out_of_range(
        &self,
        what: &'static str,
        value: impl fmt::Display,
        allowed: impl Into<String>,
    ) -> SpecError {
        SpecError::OutOfRange { field: self.field, what, value: value.to_string(), allowed: allowed.into() }
    }

    /// Reads a length of time in ns, not zero.
    pub(crate) fn duration(&mut self, what: &'static str) -> Result<u64, SpecError> {
        let word = self.word(what)?;
        self.duration_in(what, word)
    }

    /// Reads the length of time in `word`, in ns, not zero.
    pub(crate) fn duration_in(&self, what: &'static str, word: &str) -> Result<u64, SpecError> {
        match nanoseconds(word) {
            Some(ns) if ns > 0 => Ok(ns),
            _ => Err(self.malformed(
                what,
                word,
                "a positive number of whole nanoseconds with unit, such as 2.5ms, 40us, 7ns, 1s",
            )),
        }
    }

    /// Reads the point in time in `word`, in ns, which may be zero.
    pub(crate) fn time_in(&self, what: &'static str, word: &str) -> Result<u64, SpecError> {
        let allowed = "a number of whole nanoseconds with unit, such as 0ms, 2.5ms, 40us, 7ns, 1s";
        nanoseconds(word).ok_or_else(|| self.malformed(what, word, allowed))
    }

    pub(crate) fn malformed(&self, what: &'static str, word: &str, allowed: &'static str) -> SpecError {
        SpecError::Malformed { field: self.field, what, word: word.into(), allowed }
    }

    pub(crate) fn unknown(&self, word: &str, allowed: impl Into<String>) -> SpecError {
        SpecError::Unknown { field: self.field, word: word.into(), allowed: allowed.into() }
    }

    /// Returns the full specification of the distribution called `name`, by a list such as
    /// [`crate::generate::periods::NAMES`].
    pub(crate) fn written_out(
        &self,
        name: &str,
        names: &[(&str, &'static str, &str)],
        forms: impl Iterator<Item = (&'static str, &'static str)>,
    ) -> Result<&'static str, SpecError> {
        let found = names.iter().find(|(known, ..)| *known == name);
        let forms: Vec<_> = forms.collect();
        let all = || names.iter().map(|(known, ..)| *known).collect::<Vec<_>>().join(", ");
        found
            .map(|(_, written_out, _)| *written_out)
            .ok_or_else(|| self.unknown(name, format!("{}, or one of {}", allowed(&forms), all())))
    }

    /// Returns an error unless every word has been read.
    pub(crate) fn finish(self) -> Result<(), SpecError> {
        let rest: Vec<&str> = self.words.collect();
        match rest.is_empty() {
            true => Ok(()),
            false => Err(SpecError::Excess { field: self.field, rest: rest.join(" ") }),
        }
    }
}

/// Returns the nanoseconds of a text such as `2.5ms`; `None` if it is no whole number of them.
fn nanoseconds(text: &str) -> Option<u64> {
    const SECOND: u128 = 1_000_000_000;
    let units = [
        ("ns", 1),
        ("us", 1_000),
        ("ms", 1_000_000),
        ("s", SECOND),
        ("min", 60 * SECOND),
        ("h", 3_600 * SECOND),
    ];
    let (number, unit) = units.iter().find_map(|(name, ns)| Some((text.strip_suffix(name)?, *ns)))?;
    let ratio: Ratio = number.parse().ok()?;
    let scaled = u128::from(ratio.numerator()) * unit;
    let denominator = u128::from(ratio.denominator());
    (scaled % denominator == 0).then(|| (scaled / denominator).try_into().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_exactly() {
        for (text, ns) in [
            ("2.5ms", 2_500_000),
            ("40us", 40_000),
            ("7ns", 7),
            ("1s", 1_000_000_000),
            ("0.1us", 100),
            ("10min", 600_000_000_000),
            ("1.5h", 5_400_000_000_000),
        ] {
            assert_eq!(nanoseconds(text), Some(ns), "{text}");
        }
        for wrong in ["", "ms", "5", "0.5ns", "-1ms", "1 ms", "1d", "20000000000s"] {
            assert_eq!(nanoseconds(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn says_what_is_missing_wrong_and_too_much() {
        let mut words = Words::new("periods", "10ms x");
        assert_eq!(words.duration("the shortest period"), Ok(10_000_000));
        let wrong = words.duration("the longest period").unwrap_err().to_string();
        assert!(wrong.starts_with("periods: `x` is not the longest period; allowed:"), "{wrong}");
        assert_eq!(words.word("more").unwrap_err().to_string(), "periods: more is missing");
        let excess = Words::new("stop", "a b").finish().unwrap_err().to_string();
        assert_eq!(excess, "stop: `a b` is too much");
    }
}
