//! Enums whose variants have names: in files, in messages and on command lines.

/// Defines such an enum. A last variant may hold a name of its own: no list has it.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$doc:meta])* $variant:ident: $text:literal,)+
            $(; $(#[$other_doc:meta])* $other:ident($held:ty),)?
        }
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant,)+
            $($(#[$other_doc])* $other($held),)?
        }

        impl $name {
            /// All, by name.
            pub const NAMED: [(&'static str, $name); [$($text),+].len()] = [$(($text, $name::$variant)),+];

            /// All, in the order in which they are listed.
            pub const ALL: [$name; [$($text),+].len()] = [$($name::$variant),+];

            /// The name in files, in messages and on command lines.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                    $($name::$other(name) => name,)?
                }
            }
        }
    };
}

pub(crate) use named;
