//! Modules beside each other form no circle: of two that need each other, one reader needs both at once.
//!
//! A folder's own file (`mod.rs`, or the file named like the folder) and the files in it count as one. Paths that begin
//! with `crate`, `super`, `self` or a module's name count, in code that is not for tests. What a module re-exports
//! counts as the module where it is. A method of a type counts as the file that has it, where the type's own code
//! asks `self` for it: what is spread over files may need each other without any path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A module by its path from the crate's root, which has none.
type Module = Vec<String>;

/// What one module says of others: its name in the code, and whether it is a re-export under a name.
struct Reference {
    from: Module,
    path: Vec<String>,
    exported_as: Option<String>,
}

/// The code as words and signs, without comments, texts and characters.
fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut all, mut index) = (Vec::new(), 0);
    while index < chars.len() {
        let rest = &chars[index..];
        let is_word = |c: &char| c.is_alphanumeric() || *c == '_';
        match rest {
            ['/', '/', ..] => index += rest.iter().take_while(|c| **c != '\n').count(),
            ['"', ..] => index += 1 + text_length(&rest[1..]),
            ['\'', '\\', _, ..] => index += 3 + rest[3..].iter().take_while(|c| **c != '\'').count() + 1,
            ['\'', _, '\'', ..] => index += 3,
            [':', ':', ..] => {
                all.push("::".to_owned());
                index += 2;
            }
            [c, ..] if is_word(c) => {
                let word: String = rest.iter().take_while(|c| is_word(c)).collect();
                index += word.chars().count();
                let hashes = chars[index..].iter().take_while(|c| **c == '#').count();
                if ["r", "br"].contains(&word.as_str()) && chars.get(index + hashes) == Some(&'"') {
                    index += hashes + 1 + raw_length(&chars[index + hashes + 1..], hashes);
                } else {
                    all.push(word);
                }
            }
            [c, ..] => {
                all.extend((!c.is_whitespace()).then(|| c.to_string()));
                index += 1;
            }
            [] => {}
        }
    }
    all
}

