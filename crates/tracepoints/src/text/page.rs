//! Pages of systrace: HTML whose scripts of the class `trace-data` hold the trace as text.

use memchr::memmem::{find, Finder};

/// Position in a text that may be a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// No line with content has been read.
    #[default]
    Begin,
    /// The text is no page.
    Text,
    /// In a page, outside of the scripts that hold the trace.
    Outside,
    /// In a script that holds a part of the trace.
    Inside,
}

/// A text that may be a page.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Page {
    place: Place,
    /// True once a script of the trace has been found.
    has_trace: bool,
}

impl Page {
    /// Returns the part of a line that belongs to the trace.
    pub(super) fn text<'a>(&mut self, line: &'a [u8]) -> Option<&'a [u8]> {
        if self.place == Place::Begin {
            let content = line.trim_ascii_start();
            let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
            let begins =
                |mark: &[u8]| content.get(..mark.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(mark));
            if content.is_empty() {
                return None;
            }
            self.place = match begins(b"<!doctype html") || begins(b"<html") {
                true => Place::Outside,
                false => Place::Text,
            };
        }
        match self.place {
            Place::Begin | Place::Text => Some(line),
            Place::Outside => {
                self.enter(line);
                None
            }
            Place::Inside if find(line, b"</script").is_some() => {
                self.place = Place::Outside;
                None
            }
            Place::Inside => Some(line),
        }
    }

    /// Enters a script of the trace, if the line opens one.
    fn enter(&mut self, line: &[u8]) {
        let Some(begin) = Finder::new(b"<script").find(line) else { return };
        let tag = &line[begin..];
        let tag = &tag[..tag.iter().position(|byte| *byte == b'>').unwrap_or(tag.len())];
        if find(tag, b"trace-data").is_some() {
            self.place = Place::Inside;
            self.has_trace = true;
        }
    }

    /// Returns whether the text is a page without a trace.
    pub(super) fn is_without_trace(&self) -> bool {
        matches!(self.place, Place::Outside | Place::Inside) && !self.has_trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_of_the_trace_are_read() {
        let mut page = Page::default();
        let lines = [
            "\r\n",
            "<!DOCTYPE html>\r\n",
            "<script>var x = 1;</script>",
            " <script class=\"trace-data\" type=\"application/text\">",
            "one",
            "</script>",
            "two",
            "<script class='trace-data'>",
            "three",
        ];
        let kept: Vec<&str> = lines.into_iter().filter(|line| page.text(line.as_bytes()).is_some()).collect();
        assert_eq!(kept, ["one", "three"]);
        assert!(!page.is_without_trace());
        let mut text = Page::default();
        assert!(text.text(b"# <html>").is_some() && text.text(b"<html>").is_some(), "it is no page");
    }
}
