//! Common parts of the two XML formats: attributes with places for errors, and escaping.

use crate::error::{Error, Location, Problem};
use crate::loss::{LossKind, Losses};
use roxmltree::{Document, Node};

/// Roots that are read, of SchedCAT's files and of SimSo's.
const ROOTS: &str = "a taskset element (SchedCAT) or a simulation element (SimSo)";

/// An XML file in memory, its errors, and its losses.
pub(super) struct Reader<'f> {
    pub(super) file: &'f str,
    pub(super) errors: Vec<Error>,
    pub(super) losses: Losses,
}

impl<'f> Reader<'f> {
    pub(super) fn new(file: &'f str) -> Self {
        Reader { file, errors: Vec::new(), losses: Losses::default() }
    }

    /// The root of a document if it is called `name`. A document with another root belongs to another tool, and is not
    /// read.
    pub(super) fn expect_root<'a, 'i>(
        &mut self,
        document: &'a Document<'i>,
        name: &str,
    ) -> Option<Node<'a, 'i>> {
        let root = document.root_element();
        let found = root.tag_name().name();
        if found == name {
            return Some(root);
        }
        self.report(root, "", Problem::refused(found, "is no element that a task set begins with", ROOTS));
        None
    }

    /// Notes the unknown attributes and children of `node` as losses; `what` names the node.
    pub(super) fn note_unknown(
        &mut self,
        node: Node<'_, '_>,
        what: &str,
        attributes: &[&str],
        elements: &[&str],
    ) {
        for attribute in node.attributes().filter(|one| !attributes.contains(&one.name())) {
            let place = self.place_at(node.document().text_pos_at(attribute.range().start));
            let lost = format!("attribute {} of {what}", attribute.name());
            self.losses.flatters(LossKind::UnknownFields, place, lost);
        }
        let unknown =
            |child: &Node<'_, '_>| child.is_element() && !elements.contains(&child.tag_name().name());
        for child in node.children().filter(unknown) {
            let lost = format!("element {} of {what}", child.tag_name().name());
            self.losses.flatters(LossKind::UnknownFields, self.place(child), lost);
        }
    }

    /// The text parsed; what is not XML is an error.
    pub(super) fn parse<'t>(&mut self, text: &'t str) -> Option<Document<'t>> {
        match Document::parse(text) {
            Ok(document) => Some(document),
            Err(error) => {
                let problem = Problem::syntax("XML", &error);
                let place = Some(self.place_at(error.pos()));
                self.errors.push(Error { place, field: String::new(), problem });
                None
            }
        }
    }

    fn place_at(&self, at: roxmltree::TextPos) -> Location {
        Location { file: self.file.to_owned(), line: at.row as usize, column: at.col as usize }
    }

    /// Place of the begin of `node`.
    pub(super) fn place(&self, node: Node<'_, '_>) -> Location {
        self.place_at(node.document().text_pos_at(node.range().start))
    }

    /// Place of the attribute `field` of `node`, or of `node` if it has none.
    pub(super) fn place_of(&self, node: Node<'_, '_>, field: &str) -> Location {
        match node.attribute_node(field) {
            Some(attribute) => self.place_at(node.document().text_pos_at(attribute.range().start)),
            None => self.place(node),
        }
    }

    pub(super) fn report(&mut self, node: Node<'_, '_>, field: &str, problem: Problem) {
        let place = self.place_of(node, field);
        let element = node.tag_name().name();
        let field = if field.is_empty() { element.to_owned() } else { format!("{element}.{field}") };
        self.errors.push(Error { place: Some(place), field, problem });
    }

    /// Applies `read` to an attribute; an error if the attribute is not there.
    pub(super) fn need<T>(
        &mut self,
        node: Node<'_, '_>,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<T> {
        let value = self.get(node, name, allowed, read)?;
        if value.is_none() {
            self.report(node, name, Problem::missing(allowed));
        }
        value
    }

    /// Applies `read` to an attribute. The inner `None` means that the attribute is not there, the outer one that it is
    /// wrong.
    pub(super) fn get<T>(
        &mut self,
        node: Node<'_, '_>,
        name: &str,
        allowed: &str,
        read: impl FnOnce(&str) -> Result<T, &'static str>,
    ) -> Option<Option<T>> {
        let Some(text) = node.attribute(name) else { return Some(None) };
        match read(text) {
            Ok(value) => Some(Some(value)),
            Err(why) => {
                self.report(node, name, Problem::refused(format!("{text:?}"), why, allowed));
                None
            }
        }
    }
}

/// Escapes text for an attribute.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A whole number, as a plain decimal; tools written in Python print `5.0` for some of them.
pub(super) fn whole(text: &str) -> Result<u64, &'static str> {
    let text = text.trim();
    let digits = text.strip_suffix(".0").unwrap_or(text);
    if digits.starts_with('-') {
        return Err("is negative");
    }
    digits.parse().map_err(|_| "is no whole number in range")
}
