//! Enums whose variants have names: in files, in messages and on command lines.

/// Defines an enum whose variants have names. A last variant may hold a name of its own, which is in no list.
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
            /// All listed variants, by name.
            pub const NAMED: [(&'static str, $name); [$($text),+].len()] = [$(($text, $name::$variant)),+];

            /// All listed variants, in their order.
            pub const ALL: [$name; [$($text),+].len()] = [$($name::$variant),+];

            /// Name of the variant in files, in messages and on command lines.
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
