//! The file that a scenario came from.

use std::fmt;
use std::sync::Arc;

/// The file from which a scenario was read, if it was. Scenarios that differ only in their origin are equal.
#[derive(Clone, Default)]
pub struct Origin(Option<Arc<(String, String)>>);

impl PartialEq for Origin {
    fn eq(&self, _: &Origin) -> bool {
        true
    }
}

impl Eq for Origin {}

impl fmt::Debug for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Origin({:?})", self.0.as_ref().map(|read| &read.0))
    }
}

impl Origin {
    pub(crate) fn new(file: &str, text: &str) -> Origin {
        Origin(Some(Arc::new((file.to_owned(), text.to_owned()))))
    }

    /// Name and text of the file.
    pub(crate) fn file(&self) -> Option<&(String, String)> {
        self.0.as_deref()
    }
}
