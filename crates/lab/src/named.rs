//! Names for numbers: analysis knows tasks as `T3` and resources as `R0`, a reader knows them by their names.

use schedlab_scenario::Scenario;

/// `text`, which analysis wrote, with names in place of the ids of tasks and resources; `T3J7` becomes job 7 of that task.
pub(crate) fn named(text: &str, scenario: &Scenario) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut within_word = false;
    while let Some(letter) = rest.chars().next() {
        let found = if within_word { None } else { id(rest, scenario) };
        let (said, length) = found.unwrap_or_else(|| (letter.to_string(), letter.len_utf8()));
        out.push_str(&said);
        within_word = rest[..length].chars().next_back().is_some_and(is_of_word);
        rest = &rest[length..];
    }
    out
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// What the id at the beginning of `text` is called, and how long it is.
fn id(text: &str, scenario: &Scenario) -> Option<(String, usize)> {
    let (number, mut length) = numbered(text, text.chars().next().filter(|letter| "TR".contains(*letter))?)?;
    let said = match text.as_bytes()[0] {
        b'T' => {
            let name = &scenario.tasks.get(number)?.name;
            match numbered(&text[length..], 'J') {
                Some((job, more)) => {
                    length += more;
                    format!("job {job} of {name}")
                }
                None => name.clone(),
            }
        }
        _ => scenario.resources.get(number)?.name.clone(),
    };
    let ends = text[length..].chars().next().is_none_or(|letter| !is_of_word(letter));
    ends.then_some((said, length))
}

/// The number after `letter`, and how long both are.
fn numbered(text: &str, letter: char) -> Option<(usize, usize)> {
    let digits = text.strip_prefix(letter)?;
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    Some((digits[..count].parse().ok()?, letter.len_utf8() + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_names_and_words_stay() {
        let text = "schedlab = 1\nresource = [{ name = \"bus\" }]\ntask = [{ name = \"T1\", wcet = \"1 ms\", period = \"9 ms\" }, \
            { name = \"b c\", wcet = \"1 ms\", period = \"9 ms\" }]\n";
        let scenario = Scenario::parse("test", text).unwrap();
        for (given, expected) in [
            ("a job of T1 alone, T0 and T0J12: R0", "a job of b c alone, T1 and job 12 of T1: bus"),
            ("T9, TT1, T1x, xT1, R7, T, T0Jx \u{fc}T1 (T1)", "T9, TT1, T1x, xT1, R7, T, T0Jx \u{fc}T1 (b c)"),
        ] {
            assert_eq!(named(given, &scenario), expected);
        }
    }
}