/// How many characters a text has after its opening quote, the closing one included.
fn text_length(rest: &[char]) -> usize {
    let mut index = 0;
    while index < rest.len() && rest[index] != '"' {
        index += if rest[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// The same of a raw text that ends with so many hashes.
fn raw_length(rest: &[char], hashes: usize) -> usize {
    let closes = |end: &usize| rest[*end] == '"' && rest[end + 1..].iter().take(hashes).all(|c| *c == '#');
    (0..rest.len()).find(closes).map_or(rest.len(), |end| end + 1 + hashes)
}

/// Where the item ends that begins at `index`: behind its semicolon or its closing brace.
fn item_end(tokens: &[String], mut index: usize) -> usize {
    let mut depth = 0;
    while let Some(token) = tokens.get(index) {
        index += 1;
        match token.as_str() {
            "{" => depth += 1,
            "}" if depth == 1 => return index,
            "}" => depth -= 1,
            ";" if depth == 0 => return index,
            _ => {}
        }
    }
    index
}

/// Without the items that exist in tests only.
fn without_tests(tokens: &[String]) -> Vec<String> {
    let (mut kept, mut index) = (Vec::new(), 0);
    while index < tokens.len() {
        if tokens[index..].starts_with(&["#", "[", "cfg", "(", "test", ")", "]"].map(str::to_owned)) {
            index = item_end(tokens, index + 7);
        } else {
            kept.push(tokens[index].clone());
            index += 1;
        }
    }
    kept
}

/// The paths of a `use` from `index` on, each with the name that it gets; `prefix` stands before them.
fn use_tree(tokens: &[String], index: &mut usize, prefix: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut path = prefix.to_vec();
    let mut name = None;
    while let Some(token) = tokens.get(*index) {
        match token.as_str() {
            "{" => {
                *index += 1;
                while tokens.get(*index).is_some_and(|token| token != "}") {
                    use_tree(tokens, index, &path, found);
                    *index += usize::from(tokens.get(*index).is_some_and(|token| token == ","));
                }
                *index += 1;
                return;
            }
            "," | "}" | ";" => break,
            "as" => {
                name = tokens.get(*index + 1).cloned();
                *index += 1;
            }
            "::" => {}
            "self" if !path.is_empty() => {}
            word => path.push(word.to_owned()),
        }
        *index += 1;
    }
    let name = name.or(path.last().cloned()).unwrap_or_default();
    found.push((path, name));
}

/// All that the file of `module` says of other modules.
fn references(module: &Module, tokens: &[String]) -> Vec<Reference> {
    let (mut all, mut index, mut depth) = (Vec::new(), 0, 0);
    // Modules written out in this file, each with the depth of braces at which it ends.
    let mut inside: Vec<(String, usize)> = Vec::new();
    while index < tokens.len() {
        let from = || module.iter().chain(inside.iter().map(|(name, _)| name)).cloned().collect::<Module>();
        let previous = |back: usize| index.checked_sub(back).map_or("", |index| tokens[index].as_str());
        match tokens[index].as_str() {
            "use" => {
                let is_public = previous(1) == "pub" || previous(1) == ")";
                let mut found = Vec::new();
                index += 1;
                use_tree(tokens, &mut index, &[], &mut found);
                let from = from();
                all.extend(found.into_iter().map(|(path, name)| Reference {
                    from: from.clone(),
                    path,
                    exported_as: is_public.then_some(name),
                }));
                continue;
            }
            "mod" if tokens.get(index + 2).is_some_and(|token| token == "{") => {
                inside.push((tokens[index + 1].clone(), depth));
                (index, depth) = (index + 2, depth + 1);
            }
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                if inside.last().is_some_and(|(_, ends)| *ends == depth) {
                    inside.pop();
                }
            }
            word if tokens.get(index + 1).is_some_and(|next| next == "::") && previous(1) != "::" => {
                let mut path = vec![word.to_owned()];
                while tokens.get(index + 1).is_some_and(|next| next == "::") && index + 2 < tokens.len() {
                    path.push(tokens[index + 2].clone());
                    index += 2;
                }
                all.push(Reference { from: from(), path, exported_as: None });
            }
            _ => {}
        }
        index += 1;
    }
    all
}

/// A name of a type, and that of a method.
type Method = (String, String);

/// Methods that the file of `module` has of types, and those that types ask themselves for.
fn methods(tokens: &[String]) -> (BTreeSet<Method>, BTreeSet<Method>) {
    let (mut has, mut asks) = (BTreeSet::new(), BTreeSet::new());
    let begins = |one: usize| one == 0 || ["{", "}", ";", "]", "unsafe"].contains(&tokens[one - 1].as_str());
    for index in (0..tokens.len()).filter(|index| tokens[*index] == "impl" && begins(*index)) {
        let end = item_end(tokens, index);
        let body = (index..end).find(|index| tokens[*index] == "{").unwrap_or(end);
        let Some((name, is_of_trait)) = implemented(&tokens[index + 1..body]) else { continue };
        for words in tokens[body..end].windows(4) {
            match [&*words[0], &*words[1], &*words[2], &*words[3]] {
                ["fn", method, ..] if !is_of_trait => has.insert((name.clone(), method.to_owned())),
                ["self", ".", method, "(" | "::"] | ["Self", "::", method, "("] => {
                    asks.insert((name.clone(), method.to_owned()))
                }
                _ => false,
            };
        }
    }
    (has, asks)
}

/// The name of the type that an `impl` with this head is about, and whether it is one of a trait.
fn implemented(head: &[String]) -> Option<(String, bool)> {
    let (mut depth, mut name, mut is_of_trait) = (0, None, false);
    for (index, token) in head.iter().enumerate() {
        match token.as_str() {
            "<" => depth += 1,
            ">" if head[index - 1] != "-" => depth -= 1,
            "where" if depth == 0 => break,
            "for" if depth == 0 => (name, is_of_trait) = (None, true),
            word if depth == 0 && word.starts_with(char::is_alphabetic) => name = Some(word.to_owned()),
            _ => {}
        }
    }
    name.map(|name| (name, is_of_trait))
}

/// The modules of a crate, and what they say of each other.
struct Modules {
    known: BTreeSet<Module>,
    references: Vec<Reference>,
    /// By method: the modules that have it; and by module: the methods that types ask themselves for there.
    has: BTreeMap<Method, BTreeSet<Module>>,
    asks: Vec<(Module, Method)>,
    /// By module: the names that it re-exports, and where they are.
    exports: BTreeMap<(Module, String), Vec<String>>,
}

impl Modules {
    /// Those of these files, whose paths begin below the folder of sources.
    fn of(files: &[(PathBuf, String)]) -> Modules {
        let (mut known, mut references) = (BTreeSet::new(), Vec::new());
        let (mut has, mut all_asks): (BTreeMap<Method, BTreeSet<Module>>, Vec<_>) = Default::default();
        for (path, text) in files {
            let mut module: Module =
                path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let last = module.last().expect("a file has a name");
            if last == "tests" || module.first().is_some_and(|first| first == "bin") {
                continue;
            }
            if ["lib", "main", "mod"].contains(&last.as_str()) {
                module.pop();
            }
            known.extend((0..=module.len()).map(|length| module[..length].to_vec()));
            let tokens = without_tests(&tokens(text));
            references.extend(self::references(&module, &tokens));
            let (here, asks) = methods(&tokens);
            here.into_iter().for_each(|method| _ = has.entry(method).or_default().insert(module.clone()));
            all_asks.extend(asks.into_iter().map(|method| (module.clone(), method)));
        }
        let mut modules = Modules { known, references, has, asks: all_asks, exports: BTreeMap::new() };
        for reference in &modules.references {
            if let (Some(name), Some(path)) = (&reference.exported_as, modules.absolute(reference)) {
                modules.exports.insert((reference.from.clone(), name.clone()), path);
            }
        }
        modules
    }

    /// The path from the root; `None` if it leads out of the crate.
    fn absolute(&self, reference: &Reference) -> Option<Vec<String>> {
        let mut base = reference.from.clone();
        let mut rest = reference.path.as_slice();
        match rest.first().map(String::as_str)? {
            "crate" => base.clear(),
            "self" | "super" => {}
            first => {
                let beside: Module = base.iter().cloned().chain([first.to_owned()]).collect();
                return self.known.contains(&beside).then(|| base.into_iter().chain(rest.to_vec()).collect());
            }
        }
        while let Some(word @ ("crate" | "self" | "super")) = rest.first().map(String::as_str) {
            if word == "super" {
                base.pop();
            }
            rest = &rest[1..];
        }
        Some(base.into_iter().chain(rest.to_vec()).collect())
    }

    /// The module that holds what `path` names, through re-exports.
    fn holder(&self, path: &[String], hops: usize) -> Module {
        let is_module = |length: &usize| self.known.contains(&path[..*length]);
        let length = (1..=path.len()).take_while(is_module).last().unwrap_or(0);
        let module = path[..length].to_vec();
        let export = path.get(length).and_then(|name| self.exports.get(&(module.clone(), name.clone())));
        match export.filter(|target| hops > 0 && target.as_slice() != path) {
            Some(target) => self.holder(&[target, &path[length + 1..]].concat(), hops - 1),
            None => module,
        }
    }

    /// By folder, then by module in it: the modules beside it that it needs.
    fn arrows(&self) -> BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> {
        let mut all: BTreeMap<Module, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        let paths = self
            .references
            .iter()
            .filter_map(|reference| Some((&reference.from, self.holder(&self.absolute(reference)?, 8))));
        let asked = self.asks.iter().flat_map(|(from, method)| {
            let elsewhere = self.has.get(method).filter(|modules| !modules.contains(from));
            elsewhere.into_iter().flatten().map(move |to| (from, to.clone()))
        });
        for (from, to) in paths.chain(asked) {
            let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                let folder = all.entry(from[..common].to_vec()).or_default();
                folder.entry(a.clone()).or_default().insert(b.clone());
            }
        }
        all
    }

    /// A circle of each folder that has one.
    fn circles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let circle = |(folder, arrows): (&Module, &BTreeMap<String, BTreeSet<String>>)| {
            let found = arrows.keys().find_map(|start| back_to(start, arrows))?;
            let place = if folder.is_empty() { "the root".to_owned() } else { folder.join("::") };
            Some(format!("{place}: {}", found.join(" -> ")))
        };
        arrows.iter().filter_map(circle).collect()
    }
}

