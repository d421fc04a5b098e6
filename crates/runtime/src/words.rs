//! Choices that users write as a word.

/// Lets each choice be written as its word, and read back; what is no such word is refused with all that are.
macro_rules! words {
    ($choices:ident: $($choice:ident = $word:literal),+) => {
        impl std::fmt::Display for $choices {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self {
                    $($choices::$choice => $word),+
                })
            }
        }

        impl std::str::FromStr for $choices {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($choices::$choice),)+
                    _ => Err(format!("allowed: {}", [$($word),+].join(", "))),
                }
            }
        }
    };
}
