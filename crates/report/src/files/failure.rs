//! Reasons of the operating system why a file cannot be read or written.

use std::io;

/// The reason in words, without the system's number of it: `No space left on device`.
pub fn reason(error: &io::Error) -> String {
    let said = error.to_string();
    match error.raw_os_error() {
        Some(number) => said.replace(&format!(" (os error {number})"), ""),
        None => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_no_number() {
        assert_eq!(reason(&io::Error::from_raw_os_error(28)), "No space left on device");
        assert_eq!(reason(&io::Error::other("the lid is shut")), "the lid is shut");
    }
}