/// The shortest way along the arrows from `start` back to it.
fn back_to(start: &str, arrows: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.to_owned()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in &ways {
            for next in arrows.get(way.last()?).into_iter().flatten() {
                let further: Vec<String> = way.iter().chain([next]).cloned().collect();
                if next == start {
                    return Some(further);
                }
                longer.extend(seen.insert(next.clone()).then_some(further));
            }
        }
        ways = longer;
    }
    None
}

fn collect(folder: &Path, root: &Path, all: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, root, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).expect("it is below").to_owned();
            all.push((name, fs::read_to_string(&path).expect("a text")));
        }
    }
}

#[test]
fn modules_beside_each_other_form_no_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let (mut count, mut arrows) = (0, 0);
    for entry in fs::read_dir(crates).expect("there are crates") {
        let source = entry.expect("a readable folder").path().join("src");
        let name = source.parent().and_then(Path::file_name).expect("it has a name").to_string_lossy();
        let mut files = Vec::new();
        collect(&source, &source, &mut files);
        let modules = Modules::of(&files);
        (count, arrows) = (count + 1, arrows + modules.arrows().len());
        let circles = modules.circles();
        assert!(circles.is_empty(), "crates/{name} has circles:\n{}", circles.join("\n"));
    }
    assert!(count > 15 && arrows > 30, "{count} crates and {arrows} folders with arrows were found");
}

