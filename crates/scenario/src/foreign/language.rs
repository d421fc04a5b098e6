//! Marks of other languages, each so strong that no table, scenario or workload has it by chance: a task may be called
//! `from radar` or `package loop`.

use super::kind::Kind;

/// Begin of a kernel trace as text.
const TRACER: &str = "# tracer:";

/// Begin of an import in Python and in AADL.
const IMPORT: &str = "import ";
const FROM: &str = "from ";
const NAMES: &str = " import ";
const ASYNC: &str = "async ";
const FUNCTION: &str = "def ";
const CLASS: &str = "class ";
const PACKAGE: &str = "package ";
const END: &str = "end ";

/// Number of lines that are examined.
const LINES: usize = 200;

/// The kind of a text, by its language.
pub(super) fn language(text: &str) -> Option<Kind> {
    if text.starts_with(TRACER) || lines(text).any(is_kernel_event) {
        return Some(Kind::KernelTrace("a kernel trace as text (ftrace, trace-cmd report, perf script)"));
    }
    if is_python(text) {
        return Some(Kind::Other("a Python script"));
    }
    if lines(text).any(is_mast) {
        return Some(Kind::Other("a model of MAST"));
    }
    is_aadl(text).then_some(Kind::Other("a model of AADL"))
}

/// The kind of a text by its language, if its first line leaves no doubt, whatever the name of the file says.
pub(super) fn language_beyond_doubt(text: &str) -> Option<Kind> {
    let is_trace = text.starts_with(TRACER) && lines(text).any(is_kernel_event);
    match is_trace || is_python_program(text) {
        true => language(text),
        false => None,
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take(LINES)
}

/// A line of ftrace, `trace-cmd report` or `perf script`.
fn is_kernel_event(line: &str) -> bool {
    let event = [": sched_switch:", ": sched_wakeup:", "sched:sched_", ": sched_waking:", ": sched_process_"];
    event.iter().any(|event| line.contains(event)) || line.contains("tracing_mark_write:")
}

/// Returns whether the first line names Python as interpreter.
fn is_python_program(text: &str) -> bool {
    text.lines().next().is_some_and(|first| first.starts_with("#!") && first.contains("python"))
}

/// Returns whether the text is Python: it names Python as interpreter, or has several lines that are imports or
/// definitions. A single such line may stand in a note.
fn is_python(text: &str) -> bool {
    is_python_program(text) || lines(text).filter(|line| is_python_line(line.trim_end())).count() > 1
}

/// `import a.b as c`, `from a import b`, `def f(x):` or `class C:`, whole.
fn is_python_line(line: &str) -> bool {
    if let Some(rest) = line.strip_prefix(IMPORT) {
        return rest.split(',').all(|module| {
            let words: Vec<&str> = module.split_whitespace().collect();
            match words[..] {
                [path] => is_path(path),
                [path, "as", name] => is_path(path) && is_identifier(name),
                _ => false,
            }
        });
    }
    if let Some((module, names)) = line.strip_prefix(FROM).and_then(|rest| rest.split_once(NAMES)) {
        let names = names.trim().trim_start_matches('(').trim_end_matches([')', ',']);
        let is_name = |name: &str| name.split_whitespace().all(is_identifier);
        return is_path(module.trim_start_matches('.'))
            && (matches!(names, "" | "*") || names.split(',').all(is_name));
    }
    let defined = |word: &str| line.trim_start_matches(ASYNC).strip_prefix(word);
    let named = |rest: &str, ends: &[char]| rest.find(ends).is_some_and(|end| is_identifier(&rest[..end]));
    defined(FUNCTION).is_some_and(|rest| named(rest, &['('])) && line.ends_with([':', '(', ','])
        || defined(CLASS).is_some_and(|rest| named(rest, &['(', ':'])) && line.ends_with(':')
}

fn is_path(text: &str) -> bool {
    text.split('.').all(is_identifier)
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_mast(line: &str) -> bool {
    let words = [
        "Model",
        "Processing_Resource",
        "Scheduling_Server",
        "Scheduler",
        "Shared_Resource",
        "Operation",
        "Transaction",
    ];
    let line = line.trim_start();
    let rest = words.iter().find_map(|word| line.strip_prefix(word));
    rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        && (line.contains("=>") || line.trim_end().ends_with('('))
}

/// Returns whether a text is AADL: it has a line that begins a package, and one that ends it or begins its public part.
fn is_aadl(text: &str) -> bool {
    let is_name = |name: &str| name.trim().split("::").all(is_identifier);
    let begins = |line: &str| line.trim().strip_prefix(PACKAGE).is_some_and(is_name);
    let goes_on = |line: &str| {
        let ended = line.trim().strip_prefix(END).and_then(|rest| rest.strip_suffix(';'));
        matches!(line.trim(), "public" | "private") || ended.is_some_and(is_name)
    };
    lines(text).skip_while(|line| !begins(line)).skip(1).any(goes_on)
}

/// Returns whether the text is YAML: it begins with YAML's marker, or its first line of content is a key alone or a key
/// with a value, and no TOML.
pub(super) fn is_yaml(text: &str) -> bool {
    let Some(first) = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')) else {
        return false;
    };
    let key = first.split_once(':').filter(|(key, rest)| {
        let is_key = |c: char| c.is_ascii_alphanumeric() || "_- ".contains(c);
        !key.is_empty() && key.chars().all(is_key) && (rest.is_empty() || rest.starts_with(' '))
    });
    first.trim_end() == "---" || key.is_some() || first.starts_with("- ")
}
