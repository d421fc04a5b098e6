//! Kinds of records, each in one place: its number, its name and what it holds.

/// Defines records. A kind has the number that it has in the bytes of a trace, which is never reused and never changed,
/// and the name that it has in lines and tables. Its bytes are those of what it holds, in that order. After a semicolon
/// comes what holds the records of other kinds.
macro_rules! records {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $number:literal $text:literal $kind:ident $({ $($(#[$what:meta])* $held:ident: $of:ty,)+ })?,
            )+
            $(; $(#[$others_doc:meta])* $others:ident($inner:ty),)?
        }
    ) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$doc])* $kind $({ $($(#[$what])* $held: $of,)+ })?,)+
            $($(#[$others_doc])* $others($inner),)?
        }

        impl $name {
            /// The number of its kind, as in the bytes of a trace.
            #[inline]
            pub fn kind(&self) -> u8 {
                match self {
                    $($name::$kind { .. } => $number,)+
                    $($name::$others(inner) => inner.kind(),)?
                }
            }

            /// The name of its kind, as in lines and tables.
            pub fn name(&self) -> &'static str {
                match self {
                    $($name::$kind { .. } => $text,)+
                    $($name::$others(inner) => inner.name(),)?
                }
            }

            /// Whether there is a kind of this number.
            #[inline]
            pub(crate) const fn knows(kind: u8) -> bool {
                $(kind == $number)||+ $(|| <$inner>::knows(kind))?
            }

            /// Writes what it holds.
            pub(crate) fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                match *self {
                    $($name::$kind $({ $($held),+ })? => { $($($crate::part::Part::write($held, out);)+)? })+
                    $($name::$others(inner) => inner.write(out),)?
                }
            }

            /// A record of this kind; `None` if there is no such kind, or the bytes do not hold what it holds.
            pub(crate) fn read(kind: u8, p: &mut &[u8]) -> Option<Self> {
                match kind {
                    $($number => Some($name::$kind $({ $($held: $crate::part::Part::read(p)?),+ })?),)+
                    _ => None$(.or_else(|| <$inner>::read(kind, p).map($name::$others)))?,
                }
            }
        }
    };
}

pub(crate) use records;
