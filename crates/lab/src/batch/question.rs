//! Questions that are asked of every set of a batch, and the choice of the method that answers.

use super::charges::scheduler_named;
use super::error::{list, BatchError, QuestionError};
use super::independent::Independent;
use super::sharing::{protocol_named, protocol_words, Sharing};
use super::Set;
use crate::prepare::catalog::Catalog;
use core::str::FromStr;
use schedlab_analysis::Guarantee;
use schedlab_model::Duration;

pub use super::independent::Workspace;

/// A question asked of every task set.
#[derive(Clone, Debug)]
pub struct Question(Method);

#[derive(Clone, Debug)]
enum Method {
    /// Without a protocol: tests of independent tasks.
    Independent(Box<Independent>),
    /// With a protocol: the method that bounds its blocking.
    Sharing(Box<Sharing>),
}

impl FromStr for Question {
    type Err = QuestionError;

    /// Reads a question that names shipped entries only.
    fn from_str(text: &str) -> Result<Self, QuestionError> {
        Question::parse(text, &Catalog::shipped())
    }
}

impl Question {
    /// Reads a question, in the names that `catalog` knows.
    pub fn parse(text: &str, catalog: &Catalog) -> Result<Self, QuestionError> {
        let mut words = text.split_whitespace();
        let scheduler = scheduler_named(words.next().unwrap_or_default(), catalog)?;
        let word = words.next().unwrap_or_default();
        let guarantee = |word| match word {
            "hard" => Ok(Guarantee::Hard),
            "soft" => Ok(Guarantee::Soft),
            other => Err(QuestionError::Guarantee(String::from(other))),
        };
        let method = match protocol_named(word, catalog) {
            Some(protocol) => {
                let guarantee = guarantee(words.next().unwrap_or_default());
                Method::Sharing(Box::new(Sharing::parse(&scheduler, protocol, guarantee, words, catalog)?))
            }
            None => {
                let guarantee = guarantee(word).map_err(|error| match word {
                    "" => error,
                    _ => QuestionError::ProtocolOrGuarantee {
                        word: word.into(),
                        protocols: list(protocol_words(catalog)),
                    },
                });
                Method::Independent(Box::new(Independent::parse(&scheduler, guarantee, words, catalog)?))
            }
        };
        Ok(Question(method))
    }

    /// True if a proof comes with a bound on tardiness, as for questions with a protocol.
    pub fn bounds_tardiness(&self) -> bool {
        matches!(self.0, Method::Sharing(_))
    }

    /// True if the question can be asked of sets on this many processors: clusters of its size share them out.
    pub fn suits(&self, processors: u16) -> bool {
        match &self.0 {
            Method::Independent(question) => question.suits(processors),
            Method::Sharing(_) => true,
        }
    }

    /// Returns a bound on tardiness if the guarantee is proved of `set`: zero if no deadline is missed or the question
    /// has no protocol. Returns `None` if nothing is proved.
    pub fn judge(&self, set: Set<'_>, workspace: &mut Workspace) -> Result<Option<Duration>, BatchError> {
        match &self.0 {
            Method::Independent(question) => {
                Ok(question.is_proved(set, workspace)?.then_some(Duration::ZERO))
            }
            Method::Sharing(question) => question.tardiness(set),
        }
    }
}
