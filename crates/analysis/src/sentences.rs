//! Sentences with values in them. A sentence is stored as a variant with its values; its text is written only at the
//! end.

use num_bigint::BigInt;
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// Names of tasks and resources.
pub trait Names {
    /// The name of a task; `None` if it is called by its id.
    fn task(&self, id: TaskId) -> Option<&str>;
    /// The name of a resource; `None` if it is called by its id.
    fn resource(&self, id: ResourceId) -> Option<&str>;
}

/// Names that call everything by its id.
#[derive(Clone, Copy, Debug)]
pub struct Ids;

impl Names for Ids {
    fn task(&self, _: TaskId) -> Option<&str> {
        None
    }

    fn resource(&self, _: ResourceId) -> Option<&str> {
        None
    }
}

/// Values that a sentence can contain.
pub trait Say {
    /// Writes the value with the names of tasks and resources.
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result;

    /// Returns the task that the value is about, if there is one.
    fn task(&self) -> Option<TaskId> {
        None
    }
}

/// A value that is printed with given names.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    what: &'a dyn Say,
    names: &'a dyn Names,
}

impl<'a> Said<'a> {
    /// `what`, printed with `names`.
    pub fn new(what: &'a dyn Say, names: &'a dyn Names) -> Said<'a> {
        Said { what, names }
    }
}

impl Display for Said<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.what.say(self.names, f)
    }
}

impl Say for TaskId {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        match names.task(*self) {
            Some(name) => f.write_str(name),
            None => self.fmt(f),
        }
    }

    fn task(&self) -> Option<TaskId> {
        Some(*self)
    }
}

impl Say for ResourceId {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        match names.resource(*self) {
            Some(name) => f.write_str(name),
            None => self.fmt(f),
        }
    }
}

impl Say for JobId {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        match names.task(self.task) {
            Some(name) => write!(f, "job {} of {name}", self.number),
            None => self.fmt(f),
        }
    }
}

/// A number of nanoseconds, printed as a length of time if a length can be that long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ns<N>(pub N);

impl<N: Clone + Display + TryInto<u64>> Say for Ns<N> {
    fn say(&self, _: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0.clone().try_into() {
            Ok(ns) => Duration::from_ns(ns).fmt(f),
            Err(_) => write!(f, "{} ns", self.0),
        }
    }
}

impl<S: Say> Say for Box<S> {
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
        (**self).say(names, f)
    }

    fn task(&self) -> Option<TaskId> {
        (**self).task()
    }
}

/// Writes values that contain no names.
macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Say for $type {
            fn say(&self, _: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result {
                self.fmt(f)
            }
        })*
    };
}

plain!(u16, u32, u64, u128, usize, BigInt, Duration, Instant, &'static str, String, Cow<'static, str>);

/// Declares an enum of sentences: a line is a variant with its values and its text, which is its documentation, too.
/// Each value is a part of the sentence.
#[macro_export]
macro_rules! sentences {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident {
            $($name:ident $(($($place:ident: $kind:ty),+))? $({ $($field:ident: $type:ty),+ })? => $text:literal,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $enum {
            $(
                #[doc = $text]
                $name $(($(#[doc = stringify!($place)] $kind),+))? $({ $(#[doc = stringify!($field)] $field: $type),+ })?,
            )*
        }

        impl $crate::sentences::Say for $enum {
            fn say(
                &self,
                names: &dyn $crate::sentences::Names,
                f: &mut std::fmt::Formatter<'_>,
            ) -> std::fmt::Result {
                match self {
                    $($enum::$name $(($($place),+))? $({ $($field),+ })? => {
                        $($(let $place = $crate::sentences::Said::new($place, names);)+)?
                        $($(let $field = $crate::sentences::Said::new($field, names);)+)?
                        write!(f, $text)
                    })*
                }
            }

            fn task(&self) -> Option<schedlab_model::TaskId> {
                match self {
                    $($enum::$name $(($($place),+))? $({ $($field),+ })? => {
                        None
                            $($(.or_else(|| $crate::sentences::Say::task($place)))+)?
                            $($(.or_else(|| $crate::sentences::Say::task($field)))+)?
                    })*
                }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::sentences::Say::say(self, &$crate::sentences::Ids, f)
            }
        }
    };
}
