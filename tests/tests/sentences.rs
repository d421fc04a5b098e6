//! How long sentences are: of documents, messages and help.

/// Words that a sentence may have.
pub(crate) const MOST_WORDS: usize = 25;

/// A sentence of more than [`MOST_WORDS`] words.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Long {
    /// The line on which its paragraph begins.
    pub(crate) line: usize,
    /// Its words.
    pub(crate) words: usize,
    /// How it begins.
    pub(crate) begins: String,
}

/// Ends of words that end no sentence.
const ABBREVIATIONS: &[&str] = &["al.", "e.g.", "i.e.", "vol.", "pp."];

/// The text with each code span and quoted example as one word, and links as what they show.
fn plain(text: &str) -> String {
    let without_code: Vec<&str> =
        text.split('`').enumerate().map(|(index, part)| if index % 2 == 1 { "X" } else { part }).collect();
    let mut plain = without_code.concat();
    while let Some(index) = plain.find("](") {
        let end = plain[index..].find(')').map_or(plain.len(), |length| index + length + 1);
        plain.replace_range(index..end, "");
    }
    plain.replace(['[', ']'], "")
}

/// The words of each sentence. A word has a letter: numbers and signs are none.
fn sentences(text: &str) -> Vec<(usize, String)> {
    let (mut all, mut words, mut begins) = (Vec::new(), 0, Vec::new());
    for word in plain(text).split_whitespace() {
        words += usize::from(word.contains(char::is_alphabetic));
        begins.push(word.to_owned());
        let bare = word.trim_end_matches([')', '"', '*', '_', '\'']);
        let ends =
            bare.ends_with(['.', '?', '!']) && !bare.ends_with("...") && !ABBREVIATIONS.contains(&bare);
        if ends {
            all.push((words, begins.join(" ")));
            (words, begins) = (0, Vec::new());
        }
    }
    all.push((words, begins.join(" ")));
    all
}

fn long_of(line: usize, paragraph: &str, all: &mut Vec<Long>) {
    for (words, text) in sentences(paragraph) {
        if words > MOST_WORDS {
            all.push(Long { line, words, begins: text.chars().take(90).collect() });
        }
    }
}

/// The long sentences of a text in Markdown. Blocks of code have none; a cell of a table and an item of a list are
/// paragraphs.
pub(crate) fn long_sentences(text: &str) -> Vec<Long> {
    let (mut all, mut paragraph, mut begin) = (Vec::new(), String::new(), 1);
    let mut is_code = false;
    for (line, number) in text.lines().zip(1..) {
        let bare = line.trim();
        let is_item = bare.starts_with("* ") || bare.starts_with("- ") || is_numbered(bare);
        is_code ^= bare.starts_with("```");
        let is_indented = paragraph.is_empty() && line.starts_with("    ") && !is_item;
        let is_prose = !bare.is_empty() && !bare.starts_with(['#', '<', '|']) && !bare.starts_with("```");
        if is_item || !is_prose || is_code {
            long_of(begin, &paragraph, &mut all);
            paragraph.clear();
        }
        if bare.starts_with('|') && !is_code {
            bare.split('|').for_each(|cell| long_of(number, cell, &mut all));
        } else if is_prose && !is_code && !is_indented {
            if paragraph.is_empty() {
                begin = number;
            }
            paragraph.push_str(bare);
            paragraph.push(' ');
        }
    }
    long_of(begin, &paragraph, &mut all);
    all
}

fn is_numbered(line: &str) -> bool {
    line.split_once(". ")
        .is_some_and(|(number, _)| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[test]
fn long_sentences_are_found() {
    let words = |number: usize| vec!["word"; number].join(" ");
    let text = format!(
        "{}.\nShort. {} `code is one` 7 + 8.\n\n    {}\n* {}\n| {} | {} |\n```\n{}\n```\n1. See [{}](a.md).\n",
        words(25),
        words(24),
        words(30),
        words(26),
        words(27),
        words(3),
        words(99),
        words(29),
    );
    let found: Vec<(usize, usize)> =
        long_sentences(&text).iter().map(|long| (long.line, long.words)).collect();
    assert_eq!(found, [(5, 26), (6, 27), (10, 30)]);
    let abbreviated = format!("{} (Regnier et al. 2011) e.g. {}.", words(12), words(12));
    assert_eq!(long_sentences(&abbreviated).len(), 1);
}
