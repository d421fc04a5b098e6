//! Choices that users write as a word.

use strum::VariantNames;

/// What is wrong with a word that is none of the choices.
pub(crate) fn allowed<C: VariantNames>(_: &str) -> String {
    format!("allowed: {}", C::VARIANTS.join(", "))
}
