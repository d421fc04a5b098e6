//! Sentences with values in them: which one it is, and of what it speaks, are values; the words are said once, at the
//! end.

use num_bigint::BigInt;
use schedlab_model::{Duration, Instant, JobId, ResourceId, TaskId};
use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

/// What tasks and resources are called.
pub trait Names {
    /// The name of a task; `None` if it is called by its id.
    fn task(&self, id: TaskId) -> Option<&str>;
    /// The name of a resource; `None` if it is called by its id.
    fn resource(&self, id: ResourceId) -> Option<&str>;
}

/// All are called by their ids.
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

/// What can be said in a sentence.
pub trait Say {
    /// Says it.
    fn say(&self, names: &dyn Names, f: &mut Formatter<'_>) -> fmt::Result;

    /// The task that it is about, if it is about one.
    fn task(&self) -> Option<TaskId> {
        None
    }
}

/// Something as it is said where things have these names.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    what: &'a dyn Say,
    names: &'a dyn Names,
}

impl<'a> Said<'a> {
    /// `what`, with `names`.
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

/// A number of nanoseconds, said as a length of time where one can be that long.
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

/// What is said alike whatever things are called.
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

/// Declares an enum of sentences: a line is a variant with its values and the words in which it is said, which are its
/// documentation, too. Each value is a part of the sentence.
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
