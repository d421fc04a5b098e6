//! Kinds of records, each defined in one place: its number, its name and its parts.

/// Defines records. A kind has the number that it has in the bytes of a trace, which is never reused and never changed,
/// and the name that it has in lines and tables. Its bytes are those of its parts, in their order. After a semicolon
/// comes a variant that holds records of other kinds.
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
            /// Number of the record's kind, as in the bytes of a trace.
            #[inline]
            pub fn kind(&self) -> u8 {
                match self {
                    $($name::$kind { .. } => $number,)+
                    $($name::$others(inner) => inner.kind(),)?
                }
            }

            /// Name of the record's kind, as in lines and tables.
            pub fn name(&self) -> &'static str {
                match self {
                    $($name::$kind { .. } => $text,)+
                    $($name::$others(inner) => inner.name(),)?
                }
            }

            /// Returns whether there is a kind of this number.
            #[inline]
            pub(crate) const fn knows(kind: u8) -> bool {
                $(kind == $number)||+ $(|| <$inner>::knows(kind))?
            }

            /// Writes the parts of the record.
            pub(crate) fn write(&self, out: &mut alloc::vec::Vec<u8>) {
                match *self {
                    $($name::$kind $({ $($held),+ })? => { $($($crate::part::Part::write($held, out);)+)? })+
                    $($name::$others(inner) => inner.write(out),)?
                }
            }

            /// Reads a record of this kind; `None` if there is no such kind, or the bytes do not hold its parts.
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