/// The circles of files, each a path and a text.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let owned = |(path, text): &(&str, &str)| (PathBuf::from(path), (*text).to_owned());
    Modules::of(&files.iter().map(owned).collect::<Vec<_>>()).circles()
}

#[test]
fn circles_are_found() {
    let two = "the root: a -> b -> a";
    assert_eq!(circles(&[("a.rs", "use crate::b::X;"), ("b.rs", "fn f() { super::a::g(); }")]), [two]);
    assert_eq!(circles(&[("a.rs", "use crate::{b::{X, Y as Z}, c};"), ("b.rs", "use crate::a;")]), [two]);
    assert_eq!(
        circles(&[("lib.rs", "pub use a::X;"), ("a.rs", "use crate::b;"), ("b.rs", "use crate::X;")]),
        [two]
    );
    let aliased =
        [("lib.rs", "pub(crate) use a::x as y;"), ("a.rs", "use crate::b;"), ("b.rs", "crate::y()")];
    assert_eq!(circles(&aliased), [two]);
    let three = [("a.rs", "use crate::b::X;"), ("b.rs", "use crate::c::X;"), ("c/d.rs", "use crate::a::X;")];
    assert_eq!(circles(&three), ["the root: a -> b -> c -> a"]);
    assert_eq!(
        circles(&[("f/a.rs", "use super::b::X;"), ("f/b.rs", "use super::a::X;")]),
        ["f: a -> b -> a"]
    );
    let written_out = [
        ("lib.rs", "mod f { pub use crate::a::X; }"),
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::f::X;"),
        ("f/c.rs", ""),
    ];
    assert_eq!(circles(&written_out), [two]);
}

#[test]
fn circles_of_methods_are_found() {
    let a = "impl<T: Into<u8>> X<T> { fn a(&self) { self.b() } }";
    let one = "impl<T> X<T> where T: Into<u8> { fn b(&self) -> u8 { Self::a(self) } }";
    let of_trait =
        "impl<T> X<T> { fn b(&self) {} } impl<T> From<u8> for X<T> { fn from(&self) { self.a::<u8>() } }";
    for b in [one, of_trait] {
        assert_eq!(circles(&[("a.rs", a), ("b.rs", b)]), ["the root: a -> b -> a"], "{b}");
    }
    let none: &[&str] = &[];
    for b in [
        "impl<T> X<T> { fn b(&self) { self.other.a() } }",
        "impl<T> X<T> { fn b(&self) {} } impl Y { fn c(&self) { self.a() } }",
        "impl<T> X<T> { fn a(&self) {} fn b(&self) { self.a() } }",
    ] {
        assert_eq!(circles(&[("a.rs", a), ("b.rs", b)]), none, "{b}");
    }
    // What the folder's own file has, its files may ask for.
    assert_eq!(circles(&[("f.rs", a), ("f/b.rs", one)]), none);
}

#[test]
fn what_is_no_circle_is_none() {
    let none: &[&str] = &[];
    // A folder's own file and the files in it are one; so are the root and all.
    assert_eq!(circles(&[("f/mod.rs", "pub use a::X;"), ("f/a.rs", "use super::Y;")]), none);
    assert_eq!(circles(&[("lib.rs", "use a::X;"), ("a.rs", "use crate::Y;")]), none);
    let to_a = ("b.rs", "use crate::a::X;");
    for text in [
        "// crate::b::X\n",
        "const T: &str = \"crate::b::X\"; const C: char = '\"';",
        "const T: &str = r#\"\" crate::b::X\"#;",
        "#[cfg(test)]\nmod tests {\n    use crate::b::X;\n}\n",
        "#[cfg(test)]\nuse crate::b::X;\n",
        "use other::b::X; fn f(b: B) { b::<X>(); other::crate_b::b::f() }",
    ] {
        assert_eq!(circles(&[("a.rs", text), to_a]), none, "{text}");
    }
    assert_eq!(circles(&[("a/tests.rs", "use crate::b::X;"), to_a]), none);
}
