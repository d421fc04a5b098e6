//! The texts that stand between quotes in sources: what readers may be told.

/// A text between quotes, and the line on which it begins. What stands in braces is one word.
pub(crate) type Literal = (usize, String);

/// The literals of a source in Rust, without those of its comments.
pub(crate) fn of_rust(code: &str) -> Vec<Literal> {
    let (mut all, mut line, mut index) = (Vec::new(), 1, 0);
    let bytes = code.as_bytes();
    while index < bytes.len() {
        let rest = &code[index..];
        let (length, text) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if let Some(length) = raw(rest).filter(|_| !follows_a_word(code, index)) {
            (length, None)
        } else if rest.starts_with('"') {
            let length = end_of(rest, '"');
            (length, Some(unescaped(&rest[1..length - 1])))
        } else if ["'\"'", "'\\\"'", "b'\"'"].iter().any(|quote| rest.starts_with(quote)) {
            (rest[1..].find('\'').map_or(1, |length| length + 2), None)
        } else {
            (rest.chars().next().map_or(1, char::len_utf8), None)
        };
        all.extend(text.map(|text| (line, text)));
        line += rest[..length].matches('\n').count();
        index += length;
    }
    all
}

/// The length of a raw literal: schemas and scripts, not sentences.
fn raw(rest: &str) -> Option<usize> {
    let signs = rest.strip_prefix('r')?.bytes().take_while(|byte| *byte == b'#').count();
    let end = format!("\"{}", "#".repeat(signs));
    let begin = rest[1 + signs..].strip_prefix('"')?;
    begin.find(&end).map(|length| 2 + signs + length + end.len())
}

fn follows_a_word(code: &str, index: usize) -> bool {
    code[..index].ends_with(|c: char| c.is_alphanumeric() || c == '_')
}

/// Where a literal ends that begins with `quote`, the quote included.
fn end_of(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return index + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The literals of a source in Python, those that follow each other as one; and its docstrings.
pub(crate) fn of_python(code: &str) -> (Vec<Literal>, Vec<Literal>) {
    let (mut all, mut docstrings): (Vec<Literal>, Vec<Literal>) = (Vec::new(), Vec::new());
    let (mut line, mut index, mut joins) = (1, 0, false);
    while index < code.len() {
        let rest = &code[index..];
        let first = rest.chars().next().unwrap_or(' ');
        let mut length = first.len_utf8();
        if let Some(text) = rest.strip_prefix("\"\"\"") {
            length = text.find("\"\"\"").map_or(rest.len(), |end| end + 6);
            docstrings.push((line, rest[3..length.saturating_sub(3).max(3)].to_owned()));
        } else if first == '#' {
            length = rest.find('\n').unwrap_or(rest.len());
        } else if first == '"' || first == '\'' {
            length = end_of(rest, first);
            let text = unescaped(&rest[1..length - 1]);
            match all.last_mut().filter(|_| joins) {
                Some((_, before)) => before.push_str(&text),
                None => all.push((line, text)),
            }
            joins = true;
        } else {
            let is_prefix = "frb".contains(first) && rest[1..].starts_with(['"', '\'']);
            joins &= first.is_whitespace() || is_prefix;
        }
        line += rest[..length].matches('\n').count();
        index += length;
    }
    (all, docstrings)
}

/// The text that a literal says: line breaks that are escaped join lines, what stands in braces or between quotes is a
/// word.
fn unescaped(literal: &str) -> String {
    let mut text = String::new();
    let mut rest = literal.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some('\n')) => while rest.next_if(|c| c.is_whitespace()).is_some() {},
            ('\\', Some('n')) => text.push(if rest.next().is_some() { '\n' } else { ' ' }),
            ('\\', Some(_)) => text.extend(rest.next()),
            _ => text.push(c),
        }
    }
    one_word(&one_word(&text, '{', '}'), '"', '"')
}

/// The text with `X` for each part between the signs on one line, the innermost first.
fn one_word(text: &str, begin: char, end: char) -> String {
    let mut text = text.to_owned();
    while let Some((from, to)) = innermost(&text, begin, end) {
        text.replace_range(from..=to, "X");
    }
    text
}

fn innermost(text: &str, begin: char, end: char) -> Option<(usize, usize)> {
    let mut from = None;
    for (index, c) in text.char_indices() {
        match from {
            Some(from) if c == end => return Some((from, index)),
            _ if c == begin => from = Some(index),
            _ if c == '\n' => from = None,
            _ => {}
        }
    }
    None
}

#[test]
fn literals_of_rust() {
    let code = "// \"none\"\nlet c = '\"'; fail(\"a {b:?} \\\"c d\\\" \\\n    e\", r#\"raw\"#);\nlet s = \"\\n{{x}}\";";
    assert_eq!(of_rust(code), [(2, "a X X e".to_owned()), (4, "\nX".to_owned())]);
}

#[test]
fn literals_of_python() {
    let code =
        "\"\"\"A doc.\"\"\"\nraise Bad(  # 'no'\n    f\"{a!r}: b \"\n    'c \"d e\"'\n)\nx = 'f', \"g\"\n";
    let (all, docstrings) = of_python(code);
    assert_eq!(docstrings, [(1, "A doc.".to_owned())]);
    assert_eq!(all, [(3, "X: b c X".to_owned()), (6, "f".to_owned()), (6, "g".to_owned())]);
}
