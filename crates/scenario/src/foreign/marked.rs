//! Kinds of XML and JSON files, by their roots and members.

use super::kind::Kind;

/// The roots of XML files, without prefixes.
const ROOTS: [(&str, &str); 12] = [
    ("cheddar", "a model of Cheddar"),
    ("cheddar_project", "a model of Cheddar"),
    ("Amalthea", "a model of AMALTHEA (APP4MC)"),
    ("MAST_MODEL", "a model of MAST"),
    ("nta", "a model of UPPAAL"),
    ("graphml", "a graph (GraphML)"),
    ("svg", "a picture (SVG)"),
    ("html", "a page (HTML)"),
    ("AUTOSAR", "a description of AUTOSAR"),
    ("SystemInstance", "a model of AADL"),
    ("mxfile", "a drawing (draw.io)"),
    ("XMI", "a model in XMI (UML, MARTE)"),
];

/// Returns the kind of an XML file, by its root.
pub(super) fn of_xml(text: &str) -> Option<Kind> {
    match root_of(text)? {
        "html" if text.contains("trace-data") => Some(Kind::KernelTrace("a page of systrace (HTML)")),
        "taskset" => Some(Kind::TaskSet("a task set of SchedCAT")),
        "simulation" => Some(Kind::TaskSet("a configuration of SimSo")),
        root => ROOTS.iter().find(|(known, _)| *known == root).map(|(_, name)| Kind::Other(name)),
    }
}

/// The name of the first element, without its prefix.
pub(crate) fn root_of(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start().strip_prefix('<')?;
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1;
        } else if rest.starts_with(['?', '!']) {
            rest = rest.split_once('>')?.1;
        } else {
            let name = rest.split(|c: char| c.is_whitespace() || c == '>' || c == '/').next()?;
            return Some(name.rsplit_once(':').map_or(name, |(_, name)| name));
        }
    }
}

/// Returns the text after the comments with which JSON may begin.
pub(crate) fn after_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let comment = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(line), _) => line.split_once('\n'),
            (None, Some(block)) => block.split_once("*/"),
            (None, None) => return rest,
        };
        rest = comment.map_or("", |(_, behind)| behind.trim_start());
    }
}

/// Returns the kind of a JSON file, by its members.
pub(super) fn of_json(text: &str, ending: &str) -> Option<Kind> {
    if member(text, "traceEvents", "[") || (text.starts_with('[') && member(text, "ph", "\"")) {
        return Some(Kind::Other("a trace of Perfetto or Chrome (traceEvents)"));
    }
    if member(text, "format", "\"schedlab-") {
        return Some(Kind::Answer);
    }
    if (0..=9).any(|version| member(text, "nbformat", &version.to_string())) {
        return Some(Kind::Other("a notebook of Jupyter"));
    }
    is_lines(text, ending).then_some(Kind::Batch)
}

/// Returns whether an object has a member of this name whose value begins with `begins`.
fn member(text: &str, name: &str, begins: &str) -> bool {
    let quoted = format!("\"{name}\"");
    text.match_indices(&quoted).any(|(index, _)| {
        let behind = text[index + quoted.len()..].trim_start().strip_prefix(':');
        behind.is_some_and(|value| value.trim_start().starts_with(begins))
    })
}

/// Returns whether each line is an object of its own, or the only line has a task set of a batch: a list of tasks.
fn is_lines(text: &str, ending: &str) -> bool {
    let is_object = |line: &str| line.starts_with('{') && line.ends_with('}');
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next().filter(|first| is_object(first)) else { return false };
    ending.eq_ignore_ascii_case("jsonl") || lines.next().is_some_and(is_object) || member(first, "tasks", "[")
}
