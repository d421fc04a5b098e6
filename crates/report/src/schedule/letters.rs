//! Approximate width of a text: enough to leave room for it where no font is at hand.
//!
//! The widths are those of Helvetica and its metric twins by classes of letters, in hundredths of the font's size,
//! rounded up; a tenth is added for wider fonts.

/// The width of `text` in the given font size.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let hundredths: u32 = text.chars().map(letter).sum();
    f64::from(hundredths) / 100.0 * size * 1.1
}

/// Returns as much of `text` as fits into `most`, with an ellipsis if something is left out.
pub(super) fn fitted(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.into();
    }
    let mut short = String::new();
    for character in text.chars() {
        short.push(character);
        if width(&short, size) + width("…", size) > most {
            short.pop();
            break;
        }
    }
    short.push('…');
    short
}

fn letter(character: char) -> u32 {
    match character {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' => 28,
        'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' | 'I' => 34,
        'a'..='l' | 'n'..='v' | 'x'..='z' | '0'..='9' => 56,
        'm' | 'M' | 'W' | '@' | '%' | '…' => 100,
        'w' | 'A'..='Z' => 78,
        c if c.is_ascii() => 60,
        // Ideographs are as wide as the font is high.
        _ => 100,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_left_for_wide_letters_and_too_long_a_text_is_cut() {
        assert!(width("MMMM", 12.0) > 2.0 * width("llll", 12.0));
        assert_eq!(fitted("radar", 12.0, 60.0), "radar");
        let cut = fitted("weather-radar-tracker", 12.0, 60.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0) <= 60.0, "{cut}");
    }
}
