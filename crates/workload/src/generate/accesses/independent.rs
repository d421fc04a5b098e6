//! Each task uses each resource with a probability of its own.
//!
//! Resource-protocols-2020, section IV-C: `n_res` resources; a task uses each with probability `p_acc`, once a job,
//! for a time uniform in [1 us, 25 us], [25 us, 100 us] or [100 us, 500 us]; "all resources are single-unit and all
//! critical sections are non-nested", and they are part of the WCET (section II).
//!
//! The paper does not say what becomes of a WCET that is shorter than its sections; see [`ShortWcet`]. Both readings
//! draw the same sections.

use super::program::{Cost, NestedRequest};
use super::{Accesses, OfNext, Rule};
use crate::generate::form::SpecForm;
use crate::random::Random;
use crate::words::{SpecError, Words};
use schedlab_model::ResourceId;

pub(super) const FORM: SpecForm<Accesses> = SpecForm {
    written: &[(
        "independent N P short|medium|long [grow|keep]",
        "each task uses each of N resources with probability P, once a job (resource-protocols-2020). A WCET shorter than \
         its sections grows to their length (default), or is kept, which batches alone can judge",
    )],
    read: |words| Ok(Accesses::by(Independent::parse(words)?)),
};

/// The paper's three ranges of lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
enum LengthRange {
    /// 1 us to 25 us.
    Short,
    /// 25 us to 100 us.
    Medium,
    /// 100 us to 500 us.
    Long,
}

impl LengthRange {
    /// The shortest and the longest section, in nanoseconds.
    fn range(self) -> (u64, u64) {
        match self {
            LengthRange::Short => (1_000, 25_000),
            LengthRange::Medium => (25_000, 100_000),
            LengthRange::Long => (100_000, 500_000),
        }
    }
}

/// Treatment of a WCET that is shorter than the sections of its task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
enum ShortWcet {
    /// The WCET grows to the length of the sections, so that sections are part of it in each task.
    #[default]
    Grow,
    /// The WCET stays, as in the generators that come with SchedCAT: they draw costs first and add requests that change
    /// no cost. Such a task cannot execute, since a job that holds locks for longer than its WCET exceeds it. Bounds on
    /// blocking can be computed all the same; they promise nothing of a real system.
    Keep,
}

/// Independent accesses.
#[derive(Debug)]
struct Independent {
    /// Number of resources.
    resources: u32,
    /// Probability that a task uses a resource, in millionths.
    probability: u32,
    /// Range of the sections' lengths.
    lengths: LengthRange,
    /// Treatment of a WCET that is shorter than its sections.
    short_wcet: ShortWcet,
}

impl Independent {
    fn parse(words: &mut Words<'_>) -> Result<Self, SpecError> {
        let resources = words.count_to("the number of resources", super::shared::MOST)?;
        let probability = words.number("the probability")?;
        if probability > 1.0 {
            return Err(words.out_of_range("the probability", probability, "from 0 to 1"));
        }
        let lengths = words.one_of("a range of lengths")?;
        let is_said = !words.is_empty();
        let short_wcet =
            if is_said { words.one_of("what becomes of a short WCET")? } else { ShortWcet::default() };
        Ok(Independent { resources, probability: (probability * 1e6 + 0.5) as u32, lengths, short_wcet })
    }
}

impl Rule for Independent {
    fn resources(&self, _: usize) -> u32 {
        self.resources
    }

    fn cost(&self) -> Cost {
        match self.short_wcet {
            ShortWcet::Grow => Cost::Within,
            ShortWcet::Keep => Cost::Kept,
        }
    }

    fn sections(&self, _: usize, resources: u32, _: &mut Random) -> OfNext<'_> {
        let (low, high) = self.lengths.range();
        Box::new(move |random| {
            let mut sections = Vec::new();
            for resource in 0..resources {
                // Both are drawn for every resource, so that a longer section here changes no access elsewhere.
                let (lot, length) = (random.below(1_000_000), random.between(low, high));
                if lot < u64::from(self.probability) {
                    sections.push(NestedRequest { length, resources: vec![ResourceId(resource)] });
                }
            }
            sections
        })
    }
}
